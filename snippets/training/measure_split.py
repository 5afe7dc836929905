"""What moves q·k in the first steps: W_Q and W_K, or what they are applied to?

    make measure ARGS=snippets/training/measure_split.py

takes about half a minute of one core, and needs PyTorch. It writes split.csv, a
run at a time, and goes on where it was stopped.

The design, written down before the first run.

A step moves every weight, so q·k in the second layer moves in two ways:
because W_Q and W_K of that layer have changed, and because the vectors have
that they are applied to, through embeddings, places and the first layer. The
derivation of one pair speaks of the first alone, and gives it the power 1 of d.
So put only the new W_Q and W_K into the old model, or only all the rest, and
measure how far q·k moves at the place of the right value (rms over 1024
sequences, less the mean of the row). All divide by √d.

- "Adam 1" and "Muon 1": one step from the same gradient of a batch of 64. Both
  steps have the same size in every matrix, η = .001 (rms of its entries), but
  Muon's is the nearest matrix to the gradient with equal singular values.
  Embeddings, places and readout take Adam's step in both.
- "Adam 10": ten steps of training by Adam.
- "Muon 1 times 10": added later, since the chapter on growth finds that in its
  model, whose width grows with its heads, Muon's first step has Adam's slope at
  ten times the rate. If it does here too, the power of "Muon 1" was the rate's;
  if it does not, it is that the width stays.

Seven head sizes and six seeds, 20 to 25. If W_Q and W_K alone give a power near
1, the calculation for one pair carries over, and what lowered the power of the
whole was the rest. If they too give .8, a batch of many pairs does.
"""

from itertools import product
from pathlib import Path

import recall_transformer as model
import torch
from tables import about, fill

RUNS = Path(__file__).with_name("split.csv")
DIMS, SEEDS, RATE = (8, 16, 32, 64, 128, 256, 512), range(20, 26), 0.001
HOWS = ("Adam 1", "Muon 1", "Adam 10", "Muon 1 times 10")
OWN = ("Q2", "K2")


def orthogonal(g):
    """Return the nearest multiple of a matrix with equal singular values, with
    root mean square 1.
    """
    U, _, V = torch.linalg.svd(g, full_matrices=False)
    nearest = U @ V
    return nearest / nearest.square().mean().sqrt()


def first_step(d, s, seed, how):
    """Return the weights before and after one step, by name."""
    W = model.init(d, seed)
    text, answer, _ = model.batch(torch.Generator().manual_seed(1000 + seed))
    parts = torch.autograd.grad(model.loss(W, text, answer, s), W.values())
    old, new = {}, {}
    rate = RATE * (10 if how == "Muon 1 times 10" else 1)
    for (name, w), g in zip(W.items(), parts, strict=True):
        matrix = name[0] in "QKVO"
        step = orthogonal(g) if matrix and how[:4] == "Muon" else g.sign()
        old[name] = w.detach()
        new[name] = old[name] - rate * step
    return old, new


def ten_steps(d, s, seed):
    """Return the weights before and after ten steps of Adam."""
    states = [
        {name: w.detach().clone() for name, w in W.items()}
        for W, _ in model.train(d, s, RATE, seed, 10)
    ]
    return states[0], states[-1]


def run(how, d, seed):
    """Return how far q·k moves: with all, with its own W_Q and W_K, with the
    rest alone.
    """
    s = d**0.5
    if how == "Adam 10":
        old, new = ten_steps(d, s, seed)
    else:
        old, new = first_step(d, s, seed, how)
    own = old | {name: new[name] for name in OWN}
    rest = new | {name: old[name] for name in OWN}
    rng = torch.Generator().manual_seed(0)
    text, _, right = model.batch(rng, 1024)
    at_right = torch.arange(len(text)), 0, 2 * right + 1

    def seen(W):
        with torch.no_grad():
            a = model.forward(W, text, s)[1][1]
        return s * (a - a.mean(-1, keepdim=True))[at_right]

    before = seen(old)
    moves = [seen(W) - before for W in (new, own, rest)]
    return [[move.square().mean().sqrt().item() for move in moves]]


def main():
    """Measure what is not yet there."""
    head = ["how", "d", "seed", "all", "own", "rest"]
    above = about(Path(__file__).name, "20 to 25, as the column says")
    fill(RUNS, head, above, [*product(HOWS, DIMS, SEEDS)], run)


if __name__ == "__main__":
    main()
