"""Heads and modules: which axis is heads, what the module says, what was not seen."""

import numpy as np
import pytest

from tests.check_attention.script import (  # isort: skip
    Attention, B, H, K, Q, d, flat_heads, found, functional, fused, gaussian, n, nn, ours, rows_of,
    torch, written,
)  # fmt: skip


def apart_again(q, k, v):
    """Batch and heads in one dimension for the product alone."""
    scores = torch.bmm(q.flatten(0, 1), k.flatten(0, 1).mT) / d**0.5
    return scores.view(B, H, n, n).softmax(-1) @ v


@pytest.mark.parametrize("heads", [0, H], ids=["nobody says how many", "said"])
@pytest.mark.parametrize("keys", [1, H])
def test_heads_that_are_told_apart_after_the_product(heads, keys):
    k = K[:, :keys].expand(-1, H, -1, -1)
    rows, expected = rows_of(apart_again, Q, k, k, heads=heads), rows_of(fused(), Q, k, k)
    assert len(rows) == H
    for one, other in zip(rows, expected, strict=True):
        for name in ("scale", "q_norm", "k_norm", "spread_qk", "share"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-3), name


@pytest.mark.parametrize("name", ours.HEADS)
def test_a_module_says_how_many_heads_it_has(name):
    """Batch and heads are one dimension of what it is given; what it merges itself is followed."""
    inputs = [t.flatten(0, 1) for t in (Q, K, K)]
    model = Attention(written(d**-0.5), 0)
    assert len(ours.check(model, [inputs], show=False).rows) == 1
    setattr(model, name, H)
    assert len(ours.check(model, [inputs], show=False).rows) == H
    assert len(ours.check(Attention(flat_heads, 0), [(Q, K, K)], show=False).rows) == H


def test_a_layer_of_which_nothing_was_understood_costs_no_other(monkeypatch):
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.odd, self.plain = Attention(written(1.0)), Attention(fused())

        def forward(self, q, k, v):
            self.odd(q, k, v)
            return self.plain(q, k, v)

    def fails(sums, logits, scored, *more):
        if scored.scale[0] == 1:
            raise RuntimeError("too odd")
        return measure(sums, logits, scored, *more)

    measure = ours.measure
    monkeypatch.setattr(ours, "measure", fails)
    report = ours.check(Two(), [(Q, K, K)], show=False)
    assert {row.layer for row in report.rows} == {"plain"}
    assert "In odd a call was left out: too odd" in str(report)
    assert "Not seen: odd" in str(report)


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
            return torch.sigmoid(x @ x.mT) @ x

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = Attention(fused()), OtherAttention()

        def forward(self, x):
            return self.two(self.one(x, x, x))

    report = ours.check(Both(), [Q], show=False)
    first, second = report.unseen
    assert first.startswith("two (OtherAttention)")
    assert second.startswith("sigmoid of (2, 4, 12, 12) in two")
    assert "Not seen: two" in str(report)
    with pytest.raises(ours.CheckError, match="OtherAttention"):
        ours.check(OtherAttention(), [Q], show=False)


# Heads found against heads said (B4) ------------------------------------------------------------


def test_a_forgotten_transpose_is_named():
    q, k = Q.transpose(1, 2), K.transpose(1, 2)
    report = ours.check(Attention(fused()), [(q, k, k)], show=False)
    assert len(report.rows) == n
    assert {row.layout_verdict for row in report.rows} == {"exchanged"}
    assert "a transpose(1, 2) were forgotten" in report.rows[0].verdict
    assert not report.ok
    assert "Heads and tokens exchanged, 12 heads" in report.summary()
    assert ours.check(Attention(fused()), [(Q, K, K)], show=False).ok
    # Where the module says nothing, or has as many heads as there are tokens, it cannot be seen.
    assert ours.check(Attention(fused(), 0), [(q, k, k)], show=False).ok


@pytest.mark.parametrize("axis", [1, 2])
def test_windows_are_no_heads(axis):
    """Batch × windows × heads × n × d, or heads before windows."""
    q, k = (gaussian(B, H, 5, n, d, seed=seed) for seed in (30, 31))
    rows = rows_of(fused(), *(t.transpose(1, 3 - axis) for t in (q, k, k)))
    merged = [t.transpose(1, 2).flatten(0, 1) for t in (q, k, k)]
    expected = rows_of(fused(), *merged)
    assert len(rows) == H
    assert np.allclose(found(rows), found(expected), rtol=1e-5)
    assert {row.width for row in rows} == {H * d}
    assert len(rows_of(fused(), q, k, k, heads=0)) == 5 * H, "nobody says"


def test_only_the_part_that_is_watched_is_seen():
    model = nn.Sequential(*(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True) for _ in "ab"))
    with ours.watch(model[0]) as report:
        model(gaussian(2, 9, 32))
        fused()(Q, K, K)
    assert {row.layer for row in report.rows} == {"self_attn", "(outside of modules)"}
    assert [row.head for row in report.rows] == [*range(4)] * 2


class ChannelAttention(nn.Module):
    """As in DaViT: tokens are summed over, and channels take the place of tokens."""

    def __init__(self, over_channels):
        super().__init__()
        self.num_heads, self.over_channels = H, over_channels
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, H, 8)).permute(2, 0, 3, 1, 4)
        q, k, v = (t.mT if self.over_channels else t for t in (q * 8**-0.5, k, v))
        mixed = (q @ k.mT).softmax(-1) @ v
        return self.out((mixed.mT if self.over_channels else mixed).transpose(1, 2).flatten(-2))


@pytest.mark.parametrize("tokens", [8, 49])
def test_attention_over_channels_is_no_wrong_scale(tokens):
    x = 30 * gaussian(2, tokens, 32)
    over, usual = (ours.check(ChannelAttention(is_over), [x]) for is_over in (True, False))
    assert {row.scale_verdict for row in usual.rows} == {"root"}
    if tokens > 8:  # else all sizes are the same, and so is the scale
        assert {row.scale_verdict for row in over.rows} == {"channels"}
        assert {row.softmax_verdict for row in over.rows} == {"no tokens"}
    assert over.ok


class OverFirst(nn.Module):
    """A layer that takes tokens × batch, by what its model is given, and what that gives."""

    def __init__(self, pooled):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(32, 4, 32, 0.0)
        self.head, self.pooled = nn.Linear(32, 5), pooled

    def forward(self, x):
        return self.head(self.layer(x).mean(self.pooled))


@pytest.mark.parametrize(
    ("shape", "pooled", "verdict"),
    [((8, 3), 1, "sequences"), ((8, 3), 0, ""), ((4, 4), 0, ""), ((3, 8), 1, "sequences")],
)
def test_the_output_tells_which_dimension_is_the_batch(shape, pooled, verdict):
    model = OverFirst(pooled)
    report = ours.check(model, [torch.randn(*shape, 32)], show=False)
    assert {row.axis_verdict for row in report.rows} == {verdict}
