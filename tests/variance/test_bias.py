"""The bias and the scatter of np.var at growing sizes: exact against drawn."""

import math

from tests.tolerance import agrees, close


def test_bias(snippet, module):
    page, law = snippet("variance/bias"), module("variance/sample_variance")
    for n in page.sizes:
        error, sd_error = page.standard_error[n], page.relative_sd_error[n]
        assert agrees(page.simulated[n], page.expected[n], error)
        assert agrees(page.simulated_relative_sd[n], page.relative_sd[n], sd_error)
        independent = math.sqrt(law.variance_if_independent(n, n, n)) / n
        if n > 2:  # at n = 2 the error is too large to tell them apart
            assert not agrees(page.simulated_relative_sd[n], independent, sd_error)
        # To the last digit: the formulas that test_sample_variance.py checks at small shapes.
        assert close([page.sd[n] ** 2, page.variance[n]], law.variance(n, n, n))
        assert close(page.relative_sd[n] * n, page.sd[n])
    for n in (2, 4):
        assert not agrees(page.simulated[n], n, page.standard_error[n])
