import math, torch
from torch import nn
from torch.nn import functional as F


def cosine_without_temperature(wrong=True):
    """scale | q and k are L2 normalised and the learned logit scale is built but not applied: the scores stay in [-1, 1] and are further divided by sqrt(d). Right twin: scores times exp(logit_scale) as in Swin V2."""

    class WindowCos(nn.Module):
        def __init__(self, dim=48, num_heads=3):
            super().__init__()
            self.num_heads = num_heads
            self.logit_scale = nn.Parameter(torch.log(10 * torch.ones(num_heads, 1, 1)))
            self.qkv = nn.Linear(dim, dim * 3, bias=False)
            self.proj = nn.Linear(dim, dim)

        def forward(self, x):
            B_, N, C = x.shape
            q, k, v = (
                self.qkv(x).reshape(B_, N, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
            )
            attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
            temp = torch.clamp(self.logit_scale, max=math.log(100.0)).exp()
            attn = attn / math.sqrt(C // self.num_heads) if wrong else attn * temp
            attn = F.softmax(attn, dim=-1)
            return self.proj((attn @ v).transpose(1, 2).reshape(B_, N, C))

    return WindowCos(), [torch.randn(4, 16, 48), torch.randn(2, 16, 48)]


def transformer_xl_position_term_unscaled(wrong=True):
    """scale | Only the content term is divided by sqrt(d), the relative position term is added afterwards unscaled. Right twin: (AC + BD) / sqrt(d)."""

    class RelAttn(nn.Module):
        def __init__(self, d_model=64, n_head=4):
            super().__init__()
            self.n, self.d = n_head, d_model // n_head
            self.qkv_net = nn.Linear(d_model, 3 * d_model, bias=False)
            self.r_net = nn.Linear(d_model, d_model, bias=False)
            self.r_w_bias = nn.Parameter(torch.randn(n_head, self.d) * 0.1)
            self.r_r_bias = nn.Parameter(torch.randn(n_head, self.d) * 0.1)
            self.o_net = nn.Linear(d_model, d_model, bias=False)
            self.register_buffer("inv_freq", 1 / 10000 ** (torch.arange(0, d_model, 2.0) / d_model))

        def forward(self, w):  # w: time first
            T, B, C = w.shape
            q, k, v = self.qkv_net(w).view(T, B, 3, self.n, self.d).unbind(2)
            rel = torch.arange(T)[:, None] - torch.arange(T)[None, :]  # i - j
            sinusoid = rel.float()[..., None] * self.inv_freq
            r = torch.cat([sinusoid.sin(), sinusoid.cos()], -1)
            r = self.r_net(r).view(T, T, self.n, self.d)
            AC = torch.einsum("ibnd,jbnd->bnij", q + self.r_w_bias, k)
            BD = torch.einsum("ibnd,ijnd->bnij", q + self.r_r_bias, r)
            s = 1 / self.d**0.5
            score = AC * s + BD if wrong else (AC + BD) * s
            score = score.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), -1e30)
            p = score.softmax(-1)
            return w + self.o_net(torch.einsum("bnij,jbnd->ibnd", p, v).reshape(T, B, C))

    return RelAttn(), [torch.randn(12, 2, 64), torch.randn(9, 3, 64)]


def log_n_factor_in_place_of_root_d(wrong=True):
    """scale | A query's log-length factor replaces 1/sqrt(d) instead of being multiplied to it, so rows are scaled by log(i)/log(train_len) alone. Right twin: no log-length factor, 1/sqrt(d) for all rows."""

    class LogN(nn.Module):
        def __init__(self, dim=32, heads=2, train_len=8):
            super().__init__()
            self.heads, self.train_len = heads, train_len
            self.qkv = nn.Linear(dim, 3 * dim)
            self.o = nn.Linear(dim, dim)

        def forward(self, x):
            B, T, C = x.shape
            q, k, v = self.qkv(x).chunk(3, dim=-1)
            q, k, v = [t.unflatten(-1, (self.heads, -1)).permute(0, 2, 1, 3) for t in (q, k, v)]
            if wrong:
                pos = torch.arange(1, T + 1).float()
                logn = (pos.log() / math.log(self.train_len)).clamp(min=1.0)
                q = q * logn[None, None, :, None]
                sc = 1.0
            else:
                sc = None
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=sc)
            return self.o(y.permute(0, 2, 1, 3).flatten(2))

    return LogN(), [torch.randn(2, 20, 32), torch.randn(2, 16, 32)]


def mla_scale_of_content_part_only(wrong=True):
    """scale | Latent attention: q and k have nope+rope dims, but the scores are divided by sqrt(nope dim) only. Right twin: sqrt(nope + rope)."""

    def rope(x):  # b t h d
        T, d = x.shape[1], x.shape[-1]
        ang = torch.arange(T)[:, None] / 100 ** (torch.arange(0, d, 2) / d)
        c, s = ang.cos()[None, :, None], ang.sin()[None, :, None]
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)

    class MLA(nn.Module):
        def __init__(self, dim=64, h=4, nope=16, rp=16, vd=16, kv_rank=24):
            super().__init__()
            self.h, self.nope, self.rp, self.vd, self.rank = h, nope, rp, vd, kv_rank
            self.wq = nn.Linear(dim, h * (nope + rp), bias=False)
            self.wkv_a = nn.Linear(dim, kv_rank + rp, bias=False)
            self.kv_norm = nn.RMSNorm(kv_rank)
            self.wkv_b = nn.Linear(kv_rank, h * (nope + vd), bias=False)
            self.wo = nn.Linear(h * vd, dim, bias=False)

        def forward(self, x):
            B, T, _ = x.shape
            q = self.wq(x).view(B, T, self.h, -1)
            qn, qr = q.split([self.nope, self.rp], -1)
            c, kr = self.wkv_a(x).split([self.rank, self.rp], -1)
            kn, v = (
                self.wkv_b(self.kv_norm(c)).view(B, T, self.h, -1).split([self.nope, self.vd], -1)
            )
            q = torch.cat([qn, rope(qr)], -1)
            k = torch.cat([kn, rope(kr[:, :, None]).expand(-1, -1, self.h, -1)], -1)
            s = torch.einsum("bthd,bshd->bhts", q, k) / math.sqrt(
                self.nope if wrong else self.nope + self.rp
            )
            s = s + torch.full((T, T), float("-inf")).triu(1)
            return self.wo(torch.einsum("bhts,bshd->bthd", s.softmax(-1), v).flatten(2))

    return MLA(), [torch.randn(2, 10, 64), torch.randn(2, 7, 64)]


def shifted_window_mask_inverted(wrong=True):
    """mask | The shifted-window mask is built but filled the wrong way round: the windows' foreign regions are attended to. Right twin: -100 where regions differ."""

    class Swin1d(nn.Module):
        def __init__(self, dim=32, heads=2, ws=4, shift=2, n=16):
            super().__init__()
            self.ws, self.shift, self.heads = ws, shift, heads
            self.scale = (dim // heads) ** -0.5
            self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
            ids = torch.zeros(n)
            ids[n - ws : n - shift] = 1
            ids[n - shift :] = 2
            ids = ids.view(n // ws, ws)
            d = ids[:, None, :] - ids[:, :, None]
            m = (
                d.masked_fill(d == 0, -100.0).masked_fill(d != 0, 0.0)
                if wrong
                else d.masked_fill(d != 0, -100.0).masked_fill(d == 0, 0.0)
            )
            self.register_buffer("attn_mask", m)

        def forward(self, x):
            B, N, C = x.shape
            y = torch.roll(x, -self.shift, 1).view(B * N // self.ws, self.ws, C)
            q, k, v = (
                self.qkv(y).view(-1, self.ws, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
            )
            a = (q * self.scale) @ k.transpose(-2, -1)
            nw = N // self.ws
            a = a.view(B, nw, self.heads, self.ws, self.ws) + self.attn_mask[None, :, None]
            a = a.view(-1, self.heads, self.ws, self.ws).softmax(-1)
            y = self.proj((a @ v).transpose(1, 2).reshape(-1, self.ws, C)).view(B, N, C)
            return x + torch.roll(y, self.shift, 1)

    return Swin1d(), [torch.randn(2, 16, 32), torch.randn(3, 16, 32)]
