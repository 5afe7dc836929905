"""What moves q·k in the first steps, by other code: exponents, the step of Muon, a sample."""

import numpy as np
import pytest

from tests.conftest import stored_rows
from tests.tolerance import close, mean_and_error

PARTS = ("all", "own", "rest")


def sizes(how, part):
    """Give what is stored: a row for each head size, a column for each seed."""
    found = {}
    for row in stored_rows("training", "split.csv"):
        if row["how"] == how:
            found.setdefault(int(row["d"]), []).append(float(row[part]))
    return np.array([found[d] for d in sorted(found)]), sorted(found)


def slopes(dims, table):
    """Give the slope of each seed, as a covariance over a variance."""
    x = np.log(dims) - np.mean(np.log(dims))
    return x @ np.log(table) / (x @ x)


@pytest.mark.parametrize("how", ["Adam 1", "Muon 1", "Adam 10"])
def test_the_exponents(snippet, how):
    page = snippet("training/split")
    for part in PARTS:
        table, dims = sizes(how, part)
        assert dims == list(page.dims)
        assert close(page.power[how, part], mean_and_error(slopes(dims, table)))
        assert close(page.size[how, part], table.mean(axis=1))
        assert close(page.narrow[how, part], mean_and_error(slopes(dims[:5], table[:5])))
        assert close(page.wide[how, part], mean_and_error(slopes(dims[4:], table[4:])))
    assert not close(page.power[how, "own"], page.power[how, "rest"], 1e-2)


@pytest.fixture(scope="module")
def split(torch, module):
    return module("training/measure_split")


def test_the_step_of_muon(torch, split):
    g = torch.randn(12, 5, generator=torch.Generator().manual_seed(0))
    step = split.orthogonal(g).double().numpy()
    assert close(step.T @ step, 12 * np.eye(5), 1e-5), "equal singular values, and size 1"
    assert close(np.mean(step**2), 1, 1e-5)
    # Of all such matrices it has the largest product with the gradient: the sum of its
    # singular values.
    most = np.linalg.svd(g.double().numpy(), compute_uv=False).sum() * np.sqrt(12)
    assert close(np.sum(step * g.double().numpy()), most, 1e-5)
    sign = g.sign().double().numpy()
    assert not close(sign.T @ sign, 12 * np.eye(5), 1e-2), "the step of Adam is another"


@pytest.mark.parametrize(("how", "other"), [("Adam 1", "Muon 1"), ("Adam 10", "Adam 1")])
def test_a_sample_measured_again(split, how, other):
    (found,) = split.run(how, 16, 20)
    stored, wrong = (
        [float(row[part]) for part in PARTS]
        for name in (how, other)
        for row in stored_rows("training", "split.csv")
        if (row["how"], row["d"], row["seed"]) == (name, "16", "20")
    )
    assert close(found, stored, 2e-2)
    assert not close(found, wrong, 2e-2)


def test_the_parts_are_what_they_say(torch, model, split):
    """With another route: q and k written out, from the vectors that W_Q and W_K are applied to."""
    d, s = 16, 4.0
    old, new = split.first_step(d, s, 20, "Adam 1")
    text, _, right = model.batch(torch.Generator().manual_seed(0), 1024)
    place = torch.arange(len(text)), 2 * right + 1

    def second_layer(W):
        y = model.norm(torch.nn.functional.embedding(text, W["token"]) + W["place"])
        a = model.forward(W, text, s)[1][0]
        x = torch.nn.functional.embedding(text, W["token"]) + W["place"]
        return model.norm(x + a.softmax(-1) @ y @ W["V1"] @ W["O1"])

    def scores(W, of):
        y = second_layer(W)
        S = torch.einsum("id,ijd->ij", y[:, -1] @ of["Q2"], y @ of["K2"])
        return (S - S.mean(1, keepdim=True))[place]

    before = scores(old, old)
    moves = [scores(new, new), scores(old, new), scores(new, old)]
    expected = [(move - before).square().mean().sqrt().item() for move in moves]
    (found,) = split.run("Adam 1", d, 20)
    assert close(found, expected, 1e-3)
    assert not close(found, expected[::-1], 1e-2), "own and rest are not to be exchanged"
