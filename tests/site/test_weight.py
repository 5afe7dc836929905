"""No page is heavier than bench/weigh.py allows, in bytes and elements, which are exact."""

import pytest

from bench.weigh import LIMITS, OTHERS, Limit, file_of, kilobytes
from tests.site.browser import ADDRESSES, BASE, settle


def is_beyond(weight: float, elements: int, limit: Limit) -> bool:
    return weight > limit.kilobytes or elements > limit.elements


@pytest.mark.parametrize("path", ADDRESSES, ids=lambda path: path or "index")
def test_a_page_keeps_its_budget(visit, site, path):
    tab = visit(BASE + path)
    tab.page.wait_for_load_state("networkidle")
    settle(tab.page)
    weights = kilobytes(file_of(site, url, BASE) for url in tab.requests)
    elements = tab.page.locator("*").count()
    assert weights["fonts"] > 20  # what is served is counted
    assert weights["scripts"] > 30
    assert not is_beyond(sum(weights.values()), elements, LIMITS.get(path, OTHERS)), weights


def test_what_is_too_heavy_is_noticed():
    assert is_beyond(151, 1, Limit(150, 6000))
    assert is_beyond(1, 6001, Limit(150, 6000))
    assert not is_beyond(150, 6000, Limit(150, 6000))


def test_bytes_are_those_on_the_line(tmp_path):
    (tmp_path / "index.html").write_text("same " * 1000)
    (tmp_path / "a.woff2").write_bytes(bytes(5000))
    found = kilobytes(
        file_of(tmp_path, f"http://x/why/{name}", "/why/") for name in ("", "a.woff2")
    )
    assert found["page"] < 0.1
    assert found["fonts"] == 5
