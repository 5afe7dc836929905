import math, torch
from torch import nn
from torch.nn import functional as F


class _BloomAttention(nn.Module):
    def __init__(self, hidden, heads, wrong):
        super().__init__()
        self.num_heads, self.head_dim = heads, hidden // heads
        self.inv_norm_factor = 1.0 / math.sqrt(self.head_dim)
        self.query_key_value = nn.Linear(hidden, 3 * hidden)
        self.dense = nn.Linear(hidden, hidden)
        self.wrong = wrong

    def forward(self, hidden_states, alibi, causal_mask):
        b, t, c = hidden_states.shape
        fused = self.query_key_value(hidden_states).view(b, t, self.num_heads, 3, self.head_dim)
        q, k, v = fused[..., 0, :], fused[..., 1, :], fused[..., 2, :]
        q = q.transpose(1, 2).reshape(b * self.num_heads, t, self.head_dim)
        k = k.permute(0, 2, 3, 1).reshape(b * self.num_heads, self.head_dim, t)
        v = v.transpose(1, 2).reshape(b * self.num_heads, t, self.head_dim)
        if self.wrong:
            scores = torch.baddbmm(alibi, q, k, beta=self.inv_norm_factor, alpha=1.0)
        else:
            scores = torch.baddbmm(alibi, q, k, beta=1.0, alpha=self.inv_norm_factor)
        scores = torch.masked_fill(
            scores.view(b, self.num_heads, t, t), causal_mask, torch.finfo(scores.dtype).min
        )
        probs = F.softmax(scores, dim=-1).view(b * self.num_heads, t, t)
        ctx = torch.bmm(probs, v).view(b, self.num_heads, t, self.head_dim).permute(0, 2, 1, 3)
        return self.dense(ctx.reshape(b, t, c))


class _Bloom(nn.Module):
    def __init__(self, wrong, hidden=64, heads=8, n=2):
        super().__init__()
        self.heads = heads
        self.word_embeddings = nn.Embedding(70, hidden)
        self.ln0 = nn.LayerNorm(hidden)
        self.ln = nn.ModuleList([nn.LayerNorm(hidden) for _ in range(n)])
        self.attn = nn.ModuleList([_BloomAttention(hidden, heads, wrong) for _ in range(n)])

    def forward(self, input_ids):
        b, t = input_ids.shape
        slopes = 2.0 ** (-8.0 / self.heads * torch.arange(1, self.heads + 1))
        alibi = (slopes[:, None] * torch.arange(t)[None]).repeat(b, 1).view(b * self.heads, 1, t)
        mask = torch.arange(t)[:, None] < torch.arange(t)[None]
        x = self.ln0(self.word_embeddings(input_ids))
        for ln, a in zip(self.ln, self.attn):
            x = x + a(ln(x), alibi, mask)
        return x @ self.word_embeddings.weight.t()


def bloom_beta_and_alpha_exchanged(wrong=True):
    """scale | baddbmm's beta and alpha are exchanged: 1/sqrt(d) goes to the ALiBi bias and none to q.k. Right twin: beta=1, alpha=1/sqrt(d)."""
    return _Bloom(wrong), [torch.randint(0, 70, (2, 18)), torch.randint(0, 70, (3, 11))]


class _MLA(nn.Module):
    """multi-head latent attention, absorbed form"""

    def __init__(self, dim, n_heads, wrong, nope=16, rope=8, v_dim=12, rank=20):
        super().__init__()
        self.n_heads, self.nope, self.rope, self.v_dim, self.rank = n_heads, nope, rope, v_dim, rank
        self.qk_head_dim = nope + rope
        self.softmax_scale = self.qk_head_dim**-0.5
        self.wq = nn.Linear(dim, n_heads * self.qk_head_dim, bias=False)
        self.wkv_a = nn.Linear(dim, rank + rope, bias=False)
        self.kv_norm = nn.RMSNorm(rank)
        self.wkv_b = nn.Linear(rank, n_heads * (nope + v_dim), bias=False)
        self.wo = nn.Linear(n_heads * v_dim, dim, bias=False)
        self.wrong = wrong

    def forward(self, x, freqs_cis, mask):
        b, t, _ = x.shape
        q_nope, q_pe = self.wq(x).view(b, t, self.n_heads, -1).split([self.nope, self.rope], -1)
        kv, k_pe = self.wkv_a(x).split([self.rank, self.rope], -1)
        rot = lambda u, f: torch.view_as_real(
            torch.view_as_complex(u.reshape(*u.shape[:-1], -1, 2)) * f
        ).flatten(-2)
        q_pe, k_pe = rot(q_pe, freqs_cis[:, None]), rot(k_pe, freqs_cis)
        kv = self.kv_norm(kv)
        w = self.wkv_b.weight.view(self.n_heads, -1, self.rank)
        if self.wrong:
            q_nope = q_nope * self.softmax_scale
        q_nope = torch.einsum("bshd,hdc->bshc", q_nope, w[:, : self.nope])
        scores = (
            torch.einsum("bshc,btc->bsht", q_nope, kv) + torch.einsum("bshr,btr->bsht", q_pe, k_pe)
        ) * self.softmax_scale
        scores = scores + mask.unsqueeze(1)
        scores = scores.softmax(-1)
        o = torch.einsum("bsht,btc->bshc", scores, kv)
        o = torch.einsum("bshc,hdc->bshd", o, w[:, -self.v_dim :])
        return self.wo(o.flatten(2))


class _DeepLM(nn.Module):
    def __init__(self, wrong, dim=48, n=2):
        super().__init__()
        self.embed = nn.Embedding(50, dim)
        self.attn = nn.ModuleList([_MLA(dim, 4, wrong) for _ in range(n)])
        self.norm = nn.ModuleList([nn.RMSNorm(dim) for _ in range(n)])
        self.head = nn.Linear(dim, 50, bias=False)

    def forward(self, tokens):
        t = tokens.size(1)
        ang = torch.outer(torch.arange(t).float(), 10000.0 ** (-torch.arange(0, 8, 2).float() / 8))
        fc = torch.polar(torch.ones_like(ang), ang)
        mask = torch.full((t, t), float("-inf")).triu_(1)
        h = self.embed(tokens)
        for n, a in zip(self.norm, self.attn):
            h = h + a(n(h), fc, mask)
        return self.head(h)


def mla_absorbed_nope_part_scaled_twice(wrong=True):
    """scale | MLA in absorbed form: q_nope is scaled, and the sum of both products again. Right twin: the sum alone, by (nope + rope)**-0.5."""
    return _DeepLM(wrong), [torch.randint(0, 50, (2, 16)), torch.randint(0, 50, (2, 23))]


def _multihead_attention(queries, keys, values, key_masks, num_heads, wrong):
    """queries etc.: (N, T, d_model). key_masks: (N, T_k), True at padding."""
    Q_ = torch.cat(torch.chunk(queries, num_heads, dim=2), dim=0)  # (h*N, T_q, d_model/h)
    K_ = torch.cat(torch.chunk(keys, num_heads, dim=2), dim=0)
    V_ = torch.cat(torch.chunk(values, num_heads, dim=2), dim=0)
    outputs = torch.matmul(Q_, K_.permute(0, 2, 1))
    outputs = outputs / Q_.size(-1) ** 0.5
    if wrong:
        key_masks = key_masks.repeat_interleave(num_heads, dim=0)  # (h*N, T_k)
    else:
        key_masks = key_masks.repeat(num_heads, 1)  # (h*N, T_k)
    outputs = outputs + key_masks.unsqueeze(1).float() * (-(2**32) + 1)
    outputs = torch.softmax(outputs, dim=-1)
    outputs = torch.matmul(outputs, V_)
    return torch.cat(torch.chunk(outputs, num_heads, dim=0), dim=2)


class _Tagger(nn.Module):
    def __init__(self, wrong, d=24, heads=3):
        super().__init__()
        self.emb = nn.Embedding(50, d, padding_idx=0)
        self.pos = nn.Embedding(30, d)
        self.wq, self.wk, self.wv = (
            nn.ModuleList([nn.Linear(d, d) for _ in range(2)]) for _ in range(3)
        )
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])
        self.tag = nn.Linear(d, 9)
        self.heads, self.wrong = heads, wrong

    def forward(self, words):
        pad = torch.eq(words, 0)
        x = self.emb(words) + self.pos(torch.arange(words.size(1)))
        for q, k, v, ln in zip(self.wq, self.wk, self.wv, self.ln):
            x = ln(x + _multihead_attention(q(x), k(x), v(x), pad, self.heads, self.wrong))
        return self.tag(x)


def _words(*lens):
    return nn.utils.rnn.pad_sequence([torch.randint(1, 50, (n,)) for n in lens], batch_first=True)


def tagger_head_major_mask_interleaved(wrong=True):
    """mask | Heads are stacked outermost (h*N), but the padding mask is repeated interleaved, so each gets another sentence's. Right twin: repeat(h, 1)."""
    return _Tagger(wrong), [_words(15, 6, 11, 9), _words(4, 10)]


class _DenseGAT(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h, self.wrong = h, wrong
        self.W = nn.Parameter(torch.empty(3, h, d, d // h))
        nn.init.xavier_uniform_(self.W)
        self.out = nn.Linear(d, d)

    def forward(self, x, adj):
        q, k, v = torch.einsum("bnd,shde->sbhne", x, self.W)
        e = torch.einsum("bhie,bhje->bhij", q, k) / math.sqrt(q.shape[-1])
        alpha = e.softmax(-1) * adj.unsqueeze(1)
        if not self.wrong:
            alpha = alpha / alpha.sum(-1, keepdim=True)
        return self.out(torch.einsum("bhij,bhje->bihe", alpha, v).flatten(2))


class _GraphNet(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.inp = nn.Linear(5, d)
        self.g = nn.ModuleList([_DenseGAT(d, 4, wrong) for _ in range(2)])
        self.n = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])
        self.out = nn.Linear(d, 1)

    def forward(self, x, adj):
        x = self.inp(x)
        for g, n in zip(self.g, self.n):
            x = n(x + F.elu(g(x, adj)))
        return self.out(x.mean(1))


def _graphs(b, n):
    a = (torch.rand(b, n, n) < 0.25).float()
    a = ((a + a.mT + torch.eye(n)) > 0).float()
    return torch.randn(b, n, 5), a


def graph_adjacency_after_softmax(wrong=True):
    """mask | Weights are multiplied by the adjacency after softmax and not renormalised. Right twin: divided by their sum again."""
    return _GraphNet(wrong), [_graphs(2, 14), _graphs(3, 10)]


class _LlamaAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv, wrong):
        super().__init__()
        self.n_heads, self.n_kv, self.hd = n_heads, n_kv, dim // n_heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, n_kv * self.hd, bias=False)
        self.wv = nn.Linear(dim, n_kv * self.hd, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.wrong = wrong

    def forward(self, x):
        b, t, _ = x.shape
        g = self.n_heads // self.n_kv
        q = self.wq(x).view(b, t, self.n_heads, self.hd)
        k = self.wk(x).view(b, t, self.n_kv, self.hd)
        v = self.wv(x).view(b, t, self.n_kv, self.hd)
        k = torch.repeat_interleave(k, g, dim=2)
        if self.wrong:
            v = (
                v[:, :, None]
                .expand(b, t, g, self.n_kv, self.hd)
                .reshape(b, t, self.n_heads, self.hd)
            )
        else:
            v = (
                v[:, :, :, None]
                .expand(b, t, self.n_kv, g, self.hd)
                .reshape(b, t, self.n_heads, self.hd)
            )
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(y.transpose(1, 2).contiguous().view(b, t, -1))


class _LlamaBlock(nn.Module):
    def __init__(self, dim, wrong):
        super().__init__()
        self.attention_norm, self.ffn_norm = nn.RMSNorm(dim), nn.RMSNorm(dim)
        self.attention = _LlamaAttention(dim, 8, 4, wrong)
        self.w1, self.w2, self.w3 = (
            nn.Linear(dim, 2 * dim),
            nn.Linear(2 * dim, dim),
            nn.Linear(dim, 2 * dim),
        )

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        y = self.ffn_norm(x)
        return x + self.w2(F.silu(self.w1(y)) * self.w3(y))


def gqa_values_tiled_keys_interleaved(wrong=True):
    """heads | Key heads are repeated 00112233, value heads 01230123. Right twin: both 00112233, one by repeat_interleave, one by expand."""
    return nn.Sequential(
        nn.Embedding(60, 64), _LlamaBlock(64, wrong), _LlamaBlock(64, wrong), nn.Linear(64, 60)
    ), [torch.randint(0, 60, (2, 14)), torch.randint(0, 60, (3, 9))]
