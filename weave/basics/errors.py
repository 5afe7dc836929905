"""The one error that an author sees: where it is, what is wrong, and what is near."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class WeaveError(Exception):
    """A mistake in a page or a snippet, worded for the person who will mend it.

    The line is one of the text that was handed over, counted from 0, where it is known.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Say which known words are near, or list some where none is."""
    words = sorted(str(name) for name in known)
    near = get_close_matches(str(word), words, n=1, cutoff=0.5)
    if near:
        return f"; did you mean '{near[0]}'?"
    some = [*words[:8], f"{len(words) - 8} more"] if len(words) > 9 else words
    return f"; there are {', '.join(some)}" if words else ""


def read_text(path: Path, name: str) -> str:
    """Read a file; a WeaveError names the line that is not UTF-8."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WeaveError(f"{name}:{line}: {error}; save the file as UTF-8") from None
