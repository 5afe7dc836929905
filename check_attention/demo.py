"""A small model to try it on, right or with a fault."""

import torch
from torch import Tensor, nn
from torch.nn import functional

DEMOS = {
    "none": ((0.0, 0.0), (-0.5, 0.0)),
    "forgotten": ((0.0, 0.0), (0.0, 0.0)),
    "width": ((0.0, 0.0), (0.0, -0.5)),
    "twice": ((-0.5, 0.0), (-0.5, 0.0)),
}


class DemoAttention(nn.Module):
    """Causal self-attention; q is multiplied by one factor, q·k by another."""

    def __init__(self, heads: int, d: int, fault: str) -> None:
        super().__init__()
        width = heads * d
        self.heads = heads
        self.before, self.after = (d**one * width**other for one, other in DEMOS[fault])
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        for linear in (self.q, self.k, self.v, self.out):
            nn.init.normal_(linear.weight, std=width**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        """Give a tensor like the input, batch × length × width."""
        q, k, v = (
            linear(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for linear in (self.q, self.k, self.v)
        )
        if self.before != 1:
            q = q * self.before
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=self.after)
        out: Tensor = self.out(mixed.transpose(1, 2).flatten(-2))
        return out


class Demo(nn.Module):
    """A transformer of two layers at the start of training, with queries and keys of variance 1."""

    def __init__(self, fault: str = "none", heads: int = 4, d: int = 64, layers: int = 2) -> None:
        super().__init__()
        width = heads * d
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.attention = nn.ModuleList(DemoAttention(heads, d, fault) for _ in range(layers))

    def forward(self, x: Tensor) -> Tensor:
        """Give a tensor like the input, batch × length × width."""
        for norm, attention in zip(self.norms, self.attention, strict=True):
            x = x + attention(norm(x))
        return x


def demo(fault: str = "none", seed: int = 0, d: int = 64) -> tuple[nn.Module, list[Tensor]]:
    """Give a small model with one of DEMOS, and two batches of random tokens."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Demo(fault, d=d)
        return model, [torch.randn(4, 128, 4 * d) for _ in range(2)]
