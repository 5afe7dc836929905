import math, torch
from torch import nn
from torch.nn import functional as F


class _ViTAttention(nn.Module):
    def __init__(self, dim, heads, wrong):
        super().__init__()
        self.heads = heads
        self.scale = dim**-0.5 if wrong else (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.attend = nn.Softmax(dim=-1)
        self.to_out = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        x = self.norm(x)
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        B, N, C = q.shape
        q, k, v = (t.reshape(B, N, self.heads, C // self.heads).transpose(1, 2) for t in (q, k, v))
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        attn = self.attend(dots)
        out = torch.matmul(attn, v)
        return self.to_out(out.transpose(1, 2).reshape(B, N, C))


class _ViT(nn.Module):
    def __init__(self, wrong, dim=64, heads=4, depth=2, patch=8, img=32):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, patch, patch)
        self.cls = nn.Parameter(torch.randn(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, (img // patch) ** 2 + 1, dim))
        self.layers = nn.ModuleList(
            [
                nn.ModuleList(
                    [
                        _ViTAttention(dim, heads, wrong),
                        nn.Sequential(
                            nn.LayerNorm(dim),
                            nn.Linear(dim, 2 * dim),
                            nn.GELU(),
                            nn.Linear(2 * dim, dim),
                        ),
                    ]
                )
                for _ in range(depth)
            ]
        )
        self.head = nn.Linear(dim, 10)

    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.pos
        for attn, ff in self.layers:
            x = attn(x) + x
            x = ff(x) + x
        return self.head(x[:, 0])


def vit_scale_of_full_width(wrong=True):
    """scale | scale = dim ** -0.5 with the whole width. Right twin: dim_head ** -0.5."""
    return _ViT(wrong), [torch.randn(2, 3, 32, 32) for _ in range(2)]


class _CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size, off, dropout=0.0):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.attn_dropout = nn.Dropout(dropout)
        self.n_head, self.n_embd = n_head, n_embd
        self.register_buffer(
            "bias",
            torch.tril(torch.ones(block_size, block_size), diagonal=off).view(
                1, 1, block_size, block_size
            ),
        )

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)


class _GPT(nn.Module):
    def __init__(self, attn, n_embd=48, vocab=65, block=32, n_layer=2):
        super().__init__()
        self.wte = nn.Embedding(vocab, n_embd)
        self.wpe = nn.Embedding(block, n_embd)
        self.attn = nn.ModuleList([attn() for _ in range(n_layer)])
        self.ln_1 = nn.ModuleList([nn.LayerNorm(n_embd) for _ in range(n_layer)])
        self.ln_2 = nn.ModuleList([nn.LayerNorm(n_embd) for _ in range(n_layer)])
        self.mlp = nn.ModuleList(
            [
                nn.Sequential(
                    nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
                )
                for _ in range(n_layer)
            ]
        )
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, idx):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        for a, l1, l2, m in zip(self.attn, self.ln_1, self.ln_2, self.mlp):
            x = x + a(l1(x))
            x = x + m(l2(x))
        return self.lm_head(self.ln_f(x))


def nanogpt_tril_diagonal_one(wrong=True):
    """mask | tril(diagonal=1) lets each token see the next one. Right twin: tril(diagonal=0)."""
    return _GPT(lambda: _CausalSelfAttention(48, 4, 32, 1 if wrong else 0)), [
        torch.randint(0, 65, (3, 20)) for _ in range(2)
    ]


class _RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def _rope_cis(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim))
    freqs = torch.outer(torch.arange(end).float(), freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def _apply_rotary_emb(xq, xk, cis):
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    cis = cis.view(1, xq_.shape[1], 1, xq_.shape[-1])
    return torch.view_as_real(xq_ * cis).flatten(3).type_as(xq), torch.view_as_real(
        xk_ * cis
    ).flatten(3).type_as(xk)


def _repeat_kv(x, n_rep):
    bs, slen, n_kv, hd = x.shape
    return x[:, :, :, None, :].expand(bs, slen, n_kv, n_rep, hd).reshape(bs, slen, n_kv * n_rep, hd)


class _LlamaAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv, wrong):
        super().__init__()
        self.n_heads, self.n_kv, self.hd = n_heads, n_kv, dim // n_heads
        self.n_rep = n_heads // n_kv
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, n_kv * self.hd, bias=False)
        self.wv = nn.Linear(dim, n_kv * self.hd, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.wrong = wrong

    def forward(self, x, cis, mask):
        b, s, _ = x.shape
        xq = self.wq(x).view(b, s, self.n_heads, self.hd)
        xk = self.wk(x).view(b, s, self.n_kv, self.hd)
        xv = self.wv(x).view(b, s, self.n_kv, self.hd)
        xq, xk = _apply_rotary_emb(xq, xk, cis)
        if self.wrong:
            keys = xk.repeat(1, 1, self.n_rep, 1)
        else:
            keys = _repeat_kv(xk, self.n_rep)
        values = _repeat_kv(xv, self.n_rep)
        xq, keys, values = xq.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / math.sqrt(self.hd)
        scores = scores + mask
        scores = F.softmax(scores.float(), dim=-1).type_as(xq)
        out = torch.matmul(scores, values).transpose(1, 2).contiguous().view(b, s, -1)
        return self.wo(out)


class _Llama(nn.Module):
    def __init__(self, wrong, dim=64, n_heads=8, n_kv=2, n_layers=2, vocab=100):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.attn = nn.ModuleList(
            [_LlamaAttention(dim, n_heads, n_kv, wrong) for _ in range(n_layers)]
        )
        self.n1 = nn.ModuleList([_RMSNorm(dim) for _ in range(n_layers)])
        self.n2 = nn.ModuleList([_RMSNorm(dim) for _ in range(n_layers)])
        self.w1 = nn.ModuleList([nn.Linear(dim, 128, bias=False) for _ in range(n_layers)])
        self.w3 = nn.ModuleList([nn.Linear(dim, 128, bias=False) for _ in range(n_layers)])
        self.w2 = nn.ModuleList([nn.Linear(128, dim, bias=False) for _ in range(n_layers)])
        self.norm = _RMSNorm(dim)
        self.out = nn.Linear(dim, vocab, bias=False)
        self.cis = _rope_cis(dim // n_heads, 64)

    def forward(self, tokens):
        s = tokens.shape[1]
        h = self.tok(tokens)
        mask = torch.triu(torch.full((s, s), float("-inf")), diagonal=1)
        for i in range(len(self.attn)):
            h = h + self.attn[i](self.n1[i](h), self.cis[:s], mask)
            y = self.n2[i](h)
            h = h + self.w2[i](F.silu(self.w1[i](y)) * self.w3[i](y))
        return self.out(self.norm(h))


def llama_gqa_repeat_keys_tiled(wrong=True):
    """heads | key heads tiled with repeat (0101..) while value heads are interleaved (0011..). Right twin: repeat_kv for both."""
    return _Llama(wrong), [torch.randint(0, 100, (2, 16)) for _ in range(2)]


class _BertSelfAttention(nn.Module):
    def __init__(self, hidden, heads, wrong):
        super().__init__()
        self.num_attention_heads = heads
        self.attention_head_size = hidden // heads
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.dropout = nn.Dropout(0.0)
        self.dense = nn.Linear(hidden, hidden)
        self.LayerNorm = nn.LayerNorm(hidden, eps=1e-12)

    def transpose_for_scores(self, x):
        return x.view(*x.size()[:-1], self.num_attention_heads, self.attention_head_size).permute(
            0, 2, 1, 3
        )

    def forward(self, hidden_states, attention_mask=None):
        q = self.transpose_for_scores(self.query(hidden_states))
        k = self.transpose_for_scores(self.key(hidden_states))
        v = self.transpose_for_scores(self.value(hidden_states))
        s = torch.matmul(q, k.transpose(-1, -2))
        s = s / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            s = s + attention_mask
        p = self.dropout(nn.Softmax(dim=-1)(s))
        c = torch.matmul(p, v).permute(0, 2, 1, 3).contiguous()
        c = c.view(*c.size()[:-2], -1)
        return self.LayerNorm(self.dense(c) + hidden_states)


class _Bert(nn.Module):
    def __init__(self, wrong, hidden=64, heads=4, vocab=120):
        super().__init__()
        self.word = nn.Embedding(vocab, hidden, padding_idx=0)
        self.position = nn.Embedding(64, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.layer = nn.ModuleList([_BertSelfAttention(hidden, heads, wrong) for _ in range(2)])
        self.pooler = nn.Linear(hidden, hidden)
        self.classifier = nn.Linear(hidden, 2)
        self.wrong = wrong

    def forward(self, input_ids, attention_mask):
        extended = attention_mask[:, None, None, :].float()
        if not self.wrong:
            extended = (1.0 - extended) * torch.finfo(torch.float32).min
        x = self.norm(self.word(input_ids) + self.position(torch.arange(input_ids.size(1)))[None])
        for l in self.layer:
            x = l(x, extended)
        return self.classifier(torch.tanh(self.pooler(x[:, 0])))


def _padded_ids(lens, vocab, L):
    ids = torch.zeros(len(lens), L, dtype=torch.long)
    m = torch.zeros(len(lens), L, dtype=torch.long)
    for i, n in enumerate(lens):
        ids[i, :n] = torch.randint(1, vocab, (n,))
        m[i, :n] = 1
    return ids, m


def bert_attention_mask_added_as_01(wrong=True):
    """mask | the 0/1 attention_mask is added to the scores as it is. Right twin: (1 - mask) * finfo.min is added."""
    bs = []
    for lens in ([12, 7, 9], [5, 14, 10]):
        i, m = _padded_ids(lens, 120, 14)
        bs.append(dict(input_ids=i, attention_mask=m))
    return _Bert(wrong), bs


class _T5Attention(nn.Module):
    def __init__(self, d_model, n_heads, wrong, nb=16, maxd=32):
        super().__init__()
        self.n_heads, self.d_kv = n_heads, d_model // n_heads
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.nb, self.maxd = nb, maxd
        self.relative_attention_bias = nn.Embedding(nb, n_heads)
        self.wrong = wrong

    def bucket(self, rel):
        n = self.nb // 2
        ret = (rel > 0).long() * n
        r = rel.abs()
        max_exact = n // 2
        large = (
            max_exact
            + (
                torch.log(r.float().clamp(min=1) / max_exact)
                / math.log(self.maxd / max_exact)
                * (n - max_exact)
            ).long()
        )
        large = torch.minimum(large, torch.full_like(large, n - 1))
        return ret + torch.where(r < max_exact, r, large)

    def forward(self, x):
        B, L, D = x.shape
        shape = lambda t: t.view(B, -1, self.n_heads, self.d_kv).transpose(1, 2)
        q, k, v = shape(self.q(x)), shape(self.k(x)), shape(self.v(x))
        scores = torch.matmul(q, k.transpose(3, 2)) / math.sqrt(self.d_kv)
        pos = torch.arange(L)
        bias = (
            self.relative_attention_bias(self.bucket(pos[None, :] - pos[:, None]))
            .permute(2, 0, 1)
            .unsqueeze(0)
        )
        scores = scores + bias
        w = F.softmax(scores.float(), dim=-2 if self.wrong else -1).type_as(scores)
        out = torch.matmul(w, v).transpose(1, 2).contiguous().view(B, L, D)
        return self.o(out)


class _T5Enc(nn.Module):
    def __init__(self, wrong, d=48):
        super().__init__()
        self.shared = nn.Embedding(80, d)
        self.sa = nn.ModuleList([_T5Attention(d, 6, wrong) for _ in range(2)])
        self.ln = nn.ModuleList([_RMSNorm(d) for _ in range(4)])
        self.ff = nn.ModuleList(
            [
                nn.Sequential(nn.Linear(d, 96, bias=False), nn.ReLU(), nn.Linear(96, d, bias=False))
                for _ in range(2)
            ]
        )

    def forward(self, ids):
        h = self.shared(ids)
        for i in range(2):
            h = h + self.sa[i](self.ln[2 * i](h))
            h = h + self.ff[i](self.ln[2 * i + 1](h))
        return h


def t5_style_bias_softmax_over_queries(wrong=True):
    """axis | softmax over dim=-2 (queries) in an encoder with bucketed relative bias. Right twin: dim=-1."""
    return _T5Enc(wrong), [torch.randint(0, 80, (2, 18)) for _ in range(2)]
