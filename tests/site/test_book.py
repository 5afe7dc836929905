"""The book: its contents tell where things are, no page is empty, nothing is missing."""

import re
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
