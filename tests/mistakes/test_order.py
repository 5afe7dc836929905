"""The page's lines that mix up an order, and its right ones: what may move, and what does."""

import re

import pytest

from tests.conftest import PROJECT

torch = pytest.importorskip("torch", reason="no PyTorch: `make torch` installs it")

PAGE = (PROJECT.root / "docs/mistakes.md").read_text("utf-8")
SECTION = re.search(r"\{#order\}\n(.*?)\n```python", PAGE, re.DOTALL)[1]
ROWS = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", SECTION, re.MULTILINE)
SLIPS = dict(zip(("padding", "key heads", "merge"), ROWS, strict=True))
B, N, HEADS, GROUP, D = 2, 6, 4, 2, 8


def attend(q, k, v, pad, slip):
    """Give grouped attention, (b, n, heads · d), by the page's lines, of which one is wrong."""

    def line(name, **names):
        wrong, right = SLIPS[name]
        sizes = {"heads": HEADS, "group": GROUP, "b": B, "n": N}
        return eval(wrong if name == slip else right, sizes | names)

    k, v = (line("key heads", k=each) for each in (k, v))
    seen = line("padding", pad=pad)
    q, k, v = (each.flatten(0, 1) for each in (q, k, v))
    scores = (q @ k.mT / D**0.5).masked_fill(~seen[:, None], -torch.inf)
    return line("merge", out=(scores.softmax(-1) @ v).unflatten(0, (B, HEADS)))


@pytest.fixture
def drawn():
    torch.manual_seed(0)
    k, v = torch.randn(2, B, HEADS // GROUP, N, D)
    return torch.randn(B, HEADS, N, D), k, v, torch.arange(N) < torch.tensor([[N], [4]])


@pytest.mark.parametrize("slip", [None, *SLIPS])
def test_padding_moves_no_output(drawn, slip):
    q, k, v, pad = drawn
    empty = ~pad[:, None, :, None]
    noise = [torch.where(empty, torch.randn_like(each), each) for each in (k, v)]
    moved = attend(q, *noise, pad, slip) != attend(q, k, v, pad, slip)
    assert moved[pad].any() == (slip == "padding")


@pytest.mark.parametrize("slip", [None, *SLIPS])
def test_a_key_head_moves_its_own_group_alone(drawn, slip):
    q, k, v, pad = drawn
    noise = [torch.cat([each[:, :1], torch.randn_like(each[:, 1:])], 1) for each in (k, v)]
    moved = attend(q, *noise, pad, slip) != attend(q, k, v, pad, slip)
    assert moved[..., : GROUP * D].any() == (slip in ("key heads", "merge"))


@pytest.mark.parametrize("slip", [None, *SLIPS])
def test_a_query_moves_its_own_token_alone(drawn, slip):
    q, k, v, pad = drawn
    noise = torch.cat([torch.randn_like(q[:, :, :1]), q[:, :, 1:]], 2)
    moved = attend(noise, k, v, pad, slip) != attend(q, k, v, pad, slip)
    assert moved[:, 0].any()
    assert moved[:, 1:].any() == (slip == "merge")


@pytest.mark.parametrize("slip", [None, *SLIPS])
def test_each_head_by_itself_gives_the_same_if_no_line_is_wrong(drawn, slip):
    """By a loop over sequences, heads and queries, with what is padding left out."""
    q, k, v, pad = drawn
    found = attend(q, k, v, pad, slip)
    for s in range(B):
        for h in range(HEADS):
            keys, values = k[s, h // GROUP, pad[s]], v[s, h // GROUP, pad[s]]
            for i in range(N):
                own = (keys @ q[s, h, i] / D**0.5).softmax(0) @ values
                if not torch.allclose(found[s, i, h * D : (h + 1) * D], own, atol=1e-5):
                    assert slip
                    return
    assert slip is None
