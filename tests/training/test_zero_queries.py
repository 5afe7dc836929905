"""Zero queries at the start: why one step is not quite like d."""

import numpy as np

from tests.tolerance import agrees, close


def test_zero_queries(recall):
    # In the first step the right pair moves by μd, and all sixteen scores by noise of variance vd.
    # With u = k less the mean of all k: μ = 15/16 · E[u²/|u|²]^{1/2}, about √15/16, and v = 1/16.
    # Less its mean, a row has mean square ∝ 16/15 μ²d² + 15 vd, so its size is like √(d² + 15 d).
    dims = np.array([16, 32, 64, 128])
    bend = recall.exponent(dims, [np.sqrt(1 + 15 / dims)] * 2)[0]
    size = np.empty((6, len(dims)))
    for seed, column in np.ndindex(size.shape):
        d = dims[column]
        (_, old), (X, W) = recall.train(d, seed, d / 8, 1, zero_query=True)
        size[seed, column] = recall.rms(recall.logits(X, W, d / 8))
        assert close(W[1], old[1])  # the keys wait
    slope, error = recall.exponent(dims, size)
    assert agrees(slope, bend, error, 6)
    assert not agrees(slope, 0, error, 6), "not quite flat"
    assert not agrees(slope, bend - 0.5, error, 6)
