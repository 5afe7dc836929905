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
    (x, y), (to_x, to_y) = points[0], points[-1]
    across = max(((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5, 1e-9)

    def away(number: int) -> float:
        at_x, at_y = points[number]
        if points[0] == points[-1]:
            return float(((at_x - x) ** 2 + (at_y - y) ** 2) ** 0.5)
        along = ((at_x - x) * (to_x - x) + (at_y - y) * (to_y - y)) / across**2
        beyond = max(-along, along - 1, 0) * across
        off = abs((at_x - x) * (to_y - y) - (at_y - y) * (to_x - x)) / across
        return float(max(off, beyond))

    farthest = max(range(1, len(points) - 1), key=away, default=0)
    if not farthest or away(farthest) <= FINE:
        return [points[0], points[-1]]
    return thinned(points[: farthest + 1])[:-1] + thinned(points[farthest:])


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
