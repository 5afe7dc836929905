"""Measure every head of all-MiniLM-L6-v2, and store it beside this file.

    make measure ARGS=snippets/trained/measure.py

takes two to four minutes. It writes heads.csv, terms.csv, medians.csv and
scale.csv; `make measure` without ARGS runs every snippets/*/measure*.py.
"""

import csv
import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

import minilm
import numpy as np
import pairs

HERE = Path(__file__).parent
D, SEED, DRAWS = minilm.D, 0, 200
KINDS = ["distinct", "same", "attended"]
# What q·k is multiplied by before softmax, times √d.
SCALES = [0, 0.0625, 0.125, D**-0.5, 0.25, 0.5, 1, 2, 4, D**0.5, 8, 16]


def sentences(name="sentences.txt"):
    """Return the text; the lines 2i and 2i + 1 say the same in other words."""
    return (HERE / name).read_text("utf-8").splitlines()


def tokens(name="sentences.txt"):
    """Return the numbers of the pieces of each sentence."""
    vocab = minilm.vocabulary()
    return [
        np.array([vocab[piece] for piece in minilm.tokenize(text, vocab)])
        for text in sentences(name)
    ]


def run(weights, texts):
    """Return q, k and p of each text, in double precision."""
    return [
        [part.astype(float) for part in minilm.forward(text, weights)[1:]]
        for text in texts
    ]


def of_head(ran, layer, head, which=slice(1, -1)):
    """Return a head's q and k of each text: of [CLS] and [SEP] on request."""
    return [[x[layer, head, which] for x in (q, k)] for q, k, _ in ran]


def of_kind(kind, qk):
    """Return `pairs.sums` of each text, of pairs of one kind."""
    logits = (q @ k.T / D**0.5 for q, k in qk)
    return np.array(
        [
            pairs.sums(q, k, pairs.weights(kind, S))
            for (q, k), S in zip(qk, logits, strict=True)
        ]
    )


def null(qk, other):
    """Return sums over attended pairs with another head's keys.

    The logits get the spread of the head's own.
    """

    def size(keys):
        rows = [
            pairs.spread(q @ k.T) for (q, _), k in zip(qk, keys, strict=True)
        ]
        return np.sqrt(np.mean(np.concatenate(rows)))

    keys = [k for _, k in other]
    ratio = size([k for _, k in qk]) / size(keys)
    mixed = [[q, ratio * k] for (q, _), k in zip(qk, keys, strict=True)]
    return of_kind("attended", mixed)


def rows(ran, layer, head):
    """Return what softmax gets and gives in a head, over content queries."""
    seen = []
    for q, k, p in ran:
        q, k, p = q[layer, head], k[layer, head], p[layer, head]
        S = q @ k.T / D**0.5
        n = len(S)
        at = np.arange(1, n - 1)
        before, after = at[1:], at[:-1]  # with a content token on that side
        seen.append(
            {
                "spread": pairs.spread(S[1:-1]),
                "spread_content": pairs.spread(S[1:-1, 1:-1]),
                "square": np.mean(S[1:-1] ** 2, axis=1),
                "mean": np.mean(S[1:-1], axis=1),
                "same_key": n * np.sum(p[1:-1] ** 2, axis=1),
                "two_picks": np.sum(p[1:-1] ** 2, axis=1),
                "frozen": pairs.spread(S[1:-1]) > 2 * np.log(n),
                "special": p[1:-1, 0] + p[1:-1, -1],
                "previous": p[before, before - 1],
                "itself": p[at, at],
                "next": p[after, after + 1],
            }
        )
    found = {
        name: np.mean(np.concatenate([each[name] for each in seen]))
        for name in seen[0]
    }
    return {
        "logit_sd": np.sqrt(found["square"] - found["mean"] ** 2),
        "logit_mean": found["mean"],
        "row_sd": np.sqrt(found["spread"]),
        "row_sd_content": np.sqrt(found["spread_content"]),
        "taking_part": 1 / found["two_picks"],
        "share_taking_part": 1 / found["same_key"],
    } | {
        name: found[name]
        for name in ("frozen", "special", "previous", "itself", "next")
    }


def resampled(sums, counts):
    """Return sums over all texts; then over texts drawn again, in pairs."""
    by_pair = sums.reshape(len(sums) // 2, 2, -1).sum(axis=1)
    return np.concatenate([by_pair.sum(axis=0)[np.newaxis], counts @ by_pair])


def independent(total, d=D):
    """Return sums of `same` as if each query met each key of the whole text."""
    square, a, b, cov_q, cov_k, _ = pairs.moments(total, d)
    M_q, M_k = (
        cov_q + a * np.swapaxes(a, -1, -2),
        cov_k + b * np.swapaxes(b, -1, -2),
    )
    mixed = total / total[..., :1]
    mixed[..., 1] = pairs.trace(M_q, M_k)
    mixed[..., -(d**2) :] = (a * np.swapaxes(b, -1, -2)).reshape(
        *square.shape, -1
    )
    return mixed


def measure_heads(trained, start, counts):
    """Yield a row of heads.csv, and the rows of terms.csv, for each head.

    Every value is an array: for the text as it is, then for each draw.
    """
    for layer, head in np.ndindex(minilm.LAYERS, minilm.HEADS):
        qk = of_head(trained, layer, head)
        total = {kind: resampled(of_kind(kind, qk), counts) for kind in KINDS}
        total["re-paired"] = independent(total["same"])
        whole = of_head(trained, layer, head, slice(None))
        total["all tokens"] = resampled(of_kind("attended", whole), counts)
        first = resampled(
            of_kind("distinct", of_head(start, layer, head)), counts
        )
        found = {kind: pairs.shares(t, D) for kind, t in total.items()}
        found["start"] = pairs.shares(first, D)
        others = [
            pairs.shares(
                resampled(null(qk, of_head(trained, layer, g)), counts), D
            )
            for g in range(minilm.HEADS)
            if g != head
        ]
        found["null"] = {
            name: np.mean([other[name] for other in others], axis=0)
            for name in others[0]
        }
        grown = pairs.factors(total["distinct"], D)
        grown |= {
            f"start_{name}": value
            for name, value in pairs.factors(first, D).items()
        }
        largest = np.max([other["C"][0] for other in others])
        yield (
            layer,
            head,
            grown,
            found,
            rows(trained, layer, head) | {"largest_null": largest},
        )


def measure_scales(weights, texts):
    """Yield a row of scale.csv for each scale.

    Errors are over pairs of texts.
    """

    def embeddings(times):
        found = [minilm.forward(t, weights, times / D**0.5)[0] for t in texts]
        return np.array([minilm.embed(states) for states in found], float)

    def nearest(E):
        return np.argmax(E @ E.T - 2 * np.eye(len(E)), axis=1)

    right = np.arange(len(texts)) ^ 1
    plain = embeddings(1)
    for times in SCALES:
        E = embeddings(times)
        each = {
            "cosine": np.sum(E * plain, axis=1),
            "same_neighbour": nearest(E) == nearest(plain),
            "same_meaning": nearest(E) == right,
        }
        others = E @ E.T
        row = {"times_sqrt_d": times}
        for name, values in each.items():
            by_pair = np.reshape(values, (-1, 2)).mean(axis=1)
            row[name] = by_pair.mean()
            row[f"{name}_error"] = by_pair.std(ddof=1) / len(by_pair) ** 0.5
        row["cosine_of_others"] = others[~np.eye(len(E), dtype=bool)].mean()
        yield row


def provenance(texts, name="sentences.txt"):
    """Return what the numbers come from, by name."""
    text = (HERE / name).read_bytes()
    package = minilm.PACKAGE.replace("_", "-")
    return {
        "package": package,
        "version": version(package),
        "weights": minilm.digest(),
        "text": f"{name} {hashlib.sha256(text).hexdigest()}",
        "sentences": len(texts),
        "tokens": sum(len(numbers) - 2 for numbers in texts),
        "seed": SEED,
        "draws": DRAWS,
        "command": "make measure ARGS=snippets/trained/measure.py",
        "python": f"{platform.python_version()}, numpy {np.__version__}",
        "machine": f"{platform.system()} {platform.machine()}, a processor",
    }


def medians(every):
    """Give the median over heads of what was found, with its standard error.

    Args:
        every: for pairs of a kind and a quantity, one row for each head: its
            value, then that of each bootstrap draw.
    """
    for (kind, name), values in every.items():
        middle = np.median(values, axis=0)
        error = middle[1:].std(ddof=1)
        yield {
            "pairs": kind,
            "what": name,
            "median": middle[0],
            "error": error,
        }


def write(name, about, table):
    """Write rows, each a dict, below lines that say where they come from."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in about.items())
        writer = csv.DictWriter(file, table[0], lineterminator="\n")
        writer.writeheader()
        for row in table:
            writer.writerow(
                {
                    title: f"{round(value, 7):.4g}"
                    if isinstance(value, float)
                    else value
                    for title, value in row.items()
                }
            )


def main():
    """Measure and write all."""
    texts, weights = tokens(), minilm.load()
    rng = np.random.default_rng(SEED)
    n = len(texts) // 2
    counts = rng.multinomial(n, np.full(n, 1 / n), size=DRAWS)
    trained = run(weights, texts)
    start = run(minilm.at_random(weights, SEED), texts)
    heads, table, every = [], [], {}
    for layer, head, grown, found, row in measure_heads(trained, start, counts):
        at = {"layer": layer, "head": head}
        grown["growth"] = found["distinct"]["size"] / found["start"]["size"]
        for name in ("lengths", "alignment", "pairing"):
            grown[f"{name}_growth"] = grown[name] / grown[f"start_{name}"]
        heads.append(
            at | row | {name: value[0] for name, value in grown.items()}
        )
        for kind, values in found.items():
            stored = {name: value[0] for name, value in values.items()}
            stored["C_error"] = values["C"][1:].std(ddof=1)
            table.append(at | {"pairs": kind} | stored)
            for name, value in values.items():
                every.setdefault((kind, name), []).append(value)
        for name, value in grown.items():
            every.setdefault(("distinct", name), []).append(value)
        print(f"layer {layer}, head {head}", flush=True)
    about = provenance(texts)
    write("heads.csv", about, heads)
    write("terms.csv", about, table)
    write("medians.csv", about, [*medians(every)])
    write("scale.csv", about, [*measure_scales(weights, texts)])


if __name__ == "__main__":
    main()
