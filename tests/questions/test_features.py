"""Random features: estimates drawn feature by feature, as Performers make them."""

import numpy as np

from tests.tolerance import agrees, close, is_median, mean_and_error

D, M = 64, 256
RNG = np.random.default_rng(0)


def estimates(q, k, draws, m=M):
    """Draw estimates of e^(q·k) from positive random features of q and of k."""
    w = RNG.standard_normal((draws, m, len(q)))
    phi_q, phi_k = (np.exp(w @ x - x @ x / 2) / np.sqrt(m) for x in (q, k))
    return np.sum(phi_q * phi_k, axis=1)


def pair():
    """Give a query and a key of length √d at right angles, in the plane in which they lie."""
    return np.sqrt(D) * np.eye(2)


def test_the_median_estimate(snippet):
    result = snippet("questions/features")
    q, k = pair()
    quarters = estimates(q / D**0.25, k / D**0.25, 40_000)
    on_query = estimates(q / np.sqrt(D), k, 40_000)
    assert is_median(result.quarters, quarters, 10**9)
    assert is_median(result.on_query, on_query, 10**9)
    assert not is_median(result.quarters, on_query, 10**9)
    assert not is_median(1.05 * result.quarters, quarters, 10**9), "five percent more passes"


def test_the_variance_and_what_two_keys_share(snippet):
    """With vectors so short that the variance can be seen in a sample."""
    q, k = (x / 8 for x in pair())
    drawn = estimates(q, k, 200_000, m=1)
    mean, error = mean_and_error(drawn)
    assert agrees(mean, np.exp(q @ k), error), "it is right on average"
    squares, error = mean_and_error((drawn - np.exp(q @ k)) ** 2)
    assert agrees(squares, np.exp((q + k) @ (q + k)) - 1, error)
    assert not agrees(squares, np.exp(q @ q + 4 * k @ k) - 1, error)
    q, k, other = np.eye(3)
    w = RNG.standard_normal((200_000, 3))
    errors = [np.exp(w @ (q + x) - 1) - 1 for x in (k, other)]
    expected = (np.exp(q @ q) - 1) / (np.exp(2 * q @ q) - 1)
    assert abs(np.corrcoef(errors)[0, 1] - expected) < 0.05
    result = snippet("questions/features")
    assert close(result.millions, np.expm1(8 + 8) / 1e6)
    assert close(result.shared, 1 / (np.exp(result.balanced / 2) + 1))


def test_vectors_of_length_1(snippet):
    """As RFA has them: the error of 256 features, by drawing."""
    result = snippet("questions/features")
    errors = estimates(*np.eye(2), 20_000) - 1
    squares, error = mean_and_error(errors**2)
    assert agrees(squares, result.unit_error**2, error)
    assert not agrees(squares, result.unit_error**2 / 2, error)
    q, k = RNG.standard_normal((2, 20_000, D))
    cosines = np.sum(q * k, axis=1) / np.linalg.norm(q, axis=1) / np.linalg.norm(k, axis=1)
    assert close(cosines.std(), result.unit_spread, 0.001)
