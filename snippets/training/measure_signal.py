"""What do all batches share of the gradient of W_Q and W_K, and what is noise?

    make measure ARGS=snippets/training/measure_signal.py

takes about 40 minutes of one core, and needs PyTorch. It writes signal.csv, a
model at a time, and goes on where it was stopped.

The design, written down before the runs. Let G be the gradient of the expected
loss, which is what all batches share, and T the total variance of a single
sequence's gradient. A batch of 64 has a gradient of mean square G² + T/64. An
earlier table had three seeds and 128 batches, too few to tell G from 0 where
heads are large and undivided. Here an undivided model has 262,144 sequences at
the start, in 32 groups, and a divided one 8 of these. G² is the mean product of
the gradients of two groups, over all pairs, so that noise cancels; its error
comes from leaving out each group in turn. Heads from 16 to 1024, eight seeds,
for both layers together and for each; and, since a row of 17 tokens is short,
heads of 64 with 32 pairs in place of 8, so with rows of up to 65 tokens, three
seeds and 6 groups.

A divisor s makes all of these gradients s times as short. That undone, what is
read off for each d is, undivided over divided by √d:

- the root of the mean square of a batch: about 1 in the earlier table;
- the length of G: .4, .2 and perhaps .02 there, at d = 16, 64 and 256. If it
  falls like a power of d, over seeds that all fall, "a batch's gradient keeps
  its length, and what batches share shrinks" holds at the start, in this model.
  If at 256 and 1024 it lies within two standard errors of 0, only a bound is
  said of them.
"""

from itertools import product
from pathlib import Path

import recall_transformer as model
import torch
from measure_learning import DIVISORS
from tables import about, fill

TABLE = Path(__file__).with_name("signal.csv")
GROUPS, BATCHES, SEQUENCES = {"none": 32, "√d": 8}, 16, 512
DIMS, SHOWN, SEEDS = (16, 64, 256, 1024), [*GROUPS], range(8)
MANY = 32  # pairs
PARTS = {"both": ("1", "2"), "1": ("1",), "2": ("2",)}
LONE = 1024  # single sequences, for the median


def gradients(W, s, rng, sequences, batches, pairs=model.PAIRS):
    """Yield each batch's gradient of W_Q and W_K, by layer."""
    for _ in range(batches):
        text, answer, _ = model.batch(rng, sequences, pairs)
        weights = [W[name] for name in ("Q1", "K1", "Q2", "K2")]
        parts = torch.autograd.grad(model.loss(W, text, answer, s), weights)
        flat = [part.flatten() for part in parts]
        yield {"1": torch.cat(flat[:2]), "2": torch.cat(flat[2:])}


def of_groups(means):
    """Return the mean product of two groups' gradients, and its error.

    Args:
        means: each group's mean gradient (groups × weights).
    """
    n, products = len(means), means @ means.T
    products.fill_diagonal_(0)
    total, own = products.sum(), products.sum(1)
    without = (total - 2 * own) / ((n - 1) * (n - 2))
    spread = (without - without.mean()).square().sum() * (n - 1) / n
    return (total / (n * (n - 1))).item(), spread.sqrt().item()


def signal(d, pairs, divisor, seed, groups=None, lone=LONE):
    """Return a row for each part of the weights: what is stored of it.

    That is the length (root mean square) of the gradient of batches of 64, the
    share of its mean square that is common to all batches, the error of this
    share, and the median length of a single sequence's.
    """
    W, s = model.init(d, seed, pairs=pairs), DIVISORS[divisor](d)
    groups = groups or (6 if pairs == MANY else GROUPS[divisor])
    rng = torch.Generator().manual_seed(2000 + seed)
    means, square = {"1": [], "2": []}, {"1": 0, "2": 0}
    for _ in range(groups):
        total = {"1": 0, "2": 0}
        for each in gradients(W, s, rng, SEQUENCES, BATCHES, pairs):
            for layer, g in each.items():
                total[layer] = total[layer] + g
                square[layer] += (g @ g).item() / (groups * BATCHES)
        for layer, g in total.items():
            means[layer].append(g / BATCHES)
    lengths = [
        {layer: (g @ g).item() for layer, g in each.items()}
        for each in gradients(W, s, rng, 1, lone, pairs)
    ]
    rows = []
    for part, layers in PARTS.items():
        every = torch.cat([torch.stack(means[x]) for x in layers], 1).double()
        common, error = of_groups(every)
        variance = SEQUENCES * (sum(square[x] for x in layers) - common)
        mean_square = common + variance / model.SEQUENCES
        alone = [sum(each[x] for x in layers) ** 0.5 for each in lengths]
        found = mean_square**0.5, common / mean_square, error / mean_square
        rows.append((part, *found, torch.tensor(alone).median().item()))
    return rows


def grid():
    """Yield the models: (d, pairs, divisor, seed)."""
    for seed, d, divisor in product(SEEDS, DIMS, SHOWN):
        yield d, model.PAIRS, divisor, seed
    for seed, divisor in product(range(3), SHOWN):
        yield 64, MANY, divisor, seed


def main():
    """Measure what is not yet there."""
    head = ["d", "pairs", "divisor", "seed", "layer"]
    head += ["length", "common", "error", "typical"]
    above = about(Path(__file__).name, "0 to 7, as the column says")
    fill(TABLE, head, above, [*grid()], signal)


if __name__ == "__main__":
    main()
