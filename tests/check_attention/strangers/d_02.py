import math, torch
from torch import nn
from torch.nn import functional as F


def mha_key_padding_inverted(wrong=True):
    """mask | nn.MultiheadAttention gets True where tokens are real. Right twin: the mask is inverted (True = padding)."""

    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.emb = nn.Embedding(40, 32)
            s.att = nn.MultiheadAttention(32, 4, batch_first=True)

        def forward(s, input_ids, attention_mask):
            x = s.emb(input_ids)
            m = attention_mask.bool()
            return x + s.att(x, x, x, key_padding_mask=m if wrong else ~m, need_weights=False)[0]

    def b():
        m = torch.ones(3, 10, dtype=torch.long)
        m[0, 6:] = 0
        m[1, 8:] = 0
        m[2, 9:] = 0
        return dict(input_ids=torch.randint(1, 40, (3, 10)) * m, attention_mask=m)

    return M(), [b(), b()]


def mha_batch_first_forgotten(wrong=True):
    """heads | (B, T, C) goes into nn.MultiheadAttention with batch_first=False. Right twin: batch and time are transposed before and after."""

    class TSEncoder(nn.Module):
        def __init__(s):
            super().__init__()
            s.inp = nn.Linear(5, 32)
            s.attn = nn.MultiheadAttention(32, 2)
            s.head = nn.Linear(32, 1)

        def forward(s, x):
            h = s.inp(x)
            if wrong:
                a, _ = s.attn(h, h, h)
            else:
                t = h.transpose(0, 1)
                a = s.attn(t, t, t)[0].transpose(0, 1)
            return s.head((h + a).mean(1))

    return TSEncoder(), [torch.randn(4, 14, 5) for _ in range(2)]


def softmax_default_dim(wrong=True):
    """axis | nn.Softmax(dim=1) on (B, Tq, Tk): normalised over queries. Right twin: scores are built as (B, Tk, Tq), dim=1 is the key axis and the product with v sums over it."""

    class A(nn.Module):
        def __init__(s, d=24):
            super().__init__()
            s.wq, s.wk, s.wv = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
            s.softmax = nn.Softmax(dim=1)

        def forward(s, x):
            q, k, v = s.wq(x), s.wk(x), s.wv(x)
            if wrong:
                e = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
                return torch.bmm(s.softmax(e), v)
            e = torch.bmm(k, q.transpose(1, 2)) / math.sqrt(q.shape[-1])
            return torch.bmm(s.softmax(e).transpose(1, 2), v)

    return A(), [torch.randn(3, 9, 24) for _ in range(2)]


def tril_off_by_one(wrong=True):
    """mask | triu(diagonal=2) lets each position see the next one. Right twin: comparison of position indices, key <= query."""

    class CausalSelfAttention(nn.Module):
        def __init__(s, c=40, h=5):
            super().__init__()
            s.h = h
            s.qkv = nn.Linear(c, 3 * c)
            s.o = nn.Linear(c, c)

        def forward(s, x):
            B, T, C = x.shape
            q, k, v = s.qkv(x).reshape(B, T, 3, s.h, -1).permute(2, 0, 3, 1, 4)
            i = torch.arange(T)
            m = ~torch.ones(T, T, dtype=torch.bool).triu(2) if wrong else i[None, :] <= i[:, None]
            o = F.scaled_dot_product_attention(q, k, v, attn_mask=m)
            return s.o(o.transpose(1, 2).reshape(B, T, C))

    return CausalSelfAttention(), [torch.randn(2, 13, 40) for _ in range(2)]


def relu_attention_layer(wrong=True):
    """unknown | The second layer uses relu(scores)/T in place of softmax. Right twin: softmax in both layers."""

    class L(nn.Module):
        def __init__(s, c, relu):
            super().__init__()
            s.relu = relu
            s.qkv = nn.Linear(c, 3 * c)
            s.n = nn.LayerNorm(c)

        def forward(s, x):
            q, k, v = s.qkv(s.n(x)).unflatten(-1, (3, 4, -1)).permute(2, 0, 3, 1, 4)
            a = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            a = F.relu(a) / a.shape[-1] if s.relu else a.softmax(-1)
            return x + (a @ v).transpose(1, 2).flatten(2)

    return nn.Sequential(L(32, False), L(32, wrong)), [torch.randn(2, 10, 32) for _ in range(2)]
