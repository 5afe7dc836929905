"""How much of a gradient batches agree on: the measure by another route, and what is stored."""

import numpy as np
import pytest

from tests.conftest import stored_rows
from tests.tolerance import agrees, close, mean_and_error


def stored(divisor, batch, name):
    """Give a column of a setting by step: a list of one number for each seed."""
    found = {}
    for row in stored_rows("training", "noise.csv"):
        if (row["divisor"], row["batch"]) == (divisor, str(batch)):
            found.setdefault(int(row["step"]), []).append(float(row[name]))
    return found


def test_what_is_drawn(snippet):
    page = snippet("training/noise")
    for (divisor, batch), shares in page.agree.items():
        loss, common, variance = (
            stored(divisor, batch, name) for name in ("loss", "common", "variance")
        )
        assert [*loss] == page.steps[divisor, batch].tolist()
        assert close(page.loss[divisor, batch], [*loss.values()])
        for seeds, step in zip(page.of_seed[divisor, batch], loss, strict=True):
            G, T = np.array(common[step]), np.array(variance[step])
            assert close(seeds, 1 / (1 + T / (batch * G)))
        for share, step in zip(shares, loss, strict=True):
            signal, noise = np.mean(common[step]), np.mean(variance[step])
            assert close(share, 1 / (1 + noise / (batch * signal)))
    assert not close(page.agree["√d", 37][0], page.agree["√d", 2][0], 1e-2)


def test_agreement_at_the_start_with_other_seeds(snippet):
    """signal.csv has it for eight seeds, from products of groups of batches."""
    page = snippet("training/noise")
    for divisor, other in (("√d", "none"), ("none", "√d")):
        shares = {
            name: [
                float(row["common"])
                for row in stored_rows(
                    "training", "signal.csv", d="64", divisor=name, layer="both", pairs="8"
                )
            ]
            for name in (divisor, other)
        }
        mean, error = mean_and_error(shares[divisor])
        found = page.agree[divisor, 64][0]
        assert agrees(found, mean, 2 * error)
        assert not agrees(found, np.mean(shares[other]), error / 2), "the other divisor"


@pytest.fixture(scope="module")
def noise(torch, module):
    return module("training/measure_noise")


def test_the_table_is_whole_and_says_where_it_comes_from(source, noise):
    assert source("training/noise.csv").keys() >= {
        "package",
        "seeds",
        "command",
    }
    found = {
        (row["divisor"], int(row["batch"]), float(row["rate"]), int(row["seed"]))
        for row in stored_rows("training", "noise.csv")
    }
    assert found == set(noise.grid())


def test_the_measure(torch, model, noise):
    """G² and T of a gradient from sequences one by one, and the share in batches of 16."""
    W, s = model.init(64, 20), 8.0
    common, variance = noise.agreement(W, s, 20)
    weights = [w for name, w in W.items() if name[0] in "QK"]
    rng = torch.Generator().manual_seed(77)

    def gradient(sequences):
        text, answer, _ = model.batch(rng, sequences)
        parts = torch.autograd.grad(model.loss(W, text, answer, s), weights)
        return torch.cat([part.flatten() for part in parts])

    alone = torch.stack([gradient(1) for _ in range(400)])
    squares = alone.square().sum(1).numpy()
    mean, error = mean_and_error(squares)
    assert agrees(common + variance, mean, error), "a sequence alone: G² + T"
    assert not agrees(variance / 64, mean, error), "not that of a batch"
    batches = torch.stack([gradient(16) for _ in range(100)])
    mean, error = mean_and_error(batches.square().sum(1).numpy())
    assert agrees(common + variance / 16, mean, error)
