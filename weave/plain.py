"""Every page as Markdown, at its own address and `.md`, and `llms.txt`, which lists them.

For readers who ask a machine, and for machines: with the numbers filled in, formulas as TeX,
figures in words, and what is folded. https://llmstxt.org says how such pages are found.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from markdownify import ATX, MarkdownConverter
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

# What a reader of plain text cannot use: what edits, narrows, marks a place or leads back to it.
IDLE = {"headerlink", "md-content__button", "to-text", "filter", "picture", "script", "style"}
# Most of a page: the strokes of drawings, the parts of formulas, the colours of code.
INSIDE = re.compile(
    r"(?<=</desc>).*?(?=</svg>) | (?<=>)<m(?!ath\b)[a-z]+\b.*?(?=</math>) | </?span\b[^>]*>",
    re.DOTALL | re.VERBOSE,
)
ABOVE = """\
# {name}

> {words}

Below is every page as Markdown. Code computed the numbers; formulas are TeX, figures are in words.
"""


def write(text: str, page: Page, site: Path) -> None:
    """Write a page's plain edition beside its place in the site that is being built."""
    file = site / address(page)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def write_list(nav: Navigation, site: Path, config: MkDocsConfig) -> None:
    """Write `llms.txt`, the list of the plain editions that the site has."""
    root = config.site_url or ""
    lines = [ABOVE.format(name=config.site_name, words=config.site_description)]
    lines += listed("Pages", [item for item in nav if isinstance(item, Page)], site, root)
    for section in [item for item in nav if isinstance(item, Section)]:
        inside = [item for item in section.children if isinstance(item, Page)]
        lines += listed(section.title, inside, site, root)
    (site / "llms.txt").write_text("\n".join(lines), "utf-8")


def linked(html: str, page: Path) -> str:
    """Give a built page with a link to its Markdown, where it has one."""
    plain = page.with_name(f"{page.name}.md")
    # The space: Material's script takes `[rel=alternate]` for a translation of the whole site.
    alternate = f'<link rel="alternate " type="text/markdown" href="{plain.name}">'
    return html.replace("</head>", f"{alternate}\n  </head>", 1) if plain.is_file() else html


def address(page: Page) -> str:
    """Give the address of a page's Markdown, below the site's root."""
    return f"{page.file.dest_uri}.md"


def listed(title: str, pages: Iterable[Page], site: Path, root: str) -> list[str]:
    """List pages below a heading, each with a sentence of what it says."""
    lines = [f"## {title}", ""]
    for page in pages:
        text = (site / address(page)).read_text("utf-8")
        parts = [part for part in text.split("\n\n")[1:] if "](" not in part]
        first = re.split(r"(?<=\.)\s", "".join(parts[:1]), maxsplit=1)[0]
        words = page.meta.get("description", first)
        lines.append(f"- [{page.title}]({root}{address(page)}): {words}".removesuffix(": "))
    return [*lines, ""]


def to_markdown(html: str) -> str:
    """Write a page as Markdown."""
    soup: Any = BeautifulSoup(INSIDE.sub("", html), "html.parser")
    for element in soup.find_all(lambda e: IDLE.intersection([e.name, *e.get("class", [])])):
        element.decompose()
    for table in soup.find_all("table", {"data-source": True}):  # blocks, which no cell can hold
        for row in table.select("tbody > tr"):
            row.name = "div"
            for cell in row.find_all("td", recursive=False):
                cell.name = "div"
            heading = soup.new_tag("h3")
            heading.string = f"{row['id']}: {row['data-verdict']}"
            row.div.insert_before(heading)
            row.select_one("em.verdict").parent.decompose()
        table.thead.decompose()
        table.name = table.tbody.name = "div"
    text = Plain().convert_soup(soup).strip()
    soup.decompose()  # its elements know each other, and would stay a while
    return f"{text}\n"


class Plain(MarkdownConverter):  # type: ignore[misc]
    """What the elements of a page become in Markdown."""

    class Options:
        """As CommonMark has it, and most people write it."""

        heading_style = ATX
        bullets = "-"
        escape_underscores = False  # inside words, as in names of code, they mean nothing

        @staticmethod
        def code_language_callback(pre: Any) -> str:
            """Name a block's language, by the class around it, which a claim's check lacks."""
            found = re.search(r"language-(\w+)", " ".join(pre.parent.get("class", [])))
            return found[1] if found else "python"

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Keep what would begin a tag or a formula from doing so."""
        return re.sub(r"<(?=[a-zA-Z/!])|\$", r"\\\g<0>", super().escape(text, parent_tags))

    def convert_math(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Give a formula's TeX, in a table without the sign that ends a cell."""
        tex = str(el["alttext"])
        if el.get("display") == "block":
            return f"\n\n$$\n{tex}\n$$\n\n"
        if "td" in parent_tags or "th" in parent_tags:
            tex = tex.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
        return f"${tex}$"

    def convert_svg(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Leave out a drawing, whose figure has its words."""
        return ""

    def convert_figure(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Give a figure's caption, and what there is to see."""
        words = " ".join(el.desc.get_text().split()) if el.desc else ""
        return (
            f"\n\n**Figure.** {text.strip()}\n\n**What it shows.** {self.escape(words, set())}\n\n"
        )

    def convert_details(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Open what is folded. Of a figure's code the link to the script is enough."""
        script = el.select_one("p:has(> a[download])")
        if script and el.find_parent(class_="snippet"):
            return f"\n\nThe script: {self.process_tag(script).strip()}\n\n"
        return f"\n\n{text.strip()}\n\n"

    def convert_summary(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Set apart the title of what was folded."""
        return f"\n\n**{text.strip()}**\n\n"

    def convert_sup(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Raise an exponent."""
        return f"^{text}"

    def convert_sub(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Lower an index."""
        return f"_{text}"

    def convert_a(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Lead to other pages' Markdown. A claim's mark becomes words; tips are left out."""
        classes = el.get("class") or []
        if "term" in classes or "computed" in classes:
            return text
        name, words = str(el.get("aria-label", "")).partition(": ")[::2]
        text = name or text
        path, *rest = re.split(r"(?=[?#])", str(el.get("href", "")), maxsplit=1)
        if ":" not in path and re.search(r"(^|/)(\.*|[^.]*)$", path) and path:
            path = f"{path.removesuffix('/')}/index.html.md"
        link = f"[{text}]({path}{''.join(rest)})"
        return f"({link})" if words else link  # a mark in the text
