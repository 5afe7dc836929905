"""Train small transformers with and without a divisor, and store what became
of them.

    make measure ARGS=snippets/training/measure_learning.py

takes about 40 minutes of one core, and needs PyTorch. It writes learning.csv, a
run at a time. A run that is there already is kept, so it can be stopped; delete
the table to measure all again.
"""

from itertools import product
from pathlib import Path

import recall_transformer as model
import torch
from tables import about, fill
from torch.nn import functional

RUNS = Path(__file__).with_name("learning.csv")
DIVISORS = {
    "none": lambda d: 1,
    "√d": lambda d: d**0.5,
    "d": lambda d: d,
    "d/8": lambda d: d / 8,
    "∞": lambda d: 1e9,  # all keys alike
}
RATES = [0.001, 0.002, 0.0005, 0.004, 0.00025, 0.008, 0.000125]
AT = ["setting", "d", "divisor", "rate", "seed"]
FOUND = ["loss", "spread", "largest", "moved"]
STEPS = [0, 1, 10, 50, 100, 150, 200, 300, 400, 500, 1000, 2000, 5000]

# What is changed, by name: arguments of `train`, or what d makes of them.
SETTINGS = {
    "plain": {},
    "small start": {"start": lambda d: d**-0.25},
    "spread 2": {"start": lambda d: (2 / d**0.5) ** 0.5},
    "spread 4": {"start": lambda d: (4 / d**0.5) ** 0.5},
    "large start": {"start": lambda d: d**0.25},
    "W_Q = 0": {"zero_query": True},
    "warm-up": {"warmup": 200},
    "clipping": {"clip": 1},
    "QK-norm": {"qk_norm": True},
    "SGD": {"optimizer": "sgd"},
    "MLP": {"mlp": True},
    "16 pairs": {"pairs": 16, "steps": 1000},
    "5000 steps": {"steps": 5000},
    "batches of 1024": {"sequences": 1024},
}
# With which divisors, head sizes and rates.
SLOWEST, SLOW = [0.000125], [0.00025, 0.0005, 0.001, 0.002]
SGD = [0.003, 0.01, 0.03, 0.1]
CHANGED = [
    ("plain", ["∞"], [64], SLOW),
    ("small start", ["none"], [64, 256], SLOW),
    ("small start", ["none"], [256], SLOWEST),
    ("spread 2", ["none"], [64], SLOW),
    ("spread 4", ["none"], [64], SLOW),
    ("large start", ["√d"], [64, 256], SLOW),
    ("W_Q = 0", ["none"], [64, 256], SLOW),
    ("W_Q = 0", ["none"], [256], SLOWEST),
    ("warm-up", ["none"], [64], SLOW),
    ("clipping", ["none"], [64], SLOW),
    ("QK-norm", ["none", "√d"], [64], SLOW),
    ("SGD", ["none", "√d"], [64], SGD),
    ("MLP", ["none", "√d"], [64], SLOW),
    ("16 pairs", ["none", "√d"], [64], SLOW[1:3]),
]
LARGE = ("batches of 1024", ["none"], [64], [0.0005, 0.001])
LONG = [
    ("5000 steps", ["none"], [64, 256], SLOWEST + SLOW[:1]),
    ("5000 steps", ["none"], [16], SLOW[:1]),
]


def grid():
    """Yield the runs: (setting, d, divisor, rate, seed). At 64, √d is d/8."""

    def changed(settings, seed):
        for setting, divisors, dims, rates in settings:
            for divisor, d, rate in product(divisors, dims, rates):
                yield setting, d, divisor, rate, seed

    for seed in range(3):
        for rate, d in product(RATES, (64, 256, 16)):
            for divisor in ("none", "√d", "d") + ("d/8",) * (d != 64):
                yield "plain", d, divisor, rate, seed
        moved = ("W_Q = 0", ["√d", "d"], [64, 256, 16], [0.001])
        yield from changed([moved, *LONG], seed)
    for seed in range(2):
        yield from changed([LARGE, *CHANGED], seed)


def less_mean(a):
    """Return logits less the mean of their row, which softmax ignores."""
    return a - a.mean(-1, keepdim=True)


def rms(a):
    """Return the root of the mean square."""
    return a.square().mean().sqrt().item()


def run(setting, d, divisor, rate, seed, last=None):
    """Train once; yield a step and, by name, what FOUND says.

    `spread` is the size (rms) of what softmax sees of the second layer's
    logits, `largest` the largest of all logits, and `moved` how far q·k has
    moved since the start in the second layer at the place of the right value
    (rms, less the mean of a row).
    """
    how = {
        name: value(d) if callable(value) else value
        for name, value in SETTINGS[setting].items()
    }
    steps, s = how.pop("steps", 500), DIVISORS[divisor](d)
    rng = torch.Generator().manual_seed(0)
    pairs, qk_norm = how.get("pairs", model.PAIRS), how.get("qk_norm", False)
    text, answer, right = model.batch(rng, 1024, pairs)
    run = model.train(d, s, rate, seed, last or steps, **how)
    for step, (W, _) in enumerate(run):
        if step not in STEPS:
            continue
        with torch.no_grad():
            logits, inside = model.forward(W, text, s, qk_norm)
        seen = less_mean(inside[1])
        if step == 0:
            before = seen
        at_right = torch.arange(len(text)), 0, 2 * right + 1
        largest = max(a[a.isfinite()].abs().max() for a in inside)
        yield (
            step,
            {
                "loss": functional.cross_entropy(logits, answer).item(),
                "spread": rms(seen),
                "largest": largest.item(),
                "moved": s * rms((seen - before)[at_right]),
            },
        )


def main():
    """Measure what is not yet there."""
    above = about(Path(__file__).name, "0 to 2, as the column says")
    fill(
        RUNS,
        [*AT, "step", *FOUND],
        above,
        [*grid()],
        lambda *at: [[step, *found.values()] for step, found in run(*at)],
    )


if __name__ == "__main__":
    main()
