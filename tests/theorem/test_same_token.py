"""A token and itself at initialisation: by the χ² distribution, and with weights drawn."""

from scipy import stats

from tests.tolerance import agrees, close


def test_same_token(snippet):
    page = snippet("theorem/same_token")
    d = page.d
    for D in page.widths:
        # Given x, q and k are N(0, |x|²/D I) and independent: d E(|x|²/D)².
        assert close(page.exact[D], d * stats.chi2(D).moment(2) / D**2)
        assert close(page.expected_published[D] - page.exact[D], d * (d - 1) / D)
        assert agrees(page.simulated[D], page.exact[D], page.standard_error[D])
        assert D > 32 or not agrees(page.simulated[D], 2 * d, page.standard_error[D])
        ours, error = page.given_weights[D], page.weights_error[D]
        theirs, their_error = page.given_weights_published[D], page.published_error[D]
        assert agrees(ours, page.exact[D], error)
        assert agrees(theirs, page.expected_published[D], their_error)
        assert not agrees(theirs, page.exact[D], their_error)
        assert not agrees(ours, page.expected_published[D], error)
