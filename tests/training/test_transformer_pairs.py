"""Whose q·k moves: the tables in closed form, and the layer by the second program."""

import numpy as np

from tests.tolerance import close, mean_and_error
from tests.training import by_hand
from tests.training.tables import DIMS, mean, slopes


def test_exponents_and_levels(snippet, moved, runs):
    page = snippet("training/transformer_pairs")
    assert len(page.size) == len(page.level) == 2 * len(page.seen) == 2 * 2 * 5
    for at, found in page.size.items():
        assert close(found, mean_and_error(slopes(moved, "size", *at, "attended")))
        assert not close(found, mean_and_error(slopes(moved, "size", *at, "all")), 1e-4)
        dims = DIMS[at[-1]]
        factor = [mean(moved, "pairing", *at, d, "attended") for d in dims]
        assert close(page.level[at], factor)
        pairs = [dims[i : i + 2] for i in range(len(dims) - 1)]
        slope = [slopes(moved, "size", *at, "attended", dims=pair).mean() for pair in pairs[:1]]
        assert close(page.local[at][:1], slope)
    # Softmax sees spread·d/8 of it, for each seed.
    for column, d in ((0, "16"), (-1, "256")):
        key = [(d, "8/d", "1", "0.2", seed, "10") for seed in "012"]
        seen = [float(runs[at]["spread"]) * int(d) / 8 for at in key]
        every = [float(moved[*at, "all"]["size"]) for at in key]
        assert close(page.share[column], np.mean(np.divide(seen, every) ** 2))
        assert not close(page.share[column], np.mean(np.divide(seen, every)), 0.1), "no square"
    assert close(page.least, min(level.min() for level in page.level.values()))
    assert close(page.most, max(level.max() for level in page.level.values()))
    for at, found in page.seen.items():
        # A divisor is a power of d: it adds that power.
        of_logits = slopes(runs, "spread", *at)
        power = {"8/d": 1, "1/√d": 0.5}[at[0]]
        assert close(found, mean_and_error(of_logits + power))
        assert not close(found, mean_and_error(of_logits), 1e-3), "of the logits"


def test_the_layer_by_another_program(recall, snippet):
    page = snippet("training/transformer_pairs")
    for column, d in enumerate((16, 32)):
        moved = by_hand.scores(*by_hand.train(recall, d, 1, d / 8, 10, zero_query=True))
        found = np.linalg.norm(np.diag(moved)) / np.linalg.norm(moved) * 4
        assert close(page.in_layer[1, column], found, 1e-6)
    assert close(page.layer, page.in_layer.mean(axis=0))
    assert close(page.layer_exponent, recall.exponent(page.dims, page.in_layer))


def test_a_factor_with_a_bound_has_no_exponent(recall, snippet):
    """The level tells a movement of single pairs from one that all share, the exponent does not."""
    page = snippet("training/transformer_pairs")
    rng, dims = np.random.default_rng(3), [16, 32, 64, 128, 256]

    def factor(moved):
        return np.sqrt(np.mean(np.diag(moved) ** 2) / np.mean(moved**2))

    assert close(factor(np.eye(16)), page.bound)  # nothing but the right pairs
    assert all(factor(rng.standard_normal((16, 16))) < page.bound for _ in range(100))
    alone = [[factor(d * np.eye(16) + rng.standard_normal((16, 16))) for d in dims] for _ in "123"]
    shared = [[factor(d + rng.standard_normal((16, 16))) for d in dims] for _ in "123"]
    for case in (alone, shared):
        assert abs(recall.exponent(dims, case)[0]) < 0.05
    assert np.min(alone) > 3 * np.max(shared)
    assert np.min(page.layer) > 2 * page.most
