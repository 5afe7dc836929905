import math, torch
from torch import nn
from torch.nn import functional as F


def linear_attention_mixed(wrong=True):
    """unknown | Second block is elu+1 linear attention. Right twin: ordinary softmax."""

    class B(nn.Module):
        def __init__(s, linear):
            super().__init__()
            s.linear = linear
            s.q, s.k, s.v = (nn.Linear(32, 32) for _ in range(3))

        def forward(s, x):
            q, k, v = (f(x).unflatten(-1, (2, 16)).transpose(1, 2) for f in (s.q, s.k, s.v))
            if s.linear:
                q, k = F.elu(q) + 1, F.elu(k) + 1
                o = q @ (k.mT @ v) / (q @ k.sum(-2).unsqueeze(-1))
            else:
                o = F.softmax(q @ k.mT / 4.0, -1) @ v
            return x + o.transpose(1, 2).flatten(2)

    return nn.Sequential(B(False), B(wrong)), [torch.randn(2, 12, 32) for _ in range(2)]


class _Scripted(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)
        self.r = float(d) ** -0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = torch.matmul(self.q(x), self.k(x).transpose(-2, -1)) * self.r
        return torch.matmul(torch.softmax(a, -1), self.v(x))


def scripted_submodule(wrong=True):
    """unknown | Attention is computed in a torch.jit.script'ed submodule. Right twin: the same module unscripted."""
    m = _Scripted(24)
    return nn.Sequential(nn.Linear(8, 24), torch.jit.script(m) if wrong else m, nn.Linear(24, 3)), [
        torch.randn(2, 8, 8) for _ in range(2)
    ]


def gqa_repeat_vs_interleave(wrong=True):
    """heads | Keys are repeated with repeat_interleave, values with repeat. Right twin: both by expand in the same order."""

    class GQA(nn.Module):
        def __init__(s, d=64, h=8, kv=2):
            super().__init__()
            s.h, s.kv, s.hd = h, kv, d // h
            s.q = nn.Linear(d, d, bias=False)
            s.k = nn.Linear(d, kv * s.hd, bias=False)
            s.v = nn.Linear(d, kv * s.hd, bias=False)
            s.o = nn.Linear(d, d, bias=False)

        def forward(s, x):
            b, t, d = x.shape
            q = s.q(x).view(b, t, s.h, s.hd).transpose(1, 2)
            k = s.k(x).view(b, t, s.kv, s.hd).transpose(1, 2)
            v = s.v(x).view(b, t, s.kv, s.hd).transpose(1, 2)
            g = s.h // s.kv
            if wrong:
                k, v = k.repeat_interleave(g, 1), v.repeat(1, g, 1, 1)
            else:
                k, v = (
                    z[:, :, None].expand(b, s.kv, g, t, s.hd).reshape(b, s.h, t, s.hd)
                    for z in (k, v)
                )
            a = (q @ k.transpose(-1, -2)) / math.sqrt(s.hd)
            a = a.masked_fill(~torch.ones(t, t, dtype=torch.bool).tril(), torch.finfo(a.dtype).min)
            return s.o(
                (a.softmax(-1, dtype=torch.float32).to(q) @ v).transpose(1, 2).reshape(b, t, d)
            )

    return GQA(), [torch.randn(2, 10, 64) for _ in range(2)]


def alibi_scaled_bias(wrong=True):
    """scale | ALiBi bias is added before the division, so it is shrunk by the root too. Right twin: baddbmm with alpha=1/sqrt(d), beta=1."""

    class Alibi(nn.Module):
        def __init__(s, d=64, h=4):
            super().__init__()
            s.h, s.hd = h, d // h
            s.qkv = nn.Linear(d, 3 * d)
            s.register_buffer("slopes", 2 ** (-8.0 * torch.arange(1, h + 1) / h))

        def forward(s, x):
            b, t, d = x.shape
            q, k, v = (
                z.reshape(b, t, s.h, s.hd).transpose(1, 2).reshape(b * s.h, t, s.hd)
                for z in s.qkv(x).chunk(3, -1)
            )
            i = torch.arange(t)
            bias = (s.slopes[:, None, None] * (i[None, :] - i[:, None])).repeat(b, 1, 1)
            r = 1 / math.sqrt(s.hd)
            if wrong:
                a = torch.baddbmm(bias, q, k.mT) * r
            else:
                a = torch.baddbmm(bias, q, k.mT, beta=1.0, alpha=r)
            a = a.masked_fill(i[None, :] > i[:, None], -1e9).softmax(-1)
            return torch.bmm(a, v).view(b, s.h, t, s.hd).transpose(1, 2).reshape(b, t, d)

    return Alibi(), [torch.randn(2, 12, 64) for _ in range(2)]


def multiply_by_sqrt(wrong=True):
    """scale | Scores are multiplied by sqrt(d). Right twin: multiplied by rsqrt, written as exponent of a log2."""

    class A(nn.Module):
        def __init__(s):
            super().__init__()
            s.q, s.k, s.v = nn.Linear(20, 16), nn.Linear(12, 16), nn.Linear(12, 20)

        def forward(s, x, ctx):
            q, k, v = s.q(x), s.k(ctx), s.v(ctx)
            e = torch.einsum("bid,bjd->bij", q, k)
            e = e * math.sqrt(16) if wrong else e * 2 ** (-0.5 * math.log2(q.size(-1)))
            return x + torch.einsum("bij,bjd->bid", e.softmax(2), v)

    return A(), [(torch.randn(2, 6, 20), torch.randn(2, 9, 12)) for _ in range(2)]
