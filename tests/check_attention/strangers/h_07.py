import math, torch
from torch import nn
from torch.nn import functional as F


class _AlibiAttention(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h, self.hd = h, d // h
        self.Wqkv, self.out_proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.register_buffer("slopes", torch.tensor([2 ** (-8 * (i + 1) / h) for i in range(h)]))
        self.wrong = wrong

    def forward(self, x):
        b, s, d = x.shape
        q, k, v = self.Wqkv(x).chunk(3, dim=2)
        q = q.view(b, s, self.h, self.hd).transpose(1, 2)
        k = k.view(b, s, self.h, self.hd).permute(0, 2, 3, 1)
        v = v.view(b, s, self.h, self.hd).transpose(1, 2)
        attn_weight = q.matmul(k) * (1 / math.sqrt(self.hd))
        bias = torch.arange(1 - s, 1)[None, None, None, :] * self.slopes[None, :, None, None]
        attn_weight = attn_weight + bias
        causal = torch.ones(s, s, dtype=torch.bool).tril(-1 if self.wrong else 0)
        attn_weight = attn_weight.masked_fill(~causal.view(1, 1, s, s), torch.finfo(q.dtype).min)
        attn_weight = torch.softmax(attn_weight, dim=-1)
        return self.out_proj(attn_weight.matmul(v).transpose(1, 2).reshape(b, s, d))


class _MPT(nn.Module):
    def __init__(self, wrong, d=64, vocab=77):
        super().__init__()
        self.wte = nn.Embedding(vocab, d)
        self.attn = nn.ModuleList([_AlibiAttention(d, 8, wrong) for _ in range(2)])
        self.norm = nn.ModuleList([nn.LayerNorm(d) for _ in range(3)])

    def forward(self, ids):
        x = self.wte(ids)
        for a, n in zip(self.attn, self.norm):
            x = x + a(n(x))
        return self.norm[2](x) @ self.wte.weight.T


def mpt_alibi_causal_tril_minus_one(wrong=True):
    """mask | tril(-1): a token does not see itself and the first one sees all evenly. Right twin: tril(0)."""
    return _MPT(wrong), [torch.randint(0, 77, (2, 16)) for _ in range(2)]


class _FullAttention(nn.Module):
    """Informer's library"""

    def __init__(self, dim, scale=None, attention_dropout=0.0):
        super().__init__()
        self.scale, self.dim, self.dropout = scale, dim, nn.Dropout(attention_dropout)

    def forward(self, queries, keys, values, attn_mask=None):
        B, L, H, E = queries.shape
        scale = self.scale or 1.0 / math.sqrt(E)
        scores = torch.einsum("blhe,bshe->bhls", queries, keys)
        A = self.dropout(torch.softmax(scale * scores, dim=self.dim))
        return torch.einsum("bhls,bshd->blhd", A, values).contiguous()


class _AttentionLayer(nn.Module):
    def __init__(self, attention, d_model, n_heads):
        super().__init__()
        self.inner_attention, self.n_heads = attention, n_heads
        self.query_projection, self.key_projection, self.value_projection, self.out_projection = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    def forward(self, queries, keys, values):
        B, L, _ = queries.shape
        S, H = keys.shape[1], self.n_heads
        q = self.query_projection(queries).view(B, L, H, -1)
        k = self.key_projection(keys).view(B, S, H, -1)
        v = self.value_projection(values).view(B, S, H, -1)
        return self.out_projection(self.inner_attention(q, k, v).view(B, L, -1))


class _Informer(nn.Module):
    def __init__(self, wrong, c=7, d=32):
        super().__init__()
        dim = 2 if wrong else -1
        self.enc_embedding, self.dec_embedding = (
            nn.Conv1d(c, d, 3, padding=1, padding_mode="circular"),
            nn.Conv1d(c, d, 3, padding=1, padding_mode="circular"),
        )
        self.enc, self.cross = (
            _AttentionLayer(_FullAttention(-1), d, 4),
            _AttentionLayer(_FullAttention(dim), d, 4),
        )
        self.n1, self.n2, self.projection = nn.LayerNorm(d), nn.LayerNorm(d), nn.Linear(d, c)

    def forward(self, x_enc, x_dec):
        e = self.enc_embedding(x_enc.transpose(1, 2)).transpose(1, 2)
        e = self.n1(e + self.enc(e, e, e))
        y = self.dec_embedding(x_dec.transpose(1, 2)).transpose(1, 2)
        y = self.n2(y + self.cross(y, e, e))
        return self.projection(y)[:, -6:]


def informer_cross_attention_softmax_dim_2(wrong=True):
    """axis | in the cross-attention softmax(dim=2) on b h l s normalises over the queries. Right twin: dim=-1."""
    bs = []
    for _ in range(2):
        x = torch.randn(3, 24, 7)
        bs.append((x, torch.cat([x[:, -8:], torch.zeros(3, 6, 7)], 1)))
    return _Informer(wrong), bs


class _MLA(nn.Module):
    def __init__(self, dim, n_heads, wrong, nope=16, rope=16, vd=16, kv_rank=24):
        super().__init__()
        self.n_heads, self.nope, self.rope, self.vd, self.kv_rank = n_heads, nope, rope, vd, kv_rank
        self.wq = nn.Linear(dim, n_heads * (nope + rope), bias=False)
        self.wkv_a = nn.Linear(dim, kv_rank + rope, bias=False)
        self.kv_norm = nn.LayerNorm(kv_rank)
        self.wkv_b = nn.Linear(kv_rank, n_heads * (nope + vd), bias=False)
        self.wo = nn.Linear(n_heads * vd, dim, bias=False)
        self.softmax_scale = (nope if wrong else nope + rope) ** -0.5

    def _rot(self, x):
        T, d = x.shape[1], x.shape[-1]
        f = torch.outer(torch.arange(T).float(), 10000 ** (-torch.arange(0, d, 2) / d))[
            None, :, None
        ]
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * f.cos() - b * f.sin(), a * f.sin() + b * f.cos()], -1).flatten(-2)

    def forward(self, x):
        b, s, _ = x.shape
        q_nope, q_pe = self.wq(x).view(b, s, self.n_heads, -1).split([self.nope, self.rope], -1)
        q = torch.cat([q_nope, self._rot(q_pe)], -1)
        kv, k_pe = self.wkv_a(x).split([self.kv_rank, self.rope], -1)
        k_pe = self._rot(k_pe.unsqueeze(2))
        k_nope, v = (
            self.wkv_b(self.kv_norm(kv))
            .view(b, s, self.n_heads, -1)
            .split([self.nope, self.vd], -1)
        )
        k = torch.cat([k_nope, k_pe.expand(-1, -1, self.n_heads, -1)], -1)
        scores = torch.einsum("bshd,bthd->bsht", q, k) * self.softmax_scale
        mask = torch.full((s, s), float("-inf")).triu_(1)
        scores = (scores + mask.unsqueeze(1)).softmax(dim=-1, dtype=torch.float32)
        return self.wo(torch.einsum("bsht,bthd->bshd", scores, v).flatten(2))


def mla_scale_without_rope_dims(wrong=True):
    """scale | softmax_scale is nope_dim ** -0.5 though q and k have nope + rope dimensions. Right twin: (nope + rope) ** -0.5."""
    m = nn.Sequential(
        nn.Embedding(60, 64),
        nn.LayerNorm(64),
        _MLA(64, 4, wrong),
        nn.LayerNorm(64),
        nn.Linear(64, 60),
    )
    return m, [torch.randint(0, 60, (2, 14)) for _ in range(2)]


class _MusicAttention(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h, self.dh, self.wrong = h, d // h, wrong
        self.Wq, self.Wk, self.Wv, self.fc = (nn.Linear(d, d) for _ in range(4))

    def split_heads(self, t):
        b, n, _ = t.shape
        if self.wrong:
            return t.view(b, self.h, n, self.dh)
        return t.view(b, n, self.h, self.dh).permute(0, 2, 1, 3)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (
            self.split_heads(self.Wq(x)),
            self.split_heads(self.Wk(x)),
            self.split_heads(self.Wv(x)),
        )
        logits = torch.matmul(q, k.permute(0, 1, 3, 2)) / math.sqrt(self.dh)
        att = torch.matmul(F.softmax(logits, -1), v)
        att = att.reshape(b, n, d) if self.wrong else att.permute(0, 2, 1, 3).reshape(b, n, d)
        return self.fc(att)


class _GenreClassifier(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.stem = nn.Conv1d(12, d, 5, stride=2, padding=2)
        self.att = nn.ModuleList([_MusicAttention(d, 4, wrong) for _ in range(2)])
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])
        self.fc = nn.Linear(d, 8)

    def forward(self, chroma):
        x = self.stem(chroma).transpose(1, 2)
        for a, l in zip(self.att, self.ln):
            x = l(x + a(x))
        return self.fc(x.mean(1))


def music_split_heads_by_view_only(wrong=True):
    """heads | (b, n, d) is viewed as (b, h, n, d/h) and back, without transposing. Right twin: view and permute."""
    return _GenreClassifier(wrong), [torch.randn(3, 12, 32) for _ in range(2)]


class _BeamDecoderLayer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.self_attn, self.enc_attn = (
            nn.MultiheadAttention(d, h, batch_first=True),
            nn.MultiheadAttention(d, h, batch_first=True),
        )
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x, mem, mem_pad, causal):
        x = self.n1(x + self.self_attn(x, x, x, attn_mask=causal, need_weights=False)[0])
        return self.n2(
            x + self.enc_attn(x, mem, mem, key_padding_mask=mem_pad, need_weights=False)[0]
        )


class _BeamMT(nn.Module):
    def __init__(self, wrong, d=32, vocab=45, beam=3):
        super().__init__()
        self.emb, self.pos = (
            nn.Embedding(vocab, d, padding_idx=0),
            nn.Parameter(torch.randn(20, d) * 0.1),
        )
        self.enc, self.en = nn.MultiheadAttention(d, 4, batch_first=True), nn.LayerNorm(d)
        self.dec, self.out = _BeamDecoderLayer(d, 4), nn.Linear(d, vocab)
        self.beam, self.wrong = beam, wrong

    def forward(self, src, hyps):  # hyps: batch * beam, t
        pad = src.eq(0)
        e = self.emb(src) + self.pos[: src.size(1)]
        mem = self.en(e + self.enc(e, e, e, key_padding_mask=pad)[0])
        mem = mem.repeat_interleave(self.beam, 0)
        pad = pad.repeat(self.beam, 1) if self.wrong else pad.repeat_interleave(self.beam, 0)
        t = hyps.size(1)
        causal = torch.ones(t, t, dtype=torch.bool).triu(1)
        y = self.emb(hyps) + self.pos[:t]
        return self.out(self.dec(y, mem, pad, causal))


def beam_search_padding_mask_repeat(wrong=True):
    """mask | the memory is repeated with repeat_interleave, its padding mask with repeat: beams get another sentence's mask. Right twin: repeat_interleave for both."""
    bs = []
    for lens in ([15, 8, 5], [6, 15, 10]):
        s = torch.randint(1, 45, (3, 15))
        for i, n in enumerate(lens):
            s[i, n:] = 0
        bs.append((s, torch.randint(1, 45, (9, 6))))
    return _BeamMT(wrong), bs
