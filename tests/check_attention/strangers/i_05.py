import math, torch
from torch import nn
from torch.nn import functional as F


class _Flash(torch.autograd.Function):
    """Blockwise causal attention with a running maximum; the backward recomputes the weights."""

    @staticmethod
    def forward(ctx, q, k, v, block, local):
        B, H, T, d = q.shape
        scale = d**-0.5
        out = torch.empty_like(q)
        full = torch.zeros(T, T, dtype=torch.bool)
        for i in range(0, T, block):
            qi = q[:, :, i : i + block]
            rows = torch.arange(qi.shape[2])[:, None]
            m = q.new_full((B, H, qi.shape[2], 1), -torch.inf)
            l = torch.zeros_like(m)
            acc = torch.zeros_like(qi)
            for j in range(i, -1, -block):  # diagonal block first, then the past
                kj, vj = k[:, :, j : j + block], v[:, :, j : j + block]
                cols = torch.arange(kj.shape[2])[None]
                allowed = rows >= cols if local else rows + i >= cols + j
                full[i : i + block, j : j + block] = allowed
                s = (qi @ kj.transpose(-1, -2) * scale).masked_fill(~allowed, -torch.inf)
                m_new = torch.maximum(m, s.amax(-1, keepdim=True))
                p = torch.exp(s - m_new)
                alpha = torch.exp(m - m_new)
                l = l * alpha + p.sum(-1, keepdim=True)
                acc = acc * alpha + p @ vj
                m = m_new
            out[:, :, i : i + block] = acc / l
        ctx.save_for_backward(q, k, v, out, full)
        return out

    @staticmethod
    def backward(ctx, do):
        q, k, v, o, full = ctx.saved_tensors
        scale = q.shape[-1] ** -0.5
        p = (q @ k.mT * scale).masked_fill(~full, -torch.inf).softmax(-1)
        ds = p * (do @ v.mT - (do * o).sum(-1, keepdim=True))
        return ds @ k * scale, ds.mT @ q * scale, p.mT @ do, None, None


def flash_blocks_compare_local_positions(wrong=True):
    """mask | A blockwise causal attention (autograd function) compares positions inside the blocks, so tokens of earlier blocks are hidden. Right twin: global positions."""

    class Attn(nn.Module):
        def __init__(self, dim=32, heads=2, block=4):
            super().__init__()
            self.heads, self.block = heads, block
            self.qkv, self.o = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

        def forward(self, x):
            q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
            y = _Flash.apply(q, k, v, self.block, wrong)
            return self.o(y.transpose(1, 2).flatten(2))

    class LM(nn.Module):
        def __init__(self):
            super().__init__()
            self.e, self.p = nn.Embedding(40, 32), nn.Embedding(32, 32)
            self.n, self.a, self.out = nn.LayerNorm(32), Attn(), nn.Linear(32, 40)

        def forward(self, ids):
            x = self.e(ids) + self.p(torch.arange(ids.shape[1]))
            return self.out(x + self.a(self.n(x)))

    return LM(), [torch.randint(0, 40, (2, 14)), torch.randint(0, 40, (2, 12))]


def head_scaled_by_embedding_width(wrong=True):
    """scale | Each Head multiplies by C**-0.5 with C the whole embedding width. Right twin: head_size**-0.5."""
    n_embd, block_size = 64, 16

    class Head(nn.Module):
        def __init__(self, head_size):
            super().__init__()
            self.key = nn.Linear(n_embd, head_size, bias=False)
            self.query = nn.Linear(n_embd, head_size, bias=False)
            self.value = nn.Linear(n_embd, head_size, bias=False)
            self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

        def forward(self, x):
            B, T, C = x.shape
            k, q = self.key(x), self.query(x)
            wei = q @ k.transpose(-2, -1) * (C if wrong else k.shape[-1]) ** -0.5
            wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
            wei = F.softmax(wei, dim=-1)
            return wei @ self.value(x)

    class MultiHeadAttention(nn.Module):
        def __init__(self, num_heads, head_size):
            super().__init__()
            self.heads = nn.ModuleList([Head(head_size) for _ in range(num_heads)])
            self.proj = nn.Linear(n_embd, n_embd)

        def forward(self, x):
            return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))

    class BigramLanguageModel(nn.Module):
        def __init__(self, vocab_size=65):
            super().__init__()
            self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
            self.position_embedding_table = nn.Embedding(block_size, n_embd)
            self.sa = MultiHeadAttention(4, n_embd // 4)
            self.ln = nn.LayerNorm(n_embd)
            self.lm_head = nn.Linear(n_embd, vocab_size)

        def forward(self, idx):
            x = self.token_embedding_table(idx) + self.position_embedding_table(
                torch.arange(idx.shape[1])
            )
            return self.lm_head(x + self.sa(self.ln(x)))

    return BigramLanguageModel(), [torch.randint(0, 65, (4, 16)), torch.randint(0, 65, (2, 11))]


def encoder_layer_without_batch_first(wrong=True):
    """heads | nn.TransformerEncoderLayer without batch_first gets (batch, tokens, width): it attends over the batch. Right twin: batch_first=True."""

    class Classifier(nn.Module):
        def __init__(self, n_feat=12, d=32):
            super().__init__()
            self.proj = nn.Linear(n_feat, d)
            self.pos = nn.Parameter(torch.randn(1, 50, d) * 0.02)
            layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=not wrong)
            self.encoder = nn.TransformerEncoder(layer, 2)
            self.fc = nn.Linear(d, 3)

        def forward(self, x):
            x = self.proj(x) + self.pos[:, : x.size(1)]
            return self.fc(self.encoder(x).mean(dim=1))

    return Classifier(), [torch.randn(4, 13, 12), torch.randn(3, 20, 12)]


def attention_pooling_softmax_over_one(wrong=True):
    """axis | Pooling by a learned query: scores (B, T, 1) go through softmax(dim=-1), all weights are 1, while the product sums over T. Right twin: dim=1."""

    class AttentionPool(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.query = nn.Parameter(torch.randn(d))
            self.key, self.value = nn.Linear(d, d), nn.Linear(d, d)

        def forward(self, x):
            score = (self.key(x) @ self.query / math.sqrt(x.shape[-1])).unsqueeze(-1)
            alpha = F.softmax(score, dim=-1 if wrong else 1)
            return (alpha * self.value(x)).sum(dim=1)

    class Sentiment(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(80, 24)
            self.gru = nn.GRU(24, 16, batch_first=True, bidirectional=True)
            self.pool = AttentionPool(32)
            self.fc = nn.Linear(32, 2)

        def forward(self, tokens):
            return self.fc(self.pool(self.gru(self.emb(tokens))[0]))

    return Sentiment(), [torch.randint(0, 80, (3, 15)), torch.randint(0, 80, (2, 10))]


def key_padding_mask_inverted(wrong=True):
    """mask | nn.MultiheadAttention gets key_padding_mask True for real tokens (it means: ignore). Right twin: True for padding."""

    class Encoder(nn.Module):
        def __init__(self, vocab=70, d=32, heads=4):
            super().__init__()
            self.emb = nn.Embedding(vocab, d, padding_idx=0)
            self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
            self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.ff = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, d))

        def forward(self, src):
            mask = (src != 0) if wrong else (src == 0)
            x = self.emb(src)
            a, _ = self.attn(x, x, x, key_padding_mask=mask)
            x = self.norm1(x + a)
            return self.norm2(x + self.ff(x))

    def batch(T, lens):
        s = torch.randint(1, 70, (len(lens), T))
        for row, n in zip(s, lens):
            row[n:] = 0
        return s

    return Encoder(), [batch(12, [9, 5, 11]), batch(9, [6, 8])]
