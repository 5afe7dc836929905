"""A norm on q and k without a divisor: do its gains find their size?

    make measure ARGS=snippets/growth/measure_gains.py

takes about a quarter of an hour of one core, and needs PyTorch. It writes
gains.csv run by run; stopped and started again, it goes on where it was. To
measure all again, delete the table first.

The design, written down before the runs. Gemma 3n and Gemma 4 normalise q and
k, with learned gains, and multiply q·k by 1. With gains of 1 such logits begin
with a spread of √d. So: QK-norm with no divisor, its gains begun at 1, at
d^(−1/8) (half of the way on a logarithmic scale) and at d^(−1/4), where their
product is 1/√d; and gains that begin at 1 with ten times the learning rate,
since a gain that may have to travel from 1 to a third moves by at most the rate
in a step of Adam. Beside them QK-norm over √d with gains of 1. Model, text and
rates are those of measure_growth.py with Adam; seeds 0 to 2; 1000 steps, d =
32, and three of these for d = 16. Stored are the loss, the largest logit, the
spread, the entropy and the gains' root mean square. If what begins at 1 ends
level with 1/√d, starting frozen costs nothing in the end; if its gains have
hardly moved while the loss stays behind, they do not find their size in such a
run; if the higher rate closes the gap, it is a matter of time. Nothing is
chosen by these runs, and all that are made are shown. Larger heads, Muon and
longer runs are left out, for time.
"""

from pathlib import Path

import measure_growth
import torch
import transformer
from measure_growth import ETA
from measure_steps import begin, heading, looked_at, store

HERE = Path(__file__).parent
SEEDS, STEPS = [0, 1, 2], [0, 10, 30, 100, 300, 1000]
LAST = {32: 1000, 16: 1000}
AT = ["d", "remedy", "exponent", "times", "seed", "step"]
FOUND = ["loss", "largest", "spread", "entropy", "gain"]
# The remedy, the exponent of d that gains begin at, and their rate's factor.
ARMS = [
    ("QK-norm", 0, 1),
    ("undivided norm", 0, 1),
    ("undivided norm", -0.25, 1),
    ("undivided norm", 0, 10),
    ("undivided norm", -0.125, 1),
]


def run(data, probe, d, remedy, exponent, times, seed, steps):
    """Train once; yield the step and what is found there, by name."""
    how = (data, d, seed, remedy, "Adam", ETA, steps)
    gains = {"times": {"gain": times}, "gain": float(d**exponent)}
    trained = transformer.train(*how, device=probe.device, **gains)
    for step, W in enumerate(trained):
        if step not in STEPS:
            continue
        a, p = looked_at(W, probe, remedy)
        with torch.no_grad():
            loss = transformer.loss(W, probe, remedy)[0].item()
        gains = [w.detach() for name, w in W.items() if name.startswith("gain")]
        found = {
            "loss": loss,
            "gain": torch.stack(gains).square().mean() ** 0.5,
        }
        yield step, found | measure_growth.seen(a, p, remedy)


def grid():
    """Yield the runs: (d, remedy, exponent, times, seed)."""
    for d, arms in ((32, ARMS), (16, ARMS[:3])):
        for arm in arms:
            for seed in SEEDS:
                yield d, *arm, seed


def main():
    """Measure what is not stored yet, and store it."""
    torch.set_num_threads(1)
    raw = measure_growth.text()
    data, probe = measure_growth.split(raw)
    probe = probe.to(measure_growth.DEVICE)
    about = measure_growth.provenance(raw) | {
        "seeds": str(SEEDS),
        "rates": f"{ETA[0]} (Adam), and for gains times the column",
        "command": "make measure ARGS=snippets/growth/measure_gains.py",
    }
    path = HERE / "gains.csv"
    head = heading(about, AT + FOUND)
    done = begin(path, head, len(AT) - 1, lambda run: LAST[int(run[0])])
    for each in grid():
        if tuple(map(str, each)) not in done:
            rows = [*run(data, probe, *each, LAST[each[0]])]
            store(path, each, rows, FOUND)


if __name__ == "__main__":
    main()
