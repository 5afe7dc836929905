"""The path of a stroke, in as few letters as the eye allows: a chapter has eight hundred."""

import re

SEGMENT = re.compile(r"([A-Zz])([^A-Zz]*)")
NUMBER = re.compile(r"-?\d*\.?\d+")
LEADING_ZERO = re.compile(r"(?<![\d.])0(?=\.)")
FINE = 0.5  # tenths of a point: what lies no farther from a straight line is on it

Point = tuple[float, ...]  # x and y in tenths of a point; of a curve, those of its handles before


def shorten(path: str) -> str:
    """Write a path (of absolute M, L, Q, C and z) with steps from point to point, and fewer."""
    segments: list[tuple[str, list[Point]]] = []
    for letter, numbers in SEGMENT.findall(path):
        point = tuple(10 * float(number) for number in NUMBER.findall(numbers))
        if letter == "L" and segments and segments[-1][0] == "L":
            segments[-1][1].append(point)
        else:
            segments.append((letter, [point]))

    words: list[str] = []
    here, start = (0, 0), (0, 0)  # in whole tenths, so that the roundings of steps do not add up
    before: Point = here
    for letter, points in segments:
        for point in thinned([before, *points])[1:] if letter == "L" else points:
            places = [round(number) for number in point]
            words += step(letter, [place - here[axis % 2] for axis, place in enumerate(places)])
            here = (places[-2], places[-1]) if point else start
            before = point[-2:] or start
        start = here if letter == "M" else start
    return joined(words)


def thinned(points: list[Point]) -> list[Point]:
    """Leave out the points of a line that lie on a straight one (Douglas and Peucker 1973)."""
    needed = {0, len(points) - 1}
    parts = [(0, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        off = {at: away(points[at], points[first], points[last]) for at in range(first + 1, last)}
        farthest = max(off, key=off.__getitem__, default=first)
        if off.get(farthest, 0) > FINE:
            needed.add(farthest)
            parts += [(first, farthest), (farthest, last)]
    return [points[at] for at in sorted(needed)]


def away(point: Point, start: Point, end: Point) -> float:
    """Give the distance of a point from the stroke between two others."""
    (x, y), (along_x, along_y) = ((to[0] - start[0], to[1] - start[1]) for to in (point, end))
    square = along_x**2 + along_y**2
    share = min(max((x * along_x + y * along_y) / square, 0), 1) if square else 0
    return float(((x - share * along_x) ** 2 + (y - share * along_y) ** 2) ** 0.5)


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
