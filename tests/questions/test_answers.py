"""The answers themselves: their form."""

import re

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


def test_the_list_on_top_has_every_question():
    top, _, below = PAGE.read_text("utf-8").partition("\n## ")
    questions = re.findall(r"^### .* \{#([\w-]+)\}$", below, re.MULTILINE)
    assert len(questions) > 30
    assert [each for each in questions if f"(#{each})" not in top] == []
