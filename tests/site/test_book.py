"""The book: its contents tell where things are, no page is empty, nothing is missing."""

import re
from html import unescape
from itertools import pairwise
from unicodedata import normalize

import pytest
from pypdf import PdfReader

from editions.book import write_book
from tests.site.browser import ADDRESSES

pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def reader(once, site, browser):
    """Print the book."""

    def fill(folder):
        folder.mkdir()
        write_book(browser, site, folder / "why.pdf")

    return PdfReader(once("book", fill) / "why.pdf")


@pytest.fixture(scope="session")
def texts(reader):
    """Give the text of each page, without spaces."""
    return [flat(page.extract_text()) for page in reader.pages]


def flat(text):
    """Write a text without spaces, and as letters what is letters in another font."""
    return re.sub(r"[\s\u2061-\u2064]", "", normalize("NFKC", text))


@pytest.fixture(scope="session")
def headings(reader):
    """Give level, words and page of all headings behind the contents, as the PDF has them."""

    def below(outline, level=1):
        for each in outline:
            if isinstance(each, list):
                yield from below(each, level + 1)
            else:
                yield level, each.title, reader.get_destination_page_number(each) + 1

    return [heading for heading in below(reader.outline) if heading[2] > 1][1:]


def listed(headings):
    """Give the pages of those headings that the contents name: no section of a lab."""
    pages, in_lab = [], False
    for level, words, page in headings:
        in_lab = words.startswith("Lab:") if level == 1 else in_lab
        if level == 1 or (level == 2 and not in_lab):
            pages.append(page)
    return pages


def test_the_contents_tell_where_things_are(reader, headings):
    [first, *_] = listed(headings)
    contents = "\n".join(page.extract_text() for page in reader.pages[1 : first - 1])
    printed = [int(number) for number in re.findall(r"\S (\d+)$", contents, re.MULTILINE)]
    assert printed == listed(headings)
    assert printed != listed([(*rest, page + 1) for *rest, page in headings])
    assert len(printed) > 50


def test_every_page_of_the_site_begins_on_a_page_of_its_own(headings):
    chapters = [page for level, _, page in headings if level == 1]
    assert len(chapters) == len(ADDRESSES) + 1  # and where the links lead
    assert all(one < other for one, other in pairwise(chapters))


def test_no_page_is_almost_empty(texts):
    assert 100 < len(texts) < 300
    sparse = [n for n, text in enumerate(texts, 1) if len(text) < 150 and n > 1]
    assert not sparse


# What has to be read somewhere, and what must not, in this form.
FORMULAS = ["Var(q⋅k)=d.", "softmax(", "𝔼[S2]=tr(ΣqΣk)+tr(C2)+(trC)2"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas_can_be_read(texts, formula):
    whole = "".join(texts)
    assert flat(formula) in whole
    assert flat(formula.replace("(", "[", 1)) not in whole


def test_links_are_notes(site, texts):
    """Their addresses can be read, in a note or, of papers, by the number in the reference."""
    html = "".join(page.read_text("utf-8") for page in site.glob("*/index.html"))
    articles = "".join(re.findall(r"<article.*?</article>", html, re.DOTALL))
    links = set(re.findall(r'<a href="https?://(?!127)([^"]+)"', articles))
    whole = "".join(texts)
    read = {re.sub(r"^(arxiv\.org/abs|(dx\.)?doi\.org)/", "", unescape(link)) for link in links}
    assert len(links) > 50
    assert [link for link in read if flat(link) not in whole] == []
    assert "github.com/google-research/text-to-text-transfer-transformer/nowhere" not in whole


def test_a_link_tells_its_page(texts, headings):
    """The first page of the first chapter leads to a proof, whose heading is where it says."""
    [at] = [page for _, words, page in headings if words.startswith("The square, term by term")]
    assert any(f"theproof(p.{at})" in text for text in texts)
    assert not any(f"theproof(p.{at + 1})" in text for text in texts)
