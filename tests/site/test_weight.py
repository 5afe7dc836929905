"""No page is heavier than bench/weigh.py allows, in bytes, which are exact.

The heaviest pages, which would be too heavy first, and one of each other kind stand for all; the
others are for `make long`.
"""

import pytest

from bench.weigh import KILOBYTES, file_of, kilobytes
from tests.site.browser import ADDRESSES, BASE, settle, wait_until_quiet

QUICK = {"", "claims/", "saturation/", "growth/", "theorem/", "questions-code/", "labs/variance/"}
EACH_PAGE = [
    pytest.param(path, id=path or "index", marks=[] if path in QUICK else pytest.mark.long)
    for path in ADDRESSES
]


@pytest.mark.parametrize("path", EACH_PAGE)
def test_a_page_keeps_its_budget(visit, site, path):
    tab = visit(BASE + path)
    wait_until_quiet(tab)
    settle(tab.page)
    weights = kilobytes(file_of(site, url, BASE) for url in tab.requests)
    assert weights["fonts"] > 20  # what is served is counted
    assert weights["scripts"] > 30
    assert sum(weights.values()) < KILOBYTES, weights
