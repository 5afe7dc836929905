"""The three weights at every temperature, with many digits."""

import mpmath
import numpy as np

from tests.saturation.draws import close


def test_temperature(snippet):
    page = snippet("saturation/temperature")
    for t, weights in page.at.items():
        e = [mpmath.exp(mpmath.mpf(int(s)) / t) for s in page.scores]
        assert close(weights, [float(x / sum(e)) for x in e], 1e-12)
        assert close(page.taking_part[t], float(sum(e) ** 2 / sum(x**2 for x in e)), 1e-12)
        assert close(np.log(page.ratio[t]), (page.scores[0] - page.scores[1]) / t)
        if t > 1:
            assert not close(page.ratio[t], page.ratio[1])
