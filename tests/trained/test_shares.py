"""What the figure of shares shows, from the stored tables by other code."""

from tests.trained.tables import are_stored, column, rows


def test_shares(snippet):
    page = snippet("trained/shares")
    assert are_stored(page, "medians.csv", [kind for _, kind in page.table])
    (row,) = rows("medians.csv", pairs="distinct", what="C")
    assert page.C_error == float(row["error"])
    distinct = rows("terms.csv", pairs="distinct")
    assert (page.heads, page.layers, page.per_layer) == (len(distinct), 6, 12)
    away = [abs(float(row["C"])) for row in distinct]
    assert page.beyond == {x: sum(x < C for C in away) for x in (0.05, 0.1)}
    top = distinct[away.index(max(away))]
    assert page.largest == (float(top["C"]), float(top["C_error"]))
    assert page.largest_in == f"{float(top['layer']):.0f}.{float(top['head']):.0f}"
    means = column("terms.csv", "means", pairs="same")
    assert page.outside == sum(x > page.edge for x in means)
    assert page.furthest == max(means)
