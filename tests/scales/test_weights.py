"""The weights that each rival leaves, by closed forms and by another chapter's quadrature."""

import math

import pytest
from scipy import integrate, special, stats

from tests.scales.draws import N, rows
from tests.tolerance import close, mean_and_error

SPREADS = {
    "1": math.sqrt,
    "log d": lambda d: math.sqrt(d) / math.log(d),
    "√d": lambda d: 1,
    "d": lambda d: 1 / math.sqrt(d),
    "d/8": lambda d: 8 / math.sqrt(d),
    "d⁵": lambda d: d**-4.5,
    "exp πd": lambda d: math.sqrt(d) * math.exp(-math.pi * d),
    "cosine": lambda d: 1 / math.sqrt(d),
    "10 cosine": lambda d: 10 / math.sqrt(d),
    "QK-norm": lambda d: 1,
    "log n": lambda d: math.log(N),
}


def nearly_even(sigma):
    """Give the largest weight and the keys that take part, for Z all but its mean, n e^(σ²/2)."""

    def heaviest(g):
        return stats.norm.pdf(g) * stats.norm.cdf(g) ** (N - 1) * math.exp(sigma * g)

    return integrate.quad(heaviest, -1, 9)[0] / math.exp(sigma**2 / 2), N / math.exp(sigma**2)


@pytest.mark.parametrize("d", [64, 4096])
@pytest.mark.parametrize("name", [*SPREADS, "cap"])
def test_the_table_of_scales_by_closed_forms(snippet, other, name, d):
    page, weights = snippet("scales/spread"), snippet("scales/weights")
    if name == "cap":  # a bit below 1; test_soft_cap says how much
        sigma = page.start["cap"][d]
    else:
        sigma = SPREADS[name](d)
        assert close(page.start[name][d] / (sigma or 1), 1 if sigma else 0)
        if "cosine" not in name and name != "QK-norm":
            size = page.rho * math.sqrt(d) * sigma
            assert close(page.aligned[name][d] / (size or 1), 1 if size else 0)
    if sigma > 0.1:
        largest, keys = other.largest(N, sigma), other.participation(N, sigma)
        assert not close(weights.largest[name][d] / other.largest(N, 1.01 * sigma), 1, 1e-4)
    else:
        largest, keys = nearly_even(sigma)
    assert close(weights.largest[name][d] / largest, 1, 1e-4)
    assert close(weights.effective[name][d] / keys, 1, 3e-5)


def test_freezing(snippet):
    page = snippet("scales/weights")
    assert close(math.exp(page.frozen**2 / 2), N)
    assert close(page.frozen_d, 2 * math.log(N))
    for name, by in (("1", lambda d: 1), ("log d", math.log)):
        first = page.frozen_from[name]
        assert math.sqrt(first) / by(first) > page.frozen > math.sqrt(first - 1) / by(first - 1)
    d = page.frozen_log_d
    assert close(math.sqrt(d), page.frozen * math.log(d))
    assert not close(math.sqrt(475), page.frozen * math.log(475), 1e-4)
    # Not by the formula: there the largest weight is near a half already, and passes it soon after.
    for name, where in (("1", page.frozen_d), ("log d", d)):
        sigma = math.sqrt(where) / (1 if name == "1" else math.log(where))
        p = special.softmax(rows(sigma, samples=2000, seed=20), axis=1)
        mean, error = mean_and_error(p.max(axis=1))
        assert 0.3 < mean - 4.5 * error < mean + 4.5 * error < 0.5
    assert page.largest["log d"][512] < 0.5 < page.largest["log d"][1024]
