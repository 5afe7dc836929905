import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 31
class _DiffAttn(nn.Module):
    """differential attention: the difference of two softmax maps"""

    def __init__(self, dim, heads, depth, wrong):
        super().__init__()
        self.h, self.d = heads, dim // heads // 2
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(dim, dim, bias=False) for _ in range(4)
        )
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.lq1, self.lk1, self.lq2, self.lk2 = (
            nn.Parameter(torch.randn(self.d) * 0.1) for _ in range(4)
        )
        self.subln = nn.RMSNorm(2 * self.d)
        self.wrong = wrong

    def forward(self, x):
        b, t, _ = x.shape
        q1, q2 = self.q_proj(x).view(b, t, self.h, 2, self.d).unbind(3)
        k1, k2 = self.k_proj(x).view(b, t, self.h, 2, self.d).unbind(3)
        v = self.v_proj(x).view(b, t, self.h, 2 * self.d)
        s = 1 / math.sqrt(self.d)
        m = torch.full((t, t), float("-inf"), device=x.device).triu(1)
        a1 = F.softmax(torch.einsum("bthd,bshd->bhts", q1, k1) * s + m, -1)
        if self.wrong:
            a2 = F.softmax(torch.einsum("bthd,bshd->bhts", q2, k2) + m, -1)
        else:
            a2 = F.softmax(torch.einsum("bthd,bshd->bhts", q2, k2) * s + m, -1)
        lam = (
            (self.lq1 * self.lk1).sum().exp() - (self.lq2 * self.lk2).sum().exp() + self.lambda_init
        )
        o = torch.einsum("bhts,bshe->bthe", a1 - lam * a2, v)
        return self.out_proj((self.subln(o) * (1 - self.lambda_init)).flatten(2))


class _DiffLM(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.emb = nn.Embedding(60, 64)
        self.l = nn.ModuleList([_DiffAttn(64, 2, i, wrong) for i in range(2)])
        self.n = nn.ModuleList([nn.RMSNorm(64) for _ in range(3)])

    def forward(self, ids):
        x = self.emb(ids)
        for l, n in zip(self.l, self.n):
            x = x + l(n(x))
        return F.linear(self.n[2](x), self.emb.weight)


def differential_second_map_unscaled(wrong=True):
    """scale | of the two maps that are subtracted the second is not scaled. Right twin: both by 1/sqrt(d)."""
    return _DiffLM(wrong), [torch.randint(0, 60, (2, 14))]


# ---------------------------------------------------------------- 32
class _CoreAttention(nn.Module):
    """Megatron: sequence first, query-key layer scaling, baddbmm"""

    def __init__(self, layer_number, head_dim, wrong):
        super().__init__()
        self.coeff = layer_number
        self.norm_factor = math.sqrt(head_dim) * self.coeff
        self.wrong = wrong

    def forward(self, q, k, v, attention_mask):
        sq, b, np_, hn = q.shape
        sk = k.shape[0]
        q, k = q.reshape(sq, b * np_, hn), k.reshape(sk, b * np_, hn)
        buf = torch.empty(b * np_, sq, sk, dtype=q.dtype, device=q.device)
        scores = torch.baddbmm(
            buf,
            q.transpose(0, 1),
            k.transpose(0, 1).transpose(1, 2),
            beta=0.0,
            alpha=1.0 / self.norm_factor,
        ).view(b, np_, sq, sk)
        scores = scores.float()
        if not self.wrong:
            scores = scores * self.coeff
        scores = scores.masked_fill(attention_mask, -10000.0)
        p = torch.softmax(scores, dim=-1).to(v.dtype)
        v = v.reshape(sk, b * np_, hn)
        ctx = torch.bmm(p.view(b * np_, sq, sk), v.transpose(0, 1)).view(b, np_, sq, hn)
        return ctx.permute(2, 0, 1, 3).reshape(sq, b, np_ * hn)


class _MegatronLayer(nn.Module):
    def __init__(self, n, dim, heads, wrong):
        super().__init__()
        self.heads = heads
        self.input_layernorm = nn.LayerNorm(dim)
        self.query_key_value, self.dense = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.core_attention = _CoreAttention(n, dim // heads, wrong)

    def forward(self, h, mask):
        mixed = self.query_key_value(self.input_layernorm(h))
        mixed = mixed.view(h.size(0), h.size(1), self.heads, -1)
        q, k, v = mixed.chunk(3, -1)
        return h + self.dense(self.core_attention(q, k, v, mask))


class _Megatron(nn.Module):
    def __init__(self, wrong, dim=48, heads=4, layers=3):
        super().__init__()
        self.word, self.position = nn.Embedding(75, dim), nn.Embedding(32, dim)
        self.layers = nn.ModuleList(
            [_MegatronLayer(i + 1, dim, heads, wrong) for i in range(layers)]
        )
        self.final = nn.LayerNorm(dim)

    def forward(self, tokens):
        b, s = tokens.shape
        h = (
            (self.word(tokens) + self.position(torch.arange(s, device=tokens.device)))
            .transpose(0, 1)
            .contiguous()
        )
        mask = torch.ones(s, s, device=tokens.device).tril().view(1, 1, s, s) < 0.5
        for l in self.layers:
            h = l(h, mask)
        return F.linear(self.final(h), self.word.weight).transpose(0, 1)


def megatron_layer_coefficient_not_undone(wrong=True):
    """scale | layer n divides by n for fp16 and never multiplies back (layers 2 and 3 are too flat). Right twin: scores * coeff before softmax."""
    return _Megatron(wrong), [torch.randint(0, 75, (2, 16))]
