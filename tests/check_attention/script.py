"""What all tests of the script share: it as it is downloaded, small attentions, numbers by row.

It needs PyTorch: `pip install -r tests/requirements-torch.txt`, or `make torch`.
"""

import importlib.util
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from scipy.special import softmax

torch = pytest.importorskip("torch", reason="no PyTorch: `make torch` installs it")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402, F401

from weave.pages.one_file import one_file  # noqa: E402

ROOT = Path(__file__).parents[2]
FOLDER = TemporaryDirectory()  # as long as the tests run
SCRIPT = Path(FOLDER.name, "check_attention.py")
SCRIPT.write_text(one_file(ROOT / "check_attention"), "utf-8")
torch.set_num_threads(1)


def load():
    spec = importlib.util.spec_from_file_location("check_attention", SCRIPT)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded  # dataclasses ask for it
    spec.loader.exec_module(loaded)
    return loaded


ours = load()


class Attention(nn.Module):
    """Any function of q, k and v as a module, with a number of heads."""

    def __init__(self, function, heads=4):
        super().__init__()
        self.function, self.num_heads = function, heads

    def forward(self, *inputs):
        return self.function(*inputs)


def fused(**options):
    return lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, **options)


def written(scale, before=1.0):
    return lambda q, k, v: ((q * before) @ k.transpose(-1, -2) * scale).softmax(-1) @ v


def flat_heads(q, k, v):
    """As older code has it: batch and heads in one dimension."""
    q, k, v = (t.flatten(0, 1) for t in (q, k, v))
    scores = torch.baddbmm(q.new_zeros(1), q, k.transpose(1, 2), alpha=d**-0.5)
    return torch.bmm(nn.Softmax(dim=-1)(scores), v)


def gaussian(*shape, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape)).float()


def rows_of(function, *inputs, rows=10**6, heads=4):
    return ours.check(Attention(function, heads), [inputs], rows=rows, show=False).rows


# Gaussian queries and keys, where theory says what must come out --------------------------------


def by_hand(q, k, scale, allowed, bias=0.0):
    """Give spread, share, largest, keys and rows of each head, one row after another."""
    bias = np.broadcast_to(bias, allowed.shape)
    heads = []
    for head in range(q.shape[1]):
        rows = []
        for b in range(q.shape[0]):
            for i in range(q.shape[2]):
                seen = allowed[b, head, i]
                if (keys := seen.sum()) > 1:
                    z = (scale * k[b, head] @ q[b, head, i] + bias[b, head, i])[seen]
                    p = softmax(z)
                    rows.append([np.var(z, ddof=1), keys * np.sum(p**2), p.max(), keys])
        variance, concentration, largest, keys = np.mean(rows, axis=0)
        heads.append([np.sqrt(variance), 1 / concentration, largest, keys, len(rows)])
    return np.array(heads)


def found(rows):
    return np.array([[r.spread, r.share, r.largest, r.keys, r.rows] for r in rows])


B, H, n, d = 2, 4, 12, 8
Q, K = gaussian(B, H, n, d, seed=7), gaussian(B, H, n, d, seed=8)
PAGE = (ROOT / "docs/your-model.md").read_text("utf-8")
CAUSAL = np.tril(np.ones((n, n), bool))
PADDED = np.arange(n) < np.array([n, n - 5])[:, None, None, None]
EVERY = np.ones((B, H, n, n), bool)
