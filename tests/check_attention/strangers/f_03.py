import math, torch
from torch import nn
from torch.nn import functional as F


class _ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.f = nn.Sequential(nn.GroupNorm(4, c), nn.SiLU(), nn.Conv2d(c, c, 3, padding=1))

    def forward(self, x):
        return x + self.f(x)


class _AttnBlock(nn.Module):
    """the VAE's single-head spatial attention"""

    def __init__(self, c, wrong):
        super().__init__()
        self.norm = nn.GroupNorm(4, c, eps=1e-6)
        self.q, self.k, self.v, self.proj_out = (nn.Conv2d(c, c, 1) for _ in range(4))
        self.wrong = wrong

    def forward(self, x):
        h_ = self.norm(x)
        q, k, v = self.q(h_), self.k(h_), self.v(h_)
        b, c, h, w = q.shape
        q = q.reshape(b, c, h * w).permute(0, 2, 1)
        k = k.reshape(b, c, h * w)
        w_ = torch.bmm(q, k)  # b,hw,hw   w[b,i,j]=sum_c q[b,i,c]k[b,c,j]
        w_ = w_ * ((k if self.wrong else q).shape[-1] ** -0.5)
        w_ = torch.nn.functional.softmax(w_, dim=2)
        v = v.reshape(b, c, h * w)
        w_ = w_.permute(0, 2, 1)  # b,hw,hw (first hw of k, second of q)
        h_ = torch.bmm(v, w_).reshape(b, c, h, w)
        return x + self.proj_out(h_)


def vae_attn_block_root_of_pixels(wrong=True):
    """scale | VAE AttnBlock takes k.shape[-1] after the reshape, which is the number of pixels, not channels. Right twin: q.shape[-1], the channels."""
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, padding=1),
        _ResBlock(16),
        _AttnBlock(16, wrong),
        _ResBlock(16),
        nn.Conv2d(16, 4, 1),
    )
    return model, [torch.randn(2, 3, 12, 12), torch.randn(2, 3, 16, 8)]


class _MQA(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h, self.dk = h, d // h
        self.wq, self.wkv, self.wo = nn.Linear(d, d), nn.Linear(d, 2 * self.dk), nn.Linear(d, d)
        self.wrong = wrong

    def forward(self, x, cache=None):
        B, T, D = x.shape
        q = self.wq(x).view(B, T, self.h, self.dk)
        k, v = self.wkv(x).chunk(2, -1)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
        if self.wrong:
            k = k / math.sqrt(self.dk)
            cache = (k, v)
        else:
            cache = (k, v)
            k = k / math.sqrt(self.dk)
        s = torch.einsum("bthd,bsd->bhts", q, k)
        if T > 1:
            S = k.size(1)
            s = s + torch.full((T, S), float("-inf")).triu(S - T + 1)
        o = torch.einsum("bhts,bsd->bthd", s.softmax(-1), v)
        return self.wo(o.reshape(B, T, D)), cache


class _MQADecoder(nn.Module):
    def __init__(self, wrong, d=32, h=4, n=2, vocab=30):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, d), nn.Embedding(40, d)
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(n)])
        self.at = nn.ModuleList([_MQA(d, h, wrong) for _ in range(n)])
        self.lm = nn.Linear(d, vocab)

    def forward(self, ids, past=None):
        p0 = 0 if past is None else past[0][0].size(1)
        x = self.wte(ids) + self.wpe(torch.arange(p0, p0 + ids.size(1)))
        new = []
        for i, (ln, at) in enumerate(zip(self.ln, self.at)):
            y, c = at(ln(x), None if past is None else past[i])
            x = x + y
            new.append(c)
        return self.lm(x), new


def _prefill_then_steps(model, ids):
    out, past = model(ids[:, :8])
    outs = [out]
    for t in range(8, ids.size(1)):
        out, past = model(ids[:, t : t + 1], past)
        outs.append(out)
    return torch.cat(outs, 1)


def mqa_cached_keys_scaled_at_every_step(wrong=True):
    """scale | The cache keeps keys that are already scaled, and each step scales the whole cache again. Right twin: the cache keeps plain keys."""
    return (
        _MQADecoder(wrong),
        [torch.randint(0, 30, (2, 13)), torch.randint(0, 30, (3, 12))],
        _prefill_then_steps,
    )


class _ChunkAttn(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h = h
        self.c_attn, self.c_proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.wrong = wrong

    def forward(self, x, past):
        q, k, v = (
            t.unflatten(-1, (self.h, -1)).transpose(1, 2)
            for t in self.c_attn(x).split(x.size(-1), -1)
        )
        if past is not None:
            k, v = torch.cat((past[0], k), -2), torch.cat((past[1], v), -2)
        if self.wrong:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            L, S = q.size(-2), k.size(-2)
            y = F.scaled_dot_product_attention(
                q, k, v, attn_mask=torch.ones(L, S, dtype=torch.bool).tril(S - L)
            )
        return self.c_proj(y.transpose(1, 2).flatten(2)), (k, v)


class _ChunkLM(nn.Module):
    """prefills long prompts chunk by chunk"""

    def __init__(self, wrong, d=48, h=6, n=2, chunk=6):
        super().__init__()
        self.chunk = chunk
        self.emb, self.pos = nn.Embedding(64, d), nn.Embedding(64, d)
        self.blocks = nn.ModuleList([_ChunkAttn(d, h, wrong) for _ in range(n)])
        self.norms = nn.ModuleList([nn.LayerNorm(d) for _ in range(n)])
        self.head = nn.Linear(d, 64)

    def forward(self, ids):
        past = [None] * len(self.blocks)
        outs = []
        for s in range(0, ids.size(1), self.chunk):
            c = ids[:, s : s + self.chunk]
            x = self.emb(c) + self.pos.weight[s : s + c.size(1)]
            for i, (b, n) in enumerate(zip(self.blocks, self.norms)):
                y, past[i] = b(n(x), past[i])
                x = x + y
            outs.append(x)
        return self.head(torch.cat(outs, 1))


def chunked_prefill_is_causal_top_left(wrong=True):
    """mask | SDPA's is_causal=True with a cache is aligned top-left, so later chunks see only the first keys. Right twin: tril(S - L)."""
    return _ChunkLM(wrong), [torch.randint(0, 64, (2, 20)), torch.randint(0, 64, (2, 15))]


class _PackedLM(nn.Module):
    """several documents in one row; segment_ids say which token is of which"""

    def __init__(self, wrong, d=64, h=4, n=2):
        super().__init__()
        self.h = h
        self.emb, self.pos = nn.Embedding(90, d), nn.Embedding(32, d)
        self.qkv = nn.ModuleList([nn.Linear(d, 3 * d, bias=False) for _ in range(n)])
        self.out = nn.ModuleList([nn.Linear(d, d, bias=False) for _ in range(n)])
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(n)])
        self.lm = nn.Linear(d, 90)
        self.wrong = wrong

    def forward(self, input_ids, segment_ids):
        b, t = input_ids.shape
        mask = torch.ones(t, t, dtype=torch.bool).tril().expand(b, t, t).clone()
        same = segment_ids.unsqueeze(1) == segment_ids.unsqueeze(2)
        if self.wrong:
            mask.logical_and(same)
        else:
            mask.logical_and_(same)
        first = (segment_ids.unsqueeze(2) == segment_ids.unsqueeze(1)).int().argmax(-1)
        x = self.emb(input_ids) + self.pos(torch.arange(t) - first)
        for qkv, out, ln in zip(self.qkv, self.out, self.ln):
            q, k, v = qkv(ln(x)).view(b, t, 3, self.h, -1).permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.unsqueeze(1))
            x = x + out(y.transpose(1, 2).reshape(b, t, -1))
        return self.lm(x)


def _packed(*docs):
    seg = torch.stack(
        [torch.repeat_interleave(torch.arange(len(d)), torch.tensor(d)) for d in docs]
    )
    return dict(input_ids=torch.randint(0, 90, seg.shape), segment_ids=seg)


def packed_documents_mask_not_in_place(wrong=True):
    """mask | mask.logical_and(same) is not in place and its result is lost, so packed documents see those before them. Right twin: logical_and_."""
    return _PackedLM(wrong), [_packed([9, 7, 8], [12, 12], [5, 14, 5]), _packed([6, 10], [11, 5])]


def _sparsemax(z, dim=-1):
    s, _ = z.sort(dim=dim, descending=True)
    r = torch.arange(1, z.size(dim) + 1, dtype=z.dtype)
    cs = s.cumsum(dim) - 1
    n = (r * s > cs).sum(dim, keepdim=True)
    tau = cs.gather(dim, n - 1) / n.to(z.dtype)
    return torch.clamp(z - tau, min=0)


class _Cross(nn.Module):
    def __init__(self, d, h, norm):
        super().__init__()
        self.h, self.norm = h, norm
        self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)

    def forward(self, x, mem):
        q = self.q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        k, v = self.kv(mem).unflatten(-1, (2, self.h, -1)).permute(2, 0, 3, 1, 4)
        a = self.norm(q @ k.mT / q.size(-1) ** 0.5, dim=-1)
        return self.o((a @ v).transpose(1, 2).flatten(2))


class _InflectionModel(nn.Module):
    def __init__(self, norm, d=32):
        super().__init__()
        self.chars = nn.Embedding(28, d)
        self.enc = nn.GRU(d, d, batch_first=True)
        self.self_attn = _Cross(d, 4, torch.softmax)
        self.cross = _Cross(d, 4, norm)
        self.out = nn.Linear(d, 28)

    def forward(self, src, tgt):
        mem = self.enc(self.chars(src))[0]
        mem = mem + self.self_attn(mem, mem)
        x = self.chars(tgt)
        return self.out(x + self.cross(x, mem))


def inflection_sparsemax_cross_attention(wrong=True):
    """unknown | The cross-attention uses sparsemax, beside a layer with softmax. Right twin: softmax in both."""
    return _InflectionModel(_sparsemax if wrong else torch.softmax), [
        (torch.randint(0, 28, (3, 11)), torch.randint(0, 28, (3, 9))),
        (torch.randint(0, 28, (2, 14)), torch.randint(0, 28, (2, 7))),
    ]
