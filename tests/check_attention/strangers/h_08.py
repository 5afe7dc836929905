import math, torch
from torch import nn
from torch.nn import functional as F


class _AttentionPool(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.query = nn.Parameter(torch.randn(h, d // h))
        self.key, self.value, self.out = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, lengths=None):
        b, t, d = x.shape
        k, v = self.key(x).view(b, t, self.h, -1), self.value(x).view(b, t, self.h, -1)
        e = torch.einsum("hd,bthd->bth", self.query, k) / math.sqrt(k.size(-1))
        if lengths is not None:
            e = e.masked_fill(
                (torch.arange(t)[None, :] >= lengths[:, None]).unsqueeze(-1), float("-inf")
            )
        a = torch.softmax(e, dim=1)
        return self.out(torch.einsum("bth,bthd->bhd", a, v).reshape(b, d))


class _SpeakerNet(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(24, d), nn.ReLU())
        self.attn, self.norm = nn.MultiheadAttention(d, 4, batch_first=True), nn.LayerNorm(d)
        self.pool, self.emb, self.wrong = _AttentionPool(d, 4), nn.Linear(d, 16), wrong

    def forward(self, fbank, lengths):
        x = self.fc(fbank)
        pad = torch.arange(x.size(1))[None] >= lengths[:, None]
        x = self.norm(x + self.attn(x, x, x, key_padding_mask=pad, need_weights=False)[0])
        p = self.pool(x) if self.wrong else self.pool(x, lengths)
        return F.normalize(self.emb(p), dim=-1)


def speaker_pooling_without_lengths(wrong=True):
    """mask | the encoder masks padding but the attentive pooling is not given the lengths, so padded frames are pooled. Right twin: pool(x, lengths)."""
    return _SpeakerNet(wrong), [
        (torch.randn(3, 25, 24), torch.tensor(l)) for l in ([25, 14, 8], [11, 25, 19])
    ]


class _GPTNeoXAttention(nn.Module):
    def __init__(self, hidden, heads, wrong, rotary_pct=0.5):
        super().__init__()
        self.nh, self.hs = heads, hidden // heads
        self.rot = int(self.hs * rotary_pct)
        self.query_key_value, self.dense = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.norm_factor = self.hs if wrong else math.sqrt(self.hs)

    def _rotary(self, x):
        T = x.size(-2)
        inv = 1.0 / (10000 ** (torch.arange(0, self.rot, 2).float() / self.rot))
        f = torch.outer(torch.arange(T).float(), inv)
        emb = torch.cat([f, f], -1)
        r, p = x[..., : self.rot], x[..., self.rot :]
        r1, r2 = r.chunk(2, -1)
        return torch.cat([r * emb.cos() + torch.cat([-r2, r1], -1) * emb.sin(), p], -1)

    def forward(self, x):
        B, T, C = x.shape
        qkv = self.query_key_value(x).view(B, T, self.nh, 3 * self.hs)
        q, k, v = (t.permute(0, 2, 1, 3) for t in qkv.split(self.hs, -1))
        q, k = self._rotary(q), self._rotary(k)
        q, k_, v_ = (t.reshape(B * self.nh, T, self.hs) for t in (q, k, v))
        s = torch.zeros(B * self.nh, T, T)
        s = torch.baddbmm(s, q, k_.transpose(1, 2), beta=1.0, alpha=1.0 / self.norm_factor)
        s = s.view(B, self.nh, T, T)
        s = torch.where(torch.tril(torch.ones(T, T, dtype=torch.bool)), s, torch.finfo(s.dtype).min)
        y = torch.bmm(s.softmax(-1).view(B * self.nh, T, T), v_)
        return self.dense(y.view(B, self.nh, T, self.hs).transpose(1, 2).reshape(B, T, C))


class _NeoX(nn.Module):
    def __init__(self, wrong, d=64):
        super().__init__()
        self.embed_in, self.embed_out = nn.Embedding(55, d), nn.Linear(d, 55, bias=False)
        self.ln1, self.ln2, self.ln = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.attention = _GPTNeoXAttention(d, 4, wrong)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, ids):
        x = self.embed_in(ids)
        x = x + self.attention(self.ln1(x)) + self.mlp(self.ln2(x))
        return self.embed_out(self.ln(x))


def gpt_neox_norm_factor_is_head_size(wrong=True):
    """scale | norm_factor is head_size and not its root. Right twin: sqrt(head_size)."""
    return _NeoX(wrong), [torch.randint(0, 55, (2, 17)) for _ in range(2)]


class _ChunkAttention(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h, self.wrong = h, wrong
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, cache):
        b, t, d = x.shape
        q, k, v = (f(x).view(b, t, self.h, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        if cache is not None:
            k, v = torch.cat((cache[0], k), dim=2), torch.cat((cache[1], v), dim=2)
        T = k.size(2)
        mask = torch.tril(torch.ones(t, T), diagonal=0 if self.wrong else T - t)
        s = (q @ k.mT) / math.sqrt(q.size(-1))
        s = s.masked_fill(mask == 0, float("-inf"))
        y = s.softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, t, d)), (k, v)


class _ChunkLM(nn.Module):
    def __init__(self, wrong, d=32, vocab=40):
        super().__init__()
        self.emb, self.pos = nn.Embedding(vocab, d), nn.Embedding(32, d)
        self.att, self.ln, self.head = (
            _ChunkAttention(d, 4, wrong),
            nn.LayerNorm(d),
            nn.Linear(d, vocab),
        )

    def forward(self, ids, chunk=6):
        cache, outs = None, []
        for s in range(0, ids.size(1), chunk):
            c = ids[:, s : s + chunk]
            x = self.emb(c) + self.pos(torch.arange(s, s + c.size(1)))
            y, cache = self.att(self.ln(x), cache)
            outs.append(self.head(x + y))
        return torch.cat(outs, 1)


def chunked_prefill_mask_without_offset(wrong=True):
    """mask | with a cache the causal mask is tril without the offset of the cached keys, so later chunks see only the oldest keys. Right twin: diagonal = T - t."""
    return _ChunkLM(wrong), [torch.randint(0, 40, (2, 18)) for _ in range(2)]


class _LinearAttention(nn.Module):
    """Transformers are RNNs: elu(x) + 1; without causal mask."""

    def __init__(self, d, h, linear):
        super().__init__()
        self.h, self.linear = h, linear
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).view(B, N, 3, self.h, C // self.h).permute(2, 0, 1, 3, 4)
        if self.linear:
            q, k = F.elu(q) + 1, F.elu(k) + 1
            kv = torch.einsum("nshd,nshm->nhmd", k, v)
            z = 1 / (torch.einsum("nlhd,nhd->nlh", q, k.sum(dim=1)) + 1e-6)
            y = torch.einsum("nlhd,nhmd,nlh->nlhm", q, kv, z)
        else:
            a = torch.softmax(torch.einsum("nlhd,nshd->nhls", q, k) / math.sqrt(q.size(-1)), dim=-1)
            y = torch.einsum("nhls,nshd->nlhd", a, v)
        return self.proj(y.reshape(B, N, C))


class _PointCloudNet(nn.Module):
    def __init__(self, linear, d=32):
        super().__init__()
        self.inp = nn.Linear(3, d)
        self.att = nn.ModuleList([_LinearAttention(d, 4, linear) for _ in range(2)])
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])
        self.cls = nn.Linear(d, 5)

    def forward(self, pts):
        x = self.inp(pts)
        for a, l in zip(self.att, self.ln):
            x = x + a(l(x))
        return self.cls(x.amax(1))


def point_cloud_linear_attention(wrong=True):
    """unknown | linear attention with elu + 1, no softmax. Right twin: softmax attention."""
    return _PointCloudNet(wrong), [torch.randn(2, 30, 3) for _ in range(2)]


class _CrossViTAttention(nn.Module):
    def __init__(self, dim, heads, wrong):
        super().__init__()
        self.num_heads = heads
        self.temperature = (dim // heads) ** 0.5
        self.wq, self.wk, self.wv, self.proj = (
            nn.Linear(dim, dim),
            nn.Linear(dim, dim),
            nn.Linear(dim, dim),
            nn.Linear(dim, dim),
        )
        self.wrong = wrong

    def forward(self, x):
        B, N, C = x.shape
        q = self.wq(x[:, :1]).reshape(B, 1, self.num_heads, -1).transpose(1, 2)
        k = self.wk(x).reshape(B, N, self.num_heads, -1).transpose(1, 2)
        v = self.wv(x).reshape(B, N, self.num_heads, -1).transpose(1, 2)
        attn = q @ k.transpose(-2, -1)
        attn = attn * self.temperature if self.wrong else attn / self.temperature
        x = (attn.softmax(dim=-1) @ v).transpose(1, 2).reshape(B, 1, C)
        return self.proj(x)


class _CrossViT(nn.Module):
    def __init__(self, wrong, d=48):
        super().__init__()
        self.s, self.l = nn.Conv2d(3, d, 4, 4), nn.Conv2d(3, d, 8, 8)
        self.cls_s, self.cls_l = (
            nn.Parameter(torch.randn(1, 1, d)),
            nn.Parameter(torch.randn(1, 1, d)),
        )
        self.a, self.b = _CrossViTAttention(d, 4, wrong), _CrossViTAttention(d, 4, wrong)
        self.na, self.nb, self.head = nn.LayerNorm(d), nn.LayerNorm(d), nn.Linear(2 * d, 5)

    def forward(self, img):
        n = img.size(0)
        s, l = self.s(img).flatten(2).mT, self.l(img).flatten(2).mT
        cs, cl = self.cls_s.expand(n, -1, -1), self.cls_l.expand(n, -1, -1)
        cs = cs + self.a(self.na(torch.cat([cs, l], 1)))
        cl = cl + self.b(self.nb(torch.cat([cl, s], 1)))
        return self.head(torch.cat([cs, cl], -1)[:, 0])


def crossvit_multiplied_by_temperature(wrong=True):
    """scale | scores are multiplied by sqrt(d) and not divided. Right twin: divided."""
    return _CrossViT(wrong), [torch.randn(2, 3, 24, 24) for _ in range(2)]
