"""Weights that are mended with the line train on as before, with AdamW as the page says."""

import copy
import re

import pytest

from tests.conftest import PROJECT

torch = pytest.importorskip("torch", reason="no PyTorch: `make torch` installs it")

PAGE = (PROJECT.root / "docs/mistakes.md").read_text("utf-8")
GROUPS = re.search(r"AdamW\((\[.*?\])\)", PAGE, re.DOTALL)[1]
WIDTH, HEADS, LR, DECAY = 64, 4, 1e-2, 0.5
OLD, NEW = WIDTH**-0.5, (WIDTH // HEADS) ** -0.5


def output(W, x, scale):
    """Give self-attention with two biases, so that the mend has to know of W_Q's."""
    q, k, v = ((x @ W[name] + W[f"b{name}"]).unflatten(-1, (HEADS, -1)) for name in "QKV")
    q, k, v = (each.transpose(-3, -2) for each in (q, k, v))
    return ((scale * q @ k.mT).softmax(-1) @ v).transpose(-3, -2).flatten(-2)


def optimizer(W, groups, old=OLD, new=NEW):
    queries = [W["Q"], W["bQ"]]
    others = [each for name, each in W.items() if "Q" not in name]
    names = {"queries": queries, "the_others": others, "lr": LR, "decay": DECAY}
    # Without an ε to speak of: it is not divided by what gradients are.
    return torch.optim.AdamW(eval(groups, names | {"old": old, "new": new}), eps=1e-30)


def train(W, scale, groups, steps=20, state=None, moments=1.0, **sizes):
    adam = optimizer(W, groups, **sizes)
    if state is not None:
        own = adam.state_dict()["param_groups"]
        adam.load_state_dict(copy.deepcopy(state) | {"param_groups": own})
        for name in ("Q", "bQ"):
            adam.state[W[name]]["exp_avg"].mul_(moments)
            adam.state[W[name]]["exp_avg_sq"].mul_(moments**2)
    torch.manual_seed(2)
    for x, y in zip(*torch.randn(2, steps, 3, 12, WIDTH, dtype=torch.float64), strict=True):
        adam.zero_grad()
        ((output(W, x, scale) - y) ** 2).mean().backward()
        adam.step()
    return adam


def start():
    torch.manual_seed(0)
    W = {name: torch.randn(WIDTH, WIDTH, dtype=torch.float64) / 8 for name in "QKV"}
    W |= {f"b{name}": 0.1 * torch.randn(WIDTH, dtype=torch.float64) for name in "QKV"}
    return {name: each.requires_grad_() for name, each in W.items()}


def mended(W):
    by = {name: OLD / NEW if "Q" in name else 1.0 for name in W}
    return {name: (by[name] * each).detach().requires_grad_() for name, each in W.items()}


def apart(W, other):
    x = torch.randn(2, 12, WIDTH, dtype=torch.float64)
    with torch.no_grad():
        return (output(W, x, OLD) - output(other, x, NEW)).abs().max().item()


PLAIN = re.sub(r" \* (old / new|new / old)", "", GROUPS)
RATE_ALONE = GROUPS.replace(" * new / old", "")


@pytest.mark.parametrize(("groups", "same"), [(GROUPS, True), (RATE_ALONE, False), (PLAIN, False)])
def test_both_runs_agree_if_rate_and_decay_are_mended(groups, same):
    wrong = start()
    right = mended(wrong)
    assert apart(wrong, right) < 1e-12
    train(wrong, OLD, PLAIN)
    train(right, NEW, groups)
    found = apart(wrong, right)
    assert (found < 1e-6) == same, found
    assert same or found > 1e-3


@pytest.mark.parametrize(("moments", "same"), [(NEW / OLD, True), (1.0, False)])
def test_the_optimizers_moments_are_mended_too(moments, same):
    wrong = start()
    state = train(wrong, OLD, PLAIN).state_dict()
    right = mended(wrong)
    train(wrong, OLD, PLAIN, state=state)
    train(right, NEW, GROUPS, state=state, moments=moments)
    found = apart(wrong, right)
    assert (found < 1e-6) == same, found
    assert same or found > 1e-3
