"""Where number formats give out: the first dimension at which it happens."""

import numpy as np
from rivals import log_divisors

# Bits of precision, the exponents of the largest and the smallest number.
FORMATS = {
    "fp16": (11, 15, -24),
    "bf16": (8, 127, -133),
    "fp32": (24, 127, -149),
    "fp64": (53, 1023, -1074),
}
LIMIT = 2**140
# All numbers of fp8 (E4M3) that are not negative; 480 would be the next.
_small, _steps = np.arange(8) / 512, 1 + np.arange(8) / 8
FP8 = np.append(_small, np.outer(2.0 ** np.arange(-6, 9), _steps))[:-1]


def first(holds):
    """Return the first whole d > 1 from which on `holds(d)`."""
    low, high = 1, 2
    while not holds(float(high)):
        low, high = high, 2 * high
        if high > LIMIT:
            return np.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(float(middle)) else (middle, high)
    return high


def log_spread(divisor, d):
    """Return ln of √d/f(d), the spread of a logit at the start."""
    return np.log(d) / 2 - log_divisors(d)[divisor]


def rounds_to_zero(divisor, number_format, gap):
    """Return the first d where e^{-gap spreads} rounds to 0."""
    _, _, bottom = FORMATS[number_format]
    tiny = np.log((1 - bottom) * np.log(2))
    return first(lambda d: np.log(gap) + log_spread(divisor, d) >= tiny)


def rounds_to_one(divisor, number_format, factor=1):
    """Return the first d where e^{-factor spreads} rounds to 1."""
    bits, _, _ = FORMATS[number_format]
    half = 0.5 ** (bits + 1)  # half of the spacing below 1
    return first(
        lambda d: -np.expm1(-factor * np.exp(log_spread(divisor, d))) <= half
    )


def rounds_to_infinity(divisor, number_format):
    """Return the first d for which the divisor f(d) rounds to ∞."""
    bits, top, _ = FORMATS[number_format]
    infinity = np.log(2 - 0.5**bits) + top * np.log(2)
    return first(lambda d: log_divisors(d)[divisor] >= infinity)
