import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 6
class FullAttention(nn.Module):
    def __init__(self, mask_flag=False, scale=None, attention_dropout=0.1, axis=-1):
        super().__init__()
        self.scale = scale
        self.mask_flag = mask_flag
        self.axis = axis
        self.dropout = nn.Dropout(attention_dropout)

    def forward(self, queries, keys, values):
        scale = self.scale or 1.0 / math.sqrt(queries.shape[self.axis])
        scores = torch.einsum("blhe,bshe->bhls", queries, keys)
        if self.mask_flag:
            L, S = scores.shape[-2:]
            m = torch.triu(torch.ones(L, S, dtype=torch.bool, device=scores.device), diagonal=1)
            scores.masked_fill_(m, -float("inf"))
        A = self.dropout(torch.softmax(scale * scores, dim=-1))
        V = torch.einsum("bhls,bshd->blhd", A, values)
        return V.contiguous()


class AttentionLayer(nn.Module):
    def __init__(self, attention, d_model, n_heads):
        super().__init__()
        self.inner_attention = attention
        self.query_projection = nn.Linear(d_model, d_model)
        self.key_projection = nn.Linear(d_model, d_model)
        self.value_projection = nn.Linear(d_model, d_model)
        self.out_projection = nn.Linear(d_model, d_model)
        self.n_heads = n_heads

    def forward(self, q, k, v):
        B, L, _ = q.shape
        S, H = k.shape[1], self.n_heads
        q = self.query_projection(q).view(B, L, H, -1)
        k = self.key_projection(k).view(B, S, H, -1)
        v = self.value_projection(v).view(B, S, H, -1)
        return self.out_projection(self.inner_attention(q, k, v).view(B, L, -1))


class _Forecaster(nn.Module):
    def __init__(self, axis, c_in=7, d_model=32, n_heads=4, pred=8):
        super().__init__()
        self.pred = pred
        self.enc_emb = nn.Conv1d(c_in, d_model, 3, padding=1, padding_mode="circular")
        self.dec_emb = nn.Conv1d(c_in, d_model, 1)
        mk = lambda flag: AttentionLayer(FullAttention(flag, axis=axis), d_model, n_heads)
        self.enc, self.dec_self, self.dec_cross = mk(False), mk(True), mk(False)
        self.n1, self.n2, self.n3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.projection = nn.Linear(d_model, c_in)

    def forward(self, x_enc, x_dec):
        e = self.enc_emb(x_enc.transpose(1, 2)).transpose(1, 2)
        e = self.n1(e + self.enc(e, e, e))
        d = self.dec_emb(x_dec.transpose(1, 2)).transpose(1, 2)
        d = self.n2(d + self.dec_self(d, d, d))
        d = self.n3(d + self.dec_cross(d, e, e))
        return self.projection(d)[:, -self.pred :]


def timeseries_root_of_length(wrong=True):
    """scale | the scale is the root of queries.shape[1], the length in time. Right twin: of shape[-1], the head's size."""
    return _Forecaster(1 if wrong else -1), [(torch.randn(3, 36, 7), torch.randn(3, 20, 7))]


# ---------------------------------------------------------------- 7
class _SASRec(nn.Module):
    def __init__(self, item_num, hidden=40, maxlen=18, heads=2, blocks=2, pre_scale=True):
        super().__init__()
        self.item_emb = nn.Embedding(item_num + 1, hidden, padding_idx=0)
        self.pos_emb = nn.Embedding(maxlen + 1, hidden, padding_idx=0)
        self.hidden, self.heads, self.pre_scale = hidden, heads, pre_scale
        self.attention_layernorms = nn.ModuleList(
            [nn.LayerNorm(hidden, eps=1e-8) for _ in range(blocks)]
        )
        self.attention_layers = nn.ModuleList(
            [nn.MultiheadAttention(hidden, heads, 0.2) for _ in range(blocks)]
        )
        self.forward_layernorms = nn.ModuleList(
            [nn.LayerNorm(hidden, eps=1e-8) for _ in range(blocks)]
        )
        self.ffs = nn.ModuleList(
            [
                nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
                for _ in range(blocks)
            ]
        )
        self.last = nn.LayerNorm(hidden, eps=1e-8)
        for p in (self.item_emb.weight, self.pos_emb.weight):
            nn.init.xavier_normal_(p)
            p.data[0] = 0

    def forward(self, log_seqs):
        seqs = self.item_emb(log_seqs)
        seqs = seqs * self.hidden**0.5
        poss = torch.arange(1, log_seqs.shape[1] + 1, device=log_seqs.device).expand_as(log_seqs)
        seqs = seqs + self.pos_emb(poss)
        tl = seqs.shape[1]
        causal = ~torch.tril(torch.ones(tl, tl, dtype=torch.bool, device=seqs.device))
        for ln, attn, fln, ff in zip(
            self.attention_layernorms, self.attention_layers, self.forward_layernorms, self.ffs
        ):
            x = seqs.transpose(0, 1)
            Q = ln(x)
            if self.pre_scale:
                Q = Q / math.sqrt(self.hidden // self.heads)
            out, _ = attn(Q, x, x, attn_mask=causal, need_weights=False)
            seqs = (ln(x) + out).transpose(0, 1)
            seqs = fln(seqs)
            seqs = seqs + ff(seqs)
        return self.last(seqs) @ self.item_emb.weight.t()


def sasrec_scaled_before_mha(wrong=True):
    """scale | queries are divided by sqrt(d) before nn.MultiheadAttention, which divides too. Right twin: no division outside."""
    return _SASRec(80, pre_scale=wrong), [
        torch.randint(1, 81, (4, 18)),
        torch.randint(1, 81, (2, 10)),
    ]


# ---------------------------------------------------------------- 8
class _QKVAttentionLegacy(nn.Module):
    def __init__(self, n_heads, roots):
        super().__init__()
        self.n_heads = n_heads
        self.roots = roots

    def forward(self, qkv):
        bs, width, length = qkv.shape
        assert width % (3 * self.n_heads) == 0
        ch = width // (3 * self.n_heads)
        q, k, v = qkv.reshape(bs * self.n_heads, ch * 3, length).split(ch, dim=1)
        scale = 1 / math.sqrt(ch)
        if self.roots == 2:
            scale = math.sqrt(scale)
        weight = torch.einsum("bct,bcs->bts", q * scale, k * scale)
        weight = torch.softmax(weight.float(), dim=-1).type(weight.dtype)
        a = torch.einsum("bts,bcs->bct", weight, v)
        return a.reshape(bs, -1, length)


class _AttentionBlock(nn.Module):
    def __init__(self, channels, n_heads, roots):
        super().__init__()
        self.norm = nn.GroupNorm(8, channels)
        self.qkv = nn.Conv1d(channels, channels * 3, 1)
        self.attention = _QKVAttentionLegacy(n_heads, roots)
        self.proj_out = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        b, c, *spatial = x.shape
        x = x.reshape(b, c, -1)
        h = self.proj_out(self.attention(self.qkv(self.norm(x))))
        return (x + h).reshape(b, c, *spatial)


class _TinyUNet(nn.Module):
    def __init__(self, roots, ch=32):
        super().__init__()
        self.time = nn.Linear(1, ch)
        self.inp = nn.Conv2d(3, ch, 3, padding=1)
        self.down = nn.Conv2d(ch, ch, 3, stride=2, padding=1)
        self.mid = _AttentionBlock(ch, 4, roots)
        self.up = nn.ConvTranspose2d(ch, ch, 2, stride=2)
        self.out = nn.Conv2d(2 * ch, 3, 3, padding=1)

    def forward(self, x, t):
        h0 = self.inp(x) + self.time(t[:, None])[:, :, None, None]
        h = self.up(self.mid(F.silu(self.down(h0))))
        return self.out(torch.cat([h0, h], 1))


def guided_diffusion_one_root_on_both(wrong=True):
    """scale | 1/sqrt(ch) on q and on k, together 1/ch. Right twin: 1/sqrt(sqrt(ch)) on both."""
    return _TinyUNet(1 if wrong else 2), [(torch.randn(2, 3, 12, 12), torch.rand(2))]


# ---------------------------------------------------------------- 9
class _AttnBlock(nn.Module):
    def __init__(self, in_channels, by_pixels):
        super().__init__()
        self.norm = nn.GroupNorm(4, in_channels, eps=1e-6)
        self.q = nn.Conv2d(in_channels, in_channels, 1)
        self.k = nn.Conv2d(in_channels, in_channels, 1)
        self.v = nn.Conv2d(in_channels, in_channels, 1)
        self.proj_out = nn.Conv2d(in_channels, in_channels, 1)
        self.by_pixels = by_pixels

    def forward(self, x):
        h_ = self.norm(x)
        q, k, v = self.q(h_), self.k(h_), self.v(h_)
        b, c, h, w = q.shape
        q = q.reshape(b, c, h * w).permute(0, 2, 1)
        k = k.reshape(b, c, h * w)
        w_ = torch.bmm(q, k)
        w_ = w_ * (int(q.shape[1] if self.by_pixels else q.shape[2]) ** (-0.5))
        w_ = F.softmax(w_, dim=2)
        v = v.reshape(b, c, h * w)
        h_ = torch.bmm(v, w_.permute(0, 2, 1)).reshape(b, c, h, w)
        return x + self.proj_out(h_)


def vqgan_attnblock_permuted_shape(wrong=True):
    """scale | after the permute the code takes shape[1], the pixels (64), as channels. Right twin: shape[2], the channels (24)."""
    m = nn.Sequential(
        nn.Conv2d(3, 24, 3, stride=2, padding=1),
        _AttnBlock(24, wrong),
        nn.SiLU(),
        nn.Conv2d(24, 24, 3, padding=1),
        _AttnBlock(24, wrong),
        nn.Conv2d(24, 4, 1),
    )
    return m, [torch.randn(2, 3, 16, 16)]


# ---------------------------------------------------------------- 10
def _attention_wrong(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / d_k**1 / 2
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


def _attention_right(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / d_k ** (1 / 2)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, fn, dropout=0.1):
        super().__init__()
        self.d_k, self.h, self.fn = d_model // h, h, fn
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(4)])
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nb = query.size(0)
        query, key, value = [
            lin(x).view(nb, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = self.fn(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nb, -1, self.h * self.d_k)
        return self.linears[-1](x)


class _Annotated(nn.Module):
    def __init__(self, fn, d=40, h=4, V=30):
        super().__init__()
        self.src_emb, self.tgt_emb = nn.Embedding(V, d), nn.Embedding(V, d)
        self.enc, self.self_attn, self.src_attn = (MultiHeadedAttention(h, d, fn) for _ in range(3))
        self.ne, self.n1, self.n2 = (nn.LayerNorm(d) for _ in range(3))
        self.gen = nn.Linear(d, V)

    def forward(self, src, tgt, src_mask, tgt_mask):
        m = self.src_emb(src)
        n = self.ne(m)
        m = m + self.enc(n, n, n, src_mask)
        x = self.tgt_emb(tgt)
        n = self.n1(x)
        x = x + self.self_attn(n, n, n, tgt_mask)
        x = x + self.src_attn(self.n2(x), m, m, src_mask)
        return F.log_softmax(self.gen(x), dim=-1)


def annotated_power_one_half_precedence(wrong=True):
    """scale | `/ d_k ** 1 / 2` is a division by 2*d_k. Right twin: `/ d_k ** (1 / 2)`."""
    src, tgt = torch.randint(1, 30, (3, 9)), torch.randint(1, 30, (3, 7))
    src[1, 6:] = 0
    sm = (src != 0).unsqueeze(-2)
    tm = torch.tril(torch.ones(1, 7, 7, dtype=torch.bool))
    return _Annotated(_attention_wrong if wrong else _attention_right), [(src, tgt, sm, tm)]
