"""The number formats, and the search for the first dimension."""

import math

import numpy as np


def test_the_formats_are_those_of_numpy(module):
    formats = module("scales/formats").FORMATS
    for name, kind in [("fp16", np.float16), ("fp32", np.float32), ("fp64", np.float64)]:
        info, (bits, top, bottom) = np.finfo(kind), formats[name]
        assert info.eps == 2.0 ** (1 - bits)
        assert float(info.max) == (2 - 2.0 ** (1 - bits)) * 2.0**top
        assert float(info.smallest_subnormal) == 2.0**bottom
    # bfloat16 is the upper half of float32.
    bits, top, bottom = formats["bf16"]
    kept = np.array([0x7F7F0000, 0x00010000, 0x3F810000], np.uint32).view(np.float32)
    largest, smallest, after_1 = kept.astype(float)
    assert largest == (2 - 2.0 ** (1 - bits)) * 2.0**top
    assert smallest == 2.0**bottom
    assert after_1 - 1 == 2.0 ** (1 - bits)


def test_fp8_is_e4m3(module):
    # Decode the bytes: four bits of exponent with bias 7, three of fraction. The last is no number.
    def decode(byte):
        exponent, fraction = divmod(byte, 8)
        return fraction * 2.0**-9 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 7)

    assert module("scales/formats").FP8.tolist() == [decode(byte) for byte in range(127)]


def test_first_is_the_first(module):
    first = module("scales/formats").first
    for target in (2, 3, 1000, 2**50 + 4097):
        assert first(lambda d, t=target: d >= t) == target
    assert first(lambda d: False) == math.inf
