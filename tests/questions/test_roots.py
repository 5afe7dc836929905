"""The root for heads that are split, joined or cut: by drawing, with a wrong root that fails."""

import numpy as np
import pytest

from tests.questions.draws import has_spread, scores, vectors
from tests.tolerance import close


@pytest.fixture
def result(snippet):
    return snippet("questions/roots")


def of_size(d, seed=0):
    return scores(*vectors(d, seed=seed))


@pytest.mark.parametrize(
    ("name", "d", "divisor", "right"),
    [
        ("half", 64, 128, 64),
        ("split", 16, 64, 16),
        ("packed", 128, 192, 128),
        ("pruned", 96, 128, 96),
        ("pairs", 64, 32, 64),
    ],
)
def test_the_spread_is_that_of_what_is_added_up(result, name, d, divisor, right):
    drawn, spread = of_size(d), getattr(result, name)
    assert has_spread(drawn / np.sqrt(divisor), spread)
    assert not has_spread(drawn / np.sqrt(right), spread), "the right root leaves 1"
    assert has_spread(drawn / np.sqrt(right), 1)


def test_joined_parts(result):
    drawn = of_size(64, 1) + of_size(64, 2)
    assert has_spread(drawn / 8, result.joined)
    assert has_spread(drawn / np.sqrt(128), 1)
    assert not has_spread(drawn / 8, 1)


def test_what_is_pruned_or_distilled_keeps_its_share_of_a_score(result):
    q, k = vectors(128)
    assert has_spread(scores(q[:, :96], k[:, :96]) / np.sqrt(128), result.pruned)
    # A score that all coordinates share falls by more.
    kept = scores(k[:, :96], k[:, :96]).mean() / scores(k, k).mean()
    assert close(kept, result.aligned, 0.01)
    assert close(kept * np.sqrt(128) / np.sqrt(96), result.aligned_again, 0.01)
    # And if the last 32 contribute nothing, the new root alone makes the difference.
    k[:, 96:] = 0
    whole, cut = scores(q, k) / np.sqrt(128), scores(q[:, :96], k[:, :96]) / np.sqrt(96)
    assert close(cut / whole, result.too_large)
    q, k = vectors(128)
    ratio = np.std(of_size(64)) / np.std(scores(q, k))
    assert abs(ratio / result.student - 1) < 0.03


def test_signs(result):
    signs = np.sign(vectors(64))
    drawn = scores(*signs)
    assert has_spread(drawn / 8, result.sign)
    assert set(np.unique(np.abs(signs))) == {1}
    fourth = np.mean(drawn**4) / np.mean(drawn**2) ** 2 - 3
    assert abs(fourth - result.sign_kurtosis) < 0.1
    exact = scores(*vectors(64))
    assert abs(np.corrcoef(exact, drawn)[0, 1] - result.sign_correlation) < 0.02


def test_distances(result):
    """In a row the query is given: its own length moves all keys alike."""
    rng = np.random.default_rng(3)
    for d, row in ((64, result.distance**2), (3, result.point_row / 3)):
        q = rng.standard_normal((6000, 1, d))
        half = np.sum((q - rng.standard_normal((6000, 50, d))) ** 2, axis=2) / 2
        within = half.var(axis=1, ddof=1).mean() / d
        assert abs(within / row - 1) < 0.03
        assert abs(half.var() / d / row - 1) > 0.2, "over all pairs it is more"
    assert abs(half.var() / result.point_all - 1) < 0.05


def test_his_rule_and_a_norm_without_a_divisor(result):
    rng = np.random.default_rng(4)
    x = rng.standard_normal((2, 500, 512))
    x *= np.sqrt(512) / np.linalg.norm(x, axis=2, keepdims=True)
    q, k = (tokens @ rng.normal(0, np.sqrt(2 / 512), (512, 64)) for tokens in x)
    assert abs(np.std(q @ k.T / 8) / result.he - 1) < 0.1
    q, k = (v / np.linalg.norm(v, axis=1, keepdims=True) * 16 for v in vectors(256))
    assert has_spread(scores(q, k), result.bare_norm)
    gained = scores(256**-0.25 * q, 256**-0.25 * k)
    assert has_spread(gained, 1)


def test_a_pointer_and_a_factor_applied_twice(result):
    assert has_spread(of_size(512) / 512, result.pointer)
    longer = 512**0.25 * vectors(512)
    assert has_spread(scores(*longer) / 512, 1)
    # 1.4852 and 2.2058 are the numbers of SGLang's report.
    assert close([result.yarn / 1.4852, result.yarn_logits / 2.2058], 1, 1e-4)
    q, k = vectors(64)
    once = scores(result.yarn * q, result.yarn * k) / 8
    assert has_spread(once, result.yarn_logits)
    assert not has_spread(once, result.yarn_twice)
    assert has_spread(result.yarn**2 * once, result.yarn_twice), "in the scale as well"
    squared = scores(result.yarn**2 * q, result.yarn**2 * k) / 8
    assert has_spread(squared, result.yarn_twice), "squared in the cosines and sines"
