"""A sink among Gaussian logits, by draws."""

import numpy as np

from tests.tolerance import agrees, close, mean_and_error


def test_sinks(snippet):
    page, rng = snippet("growth/sinks"), np.random.default_rng(0)

    def drawn(b, n, draws):
        Z = np.exp(rng.standard_normal((draws, n))).sum(axis=1)
        return mean_and_error(1 / (1 + Z * np.exp(-b)))

    for n, b, expected, draws in (
        (128, 0, page.at_0[128], 20_000),
        (4096, page.b, 1 - page.left, 1000),
        (4096, page.nearly_all[4096], page.most, 1000),
        (128, page.half[128], 0.5, 20_000),
    ):
        mean, error = drawn(b, n, draws)
        assert agrees(mean, expected, error + 1e-4)
        assert not agrees(drawn(b + 0.1, n, draws)[0], expected, error + 1e-4)
    assert page.keys[1] == 4096
    assert close(page.worth * np.sqrt(np.e), np.exp(8))
