"""What even odds look like, with whole keys and a whole query, and by even draws of the noise."""

import math

import numpy as np
import pytest
from scipy import special

from tests.scales.draws import N
from tests.scales.right_key import FACTORS, below, on_top
from tests.tolerance import agrees, close, mean_and_error

NAMES = {
    "√d": "1",
    "√d/√(2 ln n)": "√(2 ln n)",
    "√d/(0.43 ln n)": "0.43 ln n",
    "√d/ln n": "ln n",
    "1": "√d",
}


@pytest.mark.parametrize("name", NAMES)
def test_weight_of_the_right_key(snippet, name):
    # Whole keys and a whole query: no formula for the scores.
    page, d, factor = snippet("scales/match"), 64, FACTORS[NAMES[name]](N)
    assert close(page.factors[name], factor)
    rng, weight, top = np.random.default_rng(21), [], []
    for _ in range(6000):
        # A query along the first axis, of length √d; the right key is ρq + √(1 − ρ²) z.
        k = rng.standard_normal((N, d // 8))  # the other coordinates do not count
        q = np.zeros(d // 8)
        q[0] = math.sqrt(d)
        rho = page.needed[name]
        k[0] = rho * q + math.sqrt(1 - rho**2) * k[0]
        p = special.softmax(factor * (k @ q) / math.sqrt(d))
        weight.append(p[0])
        top.append(np.argmax(p) == 0)
    weight, top = np.array(weight), np.array(top)

    def is_share(value, hits):
        return agrees(np.mean(hits), value, np.sqrt(value * (1 - value) / len(hits)) + 1e-6)

    assert is_share(page.between[name], (weight > 0.1) & (weight < 0.9))
    assert is_share(page.on_top[name], top)
    mean, error = mean_and_error(special.logit(weight))
    assert agrees(mean, 0, error)
    for at in (0.2, 0.5, 0.8):
        assert is_share(np.interp(at, page.weight, page.share[name]), weight < at)
    # "Half of the weight": true of √d, where all weights lie near it, and of no other.
    halves = np.mean(np.abs(weight - 0.5) < 0.4)
    assert (halves > 0.99) == (name == "√d")
    if name != "√d":
        assert not is_share(page.below_tenth["√d"], weight < 0.1)
        assert not is_share(page.on_top["√d"], top)


def test_what_is_printed_of_even_odds(snippet, other):
    page = snippet("scales/match")
    for name, a in page.factors.items():
        rho = page.needed[name]
        assert close(rho * 8 * a, other.mean_log_sum(N - 1, a), 1e-6)
        assert not close(rho * 8 * a, other.mean_log_sum(N, a), 1e-6)
        assert close(page.on_top[name], on_top(N, rho), 1e-6)
        printed = [page.below_tenth[name], 1 - page.above_nine[name]]
        found = [below(0.1, N, a, rho), below(0.9, N, a, rho)]
        assert np.allclose(found, printed, rtol=0, atol=2e-3)
