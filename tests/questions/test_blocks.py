"""Rounding in blocks: by rounding drawn vectors on listed grids, with a wrong scale that fails."""

import numpy as np
import pytest
from scipy import linalg, special

from tests.questions.draws import scores, vectors
from tests.tolerance import close

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
E4M3 = np.unique([(1 + f / 8) * 2.0**e for e in range(-6, 9) for f in range(8)][:-1])
E4M3 = np.concatenate([[f / 8 * 2.0**-6 for f in range(8)], E4M3])
INT8, INT4 = np.arange(128.0), np.arange(8.0)


def nearest(x, grid):
    """Round to the nearest number of a grid, and what is larger to its last."""
    middle = (grid[1:] + grid[:-1]) / 2
    return np.sign(x) * grid[np.searchsorted(middle, np.abs(x))]


def in_blocks(x, grid, block, scale):
    parts = x.reshape(len(x), -1, block)
    step = scale(np.abs(parts).max(axis=2, keepdims=True))
    return (nearest(parts / step, grid) * step).reshape(x.shape)


def power(exponent):
    return lambda largest: 2.0 ** (np.floor(np.log2(largest)) - exponent)


FORMATS = {
    "int8": (INT8, 64, lambda m: m / 127),
    "fp8": (E4M3, 64, np.ones_like),
    "MXFP8": (E4M3, 32, power(8)),
    "NVFP4": (E2M1, 16, lambda m: m / 6),
    "MXFP4": (E2M1, 32, power(2)),
    "int4": (INT4, 32, lambda m: m / 7),
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_error_of_a_logit(snippet, name):
    result = snippet("questions/blocks")
    q, k = vectors(64, 20_000)
    exact = scores(q, k)
    p, r = in_blocks(q, *FORMATS[name]), in_blocks(k, *FORMATS[name])
    both = (scores(p, r) - exact).std() / 8
    one = (scores(q, r) - exact).std() / 8
    assert abs(both / result.error[name] - 1) < 0.02
    assert abs(one / result.keys_only[name] - 1) < 0.02
    assert abs(one / result.error[name] - 1) > 0.2, "one side for both"
    assert result.block[name] == FORMATS[name][1]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("factor", [1, 128**-0.5])
def test_the_error_of_a_number(snippet, name, factor):
    """Of numbers, of which there are 64 times as many as logits: the products add up as told."""
    result = snippet("questions/blocks")
    if factor != 1 and name not in result.divided:
        return
    _, x = vectors(64, 40_000, seed=1)
    off = in_blocks(factor * x, *FORMATS[name]) / factor - x
    e, a = np.mean(off**2), np.mean(x * off)
    error = (result.error if factor == 1 else result.divided)[name]
    assert abs(np.sqrt(2 * e + e**2 + 2 * a**2 + 4 * a * e) / error - 1) < 0.003
    assert abs(np.sqrt(e) / error - 1) > 0.2, "one side for both"


def test_blocks_and_outliers_are_as_told(snippet):
    result = snippet("questions/blocks")
    assert (result.fp4_block, result.mx_block, result.outlier) == (16, 32, 20)


@pytest.mark.parametrize("name", ["fp8", "NVFP4", "MXFP4"])
def test_the_root_in_the_query_before_rounding(snippet, name):
    """Both sides are rounded after the root, of 128, is in each: no power of 2."""
    result = snippet("questions/blocks")
    q, k = vectors(64, 20_000) / np.sqrt(128)
    p, r = (in_blocks(x, *FORMATS[name]) for x in (q, k))
    error = (scores(p, r) - scores(q, k)).std() * 128 / 8
    assert abs(error / result.divided[name] - 1) < 0.02
    # With a scale of a block that is fitted, or a root that is a power of 2, not a digit differs.
    halved = in_blocks(k / 8, *FORMATS[name]) * 8
    assert close(halved, in_blocks(k, *FORMATS[name])) == (name != "fp8")


def test_undivided_the_error_is_a_share_of_the_score(snippet):
    result = snippet("questions/blocks")
    q, k = vectors(64, 20_000)
    off = scores(in_blocks(q, *FORMATS["NVFP4"]), in_blocks(k, *FORMATS["NVFP4"])) - scores(q, k)
    assert abs(off.std() / result.undivided - 1) < 0.02
    assert abs(scores(q, k).std() / result.undivided_spread - 1) < 0.02


def test_an_outlier_spoils_its_block(snippet):
    result = snippet("questions/blocks")
    x = np.random.default_rng(2).standard_normal((40_000, 16))
    usual = in_blocks(x, *FORMATS["NVFP4"]) - x
    assert abs(np.sqrt(np.mean(usual**2)) / result.usual - 1) < 0.02
    x[:, 0] = 20
    rounded = in_blocks(x, *FORMATS["NVFP4"])[:, 1:]
    assert rounded.shape[1] == result.rest
    assert abs(np.sqrt(np.mean((rounded - x[:, 1:]) ** 2)) / result.others - 1) < 0.02
    assert abs(np.mean(rounded == 0) - result.lost) < 0.005


def test_neither_a_shift_of_the_keys_nor_a_rotation_changes_the_weights(snippet):
    result = snippet("questions/blocks")
    rng = np.random.default_rng(3)
    q, k = rng.standard_normal(64), rng.standard_normal((50, 64)) + 3
    z = k @ q / 8
    moved = (k - k.mean(axis=0)) @ q / 8
    assert close(moved - moved[0], z - z[0])
    assert not close(50 * np.tanh(moved / 50) - 50 * np.tanh(moved[0] / 50), z - z[0], 1e-4)
    beside_a_sink = [special.softmax([*each, 2.0])[:-1] for each in (z, moved)]
    assert not close(*beside_a_sink, 1e-3)
    H = linalg.hadamard(64) / 8
    assert close((k @ H) @ (q @ H) / 8, z)
    lone = np.eye(64)[5] * 20
    assert close(np.abs(lone @ H), result.spread_out)
    assert not close(np.abs(lone @ linalg.hadamard(64)), result.spread_out), (
        "not divided by its root"
    )
