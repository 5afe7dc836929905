"""What even odds look like, by even draws of the noise."""

import numpy as np

from tests.scales.draws import N
from tests.scales.right_key import FACTORS, below, on_top
from tests.tolerance import close


def test_what_is_printed_of_even_odds(snippet, other):
    page = snippet("scales/match")
    assert close(sorted(page.factors.values()), sorted(factor(N) for factor in FACTORS.values()))
    for name, a in page.factors.items():
        rho = page.needed[name]
        assert close(rho * 8 * a, other.mean_log_sum(N - 1, a), 1e-6)
        assert not close(rho * 8 * a, other.mean_log_sum(N, a), 1e-6)
        assert close(page.on_top[name], on_top(N, rho), 1e-6)
        printed = [page.below_tenth[name], 1 - page.above_nine[name]]
        found = [below(0.1, N, a, rho), below(0.9, N, a, rho)]
        assert np.allclose(found, printed, rtol=0, atol=2e-3)
        assert np.allclose(np.diff(found), page.between[name], rtol=0, atol=4e-3)
        shown = np.interp([0.1, 0.9], page.weight, page.share[name])
        assert np.allclose(found, shown, rtol=0, atol=5e-3)
