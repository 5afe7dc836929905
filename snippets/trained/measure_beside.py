"""Measure rows of as many keys as our row has, and store them.

    make measure ARGS=snippets/trained/measure_beside.py

takes half a minute, and writes two tables beside this file. Both are of the one
sentence of sentences.txt that has 32 tokens, [CLS] and [SEP] among them.
beside.csv has, for each of the three heads that the text speaks of and for each
word, its scores q·k. winners.csv has for every head for how many words the key
that wins oftenest wins: as trained, and at a random start, on average over
STARTS of them.
"""

import measure
import measure_scores
import minilm
import numpy as np

KEYS, STARTS = 32, 20


def oftenest(numbers, weights):
    """Return for how many words the same key wins, by layer and head."""
    _, q, k, _ = minilm.forward(numbers, weights)
    S = q.astype(float) @ k.astype(float).swapaxes(-1, -2)
    won = S[:, :, 1:-1].argmax(axis=-1)
    return np.array(
        [[np.bincount(head).max() for head in layer] for layer in won]
    )


def main():
    """Measure the sentence, and write beside.csv and winners.csv."""
    weights, vocab = minilm.load(), minilm.vocabulary()
    (text,) = (
        text
        for text in measure.sentences()
        if len(minilm.tokenize(text, vocab)) == KEYS
    )
    about = measure.provenance(measure.tokens())
    about["command"] = "make measure ARGS=snippets/trained/measure_beside.py"
    heads = measure_scores.HEADS[:3]
    table = measure_scores.of_heads(text, weights, vocab, heads)
    measure.write("beside.csv", about, list(table))

    numbers = [vocab[piece] for piece in minilm.tokenize(text, vocab)]
    trained = oftenest(numbers, weights)
    start = sum(
        oftenest(numbers, minilm.at_random(weights, seed)) / STARTS
        for seed in range(STARTS)
    )
    table = [
        {
            "layer": layer,
            "head": head,
            "trained": int(trained[layer, head]),
            "start": float(start[layer, head]),
        }
        for layer, head in np.ndindex(trained.shape)
    ]
    measure.write("winners.csv", about, table)


if __name__ == "__main__":
    main()
