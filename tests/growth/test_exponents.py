"""The exponents of the movement over widths, in closed form from what is stored."""

import numpy as np
import pytest

from tests.conftest import stored_rows
from tests.growth.by_seed import PRINTED, by_seed
from tests.tolerance import close, mean_and_error


def exponents(what, optimizer, step, remedy="none"):
    """Give cov(ln d, ln size)/var(ln d) for each seed, and the mean size at each width."""
    dims = [16, 32, 64] if step == 1000 else [8, 16, 32, 64]
    dims += [128] if step < 300 and remedy == "none" else []
    # 64/8 is √64, so at d = 64 both scales are one run.
    remedies = ["none" if d == 64 else remedy for d in dims]
    sizes = [
        by_seed(what, optimizer, step, same, d) for same, d in zip(remedies, dims, strict=True)
    ]
    x = np.log(dims) - np.log(dims).mean()
    return x @ np.log(sizes) / (x @ x), np.mean(sizes, axis=1)


@pytest.mark.parametrize("optimizer", ["Adam", "Muon"])
def test_the_exponents_by_other_code(snippet, measure, optimizer):
    page = snippet("growth/exponents")
    assert [*page.eta.values()] == [*measure.ETA]
    for step in page.steps:
        slopes, sizes = exponents("moved", optimizer, step)
        assert close(page.slope[optimizer, step], mean_and_error(slopes))
        assert close(page.size[optimizer, step], sizes)
        for remedy, what in (("1/d", "moved"), ("none", "attended")):
            slopes, _ = exponents(what, optimizer, step, remedy)
            found = page.slope[optimizer, remedy, what, step]
            assert close(found, mean_and_error(slopes))
            assert not close(found, page.slope[optimizer, step], 1e-3)


def test_half_the_rate(snippet):
    page = snippet("growth/exponents")
    for optimizer in ("Adam", "Muon"):
        dims = np.array([16, 32, 64])
        sizes = [by_seed("moved", optimizer, 1000, d=d, rate=0.5) for d in dims]
        x = np.log(dims) - np.log(dims).mean()
        slopes = x @ np.log(sizes) / (x @ x)
        assert close(page.half[optimizer], mean_and_error(slopes))
        assert not close(page.half[optimizer], page.slope[optimizer, 1000], 1e-2)


def test_the_first_step_split(snippet):
    page, dims = snippet("growth/exponents"), np.array([8, 16, 32, 64, 128])
    x = np.log(dims) - np.log(dims).mean()
    for (part, optimizer, times), found in page.parts.items():
        where = {"part": part, "optimizer": optimizer, "times": str(times)}
        rows = stored_rows("growth", "first.csv", **where)
        sizes = [[float(r["moved"]) for r in rows if r["d"] == str(d)] for d in dims]
        assert np.shape(sizes) == (5, 3)
        assert close(found, mean_and_error(x @ np.log(sizes) / (x @ x)))
        assert close(page.apart[part, optimizer, times], np.mean(sizes, axis=1))
    whole = stored_rows("growth", "first.csv", part="all", optimizer="Adam", times="1")
    for row in whole:  # the same step is in factors.csv, from the runs of all steps
        same = by_seed("moved", "Adam", 1, d=int(row["d"]))
        assert close(float(row["moved"]), same[int(row["seed"])], PRINTED)
