"""Which rate of their own suits W_Q and W_K, with a norm and without?

    make measure ARGS=snippets/growth/measure_own_rate.py

takes about an hour and a half of one core, and needs PyTorch. It writes
own_rate.csv run by run; stopped and started again, it goes on where it was. To
measure all again, delete the table first. Given the name of a part, `choose`,
`score`, `long` or `wide`, it makes this part alone, each in an hour or less;
the second and the fourth need what the first has found, and the third chooses
for itself.

The design, written down before the runs. measure_steps.py found that at four
times the rate a quarter of it for W_Q and W_K does nearly all that QK-norm
does. What it left open: the quarter came from a pilot; QK-norm had one rate
only; "the other weights can bear more" had no control in which others are
slowed; and a warm-up might do as well. So here W_Q and W_K have m times the
rate of all other weights, with 1/√d alone and with QK-norm, and

- `choose`: m = 1 … 1/16, the others at 4η, 300 steps, d = 32, seeds 11 to 13.
  For each optimizer and remedy the m with the lowest mean loss is chosen.
- `score`: seeds 3 to 6, which have chosen nothing. The chosen m beside m = 1,
  and controls: a quarter of the rate for W_V and W_O, for the ReLU layer, or
  for all that is not W_Q and W_K (these two at 4η); a warm-up of 100 steps; a
  cap at 9 and a clip at 20, alone and together with the m that was chosen for
  1/√d; the rate of measure_steps.py that falls as W_Q and W_K grow, with a
  warm-up, and one that falls as a norm's steps do. All of these are compared
  with 1/√d at η.
- `long`: 1000 steps at η, with Muon, as with Adam measure_steps.py found little
  to gain there; 1/√d with m = 1, 1/2, 1/4, 1/8, of which seeds 11 and 12 choose
  one, and 3 to 6 score it beside m = 1 and QK-norm with m = 1.
- `wide`: d = 64, with m as it was chosen at d = 32, seeds 3 to 5, 300 steps at
  4η: does what was chosen for one size hold for twice that?

What would mean what, of the loss at the chosen m:
- 1/√d is level with QK-norm: the smaller step explains the gain.
- QK-norm is ahead at every m: the norm adds something to the step.
- a cap or clip with the chosen m is ahead of that m alone: so does the bound.
- slowing other matrices helps as much as slowing W_Q and W_K: then it is any
  part of the rate, and not these two.
- a warm-up helps as much: then it is the first steps that do the harm.
`change`, how far the last step moved the logits, is there for QK-norm too: if
its steps are as short as those of the chosen m, the reading that a norm helps
by shorter steps is supported, and if they are as long as those of m = 1 with
1/√d, it is refuted.
"""

import sys
from itertools import product
from pathlib import Path

import measure_growth
import numpy as np
import torch
from measure_growth import OPTIMIZERS
from measure_steps import FOUND, begin, heading, run, store
from stored import read

TABLE = Path(__file__).with_name("own_rate.csv")
CHOOSE, SCORE = [11, 12, 13], [3, 4, 5, 6]
AT = ["d", "remedy", "optimizer", "rate", "slowed", "m", "warmup", "last"]
AT += ["seed", "step"]
WARMUP = 100
FACTORS = [1, 0.5, 0.25, 0.125, 0.0625]
WEIGHTS = {"QK": "QK", "VO": "VO", "ReLU": ("up", "down")}
REMEDIES = ["none", "QK-norm"]


def choosing():
    """Yield the runs of `choose`: d, remedy, optimizer, rate, … as in AT."""
    each = product(CHOOSE, OPTIMIZERS, REMEDIES, FACTORS)
    for seed, optimizer, remedy, m in each:
        yield 32, remedy, optimizer, 4, "QK", m, 0, 300, seed


def chosen(optimizer, remedy, rate, last):
    """Return the m with the lowest mean loss of the seeds that choose."""
    rows = read(f"growth/{TABLE.name}")
    where = {"d": 32, "remedy": remedy, "optimizer": optimizer, "rate": rate}
    where |= {"slowed": "QK", "warmup": 0, "last": last, "step": last}
    for name, value in where.items():
        rows = rows[rows[name] == value]
    rows = rows[np.isin(rows["seed"], CHOOSE)]
    if not len(rows):
        raise SystemExit(f"{TABLE.name} lacks the runs that choose: `choose`")
    loss = {m: rows["loss"][rows["m"] == m].mean() for m in set(rows["m"])}
    return float(min(loss, key=loss.get))


def scoring():
    """Yield the runs of `score`."""
    for seed, optimizer in product(SCORE, OPTIMIZERS):
        best = chosen(optimizer, "none", 4, 300)
        yield 32, "none", optimizer, 1, "QK", 1, 0, 300, seed
        for remedy in REMEDIES:
            for m in sorted({1, chosen(optimizer, remedy, 4, 300)}):
                yield 32, remedy, optimizer, 4, "QK", m, 0, 300, seed
        # All that is not W_Q and W_K has a quarter of 4η.
        yield 32, "none", optimizer, 1, "QK", 4, 0, 300, seed
        for slowed in ("VO", "ReLU"):
            yield 32, "none", optimizer, 4, slowed, 0.25, 0, 300, seed
        for remedy in ("none", "QK-norm", "shared rate"):
            yield 32, remedy, optimizer, 4, "QK", 1, WARMUP, 300, seed
        yield 32, "norm's rate", optimizer, 4, "QK", 1, 0, 300, seed
        for remedy, m in product(("low cap", "QK-clip"), (1, best)):
            yield 32, remedy, optimizer, 4, "QK", m, 0, 300, seed


def lasting():
    """Yield the runs of `long`: first those that choose, then the others."""
    for seed, m in product(CHOOSE[:2], FACTORS[:4]):
        yield 32, "none", "Muon", 1, "QK", m, 0, 1000, seed
    best = chosen("Muon", "none", 1, 1000)
    arms = [("none", 1), ("none", best), ("QK-norm", 1)]
    for seed, (remedy, m) in product(SCORE, arms):
        yield 32, remedy, "Muon", 1, "QK", m, 0, 1000, seed


def wide():
    """Yield the runs of `wide`."""
    for seed, optimizer, remedy in product(SCORE[:3], OPTIMIZERS, REMEDIES):
        for m in sorted({1, chosen(optimizer, remedy, 4, 300)}):
            yield 64, remedy, optimizer, 4, "QK", m, 0, 300, seed


PARTS = {
    "choose": choosing,
    "score": scoring,
    "long": lasting,
    "wide": wide,
}


def main(parts):
    """Measure what is not stored yet, and store it."""
    torch.set_num_threads(1)
    raw = measure_growth.text()
    data, probe = measure_growth.split(raw)
    probe = probe.to(measure_growth.DEVICE)
    about = measure_growth.provenance(raw) | {
        "seeds": f"{CHOOSE} choose, {SCORE} score",
        "command": f"make measure ARGS=snippets/growth/{Path(__file__).name}",
    }
    done = begin(TABLE, heading(about, AT + FOUND), len(AT) - 1, lambda x: x[7])
    for part in parts or PARTS:
        for each in PARTS[part]():
            if tuple(map(str, each)) in done:
                continue
            d, remedy, optimizer, rate, slowed, m, warmup, last, seed = each
            how = (data, probe, d, remedy, optimizer, rate, seed, last)
            times = dict.fromkeys(WEIGHTS[slowed], m)
            rows = [*run(*how, times=times, warmup=warmup)]
            store(TABLE, each, rows, FOUND)


if __name__ == "__main__":
    main(sys.argv[1:])
