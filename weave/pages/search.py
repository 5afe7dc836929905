"""What search lists: the sections of each page, with what a reader would read of them.

That is formulas as text, and no drawings, code or references. `find.js` ranks the sections.
"""

import json
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple, TypedDict

from mkdocs.structure.pages import Page

from weave.embeds.formula import read_out

# Folds for depth and proofs are read: those of code, of numbers and of labs are not.
HEAVY = re.compile(
    r'<(svg|pre)\b.*?</\1> | <details(?:[ ]class="(?:fold|numbers)")?>.*?</details>',
    re.DOTALL | re.VERBOSE,
)
# What names other sections, which would be found in their place, or claims by their numbers.
ELSEWHERE = re.compile(
    r"""<(p|div|ul)[ ]class="(?:back|settled|words)">.*?</\1>
    | ,?\s*<a[ ]class="claim"[ ]href="[^"#]+\#[^>]*>.*?</a>""",
    re.DOTALL | re.VERBOSE,
)
PERMALINK = re.compile(r'<a class="headerlink"[^>]*>.*?</a>')
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
APART = {"p", "code", "pre", "li", "ol", "ul", "sub", "sup"}  # words in them and beside them
# What ends as a sentence does.
CLOSED = {"p", "li", "dt", "dd", "summary", "figcaption", "caption", "tr"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
EXERCISES = 0.4  # how much a lab counts: its exercises answer nothing


class Section(NamedTuple):
    """A heading and what stands below it, up to the next."""

    anchor: str  # empty for what stands above all headings but the page's title
    title: str
    text: str


class Listed(TypedDict):
    """A section as find.js wants it."""

    at: str  # the address
    title: str
    page: str  # the page's title
    text: str
    boost: float  # how much it counts


def sections(html: str) -> list[Section]:
    """Divide a page at its headings.

    Args:
        html: the page as Markdown made it.
    """
    divider = Divider()
    divider.feed(readable(html))
    divider.close()
    return [
        Section(part.anchor, in_one_line(part.title), in_one_line(part.text))
        for part in divider.parts
    ]


def readable(html: str) -> str:
    """Give a page as search should read it."""
    html = ELSEWHERE.sub("", HEAVY.sub("", read_out(html)))
    html = PERMALINK.sub("", html)
    html = html.replace("<sub>", "_")  # d_k, as people type it
    # With the sentence that leads to it.
    return re.sub(r'</p>\s*<div class="formula">(.*?)</div>', r" \1</p>", html)


def in_one_line(words: list[str]) -> str:
    """Join what was read, with no space before a comma that follows some code."""
    return re.sub(r" (?=[,;:?!’)]|\.(?!\w))", "", " ".join("".join(words).split()))


class Part:
    """A section that is being read, and the elements within which it stands."""

    def __init__(self, anchor: str, depth: int) -> None:
        self.anchor = anchor
        self.depth = depth
        self.title: list[str] = []
        self.text: list[str] = []


class Divider(HTMLParser):
    """Reads a page, and begins a part of it at each heading that has an id.

    A section within a fold ends with the fold: what follows belongs to the section around it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []  # those that are open, the outermost first
        self.parts = [Part("", 0)]
        self.around = [self.parts[0]]  # the section at hand comes last, after those around it
        self.in_heading = False
        self.in_row = False  # behind its first cell

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element, and with a heading a section."""
        if tag in VOID:
            return
        self.elements.append(tag)
        anchor = dict(attrs).get("id")
        if tag in HEADINGS and anchor:
            self.begin(tag, anchor)
        elif tag in APART:
            self.handle_data(" ")

    def begin(self, tag: str, anchor: str) -> None:
        """Begin a section; the page's title is the heading of the first."""
        self.in_heading = True
        first = self.parts[0]
        if tag == "h1" and len(self.parts) == 1 and not in_one_line(first.text):
            return
        depth = len(self.elements)
        while self.around[-1].depth >= depth:
            self.around.pop()
        part = Part(anchor, depth)
        self.parts.append(part)
        self.around.append(part)

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and the sections that begin in it."""
        if not self.elements or self.elements[-1] != tag:
            return
        while self.around[-1].depth > len(self.elements):
            self.around.pop()
        self.elements.pop()
        if tag in HEADINGS:
            self.in_heading = False
        elif tag in {"th", "td"}:  # 64: 0.2, 16%
            self.end(", " if self.in_row else ": ")
            self.in_row = True
        elif tag in CLOSED:
            self.end(". ")
            self.in_row = False
        elif tag in APART:
            self.handle_data(" ")

    def end(self, mark: str) -> None:
        """End what was read by a mark, unless it has one; a row's replaces its last cell's."""
        text = self.around[-1].text
        while text and not text[-1].strip(" ,:\n" if mark == ". " else "\n "):
            text.pop()
        read = next((words.strip() for words in reversed(text) if words.strip()), "")
        if read and not re.search(r"[.?!:;,…][”)]*$", read):
            text.append(mark)
        else:
            text.append(" ")

    def handle_data(self, data: str) -> None:
        """Read some words."""
        part = self.around[-1]
        (part.title if self.in_heading else part.text).append(data)


def listed(page: Page, sections: Iterable[tuple[str, str, str]]) -> list[Listed]:
    """Give the sections of a page as find.js wants them.

    Args:
        page: its front matter may say `search: {exclude: true}`, or `boost: 0.3`.
        sections: of the page, as JSON keeps them.
    """
    said = page.meta.get("search") or {}
    if said.get("exclude"):
        return []
    usual = EXERCISES if page.url.startswith("labs/") else 1
    return [
        {
            "at": f"{page.url}#{anchor}" if anchor else page.url,
            "title": title or str(page.title),
            "page": str(page.title),
            "text": text,
            "boost": said.get("boost", usual),
        }
        for anchor, title, text in sections
    ]


def write_index(listed: list[Listed], site: Path) -> None:
    """Write the list as a script, which a browser loads from a disk too.

    Args:
        listed: the sections of all pages.
        site: the folder of the site, in which Material's plugin has left a list of its own.
    """
    index = site / "search/search_index.json"
    if not index.is_file():  # a site without search
        return
    written = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    index.with_name("index.js").write_text(f"var SECTIONS = {written};\n", "utf-8")
    index.unlink()
