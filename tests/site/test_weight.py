"""No page is heavier than bench/weigh.py allows, in bytes, which are exact."""

import pytest

from bench.weigh import KILOBYTES, file_of, kilobytes
from tests.site.browser import ADDRESSES, BASE, settle, wait_until_quiet


@pytest.mark.parametrize("path", ADDRESSES, ids=lambda path: path or "index")
def test_a_page_keeps_its_budget(visit, site, path):
    tab = visit(BASE + path)
    wait_until_quiet(tab)
    settle(tab.page)
    weights = kilobytes(file_of(site, url, BASE) for url in tab.requests)
    assert weights["fonts"] > 20  # what is served is counted
    assert weights["scripts"] > 30
    assert sum(weights.values()) < KILOBYTES, weights
