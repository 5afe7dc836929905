"""The sweep over widths: theory gives the exponents."""

import pytest

from tests.check_attention.script import ours, torch


def sweep(fault, **options):
    return ours.width_sweep(
        lambda d: ours.demo(fault, d=d, seed=torch.initial_seed()), [8, 16, 32, 64], **options
    )


@pytest.mark.parametrize(("fault", "exponent"), [("none", 0), ("forgotten", 0.5), ("twice", -0.5)])
def test_the_exponent_of_the_spread(fault, exponent):
    found = sweep(fault, seeds=2)
    value, error = found.exponent("spread")
    assert abs(value - exponent) < max(4 * error, 0.02)
    assert 0 < error < 0.05
    assert {point["d"] for point in found.points} == {8, 16, 32, 64}
    words = {0: "does not depend on d", 0.5: "grows", -0.5: "falls"}
    line = next(line for line in str(found).splitlines() if "spread" in line)
    assert line.endswith(words[exponent])
    assert [word for word in words.values() if word in line] == [words[exponent]]


def test_it_is_measured_again_after_training():
    def train(model, batches):
        with torch.no_grad():
            for attention in model.attention:
                attention.q.weight *= attention.q.weight.shape[0] ** 0.5  # so grows the spread

    found = sweep("none", train=train, seeds=2)
    start, trained = (found.exponent("spread", when)[0] for when in ("start", "trained"))
    assert abs(start) < 0.03
    assert trained == pytest.approx(0.5, abs=0.03)
    assert found.exponent("max_logit", "trained")[0] > 0.3


def test_two_widths_are_needed():
    with pytest.raises(ours.CheckError, match="two widths"):
        ours.width_sweep(lambda d: ours.demo(d=d), [8], seeds=3).exponent("spread")
