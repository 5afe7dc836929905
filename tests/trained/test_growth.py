"""How q·k grew, from the stored tables by other code, and where it started by theory."""

from statistics import median

import numpy as np

from tests.tolerance import close
from tests.trained.tables import PRINTED, column, rows


def test_growth(snippet):
    page = snippet("trained/growth")
    for name in ("growth", *(f"{factor}_growth" for factor in page.names)):
        shown = getattr(page, "larger" if name == "growth" else name.removesuffix("_growth"))
        (row,) = rows("medians.csv", pairs="distinct", what=name)
        assert shown == (page.median[name], page.error[name])
        assert shown == (float(row["median"]), float(row["error"]))
        assert close(shown[0], median(column("heads.csv", name)), PRINTED)
        assert not close(shown[0], np.mean(column("heads.csv", name)), PRINTED)
    assert close(page.limit, page.d / np.sqrt(32)), "all on one line: |q·k| is |q||k|"
    for shown, name in {"aligned": "alignment", "paired": "pairing", "longer": "lengths"}.items():
        by = np.sqrt(32) if name == "lengths" else 1
        assert close(getattr(page, shown)[0], median(column("heads.csv", name)) / by, PRINTED)
        (row,) = rows("medians.csv", pairs="distinct", what=name)
        assert close(getattr(page, shown)[1], float(row["error"]) / by)
    assert close(page.at_start, median(column("heads.csv", "start_alignment")), PRINTED)


def test_three_factors_make_each_head(snippet):
    page = snippet("trained/growth")
    size = np.array(column("terms.csv", "size", pairs="distinct")) / np.sqrt(32)
    assert close(page.times["all"], size, PRINTED)
    product = page.times["lengths"] * page.times["alignment"]
    assert close(product * page.times["pairing"], size, PRINTED)
    assert not close(product, size, PRINTED)
    # What coordinates of variance 1 give, by drawing them.
    q, k = np.random.default_rng(0).standard_normal((2, 100_000, page.d))
    square = np.sum(q * k, axis=1) ** 2
    error = square.std() / np.sqrt(len(square))
    assert abs(square.mean() - page.of_one**2) < 4 * error
    assert abs(square.mean() - page.of_one) > 4 * error


def test_start_and_limit_by_theory(snippet):
    page = snippet("trained/growth")
    # At the start a coordinate has variance 384 · 0.02², as LayerNorm gives |x|² = 384. The means
    # that tokens share make q·k a little smaller or larger than that.
    start = median(column("terms.csv", "size", pairs="start"))
    assert abs(start / (np.sqrt(32) * 384 * page.deviation**2) - 1) < 0.05
    now = median(column("terms.csv", "size", pairs="distinct"))
    assert close(page.against_one * np.sqrt(32), now, PRINTED)
    assert not close(page.against_one * start, now, PRINTED)
