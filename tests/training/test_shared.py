"""What batches share of the gradient: the stored table by other code, and a sample again."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.conftest import stored_rows
from tests.tolerance import agrees, close, mean_and_error

DIMS = (16, 64, 256, 1024)


def column(what, divisor, d, layer="both", pairs=8):
    where = {"divisor": divisor, "d": str(d), "layer": layer, "pairs": str(pairs)}
    rows = sorted(stored_rows("training", "signal.csv", **where), key=lambda row: int(row["seed"]))
    return np.array([float(row[what]) for row in rows])


def common(divisor, d, **where):
    """Give the squared length of what batches share, times the divisor's square."""
    square = column("length", divisor, d, **where) ** 2 * column("common", divisor, d, **where)
    return square * (d if divisor == "√d" else 1)


def test_the_ratios_by_other_code(snippet):
    page = snippet("training/shared")
    for d in DIMS:
        length = column("length", "none", d) / column("length", "√d", d) / d**0.5
        assert close(page.one_batch[d], mean_and_error(length), 1e-9)
        mean, error = mean_and_error(common("none", d) / common("√d", d))
        assert close(page.shared[d], (mean**0.5, error / mean**0.5 / 2), 1e-9)
        for divisor in ("none", "√d"):
            assert close(page.agree[divisor][d], mean_and_error(column("common", divisor, d)), 1e-9)
        median = column("typical", "none", d) / column("typical", "√d", d) / d**0.5
        assert close(page.typical[d], mean_and_error(median), 1e-9)
    ratio = common("none", 64, pairs=32) / common("√d", 64, pairs=32)
    assert close(page.longer_shared[0], ratio.mean() ** 0.5, 1e-9)
    assert not close(page.shared[64][0], page.one_batch[64][0], 0.1), "not that of a batch"


def test_what_is_shared_is_told_from_nothing_and_falls(snippet):
    """Each size by itself, and by the errors that the script gives for single seeds."""
    page = snippet("training/shared")
    for d in DIMS:
        shares, errors = column("common", "none", d), column("error", "none", d)
        mean, error = mean_and_error(shares)
        assert mean > 2 * error or d == 1024
        assert np.sqrt(np.mean(errors**2) / len(errors)) < 3 * error, (
            "errors of seeds are no larger"
        )
    assert np.all(np.diff([page.shared[d][0] for d in DIMS]) < 0)


def test_the_line_is_the_mean_of_p_times_1_less_p(snippet):
    """By simulation, for the row of random keys; the root mean square falls far less."""
    page = snippet("training/shared")
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((200_000, page.n))
    for d, found, whole in zip(page.line, page.in_a_row, page.one_row, strict=True):
        if d not in (16, 64, 256):
            continue
        one, undivided = (softmax(s * scores, axis=1) for s in (1, np.sqrt(d)))
        answers = [np.sum(p * (1 - p), axis=1) for p in (undivided, one)]
        means, errors = zip(*(mean_and_error(each) for each in answers), strict=True)
        error = found * np.hypot(errors[0] / means[0], errors[1] / means[1])
        assert agrees(means[0] / means[1], found, error)
        squares = [
            np.mean(np.sum(p**2, 1) - 2 * np.sum(p**3, 1) + np.sum(p**2, 1) ** 2)
            for p in (undivided, one)
        ]
        assert close(whole, (squares[0] / squares[1]) ** 0.5, 0.02)
        assert not close(found, whole, 0.2), "not the norm"
    for n, found in page.in_rows.items():
        scores = rng.standard_normal((20_000, n))
        parts = [np.sum(p * (1 - p), axis=1) for p in (softmax(s * scores, 1) for s in (8, 1))]
        means, errors = zip(*map(mean_and_error, parts), strict=True)
        error = found * np.hypot(errors[0] / means[0], errors[1] / means[1])
        assert agrees(means[0] / means[1], found, error)
        assert not agrees(means[0] / n, found, error), "not over n, but over the divided row's"


@pytest.fixture(scope="module")
def script(torch, module):
    return module("training/measure_signal")


def test_the_table_is_whole_and_says_where_it_comes_from(source, script):
    about = source("training/signal.csv")
    assert about.keys() >= {"package", "seeds", "command", "machine"}
    stored = {
        tuple(row[name] for name in ("d", "pairs", "divisor", "seed"))
        for row in stored_rows("training", "signal.csv")
    }
    assert stored == {tuple(map(str, at)) for at in script.grid()}


def test_a_sample_by_pairs_of_batches(torch, model, script):
    """The mean product of two batches' gradients, over their mean square."""
    [row] = [row for row in script.signal(16, 8, "√d", 0, groups=4, lone=64) if row[0] == "both"]
    _, length, share, error, _ = row
    W, rng = model.init(16, 0), torch.Generator().manual_seed(5)

    def gradient():
        text, answer, _ = model.batch(rng)
        weights = [W[name] for name in ("Q1", "K1", "Q2", "K2")]
        parts = torch.autograd.grad(model.loss(W, text, answer, 4.0), weights)
        return torch.cat([part.flatten() for part in parts])

    pairs = [(gradient(), gradient()) for _ in range(60)]
    square = np.mean([(g @ g).item() for pair in pairs for g in pair])
    products = np.array([(one @ other).item() for one, other in pairs])
    mean, of_mean = mean_and_error(products / square)
    assert agrees(mean, share, np.hypot(of_mean, error))
    assert not agrees(mean, 5 * share, np.hypot(of_mean, error))
    assert close(length, square**0.5, 0.05)
    [stored] = stored_rows(
        "training", "signal.csv", d="16", divisor="√d", seed="0", layer="both", pairs="8"
    )
    assert agrees(share, float(stored["common"]), np.hypot(error, float(stored["error"])))
