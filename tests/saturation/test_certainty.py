"""How often one key takes nearly everything: by drawing all keys, and by integrals."""

import math

import numpy as np
from scipy import integrate, stats
from scipy.special import softmax

from tests.saturation.draws import close, draw, is_mean, is_share
from tests.tolerance import is_median


def test_certainty(snippet):
    page = snippet("saturation/certainty")
    for n in (3, 64, 512):
        hits, lead, best_two = [], [], []
        for seed in range(20):  # in parts: half of a gigabyte would be slow
            g, p = draw((8, seed), n, 8, 3000 if n > 64 else 10_000)
            hits.append(p.max(axis=1))
            best_two.append(np.partition(p, -2, axis=1)[:, -2:].sum(axis=1))
            two = -np.partition(-g, 1, axis=1)[:, :2]
            lead.append(8 * (two[:, 0] - two[:, 1]))
        hits, lead = np.concatenate(hits), np.concatenate(lead)
        assert is_mean(page.best_two[n], np.concatenate(best_two))
        assert not is_mean(page.best_two[n] + 0.01, np.concatenate(best_two))
        assert is_share(page.at_64[n], hits > 0.99)
        for wrong in (-0.01, 0.01):
            assert not is_share(page.at_64[n] + wrong, hits > 0.99)
        assert not is_share(page.at_64[n], hits > 0.999)
        assert is_median(page.gap_at_64[n], lead, math.inf)
        assert not is_median(page.gap_at_64[n] + 0.1, lead, math.inf)
    assert close(page.behind_by_2, softmax([0, 2])[0])
    assert close(page.lead_of_4, softmax([4, *511 * [0]])[0])
    assert not close(page.lead_of_4, softmax([4, *512 * [0]])[0])


def test_dimensions_needed_for_certainty(snippet):
    page = snippet("saturation/certainty")
    for n in (3, 64):
        p = draw(9, n, np.sqrt(page.d_needed[n]), 20_000)[1].max(axis=1)
        assert is_share(0.95, p > 0.99)
        p = draw(9, n, np.sqrt(64), 20_000)[1].max(axis=1)
        assert not is_share(0.95, p > 0.99), "'almost certainly' at d = 64"

    def ties(x):  # their density is the mean of the largest
        return 512 * 511 * stats.norm.pdf(x) ** 2 * stats.norm.cdf(x) ** 510

    root = 20 * math.log(99) * integrate.quad(ties, -9, 9, points=[0, 2, 3])[0]
    assert page.d_rounded[512] == round(root**2, -3)
