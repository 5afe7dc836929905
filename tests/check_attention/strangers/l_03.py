import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- code model, GQA
class CodeAttention(nn.Module):
    def __init__(self, d=64, n_q=8, n_kv=2, wrong=True):
        super().__init__()
        self.n_q, self.n_kv, self.hd = n_q, n_kv, d // n_q
        self.wq = nn.Linear(d, n_q * self.hd, bias=False)
        self.wk = nn.Linear(d, n_kv * self.hd, bias=False)
        self.wv = nn.Linear(d, n_kv * self.hd, bias=False)
        self.wo = nn.Linear(d, d, bias=False)
        self.wrong = wrong

    def forward(self, x):
        B, T, D = x.shape
        q = self.wq(x).view(B, T, self.n_q, self.hd).transpose(1, 2)
        k = self.wk(x).view(B, T, self.n_kv, self.hd).transpose(1, 2)
        v = self.wv(x).view(B, T, self.n_kv, self.hd).transpose(1, 2)
        g = self.n_q // self.n_kv
        k = k.repeat_interleave(g, dim=1)
        if self.wrong:
            v = v.repeat(1, g, 1, 1)
        else:
            v = v.repeat_interleave(g, dim=1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(y.transpose(1, 2).contiguous().view(B, T, D))


class CodeLM(nn.Module):
    def __init__(self, vocab=120, d=64, wrong=True):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.pos = nn.Embedding(64, d)
        self.blocks = nn.ModuleList(
            [
                nn.ModuleList(
                    [
                        nn.LayerNorm(d),
                        CodeAttention(d, wrong=wrong),
                        nn.LayerNorm(d),
                        nn.Sequential(nn.Linear(d, 128), nn.GELU(), nn.Linear(128, d)),
                    ]
                )
                for _ in range(2)
            ]
        )
        self.ln = nn.LayerNorm(d)

    def forward(self, ids):
        x = self.emb(ids) + self.pos.weight[: ids.shape[1]]
        for n1, a, n2, m in self.blocks:
            x = x + a(n1(x))
            x = x + m(n2(x))
        return self.ln(x) @ self.emb.weight.T


def code_lm_value_heads_tiled(wrong=True):
    """heads | Key heads by repeat_interleave, value heads by repeat. Right twin: both by repeat_interleave."""
    return CodeLM(wrong=wrong), [torch.randint(0, 120, (2, 16)), torch.randint(0, 120, (3, 11))]


# ---------------------------------------------------------------- retrieval, dual encoder
class Encoder(nn.Module):
    def __init__(self, vocab=150, d=32, h=4, wrong=True):
        super().__init__()
        self.h = h
        self.e = nn.Embedding(vocab, d, padding_idx=0)
        self.q, self.k, self.v, self.o = [nn.Linear(d, d) for _ in range(4)]
        for i, m in enumerate((self.q, self.k, self.v, self.o)):
            self.add_module(f"lin{i}", m)
        self.norm = nn.LayerNorm(d)
        self.wrong = wrong

    def forward(self, ids):
        x = self.e(ids)
        b, n, d = x.shape
        dh = d // self.h
        split = lambda t: t.view(b, n, self.h, dh).transpose(1, 2).reshape(b * self.h, n, dh)
        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        pad = ids.eq(0)
        if self.wrong:
            pad = pad.repeat(self.h, 1)
        else:
            pad = pad.repeat_interleave(self.h, dim=0)
        s = torch.bmm(q, k.transpose(1, 2)) * dh**-0.5
        s = s.masked_fill(pad.unsqueeze(1), torch.finfo(s.dtype).min)
        y = torch.bmm(s.softmax(-1), v).view(b, self.h, n, dh).transpose(1, 2).reshape(b, n, d)
        x = self.norm(x + self.o(y))
        keep = ids.ne(0).unsqueeze(-1)
        return F.normalize((x * keep).sum(1) / keep.sum(1), dim=-1)


class DualEncoder(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.enc = Encoder(wrong=wrong)

    def forward(self, queries, passages):
        return self.enc(queries) @ self.enc(passages).t() * 20


def _ids(lengths, T, vocab=100):
    x = torch.randint(1, vocab, (len(lengths), T))
    for i, n in enumerate(lengths):
        x[i, n:] = 0
    return x


def dual_encoder_mask_tiled_over_heads(wrong=True):
    """mask | Batch*heads is flattened batch first, the padding mask is tiled heads first, so sequences get another's padding. Right twin: repeat_interleave."""
    return DualEncoder(wrong), [
        (_ids([6, 3, 5], 6), _ids([14, 8, 11], 14)),
        (_ids([4, 7], 7), _ids([12, 6], 12)),
    ]


# ---------------------------------------------------------------- tabular
class FTTransformer(nn.Module):
    def __init__(self, n_num=6, cards=(4, 5, 3), d=32, heads=8, wrong=True):
        super().__init__()
        self.w = nn.Parameter(torch.randn(n_num, d) * 0.1)
        self.b = nn.Parameter(torch.zeros(n_num, d))
        self.cats = nn.ModuleList([nn.Embedding(c, d) for c in cards])
        self.cls = nn.Parameter(torch.randn(1, 1, d) * 0.1)
        self.heads = heads
        self.norm = nn.LayerNorm(d)
        self.in_proj = nn.Linear(d, 3 * d)
        self.out_proj = nn.Linear(d, d)
        self.head = nn.Sequential(nn.LayerNorm(d), nn.ReLU(), nn.Linear(d, 1))
        self.wrong = wrong

    def forward(self, num, cat):
        x = num.unsqueeze(-1) * self.w + self.b
        c = torch.stack([e(cat[:, i]) for i, e in enumerate(self.cats)], 1)
        x = torch.cat([self.cls.expand(len(num), -1, -1), x, c], 1)
        B, F_, D = x.shape
        q, k, v = [
            t.view(B, F_, self.heads, -1).transpose(1, 2)
            for t in self.in_proj(self.norm(x)).split(D, -1)
        ]
        head_dim = q.size(-1)
        if self.wrong:
            a = q @ k.mT
        else:
            a = q @ k.mT / math.sqrt(head_dim)
        x = x + self.out_proj((a.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return self.head(x[:, 0]).squeeze(-1)


def tabular_scale_forgotten(wrong=True):
    """scale | No 1/sqrt(d) at all. Right twin: divided by sqrt(head_dim)."""
    b = lambda n: (
        torch.randn(n, 6),
        torch.stack([torch.randint(0, c, (n,)) for c in (4, 5, 3)], 1),
    )
    return FTTransformer(wrong=wrong), [b(8), b(5)]


# ---------------------------------------------------------------- video
class DividedAttention(nn.Module):
    """time attention: the same place over the frames, causal over time"""

    def __init__(self, d=32, h=4, wrong=True):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
        self.wrong = wrong

    def forward(self, x):  # b t n d
        b, t, n, d = x.shape
        x = x.permute(0, 2, 1, 3).reshape(b * n, t, d)
        q, k, v = self.qkv(x).reshape(b * n, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        if self.wrong:
            mask = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(0)
        else:
            mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril(0)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        y = self.proj(y.transpose(1, 2).reshape(b * n, t, d))
        return y.reshape(b, n, t, d).permute(0, 2, 1, 3)


class VideoNet(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.patch = nn.Conv3d(3, d, (1, 4, 4), (1, 4, 4))
        self.norm = nn.LayerNorm(d)
        self.time = DividedAttention(d, wrong=wrong)
        self.next_frame = nn.Linear(d, 48)

    def forward(self, clip):
        x = self.patch(clip).flatten(3).permute(0, 2, 3, 1)
        x = x + self.time(self.norm(x))
        return self.next_frame(x)


def video_causal_mask_transposed(wrong=True):
    """mask | Boolean mask for SDPA is triu (True = may look), frames see only the future. Right twin: tril."""
    return VideoNet(wrong), [torch.randn(2, 3, 8, 8, 8), torch.randn(2, 3, 6, 12, 8)]


# ---------------------------------------------------------------- music
class MusicDecoder(nn.Module):
    def __init__(self, vocab=90, d=32, wrong=True):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.pos = nn.Parameter(torch.zeros(64, 1, d).normal_(0, 0.02))
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, vocab)
        self.wrong = wrong

    def forward(self, events):  # T, B
        x = self.emb(events) + self.pos[: len(events)]
        T = events.size(0)
        if self.wrong:
            mask = torch.triu(torch.ones(T, T), diagonal=1)
        else:
            mask = torch.triu(torch.full((T, T), float("-inf")), diagonal=1)
        return self.out(self.enc(x, mask=mask))


def music_float_mask_of_ones(wrong=True):
    """mask | The causal mask is float triu of ones and so adds 1 to the future. Right twin: -inf there."""
    return MusicDecoder(wrong=wrong), [torch.randint(0, 90, (20, 2)), torch.randint(0, 90, (13, 3))]
