"""Rates of their own, shared rates and norms without a divisor: exact, and a sample again."""

import hashlib
import importlib

import pytest

from tests.conftest import stored_rows
from tests.growth.by_seed import PRINTED
from tests.tolerance import close


@pytest.fixture(scope="module")
def steps(measure, module):
    return module("growth/measure_steps")


@pytest.fixture
def text(torch, transformer):
    rng = torch.Generator().manual_seed(3)
    return torch.randint(256, (4, transformer.LENGTH + 1), generator=rng)


def moved(transformer, text, optimizer, **how):
    """Give by how much each weight moves in a first step, by name."""
    W = transformer.init(8, 0)
    old = {name: w.detach().clone() for name, w in W.items()}
    transformer.loss(W, text)[0].backward()
    for one in transformer.optimizers(W, optimizer, (0.2, 0.02), **how):
        one.step()
    return {name: W[name].detach() - old[name] for name in W}


@pytest.mark.parametrize("optimizer", ["Adam", "Muon"])
def test_a_rate_of_their_own_changes_the_steps_of_these_weights_alone(transformer, text, optimizer):
    plain = moved(transformer, text, optimizer)
    own = moved(transformer, text, optimizer, times={"Q": 0.25, "K": 0.25})
    for name, step in plain.items():
        times = 0.25 if name[0] in "QK" else 1
        assert close(own[name], times * step, 1e-4)
        assert close(own[name], step, 1e-6) == (times == 1)


def test_a_shared_rate_keeps_how_far_a_step_moves_a_logit(torch, transformer):
    W = transformer.init(8, 0)
    start = transformer.norms(W)
    each = transformer.optimizers(W, "Adam", (0.2, 0.02))
    with torch.no_grad():
        W["K0"].mul_(3)
        W["Q1"].mul_(2)
    transformer.share_rates(each, transformer.norms(W), start)
    rates = {group["name"]: group["lr"] for one in each for group in one.param_groups}
    first = 0.2 / 32
    expected = {"Q0": first / 3, "K0": first, "Q1": first, "K1": first / 2, "V0": first}
    assert close([rates[name] for name in expected], [*expected.values()])
    transformer.share_rates(each, transformer.norms(W), start, both=True)
    rates = {group["name"]: group["lr"] for one in each for group in one.param_groups}
    both = {"Q0": first / 3, "K0": first / 3, "Q1": first / 2, "K1": first / 2, "V0": first}
    assert close([rates[name] for name in both], [*both.values()])


def test_a_warmup_raises_all_rates_in_equal_parts(torch, transformer, monkeypatch):
    """The third of four steps is three quarters as long as without, and the fifth as long."""
    data = torch.randint(256, (500,), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
    how, rates = (data, 8, 0, "none", "Muon", (0.2, 0.02), 5), {}
    made, seen = transformer.optimizers, []

    def watched(*args):
        found = made(*args)
        found[0].register_step_post_hook(lambda one, *_: seen.append(one.param_groups[0]["lr"]))
        return found

    monkeypatch.setattr(transformer, "optimizers", watched)
    for warmup in (0, 4):
        seen.clear()
        list(transformer.train(*how, warmup=warmup))
        rates[warmup] = [*seen]
    assert close([a / b for a, b in zip(rates[4], rates[0], strict=True)], [0.25, 0.5, 0.75, 1, 1])


@pytest.mark.parametrize("shape", [(16, 16), (32, 16), (16, 32)])
def test_muon_is_pytorchs_own_up_to_how_bf16_rounds(torch, transformer, shape):
    """Its Newton–Schulz in fp32, rounded, against the one in bf16; and not with a step fewer."""
    muon = importlib.reload(torch.optim._muon)
    step = torch.randn(shape, generator=torch.Generator().manual_seed(2))
    how = ((muon.DEFAULT_A, muon.DEFAULT_B, muon.DEFAULT_C), muon.DEFAULT_NS_STEPS, muon.EPS)
    theirs = muon._zeropower_via_newtonschulz(step, *how).float()
    ours = transformer.orthogonal(step, *how)
    apart = (ours - theirs).norm() / theirs.norm()
    assert apart < 2**-7, "two steps of bf16"
    fewer = transformer.orthogonal(step, how[0], 4, how[2])
    assert (fewer - theirs).norm() / theirs.norm() > 10 * 2**-7


def test_gains_of_a_quarter_power_are_the_divisor(transformer, text):
    normed = transformer.init(16, 0, "QK-norm")
    free = transformer.init(16, 0, "undivided norm", gain=16**-0.25)
    plain = transformer.init(16, 0, "undivided norm")
    logits = [
        transformer.forward(W, text[:, :-1], remedy)[1][0][2].detach()
        for W, remedy in (
            (normed, "QK-norm"),
            (free, "undivided norm"),
            (plain, "undivided norm"),
        )
    ]
    assert close(logits[0], logits[1], 1e-4)
    assert close(4 * logits[0], logits[2], 1e-4)


def test_a_table_goes_on_where_it_was_stopped(steps, tmp_path):
    path, head = tmp_path / "table.csv", ["# seeds: few\n", "run,seed,step,loss\n"]
    assert steps.begin(path, head, 2, lambda run: 30) == set()
    rows = [(10, {"loss": 2.0}), (30, {"loss": 1.0})]
    steps.store(path, ("a", 0), rows, ["loss"])
    steps.store(path, ("a", 1), rows[:1], ["loss"])  # stopped
    assert steps.begin(path, head, 2, lambda run: 30) == {("a", "0")}
    assert path.read_text("utf-8").splitlines()[2:] == ["a,0,10,2", "a,0,30,1"]


def same_text(measure, source, table):
    """Skip where another version of Python has another text; else give what to train on."""
    raw = measure.text()
    if hashlib.sha256(raw).hexdigest() != source(f"growth/{table}")["digest"]:
        pytest.skip("another version of Python has another text")
    data, probe = measure.split(raw)
    return data, probe.to(measure.DEVICE)


@pytest.mark.parametrize("optimizer", ["Adam", "Muon"])
def test_a_sample_of_the_steps_again(measure, source, steps, optimizer):
    at = {"remedy": "none", "qk": "0.25", "optimizer": optimizer, "rate": "1", "step": "10"}
    data, probe = same_text(measure, source, "steps.csv")
    row, other = (stored_rows("growth", "steps.csv", seed=seed, **at)[0] for seed in "01")
    own = {"Q": 0.25, "K": 0.25}
    [(step, found)] = steps.run(data, probe, 32, "none", optimizer, 1, 0, 10, times=own)
    assert step == 10
    for name in steps.FOUND:
        assert close(found[name], float(row[name]), 1e-2)
    assert not close(found["loss"], float(other["loss"]), PRINTED)


@pytest.mark.parametrize("arm", [("QK-norm", 0, 1), ("undivided norm", -0.25, 1)])
def test_a_sample_of_the_gains_again(measure, module, source, arm):
    gains = module("growth/measure_gains")
    data, probe = same_text(measure, source, "gains.csv")
    at = {"d": "32", "remedy": arm[0], "exponent": str(arm[1]), "times": str(arm[2])}
    rows, others = (stored_rows("growth", "gains.csv", seed=seed, **at)[:2] for seed in "01")
    for (step, found), row in zip(gains.run(data, probe, 32, *arm, 0, 10), rows, strict=True):
        assert step == int(row["step"])
        for name in gains.FOUND:
            assert close(float(found[name]), float(row[name]), PRINTED)
    assert not close(found["loss"], float(others[-1]["loss"]), PRINTED)


def test_the_first_step_of_one_size_again(measure, module, source):
    first = module("growth/measure_first")
    data, probe = same_text(measure, source, "first.csv")
    for optimizer, times in (("Adam", 1), ("Muon", 10)):
        found = first.run(data, probe, optimizer, times, 16, 0)
        at = {"optimizer": optimizer, "times": str(times), "d": "16", "seed": "0"}
        for part, size in found.items():
            [row] = stored_rows("growth", "first.csv", part=part, **at)
            assert close(size, float(row["moved"]), 1e-2)
        assert not close(found["W_Q and W_K"], found["bytes and places"], 1e-2)
