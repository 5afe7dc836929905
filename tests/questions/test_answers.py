"""The answers themselves: their form, and that the overview leads to each."""

import re

import pytest

from tests.conftest import PROJECT

OVERVIEW = PROJECT.root / "docs/questions.md"
PAGES = sorted(OVERVIEW.parent.glob("questions-*.md"))
HEADING = re.compile(r"^## (?P<words>.*) \{#(?P<id>[\w-]+)\}$", re.MULTILINE)


def lacks(entry):
    """Name what an answer should have and has not. An entry is what follows `## `."""
    parts = re.split(r"\n\n+", entry.strip())
    answer, more = parts[1], parts[-1]
    sentences = re.sub(r"\$[^$]*\$|\{=[^}]*\}|`[^`]*`", "x", answer)
    has = {
        "an anchor": re.search(r"\{#[\w-]+\}$", parts[0]),
        "two to six sentences": 2 <= len(re.findall(r"[.?](?=\s|$)", sentences)) <= 6,
        "a computed number": "{=" in "".join(parts[1:-1]),
        "a link to the argument": re.search(r"\]\([\w-]+\.md#", more),
        "a source": re.search(r"\[@|https://", more) or "have not found" in more,
    }
    return [name for name, found in has.items() if not found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_answer_is_short_computed_linked_and_cited(page):
    _, *entries = page.read_text("utf-8").split("\n## ")
    assert len(entries) > 5
    assert {entry.splitlines()[0]: lacks(entry) for entry in entries if lacks(entry)} == {}


def test_what_an_answer_lacks_is_found():
    assert lacks("Why?\n\nIt is so.\n\nNo link.\n") == [
        "an anchor",
        "two to six sentences",
        "a computed number",
        "a link to the argument",
        "a source",
    ]


def ids():
    """List the addresses of all answers."""
    return [found["id"] for page in PAGES for found in HEADING.finditer(page.read_text("utf-8"))]


def test_the_overview_lists_every_page_and_no_two_answers_have_one_address():
    """What was `questions/#mup` is a link there with that id, to the page that has the answer."""
    listed = re.findall(r"^::: sections ([\w-]+)$", OVERVIEW.read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == [page.stem for page in PAGES]
    assert len(set(ids())) == len(ids()) > 80
