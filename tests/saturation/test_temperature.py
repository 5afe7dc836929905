"""The three weights at every temperature, with many digits."""

import struct

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


def test_how_far_the_winner_moves(snippet):
    """By a small step of the first score, in many digits; p(1 - p) alone is that of the logit."""
    page, step = snippet("saturation/temperature"), mpmath.mpf(10) ** -12
    for (_, p, by_logit, by_score), t in zip(page.winner, page.divisors, strict=True):

        def weight(score, t=t):
            e = [mpmath.exp(mpmath.mpf(z) / t) for z in (score, 0, -8)]
            return e[0] / sum(e)

        with mpmath.workdps(40):
            slope = float((weight(8 + step) - weight(8 - step)) / (2 * step))
            assert close(p, float(weight(8)))
        assert close(by_score, slope)
        assert close(by_logit, slope) == (t == 1)


def upper_half(x):
    """Round a number to bfloat16, the upper 16 bits of a 32-bit float, and ties to even."""
    [bits] = struct.unpack("<I", struct.pack("<f", x))
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


def test_what_half_precision_does_to_large_scores(snippet):
    """By the bits; 100 and 101, and the same two scores in float16, stay apart."""
    page = snippet("saturation/temperature")
    weights = [
        1 / (1 + np.exp(upper_half(b) - upper_half(a))) for a, b in [(1000, 1001), (100, 101)]
    ]
    assert close(page.rounded[0], weights[0])
    assert not close(page.rounded[0], weights[1])
    assert np.float16(1001) - np.float16(1000) == 1
    [largest] = struct.unpack("<e", struct.pack("<H", 0x7BFF))
    assert page.largest_half == largest
    with np.errstate(over="ignore"):
        assert np.isinf(np.array(largest + 16, np.float16))
