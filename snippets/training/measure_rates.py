"""Up to which learning rate does a small transformer learn, over head sizes?

    make measure ARGS=snippets/training/measure_rates.py

takes about half an hour of one core, and needs PyTorch. It writes rates.csv, a
seed of a setting at a time, and goes on where it was stopped.

The design, written down before the first run that counts.

Question. μP's reason for 1/d is that with 1/√d the steps of q·k grow like √d,
so that larger heads stand smaller rates only. Four arms:

- "√d": divided by √d, one rate for all weights;
- "√d own rate": the same, but W_Q and W_K have the rate times √(16/d);
- "√d others": the control, where they have the rate, and all others have it
  times √(16/d);
- "d": divided by d, one rate for all weights.

At d = 16 the first three are the same runs. Rates lie a factor of √2 apart,
seven for each arm and head size, around where the seeds 0 to 2 of learning.csv
had their border. Twelve other seeds count, 20 to 31. A run learns if the mean
loss of its last ten batches is below 1 nat; it ends after 500 steps, or before,
once that mean is below 0.1. Each seed tries the rates upwards until one has
failed (seed 20, before a change of this plan, until two in a row have). Which
rates it leaves out depends on nothing but runs that are in the table, so the
likelihood of these is still right.

What is looked for: the rate at which half of the runs learn, by a logistic
curve in ln rate with one width for all, and its power in d for each arm.

- "√d" near −1/2: the argument holds as it is told. Flatter from 64 on: it holds
  less for large heads. Near 0: it does not hold here.
- "√d own rate" near 0: larger heads then stand the same rate for everything
  else, so that it is the steps of W_Q and W_K that were too long, and a rate of
  their own does what 1/d does.
- "√d others" falls like "√d": it is the steps of W_Q and W_K. Near 0: shorter
  steps of other weights do as well, and then the middle panel shows nothing
  about W_Q and W_K.
- "d" near 0 is what μP says.

(First the second and the last arm had six seeds, 1/d was tried at the two ends
alone, and there was no control. These runs were kept, and what they lacked was
run later, with another PyTorch. Seeds agree too well for a logistic curve.)
"""

from itertools import product
from pathlib import Path

import numpy as np
import recall_transformer as model
from tables import about, fill

RUNS = Path(__file__).with_name("rates.csv")
SEEDS = range(20, 32)
STEPS, LEARNED = 500, 0.1
# A factor of √2 apart, from .001 to .016.
GRID = [round(0.001 * 2 ** (i / 2), 6) for i in range(9)]
LOW, HIGH = GRID[:7], GRID[2:]
# The divisor, and the factors on the rates of W_Q and W_K and of the others.
ARMS = {
    "√d": lambda d: (d**0.5, 1, 1),
    "√d own rate": lambda d: (d**0.5, (16 / d) ** 0.5, 1),
    "√d others": lambda d: (d**0.5, 1, (16 / d) ** 0.5),
    "d": lambda d: (d, 1, 1),
}


def rates(arm, d):
    """Return the rates that are tried."""
    return LOW if arm in ("√d", "√d others") and d > 32 else HIGH


def grid():
    """Return the settings, each with one seed: (arm, d, seed)."""
    settings = [*product(("√d", "d"), (16, 64, 256))]
    settings += product(("√d own rate", "√d others"), (64, 256))
    return [(arm, d, seed) for seed in SEEDS for arm, d in settings]


def train(arm, d, rate, seed):
    """Train once; return the steps made, and the mean loss of the last ten."""
    s, own, others = ARMS[arm](d)
    losses = []
    how = (d, s, others * rate, seed, STEPS)
    for _, loss in model.train(*how, scoring=own / others):
        losses.append(loss)
        if len(losses) >= 10 and np.mean(losses[-10:]) < LEARNED:
            break
    return len(losses) - 1, np.mean(losses[-10:])


def run(arm, d, seed):
    """Try the rates upwards; return a row for each, until one has failed."""
    rows = []
    for rate in rates(arm, d):
        steps, loss = train(arm, d, rate, seed)
        rows.append((rate, steps, loss))
        if loss > 1:
            break
    return rows


def main():
    """Measure what is not yet there."""
    head = ["arm", "d", "seed", "rate", "steps", "loss"]
    above = about(Path(__file__).name, "20 to 31, as the column says")
    fill(RUNS, head, above, grid(), run)


if __name__ == "__main__":
    main()
