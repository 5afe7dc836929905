"""Every page as Markdown: `variance.md` beside `variance/`, and `llms.txt`, which lists them.

For machines, and readers who ask one (https://llmstxt.org): the woven Markdown, with the plain form
of all that was put in as HTML. It lies as its source does below docs/, so that links lead on.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from weave.embeds.embed import Context

STASHED = re.compile("\x02wzxhzdk:\\d+\x03")
LEFT_OUT = re.compile("\x0e.*?\x0f", re.DOTALL)  # figure.py marks the code of a figure so
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
# What a reader of plain text has no use for, and what stands in its place.
PLAINER = [
    (re.compile(pattern, re.DOTALL), plain)
    for pattern, plain in (
        (r'<div class="filter".*?</div>|<thead.*?</thead>', ""),
        (r'<tr id="([^"]+)" data-verdict="([^"]+)"[^>]*>', r"### \1: \2"),
        (r"<!--.*?-->[ ]?", ""),
        (r"(\]\([^()\s]+)\.ipynb(?=[)#])", r"\1.md"),
        (r'<a href="([\w-]+)(\.\w+)" download>(.*?)</a>', r"[\3](\1/\1\2)"),
        (r'<a href="([^"]*)"[^>]*>(.*?)</a>', r"[\2](\1)"),
        (r"<li\b[^>]*>\s*", "- "),
        (r"</?summary[^>]*>", "**"),
        (r"<sub>", "_"),
        (r"</?[a-z][^<>]*>", ""),
        (r"[ ]?\{[ ]?(?:[:.#][^{}]*|download[ ]?)\}", ""),
        (r"(?<=\*\*Figure\.\*\*)\s+", " "),
        (r"\n(?:[ \t]*\n){2,}", "\n\n"),
    )
]
ABOVE = """\
# {name}

> {words}

Below is every page as Markdown. Code computed the numbers; formulas are TeX, figures are in words.
"""


def edition(context: Context) -> str:
    """Give a page that has been woven as Markdown that says the same by itself."""
    text = STASHED.sub(lambda stash: context.plain.get(stash[0], ""), context.woven)
    text, folds = LEFT_OUT.sub("", text), 1
    while folds:
        text, folds = FOLD.subn(opened, text)
    return "".join(plainer(text)).strip() + "\n"


def opened(fold: re.Match[str]) -> str:
    """Open a fold, or an admonition, below its title."""
    inside = re.sub(r"^[ ]{4}", "", fold["inside"], flags=re.MULTILINE)
    return f"{fold['margin']}**{fold['title']}**\n\n{inside}" if fold["title"] else inside


def plainer(text: str) -> Iterator[str]:
    """Yield the parts of a text, without what only a page needs."""
    done = 0
    for kept in [*KEPT.finditer(text), None]:
        part = text[done : kept.start() if kept else None]
        for pattern, plain in PLAINER:
            part = pattern.sub(plain, part)
        yield part
        if kept:
            yield kept[0]
            done = kept.end()


def write(text: str, page: Page, site: Path) -> None:
    """Write a page's plain edition into the site that is being built."""
    file = (site / page.file.src_uri).with_suffix(".md")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def write_list(nav: Navigation, site: Path, config: MkDocsConfig) -> None:
    """Write `llms.txt`, the list of the plain editions, each with a sentence of what it says."""
    lines = [ABOVE.format(name=config.site_name, words=config.site_description)]
    for section in [None, *(item for item in nav if isinstance(item, Section))]:
        lines += [f"## {section.title if section else 'Pages'}", ""]
        for page in section.children if section else nav:
            if isinstance(page, Page):
                address = Path(page.file.src_uri).with_suffix(".md").as_posix()
                words = page.meta.get("description", "exercises in Python, with solutions")
                lines.append(f"- [{page.title}]({config.site_url or ''}{address}): {words}")
        lines.append("")
    (site / "llms.txt").write_text("\n".join(lines), "utf-8")
