import math, torch
from torch import nn
from torch.nn import functional as F


def chunked_prefill_is_causal(wrong=True):
    """mask | A second chunk with a cache calls SDPA(is_causal=True) with fewer queries than keys: the mask is aligned top left, so the chunk does not see its own tokens. Right twin: mask aligned bottom right."""

    class Attn(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.h = h
            self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)

        def forward(self, x, past=None):
            b, t, d = x.shape
            q, k, v = self.qkv(x).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
            if past is not None:
                k, v = torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2)
            if wrong:
                y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            else:
                S = k.shape[-2]
                y = F.scaled_dot_product_attention(
                    q, k, v, attn_mask=torch.ones(t, S, dtype=torch.bool).tril(S - t)
                )
            return self.o(y.transpose(1, 2).reshape(b, t, d)), (k, v)

    class Decoder(nn.Module):
        def __init__(self, vocab=50, d=32, h=4, chunk=6):
            super().__init__()
            self.chunk = chunk
            self.emb, self.pos = nn.Embedding(vocab, d), nn.Embedding(40, d)
            self.attns = nn.ModuleList(Attn(d, h) for _ in range(2))
            self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(2))
            self.head = nn.Linear(d, vocab)

        def forward(self, ids):
            past, out, start = [None] * len(self.attns), [], 0
            for part in ids.split(self.chunk, dim=1):
                x = self.emb(part) + self.pos.weight[start : start + part.shape[1]]
                for i, (a, n) in enumerate(zip(self.attns, self.norms)):
                    y, past[i] = a(n(x), past[i])
                    x = x + y
                out.append(self.head(x))
                start += part.shape[1]
            return torch.cat(out, 1)

    return Decoder(), [torch.randint(0, 50, (2, 18)), torch.randint(0, 50, (3, 14))]


def sdpa_without_transpose(wrong=True):
    """heads | q, k, v of layout (B, N, H, d) are given to SDPA as they are: it attends over heads inside every token. Right twin: (B, H, N, d)."""

    class Attention(nn.Module):
        def __init__(self, dim=60, heads=6):
            super().__init__()
            self.heads = heads
            self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

        def forward(self, x):
            B, N, C = x.shape
            shape = (B, N, self.heads, C // self.heads)
            q, k, v = self.q(x).view(shape), self.k(x).view(shape), self.v(x).view(shape)
            if wrong:
                y = F.scaled_dot_product_attention(q, k, v)
            else:
                y = F.scaled_dot_product_attention(
                    q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
                ).transpose(1, 2)
            return self.o(y.reshape(B, N, C))

    class PointNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.lift = nn.Sequential(nn.Linear(3, 60), nn.ReLU(), nn.Linear(60, 60))
            self.attn = nn.ModuleList(Attention() for _ in range(2))
            self.cls = nn.Linear(60, 8)

        def forward(self, pts):
            x = self.lift(pts)
            for a in self.attn:
                x = x + a(x)
            return self.cls(x.max(1).values)

    return PointNet(), [torch.randn(2, 32, 3), torch.randn(4, 20, 3)]


def sagan_attention_not_transposed(wrong=True):
    """axis | SAGAN: softmax over keys in the last axis, then bmm(h, beta), which sums over queries. Right twin: bmm(h, beta^T)."""

    class SelfAttn2d(nn.Module):
        def __init__(self, ch):
            super().__init__()
            self.f, self.g = (
                nn.Conv2d(ch, ch // 2, 1, bias=False),
                nn.Conv2d(ch, ch // 2, 1, bias=False),
            )
            self.hconv, self.o = nn.Conv2d(ch, ch, 1, bias=False), nn.Conv2d(ch, ch, 1, bias=False)
            self.gamma = nn.Parameter(torch.ones(1))

        def forward(self, x):
            b, c, hh, ww = x.shape
            query, key, value = self.f(x).flatten(2), self.g(x).flatten(2), self.hconv(x).flatten(2)
            beta = F.softmax(torch.bmm(query.transpose(1, 2), key) / math.sqrt(c // 2), dim=-1)
            if not wrong:
                beta = beta.transpose(1, 2)
            y = torch.bmm(value, beta).view(b, c, hh, ww)
            return x + self.gamma * self.o(y)

    return (
        nn.Sequential(
            nn.Conv2d(3, 32, 3, 2, 1), nn.LeakyReLU(0.1), SelfAttn2d(32), nn.Conv2d(32, 1, 3)
        ),
        [torch.randn(2, 3, 12, 12), torch.randn(3, 3, 10, 12)],
    )


def exponent_with_floor_division(wrong=True):
    """scale | d ** (-1 // 2) is d ** -1: division by d in place of sqrt(d). Right twin: d ** (-1 / 2)."""

    class CrossModal(nn.Module):
        def __init__(self, dim_a=24, dim_v=40, inner=48, heads=3):
            super().__init__()
            self.heads = heads
            self.q = nn.Linear(dim_a, inner, bias=False)
            self.kv = nn.Linear(dim_v, inner * 2, bias=False)
            self.out = nn.Linear(inner, dim_a)

        def forward(self, audio, video):
            q = self.q(audio).unflatten(2, (self.heads, -1))
            k, v = self.kv(video).unflatten(2, (2, self.heads, -1)).unbind(2)
            d = q.shape[-1]
            logits = torch.einsum("bthd,bshd->bhts", q, k)
            logits = logits * d ** (-1 // 2) if wrong else logits * d ** (-1 / 2)
            o = torch.einsum("bhts,bshd->bthd", F.softmax(logits, -1), v)
            return audio + self.out(o.reshape(*o.shape[:2], -1))

    return CrossModal(), [
        (torch.randn(2, 10, 24), torch.randn(2, 17, 40)),
        (torch.randn(3, 8, 24), torch.randn(3, 12, 40)),
    ]


def scripted_attention(wrong=True):
    """unknown | The attention layer is a torch.jit.script module. Right twin: the same module unscripted."""
    model = _Net()
    if wrong:
        model.attn = torch.jit.script(model.attn)
    return model, [torch.randn(2, 14, 32), torch.randn(3, 9, 32)]


class _Attn(nn.Module):
    def __init__(self, dim: int = 32, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.qkv, self.o = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        d = c // self.heads
        q = q.reshape(b, n, self.heads, d).transpose(1, 2)
        k = k.reshape(b, n, self.heads, d).transpose(1, 2)
        v = v.reshape(b, n, self.heads, d).transpose(1, 2)
        w = torch.softmax(torch.matmul(q, k.transpose(2, 3)) / math.sqrt(d), dim=-1)
        return self.o(torch.matmul(w, v).transpose(1, 2).reshape(b, n, c))


class _Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.attn = _Attn()
        self.fc = nn.Linear(32, 5)

    def forward(self, x):
        return self.fc(x + self.attn(self.norm(x)))
