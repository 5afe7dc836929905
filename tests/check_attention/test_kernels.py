"""Kernels of other packages: q, k, the scale and the masks where their functions are called.

flash-attn and xFormers cannot be built here. Functions of the same names and signatures stand for
them; they do by PyTorch's means what the packages document.
"""

import sys
from contextlib import nullcontext
from types import ModuleType

import numpy as np
import pytest

from tests.check_attention.script import (  # isort: skip
    CAUSAL, EVERY, Attention, B, H, K, Q, by_hand, d, found, n, ours, rows_of, torch,
)  # fmt: skip

FLASH = """
import torch
from torch.nn import functional

def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1),
                    softcap=0.0, alibi_slopes=None, deterministic=False, return_attn_probs=False):
    q, k, v = (t.transpose(1, 2) for t in (q, k, v))
    return functional.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2)

def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k,
                           dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1)):
    return q

def flash_attn_qkvpacked_func(qkv, dropout_p=0.0, softmax_scale=None, causal=False):
    return flash_attn_func(*qkv.unbind(2))

def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None):
    return query
"""


@pytest.fixture
def package(monkeypatch):
    module = ModuleType("flash_attn")
    module.__dict__["__name__"] = "flash_attn"
    exec(FLASH, module.__dict__)
    monkeypatch.setitem(sys.modules, "flash_attn", module)
    return module


FIRST = {name: t.transpose(1, 2) for name, t in (("q", Q), ("k", K))}
SLOPES = torch.tensor([0.5, 0.25, 0.125, 0.0625])
DISTANCE = np.abs(np.arange(n)[:, None] - np.arange(n))
NEAR = (DISTANCE <= 2) & CAUSAL
CALLS = {
    "plain": ({}, d**-0.5, EVERY, 0.0),
    "causal": ({"causal": True}, d**-0.5, EVERY & CAUSAL, 0.0),
    "scale": ({"softmax_scale": 0.7}, 0.7, EVERY, 0.0),
    "window": ({"causal": True, "window_size": (2, 0)}, d**-0.5, EVERY & NEAR, 0.0),
    "alibi": ({"alibi_slopes": SLOPES}, d**-0.5, EVERY, -SLOPES.numpy()[:, None, None] * DISTANCE),
}


@pytest.mark.parametrize("call", CALLS)
def test_flash_attention(package, call):
    options, scale, allowed, bias = CALLS[call]
    original = package.flash_attn_func
    code, names = original.__code__, {*original.__globals__}
    expected = by_hand(Q.numpy(), K.numpy(), scale, allowed, bias)
    model = Attention(lambda q, k: package.flash_attn_func(q, k, k, **options))
    report = ours.check(model, [(FIRST["q"], FIRST["k"])], rows=99, show=False)
    assert np.allclose(found(report.rows), expected, rtol=1e-4)
    assert [row.scale for row in report.rows] == pytest.approx([scale] * H)
    assert report.notes == []
    assert package.flash_attn_func is original
    assert original.__code__ is code
    assert {*original.__globals__} == names  # nothing of what watches is left


def test_flash_attention_has_its_factors_followed_and_heads_grouped(package):
    def twice(q, k):
        return package.flash_attn_func(q / d**0.5, k, k)

    rows = rows_of(twice, FIRST["q"], FIRST["k"][:, :, :2])
    assert {(row.scale_verdict, row.heads) for row in rows} == {("twice", H)}


def test_packed_flash_attention(package):
    packed = torch.stack([FIRST["q"], FIRST["k"], FIRST["k"]], 2)
    rows = rows_of(lambda qkv: package.flash_attn_qkvpacked_func(qkv), packed)
    assert np.allclose(found(rows), by_hand(Q.numpy(), K.numpy(), d**-0.5, EVERY), rtol=1e-4)


def test_sequences_of_any_length_in_a_row(package):
    """Two sequences of n; the mask of the one that they make together is of two blocks."""
    ends = torch.tensor([0, n, 2 * n], dtype=torch.int32)

    def call(q, k):
        return package.flash_attn_varlen_func(q, k, k, ends, ends, n, n, causal=True)

    rows = rows_of(call, *(t.flatten(0, 1) for t in FIRST.values()))
    expected = by_hand(Q.numpy(), K.numpy(), d**-0.5, EVERY & CAUSAL)
    assert np.allclose(found(rows), expected, rtol=1e-4)


def test_xformers(monkeypatch, package):
    package.memory_efficient_attention.__module__ = "xformers.ops"

    class BlockDiagonalMask:
        pass

    def call(*given, **options):
        return package.memory_efficient_attention(*given, **options)

    inputs = FIRST["q"], FIRST["k"], FIRST["k"]
    rows = rows_of(lambda *given: call(*given, scale=0.7), *inputs)
    assert np.allclose(found(rows), by_hand(Q.numpy(), K.numpy(), 0.7, EVERY), rtol=1e-4)
    model = Attention(lambda *given: call(*given, BlockDiagonalMask()))
    report = ours.check(model, [inputs], show=False)
    assert report.notes == [
        "In Attention the BlockDiagonalMask of xFormers is not known, and was left out"
    ]


@pytest.mark.filterwarnings("ignore")
def test_flex_attention():
    from torch.nn.attention import flex_attention as flex

    mask = flex.create_block_mask(lambda b, h, i, j: i >= j, None, None, n, n, device="cpu")

    def call(q, k, v):
        near = lambda score, b, h, i, j: score - SLOPES[h] * (i - j).abs()  # noqa: E731
        return flex.flex_attention(q, k, v, score_mod=near, block_mask=mask)

    rows = rows_of(call, Q, K, K)
    bias = CALLS["alibi"][3]
    assert np.allclose(
        found(rows), by_hand(Q.numpy(), K.numpy(), d**-0.5, EVERY & CAUSAL, bias), rtol=1e-4
    )
    assert {(row.d, row.scale_verdict) for row in rows} == {(d, "root")}
    assert sum(row.rows for row in rows) == B * H * (n - 1), "counted once"


SCORE_MODS = {
    "a factor": ("by d", lambda z, b, h, i, j: z * d**-0.5, lambda z, b, h, i, j: z + (j - i)),
    "a sign": ("negative", lambda z, b, h, i, j: 0.1 * (i - j) - z, lambda z, b, h, i, j: z - 0.1),
    "a mask of 1e-9": (
        "fails",
        lambda z, b, h, i, j: torch.where(i >= j, z, 1e-9),
        lambda z, b, h, i, j: torch.where(i >= j, z, -torch.inf),
    ),
    "a cap": (
        "bounded",
        lambda z, b, h, i, j: torch.tanh(z / 20),
        lambda z, b, h, i, j: 20 * torch.tanh(z / 20),
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SCORE_MODS)
def test_what_a_score_mod_multiplies_by_is_measured(name):
    from torch.nn.attention import flex_attention as flex

    verdict, wrong, right = SCORE_MODS[name]
    for change, is_wrong in ((wrong, True), (right, False)):
        rows = rows_of(lambda q, k, v, f=change: flex.flex_attention(q, k, v, score_mod=f), Q, K, K)
        assert all(verdict in row.verdicts for row in rows) == is_wrong, rows[0].verdicts
        assert is_wrong or {row.scale_verdict for row in rows} == {"root"}


@pytest.mark.filterwarnings("ignore")
def test_a_score_mod_may_have_the_factor():
    from torch.nn.attention import flex_attention as flex

    def call(q, k, v):
        return flex.flex_attention(q, k, v, score_mod=lambda z, b, h, i, j: z * d**-0.5, scale=1.0)

    assert {row.scale_verdict for row in rows_of(call, Q, K, K)} == {"root"}


@pytest.mark.filterwarnings("ignore")
def test_flex_attention_on_its_first_call(monkeypatch):
    """It has Dynamo trace it then, and nobody has yet asked Dynamo to leave code as it is."""
    from torch.nn.attention import flex_attention as flex

    torch._dynamo.reset()
    monkeypatch.setattr(ours, "_eager", nullcontext)
    alone = flex.flex_attention(Q, K, K)
    torch._dynamo.reset()
    model = Attention(lambda q, k, v: flex.flex_attention(q, k, v))
    report = ours.check(model, [(Q, K, K)], show=False)
    assert {row.scale_verdict for row in report.rows} == {"root"}
    torch._dynamo.reset()
    with ours.watch(model):
        assert torch.equal(model(Q, K, K), alone)
