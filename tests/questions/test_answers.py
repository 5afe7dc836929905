"""The answers themselves: their form, and the list on top."""

import re
from itertools import islice

import pytest

from tests.conftest import PROJECT

PAGE = PROJECT.root / "docs/questions.md"


def lacks(entry):
    """Name what an answer should have and has not. An entry is what follows `### `."""
    parts = re.split(r"\n\n+", entry.partition("\n## ")[0].strip())
    answer, more = parts[1], parts[-1]
    sentences = re.sub(r"\$[^$]*\$|\{=[^}]*\}|`[^`]*`", "x", answer)
    has = {
        "an anchor": re.search(r"\{#[\w-]+\}$", parts[0]),
        "two to five sentences": 2 <= len(re.findall(r"[.?](?=\s|$)", sentences)) <= 5,
        "a computed number": "{=" in answer,
        "a link to the argument": re.search(r"\]\(\w+\.md#", more),
        "a source": re.search(r"\[@|https://", more),
    }
    return [name for name, found in has.items() if not found]


def test_every_answer_is_short_computed_linked_and_cited():
    _, *entries = PAGE.read_text("utf-8").split("\n### ")
    assert len(entries) > 30
    assert {entry.splitlines()[0]: lacks(entry) for entry in entries if lacks(entry)} == {}
    assert lacks("Why?\n\nYes.\n\nNo link.\n") == [
        "an anchor",
        "two to five sentences",
        "a computed number",
        "a link to the argument",
        "a source",
    ]


def listed(page):
    """Give the anchors in the list on top, groups and questions, in order."""
    return re.findall(r"\]\(#([\w-]+)\)", page.split("\n## ")[0])


def anchors(page):
    """Give the anchors of the headings below it, in order."""
    headings = re.findall(r"^##+ (.+?)(?: \{#([\w-]+)\})?$", page, re.MULTILINE)
    return [anchor or re.sub(r"\W+", "-", title.lower()) for title, anchor in headings]


def misplaced(page):
    """Name what the list on top lacks, has too much, or else the first that is out of order."""
    on_top, below = listed(page), anchors(page)
    found = [f"the list on top lacks (#{each})" for each in below if each not in on_top]
    found += [f"no heading has (#{each})" for each in on_top if each not in below]
    pairs = zip(on_top, below, strict=False)
    swapped = (f"(#{one}) is listed where (#{other}) comes" for one, other in pairs if one != other)
    return found or [*islice(swapped, 1)]


def test_the_list_on_top_leads_to_every_question():
    page = PAGE.read_text("utf-8")
    assert misplaced(page) == []
    assert len(set(anchors(page))) == len(listed(page)) == len(anchors(page)) > 50


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    [
        ("\n## In code", "\n### New? {#new}\n\n## In code", "the list on top lacks (#new)"),
        ("[MLA](#mla)", "[MLA](#mla) [a](#more)", "no heading has (#more)"),
        (
            "(#models)**: [DeBERTa](#deberta)",
            "(#deberta)**: [a](#models)",
            "(#deberta) is listed where (#models) comes",
        ),
    ],
)
def test_what_the_list_on_top_lacks_or_misplaces_is_named(old, new, flaw):
    page = PAGE.read_text("utf-8")
    assert page.count(old) == 1
    assert misplaced(page.replace(old, new)) == [flaw]
