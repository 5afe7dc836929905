"""Measure what a watched forward costs, against the same forward alone.

    make measure ARGS=snippets/your-model/measure.py

takes two minutes of one core and needs PyTorch. It writes cost.csv. Both are
timed in turn, and what counts is their ratio, which hardly depends on the
machine; the smallest time of each is the least disturbed.
"""

import platform
import sys
from pathlib import Path
from time import perf_counter

import torch
from torch import nn
from torch.nn import functional

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))
import check_attention

WIDTH, HEADS, LAYERS, LENGTHS, TIMES = 512, 8, 4, (128, 512), 15


class Block(nn.Module):
    """A layer of a decoder, with a fused attention or a written one."""

    def __init__(self, fused):
        super().__init__()
        self.fused, self.num_heads = fused, HEADS
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.qkv, self.out = (
            nn.Linear(WIDTH, 3 * WIDTH),
            nn.Linear(WIDTH, WIDTH),
        )
        self.up, self.down = (
            nn.Linear(WIDTH, 4 * WIDTH),
            nn.Linear(4 * WIDTH, WIDTH),
        )

    def forward(self, x):
        """Return a tensor like the input, batch x length x width."""
        heads = self.qkv(self.norms[0](x)).unflatten(-1, (3, HEADS, -1))
        q, k, v = heads.transpose(1, 3).unbind(2)
        if self.fused:
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
            later = torch.ones(scores.shape[-2:]).triu(1).bool()
            y = scores.masked_fill(later, -torch.inf).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.norms[1](x))))


def seconds(function):
    """Return how long a call takes."""
    begun = perf_counter()
    function()
    return perf_counter() - begun


def ratio(model, batch):
    """Return the time of a watched forward over that of the same alone."""
    times = [[], []]

    def watched():
        with check_attention.watch(model):
            model(batch)

    with torch.no_grad():
        for _ in range(TIMES):
            times[0].append(seconds(lambda: model(batch)))
            times[1].append(seconds(watched))
    return min(times[1]) / min(times[0])


def main():
    """Write the table."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    lines = [
        f"# check_attention {check_attention.__version__}, torch "
        f"{torch.__version__}, one core of a {platform.machine()}: a watched",
        f"# forward over the same alone, the least of {TIMES} each, in turn.",
        f"# {LAYERS} layers of width {WIDTH}, {HEADS} heads, 2 sequences.",
        "kind,tokens,ratio",
    ]
    for kind in ("fused", "written"):
        model = nn.Sequential(*(Block(kind == "fused") for _ in range(LAYERS)))
        for length in LENGTHS:
            found = ratio(model.eval(), torch.randn(2, length, WIDTH))
            lines.append(f"{kind},{length},{found:.2f}")
            print(lines[-1], flush=True)
    (HERE / "cost.csv").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
