"""axe finds nothing on any page: whole, with its folds open, in both palettes, wide and narrow.

`test_every_page.py` asks the same of thinned pages, in a fraction of the time.
"""

import pytest

from tests.site.accessibility import breaks_accessibility_rules, lacks_contrast, unfold
from tests.site.browser import BASE, PAGES, PHONE, WIDE, settle

pytestmark = pytest.mark.long

# What depends on colours is asked in both palettes.
ASKED = [
    (WIDE, "light", breaks_accessibility_rules),
    (WIDE, "dark", lacks_contrast),
    (PHONE, "dark", breaks_accessibility_rules),
    (PHONE, "light", lacks_contrast),
]


def found(tab) -> list[str]:
    """What axe finds, however the page is shown."""
    unfold(tab)
    problems = []
    for size, palette, ask in ASKED:
        tab.page.set_viewport_size(size)
        tab.page.emulate_media(color_scheme=palette)
        settle(tab.page)
        problems += [f"{size['width']} px, {palette}: {each}" for each in ask(tab)]
    return problems


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "index")
def test_a_whole_page_breaks_no_rule(visit, path):
    assert found(visit(BASE + path)) == []


def test_what_is_wrong_is_found_however_it_is_shown(visit):
    problems = found(visit("/bad.html"))
    for size, palette, _ in ASKED:
        assert any(each.startswith(f"{size['width']} px, {palette}: ") for each in problems)
