"""What happens when an assumption fails: each case by drawing."""

from tests.tolerance import agrees


def test_assumptions(snippet):
    page = snippet("variance/assumptions")
    for case in page.cases:
        for d in page.dims:
            estimate, error = page.simulated[case][d], page.standard_error[case][d]
            assert agrees(estimate, page.exact[case][d], error + 1e-12)
            if case not in ("independent", "random signs"):
                assert not agrees(estimate, d, error + 1e-12), "'always exactly d'"
    for d in page.dims:
        assert [page.exact[case][d] for case in page.cases] == [d**2, 2 * d, d, d, 0]
