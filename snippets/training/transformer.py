"""A small decoder that reads bytes, in PyTorch, and how its q·k moves.

Two layers of four heads of d dimensions, so the width is D = 4d, and between
them a ReLU layer of width 2D; LayerNorm without gain or bias; learned places.
Weights start with variance 1/fan-in, and the readout with its square, as muP
has it. Adam has learning rate eta/fan-in in each matrix, so a step moves each
coordinate of what comes out of it by about eta, at every width. (A byte
and a place are one of many: their fan-in is 1.) So between widths, and between
two runs of one width, nothing differs in the rules but what divides q·k.
"""

import torch
from torch.nn import functional

LAYERS, HEADS, LENGTH, BYTES = 2, 4, 16, 256


def init(d, seed, zero_query=False, device="cpu"):
    """Return the weights by name, (fan-out × fan-in) each.

    They are drawn on the processor, so that a GPU gets the same.
    """
    rng, D = torch.Generator().manual_seed(seed), HEADS * d
    shapes = {"byte": (D, BYTES), "place": (D, LENGTH)}
    for layer in range(LAYERS):
        shapes |= {f"{name}{layer}": (D, D) for name in "QKVO"}
        shapes |= {f"up{layer}": (2 * D, D), f"down{layer}": (D, 2 * D)}
    shapes["readout"] = (BYTES, D)
    W = {}
    for name, shape in shapes.items():
        deviation = fan_in(name, shape) ** (-1 if name == "readout" else -0.5)
        W[name] = deviation * torch.randn(shape, generator=rng)
        W[name] = W[name].to(device)
        if zero_query and name[0] == "Q":
            W[name].zero_()
        W[name].requires_grad_()
    return W


def fan_in(name, shape):
    """Return how many inputs of a matrix are not 0 at a time."""
    return 1 if name in ("byte", "place") else shape[1]


def forward(W, text, s):
    """Return the logits of the next bytes, and q, k and p of each layer.

    The text is (sequences × LENGTH); q and k are (sequences × heads × LENGTH
    × d), the attention p is (sequences × heads × LENGTH × LENGTH).
    """
    x = W["byte"].T[text] + W["place"].T
    inside = []
    later = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1).to(x.device)
    for layer in range(LAYERS):
        y = functional.layer_norm(x, x.shape[-1:])
        q, k, v = (
            (y @ W[f"{name}{layer}"].T).unflatten(-1, (HEADS, -1))
            for name in "QKV"
        )
        q, k, v = (a.transpose(1, 2) for a in (q, k, v))
        p = (q @ k.mT / s).masked_fill(later, -torch.inf).softmax(-1)
        x = x + (p @ v).transpose(1, 2).flatten(2) @ W[f"O{layer}"].T
        y = functional.layer_norm(x, x.shape[-1:])
        x = x + (y @ W[f"up{layer}"].T).relu() @ W[f"down{layer}"].T
        inside.append((q, k, p))
    x = functional.layer_norm(x, x.shape[-1:])
    return x @ W["readout"].T, inside


def loss(W, text, s):
    """Return the mean of −ln p of the next byte; text has one byte more."""
    logits, _ = forward(W, text[:, :-1], s)
    return functional.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())


def batch(text, sequences, rng):
    """Return sequences × (LENGTH + 1) bytes from random places of a text."""
    at = torch.randint(len(text) - LENGTH, (sequences, 1), generator=rng)
    return text[at + torch.arange(LENGTH + 1)].long()


def train(
    text, d, seed, s, eta, steps, zero_query=False, sequences=32, device="cpu"
):
    """Train by Adam; yield the weights before the first step and after each.

    What one seed draws from the text is the same at every width.
    """
    W = init(d, seed, zero_query, device)
    rates = [
        {"params": [w], "lr": eta / fan_in(name, w.shape)}
        for name, w in W.items()
    ]
    adam = torch.optim.Adam(rates, eps=1e-12, foreach=True)
    rng = torch.Generator().manual_seed(1000 + seed)
    yield W
    for _ in range(steps):
        adam.zero_grad()
        loss(W, batch(text, sequences, rng).to(device), s).backward()
        adam.step()
        yield W
