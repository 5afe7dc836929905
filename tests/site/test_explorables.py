"""What can be dragged shows the numbers of the snippets.

Each explorable is set to a grid of states, and what it then shows is read from the page: its words
to the last digit that they print, its drawings to half a thousandth of their height. A script with
a wrong formula, put in its place on the way to the browser, fails the same comparison (make long).
What each has to show: explorables/, a module for each. How they are used: test_dragging.py.
"""

from importlib import import_module
from urllib.parse import urlsplit

import pytest

from tests.site.browser import BASE
from tests.site.explorables import CALM, PAGE

CHECKS = {name: import_module(f"tests.site.explorables.{name}") for name in PAGE}
WRONG = [(name, *pair) for name, check in CHECKS.items() for pair in check.WRONG]


@pytest.mark.parametrize("name", PAGE)
def test_it_shows_what_was_computed(visit, snippet, module, name):
    page = visit(BASE + PAGE[name], **CALM).page
    assert [*CHECKS[name].differences(page, snippet, module)] == []


@pytest.mark.long
@pytest.mark.parametrize(("name", "old", "new"), WRONG)
def test_a_wrong_formula_shows(visit, snippet, module, name, old, new):
    page, altered = visit("/nowhere", **CALM).page, []

    def alter(route):
        text = route.fetch().text()
        altered.extend([old] * text.count(old))
        route.fulfill(body=text.replace(old, new), content_type="text/javascript")

    for script in (f"why-{name}", "explorable"):
        page.route(f"**/{script}.js", alter)
    page.goto(urlsplit(page.url)._replace(path=BASE + PAGE[name]).geturl())
    assert any(CHECKS[name].differences(page, snippet, module))
    assert altered
