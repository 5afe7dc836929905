import math, torch
from torch import nn
from torch.nn import functional as F


class _MLA(nn.Module):
    """multi-head latent attention, small"""

    def __init__(self, dim=64, n_heads=4, kv_rank=24, nope=16, rope=8, vdim=12, wrong=False):
        super().__init__()
        self.n_heads, self.nope, self.rope, self.vdim, self.kv_rank = (
            n_heads,
            nope,
            rope,
            vdim,
            kv_rank,
        )
        self.wq = nn.Linear(dim, n_heads * (nope + rope), bias=False)
        self.wkv_a = nn.Linear(dim, kv_rank + rope, bias=False)
        self.kv_norm = nn.RMSNorm(kv_rank)
        self.wkv_b = nn.Linear(kv_rank, n_heads * (nope + vdim), bias=False)
        self.wo = nn.Linear(n_heads * vdim, dim, bias=False)
        d = nope if wrong else nope + rope
        self.softmax_scale = d**-0.5

    def _rot(self, x, freqs):
        xc = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(xc * freqs[None, :, None]).flatten(3).type_as(x)

    def forward(self, x):
        B, S, _ = x.shape
        f = torch.outer(
            torch.arange(S).float(),
            1 / 10000 ** (torch.arange(0, self.rope, 2).float() / self.rope),
        )
        freqs = torch.polar(torch.ones_like(f), f)
        q = self.wq(x).view(B, S, self.n_heads, -1)
        q_nope, q_pe = q.split([self.nope, self.rope], -1)
        q_pe = self._rot(q_pe, freqs)
        kv, k_pe = self.wkv_a(x).split([self.kv_rank, self.rope], -1)
        k_pe = self._rot(k_pe.unsqueeze(2), freqs)
        q = torch.cat([q_nope, q_pe], -1)
        k_nope, v = (
            self.wkv_b(self.kv_norm(kv))
            .view(B, S, self.n_heads, -1)
            .split([self.nope, self.vdim], -1)
        )
        k = torch.cat([k_nope, k_pe.expand(-1, -1, self.n_heads, -1)], -1)
        scores = torch.einsum("bshd,bthd->bsht", q, k) * self.softmax_scale
        scores = scores + torch.full((S, S), float("-inf")).triu_(1).unsqueeze(1)
        p = scores.softmax(-1, dtype=torch.float32).type_as(x)
        o = torch.einsum("bsht,bthd->bshd", p, v)
        return x + self.wo(o.flatten(2))


def mla_scale_of_nope_part_only(wrong=True):
    """scale | In MLA q and k are 16+8 wide per head but the scale is 16**-0.5. Right twin: (nope + rope)**-0.5."""
    m = nn.Sequential(nn.Embedding(60, 64), _MLA(wrong=wrong), nn.LayerNorm(64), nn.Linear(64, 60))
    return m, [torch.randint(0, 60, (2, 11)) for _ in range(2)]


class _BartAttn(nn.Module):
    def __init__(self, embed_dim, num_heads, wrong):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.wrong = wrong
        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def _shape(self, t):
        return t.view(t.size(0), -1, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

    def forward(self, hidden, kv=None, mask=None):
        kv = hidden if kv is None else kv
        q = self._shape(self.q_proj(hidden) * self.scaling)
        k, v = self._shape(self.k_proj(kv)), self._shape(self.v_proj(kv))
        extra = {} if self.wrong else {"scale": 1.0}
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, **extra)
        return self.out_proj(o.transpose(1, 2).flatten(2))


class _Whisperish(nn.Module):
    def __init__(self, wrong, d=64):
        super().__init__()
        self.conv1 = nn.Conv1d(20, d, 3, padding=1)
        self.conv2 = nn.Conv1d(d, d, 3, stride=2, padding=1)
        self.enc_ln, self.dec_ln, self.x_ln = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.enc = _BartAttn(d, 4, False)
        self.dec_self = _BartAttn(d, 4, False)
        self.dec_cross = _BartAttn(d, 4, wrong)
        self.tok = nn.Embedding(30, d)

    def forward(self, mel, tokens):
        a = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).transpose(1, 2)
        a = a + self.enc(self.enc_ln(a))
        y = self.tok(tokens)
        T = y.size(1)
        y = y + self.dec_self(self.dec_ln(y), mask=torch.ones(T, T, dtype=torch.bool).tril())
        y = y + self.dec_cross(self.x_ln(y), a)
        return y @ self.tok.weight.T


def prescaled_query_into_sdpa(wrong=True):
    """scale | Only the cross-attention scales q itself and then calls SDPA with its default scale, so the factor is 1/d. Right twin: q scaled, SDPA scale=1.0."""
    return _Whisperish(wrong), [
        (torch.randn(2, 20, 32), torch.randint(0, 30, (2, 9))) for _ in range(2)
    ]


class _GraphAttn(nn.Module):
    """dense graph transformer, heads last, one graph per call"""

    def __init__(self, d, heads, wrong):
        super().__init__()
        self.heads, self.hd = heads, d // heads
        self.Q, self.K, self.V = (nn.Linear(d, d) for _ in range(3))
        self.O = nn.Linear(d, d)
        self.axis = 3 if wrong else 2

    def forward(self, h, adj):
        q, k, v = (l(h).unflatten(-1, (self.heads, self.hd)) for l in (self.Q, self.K, self.V))
        e = torch.einsum("bihd,bjhd->bijh", q, k) / self.hd**0.5
        e = e.masked_fill(adj.unsqueeze(-1) == 0, -1e9)
        a = F.softmax(e, dim=self.axis)
        return h + self.O(torch.einsum("bijh,bjhd->bihd", a, v).flatten(-2))


class _GraphNet(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.inp = nn.Linear(7, 32)
        self.l1, self.l2 = _GraphAttn(32, 4, wrong), _GraphAttn(32, 4, wrong)
        self.out = nn.Linear(32, 1)

    def forward(self, feats, adj):
        h = self.inp(feats)
        return self.out(self.l2(self.l1(h, adj), adj).mean(1))


def _graph(B=3, N=12):
    a = (torch.rand(B, N, N) < 0.3).float()
    a = ((a + a.transpose(1, 2) + torch.eye(N)) > 0).float()
    return torch.randn(B, N, 7), a


def graph_softmax_over_last_axis_is_heads(wrong=True):
    """axis | Scores are (b, i, j, head), the softmax runs over the last axis, the heads. Right twin: over j, axis 2, which the product with v sums."""
    return _GraphNet(wrong), [_graph(), _graph()]


class _MaskRepeat(nn.Module):
    def __init__(self, wrong, d=32, h=4):
        super().__init__()
        self.h, self.wrong = h, wrong
        self.inp = nn.Linear(5, d)
        self.mha = nn.MultiheadAttention(d, h, batch_first=True)
        self.norm = nn.LayerNorm(d)
        self.out = nn.Linear(d, 3)

    def forward(self, x, valid):
        # valid: (B, T) True where there is data. Future and gaps hidden; the first step is always there.
        B, T = valid.shape
        z = self.inp(x)
        allow = valid[:, None, :] & torch.ones(T, T, dtype=torch.bool).tril()
        block = ~allow
        if self.wrong:
            block = block.repeat(self.h, 1, 1)
        else:
            block = block.repeat_interleave(self.h, dim=0)
        o, _ = self.mha(z, z, z, attn_mask=block, need_weights=False)
        return self.out(self.norm(z + o))


def mha_3d_mask_repeat_order(wrong=True):
    """mask | The (B,T,T) mask is tiled with repeat(h,1,1) for nn.MultiheadAttention, whose rows are batch-major, so sequences get each other's gaps. Right twin: repeat_interleave."""

    def b():
        v = torch.rand(3, 15) > 0.35
        v[:, 0] = True
        return torch.randn(3, 15, 5) * v[..., None], v

    return _MaskRepeat(wrong), [b(), b()]


class _ChunkedLM(nn.Module):
    """chunked prefill with a KV cache"""

    def __init__(self, wrong, d=48, h=4, V=50):
        super().__init__()
        self.h, self.wrong = h, wrong
        self.emb, self.pos = nn.Embedding(V, d), nn.Embedding(64, d)
        self.ln = nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.head = nn.Linear(d, V)

    def step(self, ids, cache):
        past = 0 if cache is None else cache[0].size(2)
        T = ids.size(1)
        x = self.emb(ids) + self.pos(torch.arange(past, past + T))
        q, k, v = (
            t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.qkv(self.ln(x)).chunk(3, -1)
        )
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        if self.wrong:
            o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            m = torch.ones(T, past + T, dtype=torch.bool).tril(diagonal=past)
            o = F.scaled_dot_product_attention(q, k, v, attn_mask=m)
        return self.head(x + self.proj(o.transpose(1, 2).flatten(2))), (k, v)

    def forward(self, ids, chunk=6):
        cache, outs = None, []
        for c in ids.split(chunk, dim=1):
            o, cache = self.step(c, cache)
            outs.append(o)
        return torch.cat(outs, 1)


def chunked_prefill_is_causal_top_left(wrong=True):
    """mask | From the second chunk on is_causal=True is aligned top left, so queries see only the oldest keys and not themselves. Right twin: tril(diagonal=past)."""
    return _ChunkedLM(wrong), [torch.randint(0, 50, (2, 18)) for _ in range(2)]
