"""Every page as Markdown: `variance.md` beside `variance/`, and `llms.txt`, which lists them.

For machines, and readers who ask one (https://llmstxt.org): the woven Markdown, with the plain form
of all that was put in as HTML. It lies as its source does below docs/, so that links lead on.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from weave.embeds.embed import LEFT_OUT, Context

STASHED = re.compile("\x02wzxhzdk:\\d+\x03")
BETWEEN = re.compile(".*?".join(LEFT_OUT), re.DOTALL)
FOLD = re.compile(
    r'^(?P<margin>[ ]*)(?:\?\?\?\+?|!!!)[ ]+\w+(?:[ ]"(?P<title>.*)")?[ ]*\n'
    r"(?P<inside>(?:(?P=margin)[ ]{4}.*\n|[ \t]*\n)*)",
    re.MULTILINE,
)
# Code and formulas, which stay as they are.
KEPT = re.compile(
    r"^[ ]*(?P<fence>`{3,})[^`]*?\n.*?^[ ]*(?P=fence)[ ]*$"
    r"| (?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"| \$\$.*?\$\$ | (?<!\\)\$[^$]+?\$",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
# What a reader of plain text has no use for, and what stands in its place; in this order.
PLAINER = {
    # Of a table of claims: the buttons that filter it, its head, and each row's number and verdict.
    r'<div class="filter".*?</div>|<thead.*?</thead>': "",
    r'<tr id="([^"]+)" data-verdict="([^"]+)"[^>]*>': r"### \1: \2",
    r"<!--.*?-->[ ]?": "",
    # Links: to a lab's page, to a lab's file, and to all else that is written as HTML.
    r"(\]\([^()\s]+)\.ipynb(?=[)#])": r"\1.md",
    r'<a href="([\w-]+)(\.\w+)" download>(.*?)</a>': r"[\3](\1/\1\2)",
    r'<a href="([^"]*)"[^>]*>(.*?)</a>': r"[\2](\1)",
    # Elements that Markdown has a mark for, and then all others.
    r"<li\b[^>]*>\s*": "- ",
    r"</?summary[^>]*>": "**",
    r"<sub>": "_",
    r"</?[a-z][^<>]*>": "",
    # Attributes of Markdown's elements.
    r"[ ]?\{[ ]?(?:[:.#][^{}]*|download[ ]?)\}": "",
    # Space that is left over.
    r"(?<=\*\*Figure\.\*\*)\s+": " ",
    r"\n(?:[ \t]*\n){2,}": "\n\n",
}
ABOVE = """\
# {name}

> {words}

Below is every page as Markdown. Code computed the numbers; formulas are TeX, figures are in words.
"""


def edition(context: Context) -> str:
    """Give a page as Markdown that says the same by itself.

    Args:
        context: the page, which has been woven.
    """

    def in_plain_text(placeholder: re.Match[str]) -> str:
        return context.plain.get(placeholder[0], "")

    text = STASHED.sub(in_plain_text, context.woven)
    text = BETWEEN.sub("", text)
    text = open_folds(text)
    text = "".join(plainer_parts(text))
    return text.strip() + "\n"


def open_folds(text: str) -> str:
    """Open folds and admonitions, and then those that stood within them."""
    opened = 1
    while opened > 0:
        text, opened = FOLD.subn(open_fold, text)
    return text


def open_fold(fold: re.Match[str]) -> str:
    """Give what a fold holds, below its title."""
    inside = re.sub(r"^[ ]{4}", "", fold["inside"], flags=re.MULTILINE)
    if not fold["title"]:
        return inside
    return f"{fold['margin']}**{fold['title']}**\n\n{inside}"


def plainer_parts(text: str) -> Iterator[str]:
    """Yield the parts of a text: code and formulas as they are, the others made plainer."""
    done = 0
    for kept in KEPT.finditer(text):
        yield plainer(text[done : kept.start()])
        yield kept[0]
        done = kept.end()
    yield plainer(text[done:])


def plainer(text: str) -> str:
    """Take from a text what only a page needs."""
    for pattern, plain in PLAINER.items():
        text = re.sub(pattern, plain, text, flags=re.DOTALL)
    return text


def write(text: str, page: Page, site: Path) -> None:
    """Write a page's plain edition.

    Args:
        text: the edition.
        page: the page.
        site: the folder of the site that is being built.
    """
    file = (site / page.file.src_uri).with_suffix(".md")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def write_list(nav: Navigation, site: Path, config: MkDocsConfig) -> None:
    """Write `llms.txt`, the list of the plain editions, each with a sentence of what it says.

    Args:
        nav: the contents.
        site: the folder of the site that is being built.
        config: what mkdocs.yml says.
    """
    address = config.site_url or ""
    text = ABOVE.format(name=config.site_name, words=config.site_description)
    text += list_of_pages("Pages", nav, address)
    for item in nav:
        if isinstance(item, Section):
            text += list_of_pages(item.title, item.children, address)
    (site / "llms.txt").write_text(text, "utf-8")


def list_of_pages(title: str, items: Iterable[object], address: str) -> str:
    """List the pages among some items of the contents, below a title."""
    lines = [f"\n## {title}", ""]
    for page in items:
        if isinstance(page, Page):
            file = Path(page.file.src_uri).with_suffix(".md").as_posix()
            words = page.meta.get("description", "exercises in Python, with solutions")
            lines.append(f"- [{page.title}]({address}{file}): {words}")
    return "\n".join(lines) + "\n"
