"""The small transformer of docs/training.md: what is stored, and trained again by another route.

PyTorch is installed by `make torch`. Without it the tests of the tables still run; those that train
say that they skipped, and so does the one that trains on a GPU where PyTorch has none.
"""

import hashlib
from functools import partial
from importlib.util import find_spec
from inspect import signature

import numpy as np
import pytest
from scipy.stats import special_ortho_group

from tests.conftest import PROJECT, stored_rows
from tests.tolerance import agrees, close, mean_and_error

rows = partial(stored_rows, "training")
PARTS = ["lengths", "alignment", "shared", "pairing"]
AT = ("d", "scale", "zero_query", "rate", "seed", "step")
PRINTED = 1e-3  # four digits are stored
# The widths at each step, and how a page names the starts.
DIMS = dict.fromkeys((0, 1, 10, 50), (16, 32, 64, 128, 256))
DIMS |= dict.fromkeys((200, 1000), (16, 32, 64, 128))
START = {"random": "0", "0": "1"}
needs_torch = pytest.mark.skipif(
    not find_spec("torch"), reason="PyTorch is not installed: make torch"
)


@pytest.fixture(scope="module")
def transformer(module):
    return module("training/transformer")


@pytest.fixture(scope="module")
def measure(module):
    return module("training/measure")


@pytest.fixture(scope="module")
def runs():
    return {tuple(row[name] for name in AT): row for row in rows("runs.csv")}


@pytest.fixture(scope="module")
def moved():
    return {(*(row[name] for name in AT), row["pairs"]): row for row in rows("moved.csv")}


# What is stored


def test_each_table_says_where_it_comes_from(module):
    stored = module("training/stored")
    for name in ("runs.csv", "moved.csv"):
        about = stored.source(name)
        assert about.keys() > {"text", "digest", "package", "seeds", "command", "machine"}
        assert "torch" in about["package"]
        assert "snippets/training/measure.py" in about["command"]
        assert len(about["digest"]) == 64


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
    at_64 = [(k, v) for k, v in runs.items() if k[0] == "64" and k[1] == "8/d"]
    assert at_64
    for key, row in at_64:  # 8/64 = 1/√64
        same = runs[("64", "1/√d", *key[2:])]
        assert [same[name] for name in ("loss", "spread", "moved")] == [
            row[name] for name in ("loss", "spread", "moved")
        ]
    at_32 = [(k, v) for k, v in runs.items() if k[0] == "32" and k[1] == "8/d" and k[5] == "50"]
    assert not any(row["spread"] == runs["32", "1/√d", *k[2:]]["spread"] for k, row in at_32)


def slopes(rows, what, scale, zero, step, *pairs, rate="0.2", dims=None):
    """Give the exponent of each seed in closed form: cov(ln d, ln size)/var(ln d)."""
    dims = DIMS[step] if dims is None else dims
    x = np.log(DIMS[step][: len(dims)])
    x -= x.mean()
    key = (scale, START[zero], rate)
    y = [[float(rows[str(d), *key, seed, str(step), *pairs][what]) for d in dims] for seed in "012"]
    return np.log(y) @ x / (x @ x)


def test_exponents_of_the_movement(snippet, moved):
    page = snippet("training/transformer_moved")
    assert len(page.fit) == 2 * 2 * 5 * 3
    assert {step: tuple(dims) for step, dims in page.dims.items()} | {0: DIMS[0]} == DIMS
    for (scale, zero, step, pairs), fit in page.fit.items():
        other = "0" if zero == "random" else "random"

        def again(*at, fit=fit, **dims):
            return [mean_and_error(slopes(moved, part, *at, **dims)) for part in fit]

        found = [*fit.values()]
        assert close(found, again(scale, zero, step, pairs))
        for wrong in (
            again(scale, zero, 200 if step == 50 else 50, pairs),
            again(scale, other, step, pairs),
            again(scale, zero, step, pairs, dims=(32, 16, *DIMS[step][2:])),
        ):
            assert not close(found, wrong, 1e-2), "another step, another start, two widths swapped"
        # They add up, since the factors multiply; four digits are stored of each.
        assert close(sum(fit[part][0] for part in PARTS), fit["size"][0], PRINTED)
        assert not close(sum(fit[part][0] for part in PARTS[1:]), fit["size"][0], PRINTED)
    # Each row stands at its own place: no other row has its numbers.
    every = [tuple(np.ravel([*fit.values()])) for fit in page.fit.values()]
    assert len({*every}) == len(every)
    # Over the widths of all steps; and by how much they change, a difference for each seed.
    assert len(page.common) == len(page.change) == len(page.local) == 2 * 2 * 5
    for (scale, zero, step), found in page.common.items():
        at = (moved, "size", scale, zero)
        early = slopes(*at, step, "attended", dims=DIMS[1000])
        late = slopes(*at, 1000, "attended")
        assert close(found, mean_and_error(early))
        change = page.change[scale, zero, step, 1000]
        assert close(change, mean_and_error(late - early))
        if step < 1000:
            assert not close(change, mean_and_error(early - late), PRINTED)
        if step < 200:
            all_widths = slopes(*at, step, "attended")
            assert not close(found, mean_and_error(all_widths), PRINTED)
            assert not close(change, mean_and_error(late - all_widths), PRINTED)
        # Between neighbours the slope is the logarithm of the ratio, in powers of 2.
        sizes = [
            [
                float(moved[str(d), scale, START[zero], "0.2", seed, str(step), "attended"]["size"])
                for d in DIMS[1000]
            ]
            for seed in "012"
        ]
        steps = np.diff(np.log2(sizes), axis=1).mean(axis=0)
        assert close(page.local[scale, zero, step], steps)
        assert not close(page.local[scale, zero, step], steps[::-1], PRINTED)


def test_the_coordinate_check_and_the_rates(snippet, runs):
    check, rates = snippet("training/transformer_check"), snippet("training/transformer_rates")

    def mean(what, scale, zero, rate, step, d):
        chosen = [
            float(row[what])
            for (width, divisor, begin, at, seed, t), row in runs.items()
            if (width, divisor, begin, float(at), t) == (d, scale, START[zero], rate, step)
        ]
        assert len(chosen) == 3
        return np.mean(chosen)

    assert {step: tuple(dims) for step, dims in check.dims.items()} == DIMS
    places = [(step, place, d) for step, dims in DIMS.items() for place, d in enumerate(dims)]
    for scale, zero in check.mean:
        for what, found in check.by_rate.items():
            for rate, slope in zip(check.rates, found[scale, zero], strict=True):
                at = (runs, what, scale, zero, 50)
                assert close(slope, slopes(*at, rate=f"{rate:g}").mean())
                wrong = slopes(*at, rate=f"{rate:g}", dims=(32, 16, *DIMS[50][2:])).mean()
                assert not close(slope, wrong, 1e-4)
        for step, found in check.fit[scale, zero].items():
            assert close(found, mean_and_error(slopes(runs, "spread", scale, zero, step)))
            wrong = slopes(runs, "spread", scale, zero, 200 if step == 50 else 50)
            assert not close(found, mean_and_error(wrong), PRINTED)
        for step, place, d in places:
            spread = mean("spread", scale, zero, 0.2, str(step), str(d))
            if spread:
                assert close(check.mean[scale, zero][step][place], spread)
            else:
                assert (zero, step) == ("0", 0)
                assert 0 not in check.mean[scale, zero]
        for row, rate in enumerate(rates.rates):
            losses = [mean("loss", scale, zero, rate, "50", str(d)) for d in rates.dims]
            assert close(rates.mean[scale, zero][row], losses)
            assert not close(rates.mean[scale, zero][row], losses[::-1], 1e-4)
        table = rates.mean[scale, zero]
        assert close(rates.excess[scale, zero], table - np.amin(table, axis=0))
        assert not close(rates.excess[scale, zero], table - np.amin(table), 1e-4)
        for place in range(len(rates.dims)):
            lowest = min(range(len(rates.rates)), key=lambda row, at=place: table[row, at])
            assert rates.best[scale, zero][place] == rates.rates[lowest]
    table = (PROJECT.root / "snippets/training/runs.csv").read_text("utf-8")
    assert f"\n# bytes: {check.text_bytes}\n" in table
    assert close(np.exp(check.freezes**2 / 2), check.window)
    for step, found in check.loss.items():
        losses = [
            mean("loss", scale, zero, 0.2, str(step), str(d))
            for scale, zero in check.mean
            for d in DIMS[step]
        ]
        assert close(found, np.mean(losses))
        assert not close(found, np.mean(losses[1:]), 1e-5), "without one width"
    # What attention is worth, seed by seed.
    worth = [
        np.mean(
            [
                float(runs[d, "0", "0", "0.4", seed, "50"]["loss"])
                - float(runs[d, "8/d", "0", "0.4", seed, "50"]["loss"])
                for d in ("16", "32", "64")
            ]
        )
        for seed in "012"
    ]
    assert close((rates.worth.mean(), rates.worth_error), mean_and_error(worth))
    assert rates.worth.mean() > 2 * rates.worth_error > 0
    # And by how much the loss falls in all.
    for step, found in (("0", rates.begun), ("50", rates.ended)):
        losses = [
            float(runs[d, "8/d", "0", "0.4", seed, step]["loss"])
            for seed in "012"
            for d in ("16", "32", "64")
        ]
        assert close(found, np.mean(losses))


# The model by other code


def softmax(a):
    """Give the softmax of each row."""
    p = np.exp(a - a.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)


def by_hand(W, text, s):
    """Give the mean loss over a text's windows, in double precision, one at a time."""

    def norm(x):
        return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)

    losses = []
    for window in text:
        seen, following = window[:-1], window[1:]
        x = np.array([W["byte"][:, b] + W["place"][:, i] for i, b in enumerate(seen)])
        for layer in "01":
            q, k, v = (norm(x) @ W[name + layer].T for name in "QKV")
            d = q.shape[1] // 4
            mixed = np.zeros_like(v)
            for head in range(4):
                own = slice(head * d, (head + 1) * d)
                for i in range(len(seen)):  # what comes later is not seen
                    mixed[i, own] = softmax(k[: i + 1, own] @ q[i, own] / s) @ v[: i + 1, own]
            x = x + mixed @ W["O" + layer].T
            x = x + np.maximum(norm(x) @ W["up" + layer].T, 0) @ W["down" + layer].T
        p = softmax(norm(x) @ W["readout"].T)
        losses.append(-np.log(p[np.arange(len(following)), following]).mean())
    return np.mean(losses)


def arrays(W):
    """Give a copy of weights as arrays of double precision."""
    return {name: w.detach().double().numpy().copy() for name, w in W.items()}


TEXT = np.frombuffer(b"def attention(query, key, value): return softmax(query @ key) " * 40, "u1")


@needs_torch
def test_the_loss_by_other_code(transformer):
    import torch

    rng = torch.Generator().manual_seed(3)
    text = transformer.batch(torch.from_numpy(TEXT.copy()), 3, rng)
    W = transformer.init(8, 0)
    loss = transformer.loss(W, text, 2.0).item()
    assert close(loss, by_hand(arrays(W), text.numpy(), 2.0), 1e-5)
    assert not close(loss, by_hand(arrays(W), text.numpy(), 2.0**0.5), 1e-5), "another divisor"
    early = text.numpy()[:, ::-1]
    assert not close(loss, by_hand(arrays(W), early, 2.0), 1e-5)


@needs_torch
def test_how_much_is_read(snippet, transformer, measure):
    page = snippet("training/transformer_check")
    assert page.window == transformer.LENGTH
    sequences = signature(transformer.train).parameters["sequences"].default
    trained_on, _ = measure.split(bytes(page.text_bytes))
    read = page.steps[-1] * sequences * transformer.LENGTH
    assert close(page.read_share, read / len(trained_on), 1e-5)
    assert not close(page.read_share, read / page.text_bytes, 1e-5), "with what is held out"


@needs_torch
def test_the_start(transformer):
    W = {name: w.detach() for name, w in transformer.init(32, 1).items()}
    assert len(W) == 2 + 6 * 2 + 1
    for name, w in W.items():
        inputs = {"byte": 1, "place": 1}.get(name, w.shape[1])
        variance = inputs ** (-2 if name == "readout" else -1)
        error = variance * np.sqrt(2 / w.numel())
        assert agrees(w.square().mean().item(), variance, error)
        assert not agrees(w.square().mean().item(), 2 * variance, error)
    zero = transformer.init(32, 1, zero_query=True)
    for name, w in zero.items():
        assert close(w.detach(), 0 if name[0] == "Q" else W[name])


@needs_torch
def test_the_first_step_of_adam(transformer):
    # Each weight moves by the learning rate of its matrix, against the sign of its derivative.
    import torch

    text, eta, s = torch.from_numpy(TEXT.copy()), 0.1, 2.0
    drawn = transformer.batch(text, 32, torch.Generator().manual_seed(1002)).numpy()
    steps = transformer.train(text, 8, 2, s, eta, 1)
    before, after = (arrays(W) for W in steps)
    rng = np.random.default_rng(0)
    signs = []
    for name in ("Q0", "K1", "V0", "O1", "up0", "down1", "readout", "place", "byte"):
        change = after[name] - before[name]
        inputs = {"byte": 1, "place": 1}.get(name, change.shape[1])
        used = np.argwhere(change)  # bytes that do not occur have no derivative
        assert close(np.abs(change[tuple(used.T)]), eta / inputs, 1e-4)
        place = tuple(used[rng.integers(len(used))])
        loss = []
        for h in (1e-4, -1e-4):
            W = before | {name: before[name].copy()}
            W[name][place] += h
            loss.append(by_hand(W, drawn[:, :], s))
        signs.append(np.sign(loss[0] - loss[1]) * np.sign(change[place]))
    assert signs == [-1] * len(signs)


@needs_torch
def test_factors_by_other_code(measure):
    # One head, four tokens of three dimensions, with every pair of a query and a key gone through.
    import torch

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


@needs_torch
def test_the_spread_by_other_code(measure):
    import torch

    rng = np.random.default_rng(6)
    q, k = rng.standard_normal((2, 1, 1, 4, 3))
    a = (q @ np.swapaxes(k, 2, 3) / 1.7)[0, 0]
    rows = [row[: i + 1] - row[: i + 1].mean() for i, row in enumerate(a)]
    p = torch.ones(1, 1, 4, 4).tril()
    found = measure.spread(torch.from_numpy(q), torch.from_numpy(k), p, 1.7)
    assert close(found, np.sqrt(np.mean(np.concatenate(rows) ** 2)))
    assert not close(found, np.sqrt(np.mean(a**2)), 1e-3)


@needs_torch
@pytest.mark.parametrize(("scale", "zero"), [("8/d", False), ("1/√d", True)])
@pytest.mark.parametrize(("device", "steps"), [("cpu", 50), ("cuda", 10)])
def test_a_sample_trained_again(module, measure, runs, moved, scale, zero, device, steps):
    import torch

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
            stored = moved[*key, kind]
            assert close(list(found.values()), [float(stored[name]) for name in found], tolerance)
            wrong = moved[*other, kind]
            assert not close(
                list(found.values()), [float(wrong[name]) for name in found], tolerance
            )
