import math, torch
from torch import nn
from torch.nn import functional as F


def precedence_of_division_by_root(wrong=True):
    """scale | `scores / d ** -0.5` multiplies by sqrt(d) in place of dividing. Right twin: `scores * d ** -0.5`."""

    class SelfAttention(nn.Module):
        def __init__(self, k, heads=8):
            super().__init__()
            self.k, self.heads = k, heads
            self.tokeys = nn.Linear(k, k, bias=False)
            self.toqueries = nn.Linear(k, k, bias=False)
            self.tovalues = nn.Linear(k, k, bias=False)
            self.unifyheads = nn.Linear(k, k)

        def forward(self, x):
            b, t, k = x.size()
            h, s = self.heads, k // self.heads
            fold = lambda y: y.view(b, t, h, s).transpose(1, 2).contiguous().view(b * h, t, s)
            queries, keys, values = (
                fold(self.toqueries(x)),
                fold(self.tokeys(x)),
                fold(self.tovalues(x)),
            )
            dot = torch.bmm(queries, keys.transpose(1, 2))
            dot = dot / s**-0.5 if wrong else dot * s**-0.5
            dot = F.softmax(dot, dim=2)
            out = torch.bmm(dot, values).view(b, h, t, s).transpose(1, 2).contiguous().view(b, t, k)
            return self.unifyheads(out)

    return nn.Sequential(SelfAttention(64), nn.LayerNorm(64), SelfAttention(64)), [
        torch.randn(2, 10, 64),
        torch.randn(3, 6, 64),
    ]


def half_precision_scaled_both_sides(wrong=True):
    """scale | For bf16 safety q and k are both multiplied by d**-0.5 (should be d**-0.25 each), so the scores are divided by d. Right twin: d**-0.25 each."""

    class WhisperAttn(nn.Module):
        def __init__(self, n_state=64, n_head=4):
            super().__init__()
            self.n_head = n_head
            self.query = nn.Linear(n_state, n_state)
            self.key = nn.Linear(n_state, n_state, bias=False)
            self.value = nn.Linear(n_state, n_state)
            self.out = nn.Linear(n_state, n_state)

        def forward(self, x, xa=None):
            q = self.query(x)
            k = self.key(x if xa is None else xa)
            v = self.value(x if xa is None else xa)
            d = q.shape[-1] // self.n_head
            scale = d ** (-0.5 if wrong else -0.25)
            q = q.view(*q.shape[:2], self.n_head, -1).permute(0, 2, 1, 3) * scale
            k = k.view(*k.shape[:2], self.n_head, -1).permute(0, 2, 3, 1) * scale
            v = v.view(*v.shape[:2], self.n_head, -1).permute(0, 2, 1, 3)
            w = F.softmax((q @ k).float(), dim=-1).to(q.dtype)
            return self.out((w @ v).permute(0, 2, 1, 3).flatten(start_dim=2))

    m = WhisperAttn().to(torch.bfloat16)
    b = [
        (torch.randn(2, 9, 64).bfloat16(),),
        (torch.randn(2, 5, 64).bfloat16(), torch.randn(2, 12, 64).bfloat16()),
    ]
    return m, b


def sigmoid_attention_in_decoder_cross(wrong=True):
    """unknown | The cross attention of the decoder layer gates values by a sigmoid of the scores (no softmax), its self attention is ordinary. Right twin: softmax in both."""

    def heads(t, h):
        return t.unflatten(-1, (h, -1)).transpose(-3, -2)

    class DecLayer(nn.Module):
        def __init__(self, d=48, h=4):
            super().__init__()
            self.h = h
            self.sa = nn.MultiheadAttention(d, h, batch_first=True)
            self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
            self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

        def forward(self, tgt, memory):
            T = tgt.shape[1]
            y = self.n1(tgt)
            causal = torch.ones(T, T, dtype=torch.bool).triu(1)
            tgt = tgt + self.sa(y, y, y, attn_mask=causal, need_weights=False)[0]
            q = heads(self.q(self.n2(tgt)), self.h)
            k, v = (heads(t, self.h) for t in self.kv(memory).chunk(2, -1))
            s = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(q.shape[-1])
            p = torch.sigmoid(s - math.log(k.shape[-2])) if wrong else torch.softmax(s, -1)
            return tgt + self.o(
                torch.einsum("...qk,...kd->...qd", p, v).transpose(-3, -2).flatten(-2)
            )

    return DecLayer(), [
        (torch.randn(2, 7, 48), torch.randn(2, 11, 48)),
        (torch.randn(3, 9, 48), torch.randn(3, 6, 48)),
    ]


def deberta_position_terms_scaled_twice(wrong=True):
    """scale | Disentangled attention with c2c + c2p + p2c divides by sqrt(3d) but after c2p and p2c have been divided by sqrt(d) themselves. Right twin: the sum of the three is divided by sqrt(3d) once."""

    class Disentangled(nn.Module):
        def __init__(self, dim=64, heads=4, span=6):
            super().__init__()
            self.h, self.hd, self.span = heads, dim // heads, span
            self.query_proj, self.key_proj, self.value_proj = (
                nn.Linear(dim, dim) for _ in range(3)
            )
            self.pos_key_proj, self.pos_query_proj = nn.Linear(dim, dim), nn.Linear(dim, dim)
            self.rel_embeddings = nn.Embedding(2 * span, dim)
            self.dense = nn.Linear(dim, dim)

        def split(self, t):
            return t.view(*t.shape[:-1], self.h, self.hd).transpose(-3, -2)

        def forward(self, hidden):
            n = hidden.shape[1]
            q, k, v = (
                self.split(p(hidden)) for p in (self.query_proj, self.key_proj, self.value_proj)
            )
            idx = (torch.arange(n)[:, None] - torch.arange(n)[None, :] + self.span).clamp(
                0, 2 * self.span - 1
            )
            pk, pq = (
                self.split(self.pos_key_proj(self.rel_embeddings.weight)),
                self.split(self.pos_query_proj(self.rel_embeddings.weight)),
            )
            c2c = q @ k.transpose(-1, -2)
            c2p = (q @ pk.transpose(-1, -2)).gather(-1, idx.expand(*q.shape[:2], n, n))
            p2c = (
                (k @ pq.transpose(-1, -2))
                .gather(-1, idx.expand(*q.shape[:2], n, n))
                .transpose(-1, -2)
            )
            if wrong:
                c2p, p2c = c2p / math.sqrt(self.hd), p2c / math.sqrt(self.hd)
            scores = (c2c + c2p + p2c) / math.sqrt(3 * self.hd)
            return self.dense((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    return Disentangled(), [torch.randn(2, 10, 64), torch.randn(2, 14, 64)]


def look_back_attends_to_zero_padding(wrong=True):
    """mask | Padded blocks (LongFormer style chunks with a look back): the zero keys of the padding before the first block are attended to. Right twin: they are masked."""

    class LocalAttention(nn.Module):
        def __init__(self, dim=32, heads=4, window=4):
            super().__init__()
            self.w, self.h = window, heads
            self.qkv, self.out = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim)

        def forward(self, x):
            B, N, C = x.shape
            w, nb = self.w, N // self.w
            q, k, v = (
                t.view(B, N, self.h, -1).transpose(1, 2).reshape(B * self.h, nb, w, -1)
                for t in self.qkv(x).chunk(3, -1)
            )

            def look_back(t, value):
                p = F.pad(t, (0, 0, 0, 0, 1, 0), value=value)
                return torch.cat([p[:, :-1], p[:, 1:]], dim=2)

            kk, vv = look_back(k, 0.0), look_back(v, 0.0)
            pos = torch.arange(N).view(1, nb, w, 1)
            kpos = look_back(pos, -1).squeeze(-1)  # 1 nb 2w
            sim = torch.einsum("bnid,bnjd->bnij", q, kk) / q.shape[-1] ** 0.5
            sim = sim.masked_fill(kpos[:, :, None, :] > pos, float("-inf"))
            if not wrong:
                sim = sim.masked_fill(kpos[:, :, None, :] == -1, float("-inf"))
            o = torch.einsum("bnij,bnjd->bnid", sim.softmax(-1), vv)
            return self.out(o.reshape(B, self.h, N, -1).transpose(1, 2).flatten(2))

    return LocalAttention(), [torch.randn(2, 16, 32), torch.randn(3, 12, 32)]
