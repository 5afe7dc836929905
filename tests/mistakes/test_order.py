"""The page's lines that mix up an order, and its right ones: what may move, and what does."""

import re

import pytest

from tests.conftest import PROJECT
from tests.tolerance import close

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


def arrived(order, slip):
    """Give the weights that arrive at the place of our token and head, by the page's lines.

    The values are the rows of a unit matrix, so that an output is its weights.
    """
    b, n, d, group, heads = 2, order.n_keys, order.d, order.group, order.heads
    at = (1, order.head, order.seen - 1)
    q = torch.randn(b, heads, n, d, generator=torch.Generator().manual_seed(0)).double()
    q[at] = torch.from_numpy(order.query[:d])
    q[1, order.head, order.from_token - 1] = torch.from_numpy(order.its_query)
    k = torch.from_numpy(order.k)[None].repeat(b, 1, 1, 1)
    v = torch.eye(n).double().expand(b, heads, n, n)
    pad = torch.arange(n) < torch.tensor([[order.other], [n if slip == "merge" else order.seen]])
    names = {"heads": heads, "group": group, "b": b, "n": n}

    def line(name, **more):
        wrong, right = SLIPS[name]
        assert order.lines[name] == wrong
        return eval(wrong if name == slip else right, names | more)

    k = line("key heads", k=k)
    seen = line("padding", pad=pad).unflatten(0, (b, heads))[:, :, None]
    seen = seen & torch.ones(n, n, dtype=torch.bool).tril()
    weights = (q @ k.mT / d**0.5).masked_fill(~seen, -torch.inf).softmax(-1)
    out = line("merge", out=weights @ v)
    return out[1, order.seen - 1].unflatten(0, (heads, n))[order.head].numpy()


def test_what_arrives_at_our_place(snippet):
    order = snippet("mistakes/order")
    right = arrived(order, None)
    assert close(order.right, right)
    assert order.wrong.keys() == SLIPS.keys()
    for slip in SLIPS:
        assert close(order.wrong[slip], arrived(order, slip))
        assert not close(order.wrong[slip], right, 1e-2)
    assert order.most == pytest.approx(right.max())
