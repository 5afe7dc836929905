"""Keys of other kinds: drawn, coordinate by coordinate."""

import math

import numpy as np
import pytest
from scipy.special import softmax

from tests.saturation.draws import close, is_mean
from tests.saturation.quadrature import power_sums


def same_key(draw_keys, d, q, rows=600):
    """Give Σp² of rows of 512 keys for a query q, with the divisor."""
    return np.array(
        [np.sum(softmax(draw_keys((512, d)) @ q / math.sqrt(d)) ** 2) for _ in range(rows)]
    )


def kinds(seed):
    rng = np.random.default_rng(seed)
    return {
        "signs": lambda shape: rng.choice([-1.0, 1.0], shape),
        "rare": lambda shape: 10 * rng.choice([-1, 1], shape) * (rng.random(shape) < 0.01),
        "long": lambda shape: 10 * (rng.random((shape[0], 1)) < 0.01) * rng.standard_normal(shape),
    }


@pytest.mark.parametrize("d", [1, 4, 64])
def test_keys_of_every_kind(snippet, d):
    page, drawn = snippet("saturation/any_keys"), kinds(d)
    found = {"signs": page.signs[d], "rare": page.rare[d], "long": page.long}
    for name, draw_keys in drawn.items():
        sample = same_key(draw_keys, d, np.ones(d))
        assert is_mean(1 / found[name], sample)
        assert not is_mean(1 / page.gaussian, sample) or found[name] / page.gaussian < 1.05
        # Each has variance 1, which does not tell them apart.
        keys = draw_keys((200_000, 1))
        assert is_mean(1, keys**2)
    assert close(1 / page.gaussian, power_sums(512, 1)[0], 1e-6)
    assert close(page.least, 512 * math.exp(-2))
