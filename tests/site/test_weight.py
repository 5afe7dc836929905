"""No page is heavier than bench/weigh.py allows, in bytes, which are exact."""

import pytest

from bench.weigh import KILOBYTES, file_of, kilobytes
from tests.site.browser import ADDRESSES, BASE, settle


@pytest.mark.parametrize("path", ADDRESSES, ids=lambda path: path or "index")
def test_a_page_keeps_its_budget(visit, site, path):
    tab = visit(BASE + path)
    tab.page.wait_for_load_state("networkidle")
    settle(tab.page)
    weights = kilobytes(file_of(site, url, BASE) for url in tab.requests)
    assert weights["fonts"] > 20  # what is served is counted
    assert weights["scripts"] > 30
    assert sum(weights.values()) < KILOBYTES, weights


def test_search_is_not_part_of_a_first_visit(visit, site):
    """Its index weighs as much as two chapters: with it, a page would be too heavy."""
    tab = visit(BASE + "saturation/")
    tab.page.wait_for_load_state("networkidle")
    assert not any("/search/" in url for url in tab.requests)
    tab.page.keyboard.press("/")
    tab.page.wait_for_load_state("networkidle")
    weights = kilobytes(file_of(site, url, BASE) for url in tab.requests)
    assert sum(weights.values()) > KILOBYTES


def test_bytes_are_those_on_the_line(tmp_path):
    (tmp_path / "index.html").write_text("same " * 1000)
    (tmp_path / "a.woff2").write_bytes(bytes(5000))
    found = kilobytes(
        file_of(tmp_path, f"http://x/why/{name}", "/why/") for name in ("", "a.woff2")
    )
    assert found["page"] < 0.1
    assert found["fonts"] == 5
