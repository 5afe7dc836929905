"""The same faults in other spellings: each is named, and the mended twin is silent."""

import math

import pytest

from tests.check_attention.faults import Attention, inputs, later, slopes, soft
from tests.check_attention.script import functional, nn, ours, torch

einsum, sdpa = torch.einsum, functional.scaled_dot_product_attention
INF, D = math.inf, 16


def z(q, k, scale=0.25):
    """Scores of heads of 16, scaled as they should be."""
    return q @ k.mT * scale


def masked(change):
    """Attention whose scores are changed before softmax."""
    return lambda s, q, k, v: change(z(q, k)).softmax(-1) @ v


def causal(scores):
    return scores.masked_fill(later(scores), -INF)


def cap(scores, bound, back=None):
    return torch.tanh(scores / bound) * (back or bound)


def hidden(q, k, beta):
    """Scores of baddbmm, which is given a causal mask."""
    b, h, n, d = q.shape
    mask = torch.full((n, n), -1e9).triu(1).expand(b * h, n, n)
    scores = torch.baddbmm(mask, q.flatten(0, 1), k.flatten(0, 1).mT, beta=beta, alpha=d**-0.5)
    return scores.view(b, h, n, n)


def bounded(scores):
    """Masked by the least number there is, and bounded by it, as where two masks may be added."""
    least = torch.finfo(scores.dtype).min
    return torch.max(scores + later(scores) * least, torch.tensor(least))


def distance(scores):
    n = scores.shape[-1]
    return (torch.arange(n)[:, None] - torch.arange(n)).float()


def over(exponentials, dim):
    return exponentials / exponentials.sum(dim, keepdim=True)


def joined(t, at, one, other, dim):
    """Parts of a tensor, each with a factor."""
    first, second = t.split([at, t.shape[dim] - at], dim)
    return torch.cat([first * one, second * other], dim)


def halves(q, *factors):
    """The first heads, and the last ones, multiplied in place."""
    q = q.clone()
    for half, factor in zip((slice(0, 2), slice(2, 4)), factors, strict=True):
        q[:, half] *= factor
    return q


def squares(k):
    return k.square().sum(-1)[..., None, :]


def padded(t, *pads):
    return functional.pad(t, pads)


def with_sink(q, k, v, kept):
    """A column that is no key's stands last."""
    weights = torch.cat([z(q, k), torch.ones(*q.shape[:-1], 1)], -1).softmax(-1)
    return weights[..., kept] @ v


def in_pieces(q, k, v, is_rescaled, size=16):
    """Softmax piece by piece, each with the largest logit so far subtracted."""
    top, total, out = q.new_full((*q.shape[:-1], 1), -INF), 0.0, 0.0
    for some, values in zip(k.split(size, -2), v.split(size, -2), strict=True):
        scores = z(q, some)
        new = torch.maximum(top, scores.amax(-1, keepdim=True))
        weights = (scores - new).exp()
        again = (top - new).exp() if is_rescaled else 1.0
        total = total * again + weights.sum(-1, keepdim=True)
        out, top = out * again + weights @ values, new
    return out / total


def in_chunks(q, k, v, is_shifted, size=12):
    """Queries chunk by chunk under a causal mask, whose first chunk sees the oldest keys."""
    made = []
    for at, some in enumerate(q.split(size, -2)):
        seen = torch.ones(size, k.shape[-2], dtype=torch.bool).tril(at * size * is_shifted)
        made.append(sdpa(some, k, v, attn_mask=seen))
    return torch.cat(made, -2)


def by_name(scores):
    """Softmax written out, with arguments that are called by their names."""
    top = torch.amax(input=scores, dim=-1, keepdim=True)
    weights = torch.exp(input=torch.sub(input=scores, other=top))
    return torch.div(input=weights, other=torch.sum(input=weights, dim=-1, keepdim=True))


def at(scores):
    return torch.arange(scores.shape[-1])


def neighbours(q):
    """Who is whose neighbour in four graphs: each of itself, and of every third or so."""
    chance = torch.Generator().manual_seed(3)
    some = torch.rand(len(q), 1, q.shape[-2], q.shape[-2], generator=chance) < 0.3
    return some | some.mT | torch.eye(q.shape[-2]).bool()


def documents(q):
    """Which tokens are of one document; sequences differ in where theirs end."""
    ends = torch.tensor([[9, 30], [20, 33], [4, 17], [12, 40]])[: len(q)]
    which = (torch.arange(q.shape[-2]) >= ends[..., None]).sum(1)
    return (which[:, None] == which[..., None])[:, None]


def anded(q, is_in_place):
    """A causal mask, to which that of the documents is joined."""
    mask = torch.ones(len(q), 1, q.shape[-2], q.shape[-2], dtype=torch.bool).tril()
    if is_in_place:
        mask.logical_and_(documents(q))
    else:
        mask.logical_and(documents(q))
    return mask


def with_memory(q, k, v, pads):
    """Three keys stand in front that all may see."""
    k, v = (torch.cat([torch.ones_like(t[..., :3, :]), t], -2) for t in (k, v))
    hidden = functional.pad(later(q @ q.mT), pads)
    return z(q, k).masked_fill(hidden, -INF).softmax(-1) @ v


def three(s, q, k, scale):
    """q·k, and one product of q and one of k with what its layer makes of positions."""
    far_q, far_k = (layer(FAR).view(48, 4, D).transpose(0, 1) for layer in (s.q, s.k))
    return (q @ k.mT + (q @ far_k.mT).roll(1, -1) + (k @ far_q.mT).roll(1, -1).mT) * scale


def near(q):
    """A vector for each pair of a query and a key."""
    n = q.shape[-2]
    return torch.randn(n, n, D, generator=torch.Generator().manual_seed(0))


AXIS = {
    "one number": (
        "one",
        lambda s, q, k, v: (((k @ s.o.weight[:D, :1]) / 4).softmax(-1).mT @ v).expand_as(v),
        lambda s, q, k, v: (((k @ s.o.weight[:D, :1]) / 4).softmax(-2).mT @ v).expand_as(v),
    ),
    "a sink's column": (
        "crossed",
        lambda s, q, k, v: with_sink(q, k, v, slice(1, None)),
        lambda s, q, k, v: with_sink(q, k, v, slice(None, -1)),
    ),
    "pieces that are not rescaled": (
        "shifted",
        lambda s, q, k, v: in_pieces(q, k, v, False),
        lambda s, q, k, v: in_pieces(q, k, v, True),
    ),
    "keys first": (
        "queries",
        lambda s, q, k, v: einsum(
            "bhkq,bhkd->bhqd", einsum("bhqd,bhkd->bhkq", q, k / 4).softmax(-1), v
        ),
        lambda s, q, k, v: einsum(
            "bhkq,bhkd->bhqd", einsum("bhqd,bhkd->bhkq", q, k / 4).softmax(-2), v
        ),
    ),
    "dots": (
        "queries",
        lambda s, q, k, v: einsum("...qk,...kd->...qd", z(q, k).softmax(-2), v),
        lambda s, q, k, v: einsum("...qk,...kd->...qd", z(q, k).softmax(-1), v),
    ),
    "lists of numbers": (
        "heads",
        lambda s, q, k, v: einsum(z(q, k).softmax(1), [0, 1, 2, 3], v, [0, 1, 3, 4], [0, 1, 2, 4]),
        lambda s, q, k, v: einsum(z(q, k).softmax(3), [0, 1, 2, 3], v, [0, 1, 3, 4], [0, 1, 2, 4]),
    ),
    "batch by einsum": (
        "batch",
        lambda s, q, k, v: einsum("bhqk,bhkd->bhqd", z(q, k).softmax(0), v),
        lambda s, q, k, v: einsum("bhqk,bhkd->bhqd", z(q, k).softmax(3), v),
    ),
    "Softmax2d": (
        "heads",
        lambda s, q, k, v: nn.Softmax2d()(z(q, k)) @ v,
        lambda s, q, k, v: nn.Softmax(-1)(z(q, k)) @ v,
    ),
    "log_softmax": (
        "queries",
        lambda s, q, k, v: z(q, k).log_softmax(-2).exp() @ v,
        lambda s, q, k, v: z(q, k).log_softmax(-1).exp() @ v,
    ),
    "queries and keys": (
        "more",
        lambda s, q, k, v: z(q, k).flatten(2).softmax(-1).view(z(q, k).shape) @ v,
        lambda s, q, k, v: z(q, k).flatten(0, 2).softmax(-1).view(z(q, k).shape) @ v,
    ),
    "weights transposed": (
        "queries",
        lambda s, q, k, v: z(q, k).softmax(-1).mT @ v,
        lambda s, q, k, v: z(k, q).softmax(-2).mT @ v,
    ),
    "exp over sum": (
        "queries",
        lambda s, q, k, v: over(z(q, k).exp(), -2) @ v,
        lambda s, q, k, v: over(z(q, k).exp(), -1) @ v,
    ),
    "exp over norm": (
        "queries",
        lambda s, q, k, v: functional.normalize(z(q, k).exp(), 1, -2) @ v,
        lambda s, q, k, v: functional.normalize(z(q, k).exp(), 1, -1) @ v,
    ),
    "sum of products": (
        "queries",
        lambda s, q, k, v: (z(q, k).softmax(-2)[..., None] * v[:, :, None]).sum(3),
        lambda s, q, k, v: (z(q, k).softmax(-1)[..., None] * v[:, :, None]).sum(3),
    ),
}
SCALE = {
    "d ** −1/2": (
        "precedence",
        lambda s, q, k, v: soft(s, q, k, v, s.d**-1 / 2),
        lambda s, q, k, v: soft(s, q, k, v, 1 / s.d**0.5),
    ),
    "half a head": (
        "half",
        lambda s, q, k, v: soft(s, q, k, v, (s.d // 2) ** -0.5),
        lambda s, q, k, v: soft(s, q, k, v, s.d**-0.5),
    ),
    "q, k and v": (
        "thrice",
        lambda s, q, k, v: soft(s, q, k, v, (3 * s.d) ** -0.5),
        lambda s, q, k, v: soft(s, q, k, v, s.d**-0.5),
    ),
    "negative": (
        "negative",
        lambda s, q, k, v: soft(s, -q, k, v, 0.25),
        lambda s, q, k, v: soft(s, -q, -k, v, 0.25),
    ),
    "zero": (
        "zero",
        lambda s, q, k, v: soft(s, q, k, v, 0.0),
        lambda s, q, k, v: soft(s, q, k, v, 0.25),
    ),
    "zero, fused": (
        "zero",
        lambda s, q, k, v: sdpa(q, k, v, scale=0.0),
        lambda s, q, k, v: sdpa(q, k, v),
    ),
    "in place": (
        "twice",
        lambda s, q, k, v: sdpa(q.mul_(0.25), k, v),
        lambda s, q, k, v: sdpa(q.mul_(0.25), k, v, scale=1.0),
    ),
    "v for the scores": (
        "forgotten",
        lambda s, q, k, v: soft(s, q, k, v / 4, 1.0),
        lambda s, q, k, v: soft(s, q, k, v, 0.25),
    ),
    "two heads in place": (
        "forgotten",
        lambda s, q, k, v: soft(s, halves(q, 0.25, 1.0), k, v, 1.0),
        lambda s, q, k, v: soft(s, halves(q, 0.25, 0.25), k, v, 1.0),
    ),
    "some keys once more": (
        "twice",
        lambda s, q, k, v: soft(s, q, joined(k, 20, 0.25, 1.0, 2), v, 0.25),
        lambda s, q, k, v: soft(s, q, joined(k, 20, 0.25, 0.25, 2), v, 1.0),
    ),
    "some keys, fused": (
        "twice",
        lambda s, q, k, v: sdpa(q, joined(k, 20, 1.0, 0.25, 2), v),
        lambda s, q, k, v: sdpa(q, joined(k, 20, 1.0, 1.0, 2), v),
    ),
    "some queries": (
        "twice",
        lambda s, q, k, v: soft(s, joined(q, 8, 0.25, 1.0, 2), k, v, 0.25),
        lambda s, q, k, v: soft(s, joined(q, 8, 1.0, 1.0, 2), k, v, 0.25),
    ),
    "some channels": (
        "twice",
        lambda s, q, k, v: soft(s, joined(q, 8, 0.25, 1.0, 3), k, v, 0.25),
        lambda s, q, k, v: soft(s, joined(q, 8, 0.25, 0.25, 3), k, v, 1.0),
    ),
    "a sum of two products": (
        "forgotten",
        lambda s, q, k, v: (
            (z(q[..., :8], k[..., :8]) + z(q[..., 8:], k[..., 8:], 1.0)).softmax(-1) @ v
        ),
        lambda s, q, k, v: (z(q[..., :8], k[..., :8]) + z(q[..., 8:], k[..., 8:])).softmax(-1) @ v,
    ),
    "zeros in front": (
        "padded",
        lambda s, q, k, v: soft(s, padded(q, 16, 0), padded(k, 16, 0), v, 32**-0.5),
        lambda s, q, k, v: soft(s, padded(q, 16, 0), padded(k, 16, 0), v, 0.25),
    ),
    "zeros on both sides": (
        "padded",
        lambda s, q, k, v: sdpa(padded(q, 8, 8), padded(k, 8, 8), v),
        lambda s, q, k, v: sdpa(padded(q, 8, 8), padded(k, 8, 8), v, scale=0.25),
    ),
    "another cap": (
        "other cap",
        masked(lambda t: cap(t, 30.0)),
        masked(lambda t: cap(t, 50.0)),
        {"attn_logit_softcapping": 50.0},
    ),
    "a cap before the scale": (
        "other cap",
        lambda s, q, k, v: (cap(z(q, k, 1.0), 50.0) / 4).softmax(-1) @ v,
        masked(lambda t: cap(t, 50.0)),
        {"soft_cap": 50.0},
    ),
    "a cap before the scale, and nobody states it": (
        "cap first",
        lambda s, q, k, v: (cap(z(q, k, 1.0), 20.0) / 4).softmax(-1) @ v,
        masked(lambda t: cap(t, 20.0)),
    ),
    "a cap with two numbers": (
        "other",
        masked(lambda t: cap(t, 50.0, 30.0)),
        masked(lambda t: cap(t, 50.0)),
    ),
    "a cap by another name": (
        "no cap",
        masked(lambda t: t),
        masked(lambda t: cap(t, 20.0)),
        {"attn_softcap": 20.0},
    ),
    "ALiBi's sign, causal": (
        "bias sign",
        masked(lambda t: causal(t + slopes(4) * distance(t))),
        masked(lambda t: causal(t - slopes(4) * distance(t))),
    ),
    "ALiBi times √d": (
        "bias twice",
        masked(lambda t: causal(t - 4 * slopes(4) * distance(t))),
        masked(lambda t: causal(t - slopes(4) * distance(t))),
    ),
    "ALiBi of a mask, divided": (
        "bias divided",
        lambda s, q, k, v: sdpa(q, k, v, attn_mask=causal(-slopes(4) * distance(z(q, k)) / 4)),
        lambda s, q, k, v: sdpa(q, k, v, attn_mask=causal(-slopes(4) * distance(z(q, k)))),
    ),
    "slopes of its own, divided": (
        "bias divided",
        lambda s, q, k, v: (
            ((z(q, k, 1.0) - torch.rand(4, 1, 1) * distance(q @ k.mT).abs()) / 4).softmax(-1) @ v
        ),
        lambda s, q, k, v: (
            (z(q, k) - torch.rand(4, 1, 1) * distance(q @ k.mT).abs()).softmax(-1) @ v
        ),
    ),
    "a bias that is computed twice": (
        "bias twice",
        lambda s, q, k, v: (
            (
                z(q, k) + s.t[:, distance(q @ k.mT).long()] + s.t[:, distance(q @ k.mT).long()]
            ).softmax(-1)
            @ v
        ),
        lambda s, q, k, v: (z(q, k) + s.t[:, distance(q @ k.mT).long()]).softmax(-1) @ v,
        {"t": nn.Parameter(torch.linspace(-2, 2, 4 * 95).sin().view(4, 95))},
    ),
}
MASK = {
    "zeros where neighbours are none": (
        "fails",
        lambda s, q, k, v: torch.where(neighbours(q), z(q, k), z(q, k, 0.0)).softmax(-1) @ v,
        lambda s, q, k, v: torch.where(neighbours(q), z(q, k), z(q, k, 0.0) - 1e9).softmax(-1) @ v,
    ),
    "rows of a prefix": (
        "later",
        masked(lambda t: t.masked_fill(later(t) & (at(t)[:, None] >= 5), -INF)),
        masked(lambda t: t.masked_fill(later(t) & (at(t) >= 5), -INF)),
    ),
    "a window without its end": (
        "later",
        masked(lambda t: t.masked_fill(distance(t) >= 5, -INF)),
        masked(lambda t: t.masked_fill((distance(t) >= 5) | later(t), -INF)),
    ),
    "documents joined by or": (
        "later",
        lambda s, q, k, v: sdpa(q, k, v, attn_mask=documents(q) | ~later(z(q, k))),
        lambda s, q, k, v: sdpa(q, k, v, attn_mask=documents(q) & ~later(z(q, k))),
    ),
    "memory, and its columns behind": (
        "later",
        lambda s, q, k, v: with_memory(q, k, v, (0, 3)),
        lambda s, q, k, v: with_memory(q, k, v, (3, 0)),
    ),
    "a mask that is made and thrown away": (
        "fails",
        lambda s, q, k, v: sdpa(q, k, v, attn_mask=anded(q, is_in_place=False)),
        lambda s, q, k, v: sdpa(q, k, v, attn_mask=anded(q, is_in_place=True)),
    ),
    "tril of the scores": ("fails", masked(torch.tril), masked(lambda t: causal(t.tril()))),
    "−1": (
        "fails",
        masked(lambda t: t.masked_fill(later(t), -1)),
        masked(lambda t: t.masked_fill(later(t), -1e9)),
    ),
    "minus 1": (
        "fails",
        masked(lambda t: t - later(t).float()),
        masked(lambda t: t - 1e9 * later(t).float()),
    ),
    "a logarithm": (
        "fails",
        masked(lambda t: t + torch.log((~later(t)).float() + 1e-3)),
        masked(lambda t: t + torch.log((~later(t)).float())),
    ),
    "tiny for min": (
        "fails",
        masked(lambda t: t.masked_fill(later(t), torch.finfo(t.dtype).tiny)),
        masked(lambda t: t.masked_fill(later(t), torch.finfo(t.dtype).min)),
    ),
    "written": (
        "fails",
        masked(lambda t: (t.__setitem__((..., later(t)), 0.0), t)[1]),
        masked(lambda t: (t.__setitem__((..., later(t)), -INF), t)[1]),
    ),
    "numbers above an offset": (
        "inverted",
        masked(lambda t: (t - 110_000.0).masked_fill(later(t), -100_000.0)),
        masked(lambda t: (t - 110_000.0).masked_fill(later(t), -INF)),
    ),
    "a cap behind the mask": (
        "fails",
        masked(lambda t: cap(t.masked_fill(later(t), -1e9), 2.0)),
        masked(lambda t: cap(t, 2.0).masked_fill(later(t), -1e9)),
    ),
    "a bound behind the mask": (
        "fails",
        masked(lambda t: t.masked_fill(later(t), -1e9).clamp(-3, 3)),
        masked(lambda t: t.clamp(-30, 30).masked_fill(later(t), -1e9)),
    ),
    "nan_to_num behind the mask": (
        "fails",
        masked(lambda t: causal(t).nan_to_num(neginf=0.0)),
        masked(causal),
    ),
    "its own key": (
        "strict",
        masked(lambda t: t.masked_fill(torch.ones(t.shape[-2:]).triu(0).bool(), -1e9)),
        masked(causal),
    ),
    "the mask transposed": (
        "inverted",
        masked(lambda t: t.masked_fill(later(t).mT, -1e9)),
        masked(causal),
    ),
    "is_causal with a cache": (
        "corner",
        lambda s, q, k, v: sdpa(q[:, :, -1:], k, v, is_causal=True).expand_as(q),
        lambda s, q, k, v: sdpa(q[:, :, -1:], k, v).expand_as(q),
    ),
    "chunks of queries": (
        "corner",
        lambda s, q, k, v: in_chunks(q, k, v, False),
        lambda s, q, k, v: in_chunks(q, k, v, True),
    ),
    "a result that nothing uses": (
        "fails",
        masked(lambda t: [t, causal(t)][0]),
        masked(lambda t: [t, causal(t)][1]),
    ),
    "beta = 0": (
        "fails",
        lambda s, q, k, v: hidden(q, k, 0).softmax(-1) @ v,
        lambda s, q, k, v: hidden(q, k, 1).softmax(-1) @ v,
    ),
    "tril of the weights": (
        "fails",
        lambda s, q, k, v: z(q, k).softmax(-1).tril() @ v,
        lambda s, q, k, v: over(z(q, k).softmax(-1).tril(), -1) @ v,
    ),
    "tril of the weights, its diagonal by name": (
        "fails",
        lambda s, q, k, v: z(q, k).softmax(-1).tril(diagonal=0) @ v,
        lambda s, q, k, v: z(q, k).softmax(-1).tril(diagonal=48) @ v,
    ),
    "weights times a mask": (
        "fails",
        lambda s, q, k, v: (z(q, k).softmax(-1) * (~later(z(q, k))).float()) @ v,
        lambda s, q, k, v: over(z(q, k).softmax(-1) * (~later(z(q, k))).float(), -1) @ v,
    ),
}
FAR = torch.randn(48, 64)
TIMES = torch.linspace(1, 2, 48)[:, None]
WRITTEN = {  # what was called between the product and softmax, measured and not read
    "taken from a tensor": (
        "negative",
        masked(lambda t: torch.ones(48, 48) - t),
        masked(lambda t: torch.ones(48, 48) + t),
    ),
    "taken from a bias, and negated": (
        "negative",
        masked(lambda t: -(distance(t) + t)),
        masked(lambda t: -(distance(t) - t)),
    ),
    "arguments by their names": (
        "forgotten",
        lambda s, q, k, v: by_name(q @ k.mT) @ v,
        lambda s, q, k, v: by_name(z(q, k)) @ v,
    ),
    "rsub": (
        "negative",
        masked(lambda t: torch.rsub(t, distance(t))),
        masked(lambda t: torch.rsub(-t, distance(t))),
    ),
    "softmin": (
        "negative",
        lambda s, q, k, v: functional.softmin(distance(z(q, k)) + z(q, k), -1) @ v,
        lambda s, q, k, v: functional.softmin(distance(z(q, k)) - z(q, k), -1) @ v,
    ),
    "a distance": (
        "number",
        lambda s, q, k, v: (squares(k) / 2 - q @ k.mT).mul(-2 / s.d**0.5).softmax(-1) @ v,
        lambda s, q, k, v: (squares(k) / 2 - q @ k.mT).mul(-1 / s.d**0.5).softmax(-1) @ v,
    ),
    "addcmul": (
        "forgotten",
        lambda s, q, k, v: (
            torch.addcmul(distance(z(q, k)), q @ k.mT, torch.tensor(1.0)).softmax(-1) @ v
        ),
        lambda s, q, k, v: (
            torch.addcmul(distance(z(q, k)), q @ k.mT, torch.tensor(0.25)).softmax(-1) @ v
        ),
    ),
    "a factor for each row": (
        "other",
        masked(lambda t: 4 * t * TIMES),
        masked(lambda t: t * TIMES),
    ),
    "ones for each row of q": (
        "forgotten",
        lambda s, q, k, v: (
            z(q * (torch.arange(48) / 99).clamp(min=1)[:, None], k, 1).softmax(-1) @ v
        ),
        lambda s, q, k, v: z(q * (torch.arange(48) / 99).clamp(min=1)[:, None], k).softmax(-1) @ v,
    ),
    "a cap that is not multiplied back": (
        "bounded",
        masked(lambda t: torch.tanh(t / 50)),
        masked(lambda t: torch.tanh(t / 50) * 50),
    ),
    "a soft bound that has no name": (
        "forgotten",
        masked(lambda t: (t * 4) / (1 + (t * 4).abs() / 50)),
        masked(lambda t: t / (1 + t.abs() / 50)),
    ),
    "in place": (
        "twice",
        lambda s, q, k, v: (q @ k.mT).mul_(0.25).div_(4).softmax(-1) @ v,
        lambda s, q, k, v: (q @ k.mT).mul_(0.25).sub_(1).softmax(-1) @ v,
    ),
    "d ** -2": (
        "squared",
        lambda s, q, k, v: z(q, k, s.d**-2).softmax(-1) @ v,
        lambda s, q, k, v: z(q, k, s.d**-0.5).softmax(-1) @ v,
    ),
    "square scores that are turned": (
        "forgotten",
        lambda s, q, k, v: z(k, q, 1).mT.softmax(-1) @ v,
        lambda s, q, k, v: z(k, q).mT.softmax(-1) @ v,
    ),
    "in bfloat16": (
        "forgotten",
        lambda s, q, k, v: z(q.bfloat16(), k.bfloat16(), 1).float().softmax(-1) @ v,
        lambda s, q, k, v: z(q.bfloat16(), k.bfloat16()).float().softmax(-1) @ v,
    ),
    "a vector for each pair": (
        "forgotten",
        lambda s, q, k, v: (q @ k.mT + einsum("bhid,ijd->bhij", q, near(q))).mul(1).softmax(-1) @ v,
        lambda s, q, k, v: (q @ k.mT + einsum("bhid,ijd->bhij", q, near(q))).div(4).softmax(-1) @ v,
    ),
    "a mask that is bounded below": (
        "forgotten",
        lambda s, q, k, v: bounded(q @ k.mT).softmax(-1) @ v,
        lambda s, q, k, v: bounded(z(q, k)).softmax(-1) @ v,
    ),
    "three products": (
        "forgotten",
        lambda s, q, k, v: three(s, q, k, 1.0).softmax(-1) @ v,
        lambda s, q, k, v: three(s, q, k, (3 * D) ** -0.5).softmax(-1) @ v,
    ),
    "a second product without a factor": (
        "forgotten",
        lambda s, q, k, v: (
            (z(q, k) + z(q, s.k(FAR).view(48, 4, D).transpose(0, 1), 1).roll(1, -1)).softmax(-1) @ v
        ),
        lambda s, q, k, v: (
            (z(q, k) + z(q, s.k(FAR).view(48, 4, D).transpose(0, 1)).roll(1, -1)).softmax(-1) @ v
        ),
    ),
}
SCALE |= WRITTEN
CASES = [
    (kind, name)
    for kind, table in {"axis": AXIS, "scale": SCALE, "mask": MASK}.items()
    for name in table
]


def both(wrong, right, **more):
    """The reports on a faulty model and on its mended twin."""
    reports = []
    for function in (wrong, right):
        torch.manual_seed(0)
        reports.append(ours.check(Attention(function, **more), inputs(), show=False))
    return reports


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_fault_in_another_spelling(kind, name):
    verdict, wrong, right, *more = {"axis": AXIS, "scale": SCALE, "mask": MASK}[kind][name]
    report, mended = both(wrong, right, **(more[0] if more else {}))
    assert [words for words in report.faults(kind) if words.startswith(kind)], report.summary()
    assert any(verdict in row.verdicts for row in report.rows), report.rows[0].verdicts
    assert mended.ok, mended.summary()


def turned(q, scale):
    """Rotated as complex numbers are, and scaled by their size."""
    pairs = torch.view_as_complex(q.reshape(*q.shape[:-1], D // 2, 2).contiguous())
    angles = torch.arange(D / 2) * torch.arange(q.shape[-2])[:, None]
    turns = torch.polar(torch.full_like(angles, scale), angles)
    return torch.view_as_real(pairs * turns).flatten(-2)


def with_tables(q, scale):
    """Rotated by tables of cosines and sines that carry a factor, as numbers that are stored."""
    angles = torch.cat([torch.arange(D / 2)] * 2) * torch.arange(q.shape[-2])[:, None] / 9
    cos, sin = (torch.tensor((f(angles) * scale).tolist()) for f in (torch.cos, torch.sin))
    first, second = q.chunk(2, -1)
    return q * cos + torch.cat([-second, first], -1) * sin


def changed(t, change):
    t = t.clone()
    change(t)
    return t


class Times(torch.autograd.Function):
    @staticmethod
    def forward(_, t, factor):
        return t * factor


@torch.jit.script
def scripted_cap(scores: torch.Tensor, bound: float, back: float) -> torch.Tensor:
    return torch.tanh(scores / bound) * back


ZERO, QUARTER, UNIT = torch.zeros(()), torch.tensor(0.25), torch.eye(D)
BEFORE = {  # a factor of 1/4 on q
    "ldexp": lambda q: torch.ldexp(q, torch.tensor(-2)),
    "lerp": lambda q: torch.lerp(ZERO, q, 0.25),
    "addcmul": lambda q: torch.addcmul(ZERO, q, QUARTER),
    "addcdiv": lambda q: torch.addcdiv(ZERO, q, torch.tensor(4.0)),
    "einsum": lambda q: einsum("bhnd,->bhnd", q, QUARTER),
    "a matrix": lambda q: q @ (UNIT / 4),
    "a layer without weights": lambda q: functional.linear(q, UNIT / 4),
    "taken from itself": lambda q: q - q * 0.75,
    "two eighths": lambda q: q / 8 + q / 8,
    "autograd.Function": lambda q: Times.apply(q, 0.25),
    "one for each row": lambda q: q / torch.full((*q.shape[:-1], 1), 4.0),
    "one for each coordinate": lambda q: q * torch.full((D,), 0.25),
    "a rotation": lambda q: turned(q, 0.25),
    "tables of a rotation": lambda q: with_tables(q, 0.25),
    "vmap": lambda q: torch.vmap(lambda t: t * 0.25)(q),
    "a loop over tensors": lambda q: torch._foreach_mul([q], 0.25)[0],
    "with a sign": lambda q: torch.copysign(q.abs() / 4, q),
    "a leaky bound": lambda q: functional.leaky_relu(q / 4, 1.0),
    "ldexp_": lambda q: changed(q, lambda t: t.ldexp_(torch.tensor(-2))),
    "lerp_": lambda q: changed(q, lambda t: t.lerp_(ZERO, 0.75)),
    "out": lambda q: changed(q, lambda t: torch.mul(t, 0.25, out=t)),
    "data": lambda q: changed(q, lambda t: t.data.mul_(0.25)),
    "by name": lambda q: torch.mul(other=0.25, input=q),
    "slices": lambda q: changed(q, lambda t: [half.mul_(0.25) for half in t.split(D // 2, -1)]),
    "all of it": lambda q: changed(q, lambda t: t.__setitem__(..., t * 0.25)),
}


@pytest.mark.parametrize("name", BEFORE)
def test_a_factor_on_q_in_any_spelling(name):
    """Beside no other it makes 1/√d, and beside 1/√d it is one too many."""
    wrong, right = both(
        lambda s, q, k, v: z(BEFORE[name](q), k).softmax(-1) @ v,
        lambda s, q, k, v: z(BEFORE[name](q), k, 1).softmax(-1) @ v,
    )
    assert wrong.faults("scale")
    assert right.ok, right.summary()


class Residual(nn.Module):
    """Layers that add the scores of the one before, as RealFormer does."""

    def __init__(self, scale, behind=1.0):
        super().__init__()
        self.layers, self.times = nn.ModuleList(Attention(None) for _ in range(3)), scale
        self.behind = behind  # what the sum is multiplied by

    def forward(self, x):
        scores = 0
        for a in self.layers:
            q, k, v = (a.sp(layer(x)) for layer in (a.q, a.k, a.v))
            scores = (z(q, k, self.times) + scores) * self.behind
            x = x + a.o((causal(scores).softmax(-1) @ v).transpose(1, 2).reshape(x.shape))
        return x


class Latent(nn.Module):
    """Keys that no head has for itself: what makes them is multiplied into q, and a rest beside."""

    def __init__(self, scale, is_joined, name="softmax_scale"):
        super().__init__()
        self.num_heads, self.is_joined = 4, is_joined
        setattr(self, name, scale)
        self.times = scale
        self.q, self.kv = nn.Linear(64, 4 * 24), nn.Linear(64, 32 + 8)
        self.up = nn.Parameter(torch.randn(4, 16, 32) / 4)
        self.down, self.o = nn.Parameter(torch.randn(4, 32, 16) / 6), nn.Linear(64, 64)

    def forward(self, x):
        own, rest = self.q(x).unflatten(-1, (4, 24)).transpose(1, 2).split([16, 8], -1)
        latent, key = self.kv(x).split([32, 8], -1)
        own = einsum("bhnd,hdr->bhnr", own, self.up)
        if self.is_joined:
            scores = torch.cat([own, rest], -1) @ torch.cat([latent, key], -1)[:, None].mT
        else:
            scores = einsum("bhnr,bmr->bhnm", own, latent) + einsum("bhnr,bmr->bhnm", rest, key)
        y = einsum("bhnm,bmr->bhnr", (scores * self.times).softmax(-1), latent)
        return self.o(einsum("bhnr,hrd->bhnd", y, self.down).transpose(1, 2).flatten(2))


class Relative(nn.Module):
    """Content and positions, each pair of tokens with a vector of its own, as in Transformer-XL."""

    def __init__(self, before=1.0):
        super().__init__()
        self.num_heads, self.before = 4, before
        self.q, self.k, self.v, self.r, self.o = (nn.Linear(64, 64) for _ in range(5))

    def forward(self, x):
        q, k, v = (apart(layer(x), 4) for layer in (self.q, self.k, self.v))
        at = torch.arange(x.shape[1])
        turns = (at[:, None] - at)[..., None] / torch.arange(1.0, 65.0)
        far = self.r(turns.sin()).unflatten(-1, (4, 16))
        positions = einsum("bhnd,nmhd->bhnm", q, far) * self.before
        y = ((q @ k.mT + positions) / 4).softmax(-1) @ v
        return self.o(together(y, x.shape))


class HandedOn(nn.Module):
    """Scores are handed on, with the mask of the first layer or without."""

    def __init__(self, is_wrong):
        super().__init__()
        self.layers, self.is_wrong = nn.ModuleList(Attention(None) for _ in range(3)), is_wrong

    def forward(self, x):
        handed_on = 0
        for number, a in enumerate(self.layers):
            q, k, v = (a.sp(layer(x)) for layer in (a.q, a.k, a.v))
            scores = z(q, k) + handed_on
            hidden = causal(scores) if number == 0 else scores
            handed_on = scores if self.is_wrong else hidden
            x = x + a.o((hidden.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))
        return x


def test_a_mask_that_scores_were_to_hand_on():
    for is_wrong in (True, False):
        report = ours.check(HandedOn(is_wrong), inputs(), show=False)
        assert report.ok != is_wrong
        assert bool(report.faults("mask")) == is_wrong


def test_blocks_that_look_back_are_no_heads():
    """Keys are pieces of the tokens, each beside the piece before."""

    def local(s, q, k, v):
        q, k, v = (t.unflatten(2, (-1, 8)) for t in (q, k, v))
        k, v = (torch.cat([t.roll(1, 2)[:, :, 1:], t[:, :, 1:]], 3) for t in (k, v))
        y = (q[:, :, 1:] @ k.mT / 4).softmax(-1) @ v
        return torch.cat([q[:, :, :1], y], 2).flatten(2, 3)

    report = ours.check(Attention(local), inputs(), show=False)
    assert {row.layout_verdict for row in report.rows} <= {"", "other number"}


@pytest.mark.parametrize(
    "make",
    [
        lambda is_wrong: Residual(1.0 if is_wrong else 0.25),
        lambda is_wrong: Residual(1.0, 0.25) if is_wrong else Residual(0.25),
        lambda is_wrong: Relative(4.0 if is_wrong else 1.0),
        lambda is_wrong: Relative(0.25 if is_wrong else 1.0),
        lambda is_wrong: Latent(24**-0.5 * (2 if is_wrong else 1), False),
        lambda is_wrong: Latent(24**-0.5 * (2 if is_wrong else 1), True),
        lambda is_wrong: Latent(40**-0.5 if is_wrong else 24**-0.5, False),
        lambda is_wrong: Latent(40**-0.5 if is_wrong else 24**-0.5, True),
        lambda is_wrong: Latent(40**-0.5 if is_wrong else 24**-0.5, True, "inverse"),
    ],
)
def test_models_with_a_product_of_their_own_kind(make):
    for is_wrong in (True, False):
        report = ours.check(make(is_wrong), inputs(), show=False)
        assert bool(report.faults("scale")) == is_wrong, report.summary()
        assert report.ok != is_wrong


def test_frames_that_see_those_before_are_no_documents():
    frame = torch.arange(48) // 6
    report, _ = both(
        *[lambda s, q, k, v: sdpa(q, k, v, attn_mask=frame[:, None] >= frame)] * 2,
    )
    assert report.ok, report.summary()


# How heads are made, and joined again -----------------------------------------------------------


class Heads(Attention):
    """Attention that splits and joins its heads in a given way."""

    def __init__(self, split, join, **more):
        super().__init__(None, **more)
        self.split, self.join = split, join

    def forward(self, x):
        q, k, v = (self.split(layer(x), self.nh) for layer in (self.q, self.k, self.v))
        return self.o(self.join(z(q, k).softmax(-1) @ v, x.shape))


def apart(t, h):
    return t.unflatten(-1, (h, -1)).transpose(1, 2)


def together(t, shape):
    return t.transpose(1, 2).reshape(shape)


@pytest.mark.parametrize("said", [{}, {"num_heads": 4}])
@pytest.mark.parametrize(
    ("split", "join"),
    [
        (lambda t, h: t.view(len(t), h, t.shape[1], -1), together),
        (lambda t, h: t.reshape(len(t), h, t.shape[1], -1), lambda t, shape: t.reshape(shape)),
        (lambda t, h: t.reshape(len(t) * h, t.shape[1], -1), lambda t, shape: t.reshape(shape)),
        (apart, lambda t, shape: t.reshape(shape)),
    ],
)
def test_a_view_that_cuts_tokens(said, split, join):
    report = ours.check(Heads(split, join, **said), inputs(), show=False)
    assert {row.layout_verdict for row in report.rows} == {"cut"}
    assert report.faults("heads")
    assert ours.check(Heads(apart, together, **said), inputs(), show=False).ok


def test_as_many_tokens_as_heads():
    """Another length tells them apart."""
    wrong = Heads(lambda t, h: t.unflatten(-1, (h, -1)), lambda t, s: t.reshape(s), num_heads=4)
    assert ours.check(wrong, inputs(n=4), show=False).faults("heads")
    right = Heads(apart, together, num_heads=4)
    assert ours.check(right, inputs(n=4), show=False).ok


def test_as_many_tokens_as_coordinates():
    wrong, right = (
        lambda s, q, k, v, at=at: soft(s, q, k, v, q.shape[at] ** -0.5) for at in (-2, -1)
    )
    report = ours.check(Attention(wrong), inputs(n=16), show=False)
    assert {row.scale_verdict for row in report.rows} == {"tokens"}
    report = ours.check(Attention(right), inputs(n=16), show=False)
    assert report.ok
    assert not report.notes


def test_what_cannot_be_told_apart_is_said():
    """A model that takes one length alone."""
    model = Attention(lambda s, q, k, v: soft(s, q, k, v, 0.25) + torch.zeros(16, 16))
    report = ours.check(model, inputs(n=16), show=False)
    assert report.ok
    assert "16 tokens and heads of 16" in report.notes[0]


@pytest.mark.parametrize("first", [True, False])
def test_weights_of_channels_that_meet_tokens(first):
    class Notebook(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = (nn.Linear(32, 16) for _ in range(3))

        def forward(self, x):
            q, k, v = self.q(x), self.k(x), self.v(x)
            scores = q.mT @ k if first else q @ k.mT
            return (scores / 4).softmax(-1) @ (v if first else v.mT)

    report = ours.check(Notebook(), [torch.randn(3, 16, 32)], show=False)
    assert {row.axis_verdict for row in report.rows} == {"crossed"}


@pytest.mark.parametrize("forward", [None, lambda model, ids: model(ids)])
@pytest.mark.parametrize("first", [False, True])
def test_the_batch_where_tokens_should_be(first, forward):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(50, 64)
            self.attention = nn.MultiheadAttention(64, 4, batch_first=first)

        def forward(self, ids):
            x = self.embed(ids)
            return self.attention(x, x, x, need_weights=False)[0]

    report = ours.check(Model(), [torch.randint(50, (4, 48))], forward, show=False)
    assert report.ok == first
    assert ({row.axis_verdict for row in report.rows} == {"sequences"}) != first


# Grouped heads ----------------------------------------------------------------------------------


def grouped(order_of_k, order_of_v, along=1):
    """Two heads of keys and values for four of queries."""

    def repeat(t, is_interleaved):
        t = t[:, :2]
        if along == 2:
            return t.repeat(1, 2, 2, 1)
        return t.repeat_interleave(2, 1) if is_interleaved else t.repeat(1, 2, 1, 1)

    return lambda s, q, k, v: soft(s, q, repeat(k, order_of_k), repeat(v, order_of_v), 0.25)


def test_grouped_heads_in_two_orders():
    report, mended = both(grouped(True, False), grouped(True, True))
    assert {row.layout_verdict for row in report.rows} == {"grouped"}
    assert "keys [0, 0, 1, 1] and values [0, 1, 0, 1]" in report.rows[0].verdict
    assert mended.ok
    assert both(grouped(False, False), grouped(False, False))[1].ok


def test_keys_that_are_repeated_along_the_tokens():
    report, mended = both(grouped(True, True, along=2), grouped(True, True))
    assert {row.layout_verdict for row in report.rows} == {"repeated"}
    assert mended.ok


def test_two_codes_repeat_their_heads_in_another_order():
    torch.manual_seed(0)
    one, other = Attention(grouped(True, True)), Attention(grouped(False, False))
    other.load_state_dict(one.state_dict())
    found = ours.compare(one, other, inputs())
    assert found.kind == "heads"
    assert "repeat" in found.words


# What is no attention, and what is another one ---------------------------------------------------


class Beside(nn.Module):
    """A right attention, and something else behind it."""

    def __init__(self, other):
        super().__init__()
        self.first = Attention(lambda s, q, k, v: soft(s, q, k, v, 0.25))
        self.other, self.layer = other, nn.ModuleList(nn.Linear(64, 64) for _ in range(3))

    def forward(self, x):
        x = self.first(x)
        return self.other(*(layer(x) for layer in self.layer))


SILENT = {
    "a pooling": lambda q, k, v: (q[..., :1].softmax(1) * v).sum(1),
    "linear attention": lambda q, k, v: q.softmax(-1) @ (k.softmax(-2).mT @ v),
    "additive": lambda q, k, v: (
        torch.tanh(q[:, :, None] + k[:, None]).flatten(3)[..., :1].squeeze(-1).softmax(-1) @ v
    ),
    "a contrastive loss": lambda q, k, v: (
        functional.normalize(q.mean(1), dim=-1) @ functional.normalize(k.mean(1), dim=-1).T
    ).softmax(-1),
    "a gate": lambda q, k, v: v * torch.sigmoid(q),
}
NAMED = {
    "distances": lambda q, k, v: (-(torch.cdist(q, k) ** 2) / 16).softmax(-1) @ v,
    "a sigmoid": lambda q, k, v: torch.sigmoid(q @ k.mT / 8) @ v,
    "a power": lambda q, k, v: (q @ k.mT).pow(2).softmax(-1) @ v,
}


@pytest.mark.parametrize("name", SILENT)
def test_what_is_no_product_of_queries_and_keys_is_not_judged(name):
    report = ours.check(Beside(SILENT[name]), inputs(), show=False)
    assert report.ok, report.summary()


@pytest.mark.parametrize("name", NAMED)
def test_what_is_not_followed_is_named_beside_a_layer_that_is(name):
    report = ours.check(Beside(NAMED[name]), inputs(), show=False)
    assert report.faults("unknown")


def test_a_cap_in_torchscript_is_measured():
    wrong, right = both(
        masked(lambda t: scripted_cap(t, 50.0, 1.0)), masked(lambda t: scripted_cap(t, 50.0, 50.0))
    )
    assert {row.scale_verdict for row in wrong.rows} == {"bounded"}
    assert right.ok, right.summary()
    assert all(row.is_capped for row in right.rows)


def test_what_is_no_factor_is_not_understood():
    wrong, right = both(masked(lambda t: t**3), masked(lambda t: t**1))
    assert wrong.faults("unknown")
    assert "no factor, and no cap" in wrong.not_understood[0]
    assert right.ok


def test_a_factor_of_some_scores_is_found_in_the_logits():
    def some(s, q, k, v):
        scores = q @ k.mT / 4
        scores.detach().numpy()[..., :20] *= 2
        return scores.softmax(-1) @ v

    report = both(some, lambda s, q, k, v: soft(s, q, k, v, 0.25))[0]
    assert report.faults("unknown")


@pytest.mark.parametrize(
    ("heads", "tokens"), [(4, 8), (4, 13), (4, 26), (5, 13), (5, 26), (8, 6), (8, 4), (8, 8)]
)
@pytest.mark.parametrize("project", ["layer", "matmul", "addmm"])
def test_an_output_that_is_merged_without_its_transpose(heads, tokens, project):
    """For any number of tokens, as many as heads or fewer, and however W_O is applied."""

    class Merged(nn.Module):
        def __init__(self, is_wrong):
            super().__init__()
            self.num_heads, self.is_wrong = heads, is_wrong
            self.qkv, self.o = nn.Linear(8 * heads, 24 * heads), nn.Linear(8 * heads, 8 * heads)

        def forward(self, x):
            q, k, v = (apart(t, heads) for t in self.qkv(x).chunk(3, -1))
            y = (q @ k.mT / 8**0.5).softmax(-1) @ v
            y = y.reshape(x.shape) if self.is_wrong else together(y, x.shape)
            if project == "layer":
                return self.o(y)
            if project == "matmul":
                return y @ self.o.weight
            return torch.addmm(self.o.bias, y.view(-1, y.shape[-1]), self.o.weight)

    wrong, right = (
        ours.check(Merged(is_wrong), inputs(n=tokens, w=8 * heads), show=False)
        for is_wrong in (True, False)
    )
    assert {row.layout_verdict for row in wrong.rows} == {"cut"}
    assert "Look at test_spellings.py:" in wrong.faults("heads")[0]
    assert right.ok


def test_a_view_that_cuts_tokens_which_are_no_multiple_of_the_heads():
    wrong = Heads(lambda t, h: t.view(len(t), h, t.shape[1], -1), lambda t, s: t.reshape(s))
    report = ours.check(wrong, inputs(n=13), show=False)
    assert {row.layout_verdict for row in report.rows} == {"cut"}
    assert ours.check(Heads(apart, together), inputs(n=13), show=False).ok


class Packed(Attention):
    """Batch and heads in one dimension, and the padding repeated for the heads."""

    def forward(self, x, kept):
        q, k, v = (apart(layer(x), 4).flatten(0, 1) for layer in (self.q, self.k, self.v))
        kept = kept.repeat(4, 1) if self.wrong else kept.repeat_interleave(4, 0)
        weights = (q @ k.mT / 4).masked_fill(~kept[:, None], -INF).softmax(-1)
        return self.o(together((weights @ v).unflatten(0, (-1, 4)), x.shape))


@pytest.mark.parametrize("is_wrong", [True, False])
def test_another_sequences_padding_is_seen_by_a_change_of_others(is_wrong):
    """A mask is a mask; so the first sequence is run beside others, and should not notice."""
    model = Packed(None, attr="num_heads", wrong=is_wrong).eval()
    x, kept = torch.randn(2, 24, 64), torch.arange(24) < torch.tensor([[24], [15]])
    assert ours.check(model, [(x, kept)], show=False).ok == (not is_wrong)
    noisy = torch.where(kept[..., None], x, torch.randn_like(x))
    moves = ((model(x, kept) - model(noisy, kept))[kept].abs() > 1e-5).any()
    assert bool(moves) == is_wrong


def test_keys_and_values_both_in_the_wrong_order_are_seen_with_loaded_weights_alone():
    wrong, right = (Attention(grouped(order, order)) for order in (False, True))
    right.load_state_dict(wrong.state_dict())
    (x, *_) = inputs()
    assert ours.check(wrong, [x], show=False).ok
    assert not torch.allclose(wrong(x), right(x), atol=1e-3)


def test_a_mask_and_a_softmax_are_told_with_their_lines_and_once():
    def twice_wrong(s, q, k, v):
        scores = q @ k.mT / 4
        return scores.masked_fill(~later(scores), -1e9).softmax(-2) @ v

    axis, mask = ours.check(Attention(twice_wrong), inputs(), show=False).faults("axis", "mask")
    assert axis.count("Look at test_spellings.py:") == 2
    assert mask.endswith("The verdict is that of axis")
