"""Associative recall in context by two layers of causal attention, in PyTorch.

A sequence shows 8 keys, each followed by its value, and then one of the keys
again: the model must say its value. Keys and values are drawn anew for each
sequence, without replacement, from 16 each, so only attention can find the
answer: to guess among the 16 costs ln 16 nats, among the 8 shown ln 8.

Each layer has one head, LayerNorm without gain before it and a residual around
it. The width D stays as it is when the size d of the head changes: only W_Q and
W_K (D × d) know of d. Matrices start with variance 1/fan-in, so that q and k
start with variance 1; what a head passes on, W_V W_O, is D × D.
"""

import torch
from torch.nn import functional

D, PAIRS, SEQUENCES = 128, 8, 64


def init(d, seed, start=1.0, zero_query=False, pairs=PAIRS, mlp=False):
    """Return the weights by name; W_Q and W_K times `start`.

    What does not depend on d is drawn first, so it is alike at every d.
    """
    rng = torch.Generator().manual_seed(seed)
    shapes = {"token": (4 * pairs, D), "place": (2 * pairs + 1, D)}
    shapes |= {"readout": (D, 2 * pairs)}
    for layer in "12":
        shapes |= {"V" + layer: (D, D), "O" + layer: (D, D)}
        if mlp:
            shapes |= {"up" + layer: (D, 2 * D), "down" + layer: (2 * D, D)}
    shapes |= {name + layer: (D, d) for layer in "12" for name in "QK"}
    W = {}
    for name, shape in shapes.items():
        size = {"token": 1, "place": 0.5}.get(name, shape[0] ** -0.5)
        if name[0] in "QK":
            size *= 0 if zero_query and name[0] == "Q" else start
        W[name] = size * torch.randn(shape, generator=rng)
        W[name].requires_grad_()
    return W


def batch(rng, sequences=SEQUENCES, pairs=PAIRS):
    """Return sequences (× 2·pairs + 1), the values asked for, and the place
    (0 to pairs − 1) of the right pair.
    """
    keys, values = (
        torch.rand(sequences, 2 * pairs, generator=rng).argsort(1)[:, :pairs]
        for _ in range(2)
    )
    right = torch.randint(pairs, (sequences, 1), generator=rng)
    shown = torch.stack([keys, values + 2 * pairs], 2).flatten(1)
    text = torch.cat([shown, keys.gather(1, right)], 1)
    return text, values.gather(1, right)[:, 0], right[:, 0]


def norm(x):
    """Return x less its mean, over its standard deviation."""
    return functional.layer_norm(x, x.shape[-1:])


def forward(W, text, s, qk_norm=False):
    """Return the logits of the values, and of each layer's attention.

    The first layer's are (sequences × tokens × tokens), with −inf for later
    tokens. In the second only the last token asks: (sequences × 1 × tokens).
    """
    x = functional.embedding(text, W["token"]) + W["place"]
    tokens = text.shape[1]
    later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    inside = []
    for layer in "12":
        y = norm(x)
        if layer == "2":
            x, later = x[:, -1:], later[-1:]
        asks, Q, K = y[:, -x.shape[1] :], W["Q" + layer], W["K" + layer]
        if qk_norm:
            a = norm(asks @ Q) @ norm(y @ K).mT / s
        else:
            a = asks @ (Q @ K.T) @ y.mT / s  # q·k, with fewer products
        a = a.masked_fill(later, -torch.inf)
        x = x + a.softmax(-1) @ y @ (W["V" + layer] @ W["O" + layer])
        if "up" + layer in W:
            x = x + (norm(x) @ W["up" + layer]).relu() @ W["down" + layer]
        inside.append(a)
    return norm(x[:, 0]) @ W["readout"], inside


def loss(W, text, answer, s, qk_norm=False):
    """Return the mean of −ln p of the right value."""
    return functional.cross_entropy(forward(W, text, s, qk_norm)[0], answer)


def train(
    d,
    s,
    rate,
    seed,
    steps,
    optimizer="adam",
    warmup=0,
    clip=None,
    qk_norm=False,
    sequences=SEQUENCES,
    scoring=1.0,
    **start,
):
    """Train; yield the weights before the first step and after each, with the
    gradient that comes next, and the loss of the batch that it comes from. What
    a seed draws is the same in every setting.

    The rate rises linearly over the first `warmup` steps, and that of W_Q and
    W_K is `scoring` times as large; `clip` bounds the length of the whole
    gradient; `start` goes to `init`.
    """
    W = init(d, seed, **start)
    groups = [
        {"params": [w for name, w in W.items() if name[0] not in "QK"]},
        {"params": [w for name, w in W.items() if name[0] in "QK"]},
    ]
    if optimizer == "adam":
        descent = torch.optim.Adam(groups, lr=rate, fused=True)
    else:
        descent = torch.optim.SGD(groups, lr=rate, momentum=0.9)
    rng = torch.Generator().manual_seed(1000 + seed)
    for step in range(steps + 1):
        text, answer, _ = batch(rng, sequences, start.get("pairs", PAIRS))
        descent.zero_grad()
        value = loss(W, text, answer, s, qk_norm)
        value.backward()
        yield W, value.item()
        if clip:
            torch.nn.utils.clip_grad_norm_(W.values(), clip)
        now = rate * min(1, (step + 1) / (warmup or 1))
        for group, times in zip(
            descent.param_groups, (1, scoring), strict=True
        ):
            group["lr"] = times * now
        descent.step()
