"""How q·k moves in the transformer: the exponents in closed form."""

import numpy as np

from tests.tolerance import close, mean_and_error
from tests.training.tables import seeds

SETTING = {"random": "plain", "0": "W_Q = 0"}


def test_the_exponents_and_the_logits(snippet):
    page = snippet("training/learning_moved")
    x, first, local = np.log(page.dims) - np.mean(np.log(page.dims)), [], []
    for (divisor, start, step), found in page.fit.items():
        at = SETTING[start], divisor, step
        for what, fitted in (("moved", found), ("spread", page.level[divisor, start, step])):
            sizes = np.array([seeds(what, at[0], d, at[1], "0.001", at[2]) for d in page.dims])
            slopes = x @ np.log(sizes) / (x @ x)  # cov(ln d, ln size)/var(ln d), for each seed
            assert close(fitted, mean_and_error(slopes))
            if what == "moved" and step <= 10:
                first.append(slopes.mean())
                if step == 10:
                    local.append(np.log(sizes.mean(axis=1)) / np.log(4))
        assert close(page.logits[divisor, start, step], sizes.mean(axis=1))
        assert not close(found, page.level[divisor, start, step], 1e-2), "of q·k, not of logits"
    assert close(page.early, [min(first), max(first)])
    assert close(page.local, np.diff(np.mean(local, axis=0)))
