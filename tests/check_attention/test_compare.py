"""Two codes with the same weights: every difference of the first layer is named, not one alone."""

import pytest

from tests.check_attention import faults
from tests.check_attention.script import functional, nn, ours, torch


def attended(z, v):
    return z.softmax(-1) @ v


def plain(self, q, k, v):
    return attended(q @ k.mT * 0.25, v)


def swapped(t):
    return t[:, [1, 0, 3, 2]]


def grouped(scale, of_k, of_v):
    """Two heads of keys and values for four of queries, repeated in one order or another."""

    def function(self, q, k, v):
        orders = {
            "aabb": lambda t: t.repeat_interleave(2, 1),
            "abab": lambda t: t.repeat(1, 2, 1, 1),
        }
        k, v = orders[of_k](k[:, :2]), orders[of_v](v[:, :2])
        return attended(q @ k.mT * scale, v)

    return function


def at_once(self, q, k, v):
    q, k, v = (t.transpose(1, 2).reshape(4, 48, 64).view(4, 4, 48, 16) for t in (q, k, v))
    return attended(q @ k.mT * 0.5, v)


def causal(self, q, k, v):
    z = q @ k.mT * 0.5
    return attended(z.masked_fill(faults.later(z), -1e9), v)


def one_head(self, q, k, v):
    return attended(q @ k.mT * torch.tensor([1.0, 1, 2, 1]).view(4, 1, 1) * 0.25, v)


def biased(scale, times):
    return lambda self, q, k, v: attended(q @ k.mT * scale + times * torch.arange(48) / 9, v)


# Two codes, what they differ by, and words that name it.
PAIRS = {
    "a factor": (plain, lambda s, q, k, v: attended(q @ k.mT / 2, v), "factor", "by 0.5, 2 times"),
    "heads": (
        plain,
        lambda s, q, k, v: swapped(attended(swapped(q) @ swapped(k).mT / 4, swapped(v))),
        "heads", "in the order [1, 0, 3, 2]",
    ),
    "a factor and heads": (
        plain,
        lambda s, q, k, v: swapped(attended(swapped(q) @ swapped(k).mT / 2, swapped(v))),
        "factor, heads", "in the order [1, 0, 3, 2]",
    ),
    "a factor and keys in another order": (
        grouped(0.25, "aabb", "aabb"), grouped(0.5, "abab", "abab"),
        "factor, heads", "[0, 0, 1, 1] in the first, and [0, 1, 0, 1] in the second",
    ),
    "values in another order": (
        grouped(0.25, "aabb", "aabb"), grouped(0.25, "aabb", "abab"),
        "heads", "use keys [0, 0, 1, 1] and values [0, 1, 0, 1]",
    ),
    "values of another head": (
        plain, lambda s, q, k, v: attended(q @ k.mT / 4, swapped(v)), "output", "Look at v",
    ),
    "a factor and a view at once": (plain, at_once, "shape, factor, heads", "at once"),
    "a factor and a mask": (plain, causal, "mask, factor", "sees 48 keys on average"),
    "a factor and softmax over queries": (
        plain, lambda s, q, k, v: (q @ k.mT / 2).softmax(-2) @ v,
        "axis, factor", "over the queries",
    ),
    "a factor and a bias": (biased(0.25, 1), biased(0.5, 2), "factor, bias", "is 2 times as large"),
    "a factor of one head": (plain, one_head, "factor", "q·k of head 2"),
    "a cap": (
        plain, lambda s, q, k, v: attended(2 * torch.tanh(q @ k.mT / 8), v),
        "cap", "only the second",
    ),
    "queries for keys": (plain, lambda s, q, k, v: attended(k @ q.mT / 4, v), "q and k", "differ"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_every_difference_of_a_layer_is_named(name):
    torch.manual_seed(0)
    first, second, kind, words = PAIRS[name]
    one, other = (
        torch.nn.Sequential(faults.Attention(each), faults.Attention(plain))
        for each in (first, second)
    )
    other.load_state_dict(one.state_dict())
    batches = faults.inputs()
    found = ours.compare(one, other, batches)
    assert (found.layer, found.kind) == ("0", kind)
    assert words in found.words
    assert not found.same
    assert found.others == [], "what comes after has no fault of its own"
    assert ours.compare(other, other, batches).same
    with pytest.raises(ours.CheckError, match="no attention was seen in the second of the two"):
        ours.compare(other, nn.Identity(), batches)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_rounding_is_no_difference(kind):
    torch.manual_seed(0)
    one, other = (
        faults.Attention(each).to(kind)
        for each in (plain, lambda s, q, k, v: functional.scaled_dot_product_attention(q, k, v))
    )
    other.load_state_dict(one.state_dict())
    batches = [x.to(kind) for x in faults.inputs()]
    found = ours.compare(one, other, batches)
    assert found.same, str(found)
    assert found.output > 0, "the two do differ by rounding"


def test_other_weights_are_told_first():
    """What differs then says little, so this stands before it, with what to do."""
    (one, batches), (other, _) = ours.demo(seed=0), ours.demo(seed=1)
    told = ours.compare(one, other, batches)
    assert not told.same
    assert str(told).startswith("The two have other weights: attention.0.q.weight")
    assert "model_b.load_state_dict(model_a.state_dict())" in str(told).splitlines()[0]
    other.load_state_dict(one.state_dict())
    assert ours.compare(one, other, batches).same
