"""Measure how far a row spreads if its keys come from another sentence.

    make measure ARGS=snippets/trained/measure_rows.py

takes half a minute, and writes rows.csv beside this file.
"""

import measure
import minilm
import numpy as np


def elsewhere(queries, keys):
    """Return the mean variance of a row whose keys another sentence has.

    Every query meets the keys of each other sentence, as a row of its own; not
    those of its own paraphrase, which is the line before or after it.

    Args:
        queries: by sentence, (its content tokens, d).
        keys: by sentence, (its tokens, d), [CLS] and [SEP] among them.
    """
    first = np.cumsum([0, *(len(k) for k in keys[:-1])])
    count = np.array([len(k) for k in keys])
    every = np.concatenate(keys).T
    total = 0
    for at, q in enumerate(queries):
        S = q @ every / q.shape[-1] ** 0.5
        mean = np.add.reduceat(S, first, axis=1) / count
        spread = np.add.reduceat(S**2, first, axis=1) / count - mean**2
        others = np.arange(len(keys)) // 2 != at // 2
        total += spread[:, others].mean(axis=1).sum()
    return total / sum(map(len, queries))


def main():
    """Measure every head, and write rows.csv."""
    texts = measure.tokens()
    ran = measure.run(minilm.load(), texts)
    table = []
    for layer, head in np.ndindex(minilm.LAYERS, minilm.HEADS):
        queries = [q for q, _ in measure.of_head(ran, layer, head)]
        keys = [k for _, k in measure.of_head(ran, layer, head, slice(None))]
        spread = float(np.sqrt(elsewhere(queries, keys)))
        table.append({"layer": layer, "head": head, "elsewhere": spread})
    about = measure.provenance(texts)
    about["command"] = "make measure ARGS=snippets/trained/measure_rows.py"
    measure.write("rows.csv", about, table)


if __name__ == "__main__":
    main()
