"""Gains without a divisor, from what is stored, read by other code."""

import numpy as np

from tests.conftest import stored_rows
from tests.tolerance import close, mean_and_error


def of_seeds(what, d, arm, step):
    """Give what is stored of each seed at a step."""
    remedy, exponent, times = arm
    where = {"d": str(d), "remedy": remedy, "times": str(times), "step": str(step)}
    rows = stored_rows("growth", "gains.csv", **where)
    rows = [row for row in rows if float(row["exponent"]) == exponent]
    return np.array([float(row[what]) for row in sorted(rows, key=lambda row: row["seed"])])


def test_gains_and_losses_over_the_steps(snippet):
    page = snippet("growth/gains")
    for (d, label), found in page.end.items():
        last = page.last
        losses, plain = (of_seeds("loss", d, page.arms[name], last) for name in (label, "÷ √d"))
        assert len(losses) == page.seeds == 3
        assert close(found["above"], mean_and_error(losses - plain))
        for what in ("gain", "spread", "largest"):
            sizes = of_seeds(what, d, page.arms[label], last)
            assert close(found[what], mean_and_error(sizes))
            if d == page.d:
                every = [of_seeds(what, d, page.arms[label], s).mean() for s in page.steps]
                assert close(page.over[d, label][what], every)
        assert close(found["start"], d ** page.arms[label][1], 1e-3)


def test_where_the_root_goes(snippet):
    page = snippet("growth/gains")
    rng = np.random.default_rng(5)
    for d, spread in page.spreads.items():
        q, k = rng.standard_normal((2, 20_000, d))
        q, k = (x / np.sqrt(np.mean(x**2, axis=1, keepdims=True)) for x in (q, k))
        products = np.sum(q * k, axis=1)
        error = spread / np.sqrt(2 * len(products))
        assert abs(np.std(products) - spread) < 4.5 * error
        scaled = np.std(page.needed[d] ** 2 * products)
        assert abs(scaled - 1) < 4.5 * error / spread
        assert not abs(np.std(page.needed[d] * products) - 1) < 4.5 * error / spread, "one gain"
    assert close(page.fewest * page.rate, 1 - 256**-0.25)
