"""What a logit of 1000 takes: by drawing rows, and vectors of these lengths."""

import numpy as np

from tests.tolerance import agrees, close, mean_and_error


def test_how_long_vectors_of_a_large_logit_are(snippet):
    result = snippet("questions/billions")
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.standard_normal((500, 4096)).max(axis=1) for _ in range(16)])
    mean, error = mean_and_error(rows)
    assert agrees(mean, result.largest, error)
    start = rng.standard_normal(128)
    start *= np.sqrt(128) / np.linalg.norm(start)
    for logit, times in result.parallel.items():
        assert close((times * start) @ (times * start) / np.sqrt(128), logit)
        assert not close((times * start) @ start / np.sqrt(128), logit), "one of them longer"
        assert agrees(result.random[logit] ** 2 * mean, logit, result.random[logit] ** 2 * error)
    longer = result.by_d * result.parallel[1000] * start
    assert close(longer @ longer / 128, 1000)
