"""Notes to an author, on sentences that are not on the main branch: what no code holds in them.

`weave/text/prose.py` says what that is. A note is no mistake and stops nothing. What others have
written is not noted; so where there is no git, nothing is.
"""

import logging
from collections.abc import Iterable, Iterator
from itertools import groupby
from subprocess import CalledProcessError

from weave.basics.changes import texts_before
from weave.basics.log import log
from weave.project import Project
from weave.text.prose import Judged, Statement, note_on
from weave.text.sentences import NO_TEXT, in_words

MANY = 6  # notes on a page, of which only some are said whole
WHOLE = 4


class Notes:
    """What an author has been told since the server was started, or the build.

    Attributes:
        seen: the sentences that were there at an earlier build, by their file and their words.
    """

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()

    def say(self, project: Project) -> None:
        """Say the notes on sentences that are new since the last build.

        Args:
            project: has been refreshed.
        """
        if not log.isEnabledFor(logging.INFO) or project.pending:
            return  # what is still to be run may hold the words
        judged: Judged = project.look_up("judged")
        fresh = [each for each in judged.statements if sign(each) not in self.seen]
        if not fresh:  # git takes a while
            return
        try:
            ours = [*of_the_author(project, fresh)]
        except (OSError, CalledProcessError):
            return
        self.seen.update(map(sign, fresh))
        notes = []
        for statement in ours:
            if note := note_on(judged.texts, statement):
                notes.append((statement.page, statement.line, note))
        notes.sort(key=lambda note: note[:2])
        for page, on_page in groupby(notes, key=lambda note: note[0]):
            for line, note in in_short([(line, note) for _, line, note in on_page]):
                log.info("docs/%s.md:%d: note: %s", page, line, note)


def sign(statement: Statement) -> tuple[str, str]:
    """Tell a sentence from others, wherever its lines stand by now."""
    return statement.file, statement.sentence.words


def of_the_author(project: Project, statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield those whose words their file on the main branch does not have.

    Raises:
        OSError, CalledProcessError: there is no git, or it refuses.
    """
    texts = texts_before(project.root, {each.file for each in statements})
    before = {file: in_words(NO_TEXT.sub(" ", text)) for file, text in texts.items()}
    for each in statements:
        if each.file in before and each.sentence.words not in before[each.file]:
            yield each


def in_short(notes: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Give the notes on a page; of many the first, and the lines of the rest."""
    if len(notes) < MANY:
        return notes
    rest = notes[WHOLE:]
    lines = [*dict.fromkeys(line for line, _ in rest)]
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"
    return [*notes[:WHOLE], (lines[0], f"{len(rest)} more sentences such as these, in {where}")]
