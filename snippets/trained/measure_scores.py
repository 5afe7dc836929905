"""Measure what some heads make of some sentences, and store it.

    make measure ARGS=snippets/trained/measure_scores.py

takes some seconds, and writes scores.csv beside this file: for each sentence
of asked.txt, each of the HEADS and each word its scores q·k, one for each key.
"""

import measure
import minilm

# By layer. The text speaks of the first three.
HEADS = [
    *((5, 9), (1, 10), (0, 2), (0, 3), (0, 5), (0, 8)),
    *((1, 8), (2, 8), (2, 9), (2, 11), (3, 11), (5, 2)),
]


def of_heads(text, weights, vocab, heads=HEADS):
    """Yield a row for each of some heads and each word of a text.

    A score is at most half a hundredth off. So a weight is off by at most a
    quarter of a percentage point where scores stay undivided, and by less
    where they are divided.
    """
    pieces = minilm.tokenize(text, vocab)
    numbers = [vocab[piece] for piece in pieces]
    _, q, k, _ = minilm.forward(numbers, weights)
    for layer, head in heads:
        S = q[layer, head].astype(float) @ k[layer, head].astype(float).T
        for at, piece in enumerate(pieces[1:-1], start=1):
            yield {
                "layer": layer,
                "head": head,
                "query": piece,
                "scores": " ".join(f"{score:.2f}" for score in S[at]),
            }


def main():
    """Measure every sentence, and write scores.csv."""
    weights, vocab = minilm.load(), minilm.vocabulary()
    table = [
        {"sentence": at} | row
        for at, text in enumerate(measure.sentences("asked.txt"))
        for row in of_heads(text, weights, vocab)
    ]
    about = measure.provenance(measure.tokens("asked.txt"), "asked.txt")
    about["command"] = "make measure ARGS=snippets/trained/measure_scores.py"
    measure.write("scores.csv", about, table)


if __name__ == "__main__":
    main()
