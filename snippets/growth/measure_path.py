"""Do large logits do the harm, or the way by which they got large?

    make measure ARGS=snippets/growth/measure_path.py

takes about two and a half hours of one core, and needs PyTorch. It writes
path.csv run by run; stopped and started again, it goes on where it was. Given
seeds, it makes the runs of these alone. To measure all again, delete the table
first.

The design, written down before the runs. measure_own_rate.py found that at four
times the rate, over 300 steps, the loss of an arm goes with how far its *last*
step moved the logits, a little more closely than with their spread, and the
page read this as "less how large logits are than how far a step throws them".
No arm had large logits and short steps, or the reverse, and a referee's runs
had steps as short as the eighth's in the end while the harm stayed. So here the
two are set apart, and the step is summed over the run: the *path*.

Everything is as in measure_own_rate.py (d = 32, all rates at 4η, the same text
and first weights for a seed). Every run has three parts: 300 steps; 80 more at
the same rates; 80 in which all rates fall to 0 in equal parts, so that nothing
is left that a last step has shaken. At step 300 some arms change:

    arm              W_Q and W_K until step 300     from step 300 on
    plain            the rate of all                the same
    eighth 0         an eighth of it                the same
    eighth 100       an eighth from step 100 on     the same
    eighth 300       the rate of all                an eighth
    shrunk           the rate of all                shrunk once, the rate of all
    shrunk eighth    the rate of all                shrunk once, an eighth
    grown eighth     an eighth                      enlarged once, an eighth
    clip 20 … 6      QK-clip at 20, 14, 9 or 6      the same
    QK-norm          the rate of all, with a norm   the same

"Shrunk" multiplies all W_Q and W_K by one number, so that the spread of the
logits is what the eighth's has come to by then, and "enlarged" by one that
makes it what that of `plain` has come to: both are means of the seeds 11 to 13
in own_rate.csv, none of which counts here. The seeds 3 to 6 do.

What is read off is the loss after the last step, less that of `eighth 0`, seed
by seed:

1. Four arms have the same rates in the last 160 steps and cross what was done
   before (`long` at the full rate or `short` at an eighth) with the size of the
   logits from step 300 on: `eighth 300` (long, large), `shrunk eighth` (long,
   small), `grown eighth` (short, large), `eighth 0` (short, small). The effect
   of the way is the mean of long less short over both sizes, that of size the
   mean of large less small over both ways.
   - the way has at least three quarters of the two, and size is within two
     standard errors of 0: "it is the way, not the size".
   - the reverse: "it is the size".
   - else: both, with their shares.
2. `plain` annealed, less `eighth 0` annealed, beside the same at step 300: if
   it is a quarter of it or less, the harm was the shaking of the last steps.
3. `eighth 300` less `plain`: does a lower rate help in a run that is going on?
4. The clips: which part of the harm of `plain` does each leave, by optimizer?
   "A bound alone does not undo it" is refuted for an optimizer where one of the
   four leaves less than two standard errors.
5. Over all arms: the loss on the logarithms of path and spread together, by
   least squares. It only describes: arms are no sample, and path and spread go
   together.

Added before their runs, when a reader who knew none had listed the arm that
each sentence lacks (the others had run for one seed by then):

    cap 9, cap 5.7   a soft cap there, the second at QK-norm's first ceiling
    divided 64       divided by 64√d: an eighth of the rate for W_Q and W_K, and
                     an eighth of their first size, by Adam's steps exactly
    gradients 1      the gradient of all weights is clipped at length 1

6. The caps were set at 20 and the eighth was chosen: does a tighter cap undo
   the harm? As in 4.
7. "Then divide by more? It does not work": if `divided 64` is level with
   `eighth 0` within two standard errors, it does, for these 460 steps.
8. "Clipping gradients changes little": refuted if it leaves less than half.

Added when all of this had run: everything above is at one rate. So the four
arms that cross way and size, `plain` and `clip 9` run at 2η as well, with the
same seeds. The sizes to shrink and to enlarge to are those of `eighth 0` and
`plain` at that rate, for which the seeds 11 to 13 run these two arms first.

9. "Each is enough" is said without a rate if at 2η, too, the way alone and the
   size alone do at least half of the harm of both. If one of them does not, the
   page says at which rate.
"""

import sys
from itertools import product
from pathlib import Path

import measure_growth
import numpy as np
import torch
import transformer
from measure_growth import OPTIMIZERS
from measure_steps import begin, heading, looked_at, store
from stored import of, read

TABLE = Path(__file__).with_name("path.csv")
D, RATES, EIGHTH = 32, (4, 2), 0.125
SEEDS, CHOSE = [3, 4, 5, 6], [11, 12, 13]
CHANGED, SAME, LAST = 300, 380, 460
# By arm: from which step W_Q and W_K have an eighth, and what is done to them.
NEVER = LAST + 1
ARMS = {
    "plain": (NEVER, None),
    "eighth 0": (0, None),
    "eighth 300": (300, None),
    "shrunk eighth": (300, "small"),
    "grown eighth": (0, "large"),
    "clip 9": (NEVER, None),
    "QK-norm": (NEVER, None),
    "clip 20": (NEVER, None),
    "clip 6": (NEVER, None),
    "divided 64": (NEVER, None),
    "cap 5.7": (NEVER, None),
    "gradients 1": (NEVER, None),
    "cap 9": (NEVER, None),
    "clip 14": (NEVER, None),
    "eighth 100": (100, None),
    "shrunk": (NEVER, "small"),
}
# How transformer.py calls what some of them do in every step.
REMEDY = {
    "QK-norm": "QK-norm",
    "cap 9": "low cap",
    "cap 5.7": "lower cap",
    "divided 64": "64√d",
}
AT_TWO = list(ARMS)[:6]  # which run at the lower rate as well
AT = ["arm", "optimizer", "rate", "seed", "step"]
FOUND = ["loss", "largest", "spread", "entropy", "path", "change"]
FOLLOWED = 8  # sequences, in which each step is measured


def sizes(optimizer, rate):
    """Return the spreads to shrink to and to enlarge to."""
    where = {"optimizer": optimizer, "rate": rate, "step": CHANGED}
    if rate == RATES[0]:
        table, column, small, large = "own_rate.csv", "m", EIGHTH, 1
        where |= {"d": D, "remedy": "none", "slowed": "QK"}
        where |= {"warmup": 0, "last": CHANGED}
    else:
        table, column, small, large = TABLE.name, "arm", "eighth 0", "plain"
    rows = of(read(f"growth/{table}"), **where)
    rows = rows[np.isin(rows["seed"], CHOSE)]
    return {
        size: rows["spread"][rows[column] == value].mean()
        for size, value in (("small", small), ("large", large))
    }


def train(data, arm, optimizer, seed, rate, to=None, probe=None):
    """Train; yield the weights before the first step and after each.

    Args:
        data: the text.
        arm: the key in `ARMS`.
        optimizer: "Adam" or "Muon".
        seed: of the first weights and of what is drawn from the text.
        rate: a multiple of both optimizers' rates.
        to: the spreads that `sizes` gives.
        probe: sequences in which the spread is measured before it is changed.
    """
    slow_from, size = ARMS[arm]
    remedy = REMEDY.get(arm, "none")
    ceiling = int(arm.split()[1]) if arm.startswith("clip") else None
    W = transformer.init(D, seed, remedy)
    eta = [rate * each for each in measure_growth.ETA]
    each = transformer.optimizers(W, optimizer, eta)
    groups = [group for one in each for group in one.param_groups]
    rng = torch.Generator().manual_seed(1000 + seed)
    yield W
    for step in range(LAST):
        if step == CHANGED and size:
            resize(W, to[size], probe)
        drawn = transformer.batch(data, 8, rng)
        lost, inside = transformer.loss(W, drawn, remedy)
        for one in each:
            one.zero_grad()
        lost.backward()
        if arm == "gradients 1":
            torch.nn.utils.clip_grad_norm_(W.values(), 1)
        for group in groups:
            slow = group["name"][0] in "QK" and step >= slow_from
            # In the last part it falls in equal steps; the last one is not 0.
            part = min(1, (LAST - step) / (LAST - SAME))
            group["lr"] = group["first"] * part * (EIGHTH if slow else 1)
        for one in each:
            one.step()
        if ceiling:
            transformer.clip(W, inside, ceiling)
        yield W


@torch.no_grad()
def resize(W, spread, probe):
    """Multiply all W_Q and W_K by one number that gives logits this spread."""
    a, p = looked_at(W, probe, "none")
    times = spread / measure_growth.seen(a, p, "none")["spread"]
    for name, w in W.items():
        if name[0] in "QK":
            w.mul_(times**0.5)


def run(data, probe, arm, optimizer, rate, seed):
    """Train once; yield the step and what is found there, by name.

    `path` is the sum over all steps so far of `change`: the root mean square,
    over all heads and pairs, of what a step changed in a logit as softmax sees
    it, less the mean of its row. A change of size at step 300 is no step, but
    counts with the next.
    """
    remedy = REMEDY.get(arm, "none")
    to = sizes(optimizer, rate) if ARMS[arm][1] else None
    trained = train(data, arm, optimizer, seed, rate, to, probe)
    path, before = 0, None
    for step, W in enumerate(trained):
        a, _ = looked_at(W, probe[:FOLLOWED], remedy)
        now = measure_growth.centred(transformer.capped(a, remedy))
        if step:
            change = measure_growth.rms(now - before).square().mean().sqrt()
            path += change.item()
        before = now
        if step in (100, CHANGED, SAME, LAST):
            a, p = looked_at(W, probe, remedy)
            with torch.no_grad():
                loss = transformer.loss(W, probe, remedy)[0].item()
            found = {"loss": loss, "path": path, "change": change.item()}
            yield step, found | measure_growth.seen(a, p, remedy)


def grid(seeds):
    """Yield the runs: (arm, optimizer, rate, seed)."""
    for arm, optimizer, seed in product(ARMS, OPTIMIZERS, seeds):
        if seed in SEEDS:
            yield arm, optimizer, RATES[0], seed
    choosing = [seed for seed in seeds if seed in CHOSE]
    for arm, optimizer, seed in product(AT_TWO[:2], OPTIMIZERS, choosing):
        yield arm, optimizer, RATES[1], seed
    for arm, optimizer, seed in product(AT_TWO, OPTIMIZERS, seeds):
        if seed in SEEDS:
            yield arm, optimizer, RATES[1], seed


def main(seeds):
    """Measure what is not stored yet, and store it."""
    torch.set_num_threads(1)
    raw = measure_growth.text()
    data, probe = measure_growth.split(raw)
    about = measure_growth.provenance(raw) | {
        "seeds": f"{CHOSE} choose the sizes at 2η, {SEEDS} score",
        "command": f"make measure ARGS=snippets/growth/{Path(__file__).name}",
    }
    done = begin(TABLE, heading(about, AT + FOUND), len(AT) - 1, lambda _: LAST)
    for each in grid(seeds or CHOSE + SEEDS):
        if tuple(map(str, each)) not in done:
            store(TABLE, each, [*run(data, probe, *each)], FOUND)


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]])
