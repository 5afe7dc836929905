"""All pages on paper: one PDF, printed by Chromium from the HTML of the built site.

No library typesets MathML, so a browser prints it. A browser knows no page numbers before it has
printed: so the book is printed, the pages of all that is linked to are read from the PDF, and it is
printed again with the numbers in place, until they stay.
"""

import re
import tempfile
from collections.abc import Iterable, Mapping
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

from bs4 import BeautifulSoup
from playwright.sync_api import Browser
from pypdf import PdfReader

LISTED = re.compile(r"^- \[(?P<title>.*)\]\((?P<address>\S*)\.md\)", re.MULTILINE)
SHEET = '<link rel="stylesheet" href="{}">'
CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)">')
ADDRESS = re.compile("https?:|arXiv:|doi:")  # needs no note
DATE = re.compile(rb"(?<=Date \(D:)\d{14}")
# What is for the screen, or for those who look behind the page.
IDLE = (
    "a.headerlink, a.md-content__button, nav, button, .filter, .picture, "
    ".snippet > div > details, details:is(.numbers, .fold), table[data-source] details"
)
BOOK = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{name}</title>
{sheets}
<style>{style}</style>
</head>
<body dir="ltr" data-md-color-scheme="default" data-md-color-primary="custom">
<div class="md-container"><main class="md-main"><div class="md-main__inner md-grid">
<div class="md-content"><article class="md-content__inner md-typeset">
{parts}
</article></div></div></main></div>
</body>
</html>
"""
TITLE = """\
<section class="title"><h1>{name}</h1><p class="answer">{words}</p>
<p class="small">{online}Code computed every number, and drew every figure.<br>
Text and figures: CC BY 4.0. Code: MIT.</p></section>
"""
RUNNING = "@page {0} {{ @top-right {{ content: {1} }} }}\n#{0} {{ page: {0} }}\n"
NOTES = """\
<section id="links" data-title="Links"><h1>Where do the links lead?</h1>
<p>The small numbers in the text are those of this list.</p><ol class="notes">{}</ol></section>
"""
# The pages of what is linked to, put where they are missing.
NUMBER = """pages => document.querySelectorAll('[data-to]').forEach(place => {
    place.textContent = pages[place.dataset.to] ?? ''
})"""
ANY = "000"  # before they are known
ROUNDS = 6  # in which the numbers have to come to rest


def write_book(browser: Browser, site: Path, to: Path) -> None:
    """Print a built site. A RuntimeError says that the page numbers do not come to rest."""
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch, "book.html")
        made.write_text(book(site), "utf-8")
        page = browser.new_page()
        page.goto(made.as_uri())
        page.evaluate("document.fonts.ready")
        pages: dict[str, int] = {}
        for _ in range(ROUNDS):
            printed = page.pdf(outline=True, tagged=True, prefer_css_page_size=True)
            if pages == (pages := pages_in(printed)):
                break
            page.evaluate(NUMBER, pages)
        else:
            raise RuntimeError(f"{to.name}: page numbers still move after {ROUNDS} rounds")
        page.close()
    to.write_bytes(DATE.sub(b"19800101000000", printed))


def pages_in(printed: bytes) -> dict[str, int]:
    """Tell on which page everything is that a link leads to, counted from 1."""
    reader = PdfReader(BytesIO(printed))
    found = reader.named_destinations.items()
    return {
        unquote(name).lstrip("/"): reader.get_destination_page_number(at) + 1 for name, at in found
    }


def book(site: Path) -> str:
    """Put all pages of a built site into one, with a title page and a list of contents."""
    front = (site / "index.html").read_text("utf-8")
    listed = (site / "llms.txt").read_text("utf-8")
    name, words = re.findall(r"^[#>] (.+)", listed, re.MULTILINE)[:2]
    online = (CANONICAL.findall(front) or [""])[0]
    found = {m["address"].removeprefix(online): m["title"] for m in LISTED.finditer(listed)}
    titles = {"" if at == "index" else f"{at}/": title for at, title in found.items()}
    notes: dict[str, int] = {}
    chapters = [chapter(site, address, titles, online, notes) for address in titles]
    chapters.append(links(notes))
    shown = f'<a href="{online}">{online}</a><br>\n' if online else ""
    parts = [TITLE.format(name=name, words=words, online=shown), contents(chapters), *chapters]
    style = Path(__file__).with_name("book.css").read_text("utf-8")
    style += "".join(RUNNING.format(each["id"], quoted(each["data-title"])) for each in chapters)
    sheets = re.findall(r'<link rel="stylesheet" href="([^"]+)">', front)
    return BOOK.format(
        name=name,
        sheets="\n".join(SHEET.format((site / sheet).resolve().as_uri()) for sheet in sheets),
        style=style,
        parts="\n".join(map(str, parts)),
    )


def chapter(
    site: Path, address: str, titles: Mapping[str, str], online: str, notes: dict[str, int]
) -> Any:
    """Give a page as a section, its ids with the page's own before them, its links as `notes`."""
    html = (site / address / "index.html").read_text("utf-8")
    html = re.sub("</?noscript>", "", html[html.index("<article") : html.index("</article>")])
    soup = BeautifulSoup(html, "html.parser")
    part = soup.article
    part.name, part.attrs = "section", {"id": place(address), "data-title": titles[address]}
    for element in part.select(IDLE):
        element.decompose()
    for fold in part.select("details"):  # which no browser breaks in two
        fold.name, fold.summary.name = "div", "p"
        fold["class"] = "unfolded"
    for element in part.select("[id]"):
        if not element.find_parent("svg"):
            element["id"] = place(address, element["id"])
    for link in part.select("a[href]"):
        path, _, anchor = link["href"].partition("#")
        leads_to = urljoin(f"/{address}", path.partition("?")[0]).lstrip("/")
        if re.match("https?:", path) or leads_to not in titles:
            link["href"] = href = urljoin(f"{online}{address}", link["href"])
            if not href.startswith("http"):  # a file beside the pages, whose address is not known
                link.unwrap()
            elif not ADDRESS.match(link.get_text()):
                number = notes.setdefault(href, len(notes) + 1)
                link.insert_after(mark(soup, "note", str(number)))
            continue
        anchor = unquote(anchor)
        if anchor.startswith("verdict-"):
            leads_to, anchor = "claims/", anchor.removeprefix("verdict-")
        link["href"] = f"#{place(leads_to, anchor)}"
        if not link.get("class"):
            link.insert_after(mark(soup, "at", ANY, link["href"][1:]))
    return part


def links(notes: Iterable[str]) -> Any:
    """List the addresses that notes lead to."""
    lines = "".join(f'<li><a href="{escape(each)}">{escape(each)}</a></li>' for each in notes)
    return BeautifulSoup(NOTES.format(lines), "html.parser").section


def quoted(text: str) -> str:
    """Write a text as a string of a stylesheet."""
    return '"{}"'.format(text.replace("\\", r"\\").replace('"', r"\""))


def place(address: str, anchor: str = "") -> str:
    """Name a place of the book: a page, and what had an id on it."""
    return ".".join(filter(None, ((address.strip("/") or "index").replace("/", "-"), anchor)))


def mark(soup: Any, kind: str, words: str, to: str = "") -> Any:
    """Make what stands behind a link: the number of a note, or the page that it leads to."""
    made = soup.new_tag("span", attrs={"class": kind} | ({"data-to": to} if to else {}))
    made.string = words
    return made


def contents(chapters: Iterable[Any]) -> str:
    """List the chapters and their sections, with their pages."""
    lines = []
    for each in chapters:
        sections = [] if each["id"].startswith("labs-") else each.select("h2[id]")
        inside = "".join(line(h2["id"], h2.decode_contents()) for h2 in sections)
        lines.append(line(each["id"], each["data-title"], f"<ol>{inside}</ol>"))
    return f'<section class="contents"><h1>Contents</h1><ol>{"".join(lines)}</ol></section>'


def line(to: str, title: str, inside: str = "") -> str:
    """Write a line of the contents, and what stands below it."""
    page = f'<span class="dots"></span><span data-to="{to}">{ANY}</span>'
    return f'<li><a href="#{to}"><span>{title}</span>{page}</a>{inside}</li>'
