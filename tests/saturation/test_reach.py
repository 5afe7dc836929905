"""What reaches a key and the query: the gradient of the output, by its definition."""

import math

import numpy as np
import pytest
from scipy.special import softmax

from tests.saturation.draws import close, draw, is_mean
from tests.saturation.quadrature import log_sum
from tests.tolerance import agrees, mean_and_error


def output_gradients(seed, n, d, s, draws):
    """Draw queries of length √d, keys and values; give ‖∂o/∂q‖_F/√d_v, from the definition."""
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(draws):
        q = rng.standard_normal(d)
        q *= np.sqrt(d) / np.linalg.norm(q)
        K, V = rng.standard_normal((2, n, d))
        p = softmax(K @ q / s)
        o = p @ V
        result.append(np.linalg.norm(((V - o).T * p) @ K) / s / np.sqrt(d))
    return np.array(result)


def test_gradient_of_the_output_for_512_keys(snippet, exact):
    page, n, d = snippet("saturation/reach"), 512, 64
    ratio = {s: output_gradients(31, n, d, s, 500) for s in (1, 8)}
    for s, sample in ratio.items():
        assert is_mean(exact.output_gradient(n, d, s) ** 2, sample**2)
    squares = [mean_and_error(sample**2) for sample in ratio.values()]
    root = math.sqrt(squares[0][0] / squares[1][0])
    error = root / 2 * math.hypot(*(e / m for m, e in squares))
    assert agrees(root, page.rms_ratio[d][n], error)
    assert not agrees(root / 2, page.rms_ratio[d][n], error)
    # Relative to o, by E‖o‖²/d_v = E Σp², drawn.
    norms = [mean_and_error(np.sum(draw(32, n, 8 / s, 8000)[1] ** 2, axis=1)) for s in ratio]
    relative = page.rms_ratio[d][n] * math.sqrt(norms[1][0] / norms[0][0])
    error = relative / 2 * math.hypot(*(e / m for m, e in norms))
    assert agrees(relative, page.rms_relative, error)
    assert 4.5 * error < 0.05 < abs(page.rms_ratio[d][n] - page.rms_relative)


def test_gradient_of_the_output_in_a_small_head(exact):
    """There the one direction in which a key cannot turn the query counts."""
    sample = output_gradients(33, 3, 4, 2, 40_000) ** 2
    assert is_mean(exact.output_gradient(3, 4, 2) ** 2, sample)
    across = exact.jacobian_square(3, 1) / 2**2
    assert not is_mean(exact.output_gradient(3, 4, 2) ** 2 - across, sample), "d − 2 for d − 1"


@pytest.mark.parametrize(("n", "sigma"), [(2, 1.0), (64, 3.0)])
def test_the_part_along_the_query(exact, n, sigma):
    g, p = draw(n, n, sigma, 40_000)
    square = np.sum((p * (g - np.sum(p * g, axis=1, keepdims=True))) ** 2, axis=1)
    assert is_mean(exact.along_query_square(n, sigma), square)
    assert not is_mean(1.1 * exact.along_query_square(n, sigma), square)


@pytest.mark.parametrize("d", [64, 128, 256])
def test_where_the_medians_cross(snippet, keys, d):
    page = snippet("saturation/reach")

    def even_ratio(n):
        top = keys.draw_evenly(n, seed=1)
        bare, divided = (np.median(keys.jacobian_norm(top, n, s)) for s in (math.sqrt(d), 1))
        return math.sqrt(d) * bare / divided

    first = page.larger_from[d]  # a whole number, from other even draws
    assert even_ratio(first - 1) < 1 < even_ratio(first)


@pytest.mark.parametrize("n", [3, 512])
@pytest.mark.parametrize("sigma", [1, 8])
def test_typical_weight_by_another_quadrature(snippet, n, sigma):
    page = snippet("saturation/reach")
    for scale in (1, 1.001):
        other = -log_sum(n, scale * sigma)
        assert close(math.log(page.typical[sigma][n]), other, 3e-5) == (scale == 1)
