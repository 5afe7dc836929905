"""The layer of associative recall: its loss, its gradients and its start; by_hand.py has Adam."""

import numpy as np
import pytest

from tests.tolerance import agrees, close
from tests.training import by_hand


@pytest.mark.parametrize("which", [0, 1])
def test_gradients_by_finite_differences(recall, which):
    X, W = recall.init(8, 0, cosine=0.4)
    rng = np.random.default_rng(1)
    target, s = rng.multinomial(4, np.full(16, 1 / 16), 16) / 4, 2.5
    direction = rng.standard_normal(W[which].shape)

    def loss(h):
        V = [*W]
        V[which] = V[which] + h * direction
        return recall.loss(X, V, s, target)

    measured = (loss(1e-5) - loss(-1e-5)) / 2e-5
    exact = recall.gradients(X, W, s, target)
    assert close(np.sum(exact[which] * direction), measured, 1e-7)
    assert not close(np.sum(exact[1 - which] * direction), measured, 1e-7), "the other weight's"
    assert not close(s * np.sum(exact[which] * direction), measured, 1e-7), "without the divisor"


def test_loss_is_the_mean_over_sequences(recall):
    # Play the game: shuffle keys and values, ask, and read the probability of the right value.
    d, s = 8, 3.0
    X, W = recall.init(d, 3)
    rng = np.random.default_rng(2)
    totals = []
    for asked in range(16):
        keys, values = rng.permutation(16), rng.permutation(16)
        a = np.array([(W[0] @ X[asked]) @ (W[1] @ X[key]) / s for key in keys])
        p = np.exp(a) / np.exp(a).sum()
        answer = np.zeros(16)
        answer[values] += p  # one-hot values, mixed by attention
        totals.append(-np.log(answer[values[keys == asked][0]]))
    assert close(np.mean(totals), recall.loss(X, W, s))
    assert not close(np.mean(totals), recall.loss(X, W, 1))
    # Less the mean of a row, ln p is the logits.
    a = np.log(by_hand.probabilities(X, W, s))
    centred = a - a.mean(axis=1)[:, np.newaxis]
    assert close(centred, recall.logits(X, W, s))
    assert not close(centred, recall.scores(X, W) / s)


@pytest.mark.parametrize("cosine", [0, 0.9])
def test_start(recall, cosine):
    for d, width in ((16, None), (64, None), (16, 200)):
        X, W = recall.init(d, 0, cosine=cosine, width=width)
        D = width or 4 * d
        assert X.shape == (16, D)
        lengths = np.linalg.norm(X, axis=1)
        angles = X @ X.T / np.outer(lengths, lengths)
        assert close(lengths**2, D)
        assert close(angles[~np.eye(16, dtype=bool)], cosine)  # at every width
        assert not close(angles[~np.eye(16, dtype=bool)], 1 - cosine)
        assert agrees(np.mean(W[0] ** 2), 1 / D, np.sqrt(2 / W[0].size) / D)
    assert not recall.init(16, 0, zero_query=True)[1][0].any()


def test_exponent_and_its_error(recall):
    rng = np.random.default_rng(4)
    dims = np.array([16, 32, 64, 128, 256])
    estimates = []
    for _ in range(400):
        noisy = dims**0.8 * np.exp(0.1 * rng.standard_normal((8, 5)))
        estimates.append(recall.exponent(dims, noisy))
    slopes, errors = np.transpose(estimates)
    assert agrees(slopes.mean(), 0.8, slopes.std() / 20)
    assert not agrees(slopes.mean(), 0.85, slopes.std() / 20)
    # The error that it states is the scatter that it has; √(mean square) is unbiased for it.
    assert agrees(np.mean(errors**2) / slopes.var(), 1, np.sqrt(2 / 400 * (1 + 1 / 7)))
    assert not agrees(8 * np.mean(errors**2) / slopes.var(), 1, 8 * np.sqrt(2 / 400 * (1 + 1 / 7)))
