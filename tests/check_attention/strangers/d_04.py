import math, torch
from torch import nn
from torch.nn import functional as F


class _QKV(nn.Module):
    def __init__(s, d, h):
        super().__init__()
        s.h, s.hd = h, d // h
        s.qkv, s.out = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def split(s, x):
        return s.qkv(x).unflatten(-1, (3, s.h, s.hd)).permute(2, 0, 3, 1, 4)

    def merge(s, y):
        return s.out(y.transpose(1, 2).flatten(2))


def no_scale_vit(wrong=True):
    """scale | No scale at all. Right twin: the weight of q is multiplied by the scale on the fly (F.linear with W*d**-0.5)."""

    class A(nn.Module):
        def __init__(s, d=48, h=4):
            super().__init__()
            s.h, s.hd = h, d // h
            s.wq = nn.Parameter(torch.randn(d, d) * d**-0.5)
            s.wk = nn.Parameter(torch.randn(d, d) * d**-0.5)
            s.wv = nn.Parameter(torch.randn(d, d) * d**-0.5)

        def forward(s, x):
            b, n, d = x.shape
            f = lambda w: F.linear(x, w).view(b, n, s.h, s.hd)
            q = f(s.wq if wrong else s.wq * s.hd**-0.5)
            a = torch.einsum("bnhd,bmhd->bhnm", q, f(s.wk)).softmax(-1)
            return torch.einsum("bhnm,bmhd->bnhd", a, f(s.wv)).reshape(b, n, d)

    return A(), [torch.randn(2, 17, 48) for _ in range(2)]


def divide_by_d(wrong=True):
    """scale | SDPA gets scale=1/d. Right twin: scale=d**-0.5 passed explicitly."""

    class A(_QKV):
        def forward(s, x):
            q, k, v = s.split(x)
            return x + s.merge(
                F.scaled_dot_product_attention(
                    q, k, v, is_causal=True, scale=1 / s.hd if wrong else s.hd**-0.5
                )
            )

    return nn.Sequential(A(32, 4), A(32, 4)), [torch.randn(2, 11, 32) for _ in range(2)]


def softcap_order(wrong=True):
    """scale | tanh cap is applied to raw scores and the root divides afterwards. Right twin: scale first, then cap."""

    class A(_QKV):
        cap = 5.0

        def forward(s, x):
            q, k, v = s.split(x)
            a = q @ k.mT
            if wrong:
                a = torch.tanh(a / s.cap) * s.cap / math.sqrt(s.hd)
            else:
                a = torch.tanh(a / math.sqrt(s.hd) / s.cap) * s.cap
            n = a.shape[-1]
            a = a + torch.full((n, n), float("-inf")).triu(1)
            return x + s.merge(a.softmax(-1) @ v)

    return A(64, 2), [torch.randn(2, 10, 64) for _ in range(2)]


def root_of_heads(wrong=True):
    """scale | The shape is unpacked in the wrong order, so the root of the number of heads divides. Right twin: the root of the last axis, the head size."""

    class A(_QKV):
        def forward(s, x):
            q, k, v = s.split(x)
            b, h, n, d = q.shape
            a = (q @ k.mT).div((h if wrong else d) ** 0.5)
            return s.merge(a.softmax(-1) @ v)

    return A(64, 4), [torch.randn(2, 10, 64) for _ in range(2)]


def attention_pool_width(wrong=True):
    """scale | The learned query's pooling divides by the root of the number of tokens. Right twin: by the root of the key size."""

    class Pool(nn.Module):
        def __init__(s, d=40):
            super().__init__()
            s.query = nn.Parameter(torch.randn(1, d))
            s.key, s.value = nn.Linear(d, d), nn.Linear(d, d)
            s.cls = nn.Linear(d, 5)

        def forward(s, x):
            k, v = s.key(x), s.value(x)
            w = (k @ s.query.T).squeeze(-1) / math.sqrt(k.shape[1 if wrong else 2])
            w = w.softmax(1)
            return s.cls((w.unsqueeze(-1) * v).sum(1))

    return Pool(), [torch.randn(3, 14, 40) for _ in range(2)]
