"""Learning without the divisor: another program, and a differential equation."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import integrate, special

from tests.tolerance import close
from tests.training import by_hand


@pytest.mark.parametrize(("name", "divisor"), [("none", 1), ("√d", 8), ("d", 64)])
def test_the_losses_by_another_program(snippet, name, divisor):
    result, rng = snippet("questions/undivided"), np.random.default_rng(0)
    X = np.sqrt(256) * np.linalg.qr(rng.standard_normal((256, 16)))[0].T
    layer = SimpleNamespace(init=lambda d, seed: (X, rng.standard_normal((2, d, 256)) / 16))
    _, W = by_hand.train(layer, 64, 0, divisor, 20)
    loss = -np.log(np.diag(by_hand.probabilities(X, W, divisor))).mean()
    assert close([result.loss[name][20] / loss, result.after_20[name] / loss], 1, 1e-6)
    assert not close(result.loss[name][19] / loss, 1, 1e-2)


@pytest.mark.parametrize(("name", "spread"), [("none", 8), ("√d", 1)])
def test_how_many_queries_find_the_key(snippet, name, spread):
    """Steps of 1 follow the flow dz/dt = p₀(e₀ − p), save where they are large."""
    result = snippet("questions/undivided")
    start = spread * np.random.default_rng(1).normal(size=(3, 5000))

    def flow(_, z):
        p = special.softmax(z.reshape(start.shape), axis=0)
        return (p[0] * (np.eye(3)[0][:, np.newaxis] - p)).ravel()

    end = integrate.solve_ivp(flow, (0, 1000), start.ravel(), rtol=1e-6).y[:, -1]
    share = np.mean(special.softmax(end.reshape(start.shape), axis=0)[0] > 1 / 2)
    assert abs(share - result.late[name]) < 0.005
    assert abs(share - result.share[name][0]) > 0.2, "at the start far fewer have"
