"""What is stored of the transformer that looks things up, and a sample of it trained again."""

import numpy as np
import pytest

from tests.tolerance import close
from tests.training.tables import FOUND, PRINTED, learning


def test_the_table_says_where_it_comes_from_and_is_whole(source, measure):
    about = source("training/learning.csv")
    assert about.keys() >= {"package", "seeds", "command", "machine"}
    assert {at[:5] for at in learning()} == {tuple(map(str, at)) for at in measure.grid()}


@pytest.mark.parametrize(("divisor", "other"), [("none", "√d"), ("√d", "d")])
def test_a_sample_trained_again(measure, divisor, other):
    for step, found in measure.run("plain", 16, divisor, 0.001, 0, 50):
        stored, wrong = (
            learning()["plain", "16", s, "0.001", "0", str(step)] for s in (divisor, other)
        )
        # Another order of sums grows in training, about tenfold in ten steps.
        tolerance = PRINTED if step < 50 else 2e-2
        values = [found[name] for name in FOUND]
        assert close(values, [float(stored[name]) for name in FOUND], tolerance)
        assert not close(values, [float(wrong[name]) for name in FOUND], tolerance)


def test_the_measures_by_other_code(torch, model, measure):
    d, s = 16, 4
    text, _, right = model.batch(torch.Generator().manual_seed(0), 1024)
    logits = []
    for step, (W, _) in enumerate(model.train(d, s, 0.001, 0, 10)):
        if step in (0, 10):
            with torch.no_grad():
                logits.append(model.forward(W, text, s)[1])
    first, second = ([a.double().numpy() for a in layer] for layer in zip(*logits, strict=True))
    row = [a[:, 0] - a[:, 0].mean(axis=1)[:, np.newaxis] for a in second]
    place = np.arange(1024), 2 * right.numpy() + 1
    moved = s * np.sqrt(np.mean((row[1] - row[0])[place] ** 2))
    largest = max(np.abs(a[np.isfinite(a)]).max() for a in (first[1], second[1]))
    found = dict(measure.run("plain", d, "√d", 0.001, 0, 10))[10]
    expected = [np.sqrt(row[1].var(axis=1).mean()), largest, moved]
    assert close([found[name] for name in ("spread", "largest", "moved")], expected, 1e-4)
    wrong = s * np.sqrt(np.mean((second[1] - second[0])[:, 0][place] ** 2))
    assert not close(found["moved"], wrong, 1e-2), "with the mean of the row"
