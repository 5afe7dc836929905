"""The stored tables of the small transformer: what they say, and a sample trained again.

One trains on a GPU, and says that it skipped where PyTorch has none.
"""

import hashlib

import numpy as np
import pytest
from scipy.stats import special_ortho_group

from tests.tolerance import agrees, close, mean_and_error
from tests.training.tables import DIMS, PARTS, PRINTED


def test_each_table_says_where_it_comes_from(module):
    for name in ("runs.csv", "moved.csv"):
        about = module("training/stored").source(name)
        assert about.keys() > {"text", "digest", "package", "seeds", "command", "machine"}


def test_the_movement_is_the_product_of_its_factors(moved):
    at_a_step = 2 * 2 * 3 * 3  # scales, starts, seeds, kinds of pairs
    assert len(moved) == at_a_step * sum(len(dims) for step, dims in DIMS.items() if step)
    for row in moved.values():
        size = np.prod([float(row[part]) for part in PARTS])
        assert close(size / float(row["size"]), 1, PRINTED)
    assert not all(close(float(row["pairing"]), 1, PRINTED) for row in moved.values()), (
        "without the last"
    )


def test_runs_and_movement_are_of_the_same_models(runs, moved):
    for key, row in moved.items():
        if row["pairs"] == "attended":
            assert row["size"] == runs[key[:-1]]["moved"]
    for key, row in runs.items():
        if key[1] == "8/d" and key[5] == "50":
            same = runs[key[0], "1/√d", *key[2:]]
            assert (same == row | {"scale": "1/√d"}) == (key[0] == "64"), "8/64 is 1/√64"


def test_factors_by_other_code(torch, measure):
    # One head, four tokens of three dimensions, with every pair of a query and a key gone through.
    rng = np.random.default_rng(5)
    q, k, Q, K = rng.standard_normal((4, 4, 3)) + 0.5
    w = np.tril(rng.random((4, 4)))
    w /= w.sum()
    given = [torch.from_numpy(a[np.newaxis, np.newaxis]) for a in (q, k, Q, K, w)]
    found = {name: x.item() for name, x in measure.factors(given[:2], given[2:4], given[4]).items()}
    change = Q @ K.T - q @ k.T
    assert close(found["size"], np.sqrt(np.sum(w * change**2)))
    u, v = np.hstack([Q - q, q]), np.hstack([K, K - k])
    assert close(u @ v.T, change)
    at = np.outer(w.sum(axis=1), w.sum(axis=0))  # any query with any key
    apart = np.sum(at * (u @ v.T) ** 2)
    u, v = u - w.sum(axis=1) @ u, v - w.sum(axis=0) @ v
    centred = np.sum(at * (u @ v.T) ** 2)
    # Turned at random, E (a·b)² = |a|²|b|²/d, apart from each other for Δq·k and q·Δk.
    turned = []
    for _ in range(4000):
        a, b = special_ortho_group.rvs(3, 2, random_state=rng)
        rotated = u[:, :3] @ a @ v[:, :3].T + u[:, 3:] @ b @ v[:, 3:].T
        turned.append(np.sum(at * rotated**2))
    mean, error = mean_and_error(turned)
    assert agrees(mean, found["lengths"] ** 2, error)
    assert not agrees(mean, 3 * found["lengths"] ** 2, error), "without 1/d"
    assert close(found["alignment"], np.sqrt(centred) / found["lengths"])
    assert close(found["shared"], np.sqrt(apart / centred))
    assert close(found["pairing"], found["size"] / np.sqrt(apart))
    assert not close(found["shared"], found["pairing"], 1e-3)


def test_the_spread_by_other_code(torch, measure):
    rng = np.random.default_rng(6)
    q, k = rng.standard_normal((2, 1, 1, 4, 3))
    a = (q @ np.swapaxes(k, 2, 3) / 1.7)[0, 0]
    rows = [row[: i + 1] - row[: i + 1].mean() for i, row in enumerate(a)]
    p = torch.ones(1, 1, 4, 4).tril()
    found = measure.spread(torch.from_numpy(q), torch.from_numpy(k), p, 1.7)
    assert close(found, np.sqrt(np.mean(np.concatenate(rows) ** 2)))
    assert not close(found, np.sqrt(np.mean(a**2)), 1e-3)


@pytest.mark.parametrize(("scale", "zero"), [("8/d", False), ("1/√d", True)])
@pytest.mark.parametrize(("device", "steps"), [("cpu", 50), ("cuda", 10)])
def test_a_sample_trained_again(torch, module, measure, runs, moved, scale, zero, device, steps):
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU: nothing was trained on one")
    raw = measure.text()
    if hashlib.sha256(raw).hexdigest() != module("training/stored").source("runs.csv")["digest"]:
        pytest.skip("another version of Python has another text")
    torch.set_num_threads(1)
    data, probe = measure.split(raw)
    rows = measure.run(data, probe.to(device), 16, scale, zero, 0.2, 1, steps)
    for step, loss, spread, parts in rows:
        key = ("16", scale, str(int(zero)), "0.2", "1", str(step))
        other = ("16", scale, str(int(not zero)), *key[3:])
        # Another order of sums grows in training, about tenfold in ten steps: 1 % after fifty.
        tolerance = PRINTED if step < 10 else 1e-2
        assert close(loss, float(runs[key]["loss"]), tolerance)
        assert close(spread, float(runs[key]["spread"]), tolerance)
        assert not close(spread, float(runs[other]["spread"]), tolerance)
        for kind, found in parts.items():
            values = [*found.values()]
            stored, wrong = (
                [float(moved[*at, kind][name]) for name in found] for at in (key, other)
            )
            assert close(values, stored, tolerance)
            assert not close(values, wrong, tolerance)
