"""Where number formats give out, in many digits and by rounding."""

import math

import mpmath
import numpy as np
import pytest

from tests.scales.draws import pairs, sd_and_error
from tests.tolerance import agrees, close


def to_bf16(x):
    """Round a positive number to bfloat16: to 8 bits, ties to even.

    Not by way of float32, which would round twice.
    """
    if x >= (2 - 2.0**-8) * 2.0**127:
        return math.inf
    spacing = 2.0 ** max(math.frexp(x)[1] - 8, -133)
    return round(x / spacing) * spacing


ROUND = {
    "fp16": lambda x: float(np.float16(x)),
    "bf16": to_bf16,
    "fp32": lambda x: float(np.float32(x)),
    "fp64": float,
}
DIVISORS = {
    "1": lambda d: mpmath.mpf(1),
    "log d": mpmath.log,
    "√d": mpmath.sqrt,
    "d": lambda d: d,
    "d/8": lambda d: d / 8,
    "d⁵": lambda d: d**5,
    "exp πd": lambda d: mpmath.exp(mpmath.pi * d),
}


@pytest.mark.parametrize("number_format", ROUND)
def test_where_formats_give_out(snippet, module, number_format):
    # In 60 digits; where a float no longer tells d from d − 1, a billionth to either side.
    page = snippet("scales/floats")
    bits, top, bottom = module("scales/formats").FORMATS[number_format]

    def spread(f, d):
        return mpmath.sqrt(d) / DIVISORS[f](d)

    with mpmath.workdps(60):
        tiny, half = mpmath.mpf(2) ** (bottom - 1), mpmath.mpf(2) ** -(bits + 1)
        largest = (2 - mpmath.mpf(2) ** -bits) * mpmath.mpf(2) ** top
        for table, bad in [
            (page.zero, lambda f, d: mpmath.exp(-page.gap * spread(f, d)) <= tiny),
            (page.equal, lambda f, d: -mpmath.expm1(-spread(f, d)) <= half),
            (page.infinite, lambda f, d: DIVISORS[f](d) >= largest),
        ]:
            for f, found in table.items():
                d = found[number_format]
                if math.isinf(d):
                    assert not bad(f, mpmath.mpf(10) ** 42), f
                    continue
                far = mpmath.mpf(d) * 1e-9 if d > 1e9 else 0
                assert bad(f, mpmath.mpf(d) + far), (f, d)
                assert not bad(f, mpmath.mpf(d) - max(1, far)), (f, d)


@pytest.mark.parametrize("d", [16, 256])
def test_what_fp8_does_to_a_logit(snippet, d):
    page, (q, k) = snippet("scales/floats"), pairs(d)

    def rounded(x, bits):
        """Round to so many bits after the first, by shifting; no smaller than 2^−9 apart."""
        spacing = 2.0 ** np.maximum(np.frexp(x)[1] - 1 - bits, -9)
        return np.round(x / spacing) * spacing

    def error(bits):
        moved = np.sum(rounded(q, bits) * rounded(k, bits) - q * k, axis=1) / math.sqrt(d)
        return sd_and_error(moved)

    assert agrees(error(3)[0], page.fp8_error, error(3)[1])
    assert not agrees(error(2)[0], page.fp8_error, error(2)[1]), "E5M2"
    assert page.fp8_top_d == 1 + 2**8 * (1 + 6 / 8)


def test_log_n_scaling_and_half_precision(snippet):
    page = snippet("scales/floats")
    assert np.float16(math.exp(-1.0001 * page.fp16_zero)) == 0
    assert np.float16(math.exp(-0.9999 * page.fp16_zero)) > 0
    assert close(page.log_n_gap, page.gap * 9 * math.log(2))
    assert to_bf16(math.exp(-page.log_n_gap)) > 0 == np.float16(math.exp(-page.log_n_gap))
    # With a spread of 1 at every d: neither 0 nor 1 in any format.
    for cast in ROUND.values():
        assert 0 < cast(math.exp(-page.gap)) < cast(math.exp(-1)) < 1
