"""What a batch says of its padding, and masks that do not do what it says."""

import pytest

from tests.check_attention.faults import Attention
from tests.check_attention.script import functional, nn, ours, torch


def z(q, k):
    return q @ k.mT / 4


class Padded(nn.Module):
    """Finds padding, which is 0, in what it is given."""

    def __init__(self, hide):
        super().__init__()
        self.embed, self.attention, self.hide = nn.Embedding(50, 64), Attention(self.attend), hide

    def attend(self, _, q, k, v):
        return self.hide(z(q, k), self.is_token).softmax(-1) @ v

    def forward(self, ids):
        self.is_token = ids != 0
        return self.attention(self.embed(ids))


@pytest.mark.parametrize(
    ("verdict", "hide"),
    [
        ("inverted", lambda t, token: t + token[:, None, None].float() * -1e4),
        ("fails", lambda t, token: t.masked_fill(~token[:, None, :, None], -1e9)),
        ("", lambda t, token: t.masked_fill(~token[:, None, None], -1e9)),
        ("", lambda t, token: t),  # it may be no padding
    ],
    ids=["inverted", "along the queries", "right", "none"],
)
def test_padding_that_only_the_tokens_tell(verdict, hide):
    ids = torch.randint(1, 50, (3, 20))
    ids[0, 15:] = ids[1, 17:] = 0
    report = ours.check(Padded(hide), [ids], show=False)
    assert {row.mask_verdict for row in report.rows} == {verdict}
    assert report.ok == (not verdict)


@pytest.mark.parametrize(
    ("verdict", "seen"),
    [
        ("later", lambda n: torch.ones(n, n).tril(1)),
        ("later", lambda n: torch.ones(n, n).tril(2)),
        ("strict", lambda n: torch.ones(n, n).tril(-1)),
        ("inverted", lambda n: torch.ones(n, n).triu(1)),
        ("", lambda n: torch.ones(n, n).tril()),
        ("", lambda n: torch.ones(n, n)),
    ],
    ids=["one too late", "two too late", "one too early", "inverted", "right", "none"],
)
@pytest.mark.parametrize("lengths", [(20, 20), (20, 14), (9, 14)])
@pytest.mark.parametrize("side", ["right", "left"])
def test_the_order_of_keys_is_told_beside_padding(verdict, seen, lengths, side):
    at = torch.arange(20)
    token = torch.stack([at < n if side == "right" else at >= 20 - n for n in lengths])

    def hide(scores, _):
        kept = seen(20).bool() & token[:, None, None]
        return scores.masked_fill(~kept, torch.finfo(scores.dtype).min)

    report = ours.check(Padded(hide), [torch.randint(1, 50, (2, 20))], show=False)
    assert {row.mask_verdict for row in report.rows} == {verdict}


class Recording(nn.Module):
    """Frames and how many of them there are, as a speech encoder is given them."""

    def __init__(self, hide):
        super().__init__()
        self.attention = Attention(self.attend)
        self.hide = hide

    def attend(self, _, q, k, v):
        at = torch.arange(q.shape[-2])
        return self.hide(z(q, k), at, self.lengths[:, None, None, None]).softmax(-1) @ v

    def forward(self, frames, lengths):
        self.lengths = lengths
        return self.attention(frames)


def frames(lengths, noise=0.0):
    """A batch of frames, which are zeros, or noise, behind so many of them."""
    at, lengths = torch.arange(20), torch.tensor(lengths)
    x = torch.randn(len(lengths), 20, 64)
    is_padding = (at >= lengths[:, None])[..., None]
    return torch.where(is_padding, noise * torch.randn_like(x), x), lengths


@pytest.mark.parametrize(
    ("verdict", "hide"),
    [
        ("fails", lambda t, at, n: t),
        ("fails", lambda t, at, n: t.masked_fill(at > n, -1e9)),
        ("inverted", lambda t, at, n: t.masked_fill(at < n, -1e9)),
        ("", lambda t, at, n: t.masked_fill(at >= n, -1e9)),
    ],
    ids=["none", "one less", "inverted", "right"],
)
def test_padding_that_lengths_tell(verdict, hide):
    report = ours.check(Recording(hide), [frames([17, 12, 15])], show=False)
    assert {row.mask_verdict for row in report.rows} == {verdict}
    assert report.ok == (not verdict)


def test_numbers_of_each_sequence_that_are_no_lengths():
    """Steps of a diffusion, say: frames behind so many are frames like others."""
    batch = frames([17, 12, 15], noise=1.0)
    assert ours.check(Recording(lambda t, at, n: t), [batch], show=False).ok


class Points(nn.Module):
    """Sets of points, with nn.MultiheadAttention and a mask for each batch · heads."""

    def __init__(self, spread):
        super().__init__()
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)
        self.spread = spread

    def forward(self, points, valid):
        n = points.shape[1]
        blocked = self.spread(~valid[:, None].expand(-1, n, n))
        return self.attention(points, points, points, attn_mask=blocked, need_weights=False)[0]


@pytest.mark.parametrize("is_wrong", [True, False])
@pytest.mark.parametrize("is_blank", [True, False])
def test_heads_that_have_the_mask_of_another_sequence(is_wrong, is_blank):
    valid = torch.arange(12) < torch.tensor([5, 9, 12])[:, None]
    points = torch.randn(3, 12, 32) * (valid[..., None] if is_blank else 1)
    spread = (
        (lambda mask: mask.repeat(4, 1, 1))
        if is_wrong
        else (lambda mask: mask.repeat_interleave(4, 0))
    )
    report = ours.check(Points(spread).eval(), [{"points": points, "valid": valid}], show=False)
    assert report.ok == (not is_wrong)
    if is_wrong:  # where nothing says what `valid` is, the other sequences are changed
        verdicts = {(row.mask_verdict, row.axis_verdict) for row in report.rows}
        assert verdicts == {("fails", "") if is_blank else ("", "sequences")}


class Documents(nn.Module):
    """Several documents in one sequence, told apart by positions that begin again."""

    def __init__(self, pads):
        super().__init__()
        self.embed, self.attention = nn.Embedding(50, 64), Attention(self.attend)
        self.pads = pads

    def attend(self, _, q, k, v):
        at = torch.arange(q.shape[-2])
        seen = (self.number[:, :, None] == self.number[:, None]) & (at[:, None] >= at)
        return z(q, k).masked_fill(~seen[:, None], -1e9).softmax(-1) @ v

    def forward(self, ids, positions):
        begins = functional.pad((positions[:, 1:] == 0).long(), self.pads)
        self.number = begins.cumsum(1)
        return self.attention(self.embed(ids))


@pytest.mark.parametrize(
    ("verdict", "pads"), [("border", (0, 1)), ("border", (2, -1)), ("", (1, 0))],
    ids=["early", "late", "right"],
)  # fmt: skip
def test_where_documents_begin(verdict, pads):
    lengths = ((7, 9, 8), (12, 5, 7))
    positions = torch.stack([torch.cat([torch.arange(n) for n in each]) for each in lengths])
    batch = (torch.randint(50, (2, 24)), positions)
    report = ours.check(Documents(pads), [batch], show=False)
    assert {row.mask_verdict for row in report.rows} == {verdict}


class Reconstructs(nn.Module):
    """An encoder hides some tokens from all, and a decoder sees something else in their places."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = (
            nn.TransformerEncoderLayer(64, 4, 64, 0.0, batch_first=True) for _ in range(2)
        )
        self.token = nn.Parameter(torch.randn(64))

    def forward(self, x, hidden):
        x = self.encoder(x, src_key_padding_mask=hidden)
        return self.decoder(torch.where(hidden[..., None], self.token, x))


def ends(count, length):
    return torch.arange(length) >= torch.tensor([length - 3, length - 5, length])[:count, None]


def anywhere(count, length):
    return torch.rand(count, length) < 0.5


@pytest.mark.parametrize(("is_hidden", "verdict"), [(ends, "fails"), (anywhere, "")])
def test_what_an_encoder_hides_at_an_end_is_padding_to_others_too(is_hidden, verdict):
    torch.manual_seed(0)
    hidden = is_hidden(3, 12)
    x = torch.randn(3, 12, 64).masked_fill(hidden[..., None], 0)
    batch = x, hidden
    report = ours.check(Reconstructs(), [batch], show=False)
    found = {row.layer: row.mask_verdict for row in report.rows}
    assert found == {"encoder.self_attn": "", "decoder.self_attn": verdict}


class WithToken(Padded):
    """A token of its own stands in front of the others."""

    def forward(self, ids):
        self.is_token = functional.pad(ids != 0, (1, 0), value=True)
        x = self.embed(ids)
        return self.attention(torch.cat([torch.ones_like(x[:, :1]), x], 1))


@pytest.mark.parametrize("is_wrong", [True, False])
def test_padding_behind_a_token_that_was_joined_in_front(is_wrong):
    def hide(scores, token):
        return scores.masked_fill((token if is_wrong else ~token)[:, None, None], -1e9)

    ids = torch.randint(1, 50, (3, 11))
    ids[0, 6:] = ids[1, 9:] = ids[2, 4:] = 0
    report = ours.check(WithToken(hide), [ids], show=False)
    assert {row.mask_verdict for row in report.rows} == {"inverted" if is_wrong else ""}


class Patches(nn.Module):
    """An image, of which some patches are none, behind a token of its own."""

    def __init__(self, is_wrong):
        super().__init__()
        self.patch, self.attention = nn.Conv2d(3, 64, 4, 4), Attention(self.attend)
        self.token, self.is_wrong = nn.Parameter(torch.randn(1, 1, 64)), is_wrong

    def attend(self, _, q, k, v):
        return (z(q, k) + self.added).softmax(-1) @ v

    def forward(self, image, mask):
        x = self.patch(image).flatten(2).mT
        keep = functional.pad(mask, (1, 0), value=not self.is_wrong)
        self.added = torch.zeros(keep.shape).masked_fill_(keep == self.is_wrong, -1e4)
        self.added = self.added[:, None, None]
        return self.attention(torch.cat([self.token.expand(len(x), 1, 64), x], 1))


@pytest.mark.parametrize("is_wrong", [True, False])
def test_padding_of_patches_behind_a_token(is_wrong):
    mask = torch.arange(16) < torch.tensor([[16], [9], [12]])
    batch = (torch.randn(3, 3, 16, 16), mask)
    report = ours.check(Patches(is_wrong), [batch], show=False)
    assert {row.mask_verdict for row in report.rows} == {"inverted" if is_wrong else ""}


class Towers(nn.Module):
    """Two encoders, each with the padding of its own sentences."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 64)
        self.one, self.other = (Attention(self.attend) for _ in range(2))

    def attend(self, _, q, k, v):
        return z(q, k).masked_fill(self.is_hidden[:, None, None], -1e9).softmax(-1) @ v

    def encode(self, tower, ids, is_hidden):
        self.is_hidden = is_hidden
        return tower(self.embed(ids))

    def forward(self, one, other):
        self.encode(self.one, one, one == 0)
        return self.encode(self.other, other, (one if self.is_wrong else other) == 0)


def sentences(*lengths, count=9):
    return torch.randint(2, 50, (len(lengths), count)).where(
        torch.arange(count) < torch.tensor(lengths)[:, None], 0
    )


@pytest.mark.parametrize("is_wrong", [True, False])
def test_two_inputs_of_one_length_have_padding_of_their_own(is_wrong):
    model = Towers()
    model.is_wrong = is_wrong
    batch = sentences(9, 4, 6), sentences(5, 9, 3)
    found = {row.layer: row.mask_verdict for row in ours.check(model, [batch], show=False).rows}
    assert found == {"one": "", "other": "fails" if is_wrong else ""}


@pytest.mark.parametrize("lengths", [(3, 2, 3), (4, 2, 3), (2, 2, 2)])
def test_short_sentences_have_no_causal_mask_that_is_late(lengths):
    def hide(scores, token):
        return scores.masked_fill(~token[:, None, None], -1e9)

    report = ours.check(Padded(hide), [sentences(*lengths)], show=False)
    assert {row.mask_verdict for row in report.rows} == {""}


class Copies(Padded):
    """Each sentence twice, as SimCSE has it; all begin with the same token."""

    def __init__(self, is_wrong):
        super().__init__(lambda scores, _: scores.masked_fill(self.is_hidden, -1e9))
        self.is_wrong = is_wrong

    def forward(self, ids):
        every = ids.repeat_interleave(2, 0)
        is_hidden = ids.repeat(2, 1) == 0 if self.is_wrong else every == 0
        self.is_token, self.is_hidden = every != 0, is_hidden[:, None, None]
        return self.attention(self.embed(every))


@pytest.mark.parametrize("is_wrong", [True, False])
def test_copies_of_a_sentence_hide_the_same(is_wrong):
    ids = sentences(9, 4, 6)
    ids[:, 0] = 1
    report = ours.check(Copies(is_wrong), [ids], show=False)
    assert {row.mask_verdict for row in report.rows} == {"fails" if is_wrong else ""}


@pytest.mark.parametrize(("name", "is_known"), [("lengths", True), ("starts", False)])
def test_numbers_are_lengths_only_if_they_are_called_so(name, is_known):
    """What stands behind so many tokens is no padding by itself: here nothing shows it."""

    class Model(Padded):
        def forward(self, ids, **numbers):
            self.is_token = torch.arange(9) >= numbers[name][:, None]
            return self.attention(self.embed(ids))

    def hide(scores, token):
        return scores.masked_fill(~token[:, None, None], -1e9)

    batch = {"ids": sentences(9, 9, 9), name: torch.tensor([3, 6, 4])}
    report = ours.check(Model(hide), [batch], show=False)
    assert {row.mask_verdict for row in report.rows} == {"inverted" if is_known else ""}
