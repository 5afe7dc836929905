"""The keys that take part under a mask: by an integral of another chapter."""

import numpy as np

from tests.tolerance import close


def test_the_mask_agrees_with_the_other_chapters(snippet, module):
    result, other = snippet("questions/causal"), module("scales/gaussian_logits")
    for n, above in result.above.items():
        assert close(above, np.e / (n * other.mean_square_weights(n, 1.0)) - 1, 1e-6)
    for n in (8, 128, 4096):
        assert close(result.divided[n], 1 / other.mean_square_weights(n, 1.0), 1e-6)
        assert not close(result.divided[n], 1 / other.mean_square_weights(n, 1.01), 1e-6)
    for n in (8, 4096):
        assert close(result.bare[n], 1 / other.mean_square_weights(n, 8.0), 1e-6)
        assert not close(result.bare[n], 1 / other.mean_square_weights(n, 8.1), 1e-6)
