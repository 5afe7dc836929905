"""Notes on comparisons are said once, and again only of a line that has changed."""

import logging

import pytest

SENTENCES = ["It is larger, {= line.slope }.", "A twice as large one, {= line.slope }.", "It is."]


@pytest.fixture
def notes(project):
    """Build a chapter of these lines, and give the notes on it."""
    project.snippet("slope = 1.5")
    project.level = logging.INFO

    def build(lines: list[str]) -> list[str]:
        said = project.build("# T\n\n" + "\n\n".join(lines) + "\n").warnings
        return [line for line in said if "note: " in line]

    return build


def test_a_note_is_said_once(notes):
    first = notes(SENTENCES)
    assert [line.partition(": ")[0] for line in first] == ["docs/chapter.md:3", "docs/chapter.md:5"]
    assert notes(SENTENCES) == []
    assert notes(["Some more words.", *SENTENCES]) == []  # two lines further down


def test_a_line_that_has_changed_is_noted_and_no_other(notes):
    notes(SENTENCES)
    changed = [SENTENCES[0].replace("It is", "This one is"), *SENTENCES[1:]]
    (note,) = notes(changed)
    assert note.startswith("docs/chapter.md:3: note: 'larger' compares")


def test_a_mistake_beside_them_does_not_bring_them_back(notes):
    notes(SENTENCES)
    for _ in range(2):
        assert notes([*SENTENCES, "{= line.slop }"]) == []


def test_of_many_only_the_lines_are_named(notes):
    many = [f"Line {number} is larger, {{= line.slope }}." for number in ("one", "two", "three")]
    assert notes([*many, *SENTENCES[:1], *SENTENCES[:1]]) == [
        "docs/chapter.md:3: note: 4 comparisons that no assertion has, in lines 3, 5, 7, 9"
    ]
