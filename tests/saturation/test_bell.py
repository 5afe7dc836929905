"""How far up a row the bell curve counts keys, by draws that are tilted upwards."""

import math

import numpy as np
import pytest
from scipy import stats

from tests.saturation.draws import close, is_mean


def tilted(kind, d, level, draws=200_000):
    """Give each draw's share of P(S > level √d), from sums tilted so that this is their mean."""
    rng = np.random.default_rng(d)
    at = level * math.sqrt(d)
    if kind == "signs":
        t = math.atanh(level / math.sqrt(d))
        sums = 2 * rng.binomial(d, 1 / (1 + math.exp(-2 * t)), draws) - d
        log_mean = d * math.log(math.cosh(t))
    else:
        t = level / math.sqrt(d) / (1 + level / math.sqrt(d))
        sums = rng.gamma(d, 1 / (1 - t), draws) - d
        log_mean = d * (-t - math.log(1 - t))
    return np.exp(log_mean - t * sums) * (sums > at)


@pytest.mark.parametrize("d", [64, 1024])
def test_skewed_sums_against_the_bell_curve(snippet, d):
    page = snippet("saturation/bell")
    for i in (0, 14, 36):
        share = tilted("skewed", d, page.level[i]) / stats.norm.sf(page.level[i])
        assert is_mean(page.counted["skewed", d][i], share)
        assert not is_mean(1 / page.counted["skewed", d][i], share)


@pytest.mark.parametrize("d", [64, 1024])
def test_sums_of_signs_against_the_bell_curve(snippet, d):
    """At a level between two sums; from one sum to the next, the exact tail is a stair."""
    page = snippet("saturation/bell")
    for i in (10, 14, 36):
        between = 2 * math.floor((page.level[i] * math.sqrt(d) - 1) / 2) + 1
        level = between / math.sqrt(d)
        share = tilted("signs", d, level) / stats.norm.sf(level)
        found = np.exp(np.interp(level, page.level, np.log(page.counted["signs", d])))
        error = np.std(share) / math.sqrt(len(share))
        assert abs(np.mean(share) - found) < 4 * error + 0.01 * found
        if d == 64:
            assert abs(np.mean(share) - 1) > 4 * error + 0.01


def far(kind, power, ln_n):
    """Give how far from 1 the ratio is for n keys and a head of (ln n)^power."""
    level = math.sqrt(2 * ln_n)
    return abs(np.mean(tilted(kind, round(ln_n**power), level, 50_000)) / stats.norm.sf(level) - 1)


def test_how_large_a_head_has_to_be():
    """Signs need d well above (ln n)², skewed coordinates above (ln n)³; less is not enough."""
    for kind, power, more in [("signs", 2, 0.5), ("skewed", 3, 1)]:
        enough = [far(kind, power + more, ln_n) for ln_n in (20, 80, 320)]
        assert enough[2] < enough[1] < enough[0]
        assert enough[2] < 0.08
        # At the power itself it tends to e^{−1/3}, and e^{0.94}.
        assert far(kind, power, 320) > 0.25
    # What is enough for signs is not for skewed coordinates.
    assert far("skewed", 2.5, 320) > 1


def test_keys_that_take_part(snippet):
    page = snippet("saturation/bell")
    rng = np.random.default_rng(5)
    scores = 2.0 * rng.binomial(64, 0.5, (4000, 512)) - 64
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    assert is_mean(1 / page.signs[64], np.sum(p**2, axis=1))
    assert not is_mean(1 / page.signs[16], np.sum(p**2, axis=1))
    assert close(page.level**2, 2 * np.log(page.keys))
