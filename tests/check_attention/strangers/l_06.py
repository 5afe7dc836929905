import math, torch
from torch import nn
from torch.nn import functional as F


def _ids(lengths, T, vocab=100):
    x = torch.randint(1, vocab, (len(lengths), T))
    for i, n in enumerate(lengths):
        x[i, n:] = 0
    return x


# ---------------------------------------------------------------- summarisation: (h dk) vs (dk h) in merge
class SumAttention(nn.Module):
    def __init__(self, d=32, h=4, wrong=True):
        super().__init__()
        self.h = h
        self.w_qkv = nn.Linear(d, 3 * d, bias=False)
        self.w_o = nn.Linear(d, d)
        self.wrong = wrong

    def forward(self, x, pad):
        B, T, D = x.shape
        q, k, v = self.w_qkv(x).view(B, T, 3, self.h, D // self.h).unbind(2)
        dots = torch.einsum("bqhd,bkhd->bhqk", q, k) * (D // self.h) ** -0.5
        dots = dots.masked_fill(pad[:, None, None, :], torch.finfo(dots.dtype).min)
        a = dots.softmax(-1)
        if self.wrong:
            y = torch.einsum("bhqk,bkhd->bhqd", a, v).contiguous().view(B, T, D)
        else:
            y = torch.einsum("bhqk,bkhd->bqhd", a, v).contiguous().view(B, T, D)
        return self.w_o(y)


class ExtractiveSummariser(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.e = nn.Embedding(100, d, padding_idx=0)
        self.a = nn.ModuleList(SumAttention(d, wrong=wrong) for _ in range(2))
        self.n = nn.ModuleList(nn.LayerNorm(d) for _ in range(2))
        self.pick = nn.Linear(d, 1)

    def forward(self, ids):
        pad = ids == 0
        x = self.e(ids)
        for a, n in zip(self.a, self.n):
            x = n(x + a(x, pad))
        return self.pick(x).squeeze(-1).masked_fill(pad, -1e4)


def summariser_einsum_order_of_output(wrong=True):
    """heads | einsum gives b h q d and is viewed as (B,T,D). Right twin: b q h d."""
    return ExtractiveSummariser(wrong), [_ids([18, 12], 18), _ids([7, 14, 10], 14)]


# ---------------------------------------------------------------- weather, key padding of missing stations
class StationMixer(nn.Module):
    def __init__(self, d=32, h=4, wrong=True):
        super().__init__()
        self.inp = nn.Linear(4, d)
        self.h = h
        self.norm = nn.LayerNorm(d)
        self.q, self.k, self.v, self.o = (
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
        )
        self.out = nn.Linear(d, 2)
        self.drop = nn.Dropout(0.2)
        self.wrong = wrong

    def forward(self, obs, missing):
        x = self.inp(obs)
        B, N, D = x.shape
        y = self.norm(x)
        q, k, v = (f(y).view(B, N, self.h, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        if self.wrong:
            s.masked_fill(missing[:, None, None, :], float("-inf"))
        else:
            s = s.masked_fill(missing[:, None, None, :], float("-inf"))
        a = self.drop(s.softmax(-1))
        return self.out(x + self.o((a @ v).transpose(1, 2).flatten(2)))


def stations_masked_fill_result_dropped(wrong=True):
    """mask | The result of masked_fill is thrown away. Right twin: assigned."""

    def b(B, N):
        m = torch.rand(B, N) < 0.3
        m[:, 0] = False
        m[:, -1] = True
        return {"obs": torch.randn(B, N, 4) * (~m)[..., None], "missing": m}

    return StationMixer(wrong=wrong).eval(), [b(3, 12), b(2, 15)]


# ---------------------------------------------------------------- scaled by heads
class OCRLayer(nn.Module):
    def __init__(self, d, heads, wrong):
        super().__init__()
        self.attention_head_size = d // heads
        self.num_attention_heads = heads
        self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.dense, self.LayerNorm = nn.Linear(d, d), nn.LayerNorm(d)
        self.wrong = wrong

    def transpose_for_scores(self, x):
        return x.view(*x.size()[:-1], self.num_attention_heads, self.attention_head_size).permute(
            0, 2, 1, 3
        )

    def forward(self, hidden_states):
        q = self.transpose_for_scores(self.query(hidden_states))
        k = self.transpose_for_scores(self.key(hidden_states))
        v = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(q, k.transpose(-1, -2))
        if self.wrong:
            attention_scores = attention_scores / self.attention_head_size
        else:
            attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        ctx = torch.matmul(attention_probs, v).permute(0, 2, 1, 3).contiguous()
        ctx = ctx.view(*ctx.size()[:-2], -1)
        return self.LayerNorm(hidden_states + self.dense(ctx))


class LineOCR(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 16, 3, (2, 2), 1), nn.ReLU(), nn.Conv2d(16, 32, 3, (2, 1), 1), nn.ReLU()
        )
        self.col = nn.Linear(32 * 4, 64)
        self.layers = nn.Sequential(*[OCRLayer(64, 4, wrong) for _ in range(2)])
        self.fc = nn.Linear(64, 40)

    def forward(self, img):
        f = self.cnn(img)
        f = f.permute(0, 3, 1, 2).flatten(2)
        return self.fc(self.layers(self.col(f)))


def ocr_divides_by_head_size(wrong=True):
    """scale | Divided by d, not by sqrt(d). Right twin: sqrt(d)."""
    return LineOCR(wrong), [torch.randn(2, 1, 16, 40), torch.randn(3, 1, 16, 32)]


# ---------------------------------------------------------------- translation decoder, cross mask other way (hand written, Annotated Transformer)


class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model):
        super().__init__()
        self.d_k, self.h = d_model // h, h
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(4)])

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nb = query.size(0)
        query, key, value = [
            l(x).view(nb, -1, self.h, self.d_k).transpose(1, 2)
            for l, x in zip(self.linears, (query, key, value))
        ]
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        x = torch.matmul(scores.softmax(dim=-1), value)
        return self.linears[-1](x.transpose(1, 2).contiguous().view(nb, -1, self.h * self.d_k))


class AnnotatedMT(nn.Module):
    def __init__(self, wrong, v=60, d=32):
        super().__init__()
        self.se, self.te = nn.Embedding(v, d), nn.Embedding(v, d)
        self.enc, self.dec_self, self.dec_src = (MultiHeadedAttention(4, d) for _ in range(3))
        self.n = nn.ModuleList(nn.LayerNorm(d) for _ in range(3))
        self.gen = nn.Linear(d, v)
        self.wrong = wrong

    @staticmethod
    def make_std_mask(tgt, wrong):
        tgt_mask = (tgt != 0).unsqueeze(-2)
        sub = torch.triu(torch.ones(1, tgt.size(1), tgt.size(1)), diagonal=1).type(torch.uint8) == 0
        if wrong:
            return tgt_mask | sub
        return tgt_mask & sub

    def forward(self, src, tgt):
        src_mask = (src != 0).unsqueeze(-2)
        tgt_mask = self.make_std_mask(tgt, self.wrong)
        m = self.se(src)
        m = m + self.enc(*[self.n[0](m)] * 3, src_mask)
        t = self.te(tgt)
        y = self.n[1](t)
        t = t + self.dec_self(y, y, y, tgt_mask)
        t = t + self.dec_src(self.n[2](t), m, m, src_mask)
        return self.gen(t)


def annotated_mt_or_in_place_of_and(wrong=True):
    """mask | The target mask is pad | causal, so real future tokens are visible. Right twin: pad & causal."""
    return AnnotatedMT(wrong), [
        (_ids([9, 6], 9, 60), _ids([7, 10], 10, 60)),
        (_ids([5, 8, 7], 8, 60), _ids([8, 4, 6], 8, 60)),
    ]


# ---------------------------------------------------------------- dropout in front of softmax
class ReviewEncoder(nn.Module):
    def __init__(self, wrong, d=32, h=4):
        super().__init__()
        self.e = nn.Embedding(100, d)
        self.h = h
        self.qkv = nn.Linear(d, 3 * d)
        self.o = nn.Linear(d, 3)
        self.attn_drop = nn.Dropout(0.1)
        self.wrong = wrong

    def forward(self, ids):
        x = self.e(ids)
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-1, -2) / math.sqrt(D // self.h)
        if self.wrong:
            a = self.attn_drop(s).softmax(-1)
        else:
            a = self.attn_drop(s.softmax(-1))
        return self.o((a @ v).transpose(1, 2).reshape(B, T, D).mean(1))


def review_dropout_on_logits(wrong=True):
    """scale | In training, dropout works on the logits (zeros some, others times 1/0.9). Right twin: on the weights."""
    return ReviewEncoder(wrong).train(), [
        torch.randint(0, 100, (3, 16)),
        torch.randint(0, 100, (2, 12)),
    ]
