"""How the right key fares as keys are added."""

import math

import numpy as np
import pytest
from scipy import special, stats

from tests.scales.draws import N
from tests.scales.right_key import FACTORS, below, on_top
from tests.tolerance import agrees, close, mean_and_error


def test_eight_keys_are_too_few_to_freeze_at_once(snippet):
    page, rng = snippet("scales/keys"), np.random.default_rng(32)
    n = page.frozen_from[1]
    weights = special.softmax(math.log(n) * rng.standard_normal((200_000, n)), axis=1)
    mean, error = mean_and_error(np.sum(weights**2, axis=1))
    assert agrees(mean, 1 / page.sharing_of_8, error)
    assert not agrees(mean, 1 / (page.sharing_of_8 + 0.05), error)


def test_how_often_the_right_key_is_on_top(snippet):
    page = snippet("scales/keys")
    for n, share in page.on_top.items():
        assert close(share, on_top(n, page.rho), 1e-6)
        assert not close(share, on_top(n + 1, page.rho), 1e-6)


@pytest.mark.parametrize("name", FACTORS)
def test_quantiles_of_the_weight_to_a_hundredth(snippet, other, name):
    page, factor = snippet("scales/keys"), FACTORS[name]
    for n in (64, N):
        found = [below(t, n, factor(n), page.rho) for t in page.quantiles[name][n]]
        assert np.allclose(found, [0.1, 0.5, 0.9], rtol=0, atol=1e-3)
        found = [below(t, n, factor(n), 1.02 * page.rho) for t in page.quantiles[name][n]]
        assert not np.any(np.isclose(found, [0.1, 0.5, 0.9], rtol=0, atol=1e-3))
    assert close(page.noise_alone[name], other.largest(N, factor(N)), 1e-4)
    assert not close(page.noise_alone[name], other.largest(N, 1.01 * factor(N)), 1e-4)
    assert close(page.at_512[name], factor(512))
    assert close(page.at_512["√d"] ** 2, page.d)


@pytest.mark.parametrize("name", FACTORS)
def test_weight_among_many_keys(snippet, name):
    # Scores drawn in units of √d; given the noise, the share below a weight is Gaussian.
    page, n = snippet("scales/keys"), 16_384
    factor, rng = FACTORS[name](n), np.random.default_rng(26)
    share = {t: [] for t in page.quantiles[name][n].tolist()}
    for _ in range(12):
        log_z = special.logsumexp(factor * rng.standard_normal((50, n - 1)), axis=1)
        for t in share:
            limit = (special.logit(t) + log_z) / factor
            share[t].append(stats.norm.cdf(limit, page.rho * 8, math.sqrt(1 - page.rho**2)))
    for q, sample in zip((0.1, 0.5, 0.9), share.values(), strict=True):
        mean, error = mean_and_error(np.concatenate(sample))
        assert agrees(mean, q, error + 1e-3)  # its grid has 200 scores
        if q != 0.5:
            assert not agrees(mean, 0.5, error + 1e-3)
