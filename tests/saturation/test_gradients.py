"""The norm of the Jacobian draw by draw: to the last digit printed, from other draws."""

import math

import numpy as np
import pytest
from scipy.special import softmax

from tests.saturation.draws import close, draw, is_mean, is_share, jacobian_squares, three_keys
from tests.saturation.quadrature import jacobian_mean
from tests.tolerance import agrees, is_median, mean_and_error


def test_the_root_mean_square_by_another_quadrature(snippet):
    page = snippet("saturation/gradients")
    for n in page.counts:
        for sigma in (1, 8):
            assert close(page.rms_at[n][sigma] ** 2, jacobian_mean(n, sigma), 3e-5)
            assert not close(page.rms_at[n][sigma] ** 2, jacobian_mean(n, 1.001 * sigma), 3e-5)
    assert close(page.even_at_65536**2, jacobian_mean(65536, 1), 3e-5)
    assert close(page.growth**2, jacobian_mean(512, 8) / jacobian_mean(512, 1), 6e-5)
    assert close(page.relative_fall * page.relative_at[512][8], page.relative_at[512][1])
    n = page.rms_overtakes
    larger = [jacobian_mean(m, 8) > jacobian_mean(m, 1) for m in (n - 1, n)]
    assert larger == [False, True]


@pytest.mark.parametrize("n", [16, 64, 512, 4096])
def test_printed_digits_of_the_gradients(snippet, keys, n):
    page, draws = snippet("saturation/gradients"), 250_000
    top = keys.draw(np.random.default_rng(24), n, draws, keep=min(n, 30))
    norms = keys.jacobian_norm(top, n, 8)
    relative = norms / keys.weights_norm(top, n, 8)
    for value, sample in [(page.median_at, norms), (page.relative_at, relative)]:
        assert is_median(value[n][8], sample, math.inf)
        for unit in (-0.01, 0.01):
            assert not is_median(value[n][8] + unit, sample, math.inf)
    assert is_mean(page.mean_at[n][8], norms)
    assert not is_mean(page.mean_at[n][8] + 0.01, norms)
    assert is_share(page.near_zero_at[n][8], norms < 0.01)
    assert not is_share(page.near_zero_at[n][8] + 0.01, norms < 0.01)


def test_in_larger_heads_the_norm_falls_again(snippet, keys):
    top = keys.draw(np.random.default_rng(25), 512, 250_000, keep=30)
    norms = keys.jacobian_norm(top, 512, 16)
    median = snippet("saturation/gradients").median_256
    assert is_median(median, norms, math.inf)
    for unit in (-0.01, 0.01):
        assert not is_median(median + unit, norms, math.inf)


def test_the_share_near_zero_to_three_digits(snippet, keys):
    page, shares = snippet("saturation/gradients"), []
    for seed in range(1, 6):  # other even draws, of fewer keys
        top = keys.draw_evenly(512, keep=12, seed=seed)
        shares.append(np.mean(keys.jacobian_norm(top, 512, 8) < 0.01))
    share, error = mean_and_error(np.array(shares))
    assert 4.5 * error < 0.0006
    value = page.near_zero_at[512][8]
    assert agrees(share, value, error)
    for unit in (-0.001, 0.001):
        assert not agrees(share, value + unit, error)


def test_gradients_for_three_keys(snippet):
    page, scores, mass = snippet("saturation/gradients"), *three_keys()

    def share(hits):
        return mass[hits].sum()

    medians = {}
    for sigma in (1, 8):
        p = softmax(sigma * scores, axis=1)
        norms = np.sqrt(jacobian_squares(p))
        order = np.argsort(norms)
        medians[sigma] = np.interp(0.5, np.cumsum(mass[order]), norms[order])
        assert abs(mass @ norms - page.mean_at[3][sigma]) < 1e-3
        for sample, values in [
            (norms, page.median_at),
            (norms / np.linalg.norm(p, axis=1), page.relative_at),
        ]:
            # Half a unit of the last digit that is printed.
            unit = 0.005 if sigma == 1 else 0.0005
            value = values[3][sigma]
            assert share(sample < value - unit) < 0.5 < share(sample < value + unit)
    by_score = page.three_at_scores
    assert abs(medians[1] / 8 - by_score["median"]) < 0.0005 < abs(medians[1] - by_score["median"])
    one, eight = (jacobian_squares(softmax(s * scores, axis=1)) for s in (1, 8))
    assert close(mass @ one / 64, by_score["rms"] ** 2, 1e-3)
    assert not close(mass @ one, by_score["rms"] ** 2, 1e-3), "of a logit, not of a score"
    assert abs(share(eight < one) - page.three_lose) < 0.002
    ratio = snippet("saturation/reach").median_ratio[64][3]
    assert abs(8 * medians[8] / medians[1] - ratio) < 0.002
    assert not abs(medians[8] / medians[1] - ratio) < 0.002, "without the chain rule's 1/s"
    assert abs(share(norms < 0.01) - page.near_zero_at[3][8]) < 0.001
    assert not abs(share(norms < 0.011) - page.near_zero_at[3][8]) < 0.001


@pytest.mark.parametrize(("n", "draws"), [(16, 200_000), (64, 60_000), (512, 12_000), (4096, 3000)])
def test_printed_digits_with_the_divisor(snippet, n, draws):
    # All keys, drawn at random: with the divisor the many small weights count.
    page, samples = snippet("saturation/gradients"), []
    for seed in range(5):
        p = draw((38, seed), n, 1, draws // 5)[1]
        norms = np.sqrt(jacobian_squares(p))
        samples.append([norms, norms / np.linalg.norm(p, axis=1)])
    norms, relative = np.concatenate(samples, axis=1)
    unit = 0.001 if n == 4096 else 0.01
    for value, sample, last in [(page.median_at, norms, 0.01), (page.relative_at, relative, unit)]:
        assert is_median(value[n][1], sample, math.inf)
        for error in (-last / 2, last / 2):
            assert not is_median(value[n][1] + error, sample, math.inf)


def test_where_the_median_norms_cross(snippet, keys):
    page = snippet("saturation/gradients")

    def bare_is_larger(n, seed):
        top = keys.draw_evenly(n, keep=n, seed=seed)
        one, eight = (np.median(keys.jacobian_norm(top, n, s)) for s in (1, 8))
        return eight > one

    n = page.median_overtakes
    assert [*page.medians] == [n - 1, n]
    for seed in (1, 2):
        assert [bare_is_larger(m, seed) for m in (n - 1, n)] == [False, True]
