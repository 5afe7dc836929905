"""How many keys a level has, by drawing."""

import math

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
    for level, count in page.beyond.items():
        assert close(count, page.n * math.erfc(level / math.sqrt(2)) / 2)
    assert close(page.n * np.exp(-(page.top**2) / 2), 1)
    one = page.n * integrate.quad(stats.norm.pdf, page.one_left - 0.25, page.one_left + 0.25)[0]
    assert close(one, 1, 1e-3)
    assert not close(one / 2, 1, 1e-3)


def mean_largest(ln_n):
    """Integrate x over the distribution of the largest of e^{ln n} Gaussians."""
    g = np.linspace(0, np.sqrt(2 * ln_n) + 8, 200_001)
    # Φ^n, but for terms of order 1/n.
    below = np.exp(-np.exp(np.minimum(ln_n + stats.norm.logsf(g), 50)))
    return np.trapezoid(1 - below, g)


def test_the_second_term_of_the_largest(snippet):
    """Only with Euler's constant do two terms come ever closer, for their distance to σ_c."""
    page = snippet("saturation/levels")
    largest = np.max(np.random.default_rng(7).standard_normal((4000, page.n)), axis=1)
    assert is_mean(page.best, largest)
    assert not is_mean(page.two_terms, largest)  # good to a hundredth, and no better
    assert close(page.two_terms, page.best, 0.02)
    gammas, far = {"right": np.euler_gamma, "without": 0, "once": np.euler_gamma / 2}, {}
    for ln_n in (50, 500, 5000):
        top, exact = np.sqrt(2 * ln_n), mean_largest(ln_n)
        for name, gamma in gammas.items():
            term = (np.log(ln_n) + np.log(4 * np.pi) - 2 * gamma) / (2 * top)
            far.setdefault(name, []).append(abs(top - term - exact) * top)
    assert far["right"][2] < far["right"][1] < far["right"][0] < 0.2
    assert far["right"][2] < 0.01
    assert min(far["without"][2], far["once"][2]) > 0.2
