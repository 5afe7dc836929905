"""The second model, from the stored tables by other code."""

from statistics import correlation, median

import numpy as np

from tests.trained.tables import are_stored, column, rows, stated

HEADS = "smollm_heads.csv"


def test_medians(snippet):
    page = snippet("trained/second")
    assert are_stored(page, "smollm_medians.csv", [kind for _, kind in page.table])
    (row,) = rows("smollm_medians.csv", pairs="distinct", what="C")
    assert page.over_distinct == (float(row["median"]), float(row["error"]))
    assert page.spread == median(column(HEADS, "row_sd"))
    assert page.first == median(column(HEADS, "first"))
    assert (page.layers, page.d) == (len({row["layer"] for row in rows(HEADS)}), 64)
    assert page.per_layer == len({row["head"] for row in rows(HEADS)})
    for row in rows("smollm_scale.csv"):
        assert page.nats[row["scale"]] == float(row["nats"])
    (own,) = rows("smollm_scale.csv", scale="1/√d")
    assert page.as_trained == (float(own["nats"]), float(own["nats_error"]))
    assert page.count == len(rows(HEADS))


def test_scales_near_its_own(snippet):
    """A cost is the loss at a scale, less that at the model's own."""
    page = snippet("trained/second")
    nats = {float(row["factor"]): float(row["nats"]) for row in rows("smollm_factors.csv")}
    for factor, (cost, error) in page.dearer.items():
        assert abs(cost - (nats[factor] - nats[1])) < 1e-4
        (row,) = (r for r in rows("smollm_factors.csv") if float(r["factor"]) == factor)
        assert error == float(row["cost_error"])
    nearest = [abs(nats[factor] - nats[1]) for factor in sorted(nats) if 0.8 < factor < 1.2]
    assert max(nearest) < page.near < max(nearest) + 0.01
    assert abs(nats[2] - nats[1]) > 5 * page.near, "twice is not near"


def test_heads_have_either_sign(snippet):
    page = snippet("trained/second")
    C, elsewhere = (column(HEADS, f"{kind}_C") for kind in ("distinct", "elsewhere"))
    for shown, shares in (
        (page.beyond, C),
        (page.by_positions, elsewhere),
        (page.in_minilm, column("terms.csv", "C", pairs="distinct")),
    ):
        assert shown == np.mean([abs(share) > 0.1 for share in shares])
    minilm = column("terms.csv", "C", pairs="distinct")
    assert page.typical["SmolLM2"] == median(map(abs, C)) > 4 * median(map(abs, minilm))
    assert page.typical["MiniLM"] == median(map(abs, minilm))
    # The median is near 0 since the signs cancel, not since heads have no C.
    error = page.over_distinct[1]
    assert abs(median(C)) < 3 * error < 10 * error < median(map(abs, C))
    assert page.early == median(C[: 15 * 9]) > 3 * error
    assert page.late == median(C[15 * 9 :]) < -3 * error
    assert abs(page.together - correlation(C, elsewhere)) < 1e-9
    assert page.together > 0.7 > abs(correlation(C, elsewhere[9:] + elsewhere[:9])), "other heads"


def test_attended_pairs_in_one_unit(snippet):
    page = snippet("trained/second")
    for half, low, high in (("0 to 14", 0, 14), ("15 to 29", 15, 29), (None, 0, 29)):
        own = [row for row in rows(HEADS) if low <= float(row["layer"]) <= high]
        C = [float(row["attended_C"]) for row in own]
        in_unit = [
            float(row["null_C"]) * float(row["null_size"]) ** 2 / float(row["attended_size"]) ** 2
            for row in own
        ]
        shown = page.null_of_half[half] if half else page.by_selection
        assert abs(shown - median(in_unit)) < 1e-12
        if not half:
            continue
        assert page.of_half[half] == median(C)
        assert page.negative_in[half] == np.mean([x < 0 for x in C])
        # In its own unit the null model differs.
        assert abs(median(float(row["null_C"]) for row in own) - median(in_unit)) > 0.01
    assert page.negative == np.mean([x < 0 for x in column(HEADS, "attended_C")])
    sizes = zip(column(HEADS, "distinct_size"), column(HEADS, "re-paired_size"), strict=True)
    assert page.resized == np.mean([not 0.95 <= a / b <= 1.05 for a, b in sizes])


def test_what_was_measured(snippet, sentences):
    page = snippet("trained/second")
    assert page.sentences == int(stated(HEADS, "sentences")) == len(sentences) / 2
    assert page.tokens == int(stated(HEADS, "tokens"))
    assert page.fewer == int(stated("smollm_scale.csv", "sentences"))
