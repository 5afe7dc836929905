"""The quadrature: against simulations. Another quadrature stands in the snippets' own tests."""

import numpy as np
import pytest

from tests.saturation.draws import draw, is_mean, jacobian_squares


@pytest.mark.parametrize(("n", "sigma"), [(2, 1.0), (3, 8.0), (64, 3.0), (512, 1.0)])
def test_averages_fit_a_simulation(exact, n, sigma):
    draws = 200_000 // n + 4000
    g, p = draw(n, n, sigma, draws)
    centred = g - np.sum(p * g, axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.sum(np.where(p > 0, p * np.log(p), 0), axis=1)
    samples = {
        "mean_power_sum": np.sum(p**2, axis=1),
        "trace": 1 - np.sum(p**2, axis=1),
        "jacobian_square": jacobian_squares(p),
        "along_query_square": np.sum((p * centred) ** 2, axis=1),
        "entropy": entropy,
        "largest": p.max(axis=1),
        "mean_log_sum": np.log(np.sum(np.exp(sigma * g), axis=1)),
    }
    for name, sample in samples.items():
        more = (2,) if name == "mean_power_sum" else ()
        route = getattr(exact, name)
        assert is_mean(route(n, sigma, *more), sample), name
        # The wrong temperature: d for √d at d = 64, and none.
        assert not is_mean(route(n, sigma / 8, *more), sample), name
        assert not is_mean(route(n, sigma * 8, *more), sample), name
