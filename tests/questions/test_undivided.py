"""Learning without the divisor: another optimiser's code, and a differential equation."""

import numpy as np
import pytest
from scipy import integrate, special

from tests.tolerance import close


def test_the_loss_before_the_first_step_and_after_it(snippet, module):
    """The gradient by small changes of the weights, and Adam's first step by its signs."""
    result = snippet("questions/undivided")
    rng = np.random.default_rng(0)
    X = np.sqrt(256) * np.linalg.qr(rng.standard_normal((256, 16)))[0].T
    W = rng.standard_normal((2, 64, 256)) / 16

    def loss(W, divisor):
        p = special.softmax((X @ W[0].T) @ (X @ W[1].T).T / divisor, axis=1)
        return -np.log(np.diag(p)).mean()

    for name, divisor in (("none", 1), ("√d", 8), ("d", 64)):
        assert close(loss(W, divisor), result.loss[name][0])
        where = [(0, 3, 5), (1, 60, 200), (0, 11, 77)]
        for place in where:  # one weight each: down, if the loss rises with it
            up, stepped = W.copy(), W.copy()
            up[place] += 1e-5
            slope = loss(up, divisor) - loss(W, divisor)
            stepped[place] -= 0.1 / 256 * np.sign(slope)
            assert loss(stepped, divisor) < loss(W, divisor)
        assert result.loss[name][1] < result.loss[name][0]
    assert not close(loss(W, 2), result.loss["√d"][0])


@pytest.mark.parametrize(("name", "spread"), [("none", 8), ("√d", 1)])
def test_how_many_queries_find_the_key(snippet, name, spread):
    """Steps of 1 follow the flow dz/dt = p₀(e₀ − p), save where they are large."""
    share = snippet("questions/undivided").late[name]
    found, starts = 0, spread * np.random.default_rng(5).standard_normal((300, 3))

    def flow(_, z):
        p = special.softmax(z)
        return p[0] * (np.array([1, 0, 0]) - p)

    for z in starts:
        end = integrate.solve_ivp(flow, (0, 1000), z, rtol=1e-6).y[:, -1]
        found += special.softmax(end)[0] > 1 / 2
    error = np.sqrt(share * (1 - share) / len(starts)) + 0.01
    assert abs(found / len(starts) - share) < 4 * error
    first = snippet("questions/undivided").share[name][0]
    assert abs(first - share) > 4 * error, "at the start far fewer have"
