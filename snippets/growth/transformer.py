"""A small decoder that reads bytes, and what keeps its logits from growing.

Two layers of four heads of d dimensions, so the width is D = 4d, and between
them a ReLU layer of width 2D; LayerNorm without gain or bias; learned places.
Weights start with variance 1/fan-in, and the readout with its square, as muP
has it. Adam has the learning rate eta/fan-in in each matrix. Muon, in all
matrices but those of bytes, places and readout, has steps of spectral norm
eta √(fan-out/fan-in). So with both, for tokens along the step, it moves each
coordinate of what comes out of a matrix by about eta, at every width. Nothing
differs between two runs of one optimizer and one width but the remedy:

- "none": q·k is divided by √d, and that is all.
- "QK-norm": q and k get a mean square of 1 over each head's coordinates, then a
  learned gain for each coordinate, which begins at 1.
- "soft cap": softmax sees CAP tanh(logit/CAP).
- "QK-clip": after a step in which a head's largest logit was above CLIP, W_Q
  and W_K of that head shrink, each by the square root of CLIP/largest.
- "decay": each step also shrinks the matrices that Muon has, by DECAY.
- "1/d": q·k is divided by d/8 instead, as muP has it.
- "decay of W_Q W_K": only these two shrink, to tell what decay does to them
  from what it does to the others.
- "even": attention that weighs all keys alike, to see what attention is worth.
- "low cap": softmax sees 9 tanh(logit/9), about what QK-norm lets through.
- "shared rate": W_Q's rate falls as |W_K| grows, and W_K's as |W_Q| does.
- "norm's rate": both rates fall as |W_Q| |W_K| grows, as with a norm, where a
  step turns q by less as W_Q grows, and a logit does not feel the length of k.
- "undivided norm": QK-norm, and q·k is divided by nothing.
- "lower cap": softmax sees √32 tanh(logit/√32), QK-norm's first ceiling there.
- "64√d": q·k is divided by 64 times as much.
"""

import torch
from torch.nn import functional
from torch.optim import _muon

LAYERS, HEADS, LENGTH, BYTES = 2, 4, 64, 256
REMEDIES = ["none", "QK-norm", "soft cap", "QK-clip", "decay", "1/d"]
CONTROLS = ["decay of W_Q W_K", "even"]
CAP, CLIP, DECAY = 20, 20, 0.003
CAPS = {"soft cap": CAP, "low cap": 9, "lower cap": 32**0.5}
NORMED = ("QK-norm", "undivided norm")
HIDDEN = ("Q", "K", "V", "O", "up", "down")
DECAYS = {"decay": HIDDEN, "decay of W_Q W_K": ("Q", "K")}


def divisor(remedy, d):
    """Return what q·k is divided by."""
    unusual = {"1/d": d / 8, "even": torch.inf, "undivided norm": 1}
    unusual["64√d"] = 64 * d**0.5
    return unusual.get(remedy, d**0.5)


def init(d, seed, remedy="none", device="cpu", gain=1.0):
    """Return the weights by name, (fan-out × fan-in) each, and the gains.

    They are drawn on the processor, so that a GPU gets the same. A gain is what
    a norm of q and k begins with.
    """
    rng, D = torch.Generator().manual_seed(seed), HEADS * d
    shapes = {"byte": (D, BYTES), "place": (D, LENGTH)}
    for layer in range(LAYERS):
        shapes |= {f"{name}{layer}": (D, D) for name in "QKVO"}
        shapes |= {f"up{layer}": (2 * D, D), f"down{layer}": (D, 2 * D)}
    shapes["readout"] = (BYTES, D)
    W = {}
    for name, shape in shapes.items():
        deviation = fan_in(name, shape) ** (-1 if name == "readout" else -0.5)
        W[name] = deviation * torch.randn(shape, generator=rng)
    if remedy in NORMED:
        names = [f"gain {name}{i}" for name in "QK" for i in range(LAYERS)]
        W |= {name: torch.full((HEADS, 1, d), gain) for name in names}
    return {name: w.to(device).requires_grad_() for name, w in W.items()}


def fan_in(name, shape):
    """Return how many inputs of a matrix are not 0 at a time.

    A gain is given the one of the matrix before it, for its learning rate.
    """
    if name.startswith("gain"):
        return shape[0] * shape[-1]
    return 1 if name in ("byte", "place") else shape[1]


def capped(a, remedy):
    """Return the logits as softmax sees them."""
    if remedy not in CAPS:
        return a
    return CAPS[remedy] * torch.tanh(a / CAPS[remedy])


def forward(W, text, remedy="none"):
    """Return the logits of the next bytes, and (q, k, a, p) of each layer.

    The text is (sequences × LENGTH); q and k are (sequences × heads × LENGTH
    × d), with their gain; the logits a, as they are before a cap, and the
    attention p are (sequences × heads × LENGTH × LENGTH).
    """
    x = W["byte"].T[text] + W["place"].T
    inside = []
    later = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1).to(x.device)
    for layer in range(LAYERS):
        y = functional.layer_norm(x, x.shape[-1:])
        q, k, v = (
            (y @ W[f"{name}{layer}"].T).unflatten(-1, (HEADS, -1))
            for name in "QKV"
        )
        q, k, v = (a.transpose(1, 2) for a in (q, k, v))
        if remedy in NORMED:
            q = functional.rms_norm(q, q.shape[-1:]) * W[f"gain Q{layer}"]
            k = functional.rms_norm(k, k.shape[-1:]) * W[f"gain K{layer}"]
        a = q @ k.mT / divisor(remedy, q.shape[-1])
        p = capped(a, remedy).masked_fill(later, -torch.inf).softmax(-1)
        x = x + (p @ v).transpose(1, 2).flatten(2) @ W[f"O{layer}"].T
        y = functional.layer_norm(x, x.shape[-1:])
        x = x + (y @ W[f"up{layer}"].T).relu() @ W[f"down{layer}"].T
        inside.append((q, k, a, p))
    x = functional.layer_norm(x, x.shape[-1:])
    return x @ W["readout"].T, inside


def loss(W, text, remedy="none"):
    """Return the mean of −ln p of the next byte, and `inside` of `forward`.

    The text has one byte more than LENGTH.
    """
    logits, inside = forward(W, text[:, :-1], remedy)
    right = text[:, 1:].flatten()
    return functional.cross_entropy(logits.flatten(0, 1), right), inside


def batch(text, sequences, rng):
    """Return sequences × (LENGTH + 1) bytes from random places of a text."""
    at = torch.randint(len(text) - LENGTH, (sequences, 1), generator=rng)
    return text[at + torch.arange(LENGTH + 1)].long()


def rounded(x):
    """Return numbers as bf16 has them, held in fp32."""
    return x.bfloat16().float()


def orthogonal(step, coefficients, iterations, least):
    """Return a nearly orthogonal matrix (out × in), as PyTorch's Muon makes it.

    PyTorch multiplies in bf16, for which many processors have no instruction:
    they take ten to forty times as long. Here each product is made in fp32 and
    then rounded to bf16, which is what bf16 arithmetic does as well, but for
    the order in which it adds up.
    """
    a, b, c = coefficients
    is_tall = step.shape[0] > step.shape[1]
    x = rounded(step.T if is_tall else step)
    x = rounded(x / rounded(x.norm()).clamp(min=least))
    for _ in range(iterations):
        gram = rounded(x @ x.T)
        x = rounded(a * x + rounded(b * gram + c * (gram @ gram)) @ x)
    return x.T if is_tall else x


def optimizers(W, optimizer, eta, times=None):
    """Return the optimizers of all weights: Adam, or Muon and Adam.

    `eta` is a pair: Adam's and Muon's. `times` has factors on the rates of
    weights, by how their names begin, such as {"Q": 0.25, "K": 0.25}.
    """
    hidden = {name for name in W if name.startswith(HIDDEN)}
    muon = hidden if optimizer == "Muon" else set()
    groups = {True: [], False: []}
    for name, w in W.items():
        rate = eta[1] if name in muon else eta[0] / fan_in(name, w.shape)
        for start, factor in (times or {}).items():
            rate *= factor if name.startswith(start) else 1
        group = {"params": [w], "lr": rate, "first": rate, "name": name}
        groups[name in muon].append(group)
    found = [torch.optim.Adam(groups[False], eps=1e-12, foreach=True)]
    if muon:
        if not next(iter(W.values())).is_cuda:
            _muon._zeropower_via_newtonschulz = orthogonal
        how = {"weight_decay": 0, "adjust_lr_fn": "spectral_unclamped"}
        found.append(torch.optim.Muon(groups[True], lr=eta[1], **how))
    return found


def norms(W):
    """Return the Frobenius norm of each W_Q and W_K, by name."""
    return {
        name: w.detach().norm().item()
        for name, w in W.items()
        if name.startswith(("Q", "K"))
    }


def share_rates(each, now, start, both=False):
    """Divide the rate of W_Q by what |W_K| has grown by, and the reverse.

    A step on W_Q moves a logit by as much as k is long, so these steps move it
    about as far as the first ones do. With `both` each rate is divided by what
    its own matrix has grown by as well.
    """
    other = str.maketrans("QK", "KQ")
    for one in each:
        for group in one.param_groups:
            name = group["name"]
            if name not in now:
                continue
            names = (
                [name, name.translate(other)]
                if both
                else [name.translate(other)]
            )
            group["lr"] = group["first"]
            for grown in names:
                group["lr"] *= start[grown] / now[grown]


@torch.no_grad()
def clip(W, inside, ceiling=CLIP):
    """Shrink W_Q and W_K of each head whose largest logit was too large."""
    causal = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
    for layer, (_, _, a, _) in enumerate(inside):
        largest = a.transpose(0, 1)[..., causal.to(a.device)].amax((1, 2))
        gamma = (ceiling / largest).clamp(max=1)
        gamma[largest <= 0] = 1
        for name in "QK":
            heads = W[f"{name}{layer}"].unflatten(0, (HEADS, -1))
            heads.mul_(gamma.sqrt()[:, None, None])


def train(
    text,
    d,
    seed,
    remedy,
    optimizer,
    eta,
    steps,
    sequences=8,
    device="cpu",
    times=None,
    gain=1.0,
    warmup=0,
):
    """Train; yield the weights before the first step and after each.

    What one seed draws from the text is the same in all runs. `times` is that
    of `optimizers`, and `gain` that of `init`. In the first `warmup` steps all
    rates rise to their own in equal parts.
    """
    W = init(d, seed, remedy, device, gain)
    each, start = optimizers(W, optimizer, eta, times), norms(W)
    rng = torch.Generator().manual_seed(1000 + seed)
    yield W
    for step in range(steps):
        drawn = batch(text, sequences, rng).to(device)
        lost, inside = loss(W, drawn, remedy)
        for one in each:
            one.zero_grad()
        lost.backward()
        for group in (group for one in each for group in one.param_groups):
            group["lr"] = group["first"]
        if remedy in ("shared rate", "norm's rate"):
            share_rates(each, norms(W), start, both=remedy == "norm's rate")
        if step < warmup:
            for group in (group for one in each for group in one.param_groups):
                group["lr"] *= (step + 1) / warmup
        for one in each:
            one.step()
        if remedy in DECAYS:
            with torch.no_grad():
                for name, w in W.items():
                    if name.startswith(DECAYS[remedy]):
                        w.mul_(1 - DECAY)
        if remedy == "QK-clip":
            clip(W, inside)
        yield W
