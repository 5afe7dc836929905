import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 26
class _ResidualAttention(nn.Module):
    """RealFormer: raw scores of the layer below are added"""

    def __init__(self, dim, heads, wrong):
        super().__init__()
        self.heads, self.head_dim, self.wrong = heads, dim // heads, wrong
        self.in_proj = nn.Linear(dim, 3 * dim)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, x, prev=None, key_padding_mask=None):
        B, L, D = x.shape
        q, k, v = (
            t.reshape(B, L, self.heads, self.head_dim).transpose(1, 2)
            for t in self.in_proj(x).tensor_split(3, -1)
        )
        scores = q @ k.mT
        if self.wrong:
            if prev is not None:
                scores = scores + prev
            scores = scores / math.sqrt(self.head_dim)
        else:
            scores = scores / math.sqrt(self.head_dim)
            if prev is not None:
                scores = scores + prev
        masked = scores
        if key_padding_mask is not None:
            masked = scores.masked_fill(key_padding_mask[:, None, None], float("-inf"))
        y = masked.softmax(-1) @ v
        return self.out_proj(y.transpose(1, 2).reshape(B, L, D)), scores


class _RealFormer(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.emb = nn.Embedding(50, 32, padding_idx=0)
        self.layers = nn.ModuleList([_ResidualAttention(32, 4, wrong) for _ in range(3)])
        self.norms = nn.ModuleList([nn.LayerNorm(32) for _ in range(3)])

    def forward(self, tokens):
        pad = tokens.eq(0)
        x, prev = self.emb(tokens), None
        for l, n in zip(self.layers, self.norms):
            y, prev = l(x, prev, pad)
            x = n(x + y)
        return x[:, 0]


def realformer_scales_the_residual_scores(wrong=True):
    """scale | (q·k + prev) / sqrt(d): the scores from below are divided again in each layer. Right twin: q·k / sqrt(d) + prev."""
    t = torch.randint(1, 50, (3, 12))
    t[1, 8:] = 0
    return _RealFormer(wrong), [t]


# ---------------------------------------------------------------- 27
class _UnevenHeads(nn.Module):
    """after pruning: heads of unequal sizes"""

    def __init__(self, dim, sizes, wrong):
        super().__init__()
        self.sizes, self.wrong = list(sizes), wrong
        self.q, self.k, self.v = (nn.Linear(dim, sum(sizes)) for _ in range(3))
        self.o = nn.Linear(sum(sizes), dim)

    def forward(self, x, ctx):
        qs = self.q(x).split(self.sizes, -1)
        ks = self.k(ctx).split(self.sizes, -1)
        vs = self.v(ctx).split(self.sizes, -1)
        outs = []
        for q, k, v in zip(qs, ks, vs):
            d = qs[0].size(-1) if self.wrong else q.size(-1)
            a = torch.einsum("bqd,bkd->bqk", q, k).div(d**0.5).softmax(2)
            outs.append(torch.einsum("bqk,bkd->bqd", a, v))
        return self.o(torch.cat(outs, -1))


class _VQA(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.q_emb, self.i_proj = nn.Embedding(40, 48), nn.Linear(20, 48)
        self.att = _UnevenHeads(48, (6, 12, 36), wrong)
        self.nq, self.ni = nn.LayerNorm(48), nn.LayerNorm(48)
        self.ans = nn.Linear(48, 9)

    def forward(self, question, regions):
        q = self.nq(self.q_emb(question))
        return self.ans((q + self.att(q, self.ni(self.i_proj(regions)))).mean(1))


def uneven_heads_all_by_the_first(wrong=True):
    """scale | heads of 6, 12 and 36 are all divided by sqrt(6). Right twin: each by the root of its own size."""
    return _VQA(wrong), [(torch.randint(0, 40, (2, 7)), torch.randn(2, 15, 20))]


# ---------------------------------------------------------------- 28
def _chunked_attention(q, k, v, chunk=8, wrong=True):
    B, H, N, D = q.shape
    kt = k.transpose(-1, -2)
    out = torch.empty_like(q)
    full = N // chunk * chunk
    for s in range(0, full, chunk):
        a = torch.matmul(q[:, :, s : s + chunk] * D**-0.5, kt)
        out[:, :, s : s + chunk] = torch.matmul(a.softmax(-1), v)
    if full < N:
        rest = q[:, :, full:] if wrong else q[:, :, full:] * D**-0.5
        out[:, :, full:] = torch.matmul(torch.matmul(rest, kt).softmax(-1), v)
    return out


class _SlicedAttention(nn.Module):
    def __init__(self, c, heads, wrong):
        super().__init__()
        self.heads, self.wrong = heads, wrong
        self.to_q, self.to_k, self.to_v = (nn.Linear(c, c, bias=False) for _ in range(3))
        self.to_out = nn.Linear(c, c)

    def forward(self, x, context=None):
        context = x if context is None else context
        split = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        q, k, v = split(self.to_q(x)), split(self.to_k(context)), split(self.to_v(context))
        return self.to_out(_chunked_attention(q, k, v, wrong=self.wrong).transpose(1, 2).flatten(2))


class _LatentDenoiser(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.inp, self.out = nn.Linear(4, 64), nn.Linear(64, 4)
        self.text = nn.Embedding(30, 64)
        self.n1, self.n2 = nn.LayerNorm(64), nn.LayerNorm(64)
        self.self_attn, self.cross = _SlicedAttention(64, 4, wrong), _SlicedAttention(64, 4, wrong)

    def forward(self, z, prompt):
        h = self.inp(z)
        h = h + self.self_attn(self.n1(h))
        h = h + self.cross(self.n2(h), self.text(prompt))
        return self.out(h)


def sliced_attention_remainder_unscaled(wrong=True):
    """scale | the last, incomplete slice of queries is not scaled (rows 32 to 36 of 37). Right twin: all rows."""
    return _LatentDenoiser(wrong), [(torch.randn(2, 37, 4), torch.randint(0, 30, (2, 9)))]


# ---------------------------------------------------------------- 29
class _NormGainAttention(nn.Module):
    def __init__(self, dim, heads, wrong):
        super().__init__()
        self.heads, self.hd = heads, dim // heads
        self.q, self.kv, self.o = (
            nn.Linear(dim, dim, bias=False),
            nn.Linear(dim, 2 * dim, bias=False),
            nn.Linear(dim, dim),
        )
        self.q_norm, self.k_norm = nn.RMSNorm(self.hd), nn.RMSNorm(self.hd)
        nn.init.constant_(
            self.q_norm.weight, self.hd**-0.5
        )  # the scale lives in the gain of q_norm
        self.sdpa_scale = None if wrong else 1.0

    def forward(self, x):
        B, N, C = x.shape
        q = self.q_norm(self.q(x).view(B, N, self.heads, self.hd)).transpose(1, 2)
        k, v = self.kv(x).view(B, N, 2, self.heads, self.hd).unbind(2)
        k, v = self.k_norm(k).transpose(1, 2), v.transpose(1, 2)
        o = F.scaled_dot_product_attention(q, k, v, scale=self.sdpa_scale)
        return self.o(o.transpose(1, 2).reshape(B, N, C))


class _DiT(nn.Module):
    def __init__(self, wrong, dim=48):
        super().__init__()
        self.x = nn.Linear(12, dim)
        self.t = nn.Sequential(nn.Linear(1, dim), nn.SiLU(), nn.Linear(dim, 2 * dim))
        self.n = nn.ModuleList([nn.LayerNorm(dim, elementwise_affine=False) for _ in range(2)])
        self.a = nn.ModuleList([_NormGainAttention(dim, 3, wrong) for _ in range(2)])
        self.out = nn.Linear(dim, 12)

    def forward(self, x, t):
        h = self.x(x)
        shift, scale = self.t(t[:, None]).unsqueeze(1).chunk(2, -1)
        for n, a in zip(self.n, self.a):
            h = h + a(n(h) * (1 + scale) + shift)
        return self.out(h)


def scale_in_the_gain_of_q_norm_and_in_sdpa(wrong=True):
    """scale | q_norm's weight starts at 1/sqrt(d) and SDPA divides by sqrt(d) as well. Right twin: SDPA with scale=1.0."""
    return _DiT(wrong), [(torch.randn(2, 16, 12), torch.rand(2))]


# ---------------------------------------------------------------- 30
class _Exp2Attention(nn.Module):
    """like the fused kernels: softmax in base 2"""

    def __init__(self, dim, heads, wrong):
        super().__init__()
        self.H, self.D = heads, dim // heads
        self.w_qkv, self.w_o = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.wrong = wrong

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.w_qkv(x).view(B, T, 3, self.H, self.D).permute(2, 0, 3, 1, 4)
        sm_scale = 1.0 / math.sqrt(self.D)
        qk_scale = sm_scale * 1.44269504  # 1 / log(2)
        qk = torch.matmul(q, k.transpose(-1, -2)) * qk_scale
        keep = torch.tril(torch.ones(T, T, dtype=torch.bool, device=x.device))
        qk = torch.where(keep, qk, float("-inf"))
        m = qk.amax(-1, keepdim=True)
        p = torch.exp(qk - m) if self.wrong else torch.exp2(qk - m)
        p = p / p.sum(-1, keepdim=True)
        return self.w_o(torch.matmul(p, v).transpose(1, 2).reshape(B, T, C))


class _ByteLM(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.e, self.p = nn.Embedding(256, 32), nn.Embedding(24, 32)
        self.a = nn.ModuleList([_Exp2Attention(32, 2, wrong) for _ in range(2)])
        self.n = nn.ModuleList([nn.LayerNorm(32) for _ in range(3)])

    def forward(self, b):
        x = self.e(b) + self.p.weight[: b.shape[1]]
        for a, n in zip(self.a, self.n):
            x = x + a(n(x))
        return self.n[2](x) @ self.e.weight.T


def base_two_factor_with_natural_exp(wrong=True):
    """scale | the scores carry log2(e), but exp is taken and not exp2: 1.44 times too steep. Right twin: exp2."""
    return _ByteLM(wrong), [torch.randint(0, 256, (2, 20))]
