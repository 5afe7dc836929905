import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 16
class _CvTAttention(nn.Module):
    """convolutional projections, keys and values on a coarser grid"""

    def __init__(self, dim, heads, late):
        super().__init__()
        self.heads, self.dh, self.late = heads, dim // heads, late
        self.q = nn.Conv2d(dim, dim, 1)
        self.kv = nn.Sequential(
            nn.Conv2d(dim, dim, 2, stride=2, groups=dim),
            nn.BatchNorm2d(dim),
            nn.Conv2d(dim, 2 * dim, 1),
        )
        self.proj = nn.Conv2d(dim, dim, 1)

    def forward(self, x):
        B, C, H, W = x.shape
        q = self.q(x).view(B * self.heads, self.dh, H * W).transpose(1, 2)
        k, v = self.kv(x).chunk(2, dim=1)
        k = k.reshape(B * self.heads, self.dh, -1)
        v = v.reshape(B * self.heads, self.dh, -1).transpose(1, 2)
        if self.late:
            att = F.softmax(torch.bmm(q, k), dim=-1) / math.sqrt(self.dh)
        else:
            att = F.softmax(torch.bmm(q, k) / math.sqrt(self.dh), dim=-1)
        out = torch.bmm(att, v).transpose(1, 2).reshape(B, C, H, W)
        return self.proj(out)


class _CvT(nn.Module):
    def __init__(self, late):
        super().__init__()
        self.stem = nn.Conv2d(3, 32, 3, stride=2, padding=1)
        self.b = nn.ModuleList([_CvTAttention(32, 2, late) for _ in range(2)])
        self.n = nn.ModuleList([nn.GroupNorm(1, 32) for _ in range(2)])
        self.fc = nn.Linear(32, 4)

    def forward(self, x):
        x = self.stem(x)
        for n, a in zip(self.n, self.b):
            x = x + a(n(x))
        return self.fc(x.mean((2, 3)))


def cvt_division_after_softmax(wrong=True):
    """scale | the division by sqrt(d) stands after softmax. Right twin: before it."""
    return _CvT(wrong), [torch.randn(2, 3, 12, 12)]


# ---------------------------------------------------------------- 17
class _CachedAttn(nn.Module):
    def __init__(self, n_embd, n_head, rescale):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.n_head, self.rescale = n_head, rescale

    def forward(self, x, past=None):
        B, T, C = x.shape
        hs = C // self.n_head
        q, k, v = (
            t.view(B, T, self.n_head, hs).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2)
        )
        if not self.rescale:
            k = k / math.sqrt(hs)
        if past is not None:
            k = torch.cat([past[0], k], dim=2)
            v = torch.cat([past[1], v], dim=2)
        if self.rescale:
            k = k / math.sqrt(hs)
        present = (k, v)
        S = k.size(2)
        att = q @ k.transpose(-2, -1)
        causal = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
        att = F.softmax(att.masked_fill(~causal, float("-inf")), dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(B, T, C)), present


class _Generator(nn.Module):
    def __init__(self, rescale):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(70, 32), nn.Embedding(32, 32)
        self.h = nn.ModuleList([_CachedAttn(32, 4, rescale) for _ in range(2)])
        self.ln = nn.ModuleList([nn.LayerNorm(32) for _ in range(3)])

    def step(self, idx, pasts):
        off = 0 if pasts[0] is None else pasts[0][0].size(2)
        x = self.wte(idx) + self.wpe(torch.arange(off, off + idx.size(1), device=idx.device))
        new = []
        for blk, ln, p in zip(self.h, self.ln, pasts):
            y, pr = blk(ln(x), p)
            x = x + y
            new.append(pr)
        return self.ln[-1](x) @ self.wte.weight.t(), new

    def forward(self, idx, n_new=4):
        logits, pasts = self.step(idx, [None] * len(self.h))
        outs = [logits[:, -1]]
        for _ in range(n_new):
            nxt = outs[-1].argmax(-1, keepdim=True)
            logits, pasts = self.step(nxt, pasts)
            outs.append(logits[:, -1])
        return torch.stack(outs, 1)


def cached_keys_scaled_again_each_step(wrong=True):
    """scale | the scaled keys go into the cache and are scaled again with each new token. Right twin: only new keys are scaled."""
    return _Generator(wrong), [torch.randint(0, 70, (2, 8)), torch.randint(0, 70, (3, 5))]


# ---------------------------------------------------------------- 18
class _DisentangledAttention(nn.Module):
    def __init__(self, dim, heads, span, forget_p2c):
        super().__init__()
        self.h, self.d, self.span = heads, dim // heads, span
        self.query_proj, self.key_proj, self.value_proj = (nn.Linear(dim, dim) for _ in range(3))
        self.pos_key_proj, self.pos_query_proj = (
            nn.Linear(dim, dim, bias=False),
            nn.Linear(dim, dim),
        )
        self.dense = nn.Linear(dim, dim)
        self.forget_p2c = forget_p2c

    def transpose_for_scores(self, x):
        return x.view(x.size(0), x.size(1), self.h, self.d).permute(0, 2, 1, 3)

    def forward(self, x, rel_embeddings, attention_mask):
        n = x.size(1)
        q = self.transpose_for_scores(self.query_proj(x))
        k = self.transpose_for_scores(self.key_proj(x))
        v = self.transpose_for_scores(self.value_proj(x))
        scale_factor = 1 + 1 + 1  # c2c, c2p, p2c
        scale = math.sqrt(q.size(-1) * scale_factor)
        scores = torch.matmul(q, k.transpose(-1, -2) / scale)

        i = torch.arange(n, device=x.device)
        rel = (i[:, None] - i[None, :]).clamp(-self.span, self.span - 1)
        pos_k = self.transpose_for_scores(self.pos_key_proj(rel_embeddings)[None])
        pos_q = self.transpose_for_scores(self.pos_query_proj(rel_embeddings)[None])
        c2p_pos = (rel + self.span).expand(x.size(0), self.h, n, n)
        c2p = torch.matmul(q, pos_k.transpose(-1, -2))
        c2p = torch.gather(c2p, -1, c2p_pos)
        scores = scores + c2p / scale
        # position to content: for query i and key j the distance j - i
        p2c = torch.matmul(k, pos_q.transpose(-1, -2))
        p2c = torch.gather(p2c, -1, c2p_pos).transpose(-1, -2)
        if not self.forget_p2c:
            p2c = p2c / scale
        scores = scores + p2c
        scores = scores.masked_fill(
            ~attention_mask[:, None, None, :], torch.finfo(scores.dtype).min
        )
        probs = torch.softmax(scores, dim=-1)
        return self.dense(torch.matmul(probs, v).transpose(1, 2).flatten(2))


class _DebertaTiny(nn.Module):
    def __init__(self, forget):
        super().__init__()
        self.emb = nn.Embedding(60, 32)
        self.rel = nn.Embedding(16, 32)
        self.att = nn.ModuleList([_DisentangledAttention(32, 2, 8, forget) for _ in range(2)])
        self.ln = nn.ModuleList([nn.LayerNorm(32) for _ in range(3)])

    def forward(self, ids):
        m = ids > 0
        x = self.ln[2](self.emb(ids)) * m.unsqueeze(-1)
        for a, n in zip(self.att, self.ln):
            x = n(x + a(x, self.rel.weight, m))
        return x[:, 0]


def deberta_p2c_without_scale(wrong=True):
    """scale | the third summand (position to content) is not divided by sqrt(3d), the other two are. Right twin: all three."""
    ids = torch.randint(1, 60, (3, 13))
    ids[2, 9:] = 0
    return _DebertaTiny(wrong), [ids]


# ---------------------------------------------------------------- 19
class _RelPartialAttn(nn.Module):
    def __init__(self, n_head, d_model, bd_late):
        super().__init__()
        self.n_head, self.d_head = n_head, d_model // n_head
        self.q_net = nn.Linear(d_model, d_model, bias=False)
        self.kv_net = nn.Linear(d_model, 2 * d_model, bias=False)
        self.r_net = nn.Linear(d_model, d_model, bias=False)
        self.o_net = nn.Linear(d_model, d_model, bias=False)
        self.layer_norm = nn.LayerNorm(d_model)
        self.scale = 1 / (self.d_head**0.5)
        self.bd_late = bd_late

    def _rel_shift(self, x):
        pad = torch.zeros((x.size(0), 1, *x.size()[2:]), dtype=x.dtype, device=x.device)
        xp = torch.cat([pad, x], dim=1)
        return xp.view(x.size(1) + 1, x.size(0), *x.size()[2:])[1:].view_as(x)

    def forward(self, w, r, u, vb, attn_mask, mems):
        qlen, bsz, _ = w.shape
        cat = torch.cat([mems, w], 0)
        klen = cat.size(0)
        q = self.q_net(w).view(qlen, bsz, self.n_head, self.d_head)
        k, v = (t.view(klen, bsz, self.n_head, self.d_head) for t in self.kv_net(cat).chunk(2, -1))
        rk = self.r_net(r).view(klen, self.n_head, self.d_head)
        AC = torch.einsum("ibnd,jbnd->ijbn", q + u, k)
        BD = self._rel_shift(torch.einsum("ibnd,jnd->ijbn", q + vb, rk))
        if self.bd_late:
            s = AC.mul(self.scale) + BD
        else:
            s = (AC + BD).mul(self.scale)
        s = s.masked_fill(attn_mask[:, :, None, None], float("-inf"))
        p = F.softmax(s, dim=1)
        o = torch.einsum("ijbn,jbnd->ibnd", p, v).reshape(qlen, bsz, -1)
        return self.layer_norm(w + self.o_net(o))


class _TXL(nn.Module):
    def __init__(self, bd_late, d=32, h=4, mem=6):
        super().__init__()
        self.emb = nn.Embedding(50, d)
        self.u, self.v = (
            nn.Parameter(torch.randn(h, d // h) * 0.02),
            nn.Parameter(torch.randn(h, d // h) * 0.02),
        )
        self.layers = nn.ModuleList([_RelPartialAttn(h, d, bd_late) for _ in range(2)])
        self.mem, self.d = mem, d
        self.register_buffer("inv_freq", 1 / (10000 ** (torch.arange(0.0, d, 2.0) / d)))

    def forward(self, data):  # data: time, batch; two segments
        mems = [torch.zeros(self.mem, data.size(1), self.d) for _ in self.layers]
        outs = []
        for seg, first in zip(data.chunk(2, 0), (True, False)):
            h = self.emb(seg)
            q, k = h.size(0), h.size(0) + self.mem
            ang = torch.outer(torch.arange(k - 1, -1, -1.0), self.inv_freq)
            r = torch.cat([ang.sin(), ang.cos()], -1)
            mask = torch.ones(q, k).triu(1 + self.mem).bool()
            if first:
                mask[:, : self.mem] = True
            new = []
            for l, m in zip(self.layers, mems):
                new.append(torch.cat([m, h], 0)[-self.mem :].detach())
                h = l(h, r, self.u, self.v, mask, m)
            mems = new
            outs.append(h)
        return torch.cat(outs, 0) @ self.emb.weight.t()


def transformer_xl_position_term_unscaled(wrong=True):
    """scale | AC * scale + BD, the position term is not scaled. Right twin: (AC + BD) * scale."""
    return _TXL(wrong), [torch.randint(0, 50, (16, 2))]


# ---------------------------------------------------------------- 20
def _rot(x):
    T, D = x.shape[1], x.shape[-1]
    a = torch.arange(T).float()[:, None] * 10000 ** (-torch.arange(0, D, 2).float() / D)
    c, s = a.cos()[:, None], a.sin()[:, None]
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return torch.stack([x1 * c - x2 * s, x1 * s + x2 * c], -1).flatten(-2)


class MLA(nn.Module):
    """multi-head latent attention in the absorbed form"""

    def __init__(
        self,
        dim=64,
        n_heads=4,
        q_rank=32,
        kv_lora_rank=32,
        nope=12,
        rope=4,
        v_dim=12,
        by_rank=False,
    ):
        super().__init__()
        self.n_heads, self.kv_lora_rank, self.nope, self.rope, self.v_dim = (
            n_heads,
            kv_lora_rank,
            nope,
            rope,
            v_dim,
        )
        self.wq_a, self.q_norm = nn.Linear(dim, q_rank, bias=False), nn.RMSNorm(q_rank)
        self.wq_b = nn.Linear(q_rank, n_heads * (nope + rope), bias=False)
        self.wkv_a, self.kv_norm = (
            nn.Linear(dim, kv_lora_rank + rope, bias=False),
            nn.RMSNorm(kv_lora_rank),
        )
        self.wkv_b = nn.Linear(kv_lora_rank, n_heads * (nope + v_dim), bias=False)
        self.wo = nn.Linear(n_heads * v_dim, dim, bias=False)
        self.softmax_scale = ((kv_lora_rank if by_rank else nope) + rope) ** -0.5

    def forward(self, x):
        b, t, _ = x.shape
        q = self.wq_b(self.q_norm(self.wq_a(x))).view(b, t, self.n_heads, -1)
        q_nope, q_pe = q.split([self.nope, self.rope], -1)
        kv, k_pe = self.wkv_a(x).split([self.kv_lora_rank, self.rope], -1)
        q_pe, k_pe = _rot(q_pe), _rot(k_pe.unsqueeze(2)).squeeze(2)
        kv = self.kv_norm(kv)
        wkv_b = self.wkv_b.weight.view(self.n_heads, -1, self.kv_lora_rank)
        q_lat = torch.einsum("bshd,hdc->bshc", q_nope, wkv_b[:, : self.nope])
        scores = (
            torch.einsum("bshc,btc->bsht", q_lat, kv) + torch.einsum("bshr,btr->bsht", q_pe, k_pe)
        ) * self.softmax_scale
        scores = scores + torch.full((t, t), float("-inf")).triu_(1).unsqueeze(1)
        p = scores.softmax(-1, dtype=torch.float32).type_as(x)
        o = torch.einsum("bsht,btc->bshc", p, kv)
        o = torch.einsum("bshc,hdc->bshd", o, wkv_b[:, -self.v_dim :])
        return self.wo(o.flatten(2))


class _DeepTiny(nn.Module):
    def __init__(self, by_rank):
        super().__init__()
        self.embed, self.n1, self.n2 = nn.Embedding(80, 64), nn.RMSNorm(64), nn.RMSNorm(64)
        self.a1, self.a2 = MLA(by_rank=by_rank), MLA(by_rank=by_rank)
        self.head = nn.Linear(64, 80, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        x = x + self.a1(self.n1(x))
        return self.head(x + self.a2(self.n2(x)))


def mla_absorbed_root_of_latent_rank(wrong=True):
    """scale | root of kv_lora_rank + rope (36). Right twin: root of nope + rope (16), the head's size before absorption."""
    return _DeepTiny(wrong), [torch.randint(0, 80, (2, 13))]
