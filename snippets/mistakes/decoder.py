"""A small decoder that reads bytes, with every way of attending that is tried.

Two layers of four heads of 32 dimensions, so the width is 128, and between
them a ReLU layer of width 256; LayerNorm without gain or bias; learned places.
Weights start with variance 1/fan-in, and the readout with its square. Adam has
the learning rate 0.2/fan-in in each matrix. Both are those of the decoder in
the chapter on growth.

`CODES` has what q·k is multiplied by, where that alone is wrong. In the other
codes something else is:

- "after softmax": the factor stands behind softmax, and none before it.
- "queries": softmax runs over the queries, not over the keys.
- "1e−9": later keys get a score of 1e−9 in place of −∞.
"""

import torch
from torch.nn import functional

LAYERS, HEADS, D, LENGTH, BYTES = 2, 4, 32, 64, 256
WIDTH = HEADS * D
CODES = {
    "right": D**-0.5,
    "width": WIDTH**-0.5,
    "heads": HEADS**-0.5,
    "missing": 1.0,
    "twice": 1 / D,
    "times": D**0.5,
    "fourth root": D**-0.25,
    "log2e": D**-0.5 / torch.tensor(2.0).log().item(),
    "64": 64**-0.5,
    "after softmax": 1.0,
    "queries": D**-0.5,
    "1e−9": D**-0.5,
}
LATER = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)


def attend(q, k, v, code="right", factor=1.0):
    """Return what attention gives, and its logits.

    Args:
        q: (… × places × D), and so are k and v.
        code: the key in `CODES`.
        factor: multiplies the logits besides.
    """
    n = q.shape[-2]
    hidden = 1e-9 if code == "1e−9" else -torch.inf
    a = factor * CODES[code] * (q @ k.mT)
    seen = a.masked_fill(LATER[:n, :n], hidden)
    p = seen.softmax(-2 if code == "queries" else -1)
    if code == "after softmax":
        p = p / D**0.5
    return p @ v, a


def init(seed):
    """Return the weights by name, (fan-out × fan-in) each."""
    rng = torch.Generator().manual_seed(seed)
    shapes = {"byte": (WIDTH, BYTES), "place": (WIDTH, LENGTH)}
    for layer in range(LAYERS):
        shapes |= {f"{name}{layer}": (WIDTH, WIDTH) for name in "QKVO"}
        shapes |= {f"up{layer}": (2 * WIDTH, WIDTH)}
        shapes |= {f"down{layer}": (WIDTH, 2 * WIDTH)}
    shapes["readout"] = (BYTES, WIDTH)
    W = {}
    for name, shape in shapes.items():
        size = fan_in(name, shape) ** (-1 if name == "readout" else -0.5)
        W[name] = size * torch.randn(shape, generator=rng)
    return {name: w.requires_grad_() for name, w in W.items()}


def fan_in(name, shape):
    """Return how many inputs of a matrix are not 0 at a time."""
    return 1 if name in ("byte", "place") else shape[1]


def forward(W, text, code="right", factor=1.0):
    """Return the logits of the next bytes, and (q, k, a) of each layer.

    The text is (sequences × places); q and k are (sequences × heads × places ×
    D), and the logits a (sequences × heads × places × places).
    """
    x = W["byte"].T[text] + W["place"].T[: text.shape[1]]
    inside = []
    for layer in range(LAYERS):
        y = functional.layer_norm(x, x.shape[-1:])
        q, k, v = (
            (y @ W[f"{name}{layer}"].T)
            .unflatten(-1, (HEADS, -1))
            .transpose(1, 2)
            for name in "QKV"
        )
        out, a = attend(q, k, v, code, factor)
        x = x + out.transpose(1, 2).flatten(2) @ W[f"O{layer}"].T
        y = functional.layer_norm(x, x.shape[-1:])
        x = x + (y @ W[f"up{layer}"].T).relu() @ W[f"down{layer}"].T
        inside.append((q, k, a))
    x = functional.layer_norm(x, x.shape[-1:])
    return x @ W["readout"].T, inside


def losses(W, text, code="right", factor=1.0):
    """Return −ln p of each next byte, (sequences × places).

    The text has one byte more than places.
    """
    logits = forward(W, text[:, :-1], code, factor)[0]
    return functional.cross_entropy(logits.mT, text[:, 1:], reduction="none")


def batch(text, sequences, rng):
    """Return sequences × (LENGTH + 1) bytes from random places of a text."""
    at = torch.randint(len(text) - LENGTH, (sequences, 1), generator=rng)
    return text[at + torch.arange(LENGTH + 1)].long()


def adam(W, rate=1):
    """Return the optimizer of all weights, at a multiple of its rates."""
    rates = [
        {"params": [w], "lr": rate * 0.2 / fan_in(name, w.shape)}
        for name, w in W.items()
    ]
    return torch.optim.Adam(rates, eps=1e-12, foreach=True)


def train(W, text, code, seed, steps, rate=1, sequences=8):
    """Train W in a code; yield before the first step and after each.

    What one seed draws from the text is the same in all codes.
    """
    optimizer = adam(W, rate)
    rng = torch.Generator().manual_seed(1000 + seed)
    yield
    for _ in range(steps):
        loss = losses(W, batch(text, sequences, rng), code).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield


@torch.no_grad()
def mended(W, code):
    """Return weights that do in right code what W does in `code`.

    W_Q is multiplied by old over new. Where the factor stands behind softmax,
    that factor goes into W_V. Softmax over queries and a wrong mask have no
    such weights.
    """
    W = dict(W)
    for layer in range(LAYERS):
        W[f"Q{layer}"] = W[f"Q{layer}"] * (CODES[code] / CODES["right"])
        if code == "after softmax":
            W[f"V{layer}"] = W[f"V{layer}"] / D**0.5
    return W
