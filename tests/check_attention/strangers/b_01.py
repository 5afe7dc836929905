import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 1
def review_classifier_key_padding(wrong=True):
    """mask | key_padding_mask of nn.MultiheadAttention is True for real tokens (inverted). Right twin: True where the token is padding."""

    class ReviewNet(nn.Module):
        def __init__(self, vocab=60, dim=32, nhead=4, pad_idx=0):
            super().__init__()
            self.pad_idx = pad_idx
            self.emb = nn.Embedding(vocab, dim, padding_idx=pad_idx)
            self.pos = nn.Parameter(torch.randn(1, 64, dim) * 0.02)
            self.attn = nn.MultiheadAttention(dim, nhead, batch_first=True)
            self.norm = nn.LayerNorm(dim)
            self.fc = nn.Linear(dim, 2)

        def forward(self, tokens):
            if wrong:
                mask = tokens != self.pad_idx
            else:
                mask = tokens == self.pad_idx
            x = self.emb(tokens) + self.pos[:, : tokens.size(1)]
            a, _ = self.attn(x, x, x, key_padding_mask=mask)
            x = self.norm(x + a)
            real = (tokens != self.pad_idx).unsqueeze(-1).float()
            return self.fc((x * real).sum(1) / real.sum(1))

    batches = []
    for lens in ([9, 7, 5, 11], [3, 10, 8, 6]):
        t = torch.randint(1, 60, (4, 12))
        for i, n in enumerate(lens):
            t[i, n:] = 0
        batches.append(t)
    return ReviewNet(), batches


# ---------------------------------------------------------------- 2
def masked_fill_result_dropped(wrong=True):
    """mask | masked_fill (not in place) is called and its result is thrown away, so the causal mask has no effect. Right twin: masked_fill_."""

    class Head(nn.Module):
        """one head of self-attention"""

        def __init__(self, n_embd, head_size, block_size):
            super().__init__()
            self.key = nn.Linear(n_embd, head_size, bias=False)
            self.query = nn.Linear(n_embd, head_size, bias=False)
            self.value = nn.Linear(n_embd, head_size, bias=False)
            self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

        def forward(self, x):
            B, T, C = x.shape
            k, q, v = self.key(x), self.query(x), self.value(x)
            wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
            if wrong:
                wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
            else:
                wei.masked_fill_(self.tril[:T, :T] == 0, float("-inf"))
            wei = F.softmax(wei, dim=-1)
            return wei @ v

    class MultiHead(nn.Module):
        def __init__(self, n_embd, n_head, block_size):
            super().__init__()
            self.heads = nn.ModuleList(
                [Head(n_embd, n_embd // n_head, block_size) for _ in range(n_head)]
            )
            self.proj = nn.Linear(n_embd, n_embd)

        def forward(self, x):
            return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))

    class Bigram(nn.Module):
        def __init__(self, vocab=40, n_embd=32, block_size=16):
            super().__init__()
            self.tok = nn.Embedding(vocab, n_embd)
            self.pos = nn.Embedding(block_size, n_embd)
            self.blocks = nn.ModuleList([MultiHead(n_embd, 4, block_size) for _ in range(2)])
            self.lns = nn.ModuleList([nn.LayerNorm(n_embd) for _ in range(2)])
            self.lm_head = nn.Linear(n_embd, vocab)

        def forward(self, idx):
            x = self.tok(idx) + self.pos(torch.arange(idx.shape[1]))
            for b, ln in zip(self.blocks, self.lns):
                x = x + b(ln(x))
            return self.lm_head(x)

    return Bigram(), [torch.randint(0, 40, (3, 12)), torch.randint(0, 40, (3, 16))]


# ---------------------------------------------------------------- 3
def bert_extended_mask(wrong=True):
    """mask | BERT's extended attention mask is built as mask * -10000 without the '1 -', so real tokens are pushed out and padding is read. Right twin: (1 - mask) * -10000."""

    class BertSelfAttention(nn.Module):
        def __init__(self, hidden_size, num_attention_heads):
            super().__init__()
            self.num_attention_heads = num_attention_heads
            self.attention_head_size = hidden_size // num_attention_heads
            self.all_head_size = hidden_size
            self.query = nn.Linear(hidden_size, self.all_head_size)
            self.key = nn.Linear(hidden_size, self.all_head_size)
            self.value = nn.Linear(hidden_size, self.all_head_size)
            self.dense = nn.Linear(hidden_size, hidden_size)
            self.LayerNorm = nn.LayerNorm(hidden_size, eps=1e-12)

        def transpose_for_scores(self, x):
            x = x.view(*(x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)))
            return x.permute(0, 2, 1, 3)

        def forward(self, hidden_states, attention_mask):
            q = self.transpose_for_scores(self.query(hidden_states))
            k = self.transpose_for_scores(self.key(hidden_states))
            v = self.transpose_for_scores(self.value(hidden_states))
            attention_scores = torch.matmul(q, k.transpose(-1, -2))
            attention_scores = attention_scores / math.sqrt(self.attention_head_size)
            attention_scores = attention_scores + attention_mask
            probs = nn.Softmax(dim=-1)(attention_scores)
            ctx = torch.matmul(probs, v).permute(0, 2, 1, 3).contiguous()
            ctx = ctx.view(*(ctx.size()[:-2] + (self.all_head_size,)))
            return self.LayerNorm(self.dense(ctx) + hidden_states)

    class TinyBert(nn.Module):
        def __init__(self):
            super().__init__()
            self.word = nn.Embedding(100, 48)
            self.position = nn.Embedding(64, 48)
            self.layer = nn.ModuleList([BertSelfAttention(48, 6) for _ in range(2)])

        def forward(self, input_ids, attention_mask):
            ext = attention_mask[:, None, None, :].to(torch.float32)
            if wrong:
                ext = ext * -10000.0
            else:
                ext = (1.0 - ext) * -10000.0
            h = self.word(input_ids) + self.position(torch.arange(input_ids.shape[1]))
            for l in self.layer:
                h = l(h, ext)
            return h

    def _batch(lens, L):
        m = (torch.arange(L)[None] < torch.tensor(lens)[:, None]).long()
        return dict(input_ids=torch.randint(1, 100, (len(lens), L)) * m, attention_mask=m)

    return TinyBert().eval(), [_batch([10, 6, 8], 10), _batch([14, 9, 4], 14)]


# ---------------------------------------------------------------- 4
def lengths_off_by_one(wrong=True):
    """mask | The padding mask from lengths uses <=, so one padded frame after each utterance is attended to. Right twin: <."""

    class SpeechEncoderLayer(nn.Module):
        def __init__(self, d_model, n_heads):
            super().__init__()
            self.h, self.dk = n_heads, d_model // n_heads
            self.linear_q = nn.Linear(d_model, d_model)
            self.linear_k = nn.Linear(d_model, d_model)
            self.linear_v = nn.Linear(d_model, d_model)
            self.linear_out = nn.Linear(d_model, d_model)
            self.norm = nn.LayerNorm(d_model)

        def forward(self, x, mask):
            b = x.size(0)
            y = self.norm(x)
            q = self.linear_q(y).view(b, -1, self.h, self.dk).transpose(1, 2)
            k = self.linear_k(y).view(b, -1, self.h, self.dk).transpose(1, 2)
            v = self.linear_v(y).view(b, -1, self.h, self.dk).transpose(1, 2)
            scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dk)
            mask = mask.unsqueeze(1).eq(0)
            scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
            attn = torch.softmax(scores, dim=-1).masked_fill(mask, 0.0)
            o = torch.matmul(attn, v).transpose(1, 2).contiguous().view(b, -1, self.h * self.dk)
            return x + self.linear_out(o)

    class Encoder(nn.Module):
        def __init__(self, n_mels=20, d_model=32):
            super().__init__()
            self.embed = nn.Linear(n_mels, d_model)
            self.layers = nn.ModuleList(
                [SpeechEncoderLayer(d_model, 4), SpeechEncoderLayer(d_model, 4)]
            )
            self.after_norm = nn.LayerNorm(d_model)

        @staticmethod
        def make_pad_mask(lengths, maxlen):
            r = torch.arange(maxlen).unsqueeze(0)
            if wrong:
                return r <= lengths.unsqueeze(1)
            return r < lengths.unsqueeze(1)

        def forward(self, speech, lengths):
            mask = self.make_pad_mask(lengths, speech.size(1)).unsqueeze(1)
            x = self.embed(speech)
            for l in self.layers:
                x = l(x, mask)
            return self.after_norm(x), mask

    batches = []
    for lens in ([20, 15, 11], [9, 18, 13]):
        L = max(lens)
        s = torch.randn(3, L, 20)
        for i, n in enumerate(lens):
            s[i, n:] = 0
        batches.append((s, torch.tensor(lens)))
    return Encoder(), batches


# ---------------------------------------------------------------- 5
def memory_mask_swapped(wrong=True):
    """mask | Cross-attention of the translation decoder gets the padding mask of the target in place of the source's. Right twin: the source's."""

    class Translator(nn.Module):
        def __init__(self, vocab=50, d=32, PAD=0):
            super().__init__()
            self.PAD = PAD
            self.src_tok = nn.Embedding(vocab, d)
            self.tgt_tok = nn.Embedding(vocab, d)
            self.pe = nn.Parameter(torch.randn(40, d) * 0.1)
            self.transformer = nn.Transformer(d, 4, 1, 1, 64, dropout=0.0, batch_first=True)
            self.generator = nn.Linear(d, vocab)

        def forward(self, src, tgt):
            src_pad, tgt_pad = src.eq(self.PAD), tgt.eq(self.PAD)
            n = tgt.shape[1]
            causal = torch.ones(n, n, dtype=torch.bool).triu(1)
            s = self.src_tok(src) + self.pe[: src.shape[1]]
            t = self.tgt_tok(tgt) + self.pe[:n]
            memory = self.transformer.encoder(s, src_key_padding_mask=src_pad)
            out = self.transformer.decoder(
                t,
                memory,
                tgt_mask=causal,
                tgt_key_padding_mask=tgt_pad,
                memory_key_padding_mask=tgt_pad if wrong else src_pad,
            )
            return self.generator(out)

    def _ids(lens, L):
        x = torch.randint(1, 50, (len(lens), L))
        for i, n in enumerate(lens):
            x[i, n:] = 0
        return x

    return Translator(), [
        (_ids([10, 5, 7], 10), _ids([6, 10, 8], 10)),
        (_ids([8, 4, 6], 8), _ids([8, 6, 3], 8)),
    ]
