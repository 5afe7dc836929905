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


def trained(torch, names, lines, fused=False, slowed=None):
    """Give the weights after three steps of AdamW, by the page's lines or by groups of rates."""
    torch.manual_seed(5)
    layers = {name: torch.nn.Linear(3, 3, bias=False) for name in ("q_proj", "k_proj", "v_proj")}
    if fused:
        whole = torch.nn.Linear(3, 9, bias=False)
        whole.weight.data = torch.cat([layer.weight.data for layer in layers.values()])
        layers = {"c_attn": whole}
    model = torch.nn.ModuleDict(layers)
    rates = [0.1 * (slowed if slowed and name[0] in "qk" else 1) for name in layers]
    groups = [
        {"params": layer.parameters(), "lr": lr}
        for layer, lr in zip(layers.values(), rates, strict=True)
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.1)
    text = block(lines, "w.lerp_")
    if fused:  # as the comment says
        rest = text.split("before = ")[1]
        names["slow"] = {"c_attn": model["c_attn"].weight.detach()[: 2 * 3]}
        text = "before = " + rest
    for _ in range(3):
        optimizer.zero_grad()
        x = torch.arange(6.0).view(2, 3) / 6
        parts = [layer(x) for layer in layers.values()]
        q, k, v = parts[0].chunk(3, -1) if fused else parts
        ((q @ k.T).softmax(-1) @ v).square().sum().backward()
        if slowed:
            optimizer.step()
        else:
            exec(text, names | {"model": model, "optimizer": optimizer})
    return torch.cat([layer.weight.detach() for layer in layers.values()])


def test_a_quarter_of_the_step_is_left(torch, lines, names):
    """The same weights as with a quarter of the rate, and of the decay, for these two alone."""
    own, quarter = trained(torch, names, lines), trained(torch, names, lines, slowed=0.25)
    assert close(own, quarter, 1e-5)
    assert not close(own, trained(torch, names, lines, slowed=0.75), 1e-2), "three quarters"
    assert close(trained(torch, names, lines, fused=True), quarter, 1e-5)
    names["model"] = torch.nn.ModuleDict({"c_attn": torch.nn.Linear(3, 9)})
    with pytest.raises(AssertionError):  # a fused matrix matches no name
        exec(block(lines, "w.lerp_"), names)


def test_what_the_kernel_gives_can_be_imported(torch, lines):
    imports = block(lines, "AuxRequest").splitlines()[0]
    names = {}
    exec(imports, names)
    assert names["AuxRequest"](max_scores=True).max_scores
