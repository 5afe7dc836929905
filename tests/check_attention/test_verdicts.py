"""What it says: of NaN first, of masks nothing, of each head in one place, and on the page."""

import inspect
import math
import re

import numpy as np
import pytest

from tests.check_attention.script import (  # isort: skip
    PAGE, Attention, H, K, Q, by_hand, d, found, fused, gaussian, n, ours, rows_of, torch, written,
)  # fmt: skip

# NaN and infinities (B2) ------------------------------------------------------------------------


@pytest.mark.parametrize("write", [fused(), written(d**-0.5)], ids=["fused", "written"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_not_finite_is_the_first_verdict(write, value):
    """One row of one head, which need not be among the rows that are looked at."""
    q = Q.clone()
    q[1, 2, 5, 0] = value
    report = ours.check(Attention(write), [(q, K.abs(), K)], rows=2, show=False)
    assert [row.softmax_verdict == "nan" for row in report.rows] == [False, False, True, False]
    assert report.rows[2].not_finite == n
    assert report.rows[2].verdict.startswith(f"Not finite: {n} logits")
    assert report.summary().startswith(f"Not finite, 1 head, {n} logits: Attention head 2")
    assert report.faults("nan")[0].startswith("nan: Attention head 2")
    assert report.faults() == report.faults(*ours.NEVER_MEANT)
    assert not report.ok
    assert math.isfinite(report.rows[2].spread), "the other rows are measured"
    assert ours.check(Attention(write), [(Q, K, K)], show=False).ok


# Masks (B3) -------------------------------------------------------------------------------------

HALF = torch.arange(n) < n // 2
ALLOWED = np.broadcast_to(HALF.numpy(), (2, H, n, n))


@pytest.mark.parametrize("low", [-100.0, -1e3, -1e4, -1e9, -math.inf])
@pytest.mark.parametrize("biased", [False, True])
def test_a_low_number_is_a_mask(low, biased):
    """Swin has −100, and old BERT −10⁴ besides logits that may be large."""
    bias = 3 * torch.from_numpy(np.random.default_rng(1).standard_normal((H, n, n))).float()
    bias = bias if biased else 0 * bias
    added = torch.where(HALF, 0, low) + bias
    expected = by_hand(Q.numpy(), K.numpy(), d**-0.5, ALLOWED, bias.numpy())
    for write in (fused(attn_mask=added), lambda q, k, v: (q @ k.mT / d**0.5 + added).softmax(-1)):
        rows = rows_of(write, Q, K, K)
        assert np.allclose(found(rows), expected, rtol=1e-4)
        assert {row.scale_verdict for row in rows} == {"root"}
        assert {row.softmax_verdict for row in rows} <= {"between", "bias"}


def test_a_bias_that_falls_far_without_a_gap_is_no_mask():
    """As ALiBi does over long distances; nor are logits that a few keys lead by far."""
    far = -5.0 * torch.arange(n).float()
    (row, *_) = rows_of(fused(attn_mask=far.expand(n, n)), Q, K, K)
    assert row.keys == n
    assert row.softmax_verdict == "bias"
    (row, *_) = rows_of(written(d**-0.5), 60 * Q, 5 * K, K)
    assert row.keys == n
    assert row.softmax_verdict == "frozen"


# Frozen -----------------------------------------------------------------------------------------


def test_one_key_that_takes_nearly_all_is_frozen_whatever_the_spread():
    """One key at +10 among 512, with noise of 0.5: as a head that rests on the first token."""
    q, k = gaussian(1, 1, 64, 16, seed=1), gaussian(1, 1, 512, 16, seed=2) / 2
    q[..., 0], k[..., 0] = 1, 0
    (plain,) = rows_of(fused(), q, k, k, heads=1)
    k[..., 0, 0] = 40
    (sink,) = rows_of(fused(), q, k, k, heads=1)
    assert plain.softmax_verdict == "between"
    assert sink.softmax_verdict == "frozen"
    assert sink.spread < 1 < sink.freezes
    assert sink.largest > 0.9
    bias = torch.zeros(512).index_fill(0, torch.tensor([0]), 10)
    k[..., 0, 0] = 0
    (local,) = rows_of(fused(attn_mask=bias.expand(64, 512)), q, k, k, heads=1)
    assert local.softmax_verdict == "bias"


# Numbers that one watches -----------------------------------------------------------------------


def test_the_largest_logit_and_the_entropy():
    z = (Q @ K.mT / d**0.5).double()
    p = z.softmax(-1)
    entropy = -(p * p.log()).sum(-1)
    for head, row in enumerate(rows_of(fused(), Q, K, K)):
        assert row.max_logit == pytest.approx(float(z[:, head].abs().max()))
        assert row.max_qk == pytest.approx(row.max_logit)
        assert row.entropy == pytest.approx(float(entropy[:, head].mean()))
        assert row.min_entropy == pytest.approx(float(entropy[:, head].min()))
        assert row.max_spread == pytest.approx(float(z[:, head].std(-1).max()))
        assert row.entropy > 1.05 * row.min_entropy
    shifted = rows_of(fused(attn_mask=torch.full((n, n), 7.0)), Q, K, K)[0]
    assert shifted.max_logit == pytest.approx(float((z[:, 0] + 7).abs().max()))
    assert shifted.max_qk == pytest.approx(float(z[:, 0].abs().max()))


# Words ------------------------------------------------------------------------------------------


def row(layer, head, scale, spread=1.0, share=0.5, sharing=9.0):
    of_row = inspect.signature(ours.Row).parameters.values()
    needed = [each.name for each in of_row if each.default is each.empty]
    made = ours.Row(**dict.fromkeys(needed, math.nan) | {
        "layer": layer, "head": head, "d": 64, "width": 256, "heads": 12, "said": 0, "rows": 9,
        "scale": scale, "source": "", "places": 1, "spread": spread, "spread_qk": spread,
        "freezes": 3.0, "share": share, "sharing": sharing, "not_finite": 0,
        "q_norm": 1.0, "k_norm": 1.0,
    })  # fmt: skip
    made.judge()
    return made


def test_the_summary_counts_heads_and_names_what_deviates():
    rows = [row(f"layer {at}", head, 1 / 8) for at in range(12) for head in range(12)]
    assert ours.Report(rows).summary().splitlines() == [
        "Scale 1/√d in 144 of 144 heads; 0 frozen, 0 flat.",
        "ok",
    ]
    rows[5] = row("layer 0", 5, 1 / 8, sharing=2.0)
    rows[12:24] = [row("layer 1", head, 1.0, share=0.99) for head in range(12)]
    rows[30:33] = [row("layer 2", head, 0.23 + 0.1 * head) for head in range(6, 9)]
    report = ours.Report(rows)
    assert report.summary().splitlines() == [
        "Scale 1/√d in 129 of 144 heads; 1 frozen, 12 flat.",
        "  Scale forgotten, 12 heads: layer 1",
        "  Another scale, 3 heads: layer 2 heads 6 to 8",
        "  Frozen, 1 head: layer 0 head 5",
        "  Flat, 12 heads: layer 1",
        "Not ok: scale.",
    ]
    said = str(report)
    assert said.endswith(report.summary())
    assert len([line for line in said.splitlines() if re.match(r"layer \d", line)]) == 12
    assert len(re.findall(r"\nlayer \d", report.text(heads=True))) == 144
    words = " ".join(said.split())
    assert words.count("These numbers are those of layer 2, head 6.") == 1, (
        "of those with another scale"
    )


@pytest.mark.parametrize("site", ["", "https://example.org/"])
def test_a_verdict_links_to_the_site_that_it_comes_from(monkeypatch, site):
    monkeypatch.setattr(ours, "SITE", site)
    said = str(ours.Report([row("one", 0, 1.0)]))
    assert ("#t5-which-has-no-divisor" in said) == bool(site)
    assert ("  https://example.org/scales/#t5" in said) == bool(site)


def test_what_changed_since_an_older_report():
    old = ours.Report([row("one", head, 1 / 8) for head in range(3)])
    new = ours.Report(
        [
            row("one", 0, 1 / 8, spread=1.2),
            row("one", 1, 1 / 8, spread=4, sharing=2),
            row("two", 0, 0.3),
        ]
    )
    assert new.changes(ours.Report.from_json(new.to_json())) == []
    assert new.changes(old) == [
        "one head 1: 'root frozen' was 'root between'",
        "one head 1: spread 4 was 1",
        "one head 2 is missing",
        "two head 0 is new",
    ]


def test_the_page_has_every_verdict():
    """The first column of its table: what the script prints, with a letter for a number."""
    table = re.search(r"\| Verdict \|.*?\n\n", PAGE, re.DOTALL)[0].strip().splitlines()[2:]
    cells = [
        re.sub(r"\*\w\*", "#", row.strip().split(" | ")[0]).strip("| ").replace("$", "")
        for row in table
    ]
    verdicts = ours.LAYOUT | ours.AXES | ours.MASKS | ours.SCALES | ours.SOFTMAX
    said = [re.sub(r"\{[^}]+\}", "#", text) for _, text in verdicts.values()]
    assert len(cells) == len(said) > 17
    for words in said:
        assert len([cell for cell in cells if words.startswith(cell)]) == 1, words


def test_a_number_that_fits_two_formulas_is_told_with_both():
    """Of heads of 16 in a width of 64, 1/√64 is 2/16: one of them, and not 2/16 or 0.5/16."""
    report = ours.check(*ours.demo("width", d=16), show=False)
    told = " ".join(str(report).split())
    assert "0.125 fits other formulas, too: 2/16, where d ** 1/2 is taken for the root." in told
