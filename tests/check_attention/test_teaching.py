"""Attention as it is taught, written anew: silent when right, named when it is broken as usual.

After nanoGPT, the Annotated Transformer, Dive into Deep Learning, and notebooks without a batch.
"""

import math

import pytest

from tests.check_attention.script import functional, nn, ours, torch


class CausalAttention(nn.Module):
    """Like nanoGPT's: one layer for q, k and v, a triangle in a buffer, SDPA or written out."""

    def __init__(self, fault="", width=64, heads=4, length=48):
        super().__init__()
        self.fault, self.n_head, self.n_embd = fault, heads, width
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        triangle = torch.tril(torch.ones(length, length)).view(1, 1, length, length)
        self.register_buffer("bias", triangle)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        if self.fault == "a view at once":
            q, k, v = (t.reshape(b, self.n_head, n, -1) for t in (q, k, v))
        else:
            q, k, v = (t.view(b, n, self.n_head, w // self.n_head) for t in (q, k, v))
            q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        size = {"the width": w, "no scale": 1}.get(self.fault, k.size(-1))
        if self.fault in ("fused", "fused, twice"):
            q = q / math.sqrt(size) if self.fault == "fused, twice" else q
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(size))
            hidden = self.bias[:, :, :n, :n] == (1 if self.fault == "mask inverted" else 0)
            value = 0.0 if self.fault == "mask of 0" else float("-inf")
            scores = scores.masked_fill(hidden, value)
            y = functional.softmax(scores, dim=-2 if self.fault == "dim" else -1) @ v
        if self.fault != "output":
            y = y.transpose(1, 2)
        return self.c_proj(y.contiguous().view(b, n, w))


def attention(query, key, value, mask=None, dropout=None, fault=""):
    """Like the Annotated Transformer's function."""
    d_k = query.size(-1)
    if fault == "heads":
        d_k = query.size(1)
    scores = torch.matmul(query, key.transpose(-2, -1))
    if fault != "no scale":
        scores = scores / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, 1e-9 if fault == "mask of 1e−9" else -1e9)
    weights = scores.softmax(dim=1 if fault == "dim" else -1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights


class MultiHeadedAttention(nn.Module):
    """Like the Annotated Transformer's, with four layers in a list."""

    def __init__(self, fault="", h=4, d_model=64):
        super().__init__()
        self.fault, self.h, self.d_k = fault, h, d_model // h
        self.linears = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(4))
        self.attn, self.dropout = None, nn.Dropout(0.1)

    def forward(self, x):
        count, n, _ = x.shape
        mask = torch.tril(torch.ones(1, 1, n, n))
        split = [layer(x).view(count, -1, self.h, self.d_k) for layer in self.linears[:3]]
        if self.fault != "no transpose":
            split = [t.transpose(1, 2) for t in split]
        else:
            mask = None
        out, self.attn = attention(*split, mask, self.dropout, self.fault)
        if self.fault != "no transpose":
            out = out.transpose(1, 2)
        return self.linears[-1](out.contiguous().view(count, -1, self.h * self.d_k))


def masked_softmax(scores, lengths, fault=""):
    """Like d2l's: a number of valid keys for each sequence."""
    shape = scores.shape
    lengths = torch.repeat_interleave(lengths, shape[1])
    flat = scores.reshape(-1, shape[-1])
    hidden = torch.arange(shape[-1])[None, :] >= lengths[:, None]
    flat[hidden] = 1e-6 if fault == "mask of 1e−6" else -1e6
    return functional.softmax(flat.reshape(shape), dim=1 if fault == "dim" else -1)


class DotProductAttention(nn.Module):
    """Like d2l's, with heads in the batch."""

    def __init__(self, fault="", width=64, heads=4):
        super().__init__()
        self.fault, self.num_heads = fault, heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        lengths = torch.tensor([48, 30, 12, 48]).repeat_interleave(self.num_heads)
        q, k, v = (self.apart(layer(x)) for layer in (self.W_q, self.W_k, self.W_v))
        d = x.shape[-1] if self.fault == "the width" else q.shape[-1]
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d)
        if self.fault == "no scale":
            scores = torch.bmm(q, k.transpose(1, 2))
        out = torch.bmm(masked_softmax(scores, lengths, self.fault), v)
        out = out.reshape(-1, self.num_heads, out.shape[1], out.shape[2])
        return self.W_o(out.permute(0, 2, 1, 3).reshape(x.shape))

    def apart(self, t):
        if self.fault == "a view at once":
            return t.reshape(t.shape[0] * self.num_heads, t.shape[1], -1)
        t = t.reshape(t.shape[0], t.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        return t.reshape(-1, t.shape[2], t.shape[3])


class Notebook(nn.Module):
    """Without a batch: six words, three matrices, and a query at a time or all of them."""

    def __init__(self, fault="", kind="all"):
        super().__init__()
        self.fault, self.kind = fault, kind
        self.W_query, self.W_key, self.W_value = (
            nn.Parameter(torch.rand(32, 16)) for _ in range(3)
        )

    def forward(self, x):
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        root = {"no scale": 1, "the width": 32**0.5}.get(self.fault, 16**0.5)
        if self.kind == "all":
            dim = 0 if self.fault == "dim" else -1
            return torch.softmax(queries @ keys.T / root, dim=dim) @ values
        rows = [torch.softmax(keys @ query / root, dim=-1) @ values for query in queries]
        return torch.stack(rows)


def one_query(fault=""):
    return Notebook(fault, "one")


X = [torch.randn(4, 48, 64, generator=torch.Generator().manual_seed(3)) for _ in range(2)]
WORDS = [torch.randn(6, 32, generator=torch.Generator().manual_seed(3))]
BROKEN = {
    (CausalAttention, "the width"): "width",
    (CausalAttention, "no scale"): "forgotten",
    (CausalAttention, "fused, twice"): "twice",
    (CausalAttention, "a view at once"): "cut",
    (CausalAttention, "output"): "cut",
    (CausalAttention, "mask inverted"): "inverted",
    (CausalAttention, "mask of 0"): "fails",
    (CausalAttention, "dim"): "queries",
    (MultiHeadedAttention, "no scale"): "forgotten",
    (MultiHeadedAttention, "heads"): "number",
    (MultiHeadedAttention, "mask of 1e−9"): "fails",
    (MultiHeadedAttention, "dim"): "heads",
    (MultiHeadedAttention, "no transpose"): "exchanged",
    (DotProductAttention, "the width"): "width",
    (DotProductAttention, "no scale"): "forgotten",
    (DotProductAttention, "a view at once"): "cut",
    (DotProductAttention, "mask of 1e−6"): "fails",
    (DotProductAttention, "dim"): "queries",
    (Notebook, "the width"): "width",
    (Notebook, "no scale"): "forgotten",
    (Notebook, "dim"): "queries",
    (one_query, "the width"): "width",
    (one_query, "no scale"): "forgotten",
}


def report_on(make, fault=""):
    torch.manual_seed(0)
    batches = X if make in (CausalAttention, MultiHeadedAttention, DotProductAttention) else WORDS
    return ours.check(make(fault).eval(), batches, show=False)


def name_of(value) -> str:
    """Name a test by a class's or a function's name: its address differs between processes."""
    return getattr(value, "__name__", value)


@pytest.mark.parametrize(("make", "fault"), BROKEN, ids=name_of)
def test_what_is_broken_is_named(make, fault):
    report = report_on(make, fault)
    assert not report.ok
    verdict = BROKEN[make, fault]
    assert any(verdict in row.verdicts.split() for row in report.rows), report.rows[0].verdicts


@pytest.mark.parametrize(
    ("make", "fault"),
    [*dict.fromkeys((make, "") for make, _ in BROKEN), (CausalAttention, "fused")],
    ids=name_of,
)  # fmt: skip
def test_what_is_right_is_silent(make, fault):
    report = report_on(make, fault)
    assert report.ok, report.summary()
    assert {row.scale_verdict for row in report.rows} == {"root"}
    assert not report.notes
    assert report.understood == report.calls > 0
