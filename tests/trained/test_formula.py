"""Where the Gaussian formula fits, from the stored tables by other code."""

from statistics import median

from tests.trained.tables import column, rows


def test_formula(snippet):
    page = snippet("trained/formula")
    for kind in page.kinds:
        ratio = column("terms.csv", "formula", pairs=kind)
        assert page.within[kind] == sum(0.9 < x < 1.1 for x in ratio)
        traces = [
            float(row["tr_of_C_squared"]) / float(row["norm_of_C_squared"])
            for row in rows("terms.csv", pairs=kind)
        ]
        assert page.symmetry[kind] == median(traces)
        published = column("terms.csv", "printed", pairs=kind)
        assert (page.within[kind] == sum(0.9 < x < 1.1 for x in published)) == (kind == "distinct")
    assert page.up_to == max(column("terms.csv", "formula", pairs="same"))
