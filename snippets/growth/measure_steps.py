"""A quarter of the learning rate for W_Q and W_K, over 1000 steps.

    make measure ARGS=snippets/growth/measure_steps.py

takes about ten minutes of one core, and needs PyTorch. It writes steps.csv run
by run; stopped and started again, it goes on where it was. To measure all
again, delete the table first.

The design, written down before the runs. A norm on q and k does two things: it
bounds the logits, and as W_Q and W_K grow, a step of the same size turns them
less, so logits move less in a step. Here is the second without the first: 1/√d,
and W_Q and W_K at `qk` = 1/4 times the rate of all other weights. Model, text
and rate are those of measure_growth.py, with d = 32, and so are the seeds, 0 to
2: runs are compared with its runs of 1/√d alone, QK-norm, the cap and the clip
at 20 and half the rate, seed by seed, as a seed's text and first weights are
the same. The quarter was chosen before, in a pilot with seeds 11 to 13 that
tried a quarter and an eighth and is not kept: nothing is chosen here. At four
times the rate, where there is more to gain, the same question has a script of
its own, measure_own_rate.py, with the controls.
"""

from pathlib import Path

import measure_growth
import torch
import transformer
from measure_growth import ETA, LOOKED_AT, OPTIMIZERS, SEEDS

HERE = Path(__file__).parent
STEPS = [10, 100, 300, 1000]
AT = ["remedy", "optimizer", "rate", "qk", "seed", "step"]
FOUND = ["loss", "largest", "spread", "entropy", "change"]
D = 32


def looked_at(W, probe, remedy):
    """Return q·k over the divisor and the attention, over all heads."""
    with torch.no_grad():
        inside = transformer.loss(W, probe[:LOOKED_AT], remedy)[1]
    parts = [(a, p) for _, _, a, p in inside]
    return (
        torch.cat([x.transpose(0, 1) for x in part]).double()
        for part in zip(*parts, strict=True)
    )


def run(data, probe, d, remedy, optimizer, rate, seed, steps, **changes):
    """Train once; yield the step and what is found there, by name.

    `changes` go to `transformer.train`. `change` is the rms over all heads and
    pairs of what the last step changed in what softmax sees, less the mean of a
    row.
    """
    eta = [rate * each for each in ETA]
    how = (data, d, seed, remedy, optimizer, eta, steps)
    trained = transformer.train(*how, device=probe.device, **changes)
    before = None
    for step, W in enumerate(trained):
        if step + 1 in STEPS:
            before, _ = looked_at(W, probe, remedy)
        if step not in STEPS:
            continue
        a, p = looked_at(W, probe, remedy)
        with torch.no_grad():
            loss = transformer.loss(W, probe, remedy)[0].item()
        now, was = (transformer.capped(x, remedy) for x in (a, before))
        moved = measure_growth.rms(measure_growth.centred(now - was))
        found = {"loss": loss, "change": moved.square().mean().sqrt().item()}
        yield step, found | measure_growth.seen(a, p, remedy)


def grid():
    """Yield the runs: (remedy, optimizer, rate, qk, seed)."""
    for seed in SEEDS:
        for optimizer in OPTIMIZERS:
            yield "none", optimizer, 1, 0.25, seed


def begin(path, head, width, last):
    """Write the head of a table, and keep the rows of finished runs.

    A run is the first `width` words of a row, and it is finished where the row
    of its last step is stored, which `last` gives for a run.
    """
    lines = []
    if path.exists():
        lines = path.read_text("utf-8").splitlines(keepends=True)
    rows = [line for line in lines if line[0] not in "#" and line not in head]
    runs = [tuple(line.split(",")[:width]) for line in rows]
    steps = [line.split(",")[width] for line in rows]
    done = {
        run
        for run, step in zip(runs, steps, strict=True)
        if step == str(last(run))
    }
    kept = [line for line, run in zip(rows, runs, strict=True) if run in done]
    path.write_text("".join(head + kept), "utf-8")
    return done


def heading(about, columns):
    """Return the lines above a table: where it comes from, and its columns."""
    lines = [f"# {key}: {value}\n" for key, value in about.items()]
    return [*lines, ",".join(columns) + "\n"]


def store(path, run, rows, columns):
    """Add a run to a table, and say how it ended."""
    with path.open("a", encoding="utf-8") as file:
        for step, found in rows:
            words = [f"{found[what]:.4g}" for what in columns]
            file.write(",".join([*map(str, run), str(step), *words]) + "\n")
    print(*run, *words, flush=True)


def main():
    """Measure what is not stored yet, and store it."""
    torch.set_num_threads(1)
    raw = measure_growth.text()
    data, probe = measure_growth.split(raw)
    probe = probe.to(measure_growth.DEVICE)
    about = measure_growth.provenance(raw) | {
        "command": "make measure ARGS=snippets/growth/measure_steps.py",
    }
    path = HERE / "steps.csv"
    head = heading(about, AT + FOUND)
    done = begin(path, head, len(AT) - 1, lambda _: STEPS[-1])
    for each in grid():
        if tuple(map(str, each)) in done:
            continue
        remedy, optimizer, rate, qk, seed = each
        how = (data, probe, D, remedy, optimizer, rate, seed, STEPS[-1])
        rows = [*run(*how, times={"Q": qk, "K": qk})]
        store(path, each, rows, FOUND)


if __name__ == "__main__":
    main()
