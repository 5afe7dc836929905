"""The scale: followed through every way of writing it, and called by its name."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.check_attention.script import (  # isort: skip
    Attention, B, H, K, Q, d, flat_heads, found, functional, fused, gaussian, n, nn, ours, rows_of,
    torch, written,
)  # fmt: skip


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
        for name in ("scale", "q_norm", "k_norm", "spread_qk", "entropy"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-3), name


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


DEMOS = {  # verdicts on scale and softmax, and the scale at d = 64
    "none": ("root", "between", 1 / 8),
    "forgotten": ("forgotten", "frozen", 1),
    "width": ("width", "between", 1 / 16),
    "twice": ("twice", "flat", 1 / 64),
}


@pytest.mark.parametrize("fault", ours.DEMOS)
def test_a_broken_model_is_named(fault, capsys):
    verdict, regime, scale = DEMOS[fault]
    report = ours.check(*ours.demo(fault))
    assert len(report.rows) == 8
    for row in report.rows:
        assert (row.scale_verdict, row.softmax_verdict) == (verdict, regime)
        assert row.scale == pytest.approx(scale, rel=1e-3)
        assert row.spread == pytest.approx(8 * scale, rel=0.08)
    said = capsys.readouterr().out
    for other, *_ in DEMOS.values():
        assert (ours.SCALES[other][1].split("{")[0] in said) == (other == verdict)


@pytest.mark.parametrize(
    ("verdict", "function"),
    [
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
    rows = rows_of(function, q, k, k)
    assert {row.scale_verdict for row in rows} == {verdict}
    assert str(ours.Report(rows)).count("4 heads:") == (verdict != "root")


def test_long_vectors_are_told_from_a_wrong_scale():
    (row, *_) = rows_of(fused(), 3 * Q, 2 * K, K)
    assert row.scale_verdict == "root"
    assert row.softmax_verdict == "frozen"
    assert f"{row.q_norm * row.k_norm:.1f} times d" in row.verdict
    assert row.q_norm * row.k_norm == pytest.approx(6, rel=0.2)


# A bias or a cap does not hide it (B1) ----------------------------------------------------------


def test_a_bias_that_goes_with_q_k_does_not_hide_the_scale():
    """A slope of the logits against q·k, which was followed once, would find 1/2."""
    x = gaussian(1, 1, 64, 16)
    score = x @ x.mT / 4
    for write in (fused(attn_mask=score), lambda q, k, v: (q @ k.mT / 4 + score).softmax(-1) @ v):
        (row,) = rows_of(write, x, x, x, heads=1)
        assert row.scale == pytest.approx(1 / 4)
        assert row.scale_verdict == "root"
        assert row.spread == pytest.approx(2 * row.spread_qk, rel=1e-5)
        assert row.spread_bias == pytest.approx(row.spread_qk, rel=1e-5)


def test_a_factor_of_each_head_is_followed_under_a_bias():
    tau = nn.Parameter(torch.tensor([2.0, 4, 8, 16])[:, None, None])
    bias = Q @ K.mT  # in step with q·k

    def cosine(q, k, v):
        q, k = (functional.normalize(t, dim=-1) for t in (q, k))
        return (q @ k.mT * tau + bias).softmax(-1) @ v

    rows = rows_of(cosine, Q, K, K)
    assert [row.scale for row in rows] == pytest.approx([2, 4, 8, 16])
    assert {row.scale_verdict for row in rows} == {"cosine"}


# Sums of two products (B5), gains (B8), what is written in other ways (B6, B7) -------------------


@pytest.mark.parametrize("absorbed", [False, True])
def test_a_sum_of_two_products_is_one_of_longer_vectors(absorbed):
    more = gaussian(B, H, n, 4, seed=20), gaussian(B, H, n, 4, seed=21)

    def latent(q, k, v):
        if absorbed:  # keys that heads share, heads third
            q, rotary = q.transpose(1, 2), more[0].transpose(1, 2)
            one = torch.einsum("bshc,btc->bsht", q, k[:, 0])
            return ((one + torch.einsum("bshr,btr->bsht", rotary, more[1][:, 0])) * 0.5).softmax(-1)
        return ((q @ k.mT + more[0] @ more[1].mT) * 0.5).softmax(-1)

    k = K[:, :1] if absorbed else K
    whole = [torch.cat([Q, more[0]], -1), torch.cat([k, more[1][:, : k.shape[1]]], -1)]
    expected = rows_of(fused(scale=0.5), whole[0], *[whole[1].expand(B, H, n, -1)] * 2)
    rows = rows_of(latent, Q, k, k)
    assert {row.d for row in rows} == {d + 4}
    assert np.allclose(found(rows), found(expected), rtol=1e-4)
    assert [row.q_norm for row in rows] == pytest.approx([row.q_norm for row in expected])


@pytest.mark.parametrize(
    ("gain", "after", "verdict"),
    [
        (torch.full((d,), d**-0.5), 1.0, "cosine"),
        (d**-0.5 * torch.linspace(0.5, 1.5, d), 1.0, "cosine"),
        (torch.linspace(0.5, 1.5, d), d**-0.5, "root"),
        (torch.linspace(0.5, 1.5, d), 0.9, "other"),
    ],
    ids=["at the start", "trained", "RMSNorm", "RMSNorm, wrong"],
)
def test_a_gain_belongs_to_the_vectors(gain, after, verdict):
    def norm(x):
        return functional.normalize(x, dim=-1) * d**0.5 * nn.Parameter(gain)

    rows = rows_of(lambda q, k, v: (norm(q) @ norm(k).mT * after).softmax(-1) @ v, Q, K, K)
    assert {row.scale_verdict for row in rows} == {verdict}
    assert rows[0].scale == pytest.approx(after, rel=1e-4)


def with_sink(q, k, v):
    scores = torch.cat([q @ k.mT / d**0.5, q.new_full((B, H, n, 1), 1.0)], -1)
    return (scores - scores.amax(-1, keepdim=True)).softmax(-1)[..., :-1] @ v


def mixed(q, k, v):
    return functional.conv2d(q @ k.mT / d**0.5, torch.eye(H)[:, :, None, None]).softmax(-1) @ v


OTHERWISE = {
    "a sink": with_sink,
    "softmax1": lambda q, k, v: functional.pad(q @ k.mT / d**0.5, (1, 0)).softmax(-1)[..., 1:] @ v,
    "talking heads": mixed,
    "einsum with dots": lambda q, k, v: (torch.einsum("...qd,...kd->...qk", q, k) / d**0.5).softmax(
        -1
    ),
    "heads third": lambda q, k, v: (
        torch.einsum("bqhd,bkhd->bqhk", q.transpose(1, 2), k.transpose(1, 2)) / d**0.5
    ).softmax(-1),
    "over another dimension": lambda q, k, v: (k @ q.mT / d**0.5).softmax(-2),
    "log_softmax": lambda q, k, v: (q @ k.mT / d**0.5).log_softmax(-1).exp() @ v,
}


@pytest.mark.parametrize("way", OTHERWISE)
def test_it_is_followed_through_odd_ways(way):
    rows = rows_of(OTHERWISE[way], Q, K, K)
    assert np.allclose(found(rows), found(rows_of(fused(), Q, K, K)), rtol=1e-4)
    assert {(row.d, row.scale_verdict) for row in rows} == {(d, "root")}
    if way == "a sink":
        z = (Q @ K.mT / d**0.5).double().exp()
        sink = np.e / (np.e + z.sum(-1))
        assert [row.sink for row in rows] == pytest.approx(sink.mean((0, 2)).tolist(), rel=1e-5)
    assert not rows[0].is_mixed  # by ones on the diagonal


@pytest.mark.parametrize(("after", "verdict"), [(1.0, "root"), (0.5, "width")])
def test_heads_that_are_mixed_before_softmax(after, verdict):
    mixing = torch.eye(H) + torch.rand(H, H, generator=torch.Generator().manual_seed(0))
    for mix in (
        lambda z: functional.conv2d(z, mixing[:, :, None, None]),
        lambda z: torch.einsum("bhij,gh->bgij", z, mixing),
        lambda z: functional.linear(z.movedim(1, -1), mixing).movedim(-1, 1),
    ):
        rows = rows_of(
            lambda q, k, v, m=mix: (m(q @ k.mT / d**0.5) * after).softmax(-1) @ v, Q, K, K
        )
        assert {(row.scale_verdict, row.is_mixed) for row in rows} == {(verdict, True)}


# What weights, a length and a norm make up for --------------------------------------------------


class Made(nn.Module):
    """Attention with layers of its own: how long q and k are, and what scores are multiplied by."""

    def __init__(self, times, short=(), before=1.0, **said):
        super().__init__()
        self.q, self.k, self.times, self.before = (*more_layers(), times, before)
        for name in short:
            nn.init.normal_(getattr(self, name).weight, std=(64 * 16) ** -0.5)
        for name, value in said.items():
            setattr(self, name, value)

    def forward(self, x):
        q, k = (
            layer(t).unflatten(-1, (4, 16)).transpose(1, 2)
            for layer, t in ((self.q, x * self.before), (self.k, x))
        )
        return ((q @ k.mT) * self.times(x.shape[1])).softmax(-1) @ k


def more_layers():
    made = [nn.Linear(64, 64, bias=False) for _ in range(2)]
    for layer in made:
        nn.init.normal_(layer.weight, std=64**-0.5)
    return made


def always(scale):
    return lambda n: scale


@pytest.mark.parametrize(
    ("verdict", "model"),
    [
        ("forgotten", lambda: Made(always(1.0))),
        ("absorbed", lambda: Made(always(1.0), ["q"])),
        ("absorbed", lambda: Made(always(1.0), ["k"])),
        ("root", lambda: Made(always(0.25))),
        ("root", lambda: Made(always(0.25), ["q", "k"])),
        ("carried", lambda: Made(always(0.25), before=0.25)),
        ("forgotten", lambda: Made(always(1.0), scale=1.0)),
        ("stated", lambda: Made(always(1 / 16), mup=True)),
        ("by d", lambda: Made(always(1 / 16), mup=False)),
        ("stated", lambda: Made(lambda n: 0.25 * max(1, np.log(n) / np.log(20)))),
        ("other", lambda: Made(lambda n: 0.25 * np.log(n) / np.log(20))),
        ("other", lambda: Made(lambda n: 0.25 * min(1, np.log(20) / np.log(n)))),
        ("other", lambda: Made(always(0.27))),
    ],
)  # fmt: skip
def test_what_weights_and_lengths_make_up_for(verdict, model):
    torch.manual_seed(0)
    report = ours.check(model(), [torch.randn(2, 24, 64)], show=False)
    assert {row.scale_verdict for row in report.rows} == {verdict}, report.summary()


@pytest.mark.parametrize("is_normed", [True, False])
def test_a_module_that_says_1_has_norms(is_normed):
    def attend(q, k, v):
        if is_normed:
            q, k = (functional.rms_norm(t, t.shape[-1:]) for t in (q, k))
        return (q @ k.mT).softmax(-1) @ v

    model = Attention(attend)
    model.scale = 1.0
    rows = ours.check(model, [(Q, K, K)], show=False).rows
    assert {row.scale_verdict for row in rows} == {"stated" if is_normed else "forgotten"}


# What a configuration states -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "scale", "verdict"),
    [
        ({"query_pre_attn_scalar": 24}, 24**-0.5, "stated"),
        ({"query_pre_attn_scalar": 24}, d**-0.5, "contrary"),
        ({"query_pre_attn_scalar": d}, d**-0.5, "root"),
        ({"attention_multiplier": 1 / d}, 1 / d, "stated"),
        ({"attention_multiplier": 1 / d}, d**-0.5, "contrary"),
        ({"pos_att_type": ["c2p", "p2c"]}, (3 * d) ** -0.5, "stated"),
        ({"pos_att_type": ["c2p", "p2c"]}, d**-0.5, "contrary"),
        ({"model_type": "t5"}, 1.0, "stated"),
        ({"qk_head_dim": 24}, 24**-0.5, "stated"),
        ({"hidden_size": 32}, 40**-0.5, "other head"),
    ],
)
def test_a_configuration_states_the_scale(config, scale, verdict):
    model = Attention(fused(scale=scale))
    model.config = SimpleNamespace(**config)
    report = ours.check(model, [(Q, K, K)], show=False)
    assert {row.scale_verdict for row in report.rows} == {verdict}
    assert report.ok == (verdict in ("root", "stated"))
    if verdict == "contrary":
        assert f"{next(iter(config))} = " in report.rows[0].verdict
