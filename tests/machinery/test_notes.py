"""Notes are of sentences that the main branch lacks: what they state and no code holds."""

import logging

import pytest

from tests.machinery.test_changes import commit, repository  # noqa: F401 (a fixture)
from weave.basics.changes import git
from weave.basics.log import log
from weave.engines.notes import Notes
from weave.project import Project

OLD = "It is larger. At 9 it is 3.7 times as large."
FALSE = (
    "At 256 dimensions the spread is 3.7 times as large as at 64, and the curve is half as wide."
)
LACKS = "no code knows 3.7 and no assertion has 'times as', 'half as'; quote what code computes, "


@pytest.fixture
def notes(project, repository):  # noqa: F811
    """Build a chapter whose main branch says OLD, and give the notes on it."""
    project.snippet("slope = 1.5\ndims = [64, 256]", says='assert slope > 1, "all others are less"')
    project.level = logging.INFO
    page = "# T\n\n::: chapter/line\n\nAnd all others are less.\n\n{}\n"

    def build(*paragraphs: str) -> list[str]:
        said = project.build(page.format("\n\n".join(paragraphs)), strict=True).warnings
        return [line for line in said if "note: " in line]

    project.build(page.format(OLD))
    commit(project.root)
    return build


def test_only_new_sentences_are_noted_committed_or_not_at_every_build(notes, project):
    assert notes(OLD) == []
    git(project.root, "checkout", "--quiet", "-b", "mine")
    said = notes("New.", f"{OLD} {FALSE}")
    assert len(said) == 1
    assert said[0].startswith(f"docs/chapter.md:9: note: '{FALSE}': {LACKS}")
    commit(project.root)
    assert notes("New.", f"{OLD} {FALSE}") == said


def test_a_caption_is_noted_where_its_figure_stands(notes, project):
    script = project.root / "snippets/chapter/line.py"
    script.write_text(script.read_text().replace("through", "wider than"))
    (note,) = notes(OLD)
    assert note.startswith("docs/chapter.md:3: note: snippets/chapter/line.py:1: 'A line wider")


CAUSES = {
    "Of 7 it has most.": "no code knows 7;",
    "The first is larger at $d = 64$.": "no assertion has 'larger';",
    "It is {= chapter/line.slope }, more than the other.": "no assertion has 'more';",
    "The first is twice the other.": "no assertion has 'twice';",
    "| 7 | 64 |": "no code knows 7;",
    # What code holds, or a choice that it knows.
    "It is {= chapter/line.slope } times as large.": "",
    "Of 64 it has most.": "",
    # No statement of ours on what was computed.
    "## At 7 it is larger {#seven}": "",
    "Is it larger at 7?": "",
    "They [found](https://example.org) 7 and more.": "",
    "See [where 7 is more](chapter.md).": "",
    "As $x > y + 1$, it is larger.": "",
    "1. In 2017, in section 3.2 of a GPT-2 report, by Theorem 7, in bf16, it is two.": "",
    "It is `7 more`, and no longer “larger”.": "",
}


def test_what_is_a_cause_for_a_note(notes, project):
    """Each on a page of its own, which names the chapter's snippet."""
    for number, sentence in enumerate(CAUSES):
        project.file(f"docs/page-{number}.md", f"# T\n\n{sentence}\n\n<!-- chapter/line -->\n")
    said = "\n".join(notes(OLD))
    for number, lacks in enumerate(CAUSES.values()):
        found = [line for line in said.split("\n") if line.startswith(f"docs/page-{number}.md:3: ")]
        assert len(found) == bool(lacks), said
        assert all(lacks in note for note in found)


def test_of_many_the_first_are_said_and_the_lines_of_the_rest(notes):
    many = [f"Line {name} is larger." for name in "abcdef"]
    *first, rest = notes(OLD, *many)
    assert [note[:18] for note in first] == [f"docs/chapter.md:{n}" for n in ("9:", 11, 13, 15)]
    assert rest == "docs/chapter.md:17: note: 2 more sentences such as these, in lines 17, 19"


def test_a_server_says_a_note_once_and_again_if_its_sentence_has_changed(notes, project, caplog):
    notes(OLD, FALSE)
    page, served = project.root / "docs/chapter.md", Notes()

    def save(old: str = "", new: str = "") -> list[str]:
        page.write_text(page.read_text().replace(old, new))
        woven.refresh()
        caplog.clear()
        served.say(woven)
        return [record.getMessage() for record in caplog.records]

    woven = Project(project.root)
    caplog.set_level(logging.INFO, log.name)
    assert len(save()) == 1
    assert save("And all", "Here all") == []
    (note,) = save("3.7 times as large as", "3.8 times as large as")
    assert "no code knows 3.8" in note


def test_without_a_repository_there_are_no_notes(notes, project):
    (project.root / ".git").rename(project.root / "git")
    assert notes(OLD, FALSE) == []
