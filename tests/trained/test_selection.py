"""Attended pairs against the null model, from the stored tables by other code."""

from math import comb
from statistics import median

import numpy as np
import pytest

from tests.trained.tables import column, head_names, rows


def attended_and_null():
    """Give C of each head and of its null model, as shares of the attended mean square."""
    kinds = [rows("terms.csv", pairs=kind) for kind in ("attended", "null")]
    squares = [[float(row["size"]) ** 2 for row in kind] for kind in kinds]
    attended, null = (
        [float(row["C"]) * square for row, square in zip(*pair, strict=True)]
        for pair in zip(kinds, squares, strict=True)
    )
    return tuple([x / y for x, y in zip(C, squares[0], strict=True)] for C in (attended, null))


def test_groups_of_heads(snippet):
    page = snippet("trained/selection")
    heads = rows("heads.csv")
    C, null = attended_and_null()
    limits = {"below 1": (0, 1), "1 to 1.5": (1, 1.5), "above 1.5": (1.5, np.inf)}
    for group, (low, high) in limits.items():
        own = [i for i, row in enumerate(heads) if low <= float(row["row_sd_content"]) < high]
        assert page.count[group] == len(own)
        assert page.real[group] == pytest.approx(median(C[i] for i in own))
        assert page.chance[group] == pytest.approx(median(null[i] for i in own))
        assert page.above_null[group] == sum(C[i] > null[i] for i in own)
    assert page.median == pytest.approx(median(C))
    assert page.by_selection == pytest.approx(median(null))
    assert page.exceed == sum(a > b for a, b in zip(C, null, strict=True))
    # Coins that fall as unevenly, to either side.
    n, heads_up = page.count["above 1.5"], page.above_null["above 1.5"]
    ways = [comb(n, i) for i in range(n + 1) if abs(i - n / 2) >= abs(heads_up - n / 2)]
    assert page.by_coin == pytest.approx(sum(ways) / 2**n)
    assert page.by_coin != pytest.approx(sum(ways) / 2 ** (n + 1)), "one side alone"
    # As a share of its own mean square, which is larger, the null model would seem smaller.
    own_unit = median(column("terms.csv", "C", pairs="null"))
    assert own_unit < page.by_selection - 0.05
    assert (page.sharp, page.sharp_by_chance) == (page.real["above 1.5"], page.chance["above 1.5"])


def test_heads_that_stand_out(snippet):
    page, names = snippet("trained/selection"), head_names()
    C, null = attended_and_null()
    excess = {name: a - b for name, a, b in zip(names, C, null, strict=True)}
    order = sorted(excess, key=excess.get)
    assert [*page.above, *page.below] == [order[-1], order[-2], order[1], order[0]]
    before, after, marks = (column("heads.csv", what) for what in ("previous", "next", "special"))
    assert page.previous == names[before.index(max(before))]
    assert (page.following, page.to_next) == (names[after.index(max(after))], max(after))
    assert (page.special, page.to_special) == (names[marks.index(max(marks))], max(marks))
    assert page.in_median == median(marks)
