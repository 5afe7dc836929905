import math, torch
from torch import nn
from torch.nn import functional as F


def music_transformer_srel_outside_scale(wrong=True):
    """scale | Relative product q.E (skewed) is added after the division by sqrt(d), unscaled. Right twin: (QK + Srel) / sqrt(d)."""

    class RelativeGlobalAttention(nn.Module):
        def __init__(self, d=64, h=4, max_len=24):
            super().__init__()
            self.h, self.dh, self.max_len = h, d // h, max_len
            self.Wq, self.Wk, self.Wv, self.fc = (nn.Linear(d, d) for _ in range(4))
            self.E = nn.Parameter(torch.randn(max_len, self.dh))

        def skew(self, qe):
            p = F.pad(qe, (1, 0))
            b, h, r, c = p.shape
            return p.reshape(b, h, c, r)[:, :, 1:, :]

        def forward(self, x):
            b, n, d = x.shape
            q, k, v = (
                w(x).view(b, n, self.h, self.dh).permute(0, 2, 1, 3)
                for w in (self.Wq, self.Wk, self.Wv)
            )
            srel = self.skew(torch.einsum("bhld,md->bhlm", q, self.E[self.max_len - n :]))
            qk = q @ k.permute(0, 1, 3, 2)
            if wrong:
                logits = qk / math.sqrt(self.dh) + srel
            else:
                logits = (qk + srel) / math.sqrt(self.dh)
            logits = logits + torch.triu(torch.ones(n, n), 1) * -1e9
            return self.fc((F.softmax(logits, -1) @ v).permute(0, 2, 1, 3).reshape(b, n, d))

    return RelativeGlobalAttention(), [torch.randn(2, 12, 64), torch.randn(2, 18, 64)]


def learned_temperature_good_mask_one_late(wrong=True):
    """mask | q and k RMS-normalised with a learned per-head temperature; the causal mask begins one place too late (triu(2)), each token sees the next one. Right twin: triu(1)."""

    class QKNorm(nn.Module):
        def __init__(self, dim=48, heads=4):
            super().__init__()
            self.heads, self.hd = heads, dim // heads
            self.wqkv, self.wo = (
                nn.Linear(dim, 3 * dim, bias=False),
                nn.Linear(dim, dim, bias=False),
            )
            self.q_norm, self.k_norm = nn.RMSNorm(self.hd), nn.RMSNorm(self.hd)
            self.temperature = nn.Parameter(torch.full((heads, 1, 1), self.hd**-0.5))

        def forward(self, x):
            b, t, _ = x.shape
            q, k, v = self.wqkv(x).view(b, t, 3, self.heads, self.hd).unbind(2)
            q, k, v = (
                self.q_norm(q).transpose(1, 2),
                self.k_norm(k).transpose(1, 2),
                v.transpose(1, 2),
            )
            s = (q @ k.transpose(-1, -2)) * self.temperature
            s = s + torch.full((t, t), float("-inf")).triu(2 if wrong else 1)
            return self.wo((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

    return QKNorm(), [torch.randn(2, 9, 48), torch.randn(3, 13, 48)]


def shifted_window_roll_other_way(wrong=True):
    """mask | Shifted windows are rolled by +shift while the mask is built for -shift: the last window's mask lies on neighbours and the first window mixes both ends of the image. Right twin: roll by -shift."""

    class ShiftBlock(nn.Module):
        def __init__(self, dim=32, heads=4, ws=4, shift=1, size=8):
            super().__init__()
            self.heads, self.ws, self.shift = heads, ws, shift
            self.norm = nn.LayerNorm(dim)
            self.qkv, self.proj = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)
            img = torch.zeros(1, size, size, 1)
            cnt = 0
            for hs in (slice(0, -ws), slice(-ws, -shift), slice(-shift, None)):
                for wsl in (slice(0, -ws), slice(-ws, -shift), slice(-shift, None)):
                    img[:, hs, wsl] = cnt
                    cnt += 1
            w = self.part(img).squeeze(-1)
            self.register_buffer("mask", (w[:, None] - w[:, :, None]).ne(0).float() * -100.0)

        def part(self, x):
            B, H, W, C = x.shape
            w = self.ws
            return x.view(B, H // w, w, W // w, w, C).transpose(2, 3).reshape(-1, w * w, C)

        def forward(self, x):  # B H W C
            B, H, W, C = x.shape
            s = self.shift if wrong else -self.shift
            y = self.part(torch.roll(self.norm(x), (s, s), (1, 2)))
            n = y.shape[1]
            q, k, v = (
                self.qkv(y).reshape(-1, n, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
            )
            m = self.mask.repeat(B, 1, 1).unsqueeze(1)
            y = (
                F.scaled_dot_product_attention(q, k, v, attn_mask=m)
                .transpose(1, 2)
                .reshape(-1, n, C)
            )
            y = (
                self.proj(y)
                .view(B, H // self.ws, W // self.ws, self.ws, self.ws, C)
                .transpose(2, 3)
                .reshape(B, H, W, C)
            )
            return x + torch.roll(y, (-s, -s), (1, 2))

    return ShiftBlock(), [torch.randn(2, 8, 8, 32), torch.randn(3, 8, 8, 32)]


def scores_doubled_by_minus_negative(wrong=True):
    """scale | logits = scores - (penalty - scores): the scores are in it twice. Right twin: logits = scores - penalty."""

    class DistanceAware(nn.Module):
        def __init__(self, dim=48, heads=4):
            super().__init__()
            self.heads = heads
            self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
            self.sharp = nn.Parameter(torch.full((heads,), 0.3))

        def forward(self, feats, xyz):
            B, N, C = feats.shape
            h = lambda t: t.view(B, N, self.heads, -1).permute(0, 2, 1, 3)
            q, k, v = h(self.q(feats)), h(self.k(feats)), h(self.v(feats))
            energy = torch.einsum("bhid,bhjd->bhij", q, k) * (C // self.heads) ** -0.5
            penalty = self.sharp.view(1, -1, 1, 1) * torch.cdist(xyz, xyz)[:, None]
            cost = penalty - energy
            logits = energy - cost if wrong else -cost
            return feats + torch.einsum("bhij,bhjd->bihd", logits.softmax(-1), v).reshape(B, N, C)

    return DistanceAware(), [
        (torch.randn(2, 15, 48), torch.randn(2, 15, 3)),
        (torch.randn(3, 10, 48), torch.randn(3, 10, 3)),
    ]


def autocast_sdpa_prescaled_query(wrong=True):
    """scale | Under bf16 autocast q is scaled by d**-0.5 before scaled_dot_product_attention, which scales again. Right twin: scale=1.0 is passed along with the pre-scaled q."""

    class Attn(nn.Module):
        def __init__(self, dim=64, heads=2):
            super().__init__()
            self.heads = heads
            self.to_q, self.to_kv, self.proj = (
                nn.Linear(dim, dim),
                nn.Linear(dim, 2 * dim),
                nn.Linear(dim, dim),
            )

        def forward(self, x, ctx):
            q = self.to_q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            k, v = self.to_kv(ctx).unflatten(-1, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
            q = q * q.shape[-1] ** -0.5
            kw = {} if wrong else {"scale": 1.0}
            o = F.scaled_dot_product_attention(q, k, v, **kw)
            return self.proj(o.transpose(1, 2).flatten(2))

    @torch.no_grad()
    def forward(model, batch):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return model(*batch).float()

    return (
        Attn(),
        [
            (torch.randn(2, 6, 64), torch.randn(2, 11, 64)),
            (torch.randn(3, 8, 64), torch.randn(3, 9, 64)),
        ],
        forward,
    )
