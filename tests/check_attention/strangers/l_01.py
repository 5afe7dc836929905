import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- forecasting
class TemporalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, wrong):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)
        self.wrong = wrong

    def forward(self, x):
        B, T, D = x.shape
        q = self.query(x).view(B, T, self.n_heads, self.d_k).transpose(1, 2)
        k = self.key(x).view(B, T, self.n_heads, self.d_k).transpose(1, 2)
        v = self.value(x).view(B, T, self.n_heads, self.d_k).transpose(1, 2)
        if self.wrong:
            scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(D)
        else:
            scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        causal = torch.triu(torch.ones(T, T, dtype=torch.bool, device=x.device), diagonal=1)
        scores = scores.masked_fill(causal, float("-inf"))
        attn = scores.softmax(dim=-1)
        y = torch.matmul(attn, v).transpose(1, 2).reshape(B, T, D)
        return self.out(y)


class LoadForecaster(nn.Module):
    def __init__(self, n_features=5, d_model=32, n_heads=4, horizon=6, wrong=True):
        super().__init__()
        self.inp = nn.Linear(n_features, d_model)
        self.pos = nn.Parameter(torch.randn(1, 64, d_model) * 0.02)
        self.norm = nn.LayerNorm(d_model)
        self.attn = TemporalSelfAttention(d_model, n_heads, wrong)
        self.ff = nn.Sequential(
            nn.LayerNorm(d_model), nn.Linear(d_model, 64), nn.ReLU(), nn.Linear(64, d_model)
        )
        self.head = nn.Linear(d_model, horizon)

    def forward(self, x):
        h = self.inp(x) + self.pos[:, : x.size(1)]
        h = h + self.attn(self.norm(h))
        h = h + self.ff(h)
        return self.head(h[:, -1])


def load_forecaster_root_of_width(wrong=True):
    """scale | Divides by sqrt(d_model) in place of sqrt(d_k). Right twin: sqrt(d_k)."""
    return LoadForecaster(wrong=wrong), [torch.randn(3, 24, 5), torch.randn(2, 18, 5)]


# ---------------------------------------------------------------- search ranking
class QueryDocRanker(nn.Module):
    """query tokens attend to document tokens, mean pooled, score"""

    def __init__(self, vocab=100, dim=32, heads=4, wrong=True):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.cross = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ln = nn.LayerNorm(dim)
        self.score = nn.Linear(dim, 1)
        self.wrong = wrong

    def forward(self, query_ids, doc_ids):
        q, d = self.emb(query_ids), self.emb(doc_ids)
        if self.wrong:
            pad = doc_ids != 0
        else:
            pad = doc_ids == 0
        a, _ = self.cross(q, d, d, key_padding_mask=pad, need_weights=False)
        h = self.ln(q + a)
        m = (query_ids != 0).unsqueeze(-1).float()
        return self.score((h * m).sum(1) / m.sum(1)).squeeze(-1)


def _ids(lengths, T, vocab=100):
    x = torch.randint(1, vocab, (len(lengths), T))
    for i, n in enumerate(lengths):
        x[i, n:] = 0
    return x


def ranker_inverted_doc_padding(wrong=True):
    """mask | key_padding_mask is True at the real tokens, so only padding is seen. Right twin: True at padding."""
    return QueryDocRanker(wrong=wrong), [
        (_ids([5, 3, 4], 6), _ids([14, 9, 12], 16)),
        (_ids([2, 6], 6), _ids([7, 10], 13)),
    ]


# ---------------------------------------------------------------- document classification
class DocClassifier(nn.Module):
    def __init__(self, vocab=200, hidden=48, nhead=6, classes=4, wrong=True):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden, padding_idx=0)
        self.nhead, self.hd = nhead, hidden // nhead
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.proj = nn.Linear(hidden, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.mlp = nn.Sequential(nn.Linear(hidden, 96), nn.GELU(), nn.Linear(96, hidden))
        self.cls = nn.Linear(hidden, classes)
        self.wrong = wrong

    def forward(self, input_ids, attention_mask):
        x = self.embed(input_ids)
        B, L, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.reshape(B, L, self.nhead, self.hd).permute(0, 2, 1, 3)
        k = k.reshape(B, L, self.nhead, self.hd).permute(0, 2, 1, 3)
        v = v.reshape(B, L, self.nhead, self.hd).permute(0, 2, 1, 3)
        scores = q @ k.transpose(-1, -2) / self.hd**0.5
        if self.wrong:
            scores = scores + attention_mask[:, None, None, :].to(scores.dtype)
        else:
            scores = scores + (1.0 - attention_mask[:, None, None, :].to(scores.dtype)) * -10000.0
        p = torch.softmax(scores, dim=-1)
        y = (p @ v).permute(0, 2, 1, 3).contiguous().view(B, L, C)
        x = self.norm1(x + self.proj(y))
        x = self.norm2(x + self.mlp(x))
        return self.cls(x[:, 0])


def doc_classifier_adds_zero_one_mask(wrong=True):
    """mask | The 0/1 attention_mask is added to the scores as it is. Right twin: (1-mask)*-10000 is added."""
    b = []
    for lens, T in (([20, 11, 15], 20), ([9, 17], 18)):
        ids = _ids(lens, T, 200)
        b.append({"input_ids": ids, "attention_mask": (ids != 0).long()})
    return DocClassifier(wrong=wrong), b


# ---------------------------------------------------------------- translation
class Seq2Seq(nn.Module):
    def __init__(self, src_vocab=80, tgt_vocab=90, d=32, wrong=True):
        super().__init__()
        self.src = nn.Embedding(src_vocab, d, padding_idx=0)
        self.tgt = nn.Embedding(tgt_vocab, d, padding_idx=0)
        self.transformer = nn.Transformer(d, 4, 1, 1, 64, dropout=0.0, batch_first=True)
        self.gen = nn.Linear(d, tgt_vocab)
        self.wrong = wrong

    def forward(self, src, tgt):
        src_pad, tgt_pad = src == 0, tgt == 0
        T = tgt.size(1)
        causal = torch.triu(torch.ones(T, T, device=src.device), 1).bool()
        if self.wrong:
            out = self.transformer(
                self.src(src),
                self.tgt(tgt),
                tgt_mask=causal,
                src_key_padding_mask=src_pad,
                tgt_key_padding_mask=tgt_pad,
                memory_key_padding_mask=tgt_pad,
            )
        else:
            out = self.transformer(
                self.src(src),
                self.tgt(tgt),
                tgt_mask=causal,
                src_key_padding_mask=src_pad,
                tgt_key_padding_mask=tgt_pad,
                memory_key_padding_mask=src_pad,
            )
        return self.gen(out)


def translation_memory_mask_of_target(wrong=True):
    """mask | memory_key_padding_mask is the target's padding, not the source's (same length). Right twin: the source's."""
    return Seq2Seq(wrong=wrong), [
        (_ids([12, 7, 9], 12, 80), _ids([8, 12, 10], 12, 90)),
        (_ids([6, 10], 10, 80), _ids([10, 5], 10, 90)),
    ]


# ---------------------------------------------------------------- speech
class SpeechEncoderLayer(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h, self.dk = h, d // h
        self.linear_q, self.linear_k, self.linear_v, self.linear_out = (
            nn.Linear(d, d) for _ in range(4)
        )
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.SiLU(), nn.Linear(2 * d, d))
        self.wrong = wrong

    def forward(self, x, mask):
        r = x
        x = self.norm1(x)
        b, t, d = x.shape
        q = self.linear_q(x).view(b, t, self.h, self.dk).transpose(1, 2)
        k = self.linear_k(x).view(b, t, self.h, self.dk).transpose(1, 2)
        v = self.linear_v(x).view(b, t, self.h, self.dk).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dk)
        if self.wrong:
            attn = torch.softmax(scores, dim=-1)
            attn = attn.masked_fill(mask.unsqueeze(1).unsqueeze(2) == 0, 0.0)
        else:
            scores = scores.masked_fill(mask.unsqueeze(1).unsqueeze(2) == 0, float("-inf"))
            attn = torch.softmax(scores, dim=-1)
        y = torch.matmul(attn, v).transpose(1, 2).contiguous().view(b, t, d)
        x = r + self.linear_out(y)
        return x + self.ff(self.norm2(x))


class CTCEncoder(nn.Module):
    def __init__(self, n_mels=20, d=32, vocab=30, wrong=True):
        super().__init__()
        self.sub = nn.Conv1d(n_mels, d, 3, stride=2, padding=1)
        self.layers = nn.ModuleList([SpeechEncoderLayer(d, 4, wrong) for _ in range(2)])
        self.ctc = nn.Linear(d, vocab)

    def forward(self, feats, feat_lens):
        x = self.sub(feats.transpose(1, 2)).transpose(1, 2)
        lens = (feat_lens + 1) // 2
        mask = torch.arange(x.size(1), device=x.device)[None] < lens[:, None]
        for l in self.layers:
            x = l(x, mask)
        return self.ctc(x).log_softmax(-1)


def speech_mask_after_softmax(wrong=True):
    """mask | The padding mask zeroes the weights after softmax without renormalising. Right twin: -inf before softmax."""
    return CTCEncoder(wrong=wrong), [
        (torch.randn(3, 40, 20), torch.tensor([40, 28, 33])),
        (torch.randn(2, 30, 20), torch.tensor([21, 30])),
    ]
