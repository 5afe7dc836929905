"""The path of a stroke, in as few letters as the eye allows: a chapter has eight hundred."""

import re

SEGMENT = re.compile(r"([A-Zz])([^A-Zz]*)")
NUMBER = re.compile(r"-?\d*\.?\d+")
LEADING_ZERO = re.compile(r"(?<![\d.])0(?=\.)")


def shorten(path: str) -> str:
    """Write a path (of absolute M, L, Q, C and z) with steps from point to point."""
    words: list[str] = []
    here = start = (0, 0)  # in whole tenths, so that the roundings of steps do not add up
    for letter, numbers in SEGMENT.findall(path):
        places = [round(10 * float(number)) for number in NUMBER.findall(numbers)]
        by = [place - here[axis % 2] for axis, place in enumerate(places)]
        if letter != "L" or any(by):
            words += step(letter, by)
        here = (places[-2], places[-1]) if places else start
        start = here if letter == "M" else start
    return joined(words)


def step(letter: str, by: list[int]) -> list[str]:
    """Give the letter and the numbers of a step, in points."""
    if letter == "L" and 0 in by:
        letter, by = ("h", by[:1]) if by[1] == 0 else ("v", by[1:])
    numbers = [f"{number / 10:g}" for number in by]
    return [letter.lower(), *(LEADING_ZERO.sub("", number) for number in numbers)]


def joined(words: list[str]) -> str:
    """Join letters and numbers with nothing between them that can be left out."""
    path, before = "", ""
    for word in words:
        if word.isalpha():
            if word == before and word != "m":
                continue
            path, before = path + word, word
        else:
            path += word if path[-1].isalpha() or word[0] == "-" else f" {word}"
    return path
