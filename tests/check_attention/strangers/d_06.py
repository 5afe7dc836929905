import math, torch
from torch import nn
from torch.nn import functional as F


def mha_wrapped_scaled(wrong=True):
    """scale | Hand-written scale sits on q before softmax and temperature = sqrt(d) divides again. Right twin: temperature only (as in ScaledDotProductAttention(temperature))."""

    class SDPAttn(nn.Module):
        def __init__(s, temperature):
            super().__init__()
            s.temperature = temperature

        def forward(s, q, k, v):
            return F.softmax(torch.matmul(q / s.temperature, k.transpose(2, 3)), -1) @ v

    class MHA(nn.Module):
        def __init__(s, d=36, h=3):
            super().__init__()
            s.h, s.dk = h, d // h
            s.w_qs, s.w_ks, s.w_vs = (nn.Linear(d, d, bias=False) for _ in range(3))
            s.attention = SDPAttn(temperature=s.dk**0.5)
            s.layer_norm = nn.LayerNorm(d)

        def forward(s, x):
            q, k, v = (
                w(x).unflatten(-1, (s.h, s.dk)).transpose(1, 2) for w in (s.w_qs, s.w_ks, s.w_vs)
            )
            if wrong:
                q = q / math.sqrt(s.dk)
            return s.layer_norm(x + s.attention(q, k, v).transpose(1, 2).flatten(2))

    return MHA(), [torch.randn(2, 10, 36) for _ in range(2)]
