import math, torch
from torch import nn
from torch.nn import functional as F


def mha_mask_repeated_in_wrong_order(wrong=True):
    """mask | The per-sequence padding mask for nn.MultiheadAttention (B*H, L, L) is built by repeat(H,1,1), so most heads get another sequence's mask. Right twin: repeat_interleave(H, 0)."""

    class Enc(nn.Module):
        def __init__(self, d=32, h=4):
            super().__init__()
            self.inp = nn.Linear(6, d)
            self.mha = nn.MultiheadAttention(d, h, batch_first=True)
            self.norm = nn.LayerNorm(d)
            self.out = nn.Linear(d, 3)

        def forward(self, feats, lengths):
            L = feats.size(1)
            valid = torch.arange(L) < lengths[:, None]
            mask = (~valid)[:, None, :].expand(-1, L, -1)
            H = self.mha.num_heads
            mask = mask.repeat(H, 1, 1) if wrong else mask.repeat_interleave(H, dim=0)
            x = self.inp(feats)
            y, _ = self.mha(x, x, x, attn_mask=mask, need_weights=False)
            x = self.norm(x + y)
            x = (x * valid[..., None]).sum(1) / lengths[:, None]
            return self.out(x)

    def batch(lens):
        f = torch.randn(len(lens), max(lens), 6)
        n = torch.tensor(lens)
        f[torch.arange(max(lens)) >= n[:, None]] = 0.0
        return dict(feats=f, lengths=n)

    return Enc(), [batch([5, 12, 8]), batch([10, 4])]


def memory_viewed_into_heads(wrong=True):
    """heads | In cross-attention keys and values are viewed straight as (B, H, S, d) from (B, S, C), so a head's rows are cut from neighbouring tokens. Right twin: view as (B, S, H, d) and transpose."""

    class Cross(nn.Module):
        def __init__(self, c=48, h=4):
            super().__init__()
            self.h, self.d = h, c // h
            self.q = nn.Linear(c, c)
            self.kv = nn.Linear(c, 2 * c)
            self.o = nn.Linear(c, c)

        def forward(self, x, mem):
            B, T, C = x.shape
            S = mem.shape[1]
            q = self.q(x).view(B, T, self.h, self.d).transpose(1, 2)
            k, v = self.kv(mem).chunk(2, dim=-1)
            if wrong:
                k, v = k.reshape(B, self.h, S, self.d), v.reshape(B, self.h, S, self.d)
            else:
                k, v = (u.reshape(B, S, self.h, self.d).transpose(1, 2) for u in (k, v))
            p = torch.softmax(q.matmul(k.transpose(-1, -2)) * (1 / math.sqrt(self.d)), -1)
            return self.o(p.matmul(v).transpose(1, 2).contiguous().view(B, T, C))

    class Captioner(nn.Module):
        def __init__(self):
            super().__init__()
            self.regions, self.words = nn.Linear(20, 48), nn.Embedding(25, 48)
            self.cross = Cross()
            self.n = nn.LayerNorm(48)
            self.vocab = nn.Linear(48, 25)

        def forward(self, regions, words):
            x = self.words(words)
            return self.vocab(self.n(x + self.cross(x, self.regions(regions))))

    return Captioner(), [
        (torch.randn(2, 16, 20), torch.randint(0, 25, (2, 7))),
        (torch.randn(3, 9, 20), torch.randint(0, 25, (3, 6))),
    ]


def bmm_heads_softmax_dim0(wrong=True):
    """axis | Scores (B*H, T, T) go through softmax(dim=0), over sequences and heads. Right twin: dim=2."""

    class SelfAttn(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.heads, self.hd = heads, dim // heads
            self.in_proj = nn.Linear(dim, dim * 3)
            self.out = nn.Linear(dim, dim)

        def forward(self, x):  # x: T, B, C
            T, B, C = x.shape
            q, k, v = self.in_proj(x).chunk(3, -1)
            q, k, v = (
                z.contiguous().view(T, B * self.heads, self.hd).transpose(0, 1) for z in (q, k, v)
            )
            w = torch.bmm(q * self.hd**-0.5, k.transpose(1, 2))
            w = F.softmax(w, dim=0 if wrong else 2)
            y = torch.bmm(w, v).transpose(0, 1).contiguous().view(T, B, C)
            return self.out(y)

    class Forecaster(nn.Module):
        def __init__(self):
            super().__init__()
            self.up = nn.Linear(3, 24)
            self.pos = nn.Parameter(torch.randn(40, 1, 24) * 0.1)
            self.a = SelfAttn(24, 3)
            self.ln = nn.LayerNorm(24)
            self.down = nn.Linear(24, 3)

        def forward(self, x):
            h = self.up(x).transpose(0, 1)
            h = h + self.pos[: h.shape[0]]
            return self.down(self.ln(h + self.a(h))[-1])

    return Forecaster(), [torch.randn(2, 24, 3), torch.randn(4, 15, 3)]


def alibi_added_before_scaling(wrong=True):
    """scale | ALiBi's distances are added before the division by sqrt(d), so the slopes shrink by it. Right twin: scale first, then add."""

    class Alibi(nn.Module):
        def __init__(self, dim=64, heads=4):
            super().__init__()
            self.heads = heads
            self.to_qkv, self.proj = (
                nn.Linear(dim, 3 * dim, bias=False),
                nn.Linear(dim, dim, bias=False),
            )
            self.register_buffer(
                "slopes", torch.tensor([2.0 ** (-8 * (i + 1) / heads) for i in range(heads)])
            )

        def forward(self, x):
            n = x.shape[1]
            q, k, v = self.to_qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
            i = torch.arange(n)
            dist = (i[None] - i[:, None]).clamp(max=0)
            bias = self.slopes[:, None, None] * dist
            sqrt_d = math.sqrt(q.shape[-1])
            dots = q @ k.mT
            dots = (dots + bias) / sqrt_d if wrong else dots / sqrt_d + bias
            dots = dots.masked_fill(i[None] > i[:, None], -torch.inf)
            return self.proj((dots.softmax(-1) @ v).transpose(1, 2).flatten(2))

    class LM(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(64, 64)
            self.layers = nn.ModuleList(
                nn.ModuleDict({"n": nn.LayerNorm(64), "a": Alibi()}) for _ in range(2)
            )
            self.out = nn.Linear(64, 64)

        def forward(self, t):
            x = self.emb(t)
            for l in self.layers:
                x = x + l["a"](l["n"](x))
            return self.out(x)

    return LM(), [torch.randint(0, 64, (2, 18)), torch.randint(0, 64, (2, 25))]


def sigmoid_attention(wrong=True):
    """unknown | Weights are sigmoid(qk/sqrt(d) - log n), no softmax. Right twin: softmax."""

    class A(nn.Module):
        def __init__(self, c, h):
            super().__init__()
            self.h = h
            self.qkv, self.o = nn.Linear(c, 3 * c), nn.Linear(c, c)

        def forward(self, x):
            b, n, c = x.shape
            q, k, v = self.qkv(x).view(b, n, 3, self.h, c // self.h).permute(2, 0, 3, 1, 4)
            s = q @ k.transpose(-1, -2) * (c // self.h) ** -0.5
            p = torch.sigmoid(s - math.log(n)) if wrong else torch.softmax(s, -1)
            return self.o((p @ v).transpose(1, 2).reshape(b, n, c))

    return nn.Sequential(
        nn.Linear(10, 32), A(32, 4), nn.LayerNorm(32), A(32, 4), nn.Linear(32, 2)
    ), [torch.randn(2, 15, 10), torch.randn(3, 12, 10)]
