import math, torch
from torch import nn
from torch.nn import functional as F


class _FlashBlock(nn.Module):
    def __init__(self, d, h, prescale):
        super().__init__()
        self.h, self.prescale = h, prescale
        self.norm, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        y = self.norm(x)
        q, k, v = (
            w(y).unflatten(-1, (self.h, -1)).transpose(1, 2) for w in (self.wq, self.wk, self.wv)
        )
        if self.prescale:
            q = q * q.size(-1) ** -0.5
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.wo(o.transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm2(x))


def sdpa_query_scaled_before(wrong=True):
    """scale | q is scaled by d ** -0.5 and scaled_dot_product_attention scales again. Right twin: only SDPA scales."""
    m = nn.Sequential(
        nn.Embedding(64, 64),
        _FlashBlock(64, 4, wrong),
        _FlashBlock(64, 4, wrong),
        nn.LayerNorm(64),
        nn.Linear(64, 64),
    )
    return m, [torch.randint(0, 64, (2, 15)) for _ in range(2)]


class _SentenceEncoder(nn.Module):
    def __init__(self, wrong, d=48, h=6, vocab=90, pad=0):
        super().__init__()
        self.emb, self.pos, self.h, self.pad, self.wrong = (
            nn.Embedding(vocab, d, padding_idx=pad),
            nn.Embedding(32, d),
            h,
            pad,
            wrong,
        )
        self.in_proj = nn.ModuleList([nn.Linear(d, 3 * d) for _ in range(2)])
        self.out_proj = nn.ModuleList([nn.Linear(d, d) for _ in range(2)])
        self.norm = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])

    def forward(self, tokens):
        pad_mask = tokens == self.pad
        x = self.emb(tokens) + self.pos.weight[: tokens.size(1)]
        B, L, D = x.shape
        attn_mask = pad_mask[:, None, None, :] if self.wrong else ~pad_mask[:, None, None, :]
        for i, o, n in zip(self.in_proj, self.out_proj, self.norm):
            q, k, v = [t.view(B, L, self.h, -1).transpose(1, 2) for t in i(x).chunk(3, -1)]
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)
            x = n(x + o(y.transpose(1, 2).reshape(B, L, D)))
        keep = (~pad_mask).unsqueeze(-1).float()
        return (x * keep).sum(1) / keep.sum(1)


def sdpa_bool_padding_mask_inverted(wrong=True):
    """mask | True = padding is given to SDPA, where True means look. Right twin: ~pad_mask."""
    bs = []
    for lens in ([16, 12, 9], [10, 17, 13]):
        t = torch.randint(1, 90, (3, 18))
        for i, n in enumerate(lens):
            t[i, n:] = 0
        bs.append(t)
    return _SentenceEncoder(wrong), bs


class _CausalMHA(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h = h
        self.to_qkv, self.to_out = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d)
        self.wrong = wrong

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (
            t.reshape(b, n, self.h, d // self.h).transpose(1, 2)
            for t in self.to_qkv(x).chunk(3, dim=-1)
        )
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * (d // self.h) ** -0.5
        causal_mask = torch.ones(n, n, dtype=torch.bool).triu(0 if self.wrong else 1)
        sim = sim.masked_fill(causal_mask, float("-inf"))
        attn = sim.softmax(dim=-1)
        return self.to_out(
            torch.einsum("bhij,bhjd->bhid", attn, v).transpose(1, 2).reshape(b, n, d)
        )


class _PixelGPT(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.emb, self.pos = nn.Embedding(17, d), nn.Parameter(torch.randn(36, d) * 0.02)
        self.a, self.n, self.head = _CausalMHA(d, 4, wrong), nn.LayerNorm(d), nn.Linear(d, 16)

    def forward(self, px):
        x = self.emb(px) + self.pos
        return self.head(x + self.a(self.n(x)))


def pixel_gpt_triu_zero_first_row_nan(wrong=True):
    """nan | triu(0) hides the diagonal too, so the first row is all -inf and gives NaN. Right twin: triu(1)."""
    return _PixelGPT(wrong), [torch.randint(0, 17, (2, 36)) for _ in range(2)]


class _SAGANLikeMHA(nn.Module):
    """Multi-head self-attention over the pixels of a feature map."""

    def __init__(self, ch, heads, dim):
        super().__init__()
        self.heads, self.dim = heads, dim
        self.norm = nn.GroupNorm(4, ch)
        self.q, self.k, self.v, self.proj = (nn.Conv2d(ch, ch, 1) for _ in range(4))

    def forward(self, x):
        B, C, H, W = x.shape
        h = self.norm(x)
        q, k, v = (
            m(h).reshape(B, self.heads, C // self.heads, H * W) for m in (self.q, self.k, self.v)
        )
        w = torch.einsum("bhcq,bhck->bhqk", q, k) * (C // self.heads) ** -0.5
        w = F.softmax(w, dim=self.dim)
        out = torch.einsum("bhqk,bhck->bhcq", w, v).reshape(B, C, H, W)
        return x + self.proj(out)


def unet_pixel_attention_softmax_over_heads(wrong=True):
    """axis | softmax(dim=1) on (B, heads, q, k), left from single-head code, normalises over heads. Right twin: dim=-1."""
    m = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        nn.SiLU(),
        _SAGANLikeMHA(32, 4, 1 if wrong else -1),
        nn.Conv2d(32, 3, 3, padding=1),
    )
    return m, [torch.randn(2, 3, 6, 6) for _ in range(2)]


class _MaskedItemAttention(nn.Module):
    def __init__(self, hidden, heads, wrong):
        super().__init__()
        self.heads, self.hs, self.wrong = heads, hidden // heads, wrong
        self.q, self.k, self.v, self.o = (nn.Linear(hidden, hidden) for _ in range(4))
        self.ln = nn.LayerNorm(hidden)

    def forward(self, x, mask):
        b, t, d = x.shape
        q, k, v = (
            f(x).view(b, t, self.heads, self.hs).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        s = torch.matmul(q, k.transpose(-1, -2)).div(self.hs**0.5)
        m = mask[:, None, None, :].to(s.dtype)
        if self.wrong:
            p = s.softmax(-1) * m
        else:
            p = s.softmax(-1) * m
            p = p / p.sum(-1, keepdim=True)
        return self.ln(x + self.o(p.matmul(v).transpose(1, 2).reshape(b, t, d)))


class _EventModel(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.inp = nn.Linear(5, d)
        self.l1, self.l2 = _MaskedItemAttention(d, 2, wrong), _MaskedItemAttention(d, 2, wrong)
        self.out = nn.Linear(d, 3)

    def forward(self, events, mask):
        x = self.inp(events)
        x = self.l2(self.l1(x, mask), mask)
        return self.out((x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True))


def event_model_mask_after_softmax_not_renormalised(wrong=True):
    """mask | the weights are multiplied by the 0/1 mask after softmax and do not sum to one any more. Right twin: divided by their sum."""
    bs = []
    for lens in ([20, 12, 7], [9, 20, 16]):
        m = (torch.arange(20)[None] < torch.tensor(lens)[:, None]).float()
        bs.append((torch.randn(3, 20, 5) * m[..., None], m))
    return _EventModel(wrong), bs
