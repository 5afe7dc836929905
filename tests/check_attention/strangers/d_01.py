import math, torch
from torch import nn
from torch.nn import functional as F


def gpt_scale_total_width(wrong=True):
    """scale | Scores are divided by the root of n_embd instead of the head size. Right twin: q alone is multiplied by head_dim ** -0.5."""

    class Block(nn.Module):
        def __init__(s, c=64, h=4):
            super().__init__()
            s.h = h
            s.c_attn = nn.Linear(c, 3 * c)
            s.c_proj = nn.Linear(c, c)
            s.ln = nn.LayerNorm(c)

        def forward(s, x):
            B, T, C = x.shape
            q, k, v = s.c_attn(s.ln(x)).split(C, 2)
            q, k, v = (t.view(B, T, s.h, C // s.h).transpose(1, 2) for t in (q, k, v))
            q = q * (C if wrong else C // s.h) ** -0.5
            a = q @ k.mT
            a = a.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), float("-inf"))
            y = a.softmax(-1) @ v
            return x + s.c_proj(y.transpose(1, 2).reshape(B, T, C))

    return nn.Sequential(Block(), Block()), [torch.randn(3, 12, 64) for _ in range(2)]


def sdpa_prescaled(wrong=True):
    """scale | q is scaled before F.scaled_dot_product_attention, which scales again. Right twin: q and k each carry d ** -0.25 and SDPA is told scale=1."""

    class Attn(nn.Module):
        def __init__(s, dim=48, heads=3):
            super().__init__()
            s.heads = heads
            s.to_q = nn.Linear(dim, dim, bias=False)
            s.to_kv = nn.Linear(dim, 2 * dim, bias=False)
            s.out = nn.Linear(dim, dim)

        def forward(s, x):
            q = s.to_q(x).unflatten(-1, (s.heads, -1)).transpose(1, 2)
            k, v = s.to_kv(x).unflatten(-1, (2, s.heads, -1)).permute(2, 0, 3, 1, 4)
            d = q.shape[-1]
            q, k = q * d**-0.25, k * d**-0.25
            o = (
                F.scaled_dot_product_attention(q, k, v)
                if wrong
                else F.scaled_dot_product_attention(q, k, v, scale=1.0)
            )
            return s.out(o.transpose(1, 2).flatten(2))

    return Attn(), [torch.randn(2, 10, 48) for _ in range(2)]


def rope_partial_scale(wrong=True):
    """scale | MLA style: two summands of the scores (nope and rope), only the content part is divided by the root. Right twin: the sum is divided by the root of both sizes together."""

    class MLA(nn.Module):
        def __init__(s, dim=64, h=4, dn=16, dr=8):
            super().__init__()
            s.h, s.dn, s.dr = h, dn, dr
            s.q = nn.Linear(dim, h * (dn + dr), bias=False)
            s.kv_a = nn.Linear(dim, 32 + dr, bias=False)
            s.norm = nn.LayerNorm(32)
            s.kv_b = nn.Linear(32, h * dn * 2, bias=False)
            s.o = nn.Linear(h * dn, dim, bias=False)

        def rope(s, x):
            T = x.shape[1]
            f = 10000 ** (-torch.arange(0, s.dr, 2) / s.dr)
            a = torch.arange(T)[:, None] * f
            c, n = a.cos()[None, :, None], a.sin()[None, :, None]
            x1, x2 = x.chunk(2, -1)
            return torch.cat([x1 * c - x2 * n, x1 * n + x2 * c], -1)

        def forward(s, x):
            B, T, _ = x.shape
            qn, qr = s.q(x).view(B, T, s.h, -1).split([s.dn, s.dr], -1)
            c, kr = s.kv_a(x).split([32, s.dr], -1)
            kn, v = s.kv_b(s.norm(c)).view(B, T, s.h, -1).chunk(2, -1)
            qr, kr = s.rope(qr), s.rope(kr.unsqueeze(2)).squeeze(2)
            content = torch.einsum("bthd,bshd->bhts", qn, kn)
            pos = torch.einsum("bthr,bsr->bhts", qr, kr)
            r = (s.dn + s.dr) ** -0.5
            sc = content * r + pos if wrong else (content + pos) * r
            sc = sc + torch.full((T, T), float("-inf")).triu(1)
            return s.o(torch.einsum("bhts,bshd->bthd", sc.softmax(-1), v).flatten(2))

    return MLA(), [torch.randn(2, 9, 64) for _ in range(2)]


def mask_1e_minus_9(wrong=True):
    """mask | Padding keys get 1e-9 instead of -1e9. Right twin: -1e9."""

    class MultiHeadedAttention(nn.Module):
        def __init__(s, h=4, d_model=32):
            super().__init__()
            s.d_k, s.h = d_model // h, h
            s.linears = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(4))

        def forward(s, query, key, value, mask):
            n = query.size(0)
            query, key, value = [
                l(x).view(n, -1, s.h, s.d_k).transpose(1, 2)
                for l, x in zip(s.linears, (query, key, value))
            ]
            scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(s.d_k)
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, 1e-9 if wrong else -1e9)
            x = torch.matmul(scores.softmax(-1), value)
            return s.linears[-1](x.transpose(1, 2).contiguous().view(n, -1, s.h * s.d_k))

    class Enc(nn.Module):
        def __init__(s):
            super().__init__()
            s.emb = nn.Embedding(50, 32, padding_idx=0)
            s.att = MultiHeadedAttention()

        def forward(s, src):
            x = s.emb(src)
            return s.att(x, x, x, (src != 0).unsqueeze(-2))

    def b():
        x = torch.randint(1, 50, (3, 11))
        x[0, 7:] = 0
        x[2, 5:] = 0
        return x

    return Enc(), [b(), b()]


def view_instead_of_transpose(wrong=True):
    """heads | (B, T, C) is viewed as (B, H, T, d) without transpose, and viewed back. Right twin: the projection is channels first, so view(B, H, d, N) is correct."""

    class SpatialAttn(nn.Module):
        def __init__(s, c=32, h=4):
            super().__init__()
            s.h = h
            s.norm = nn.GroupNorm(8, c)
            s.qkv = nn.Conv2d(c, 3 * c, 1)
            s.proj = nn.Conv2d(c, c, 1)

        def forward(s, x):
            b, c, hh, ww = x.shape
            q, k, v = s.qkv(s.norm(x)).flatten(2).chunk(3, 1)
            if wrong:
                q, k, v = (t.transpose(1, 2).reshape(b, s.h, hh * ww, c // s.h) for t in (q, k, v))
            else:
                q, k, v = (t.reshape(b, s.h, c // s.h, hh * ww).transpose(2, 3) for t in (q, k, v))
            a = (q @ k.transpose(2, 3) / math.sqrt(c // s.h)).softmax(-1)
            o = a @ v
            if wrong:
                o = o.reshape(b, hh * ww, c).transpose(1, 2)
            else:
                o = o.transpose(2, 3).reshape(b, c, hh * ww)
            return x + s.proj(o.reshape(b, c, hh, ww))

    return SpatialAttn(), [torch.randn(2, 32, 4, 5) for _ in range(2)]
