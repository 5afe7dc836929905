"""How much of a gradient do batches agree on, and does that decide who learns?

    make measure ARGS=snippets/training/measure_noise.py

takes about seven minutes of one core, and needs PyTorch. It writes noise.csv, a
run at a time, and goes on where it was stopped.

The design, written down before the first run.

Let G be the mean gradient of W_Q and W_K over all sequences, and T the total
variance of a single sequence's. In batches of b the mean square of the gradient
is G² + T/b, and batches have G² of it in common: they agree in the share
G²/(G² + T/b). At the start, at d = 64, signal.csv has .10 for √d in batches of
64, and .004 undivided. So divided and undivided runs are paired in such batches
that they agree about equally at the start:

    agreement    divided by √d    undivided
    .10          64               (2048: too long)
    .06          37               1024
    .004         2                64

The first two rows train for 500 steps and the last for 5000. Rates are those
with the lowest mean loss of the seeds 0 and 1 in learning.csv; 37 takes the
rate of 64, and batches of 2 the one at which a pilot with these two seeds had
learned after 5000 steps. Other seeds count, 20 and 21. Loss, G² and T are
measured on the way, not at the start alone.

- Both of each pair learn alike: agreement at the start is the whole story.
- Divided in batches of 2 learns as slowly as undivided in batches of 64: so
  little agreement is enough to make a model slow.
- An undivided model learns later than its divided partner: something else holds
  it back as well. If its agreement has fallen behind its partner's by then, it
  is agreement still, but not that of the start.
"""

from pathlib import Path

import recall_transformer as model
import torch
from learning_table import learning
from stored import pivot
from tables import about, fill
from torch.nn import functional

RUNS = Path(__file__).with_name("noise.csv")
D_HEAD, SEEDS = 64, (20, 21)
DIVISORS = {"none": 1, "√d": D_HEAD**0.5}
AT = [0, 100, 200, 300, 500, 1000, 2000, 5000]
# By divisor and batch: the steps.
STEPS = {
    ("√d", 64): 500,
    ("√d", 37): 500,
    ("√d", 2): 5000,
    ("none", 1024): 500,
    ("none", 64): 5000,
}
BATCHES, CHUNK = 128, 64


def agreement(W, s, seed):
    """Return G² and T of the gradient of W_Q and W_K, from 128 batches."""
    rng = torch.Generator().manual_seed(3000 + seed)
    weights = [w for name, w in W.items() if name[0] in "QK"]
    total, squares = 0, 0
    for _ in range(BATCHES):
        text, answer, _ = model.batch(rng, CHUNK)
        parts = torch.autograd.grad(model.loss(W, text, answer, s), weights)
        g = torch.cat([part.flatten() for part in parts])
        total, squares = total + g, squares + (g @ g).item()
    common = (total @ total).item() - squares
    common /= BATCHES * (BATCHES - 1)
    return common, CHUNK * (squares / BATCHES - common)


def run(divisor, sequences, rate, seed):
    """Train once; return rows of step, loss, G² and T."""
    s, steps = DIVISORS[divisor], STEPS[divisor, sequences]
    text, answer, _ = model.batch(torch.Generator().manual_seed(0), 1024)
    rows = []
    trained = model.train(D_HEAD, s, rate, seed, steps, sequences=sequences)
    for step, (W, _) in enumerate(trained):
        if step in AT:
            with torch.no_grad():
                logits, _ = model.forward(W, text, s)
            loss = functional.cross_entropy(logits, answer).item()
            rows.append((step, loss, *agreement(W, s, seed)))
    return rows


def chosen():
    """Return the best rate of each setting, by divisor and batch."""
    rows, best = learning(), {}
    for at, setting, step in [
        (("√d", 64), "plain", 500),
        (("none", 64), "5000 steps", 5000),
        (("none", 1024), "batches of 1024", 500),
    ]:
        where = {"setting": setting, "d": D_HEAD, "divisor": at[0]}
        rates, loss = pivot(rows, "rate", "loss", **where, step=step)
        best[at] = rates[loss[:2].mean(axis=0).argmin()].item()
    return best | {("√d", 37): best["√d", 64], ("√d", 2): 0.00025}


def grid():
    """Return the runs: (divisor, batch, rate, seed). Long ones come last."""
    rate, settings = chosen(), [*STEPS]
    parts = [settings[:3], settings[3:4], settings[4:]]
    return [
        (*at, rate[at], seed) for part in parts for seed in SEEDS for at in part
    ]


def main():
    """Measure what is not yet there."""
    head = ["divisor", "batch", "rate", "seed", "step", "loss"]
    head += ["common", "variance"]
    above = about(Path(__file__).name, "20 and 21, as the column says")
    fill(RUNS, head, above, grid(), run)


if __name__ == "__main__":
    main()
