"""Masks that leak: by drawing rows, in numpy's and torch's own formats, with -inf that fails."""

import numpy as np
import pytest
from scipy import special, stats

from tests.tolerance import agrees, close, mean_and_error


@pytest.fixture
def result(snippet):
    return snippet("questions/masks")


def rows(spread, zeros, seed=0, count=2000):
    z = spread * np.random.default_rng(seed).standard_normal((count, 100))
    return np.concatenate([z, np.zeros((count, zeros))], axis=1)


@pytest.mark.parametrize("spread", [0.5, 1, 3, 8])
def test_what_leaks(result, spread):
    p = special.softmax(rows(spread, 3996), axis=1)
    mean, error = mean_and_error(p[:, 100:].sum(axis=1))
    assert agrees(mean, result.leaked[spread], error)
    assert not agrees(0, result.leaked[spread], error) or spread == 8, "as with -inf"


def test_entropies(result):
    for name, zeros in (("−∞", 0), ("0", 3996)):
        drawn = rows(1, zeros, count=2000 if zeros else 12_000)
        mean, error = mean_and_error(stats.entropy(special.softmax(drawn, axis=1), axis=1))
        assert agrees(mean, result.entropy[name], error)
        assert not agrees(mean, result.most, error)
    assert close(stats.entropy(np.ones(4096)), result.most)
    assert result.empty == 3996


def test_a_mask_that_multiplies(result):
    mask = np.arange(4096) < 100
    z = rows(1, 3996)[0] + 5
    before = special.softmax(z * mask)
    assert before[100:].sum() > 0
    after = special.softmax(np.full(4096, 3.0)) * mask
    assert close(after.sum(), result.left)
    z = np.random.default_rng(1).standard_normal(4096)
    hidden = special.softmax(np.where(mask, z, -np.inf))
    after = special.softmax(z) * mask
    assert close(after / after.sum(), hidden)
    assert not close(after, hidden, 1e-3)


def test_a_row_that_is_masked_as_a_whole(result):
    torch = pytest.importorskip("torch")
    z = torch.tensor([0.0, 1, 2, 3])
    for size in (1e4, 1e9):
        p = torch.softmax(z - size, -1)
        assert close(float(p[-1]), result.all_masked[size], 1e-6)
    assert close(float(torch.softmax(z, -1)[-1]), result.in_a_row, 1e-6)
    assert torch.softmax(z - torch.inf, -1).isnan().all()
    assert close(result.all_masked[1e9], 0.25)
    assert abs(result.in_a_row - 0.25) > 0.3


def test_what_formats_hold(result):
    torch = pytest.importorskip("torch")
    lowest = torch.tensor(torch.finfo(torch.float16).min, dtype=torch.float16)
    assert -float(lowest) == result.fp16_top
    assert close(2**result.log2_e, np.e)
    assert (lowest - result.room).isinf()
    assert not (lowest - (result.room - 1)).isinf()
    for dtype in (torch.float32, torch.bfloat16):
        least = torch.tensor(torch.finfo(dtype).min, dtype=dtype)
        assert (least + least).isinf()
        assert (least * result.log2_e).isinf()
        assert not (least / 8).isinf()


def test_a_small_mask_is_reached(result):
    q = np.random.default_rng(2).choice([-1.0, 1.0], 64)
    longest = result.longer * q
    assert close(longest @ -longest, -10_000)
    assert not close((longest @ -longest) / 8, -10_000)
    assert close(np.log(np.exp(-10_000 / 8 + 700)) - 700, -result.divided[10_000])
