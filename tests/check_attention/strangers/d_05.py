import math, torch
from torch import nn
from torch.nn import functional as F


class _QKV(nn.Module):
    def __init__(s, d, h):
        super().__init__()
        s.h, s.hd = h, d // h
        s.qkv, s.out = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def split(s, x):
        return s.qkv(x).unflatten(-1, (3, s.h, s.hd)).permute(2, 0, 3, 1, 4)

    def merge(s, y):
        return s.out(y.transpose(1, 2).flatten(2))


def masked_fill_not_assigned(wrong=True):
    """mask | scores.masked_fill(...) without assigning the result. Right twin: in-place masked_fill_."""

    class A(_QKV):
        def forward(s, x):
            q, k, v = s.split(x)
            a = q @ k.mT / s.hd**0.5
            m = torch.ones(a.shape[-2:], dtype=torch.bool).triu(1)
            if wrong:
                a.masked_fill(m, -1e9)
            else:
                a.masked_fill_(m, -1e9)
            return s.merge(a.softmax(-1) @ v)

    return A(32, 4), [torch.randn(2, 10, 32) for _ in range(2)]


def mask_after_softmax(wrong=True):
    """mask | Causal mask multiplied after softmax without renormalising. Right twin: multiplied after softmax and divided by the row sum."""

    class A(_QKV):
        def forward(s, x):
            q, k, v = s.split(x)
            w = (q @ k.mT * s.hd**-0.5).softmax(-1).tril()
            if not wrong:
                w = w / w.sum(-1, keepdim=True)
            return x + s.merge(w @ v)

    return A(48, 3), [torch.randn(2, 9, 48) for _ in range(2)]


def mask_repeated_over_heads(wrong=True):
    """mask | nn.MultiheadAttention's (B*H, T, T) mask is made by mask.repeat(H,1,1): sequences get another's padding. Right twin: repeat_interleave."""

    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.a = nn.MultiheadAttention(32, 4, batch_first=True)

        def forward(s, x, lengths):
            n = x.shape[1]
            pad = torch.arange(n)[None] >= lengths[:, None]
            m = pad[:, None, :].expand(-1, n, -1)
            m = m.repeat(4, 1, 1) if wrong else m.repeat_interleave(4, 0)
            return s.a(x, x, x, attn_mask=m)[0]

    return M(), [(torch.randn(3, 10, 32), torch.tensor(l)) for l in ([10, 6, 3], [4, 10, 7])]


def padding_mask_dropped(wrong=True):
    """mask | The encoder takes src_key_padding_mask but does not hand it on to the second layer. Right twin: both layers get it."""

    class E(nn.Module):
        def __init__(s):
            super().__init__()
            s.layers = nn.ModuleList(
                nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True) for _ in range(2)
            )

        def forward(s, x, padding_mask):
            x = s.layers[0](x, src_key_padding_mask=padding_mask)
            return s.layers[1](x) if wrong else s.layers[1](x, src_key_padding_mask=padding_mask)

    def b():
        m = torch.zeros(3, 9, dtype=torch.bool)
        m[0, 5:] = True
        m[1, 7:] = True
        return dict(x=torch.randn(3, 9, 32), padding_mask=m)

    return E(), [b(), b()]


def sdpa_bool_as_float(wrong=True):
    """mask | A 0/1 float mask is given to SDPA, which adds it. Right twin: log of the 0/1 mask is added."""

    class A(_QKV):
        def forward(s, x, mask):
            q, k, v = s.split(x)
            m = mask.float()[:, None, None, :]
            return s.merge(
                F.scaled_dot_product_attention(q, k, v, attn_mask=m if wrong else m.log())
            )

    def b():
        m = torch.ones(3, 9, dtype=torch.long)
        m[0, 5:] = 0
        m[1, 7:] = 0
        return torch.randn(3, 9, 32), m

    return A(32, 2), [b(), b()]
