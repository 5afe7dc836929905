"""The caricature: exact ends of each measure, and that a divisor is a factor on the time."""

import numpy as np

from tests.tolerance import close


def test_divisors(snippet):
    page, d = snippet("growth/divisor"), 64
    for name, s in {"1": 1, "√d": 8, "d": 64}.items():
        assert close(page.divided[name] * s, page.divided["1"])
    # Late, each coordinate of q and k is η t: the logit s/d (η t)² needs √s times as long.
    t = np.arange(1, page.steps + 1)
    law = d * (page.small * t) ** 2
    assert abs(page.divided["1"][-1] / law[-1] - 1) < 0.05
    assert not abs(page.divided["1"][-1] / (page.small * t[-1]) ** 2 - 1) < 0.05, "without d"
    assert close(page.later**2, 8)


def test_what_holds(snippet):
    page, d = snippet("growth/divisor"), 64
    assert close(page.root, np.sqrt(d))
    assert np.all(page.held["norm"] <= page.root + 1e-9)
    assert np.all(abs(page.held["cap of 50"]) <= 50)
    # In one coordinate q and k begin as a and −a: each steps to 0 after the other, for ever. The
    # clip leaves the others at x, where 63 x²/√d = 100, and a step adds to it.
    [tied] = np.flatnonzero(page.start.sum(axis=0) == 0)
    assert page.start[0, tied] != 0
    x = np.sqrt(800 / (d - 1))
    assert abs(page.held["clip at 100"].max() / 100 - (1 + 0.01 / x) ** 2) < 1e-4
    assert not page.held["norm and gain"][-1] < page.root
    # Where a step and the decay cancel, a coordinate is 1/λ.
    assert close(page.bound, d * (1 / page.decay) ** 2 / 8)
    assert page.held["weight decay"].max() < page.bound < page.divided["√d"].max()


def test_the_example_of_a_logit_of_300(snippet):
    page, d = snippet("growth/divisor"), 64
    q = k = np.ones(d)
    assert close(q @ k / 8, page.root), "turned to one direction"
    assert close(page.longer * q @ (page.longer * k) / 8, 300)
    assert not close(page.longer * q @ k / 8, 300, 1e-2), "one of them alone"
