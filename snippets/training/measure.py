"""Train small transformers of five widths, and store how q·k moved in them.

    make measure ARGS=snippets/training/measure.py

takes about 1 h 20 min of one core, and needs PyTorch. Where PyTorch has a GPU
(that of `make torch` has none) it trains there, and the widest models for all
steps too. It writes runs.csv (every run) and moved.csv (how the change of q·k
comes about, at one learning rate), line by line.
"""

import hashlib
import platform
import sysconfig
from itertools import product
from pathlib import Path

import torch
import transformer
from transformer import HEADS, LAYERS

HERE = Path(__file__).parent
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
DIMS, SEEDS = [16, 32, 64, 128, 256], [0, 1, 2]
STEPS = [0, 1, 10, 50, 200, 1000]
# The first is the one of moved.csv.
RATES = [0.2, 0.4, 0.8, 1.6, 0.1]
SCALES = {"1/√d": lambda d: d**0.5, "8/d": lambda d: d / 8}
PARTS = ["size", "lengths", "alignment", "shared", "pairing"]


def text():
    """Return the bytes of the modules of Python's standard library."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return b"".join(file.read_bytes() for file in files)


def split(data):
    """Return what is trained on, and 64 sequences of the rest."""
    data = torch.frombuffer(bytearray(data), dtype=torch.uint8)
    cut = len(data) * 9 // 10
    rng = torch.Generator().manual_seed(0)
    return data[:cut], transformer.batch(data[cut:], 64, rng)


def inside(W, probe, s):
    """Return q, k (heads × sequences × LENGTH × d) and p of all heads."""
    with torch.no_grad():
        _, layers = transformer.forward(W, probe[:, :-1], s)
    return [
        torch.cat([a.transpose(0, 1) for a in part]).double()
        for part in zip(*layers, strict=True)
    ]


def pairs(p):
    """Return weights of pairs, with sum 1 for each query: by kind of pair."""
    heads = p.unflatten(0, (LAYERS, HEADS))
    others = (heads.sum(1, keepdim=True) - heads) / (HEADS - 1)
    causal = torch.ones_like(p).tril()
    return {
        "attended": p,
        "by another head": others.flatten(0, 1),
        "all": causal / causal.sum(-1, keepdim=True),
    }


def factors(before, after, weight):
    r"""Return the size (rms) of the change of q·k over pairs, and its factors.

    The change is u·v, with u = (Δq, q before) and v = (k after, Δk). If Δq and
    Δk had their lengths and random directions, its size would be `lengths`.
    With the covariance matrices of u and v it is √tr(Σ_u Σ_v), which gives
    `alignment`; with their means too, `shared`; over the pairs as they are,
    `pairing`. The size is the product of the four. All have one per head.
    """
    (q, k), (Q, K) = before, after
    d = q.shape[-1]
    w = weight / weight.sum((1, 2, 3), keepdim=True)
    of_query, of_key = w.sum(3).flatten(1), w.sum(2).flatten(1)

    def moments(x, at):
        x = x.flatten(1, 2)
        mean = torch.einsum("ht,htd->hd", at, x)
        square = torch.einsum("ht,htd,hte->hde", at, x, x)
        return square, square - mean[:, :, None] * mean[:, None, :]

    M_u, S_u = moments(torch.cat([Q - q, q], -1), of_query)
    M_v, S_v = moments(torch.cat([K, K - k], -1), of_key)
    a, b = (
        S.diagonal(dim1=1, dim2=2).unflatten(1, (2, d)).sum(2)
        for S in (S_u, S_v)
    )
    lengths = (a * b).sum(1) / d
    centred, apart = (S_u * S_v).sum((1, 2)), (M_u * M_v).sum((1, 2))
    size = (w * (Q @ K.mT - q @ k.mT) ** 2).sum((1, 2, 3))
    return {
        "size": size.sqrt(),
        "lengths": lengths.sqrt(),
        "alignment": (centred / lengths).sqrt(),
        "shared": (apart / centred).sqrt(),
        "pairing": (size / apart).sqrt(),
    }


def spread(q, k, p, s):
    """Return the rms of what softmax sees: logits less the mean of a row."""
    seen = (p > 0).double()
    a = q @ k.mT / s
    a = (
        a - (a * seen).sum(-1, keepdim=True) / seen.sum(-1, keepdim=True)
    ) * seen
    return (a.square().sum() / seen.expand_as(a).sum()).sqrt().item()


def run(data, probe, d, scale, zero, rate, seed, steps):
    """Train once; yield the step, the loss, the spread and the factors.

    It trains where the probe lies, on the processor or on a GPU.
    """
    s = SCALES[scale](d) if scale in SCALES else 1e9
    weights = transformer.train(
        data, d, seed, s, rate, steps, zero, device=probe.device
    )
    for step, W in enumerate(weights):
        if step not in STEPS:
            continue
        with torch.no_grad():
            loss = transformer.loss(W, probe, s).item()
        *qk, p = inside(W, probe, s)
        if step == 0:
            before = qk
        # The geometric mean over the heads, as exponents will be of it.
        moved = {
            kind: {
                name: x.log().mean().exp().item()
                for name, x in factors(before, qk, weight).items()
            }
            for kind, weight in pairs(p).items()
            if step
        }
        yield step, loss, spread(*qk, p, s), moved


def grid():
    """Yield the runs: (rate, seed, d, scale, W_Q = 0).

    First comes what moved.csv is made of, then attention that weighs all keys
    alike, to see what attention is worth.
    """
    settings = [*product(SCALES, (False, True))]
    for seed, d in product(SEEDS, DIMS):
        yield from ((RATES[0], seed, d, *how) for how in settings)
    yield from ((0.4, seed, d, "0", False) for seed in SEEDS for d in DIMS[:3])
    for rate, d, seed in product(RATES[1:], DIMS, SEEDS):
        yield from ((rate, seed, d, *how) for how in settings)


def last(d, rate):
    """Return how many steps a run has: the widest are slow without a GPU."""
    slow = d == DIMS[-1] and DEVICE.type == "cpu"
    return 50 if rate != RATES[0] or slow else STEPS[-1]


def names(d, scale):
    """Return the scales that a run stands for: 8/64 is 1/√64."""
    if d == 64 and scale in SCALES:
        return [*SCALES] if scale == "8/d" else []
    return [scale]


def provenance(data):
    """Return what the numbers come from, by name."""
    python, kind = platform.python_version(), "a processor"
    if DEVICE.type == "cuda":
        kind = torch.cuda.get_device_name()
    return {
        "text": f"the modules of Python {python}'s standard library",
        "digest": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "package": f"torch {torch.__version__}",
        "seeds": str(SEEDS),
        "rate": f"{RATES[0]} in moved.csv",
        "command": "make measure ARGS=snippets/training/measure.py",
        "machine": f"{platform.system()} {platform.machine()}, {kind}",
    }


def write(file, row):
    """Append a line, in four digits."""
    words = (f"{x:.4g}" if isinstance(x, float) else str(x) for x in row)
    file.write(",".join(words) + "\n")
    file.flush()


def main():
    """Measure and write all."""
    torch.set_num_threads(1)
    raw = text()
    data, probe = split(raw)
    probe = probe.to(DEVICE)
    about = [f"# {key}: {value}\n" for key, value in provenance(raw).items()]
    with (
        (HERE / "runs.csv").open("w", encoding="utf-8") as runs,
        (HERE / "moved.csv").open("w", encoding="utf-8") as table,
    ):
        for file in (runs, table):
            file.writelines(about)
        at = ["d", "scale", "zero_query", "rate", "seed", "step"]
        write(runs, [*at, "loss", "spread", "moved"])
        write(table, [*at, "pairs", *PARTS])
        for rate, seed, d, scale, zero in grid():
            if not names(d, scale):
                continue
            steps = last(d, rate)
            rows = run(data, probe, d, scale, zero, rate, seed, steps)
            for step, loss, width, moved in rows:
                for name in names(d, scale):
                    row = [d, name, int(zero), rate, seed, step]
                    size = moved["attended"]["size"] if moved else 0.0
                    write(runs, [*row, loss, width, size])
                    if rate == RATES[0]:
                        for kind, parts in moved.items():
                            write(table, [*row, kind, *parts.values()])
            print(*row, f"{loss:.3f}", flush=True)


if __name__ == "__main__":
    main()
