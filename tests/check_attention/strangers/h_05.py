import math, copy, torch
from torch import nn
from torch.nn import functional as F


class _PosEnc(nn.Module):
    def __init__(self, d, n=64):
        super().__init__()
        pos = torch.arange(n).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe = torch.zeros(1, n, d)
        pe[0, :, 0::2], pe[0, :, 1::2] = torch.sin(pos * div), torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class _Seq2SeqTransformer(nn.Module):
    def __init__(self, wrong, d=32, vocab=40):
        super().__init__()
        self.src_tok, self.tgt_tok, self.pe = (
            nn.Embedding(vocab, d),
            nn.Embedding(vocab, d),
            _PosEnc(d),
        )
        self.transformer = nn.Transformer(d, 4, 1, 2, 64, dropout=0.0, batch_first=True)
        self.generator = nn.Linear(d, vocab)
        self.d, self.wrong = d, wrong

    def forward(self, src, tgt):
        tgt_mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        s = self.pe(self.src_tok(src) * math.sqrt(self.d))
        t = self.pe(self.tgt_tok(tgt) * math.sqrt(self.d))
        if self.wrong:
            out = self.transformer(s, t, tgt_mask)
        else:
            out = self.transformer(s, t, tgt_mask=tgt_mask)
        return self.generator(out)


def nn_transformer_tgt_mask_in_src_mask_place(wrong=True):
    """mask | tgt_mask given positionally lands in src_mask: the decoder is not causal. Right twin: tgt_mask=tgt_mask."""
    return _Seq2SeqTransformer(wrong), [
        (torch.randint(0, 40, (2, 12)), torch.randint(0, 40, (2, 12))) for _ in range(2)
    ]


def _clones(m, n):
    return nn.ModuleList([copy.deepcopy(m) for _ in range(n)])


def _attention(query, key, value, mask=None, dropout=None, neg=-1e9):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, neg)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class _MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, neg, dropout=0.0):
        super().__init__()
        self.d_k, self.h, self.neg = d_model // h, h, neg
        self.linears = _clones(nn.Linear(d_model, d_model), 4)
        self.attn, self.dropout = None, nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nb = query.size(0)
        query, key, value = [
            lin(x).view(nb, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = _attention(query, key, value, mask, self.dropout, self.neg)
        return self.linears[-1](x.transpose(1, 2).contiguous().view(nb, -1, self.h * self.d_k))


class _AnnotatedDecoder(nn.Module):
    def __init__(self, neg, d=32, vocab=30):
        super().__init__()
        self.tok, self.pe = nn.Embedding(vocab, d), _PosEnc(d)
        self.self_attn, self.src_attn = (
            _MultiHeadedAttention(4, d, neg),
            _MultiHeadedAttention(4, d, neg),
        )
        self.norms = _clones(nn.LayerNorm(d), 3)
        self.proj = nn.Linear(d, vocab)

    def forward(self, memory, src_mask, tgt, tgt_mask):
        x = self.pe(self.tok(tgt))
        y = self.norms[0](x)
        x = x + self.self_attn(y, y, y, tgt_mask)
        x = x + self.src_attn(self.norms[1](x), memory, memory, src_mask)
        return F.log_softmax(self.proj(self.norms[2](x)), -1)


def annotated_transformer_minus_1e_minus_9(wrong=True):
    """mask | masked_fill(mask == 0, -1e-9) instead of -1e9. Right twin: -1e9."""
    bs = []
    for lens in ([13, 8], [6, 13]):
        src_mask = (torch.arange(13)[None] < torch.tensor(lens)[:, None]).unsqueeze(-2)
        sub = torch.triu(torch.ones(1, 10, 10), diagonal=1).type(torch.uint8) == 0
        bs.append((torch.randn(2, 13, 32), src_mask, torch.randint(0, 30, (2, 10)), sub))
    return _AnnotatedDecoder(-1e-9 if wrong else -1e9), bs


class _Head(nn.Module):
    """one head of self-attention"""

    def __init__(self, n_embd, head_size, block_size, wrong):
        super().__init__()
        self.key, self.query, self.value = (
            nn.Linear(n_embd, head_size, bias=False) for _ in range(3)
        )
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.wrong = wrong

    def forward(self, x):
        B, T, C = x.shape
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) * (C**-0.5 if self.wrong else k.shape[-1] ** -0.5)
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = F.softmax(wei, dim=-1)
        return wei @ self.value(x)


class _BigramLM(nn.Module):
    def __init__(self, wrong, n_embd=48, n_head=6, block=16, vocab=65):
        super().__init__()
        self.token_embedding_table, self.position_embedding_table = (
            nn.Embedding(vocab, n_embd),
            nn.Embedding(block, n_embd),
        )
        self.heads = nn.ModuleList(
            [
                nn.ModuleList(
                    [_Head(n_embd, n_embd // n_head, block, wrong) for _ in range(n_head)]
                )
                for _ in range(2)
            ]
        )
        self.proj = nn.ModuleList([nn.Linear(n_embd, n_embd) for _ in range(2)])
        self.ln = nn.ModuleList([nn.LayerNorm(n_embd) for _ in range(3)])
        self.lm_head = nn.Linear(n_embd, vocab)

    def forward(self, idx):
        x = self.token_embedding_table(idx) + self.position_embedding_table(
            torch.arange(idx.shape[1])
        )
        for i in range(2):
            y = self.ln[i](x)
            x = x + self.proj[i](torch.cat([h(y) for h in self.heads[i]], dim=-1))
        return self.lm_head(self.ln[2](x))


def makemore_head_scaled_by_n_embd(wrong=True):
    """scale | C ** -0.5 where C is n_embd and not head_size (as in the lecture). Right twin: head_size ** -0.5."""
    return _BigramLM(wrong), [torch.randint(0, 65, (4, 16)) for _ in range(2)]


class _CachedAttention(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h, self.qkv, self.out, self.wrong = h, nn.Linear(d, 3 * d), nn.Linear(d, d), wrong

    def forward(self, x, past=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, C // self.h).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        causal = True if self.wrong else past is None
        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return self.out(y.transpose(1, 2).reshape(B, T, C)), (k, v)


class _CachedLM(nn.Module):
    def __init__(self, wrong, d=32, vocab=50):
        super().__init__()
        self.emb, self.pos = nn.Embedding(vocab, d), nn.Embedding(40, d)
        self.attn = nn.ModuleList([_CachedAttention(d, 4, wrong) for _ in range(2)])
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])
        self.head = nn.Linear(d, vocab)

    def forward(self, idx, past=None):
        p0 = 0 if past is None else past[0][0].size(2)
        x = self.emb(idx) + self.pos(torch.arange(p0, p0 + idx.size(1)))
        new = []
        for i, (a, l) in enumerate(zip(self.attn, self.ln)):
            y, kv = a(l(x), None if past is None else past[i])
            x = x + y
            new.append(kv)
        return self.head(x), new


def _generate(model, prompt, steps=4):
    logits, past = model(prompt)
    outs = [logits]
    for _ in range(steps):
        nxt = outs[-1][:, -1:].argmax(-1)
        logits, past = model(nxt, past)
        outs.append(logits)
    return torch.cat(outs, 1)


def sdpa_is_causal_in_decoding_with_cache(wrong=True):
    """mask | is_causal=True also with one query and a cache: the mask is aligned top left, the new token sees only the first key. Right twin: is_causal only in the prefill."""
    return _CachedLM(wrong), [torch.randint(0, 50, (2, 9)) for _ in range(2)], _generate


class _MaskedMHA(nn.Module):
    def __init__(self, d_in, d_out, context_length, num_heads, wrong):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query, self.W_key, self.W_value = (
            nn.Linear(d_in, d_out, bias=False) for _ in range(3)
        )
        self.out_proj = nn.Linear(d_out, d_out)
        m = torch.ones(context_length, context_length)
        self.register_buffer(
            "mask", torch.tril(m, diagonal=-1) if wrong else torch.triu(m, diagonal=1)
        )

    def forward(self, x):
        b, n, _ = x.shape
        keys = self.W_key(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        queries = self.W_query(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        values = self.W_value(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        attn_scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        context_vec = (attn_weights @ values).transpose(1, 2)
        return self.out_proj(context_vec.contiguous().view(b, n, self.d_out))


def llms_from_scratch_causal_mask_transposed(wrong=True):
    """mask | the True = hide mask is lower triangular: the past is hidden. Right twin: triu(diagonal=1)."""
    m = nn.Sequential(
        nn.Embedding(70, 32), _MaskedMHA(32, 32, 24, 4, wrong), nn.LayerNorm(32), nn.Linear(32, 70)
    )
    return m, [torch.randint(0, 70, (2, 18)) for _ in range(2)]
