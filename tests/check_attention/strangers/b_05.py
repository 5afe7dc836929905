import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 21
def softmax_without_dim(wrong=True):
    """axis | F.softmax without dim on 4D scores: the legacy default is dim=1, the heads. Right twin: dim=-1."""

    class ScaledDotProductAttention(nn.Module):
        def forward(self, q, k, v):
            attn = torch.matmul(q, k.transpose(2, 3)) / (k.size(-1) ** 0.5)
            attn = F.softmax(attn) if wrong else F.softmax(attn, dim=-1)
            return torch.matmul(attn, v), attn

    class MultiHeadAttention(nn.Module):
        def __init__(self, n_head, d_model, d_k):
            super().__init__()
            self.n_head, self.d_k = n_head, d_k
            self.w_qs = nn.Linear(d_model, n_head * d_k, bias=False)
            self.w_ks = nn.Linear(d_model, n_head * d_k, bias=False)
            self.w_vs = nn.Linear(d_model, n_head * d_k, bias=False)
            self.fc = nn.Linear(n_head * d_k, d_model, bias=False)
            self.attention = ScaledDotProductAttention()
            self.layer_norm = nn.LayerNorm(d_model, eps=1e-6)

        def forward(self, x):
            sz_b, n, residual = x.size(0), x.size(1), x
            q = self.w_qs(x).view(sz_b, n, self.n_head, self.d_k).transpose(1, 2)
            k = self.w_ks(x).view(sz_b, n, self.n_head, self.d_k).transpose(1, 2)
            v = self.w_vs(x).view(sz_b, n, self.n_head, self.d_k).transpose(1, 2)
            o, _ = self.attention(q, k, v)
            o = self.fc(o.transpose(1, 2).contiguous().view(sz_b, n, -1))
            return self.layer_norm(o + residual)

    return nn.Sequential(
        nn.Linear(10, 32),
        MultiHeadAttention(4, 32, 8),
        MultiHeadAttention(4, 32, 8),
        nn.Linear(32, 3),
    ), [torch.randn(2, 11, 10), torch.randn(3, 17, 10)]


# ---------------------------------------------------------------- 22
def query_pool_softmax_last(wrong=True):
    """axis | Pooling by one learned query: scores are (B, T, 1) and softmax goes over the last axis, all weights are 1. Right twin: dim=1."""

    class AttentivePool(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.query = nn.Parameter(torch.randn(dim, 1))
            self.key = nn.Linear(dim, dim)
            self.value = nn.Linear(dim, dim)
            self.dim = dim

        def forward(self, h):
            scores = self.key(h) @ self.query / math.sqrt(self.dim)  # (B, T, 1)
            w = torch.softmax(scores, dim=-1 if wrong else 1)
            return (w * self.value(h)).sum(dim=1)

    class KeywordSpotter(nn.Module):
        def __init__(self, n_mfcc=13, dim=24, n_words=6):
            super().__init__()
            self.gru = nn.GRU(n_mfcc, dim, batch_first=True)
            self.pool = AttentivePool(dim)
            self.fc = nn.Linear(dim, n_words)

        def forward(self, mfcc):
            h, _ = self.gru(mfcc)
            return self.fc(self.pool(h))

    return KeywordSpotter(), [torch.randn(3, 20, 13), torch.randn(2, 26, 13)]


# ---------------------------------------------------------------- 23
def einsum_bqkh_softmax_heads(wrong=True):
    """axis | Scores are laid out as (b, q, k, h) by einsum, and softmax(-1) goes over the heads. Right twin: dim=2."""

    class TriangleStartingNode(nn.Module):
        """pair features (b, i, j, c), attention along j with a gate"""

        def __init__(self, c=24, heads=3):
            super().__init__()
            self.h, self.d = heads, c // heads
            self.ln = nn.LayerNorm(c)
            self.q, self.k, self.v = (nn.Linear(c, c, bias=False) for _ in range(3))
            self.gate, self.o = nn.Linear(c, c), nn.Linear(c, c)

        def forward(self, z):
            b, n = z.shape[:2]
            z0 = self.ln(z)
            q, k, v = (f(z0).view(b, n, n, self.h, self.d) for f in (self.q, self.k, self.v))
            a = torch.einsum("bijhd,bikhd->bijkh", q, k) / math.sqrt(self.d)
            a = torch.softmax(a, dim=-1 if wrong else -2)
            o = torch.einsum("bijkh,bikhd->bijhd", a, v).flatten(-2)
            return z + self.o(torch.sigmoid(self.gate(z0)) * o)

    class PairStack(nn.Module):
        def __init__(self):
            super().__init__()
            self.left, self.right = nn.Linear(8, 24), nn.Linear(8, 24)
            self.blocks = nn.ModuleList([TriangleStartingNode(), TriangleStartingNode()])
            self.dist = nn.Linear(24, 5)

        def forward(self, s):
            z = self.left(s)[:, :, None] + self.right(s)[:, None]
            for blk in self.blocks:
                z = blk(z)
            return self.dist(z + z.transpose(1, 2))

    return PairStack(), [torch.randn(2, 9, 8), torch.randn(2, 7, 8)]


# ---------------------------------------------------------------- 24
def transformer_xl_ijbn_softmax(wrong=True):
    """axis | Scores of Transformer-XL's layout (i, j, b, n): softmax over the queries i. Right twin: over the keys j (dim=1)."""

    class MultiHeadAttn(nn.Module):
        def __init__(self, n_head, d_model, d_head):
            super().__init__()
            self.n_head, self.d_head = n_head, d_head
            self.q_net = nn.Linear(d_model, n_head * d_head, bias=False)
            self.kv_net = nn.Linear(d_model, 2 * n_head * d_head, bias=False)
            self.o_net = nn.Linear(n_head * d_head, d_model, bias=False)
            self.layer_norm = nn.LayerNorm(d_model)
            self.scale = 1 / (d_head**0.5)

        def forward(self, h, mems):
            c = torch.cat([mems, h], 0)
            head_q = self.q_net(h)
            head_k, head_v = torch.chunk(self.kv_net(c), 2, -1)
            head_q = head_q.view(h.size(0), h.size(1), self.n_head, self.d_head)
            head_k = head_k.view(c.size(0), c.size(1), self.n_head, self.d_head)
            head_v = head_v.view(c.size(0), c.size(1), self.n_head, self.d_head)
            attn_score = torch.einsum("ibnd,jbnd->ijbn", (head_q, head_k))
            attn_score.mul_(self.scale)
            attn_prob = F.softmax(attn_score, dim=0 if wrong else 1)
            attn_vec = torch.einsum("ijbn,jbnd->ibnd", (attn_prob, head_v))
            attn_vec = attn_vec.contiguous().view(
                attn_vec.size(0), attn_vec.size(1), self.n_head * self.d_head
            )
            return self.layer_norm(h + self.o_net(attn_vec))

    class MemEncoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.word_emb = nn.Embedding(60, 32)
            self.layers = nn.ModuleList([MultiHeadAttn(4, 32, 8) for _ in range(2)])

        def forward(self, data, mem):
            h = self.word_emb(data.t())
            m = self.word_emb(mem.t())
            for l in self.layers:
                h = l(h, m)
            return h.transpose(0, 1)

    return MemEncoder(), [
        (torch.randint(0, 60, (2, 8)), torch.randint(0, 60, (2, 6))),
        (torch.randint(0, 60, (3, 10)), torch.randint(0, 60, (3, 4))),
    ]


# ---------------------------------------------------------------- 25
def key_major_manual_softmax(wrong=True):
    """axis | Scores are computed key-major (B, H, Tk, Tq) and normalised by hand over the last axis, the queries, although the product with v sums over dim 2. Right twin: sum over dim 2."""

    class Perceiver(nn.Module):
        def __init__(self, in_ch=7, latents=6, d=32, heads=4):
            super().__init__()
            self.latents = nn.Parameter(torch.randn(latents, d) * 0.5)
            self.heads = heads
            self.d_head = d // heads
            self.inp = nn.Linear(in_ch, d)
            self.Wq, self.Wk, self.Wv = (nn.Linear(d, d) for _ in range(3))
            self.Wo = nn.Linear(d, d)
            self.head = nn.Linear(d, 4)

        def _split(self, t):
            return t.view(*t.shape[:2], self.heads, self.d_head).transpose(1, 2)

        def forward(self, data):
            x = self.inp(data)
            lat = self.latents[None].repeat(x.shape[0], 1, 1)
            q, k, v = self._split(self.Wq(lat)), self._split(self.Wk(x)), self._split(self.Wv(x))
            logits = torch.matmul(k, q.transpose(-2, -1)).div(
                math.sqrt(self.d_head)
            )  # keys x queries
            ax = 3 if wrong else 2
            e = torch.exp(logits - logits.amax(dim=ax, keepdim=True))
            p = e / e.sum(dim=ax, keepdim=True)
            z = torch.matmul(p.transpose(2, 3), v)
            z = lat + self.Wo(z.transpose(1, 2).reshape(lat.shape))
            return self.head(z.mean(1))

    return Perceiver(), [torch.randn(2, 16, 7), torch.randn(3, 25, 7)]
