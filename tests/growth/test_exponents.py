"""The exponents of the movement over widths, in closed form from what is stored."""

import numpy as np
import pytest

from tests.growth.by_seed import by_seed
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
