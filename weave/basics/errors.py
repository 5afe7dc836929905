"""The one error that an author sees: where it is, what is wrong, and what is near."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

# The three lines that a merge leaves around two versions of a text, for somebody to choose.
CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?=[ ]|$)", re.MULTILINE)


class WeaveError(Exception):
    """A mistake in a page or a snippet, worded for the person who will mend it.

    Args:
        message: what is wrong, and how it is mended.
        line: of the text that was handed over, counted from 0, where it is known.
        place: the file and its line, where the mistake is in a file of its own: it then stands
            before the message. Whoever needs the one without the other has both here.
        by_way_of: the places that led there, the innermost first.
    """

    def __init__(
        self, message: str, line: int = 0, place: str = "", by_way_of: Sequence[str] = ()
    ) -> None:
        self.where = ", in ".join([place, *by_way_of])
        super().__init__(f"{self.where}: {message}" if place else message)
        self.message = message
        self.line = line
        self.place = place
        self.by_way_of = tuple(by_way_of)


class PendingError(WeaveError):
    """What is asked for has not been run yet: no mistake, and what asks for it waits.

    Args:
        name: of the snippet or the lab.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} has not been run yet")
        self.name = name


def did_you_mean(word: object, known: Iterable[object], before: str = "") -> str:
    """End a sentence about a word that is not known, with the one that is meant, perhaps.

    Args:
        word: as it is written.
        known: the words that there are.
        before: what stands before all of them, such as `variance/`, and makes none of them near.

    Returns:
        The known word that is near; or some of them, where none is; or nothing, if there are none.
    """
    words = sorted(str(name) for name in known)
    near = get_close_matches(str(word), words, n=1, cutoff=0.5)
    if near:
        return f"; did you mean '{before}{near[0]}'?"
    if not words:
        return ""
    if len(words) > 9:
        words = [*words[:8], f"{len(words) - 8} more"]
    return f"; there are {', '.join(words)}"


def read_text(path: Path, name: str) -> str:
    """Read a file that somebody has written.

    Args:
        path: the file.
        name: what an error calls it.

    Raises:
        WeaveError: it is not UTF-8, or a merge has left two versions in it. It names the line.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WeaveError(f"{error}; save the file as UTF-8", place=f"{name}:{line}") from None
    if "\0" in text:
        flaw = "it has null characters, as UTF-16 has; save the file as UTF-8"
        raise WeaveError(flaw, place=f"{name}:1")
    refuse_conflict(text, f"{name}:{{}}")
    return text


def refuse_conflict(text: str, place: str) -> None:
    """Raise WeaveError if a merge has left two versions of something in a text.

    Args:
        text: of a file, or of a notebook's cell.
        place: what an error calls a line, with `{}` for its number.
    """
    if conflict := CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        raise WeaveError(
            f"'{conflict[0]}' is left from a merge: keep one of the two versions, or what is right "
            "of both, and take away the three lines around them",
            place=place.format(line),
        )
