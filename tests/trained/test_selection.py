"""Attended pairs against the null model, from the stored tables by other code."""

from statistics import median

import numpy as np
from scipy.stats import binom

from tests.trained.tables import column, head_names, rows


def test_groups_of_heads(snippet):
    page = snippet("trained/selection")
    heads = rows("heads.csv")
    C, null = (column("terms.csv", "C", pairs=kind) for kind in ("attended", "null"))
    limits = {"below 1": (0, 1), "1 to 1.5": (1, 1.5), "above 1.5": (1.5, np.inf)}
    for group, (low, high) in limits.items():
        own = [i for i, row in enumerate(heads) if low <= float(row["row_sd_content"]) < high]
        assert page.count[group] == len(own)
        assert page.real[group] == median(C[i] for i in own)
        assert page.chance[group] == median(null[i] for i in own)
        above = sum(C[i] > float(heads[i]["largest_null"]) for i in own)
        assert page.above_all[group] == above
        # Among twelve that are alike each is the highest in a twelfth of the heads.
        assert binom.sf(above - 1, len(own), 1 / page.in_layer) < 0.05
    assert page.in_layer == len(rows("heads.csv", layer="3"))
    assert page.by_chance == page.count["below 1"] / 12
    assert (page.sharp, page.sharp_by_chance) == (page.real["above 1.5"], page.chance["above 1.5"])


def test_heads_that_stand_out(snippet):
    page, names = snippet("trained/selection"), head_names()
    C, null = (column("terms.csv", "C", pairs=kind) for kind in ("attended", "null"))
    excess = {name: a - b for name, a, b in zip(names, C, null, strict=True)}
    order = sorted(excess, key=excess.get)
    assert [*page.above, *page.below] == [order[-1], order[-2], order[1], order[0]]
    before, after, marks = (column("heads.csv", what) for what in ("previous", "next", "special"))
    assert page.previous == names[before.index(max(before))]
    assert (page.following, page.to_next) == (names[after.index(max(after))], max(after))
    assert (page.special, page.to_special) == (names[marks.index(max(marks))], max(marks))
    assert page.in_median == median(marks)
