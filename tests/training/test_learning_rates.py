"""The losses over the learning rate, from the table by other code."""

import numpy as np

from tests.tolerance import close
from tests.training.tables import RATES, seeds


def test_the_losses_over_learning_rates(snippet):
    page = snippet("training/learning_rates")
    for (divisor, d), mean in page.mean.items():
        losses = [seeds("loss", "plain", d, divisor, rate) for rate in RATES]
        assert close(mean, np.mean(losses, axis=1))
        if divisor != "none":
            assert not close(mean, np.mean(losses[::-1], axis=1), 1e-2)
        works = [float(r) for r, loss in zip(RATES, losses, strict=True) if max(loss) < 1]
        assert page.largest[divisor, d] == max(works, default=0)
    for divisor in ("√d", "d"):
        at_2 = [seeds("loss", "plain", d, divisor, "0.002").mean() for d in (16, 64, 256)]
        assert close(page.apart[divisor], max(at_2) / min(at_2))
