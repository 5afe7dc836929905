"""Sequences of a batch stay apart: others are changed, and the first should not notice."""

from typing import NamedTuple

import pytest

from tests.check_attention.faults import Attention
from tests.check_attention.script import nn, ours, torch


class Stacked(nn.Module):
    """Heads are put in front of the batch, and taken out again; as SASRec does it."""

    def __init__(self, take_out, norm=None):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(24, 24) for _ in range(3))
        self.take_out, self.norm = take_out, norm or nn.Identity()

    def forward(self, x):
        x = self.norm(x.mT).mT
        q, k, v = (torch.cat(layer(x).chunk(3, -1)) for layer in (self.q, self.k, self.v))
        return self.take_out((q @ k.mT / 8**0.5).softmax(-1) @ v, x)


def right(y, x):
    return torch.cat(y.chunk(3), -1)


def batch_first(y, x):
    return y.view(len(x), 3, x.shape[1], -1).transpose(1, 2).reshape(x.shape)


@pytest.mark.parametrize("sequences", [2, 3, 4, 7])
def test_heads_that_are_taken_out_in_another_order(sequences):
    reports = [
        ours.check(Stacked(take_out), [torch.randn(sequences, 11, 24)], show=False)
        for take_out in (batch_first, right)
    ]
    assert {row.axis_verdict for row in reports[0].rows} == {"sequences"}
    assert "axis" in reports[0].summary().splitlines()[-1]
    assert reports[1].ok


class Windows(nn.Module):
    """Four windows of each sequence, each with a mask of its own."""

    def __init__(self, spread):
        super().__init__()
        self.num_heads, self.spread = 4, spread
        self.qkv, self.o = nn.Linear(32, 96), nn.Linear(32, 32)
        self.hidden = (torch.rand(4, 6, 6) < 0.4) & ~torch.eye(6).bool()

    def forward(self, x):
        y = x.reshape(-1, 6, 32)
        q, k, v = self.qkv(y).reshape(-1, 6, 3, 4, 8).permute(2, 0, 3, 1, 4)
        hidden = self.spread(self.hidden, len(x))
        weights = (q @ k.mT / 8**0.5 - 100.0 * hidden[:, None]).softmax(-1)
        return self.o((weights @ v).transpose(1, 2).reshape(x.shape))


@pytest.mark.parametrize("is_wrong", [True, False])
def test_windows_that_have_the_mask_of_others(is_wrong):
    """The others' content moves nothing, and their number does: so the first is run alone, too."""

    def spread(mask, count):
        return mask.repeat_interleave(count, 0) if is_wrong else mask.repeat(count, 1, 1)

    report = ours.check(Windows(spread), [torch.randn(3, 24, 32)], show=False)
    assert report.ok == (not is_wrong)
    assert ("if it is alone" in report.rows[0].verdict) == is_wrong


@pytest.mark.parametrize("is_wrong", [True, False])
def test_regions_of_windows_that_see_the_others_alone(is_wrong):
    """The last of four windows has two regions, as after a shift."""
    region = torch.tensor([[0] * 6] * 3 + [[1] * 4 + [2] * 2])
    differs = region[:, None] != region[:, :, None]
    model = Windows(lambda _, count: (~differs if is_wrong else differs).repeat(count, 1, 1))
    report = ours.check(model, [torch.randn(3, 24, 32)], show=False)
    assert {row.mask_verdict for row in report.rows} == {"inverted" if is_wrong else ""}


def test_one_sequence_says_nothing():
    assert ours.check(Stacked(batch_first), [torch.randn(1, 11, 24)], show=False).ok


def test_means_over_the_batch_are_meant_in_training():
    """In eval() they are none, and the module is looked at."""
    model = Stacked(right, nn.BatchNorm1d(24))
    assert ours.check(model.train(), [torch.randn(4, 11, 24)], show=False).ok
    wrong = Stacked(batch_first, nn.BatchNorm1d(24))
    assert not ours.check(wrong.eval(), [torch.randn(4, 11, 24)], show=False).ok


def test_random_numbers_are_the_same_in_both_runs():
    """Dropout at work: the same of the first sequence is dropped out."""
    model = Attention(lambda s, q, k, v: s.drop((q @ k.mT / 4).softmax(-1)) @ v, drop=nn.Dropout())
    assert ours.check(model.train(), [torch.randn(4, 11, 64)], show=False).ok


def test_a_loss_over_the_batch_is_none_of_an_attention():
    """Similarities of all pairs of a batch, as a contrastive loss has them."""

    class Pairs(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = Attention(lambda s, q, k, v: (q @ k.mT / 4).softmax(-1) @ v)

        def forward(self, x):
            y = self.attention(x).mean(1)
            return (y @ y.mT).softmax(-1)

    assert ours.check(Pairs(), [torch.randn(4, 11, 64)], show=False).ok


def test_a_batch_of_any_kind_is_run_again():
    class Batch(NamedTuple):
        x: torch.Tensor

    report = ours.check(Stacked(batch_first), [Batch(torch.randn(4, 11, 24))], show=False)
    assert {row.axis_verdict for row in report.rows} == {"sequences"}


def test_a_model_that_takes_no_other_batch_is_left_alone():
    def forward(model, batch):
        assert len(batch) == 4
        return model(batch)

    report = ours.check(Stacked(right), [torch.randn(4, 11, 24)], forward, show=False)
    assert report.ok
