"""What moves q·k in the first step: W_Q and W_K, or the tokens?

    make measure ARGS=snippets/growth/measure_first.py

takes a minute or two of one core, and needs PyTorch. It writes first.csv.

The design, written down before the runs. The whole first step is taken, and
then all weights but some are put back: only W_Q and W_K have moved, or only
bytes and places, or all of them. How far q·k has moved on text held out, less
the mean of a row, is stored for d from 8 to 128, Adam and Muon, and three seeds
(as `moved` in factors.csv, which has the whole step). Adam's first step moves a
coordinate of q by about its rate, which is ten times Muon's; so Muon at ten
times its rate is measured too. A slope near 1/2 says that what moved is like
noise added to q·k; one near 1, that q moves along k. A slope of the whole says
nothing of W_Q and W_K if the tokens move further.
"""

from pathlib import Path

import measure_growth
import torch
import transformer
from measure_growth import ETA, LOOKED_AT
from measure_steps import heading

HERE = Path(__file__).parent
SEEDS, DIMS = [0, 1, 2], [8, 16, 32, 64, 128]
AT = ["optimizer", "times", "part", "d", "seed"]
PARTS = {
    "all": ("",),
    "W_Q and W_K": ("Q", "K"),
    "bytes and places": ("byte", "place"),
}


def scores(W, probe):
    """Return q·k and the attention, over all heads."""
    with torch.no_grad():
        inside = transformer.loss(W, probe[:LOOKED_AT])[1]
    q, k, _, p = (
        torch.cat([x.transpose(0, 1) for x in part]).double()
        for part in zip(*inside, strict=True)
    )
    return q @ k.mT, p


def run(data, probe, optimizer, times, d, seed):
    """Return how far q·k moves in the first step, by the part that moves."""
    eta = [times * each for each in ETA]
    how = (data, d, seed, "none", optimizer, eta, 1)
    trained = transformer.train(*how, device=probe.device)
    start = {name: w.detach().clone() for name, w in next(trained).items()}
    before, p = scores(start, probe)
    end, found = next(trained), {}
    for part, names in PARTS.items():
        W = {
            name: end[name].detach() if name.startswith(names) else w
            for name, w in start.items()
        }
        now = scores(W, probe)[0]
        found[part] = measure_growth.moved(before, now, p)["moved"]
    return found


def main():
    """Measure, and store."""
    torch.set_num_threads(1)
    raw = measure_growth.text()
    data, probe = measure_growth.split(raw)
    probe = probe.to(measure_growth.DEVICE)
    about = measure_growth.provenance(raw) | {
        "seeds": str(SEEDS),
        "command": "make measure ARGS=snippets/growth/measure_first.py",
    }
    lines = heading(about, [*AT, "moved"])
    for optimizer, times in (("Adam", 1), ("Muon", 1), ("Muon", 10)):
        for d in DIMS:
            for seed in SEEDS:
                found = run(data, probe, optimizer, times, d, seed)
                for part, moved in found.items():
                    at = f"{optimizer},{times},{part},{d},{seed}"
                    lines.append(f"{at},{moved:.4g}\n")
    (HERE / "first.csv").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
