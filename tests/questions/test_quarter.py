"""Where half precision overflows: by computing in it, with vectors just too long."""

import numpy as np
import pytest

from tests.tolerance import close


@pytest.mark.parametrize("d", [16, 64, 1024])
def test_the_limit_is_where_half_precision_overflows(snippet, d):
    result = snippet("questions/quarter")

    def overflows(a, q_divisor, k_divisor):
        q = np.full(d, a, np.float16)
        with np.errstate(over="ignore"):
            return np.isinf((q / np.float16(q_divisor)) @ (q / np.float16(k_divisor)))

    for limit, divisors in (
        (result.after[d], (1, 1)),
        (result.each_side[d], (d**0.25, d**0.25)),
        (result.each_side[d], (d**0.5, 1)),
    ):
        # fp16 has 11 significant bits: 1% is several of its roundings.
        assert not overflows(0.99 * limit, *divisors)
        assert overflows(1.01 * limit, *divisors)
    assert overflows(0.99 * result.each_side[d], 1, 1)
    assert close(result.gain[d], d**0.25)
