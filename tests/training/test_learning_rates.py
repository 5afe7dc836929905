"""The losses over the learning rate, from the table by other code."""

import numpy as np

from tests.tolerance import close
from tests.training.tables import RATES, best, seeds


def test_the_losses_over_learning_rates(snippet):
    page = snippet("training/learning_rates")
    for (divisor, d), mean in page.mean.items():
        losses = [seeds("loss", "plain", d, divisor, rate) for rate in RATES]
        assert close(mean, np.mean(losses, axis=1))
        if divisor != "none":
            assert not close(mean, np.mean(losses[::-1], axis=1), 1e-2)
        works = [float(r) for r, loss in zip(RATES, losses, strict=True) if max(loss) < 1]
        assert page.largest[divisor, d] == max(works, default=0)
        if divisor != "none":
            assert str(page.best[divisor, d]) == best("plain", d, divisor)[0]
