"""Train a small decoder in right and in wrong code, and run each in the others.

    make measure ARGS=snippets/mistakes/measure_mistakes.py

takes about an hour and a half of one core, and needs PyTorch. It writes, a run
at a time, runs.csv, matrix.csv, factors.csv and healing.csv, and then
first_step.csv. A run that is there already is kept, so it can be stopped;
delete the tables to measure all again.

The design, written before the first run
----------------------------------------
A wrong constant is met in two ways: a model is trained with it, or its weights
are loaded into code that has it. In both the code is the same, and the
question is whether the cost is.

What is varied: the code that trains (`CODES` in decoder.py) and the code that
the weights are run in, all pairs. What is kept: seed by seed the weights at the
start, the batches and the learning rate, which was chosen in the chapter on
growth for right code, with other seeds (0 to 2). So "trained with it" is what
happens to someone who does not notice; with a rate of its own a wrong code
might do better. Three seeds, in this order;
every comparison is between codes of the same seed, and its error is that of the
mean of the differences. The codes in `LONG` train for 1600 steps, the others
for 400.

Changed after the first run, of right code with seed 10, had been looked at: its
logits had come to a spread of 13 after 1600 steps, where 1.6 of 48 keys take
part, so larger ones cost little. So right code trains at a quarter of the
learning rate, too ("right slowly"), to see what depends on that. And to gain
the time, √d times and the scale after softmax train for 400 steps only, and
right weights train on for 100; what answers most comes first (`ORDER`).

Added later, before the runs were made: a quarter of the rate for the wrong
codes in `LONG`, too. The page had read off the first rate alone that training
forgives a scale that is too small, and not one that is too large; growth finds
that rate too high for W_Q and W_K, and a referee's runs at a quarter of it
(seeds 10 and 11) had the reverse for "twice". At each rate a code is compared
with right code at the same rate. The lead says what has one sign at both rates
and after both numbers of steps, by more than two standard errors; of the rest
it says that it depends on the rate. The same for weights that are run in right
code, without being mended: do they do worse than in their own?

What is read off, at 400 and at 1600 steps:

1. Loss in its own code, less that of right code: what training with it costs.
2. Loss of right weights in wrong code, less in right code: what loading costs.
   Expected: it grows from 400 to 1600 steps.
3. Loss of wrongly trained weights in right code, before and after W_Q is
   multiplied by old over new. Expected: equal to the fourth decimal after it.
4. Loss of right weights with all logits multiplied by a factor from 1/4 to 4.
   Expected: least at 1; which side is steeper is not foreseen.
5. Loss at the last place of a text, where nothing later can be seen ("honest"),
   and of the same places within a longer text ("shown"). Expected: equal but
   for softmax over queries and the mask of 1e−9, which see later bytes.
6. Right weights trained on in wrong code, with a fresh optimizer: how long it
   takes until the loss is back.
7. How far Adam's first step, of W_Q and W_K of the first layer alone, moves the
   logits, if the root is in the formula, missing, or in the weights. Expected:
   in W_Q (√d + 1)/2 times as far as in the formula if what comes from W_Q and
   from W_K agrees in sign, √((d + 1)/2) times if the two have nothing to do
   with each other; in both d^¼ times. Tried once, with seed 99, before this was
   written: 3.43 and 2.21 times, where these are 3.33, 4.06 and 2.38.
"""

import hashlib
import platform
import sysconfig
from itertools import product
from pathlib import Path

import decoder
import torch
from decoder import CODES, HEADS, LENGTH, D

HERE = Path(__file__).parent
SEEDS, STEPS, JUDGED = (
    [10, 11, 12],
    [0, 25, 100, 400, 1600],
    [400, 1600],
)
SLOWLY, SLOWER = " slowly", 0.25
OFTEN = ["right", "twice", "missing", "width", "heads"]
LONG = [*OFTEN, *(code + SLOWLY for code in OFTEN)]
# What answers most is measured first, for all seeds.
ORDER = ["right", "twice", "missing", "width"], ["queries", "1e−9"]
ORDER += (["right slowly"], ["heads", "times", "after softmax"])
ORDER += (["fourth root", "log2e", "64"],)
ORDER += ([code + SLOWLY for code in OFTEN[1:]],)
FACTORS = [2 ** (power / 4) for power in range(-8, 9)]
PLACES = [16, 32, 48, 64]  # last places at which the loss is honest
HEALED, LATER_STEPS = ["right", "width", "missing", "twice"], [0, 25, 100]
HELD_OUT, AT_ONCE = 256, 64  # sequences
TABLES = {
    "runs.csv": [
        *["trained", "seed", "step"],
        *["loss", "shown", "honest", "spread", "keys"],
    ],
    "matrix.csv": ["trained", "seed", "step", "run", "loss"],
    "factors.csv": ["trained", "seed", "step", "factor", "loss"],
    "healing.csv": ["code", "seed", "step", "loss"],
    "first_step.csv": ["start", "seed", "size", "moved"],
}


def text():
    """Return the bytes of the modules of Python's standard library."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return b"".join(file.read_bytes() for file in files)


def split(data):
    """Return what is trained on, and HELD_OUT sequences of the rest."""
    data = torch.frombuffer(bytearray(data), dtype=torch.uint8)
    cut = len(data) * 9 // 10
    rng = torch.Generator().manual_seed(0)
    return data[:cut], decoder.batch(data[cut:], HELD_OUT, rng)


@torch.no_grad()
def losses(W, probe, code, factor=1.0):
    """Return the mean loss at each place."""
    parts = [
        decoder.losses(W, part, code, factor) for part in probe.split(AT_ONCE)
    ]
    return torch.cat(parts).mean(0)


def loss(W, probe, code, factor=1.0):
    """Return the mean loss over all places."""
    return losses(W, probe, code, factor).mean().item()


def honest(W, probe, code):
    """Return the loss: all places; some, within the text and as its last."""
    whole = losses(W, probe, code)
    shown = [whole[place - 1].item() for place in PLACES]
    last = [
        losses(W, probe[:, : place + 1], code)[-1].item() for place in PLACES
    ]
    return {
        "loss": whole.mean().item(),
        "shown": sum(shown) / len(PLACES),
        "honest": sum(last) / len(PLACES),
    }


@torch.no_grad()
def seen(W, probe, code):
    """Return the spread of a row's logits, and the keys that take part.

    Of all heads, and of the rows of the second half of the places, as if no
    later key took part: the root of the mean variance of a row, and of the
    share of the keys that take part, n Σ p², the mean inverted, times 48.
    """
    variance, concentration = [], []
    for *_, a in decoder.forward(W, probe[:32, :-1], code)[1]:
        for place in range(LENGTH // 2, LENGTH):
            row = a[:, :, place, : place + 1]
            variance.append(row.var(-1).mean())
            p = row.softmax(-1)
            concentration.append((p.square().sum(-1) * (place + 1)).mean())
    share = 1 / torch.stack(concentration).mean().item()
    return {
        "spread": torch.stack(variance).mean().sqrt().item(),
        "keys": share * 48,
    }


def steps(trained):
    """Return for how many steps a code is trained."""
    return JUDGED[trained in LONG]


def run(data, probe, trained, seed, last=None):
    """Train once; yield tables' names and rows, as they are stored."""
    own = trained.removesuffix(SLOWLY)
    rate = 1 if own == trained else SLOWER
    W = decoder.init(seed)
    how = (data, own, seed, last or steps(trained), rate)
    for step, _ in enumerate(decoder.train(W, *how)):
        if step not in STEPS:
            continue
        found = honest(W, probe, own) | seen(W, probe, own)
        yield "runs.csv", (trained, seed, step, *found.values())
        if step not in JUDGED:
            continue
        for code in CODES:
            found = loss(W, probe, code)
            yield "matrix.csv", (trained, seed, step, code, found)
        if own not in ("queries", "1e−9"):
            found = loss(decoder.mended(W, own), probe, "right")
            yield "matrix.csv", (trained, seed, step, "mended", found)
        if own == "right":
            for factor in FACTORS:
                found = loss(W, probe, "right", factor)
                yield "factors.csv", (trained, seed, step, factor, found)
    if trained == "right" and not last:
        yield from healing(data, probe, W, seed)


def healing(data, probe, trained, seed):
    """Yield the loss of right weights that train on in each of some codes."""
    for code in HEALED:
        W = {n: w.detach().clone() for n, w in trained.items()}
        W = {n: w.requires_grad_() for n, w in W.items()}
        how = (data, code, 100 + seed, LATER_STEPS[-1])
        for step, _ in enumerate(decoder.train(W, *how)):
            if step in LATER_STEPS:
                found = loss(W, probe, code)
                yield "healing.csv", (code, seed, step, found)


def first_step(data, probe, seed):
    """Yield how far Adam's first step moves the first layer's logits.

    Of W_Q and W_K of that layer alone, at the learning rate that trains and at
    a thousandth of it: the root mean square over all pairs of a query and a key
    that it sees.
    """
    starts = {
        "right": ("right", 1, 1),
        "missing": ("missing", 1, 1),
        "in W_Q": ("missing", D**-0.5, 1),
        "in both": ("missing", D**-0.25, D**-0.25),
    }
    rng = torch.Generator().manual_seed(1000 + seed)
    drawn = decoder.batch(data, 64, rng)
    causal = ~decoder.LATER
    for name, (code, q, k) in starts.items():
        for size in (1, 0.001):
            W = decoder.init(seed)
            with torch.no_grad():
                W["Q0"] *= q
                W["K0"] *= k
            before = decoder.forward(W, probe[:32, :-1], code)[1][0][2]
            optimizer = decoder.adam({n: W[n] for n in ("Q0", "K0")})
            for group in optimizer.param_groups:
                group["lr"] *= size
            decoder.losses(W, drawn, code).mean().backward()
            optimizer.step()
            after = decoder.forward(W, probe[:32, :-1], code)[1][0][2]
            moved = (after - before)[..., causal].square().mean().sqrt()
            yield "first_step.csv", (name, seed, size, moved.item())


def provenance(raw):
    """Return what the numbers come from, by name."""
    return {
        "text": f"the modules of Python {platform.python_version()}'s "
        "standard library",
        "digest": hashlib.sha256(raw).hexdigest(),
        "package": f"torch {torch.__version__.split('+')[0]}",
        "heads": f"{HEADS} of {D}, two layers, {LENGTH} places",
        "held out": f"{HELD_OUT} sequences",
        "seeds": "as the column says",
        "command": "make measure ARGS=snippets/mistakes/measure_mistakes.py",
        "machine": f"{platform.system()} {platform.machine()}, a processor",
    }


def line(row):
    """Return a line of a table, with six digits."""
    words = (f"{x:.6g}" if isinstance(x, float) else str(x) for x in row)
    return ",".join(words) + "\n"


def begin(name, about):
    """Write the head of a table that is not there."""
    path = HERE / name
    if not path.exists():
        head = [f"# {key}: {value}\n" for key, value in about.items()]
        path.write_text("".join(head) + line(TABLES[name]), "utf-8")


def store(rows):
    """Append rows to their tables; runs.csv last: it says what is done."""
    for name in reversed(TABLES):
        with (HERE / name).open("a", encoding="utf-8") as file:
            file.writelines(line(row) for table, row in rows if table == name)


def main():
    """Measure what is not stored yet, and store it."""
    torch.set_num_threads(1)
    raw = text()
    data, probe = split(raw)
    for name in TABLES:
        begin(name, provenance(raw))
    lines = (HERE / "runs.csv").read_text("utf-8").splitlines()
    done = {tuple(row.split(",")[:3]) for row in lines}
    runs = [run for codes in ORDER for run in product(SEEDS, codes)]
    for seed, trained in runs:
        if (trained, str(seed), str(steps(trained))) not in done:
            rows = [*run(data, probe, trained, seed)]
            if trained == "right":
                rows += first_step(data, probe, seed)
            store(rows)
            print(trained, seed, flush=True)


if __name__ == "__main__":
    main()
