"""Faults of public reports are named, and the mended models are silent."""

import pytest

from tests.check_attention import faults
from tests.check_attention.script import ours, torch

# What each faulty model is told, among the names of its verdicts.
SCALES = {
    "reversed_scale": "reversed",
    "zero_scale": "zero",
    "zero_on_q": "zero",
    "one_fourth": "fourth root",
    "log2e": "log2",
    "exp2_right": "other",
    "after_softmax": "after",
    "after_out": "after",
    "int_root": "floor",
    "own_scale_width": "width",
    "hard_coded": "other head",
    "eight_over_d": "8/d",
    "root_tokens": "tokens",
    "cap_absent": "no cap",
    "twice_sdpa": "twice",
    "headmajor": "width",
    "cat_second": "forgotten",
    "flinear": "forgotten",
    "unused_scaling": "contrary",
    "nested_heads": "width",
    "alibi_sign": "bias sign",
    "alibi_divided": "bias divided",
    "alibi_twice": "bias twice",
    "relbias_divided": "bias divided",
    "gumbel": "forgotten",
    "root_of_packed": "other head",
    "root_of_latent": "padded",
    "yarn_twice": "contrary",
    "mscale_ignored": "contrary",
    "two_sources": "forgotten",
}
OTHERS = {
    "axis": {
        "kq_queries": "queries",
        "einsum_axis": "queries",
        "einsum_heads_last": "heads",
        "batch_axis": "batch",
        "pieces": "pieces",
        "logarithms": "logarithms",
        "over_all": "more",
    },
    "heads": {"no_transpose": "exchanged", "no_transpose_unsaid": "exchanged"},
    "mask": {
        "inverted": "inverted",
        "inverted_sdpa": "inverted",
        "pad_mask_inverted": "inverted",
        "off_by_one": "later",
        "one_layer_not_causal": "later",
        "add01": "fails",
        "mul01": "fails",
        "where0": "fails",
        "pad_ignored": "fails",
        "zero_keys": "zeros",
        "cache_strict": "strict",
        "cache_corner": "corner",
        "cache_hole": "zeros",
        "dropped_in_eval": "dropout",
        "dropped_in_eval_sdpa": "dropout",
        "dropped_before": "dropout",
    },
    "nan": {"empty_rows": "nan", "nan_in_v": "nan", "fp16_overflow": "nan"},
}
CASES = [("scale", *each) for each in SCALES.items()]
CASES += [(kind, *each) for kind, table in OTHERS.items() for each in table.items()]
WAYS = [
    "flat",
    "mulsum",
    "exp",
    "expafter",
    "special",
    "e3",
    "tensordot",
    "loop",
    "online",
    "lse",
    "vmap",
]


@pytest.mark.parametrize(("kind", "name", "verdict"), CASES)
def test_a_fault_is_named_and_the_mended_model_is_silent(kind, name, verdict):
    torch.manual_seed(0)
    make = getattr(faults, name)
    report = ours.check(*make(), show=False)
    assert [words for words in report.faults(kind) if words.startswith(kind)]
    assert any(verdict in row.verdicts for row in report.rows), report.rows[0].verdicts
    assert not report.ok
    mended = ours.check(*make(False), show=False)
    assert mended.ok, mended.summary()


@pytest.mark.parametrize("way", WAYS)
def test_attention_without_a_batch_is_seen_however_it_is_written(way):
    make = faults.unbatched(way)
    wrong, right = (ours.check(*make(each), show=False) for each in (True, False))
    assert {row.scale_verdict for row in wrong.rows} == {"forgotten"}
    assert right.ok, right.summary()
    assert right.understood == right.calls > 0


@pytest.mark.parametrize("way", ["axis", "expaxis"])
def test_softmax_over_queries_without_a_batch(way):
    make = faults.unbatched(way)
    assert ours.check(*make(), show=False).faults("axis")
    assert ours.check(*make(False), show=False).ok


def test_exp_that_nothing_divides_is_named():
    for way in ("exp", "expafter", "lse", "online"):
        assert ours.check(*faults.unbatched(way)(False), show=False).ok, way
    undivided = faults.Attention(lambda self, q, k, v: (q @ k.mT * 0.25).exp() @ v)
    report = ours.check(undivided, faults.inputs(), show=False)
    assert not report.ok
    assert any("divided by its sum" in each for each in report.faults("unknown"))


def test_a_form_that_cannot_be_followed_is_named():
    model, batches = faults.unbatched("entries")(False)
    report = ours.check(model, batches, show=False)
    assert not report.ok
    assert any("written into a tensor in parts" in each for each in report.faults("unknown"))


def test_what_need_not_be_understood_is_allowed_by_name():
    class Odd(faults.nn.Module):
        def __init__(self):
            super().__init__()
            self.plain, self.pool_attention = faults.own_scale_width(False)[0], SigmoidAttention()

        def forward(self, x):
            return self.pool_attention(self.plain(x))

    class SigmoidAttention(faults.nn.Module):
        def forward(self, x):
            return torch.sigmoid(x @ x.mT) @ x

    batches = faults.inputs(w=256)
    report = ours.check(Odd(), batches, show=False)
    assert not report.ok
    assert report.faults("unknown")[0].startswith("unknown: pool_attention (SigmoidAttention)")
    assert ours.check(Odd(), batches, show=False, allow=["pool*"]).ok


def test_two_codes_are_compared():
    for make, kind in (
        (faults.own_scale_width, "factor"),
        (faults.einsum_axis, "axis"),
        (faults.inverted, "mask"),
        (faults.alibi_twice, "bias"),
        (faults.one_layer_not_causal, "mask"),
    ):
        torch.manual_seed(0)
        (right, batches), (wrong, _) = make(False), make()
        wrong.load_state_dict(right.state_dict())
        found = ours.compare(right, wrong, batches)
        assert (found.kind, found.same) == (kind, False), make.__name__
        assert found.output > 0
        assert ours.compare(right, right, batches).same
    assert found.layer == "1"
    assert found.share == pytest.approx(1)
