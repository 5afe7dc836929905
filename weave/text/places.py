"""Where some words stand: in which sentences of which page, or near which."""

import re
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import NamedTuple

from weave.run.assertions import Assertion
from weave.text.sentences import VALUE, Sentence, in_words


class Text(NamedTuple):
    """A page, or a snippet's caption and text alternative."""

    name: str  # below the root
    source: str
    sentences: list[Sentence]


def matches(words: str, text: Text) -> list[int]:
    """Tell in which sentences some words stand; an ellipsis stands for what lies between."""
    parts = parts_of(words)

    def stand(sentence: str) -> bool:
        at = 0
        for part in parts:
            at = sentence.find(part, at)
            if at < 0:
                return False
            at += len(part) - 1
        return True

    return [number for number, each in enumerate(text.sentences) if stand(each.words)]


@cache
def parts_of(words: str) -> list[str]:
    """Give the runs of words between the ellipses of a message."""
    parts = [in_words(part) for part in words.replace("...", "…").split("…")]
    return [part for part in parts if part.strip()]


def place_of(
    assertion: Assertion, at: list[tuple[Text, int]], texts: list[Text], home: str, line: int
) -> tuple[str, int, str]:
    """Give the page and the line of an assertion's words, or of what is nearest to them."""
    if not at:
        return nearest(assertion.words, texts, home, line)
    text, number = at[0]
    if text.name.startswith("docs/"):
        return Path(text.name).stem, text.sentences[number].line, ""
    return home, line, ""


def nearest(words: str, texts: list[Text], home: str, line: int) -> tuple[str, int, str]:
    """Find the sentence that shares most with some words: its page, its line, and what it says."""
    wanted = in_words(words)

    def shared(pair: tuple[Text, Sentence]) -> float:
        blocks = SequenceMatcher(None, wanted.split(), pair[1].words.split()).get_matching_blocks()
        weight = 2 if pair[0].name == f"docs/{home}.md" else 1  # most often it stood there
        return weight * sum(block.size**2 for block in blocks)

    every = [(text, sentence) for text in texts for sentence in text.sentences]
    text, sentence = max(every, key=shared, default=(None, None))
    if not text or not sentence or not shared((text, sentence)):
        return home, line, ""
    said = " ".join(VALUE.sub("…", sentence.text).split())
    near = f"; near is '{said[:160]}'"
    if text.name.startswith("docs/"):
        return Path(text.name).stem, sentence.line, near
    return home, line, f"{near}, in {text.name}"


def shown_at(page: Text, name: str) -> int:
    """Give the line of a page where a snippet's figure stands, or 0."""
    found = re.search(rf"^[ \t]*:::[^\n]*\b{re.escape(name)}\b", page.source, re.MULTILINE)
    return page.source.count("\n", 0, found.start()) + 1 if found else 0
