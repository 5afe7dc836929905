"""The whole distribution for C = ρI: its curve over the histogram, its chance below 0."""

import math

import numpy as np
from scipy import integrate, optimize, stats

from tests.tolerance import agrees, close


def test_law_lies_on_its_histogram(snippet):
    page = snippet("theorem/law")
    width, fine = np.diff(page.edges), np.linspace(-16, 40, 5601)

    def in_bins(pdf):
        whole = integrate.cumulative_trapezoid(pdf, fine, initial=0)
        return np.diff(whole[:: (len(fine) - 1) // len(width)])

    for rho, histogram in page.histogram.items():
        share = in_bins(np.interp(fine, page.point, page.pdf[rho]))
        error = np.sqrt(share * (1 - share) / page.samples) + 2e-3 * share + 1e-5
        assert agrees(histogram * width, share, error)
        bell = stats.norm.pdf(fine, rho * page.d, math.sqrt(page.d * (1 + rho**2)))
        if rho:  # at ρ = 0 the bell is too close for 40,000 draws
            assert not agrees(histogram * width, in_bins(bell), error)


def test_chance_of_a_negative_score(snippet):
    page = snippet("theorem/law")
    for rho, chances in page.negative.items():
        for d, chance in chances.items():
            # At least the error of one count, for chances below it.
            error = math.sqrt(max(chance * (1 - chance), 1 / page.samples) / page.samples)
            assert agrees(page.negative_simulated[rho][d], chance, error)

        # (1 + ρ)X < (1 − ρ)Y, for two χ²'s.
        def both(y, d, rho=rho):
            return stats.chi2.pdf(y, d) * stats.chi2.cdf((1 - rho) / (1 + rho) * y, d)

        assert close(chances[64], integrate.quad(both, 0, 300, (64,))[0], 1e-6)
        assert not close(chances[64], integrate.quad(both, 0, 300, (64, -rho))[0], 1e-6)
        # The least of the generating function, by a search.
        for d in (4, 64):
            least = optimize.minimize_scalar(
                lambda t, d=d, rho=rho: (1 - 2 * rho * t - (1 - rho**2) * t**2) ** (-d / 2),
                bounds=(-0.9, 0),
                method="bounded",
                options={"xatol": 1e-9},
            )
            assert close(page.chernoff[rho][d], least.fun, 1e-6)
            assert close(least.x, -rho / (1 - rho**2), 1e-3)
            assert not close((1 - rho) ** d, least.fun, 1e-3)
