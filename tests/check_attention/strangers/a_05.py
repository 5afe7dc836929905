import math, torch
from torch import nn
from torch.nn import functional as F
from torch.nn.attention.flex_attention import flex_attention, create_block_mask


# ---------------------------------------------------------------- 21
class _FlexAlibi(nn.Module):
    def __init__(self, dim=64, heads=4, again=True):
        super().__init__()
        self.h, self.hd, self.again = heads, dim // heads, again
        self.wqkv, self.wo = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.register_buffer(
            "slopes", torch.tensor([2 ** (-8 * (i + 1) / heads) for i in range(heads)])
        )

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.wqkv(x).view(b, t, 3, self.h, self.hd).permute(2, 0, 3, 1, 4)
        slopes = self.slopes

        def alibi(score, b, h, q_idx, kv_idx):
            return score + slopes[h] * (kv_idx - q_idx)

        def scaled_alibi(score, b, h, q_idx, kv_idx):
            return score * 16**-0.5 + slopes[h] * (kv_idx - q_idx)

        bm = create_block_mask(lambda b, h, i, j: i >= j, None, None, t, t, device="cpu")
        y = flex_attention(q, k, v, score_mod=scaled_alibi if self.again else alibi, block_mask=bm)
        return self.wo(y.transpose(1, 2).reshape(b, t, c))


class _FlexLM(nn.Module):
    def __init__(self, mk):
        super().__init__()
        self.emb = nn.Embedding(64, 64)
        self.layers = nn.ModuleList([mk() for _ in range(2)])
        self.norms = nn.ModuleList([nn.RMSNorm(64) for _ in range(3)])

    def forward(self, ids):
        x = self.emb(ids)
        for l, n in zip(self.layers, self.norms):
            x = x + l(n(x))
        return self.norms[-1](x) @ self.emb.weight.t()


def flex_score_mod_scales_again(wrong=True):
    """scale | score_mod multiplies by 1/sqrt(d), which flex_attention has done already. Right twin: only ALiBi in score_mod."""
    return _FlexLM(lambda: _FlexAlibi(again=wrong)), [torch.randint(0, 64, (2, 16))]


# ---------------------------------------------------------------- 22
def _softcap_wrong(score, b, h, q_idx, kv_idx):
    return 20.0 * torch.tanh(score)


def _softcap_right(score, b, h, q_idx, kv_idx):
    return 20.0 * torch.tanh(score / 20.0)


class _FlexCapGQA(nn.Module):
    def __init__(self, wrong, dim=64, heads=8, kv=2):
        super().__init__()
        self.h, self.kv, self.hd = heads, kv, dim // heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, kv * self.hd, bias=False)
        self.v = nn.Linear(dim, kv * self.hd, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)
        self.score_mod = _softcap_wrong if wrong else _softcap_right

    def forward(self, x):
        b, t, c = x.shape
        q = self.q(x).view(b, t, self.h, self.hd).transpose(1, 2)
        k = self.k(x).view(b, t, self.kv, self.hd).transpose(1, 2)
        v = self.v(x).view(b, t, self.kv, self.hd).transpose(1, 2)
        bm = create_block_mask(
            lambda b, h, i, j: (i >= j) & (i - j < 8), None, None, t, t, device="cpu"
        )
        y = flex_attention(q, k, v, score_mod=self.score_mod, block_mask=bm, enable_gqa=True)
        return self.o(y.transpose(1, 2).flatten(2))


def flex_softcap_without_inner_division(wrong=True):
    """scale | cap * tanh(score), 20 times steeper. Right twin: cap * tanh(score / cap)."""
    return _FlexLM(lambda: _FlexCapGQA(wrong)), [torch.randint(0, 64, (2, 18))]


# ---------------------------------------------------------------- 23
class _Cfg:
    hidden_size = 48
    num_attention_heads = 4
    num_key_value_heads = 2
    head_dim = 16
    query_pre_attn_scalar = 16
    attn_logit_softcapping = 3.0


class _Gemma2Attention(nn.Module):
    def __init__(self, config, cap_first):
        super().__init__()
        self.config = config
        h, kv, d = config.num_attention_heads, config.num_key_value_heads, config.head_dim
        self.scaling = config.query_pre_attn_scalar**-0.5
        self.q_proj = nn.Linear(config.hidden_size, h * d, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, kv * d, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, kv * d, bias=False)
        self.o_proj = nn.Linear(h * d, config.hidden_size, bias=False)
        self.cap_first = cap_first

    def forward(self, x, mask):
        B, T, _ = x.shape
        d = self.config.head_dim
        g = self.config.num_attention_heads // self.config.num_key_value_heads
        q = self.q_proj(x).view(B, T, -1, d).transpose(1, 2)
        k = self.k_proj(x).view(B, T, -1, d).transpose(1, 2).repeat_interleave(g, 1)
        v = self.v_proj(x).view(B, T, -1, d).transpose(1, 2).repeat_interleave(g, 1)
        cap = self.config.attn_logit_softcapping
        w = torch.matmul(q, k.transpose(2, 3))
        if self.cap_first:
            w = torch.tanh(w / cap) * cap
            w = w * self.scaling
        else:
            w = w * self.scaling
            w = torch.tanh(w / cap) * cap
        w = w + mask
        w = F.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype)
        return self.o_proj((w @ v).transpose(1, 2).reshape(B, T, -1))


class _Gemma2(nn.Module):
    def __init__(self, cap_first):
        super().__init__()
        self.emb = nn.Embedding(70, 48)
        self.l = nn.ModuleList([_Gemma2Attention(_Cfg, cap_first) for _ in range(2)])
        self.pre = nn.ModuleList([nn.RMSNorm(48) for _ in range(2)])
        self.post = nn.ModuleList([nn.RMSNorm(48) for _ in range(2)])

    def forward(self, ids):
        x = self.emb(ids)
        T = ids.shape[1]
        mask = torch.full((T, T), torch.finfo(x.dtype).min).triu(1)[None, None]
        for a, n, p in zip(self.l, self.pre, self.post):
            x = x + p(a(n(x), mask))
        return x @ self.emb.weight.t()


def gemma2_cap_before_scaling(wrong=True):
    """scale | the soft cap is taken of q·k before the scaling, which shrinks the cap to cap/sqrt(d). Right twin: scaled, then capped."""
    return _Gemma2(wrong), [torch.randint(0, 70, (3, 12))]


# ---------------------------------------------------------------- 24
class _GaussianKernelAttention(nn.Module):
    """exp(-|q - k|^2 / (2 sqrt(d))) over the points of a cloud"""

    def __init__(self, dim, heads, act):
        super().__init__()
        self.heads = heads
        self.to_q, self.to_k, self.to_v, self.to_o = (
            nn.Linear(dim, dim, bias=False) for _ in range(4)
        )
        self.act = act

    def forward(self, pts):
        B, N, C = pts.shape
        f = lambda lin: lin(pts).view(B, N, self.heads, C // self.heads).transpose(1, 2)
        q, k, v = f(self.to_q), f(self.to_k), f(self.to_v)
        dist = (
            q.pow(2).sum(-1, keepdim=True)
            + k.pow(2).sum(-1).unsqueeze(-2)
            - 2 * q @ k.transpose(-1, -2)
        )
        dist = 0.5 * dist / math.sqrt(q.size(-1))
        w = self.act(dist, dim=-1)
        return self.to_o((w @ v).transpose(1, 2).reshape(B, N, C))


class _PointNet(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.inp = nn.Sequential(nn.Linear(3, 48), nn.GELU(), nn.Linear(48, 48))
        self.n1, self.n2 = nn.LayerNorm(48), nn.LayerNorm(48)
        self.a1, self.a2 = (
            _GaussianKernelAttention(48, 3, act),
            _GaussianKernelAttention(48, 3, act),
        )
        self.cls = nn.Linear(48, 8)

    def forward(self, p):
        x = self.inp(p)
        x = x + self.a1(self.n1(x))
        x = x + self.a2(self.n2(x))
        return self.cls(x.amax(1))


def points_softmax_of_a_distance(wrong=True):
    """scale | softmax over positive squared distances: the farthest key gets most (wrong sign). Right twin: softmin."""
    return _PointNet(F.softmax if wrong else F.softmin), [torch.randn(3, 30, 3)]


# ---------------------------------------------------------------- 25
class _CosineAttention(nn.Module):
    def __init__(self, dim, heads, sdpa_kw):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim)
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones(heads, 1, 1)))
        self.sdpa_kw = sdpa_kw

    def forward(self, x):
        B, L, C = x.shape
        q, k, v = self.qkv(x).reshape(B, L, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        tau = self.logit_scale.clamp(max=math.log(100.0)).exp()
        q, k = F.normalize(q, dim=-1) * tau, F.normalize(k, dim=-1)
        y = F.scaled_dot_product_attention(q, k, v, **self.sdpa_kw)
        return self.proj(y.transpose(1, 2).reshape(B, L, C))


class _AudioTagger(nn.Module):
    def __init__(self, kw):
        super().__init__()
        self.patch = nn.Conv2d(1, 64, (16, 4), stride=(16, 4))
        self.a = nn.ModuleList([_CosineAttention(64, 4, kw) for _ in range(2)])
        self.n = nn.ModuleList([nn.LayerNorm(64) for _ in range(2)])
        self.head = nn.Linear(64, 11)

    def forward(self, spec):
        x = self.patch(spec.unsqueeze(1)).flatten(2).transpose(1, 2)
        for a, n in zip(self.a, self.n):
            x = x + n(a(x))
        return self.head(x.mean(1)).sigmoid()


def cosine_attention_with_default_sdpa_scale(wrong=True):
    """scale | cosine attention with its temperature given to SDPA, whose default 1/sqrt(d) comes on top. Right twin: scale=1.0."""
    return _AudioTagger({} if wrong else {"scale": 1.0}), [torch.randn(2, 32, 40)]
