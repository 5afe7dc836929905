"""What √d and d hold constant, against draws."""

import math

import numpy as np
import pytest

from tests.scales.draws import pairs, sd_and_error
from tests.tolerance import agrees, mean_and_error


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_each_divisor_holds_constant(snippet, place):
    page = snippet("scales/constant")
    d = page.dims[place]
    spread, spread_error = sd_and_error(np.sum(np.multiply(*pairs(d)), axis=1))
    mean, mean_error = mean_and_error(np.sum(np.multiply(*pairs(d, page.rho)), axis=1))
    for name, f in {"undivided": 1, "÷ √d": math.sqrt(d), "÷ d": d}.items():
        assert agrees(spread / f, page.spread[name][place], spread_error / f)
        assert agrees(mean / f, page.mean[name][place], mean_error / f)
        # The fifth part of a bar would be seen.
        assert not agrees(1.2 * spread / f, page.spread[name][place], spread_error / f)
        assert not agrees(1.2 * mean / f, page.mean[name][place], mean_error / f)
