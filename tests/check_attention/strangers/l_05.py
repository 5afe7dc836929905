import math, torch
from torch import nn
from torch.nn import functional as F


def _ids(lengths, T, vocab=100):
    x = torch.randint(1, vocab, (len(lengths), T))
    for i, n in enumerate(lengths):
        x[i, n:] = 0
    return x


# ---------------------------------------------------------------- GPT with cache
class CachedAttention(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h, self.hd = h, d // h
        self.c_attn, self.c_proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.wrong = wrong

    def forward(self, x, past=None):
        B, T, D = x.shape
        q, k, v = (
            t.view(B, T, self.h, self.hd).transpose(1, 2) for t in self.c_attn(x).split(D, 2)
        )
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        S = k.size(2)
        if self.wrong:
            mask = torch.tril(torch.ones(S, S, dtype=torch.bool))[:T]
        else:
            mask = torch.tril(torch.ones(S, S, dtype=torch.bool))[S - T :]
        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.hd)
        att = att.masked_fill(~mask, float("-inf")).softmax(-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(B, T, D)), (k, v)


class ChatLM(nn.Module):
    def __init__(self, wrong, vocab=80, d=32, n=2):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, d), nn.Embedding(64, d)
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(n)])
        self.att = nn.ModuleList([CachedAttention(d, 4, wrong) for _ in range(n)])
        self.head = nn.Linear(d, vocab)

    def forward(self, ids, cache=None):
        past = 0 if cache is None else cache[0][0].size(2)
        x = self.wte(ids) + self.wpe(torch.arange(past, past + ids.size(1)))
        new = []
        for i, (ln, att) in enumerate(zip(self.ln, self.att)):
            y, c = att(ln(x), None if cache is None else cache[i])
            x = x + y
            new.append(c)
        return self.head(x), new


def _chunks(model, ids):
    cache, outs = None, []
    for part in ids.split(5, 1):
        o, cache = model(part, cache)
        outs.append(o)
    return torch.cat(outs, 1)


def chat_lm_cached_mask_first_rows(wrong=True):
    """mask | With a cache the first T rows of the causal mask are used, new tokens cannot see themselves or the recent past. Right twin: the last T rows."""
    return (
        ChatLM(wrong).eval(),
        [torch.randint(0, 80, (2, 15)), torch.randint(0, 80, (3, 12))],
        _chunks,
    )


# ---------------------------------------------------------------- time series, decoder off by one
class SeriesTransformer(nn.Module):
    """Predicts value t+1 from values up to t."""

    def __init__(self, d=32, heads=4, wrong=True):
        super().__init__()
        self.embed = nn.Linear(1, d)
        self.pe = nn.Parameter(torch.randn(1, 50, d) * 0.02)
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.ffn = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, d))
        self.out = nn.Linear(d, 1)
        self.wrong = wrong

    def forward(self, y):
        x = self.embed(y.unsqueeze(-1)) + self.pe[:, : y.size(1)]
        L = x.size(1)
        mask = torch.triu(
            torch.ones(L, L, dtype=torch.bool, device=y.device), diagonal=2 if self.wrong else 1
        )
        a, _ = self.attn(x, x, x, attn_mask=mask)
        x = self.ln1(x + a)
        x = self.ln2(x + self.ffn(x))
        return self.out(x).squeeze(-1)


def series_causal_diagonal_two(wrong=True):
    """mask | Causal mask with diagonal=2: every step sees the next one that it has to predict. Right twin: diagonal=1."""
    return SeriesTransformer(wrong=wrong), [torch.randn(4, 20), torch.randn(2, 15)]


# ---------------------------------------------------------------- NER, scale twice
class NERTagger(nn.Module):
    def __init__(self, vocab=100, d=64, h=4, tags=7, wrong=True):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.h, self.dk = h, d // h
        self.Q, self.K, self.V, self.O = (
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
        )
        self.norm = nn.LayerNorm(d)
        self.crf_in = nn.Linear(d, tags)
        self.wrong = wrong

    def forward(self, tokens):
        x = self.emb(tokens)
        b, t, d = x.shape
        q = self.Q(x).view(b, t, self.h, self.dk).transpose(1, 2)
        k = self.K(x).view(b, t, self.h, self.dk).transpose(1, 2)
        v = self.V(x).view(b, t, self.h, self.dk).transpose(1, 2)
        mask = (tokens != 0)[:, None, None, :]
        if self.wrong:
            q = q / math.sqrt(self.dk)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.crf_in(self.norm(x + self.O(y.transpose(1, 2).reshape(b, t, d))))


def ner_scaled_before_sdpa(wrong=True):
    """scale | q is divided by sqrt(dk) before SDPA, which scales again. Right twin: SDPA alone."""
    return NERTagger(wrong=wrong), [(_ids([14, 9, 11], 14),), (_ids([6, 10], 12),)]


# ---------------------------------------------------------------- click model: target attention over the history
class DeepInterest(nn.Module):
    def __init__(self, n_items=80, d=24, wrong=True):
        super().__init__()
        self.item = nn.Embedding(n_items, d, padding_idx=0)
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(2 * d, 32), nn.ReLU(), nn.Linear(32, 1))
        self.scale = d**-0.5
        self.wrong = wrong

    def forward(self, history, candidate):
        h, c = self.item(history), self.item(candidate)
        q = self.q(c).unsqueeze(1)
        scores = (q @ self.k(h).transpose(1, 2)) * self.scale
        valid = (history != 0).unsqueeze(1)
        if self.wrong:
            scores = scores * valid
        else:
            scores = scores.masked_fill(~valid, float("-inf"))
        user = (scores.softmax(-1) @ self.v(h)).squeeze(1)
        return torch.sigmoid(self.mlp(torch.cat([user, c], -1))).squeeze(-1)


def deep_interest_scores_times_mask(wrong=True):
    """mask | The scores are multiplied by the 0/1 mask, padding gets logit 0. Right twin: -inf."""
    return DeepInterest(wrong=wrong), [
        (_ids([10, 5, 7, 3], 10, 80), torch.randint(1, 80, (4,))),
        (_ids([4, 9], 12, 80), torch.randint(1, 80, (2,))),
    ]


# ---------------------------------------------------------------- image captioning: split by view
class CaptionCross(nn.Module):
    def __init__(self, d=32, h=4, wrong=True):
        super().__init__()
        self.h, self.d = h, d
        self.q, self.k, self.v, self.o = (
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
        )
        self.wrong = wrong

    def split(self, x):
        b, n, _ = x.shape
        if self.wrong:
            return x.view(b, self.h, n, self.d // self.h)
        return x.view(b, n, self.h, self.d // self.h).transpose(1, 2)

    def forward(self, words, regions):
        b, n, _ = words.shape
        q, k, v = (
            self.split(self.q(words)),
            self.split(self.k(regions)),
            self.split(self.v(regions)),
        )
        w = torch.softmax(
            torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d // self.h), dim=-1
        )
        y = torch.matmul(w, v)
        y = y.reshape(b, n, self.d) if self.wrong else y.transpose(1, 2).reshape(b, n, self.d)
        return words + self.o(y)


class Captioner(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.w, self.r = nn.Embedding(60, 32), nn.Linear(50, 32)
        self.c = CaptionCross(wrong=wrong)
        self.out = nn.Linear(32, 60)

    def forward(self, words, regions):
        return self.out(self.c(self.w(words), self.r(regions)))


def captioner_heads_split_by_view(wrong=True):
    """heads | (b,n,d) is viewed as (b,h,n,d/h) straight away and back. Right twin: view (b,n,h,d/h) and transpose."""
    return Captioner(wrong), [
        (torch.randint(0, 60, (2, 8)), torch.randn(2, 12, 50)),
        (torch.randint(0, 60, (3, 6)), torch.randn(3, 10, 50)),
    ]
