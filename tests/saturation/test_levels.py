"""How many keys a level has, by drawing."""

import numpy as np
from scipy import integrate, stats

from tests.saturation.draws import close, is_mean


def test_levels(snippet):
    page = snippet("saturation/levels")
    counts = [np.random.default_rng(s).standard_normal(page.n) for s in range(200)]
    for level in (0, 1, 2, 3):
        near = np.array([np.sum(np.abs(g - level) < 0.25) for g in counts])
        at = np.searchsorted(page.g, level)
        assert is_mean(page.keys[at], near)
        assert not is_mean(page.keys[at] / 2, near)
    assert close(page.n * np.exp(-(page.edge**2) / 2), 1)
    one = page.n * integrate.quad(stats.norm.pdf, page.one_left - 0.25, page.one_left + 0.25)[0]
    assert close(one, 1, 1e-3)
    assert not close(one / 2, 1, 1e-3)
