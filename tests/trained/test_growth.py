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
    assert close(page.aligned, median(column("heads.csv", "alignment")), PRINTED)
    assert close(page.at_start, median(column("heads.csv", "start_alignment")), PRINTED)


def test_start_and_limit_by_theory(snippet):
    page = snippet("trained/growth")
    # At the start a coordinate has variance 384 · 0.02², as LayerNorm gives |x|² = 384. The means
    # that tokens share make q·k a little smaller or larger than that.
    start = median(column("terms.csv", "size", pairs="start"))
    assert abs(start / (np.sqrt(32) * 384 * page.deviation**2) - 1) < 0.05
    now = median(column("terms.csv", "size", pairs="distinct"))
    assert close(page.against_one * np.sqrt(32), now, PRINTED)
    assert not close(page.against_one * start, now, PRINTED)
