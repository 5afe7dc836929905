"""What an indexer chooses and how sharp its scores are: by drawing, with a softmax that fails."""

import numpy as np
import pytest
from scipy import integrate, special, stats

from tests.tolerance import close


@pytest.fixture
def result(snippet):
    return snippet("questions/indexer")


def drawn(seed, keys=4096):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((64, 128)), rng.standard_normal((keys, 128)), rng.standard_normal(64)


def chosen(score):
    return set(np.argsort(score)[-512:].tolist())


@pytest.mark.parametrize("seed", range(5))
def test_a_factor_keeps_the_choice(result, seed):
    q, k, w = drawn(seed)
    z = k @ q.T
    assert len(chosen(np.maximum(z, 0) @ w) & chosen(np.maximum(z / 90.5, 0) @ w)) == result.same
    assert len(chosen(z.max(axis=1)) & chosen((z / 90.5).max(axis=1))) == 512
    soft = chosen(special.softmax(z, axis=0) @ w) & chosen(special.softmax(z / 90.5, axis=0) @ w)
    assert len(soft) < 500, "a softmax before heads are added"
    apiece = np.linspace(0.5, 2, 64)
    assert len(chosen(np.maximum(z, 0) @ w) & chosen(np.maximum(z, 0) @ (w * apiece))) < 500


def test_the_spread_of_the_scores(result):
    spreads = {"bare": [], "scaled": [], "without ReLU": []}
    for seed in range(300):
        q, k, w = drawn(100 + seed, 400)
        z = k @ q.T
        spreads["bare"].append((np.maximum(z, 0) @ w).var())
        spreads["scaled"].append((np.maximum(z * 128**-0.5, 0) @ w / 8).var())
        spreads["without ReLU"].append((z @ w / np.sqrt(64 * 128)).var())
    for name, variances in spreads.items():
        mean, error = np.mean(variances), np.std(variances) / np.sqrt(300)
        assert abs(mean - result.spread[name] ** 2) < 4.5 * error
        assert abs(mean - 2 * result.spread[name] ** 2) > 4.5 * error
    z = result.spread["scaled"] * np.random.default_rng(9).standard_normal((50, 4096))
    part = 1 / np.sum(special.softmax(z, axis=1) ** 2, axis=1)
    assert abs(part.mean() / result.taking_part - 1) < 0.02
    assert result.spread["bare"] > result.frozen


def test_the_spread_exactly(result):
    first, second = (
        integrate.quad(lambda x, p=p: np.maximum(x, 0) ** p * stats.norm.pdf(x), -12, 12)[0]
        for p in (1, 2)
    )
    of_relu = 128 * (second - first**2)
    assert close(64 * of_relu, result.spread["bare"] ** 2, 1e-6)
    assert close(of_relu / 128, result.spread["scaled"] ** 2, 1e-6)
    assert (result.heads, result.d) == (64, 128)
    assert not close(64 * 128 * second, result.spread["bare"] ** 2, 1e-2), "about 0, not the mean"


def test_exponentials_that_are_added(result):
    for times in (1, 1 / 8):
        sums = [np.exp(3 * times) + 1, np.exp(2 * times) + np.exp(1.9 * times)]
        assert close(sums, result.added[times])
    assert np.argmax(result.added[1]) != np.argmax(result.added[1 / 8])
    assert close(result.of_relus, 3 / 3.9)
    ratio = np.exp(result.crossing * np.array([[3, 0], [2, 1.9]])).sum(axis=1)
    assert close(ratio[0], ratio[1], 1e-6)
    assert not close(*np.exp([[3, 0], [2, 1.9]]).sum(axis=1), 1e-6)
    at = 20
    sums = np.exp(result.times[at] * np.array([[3, 0], [2, 1.9]])).sum(axis=1)
    assert close(sums[0] / sums[1], result.of_exponentials[at])
    assert 3 + 0 < 2 + 1.9, "added as they are, the second wins at every factor"
