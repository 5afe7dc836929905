"""What a range says of a variance: heights added up, and the best bound."""

import math

from tests.tolerance import close


def test_heights(snippet):
    page = snippet("variance/heights")
    for name, heights in page.classes.items():
        mean = math.fsum(heights) / len(heights)
        squares = math.fsum((h - mean) ** 2 for h in heights)
        assert close(page.variance[name], squares / len(heights))
        assert not close(page.variance[name], squares / (len(heights) - 1))
        ends = min(heights), max(heights)  # half of all at each: the mean is midway
        assert close(page.bound[name], (ends[1] - sum(ends) / 2) ** 2)
