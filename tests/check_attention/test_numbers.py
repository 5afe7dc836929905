"""The numbers: theory for Gaussian queries and keys, NumPy row by row, any precision."""

import numpy as np
import pytest

from tests.check_attention.script import (  # isort: skip
    CAUSAL, EVERY, PADDED, B, H, K, Q, by_hand, d, found, fused, gaussian, n, rows_of,
    torch, written,
)  # fmt: skip
from tests.tolerance import agrees, mean_and_error

HEADS, N, D = 24, 96, 32


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
        assert row.share == pytest.approx(row.sharing / N)
        assert row.freezes == pytest.approx(np.sqrt(2 * np.log(N)), rel=1e-6)
        assert row.scale_verdict == "root"
        assert row.softmax_verdict == "between"


def test_lengths_are_those_of_a_coordinate():
    q, k = (gaussian(4, 8, 512, D, seed=seed) for seed in (5, 6))
    for row in rows_of(fused(), 1.5 * q, 0.5 * k, k):
        assert row.q_norm == pytest.approx(1.5, rel=0.02)
        assert row.k_norm == pytest.approx(0.5, rel=0.02)


# The same numbers, row by row in NumPy ----------------------------------------------------------


BIAS = np.random.default_rng(9).standard_normal((1, H, n, n))
MASKS = {
    "none": ({}, EVERY, 0.0),
    "causal": ({"is_causal": True}, EVERY & CAUSAL, 0.0),
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
    for name in ("scale", "k_norm", "spread_qk", "entropy"):
        expected = [getattr(row, name) for row in written_out]
        assert [getattr(row, name) for row in rows] == pytest.approx(expected, rel=1e-4), name


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
