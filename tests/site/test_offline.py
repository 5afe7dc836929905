"""The zip, opened from a disk: each link, each page, search."""

from zipfile import ZipFile

import pytest

from editions import offline
from tests.site.browser import PAGES, complains, open_tab, wait_until_quiet
from tests.site.test_links import broken_links

pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def unzipped(once, site):
    """Give the folder that the zip has in it."""

    def fill(folder):
        folder.mkdir()
        offline.write_zip(site, folder / "why.zip")
        ZipFile(folder / "why.zip").extractall(folder)

    return once("offline", fill) / "why"


def test_every_link_leads_to_a_file(unzipped, site):
    assert broken_links(unzipped, serves=False) == []
    assert broken_links(site, serves=False), "a server's links name folders"


@pytest.fixture
def read(browser):
    """Open a page of a folder from the disk."""
    tabs = []

    def opened(folder, path):
        tabs.append(open_tab(browser, f"file://{folder}/", path))
        return tabs[-1]

    yield opened
    for tab in tabs:
        tab.page.context.close()


def search(tab, words):
    """Type something into search, and give the addresses that it finds."""
    tab.page.locator(".md-search__input").fill(words)
    result = tab.page.locator(".md-search-result__link")
    result.first.wait_for(state="attached", timeout=5000)
    return result.evaluate_all("all => all.map(link => link.href)")


@pytest.mark.parametrize("path", [path for path in PAGES if path != "404.html"])
def test_a_page_asks_for_nothing_that_is_not_there(read, unzipped, path):
    tab = read(unzipped, f"{path}index.html")
    tab.page.evaluate("unfoldAll()")
    wait_until_quiet(tab)
    assert complains(tab) == []
    assert tab.page.evaluate("[...document.fonts].some(font => font.status === 'loaded')")
    for asked in tab.requests:
        assert asked.startswith((tab.origin, "data:"))


def test_search_finds_and_its_result_can_be_followed(read, unzipped):
    tab = read(unzipped, "scales/index.html")
    found = search(tab, "sqrt")
    assert any("questions-why/index.html?h=" in link for link in found)
    tab.page.goto(found[0])
    tab.page.wait_for_function("() => CSS.highlights.has('found')")
    assert complains(tab) == []
