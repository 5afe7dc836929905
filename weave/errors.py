"""The one error that an author sees: where it is, what is wrong, and what is near."""

from collections.abc import Iterable
from difflib import get_close_matches


class WeaveError(Exception):
    """A mistake in a page or a snippet, worded for the person who will mend it.

    The line is one of the text that was handed over, counted from 0, where it is known.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Say which known words are near, or list them all where none is."""
    words = sorted(str(name) for name in known)
    near = get_close_matches(str(word), words, n=1, cutoff=0.5)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; there is {', '.join(words)}" if words else ""
