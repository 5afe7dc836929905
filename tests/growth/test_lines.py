"""The lines of PyTorch that the chapter shows to copy do what it says of them."""

import math
import re

import pytest

from tests.conftest import PROJECT
from tests.tolerance import close


@pytest.fixture(scope="module")
def lines():
    page = (PROJECT.root / "docs/growth.md").read_text("utf-8")
    found = re.findall(r"^( *)```text\n(.*?)^ *```", page, re.MULTILINE | re.DOTALL)
    return [re.sub(f"^{space}", "", text, flags=re.MULTILINE) for space, text in found]


@pytest.fixture
def names(torch):
    rng = torch.Generator().manual_seed(1)
    q, k, v = 3 * torch.randn(3, 2, 4, 6, 8, generator=rng)
    return {"math": math, "torch": torch, "nn": torch.nn, "q": q, "k": k, "v": v, "d": 8}


def block(lines, word):
    """Give the block that has a word."""
    [found] = [text for text in lines if word in text]
    return found


def test_the_largest_logit_of_each_head(torch, lines, names):
    names["hidden"] = torch.ones(6, 6).triu(1).bool()
    exec(block(lines, "largest = scores"), names)
    q, k = names["q"], names["k"]
    pairs = [(b, i, j) for b in (0, 1) for i in range(6) for j in range(i + 1)]
    seen = [max(q[b, h, i] @ k[b, h, j] / 8**0.5 for b, i, j in pairs) for h in range(4)]
    assert close(names["largest"], seen, 1e-5)


def test_a_norm_a_cap_and_a_clip(torch, lines, names):
    rng = torch.Generator().manual_seed(2)
    W_Q, W_K = (torch.nn.Parameter(torch.randn(32, 5, generator=rng)) for _ in "QK")
    x, y = torch.randn(2, 5, generator=rng)
    old = [(W_Q @ x).detach().view(4, 8), (W_K @ y).detach().view(4, 8)]
    names |= {"W_Q": W_Q, "W_K": W_K, "heads": 4, "threshold": 20, "cap": 9}
    names |= {"largest": torch.tensor([80.0, 20.0, 3.0, 40.0])}
    names |= {"scores": torch.tensor([50.0, 1, 2]), "hidden": torch.tensor([False, False, True])}
    exec(block(lines, "# QK-norm"), names)
    assert close(names["q"].detach().square().mean(-1), 1, 1e-4)
    assert close(names["scores"][:2], [9 * math.tanh(50 / 9), 9 * math.tanh(1 / 9)], 1e-5)
    assert names["scores"].softmax(0)[2] == 0, "a hidden key has no weight"
    products = [(a * b).sum(-1) for a, b in (old, [(W_Q @ x).view(4, 8), (W_K @ y).view(4, 8)])]
    assert close((products[1] / products[0]).detach(), [0.25, 1, 1, 0.5], 1e-4)
    # Where keys are shared, W_Q takes all of it.
    assert close(names["shrink"] ** 2, [0.25, 1, 1, 0.5], 1e-5)


def test_a_rate_of_their_own(torch, lines, names):
    names["model"] = torch.nn.ModuleDict(
        {name: torch.nn.Linear(3, 3, bias=False) for name in ("q_proj", "k_proj", "v_proj")}
    )
    names["lr"] = 0.1
    exec(block(lines, "torch.optim.AdamW"), names)
    rates = {id(w): g["lr"] for g in names["optimizer"].param_groups for w in g["params"]}
    found = {name: rates[id(w)] for name, w in names["model"].named_parameters()}
    quarter = 0.025
    assert found == {"q_proj.weight": quarter, "k_proj.weight": quarter, "v_proj.weight": 0.1}
    for group in names["optimizer"].param_groups:  # as a loop that sets the rates would
        group["lr"] = names["lr"] * group["factor"]
    rates = {id(w): g["lr"] for g in names["optimizer"].param_groups for w in g["params"]}
    assert found == {name: rates[id(w)] for name, w in names["model"].named_parameters()}
    # A fused matrix matches no name.
    names["model"] = torch.nn.ModuleDict({"c_attn": torch.nn.Linear(3, 9)})
    with pytest.raises(AssertionError):
        exec(block(lines, "torch.optim.AdamW"), names)


def test_what_the_kernel_gives_can_be_imported(torch, lines):
    imports = block(lines, "AuxRequest").splitlines()[0]
    names = {}
    exec(imports, names)
    assert names["AuxRequest"](max_scores=True).max_scores
