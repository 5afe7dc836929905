"""Train small decoders with each remedy against growing logits, and store them.

    make measure ARGS=snippets/growth/measure_growth.py

takes about an hour and a half of one core, and needs PyTorch; where PyTorch
has a GPU it trains there. It writes growth.csv (every run) and factors.csv
(what grows, with no remedy or 1/d), run by run. Stopped and started again, it
goes on where it was; to measure all again, delete both tables first.
"""

import hashlib
import platform
import sysconfig
from itertools import product
from pathlib import Path

import torch
import transformer
from transformer import LENGTH, REMEDIES

HERE = Path(__file__).parent
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
OPTIMIZERS = ["Adam", "Muon"]
SEEDS, STEPS = [0, 1, 2], [0, 1, 10, 30, 100, 300, 1000]
# Adam's and Muon's: of rates that were each about twice the last, those with
# the lowest loss after 200 steps, with no remedy at d = 32.
ETA = 0.2, 0.02
AT = ["d", "remedy", "optimizer", "rate", "seed", "step"]
TABLES = {
    "growth.csv": ["loss", "largest", "uncapped", "spread", "entropy", "bound"],
    "factors.csv": [
        *["lengths", "alignment", "head", "long", "direct"],
        *["frobenius", "spectral_q", "spectral_k", "product"],
        *["moved", "attended"],
    ],
}
HELD_OUT, LOOKED_AT = 256, 32  # sequences
CAUSAL = torch.ones(LENGTH, LENGTH, dtype=torch.bool, device=DEVICE).tril()


def text():
    """Return the bytes of the modules of Python's standard library."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return b"".join(file.read_bytes() for file in files)


def split(data):
    """Return what is trained on, and HELD_OUT sequences of the rest."""
    data = torch.frombuffer(bytearray(data), dtype=torch.uint8)
    cut = len(data) * 9 // 10
    rng = torch.Generator().manual_seed(0)
    return data[:cut], transformer.batch(data[cut:], HELD_OUT, rng)


def centred(a):
    """Return scores less the mean of their row, and 0 where no key is seen."""
    mean = (a * CAUSAL).sum(-1, keepdim=True) / CAUSAL.sum(-1, keepdim=True)
    return (a - mean) * CAUSAL


def rms(x):
    """Return the root mean square over the pairs of each head (the first)."""
    return (x.square().sum((1, 2, 3)) / (len(x[0]) * CAUSAL.sum())).sqrt()


def seen(a, p, remedy):
    """Return what softmax sees in all heads: largest, spread, entropy.

    The spread is the rms of the logits less the mean of their row; the entropy
    is that of attention over ln n, n being the number of keys that a query
    sees, as a mean over all queries but those of one key.
    """
    uncapped = a[..., CAUSAL].max().item()
    a = transformer.capped(a, remedy)
    nats = -torch.special.xlogy(p, p).sum(-1)[..., 1:]
    n = torch.arange(2, LENGTH + 1, device=p.device)
    return {
        "largest": a[..., CAUSAL].max().item(),
        "uncapped": uncapped,
        "spread": rms(centred(a)).square().mean().sqrt().item(),
        "entropy": (nats / n.log()).mean().item(),
    }


def heads(W, kind, d):
    """Return W_Q or W_K of all heads, (heads × d × D)."""
    each = [w.detach() for name, w in W.items() if name[0] == kind]
    return torch.cat([w.unflatten(0, (-1, d)) for w in each]).double()


def products(W, d):
    """Return the spectral norm of W_Qᵀ W_K for each head.

    It has the singular values of R_Q R_Kᵀ, which is only d × d.
    """
    R_Q, R_K = (torch.linalg.qr(heads(W, kind, d).mT).R for kind in "QK")
    return torch.linalg.matrix_norm(R_Q @ R_K.mT, 2)


def bound(W, d, remedy):
    """Return what no logit can exceed, whatever the text.

    With a norm it is √d times the largest product of two gains, by Cauchy and
    Schwarz; else a head's |W_Qᵀ W_K| times the inputs' squared length, which is
    D after LayerNorm, over the divisor.
    """
    if remedy == "soft cap":
        return transformer.CAP
    if remedy == "QK-norm":
        gains = [
            torch.stack([w for name, w in W.items() if f"gain {kind}" in name])
            for kind in "QK"
        ]
        return d**0.5 * (gains[0] * gains[1]).abs().max().item()
    most = products(W, d).max().item()
    return most * transformer.HEADS * d / transformer.divisor(remedy, d)


def factors(q, k, a, W, s):
    """Return what the logit that exceeds the mean of its row most is made of.

    It is the product of five: `lengths` is the spread of logits whose q and k
    had their lengths and random directions; `alignment` makes it the spread as
    it is; `head` makes it that of this logit's head; `long` is how much longer
    than usual there this q and k are; `direct` is the rest, their direction.
    `frobenius` is what `lengths` would be if the inputs had random directions;
    the spectral norms of W_Q, W_K and W_Qᵀ W_K are means over heads.
    """
    d, c = q.shape[-1], centred(a)
    each, squares = rms(c), [x.square().sum(-1) for x in (q, k)]
    spread = each.square().mean().sqrt()
    usual = [square.mean((1, 2)) for square in squares]
    lengths = (usual[0] * usual[1]).mean().sqrt() / (s * d**0.5)
    h, i, row, column = (
        int(x) for x in torch.unravel_index(c.argmax(), c.shape)
    )
    long = (squares[0][h, i, row] * squares[1][h, i, column]).sqrt()
    long = long / (usual[0][h] * usual[1][h]).sqrt()
    W_Q, W_K = (heads(W, kind, d) for kind in "QK")
    sizes = W_Q.square().sum((1, 2)) * W_K.square().sum((1, 2))
    found = {
        "lengths": lengths,
        "alignment": spread / lengths,
        "head": each[h] / spread,
        "long": long,
        "direct": c.max() / (each[h] * long),
        "frobenius": sizes.mean().sqrt() / (s * d**0.5),
        "spectral_q": torch.linalg.matrix_norm(W_Q, 2).mean(),
        "spectral_k": torch.linalg.matrix_norm(W_K, 2).mean(),
        "product": products(W, d).mean(),
    }
    return {name: x.item() for name, x in found.items()}


def moved(before, now, p):
    """Return how far q·k has moved: as softmax sees it, and where it attends.

    The first is the rms over all pairs, less the mean of a row; the second is
    weighed by the attention now and less nothing, as in the training chapter.
    Both are the geometric mean over heads.
    """
    change = (now - before) * CAUSAL
    attended = (p * change.square()).sum((1, 2, 3)) / p.sum((1, 2, 3))
    sizes = {"moved": rms(centred(change)), "attended": attended.sqrt()}
    return {name: x.log().mean().exp().item() for name, x in sizes.items()}


def run(data, probe, d, remedy, optimizer, rate, seed, steps):
    """Train once; yield the step and what goes into each table, by name.

    The loss is that of all sequences held out, the rest of the first LOOKED_AT.
    """
    eta = [rate * each for each in ETA]
    s = transformer.divisor(remedy, d)
    how = (data, d, seed, remedy, optimizer, eta, steps)
    for step, W in enumerate(transformer.train(*how, device=probe.device)):
        if step not in STEPS:
            continue
        with torch.no_grad():
            loss = transformer.loss(W, probe, remedy)[0]
            inside = transformer.loss(W, probe[:LOOKED_AT], remedy)[1]
        q, k, a, p = (
            torch.cat([x.transpose(0, 1) for x in part]).double()
            for part in zip(*inside, strict=True)
        )
        found = {"loss": loss.item(), "bound": bound(W, d, remedy)}
        found |= seen(a, p, remedy)
        if remedy in ("none", "1/d"):
            if step == 0:
                before = q @ k.mT
            found |= factors(q, k, a, W, s)
            found |= (
                moved(before, q @ k.mT, p)
                if step
                else dict.fromkeys(("moved", "attended"), 0.0)
            )
        yield step, found


def grid():
    """Yield the runs: (d, remedy, optimizer, rate, seed, steps).

    The rate is a multiple of ETA. First come all remedies at three widths, then
    other widths, other rates and controls.
    """
    plain = ["none", "1/d"]
    blocks = [
        ([32, 16, 64], REMEDIES, OPTIMIZERS, 1, 1000),
        ([8], plain, OPTIMIZERS, 1, 300),
        ([128], ["none"], OPTIMIZERS, 1, 100),
        ([32, 64], ["none", "QK-norm"], OPTIMIZERS, 0.5, 1000),
        ([16], ["none"], OPTIMIZERS, 0.5, 1000),
        ([64], ["none"], OPTIMIZERS, 0.25, 1000),
        ([32], ["none"], ["Muon"], 0.25, 1000),
        ([32], ["QK-norm"], ["Muon"], 2, 1000),
        ([32], REMEDIES, OPTIMIZERS, 4, 300),
        ([32], ["decay of W_Q W_K"], OPTIMIZERS, 1, 1000),
        ([32], ["even"], OPTIMIZERS, 1, 300),
    ]
    for dims, remedies, optimizers, rate, steps in blocks:
        for seed, d, *how in product(SEEDS, dims, remedies, optimizers):
            if (d, how[0]) != (64, "1/d"):  # 64/8 is √64
                yield d, *how, rate, seed, steps


def provenance(data):
    """Return what the numbers come from, by name."""
    python, kind = platform.python_version(), "a processor"
    if DEVICE.type == "cuda":
        kind = torch.cuda.get_device_name()
    return {
        "text": f"the modules of Python {python}'s standard library",
        "digest": hashlib.sha256(data).hexdigest(),
        "package": f"torch {torch.__version__}",
        "seeds": str(SEEDS),
        "rates": f"{ETA[0]} (Adam) and {ETA[1]} (Muon), times the column",
        "command": "make measure ARGS=snippets/growth/measure_growth.py",
        "machine": f"{platform.system()} {platform.machine()}, {kind}",
    }


def finished():
    """Return the runs that growth.csv has to their last step, as text."""
    if not (HERE / "growth.csv").exists():
        return set()
    runs = {(*map(str, run), str(last)) for *run, last in grid()}
    lines = (HERE / "growth.csv").read_text("utf-8").splitlines()
    rows = [tuple(line.split(",")[: len(AT)]) for line in lines]
    return {tuple(row[:-1]) for row in rows if row in runs}


def begin(name, about, done):
    """Write the head of a table, and keep the rows of finished runs."""
    path, lines = HERE / name, []
    if path.exists():
        lines = path.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if tuple(line.split(",")[:5]) in done]
    head = [f"# {key}: {value}\n" for key, value in about.items()]
    head.append(",".join(AT + TABLES[name]) + "\n")
    path.write_text("".join(head + kept), "utf-8")


def main():
    """Measure what is not stored yet, and store it."""
    torch.set_num_threads(1)
    raw = text()
    data, probe = split(raw)
    probe, about = probe.to(DEVICE), provenance(raw)
    done = finished()
    for name in TABLES:
        begin(name, about, done)
    for *setting, steps in grid():
        if tuple(str(x) for x in setting) in done:
            continue
        rows = [*run(data, probe, *setting, steps)]
        for name in reversed(TABLES):
            with (HERE / name).open("a", encoding="utf-8") as file:
                for step, found in rows:
                    if all(what in found for what in TABLES[name]):
                        words = [f"{found[what]:.4g}" for what in TABLES[name]]
                        at = [str(x) for x in (*setting, step)]
                        file.write(",".join(at + words) + "\n")
        print(
            *setting, f"{found['loss']:.3f} {found['largest']:.1f}", flush=True
        )


if __name__ == "__main__":
    main()
