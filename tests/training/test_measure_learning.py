"""What is stored of the transformer that looks things up, and a sample of it trained again."""

import numpy as np
import pytest

from tests.tolerance import close
from tests.training.tables import FOUND, PRINTED, learning


def test_the_table_says_where_it_comes_from_and_is_whole(module, measure):
    for name in ("learning.csv", "signal.csv"):
        about = module("training/stored").source(name)
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


def test_what_softmax_sees_by_other_code(torch, measure):
    a = torch.tensor([[1.0, -torch.inf, -torch.inf], [3.0, 5.0, -torch.inf], [0.0, 3.0, 6.0]])
    expected = np.array([[0, 0, 0], [-1, 1, 0], [-3, 0, 3]])
    assert close(measure.less_mean(a).numpy(), expected)
    assert close(measure.rms(measure.less_mean(a), 6), np.sqrt(20 / 6))
