"""The spread of trained logits, from the stored tables, and the curve for Gaussian ones."""

from statistics import median, quantiles

import numpy as np
import pytest

from tests.tolerance import close
from tests.trained.tables import PRINTED, column, head_names


@pytest.fixture
def gaussian(snippet, module):
    """Give the share of keys that take part, by the quadrature of another chapter."""
    keys, exact = snippet("trained/logits").keys, module("saturation/gaussian_logits").participation
    return lambda sigma: exact(keys, sigma) / keys


def test_gaussian_logits(snippet, gaussian):
    page = snippet("trained/logits")
    assert close(page.gaussian, [gaussian(s) for s in page.sigma], PRINTED)
    assert not close(page.gaussian, [gaussian(2 * s) for s in page.sigma], PRINTED)


def test_logits(snippet, gaussian):
    page, spread = snippet("trained/logits"), column("heads.csv", "row_sd")
    assert page.near_one == sum(0.9 < s**2 < 1.1 for s in spread)
    first, middle, third = quantiles(spread, n=4, method="inclusive")
    assert close([page.lower, page.median, page.upper], [first, middle, third])
    assert close(page.variance, middle * middle)
    assert (page.lowest, page.highest) == (min(spread), max(spread))
    assert page.sharpest == head_names()[spread.index(page.highest)]
    content = column("heads.csv", "row_sd_content")
    assert close(page.content_median, median(content))
    assert page.above_one == len(spread) - sum(s <= 1 for s in spread)
    assert page.content_above_one == len(content) - sum(s <= 1 for s in content)
    for layer, typical in enumerate(page.by_layer):
        assert typical == median(column("heads.csv", "row_sd", layer=str(layer)))
    other = column("rows.csv", "elsewhere")
    assert close(page.elsewhere_median, median(other))
    ratio = [a / b for a, b in zip(other, spread, strict=True)]
    assert page.much_changed == sum(not 0.9 < x < 1.1 for x in ratio)
    share = column("heads.csv", "share_taking_part")
    counts = np.array(column("heads.csv", "taking_part")) / share
    assert page.keys == round(median(counts))
    assert page.below == sum(x < gaussian(s) for x, s in zip(share, spread, strict=True))
    assert close(np.exp(page.freezing**2 / 2), page.keys)
    assert page.mostly_frozen == sum(x > 0.5 for x in column("heads.csv", "frozen"))
    size = median(column("terms.csv", "size", pairs="start"))
    assert close(page.start, size / np.sqrt(32), PRINTED)
