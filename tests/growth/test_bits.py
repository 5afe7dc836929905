"""Formats of eight and sixteen bits, decoded number by number; rounding to the nearest."""

import numpy as np
from scipy import stats

from tests.tolerance import close


def decoded(fraction_bits, bias, codes):
    """Decode the bytes of a format, subnormal ones too."""
    exponent, fraction = np.divmod(np.arange(codes), 2**fraction_bits)
    normal = (1 + fraction / 2**fraction_bits) * 2.0 ** (exponent - bias)
    return np.where(exponent == 0, fraction * 2.0 ** (1 - bias - fraction_bits), normal)


E4M3, E5M2 = decoded(3, 7, 127), decoded(2, 15, 124)


def test_formats(snippet):
    page = snippet("growth/bits")
    bf16 = (np.arange(0x7F80, dtype=np.uint32) << 16).view(np.float32).astype(float)
    fp16 = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(float)
    tables = {"fp8 e4m3": E4M3, "fp8 e5m2": E5M2, "bf16": bf16, "fp16": fp16}
    for name, numbers in tables.items():
        assert page.top[name] == numbers[-1]
        assert page.formats[name][0] == 4 - np.log2(page.gap[name][10])  # 10 is between 8 and 16
        for x, gap in page.gap[name].items():
            at = np.searchsorted(numbers, x, side="right")
            assert gap == numbers[at] - numbers[at - 1]
    # Two logits on either side of a midpoint, the first of them to the lower.
    low, high = bf16[abs(bf16[:, np.newaxis] - [1001.99, 1002.01]).argmin(axis=0)]
    assert close(page.factor[1000], np.exp(high - low))
    first, below = np.float32(page.overflow * 8), np.float32(page.overflow * 8 - 0.01)
    with np.errstate(over="ignore"):
        assert np.isinf(first.astype(np.float16)), "half a step above the largest"
    assert below.astype(np.float16) == fp16[-1] < below, "rounded down to it"
    assert close(page.int8_gap * 127, 1000)


def error(numbers, times):
    """Round a Gaussian's quantiles, times a factor, to the nearest of the numbers."""
    x = stats.norm.isf((np.arange(100_000) + 0.5) / 200_000)
    nearest = numbers[np.searchsorted((numbers[1:] + numbers[:-1]) / 2, x * times)]
    return np.sqrt(np.mean((nearest / times - x) ** 2))


def test_rounding(snippet):
    page = snippet("growth/bits")
    for name, times in {"1": 1, "√128": 128**-0.5, "128": 1 / 128}.items():
        assert close(page.q_error[name], error(E4M3, times), 2e-4)
        assert not close(page.q_error[name], error(E5M2, times), 5e-3)
    assert close(page.int8_error, error(np.arange(128), 127 / 4), 2e-4)
    assert close(page.more, error(E4M3, 1 / 128) / error(E4M3, 1), 1e-2)
    assert close(page.below[128], 1 - 2 * stats.norm.sf(2))
    assert close(page.folded, 1 / np.log(2) / 128**0.5)
