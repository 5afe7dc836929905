"""Our row with each size under the root: by powers of its odds, which a factor raises."""

import numpy as np
import pytest

from tests.tolerance import close


def power(weights, by):
    """Give the weights whose logits are so many times as large."""
    raised = weights**by
    return raised / raised.sum()


def test_a_factor_is_a_power_of_the_weights(snippet):
    sizes = snippet("mistakes/sizes")
    d, heads = sizes.d, sizes.heads
    factors = {"width": heads**-0.5, "heads": (d / heads) ** 0.5, "padded": (d / 96) ** 0.5}
    assert factors.keys() == sizes.wrong.keys() == sizes.lines.keys()
    for name, factor in factors.items():
        assert close(sizes.wrong[name], power(sizes.right, factor))
        assert not close(sizes.wrong[name], power(sizes.right, 1 / factor), 1e-2)
        both = np.minimum(sizes.wrong[name], sizes.right).sum()
        assert close(sizes.moved[name], 1 - both)
        assert close(sizes.largest[name], np.sort(sizes.wrong[name])[-1])
    assert close(sizes.lowest, np.sort(sizes.wrong["width"])[0])
    assert sizes.padded == 96
    assert (sizes.best, sizes.most) == (sizes.right.argmax() + 1, pytest.approx(sizes.right.max()))


def test_the_row_that_should_be(snippet, module):
    sizes, row = snippet("mistakes/sizes"), module("common/our_row")
    by_hand = [np.exp(sum(row.query[:64] * key[:64]) / 8) for key in row.keys]
    assert close(sizes.right, by_hand / np.sum(by_hand))
    assert not close(sizes.right, power(sizes.right, 1.1), 1e-2)
