import math, torch
from torch import nn
from torch.nn import functional as F


def unet_cross_attention_text_mask_wrong(wrong=True):
    """mask | Diffusion cross-attention (CompVis style): the text mask is repeated tile-wise ((h b) order) where rows are (b h), so another sequence's mask. Right twin: repeat_interleave."""

    class CrossAttention(nn.Module):
        def __init__(self, query_dim, context_dim, heads=4, dim_head=8):
            super().__init__()
            inner_dim = dim_head * heads
            self.scale, self.heads = dim_head**-0.5, heads
            self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
            self.to_k = nn.Linear(context_dim, inner_dim, bias=False)
            self.to_v = nn.Linear(context_dim, inner_dim, bias=False)
            self.to_out = nn.Sequential(nn.Linear(inner_dim, query_dim), nn.Dropout(0.0))

        def forward(self, x, context, mask):
            h = self.heads
            q, k, v = self.to_q(x), self.to_k(context), self.to_v(context)
            b = x.shape[0]
            q, k, v = map(
                lambda t: (
                    t.reshape(b, t.shape[1], h, -1)
                    .permute(0, 2, 1, 3)
                    .reshape(b * h, t.shape[1], -1)
                ),
                (q, k, v),
            )
            sim = torch.einsum("b i d, b j d -> b i j", q, k) * self.scale
            max_neg_value = -torch.finfo(sim.dtype).max
            if wrong:
                mask = mask.repeat(h, 1)[:, None, :]
            else:
                mask = mask.repeat_interleave(h, dim=0)[:, None, :]
            sim.masked_fill_(~mask, max_neg_value)
            attn = sim.softmax(dim=-1)
            out = torch.einsum("b i j, b j d -> b i d", attn, v)
            return self.to_out(
                out.reshape(b, h, -1, out.shape[-1]).permute(0, 2, 1, 3).reshape(b, x.shape[1], -1)
            )

    class SpatialTransformer(nn.Module):
        def __init__(self, ch=32, ctx=24):
            super().__init__()
            self.norm = nn.GroupNorm(8, ch)
            self.proj_in, self.proj_out = nn.Conv2d(ch, ch, 1), nn.Conv2d(ch, ch, 1)
            self.attn2, self.norm2 = CrossAttention(ch, ctx), nn.LayerNorm(ch)

        def forward(self, x, context, mask):
            b, c, h, w = x.shape
            y = self.proj_in(self.norm(x)).flatten(2).transpose(1, 2)
            y = y + self.attn2(self.norm2(y), context, mask)
            return x + self.proj_out(y.transpose(1, 2).reshape(b, c, h, w))

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.text = nn.Embedding(30, 24)
            self.inp, self.down, self.up = (
                nn.Conv2d(3, 32, 3, padding=1),
                nn.Conv2d(32, 32, 3, 2, 1),
                nn.ConvTranspose2d(32, 32, 2, 2),
            )
            self.mid, self.out = SpatialTransformer(), nn.Conv2d(64, 3, 3, padding=1)

        def forward(self, x, ids, attention_mask):
            a = self.inp(x)
            m = self.mid(F.silu(self.down(a)), self.text(ids), attention_mask.bool())
            return self.out(torch.cat([a, self.up(m)], 1))

    def _b():
        m = torch.ones(3, 9, dtype=torch.long)
        m[0, 4:] = 0
        m[1, 7:] = 0
        return dict(
            x=torch.randn(3, 3, 8, 8), ids=torch.randint(1, 30, (3, 9)) * m, attention_mask=m
        )

    return UNet(), [_b(), _b()]


def dit_qk_norm_forgotten_root(wrong=True):
    """scale | DiT block (timm style, no fused attention): the scores are divided by head_dim, not by its root. Right twin: head_dim ** -0.5."""

    class Attention(nn.Module):
        def __init__(self, dim, num_heads):
            super().__init__()
            self.num_heads, self.head_dim = num_heads, dim // num_heads
            self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

        def forward(self, x):
            B, N, C = x.shape
            q, k, v = (
                self.qkv(x)
                .reshape(B, N, 3, self.num_heads, self.head_dim)
                .permute(2, 0, 3, 1, 4)
                .unbind(0)
            )
            attn = torch.matmul(q, k.mT)
            attn = attn / (self.head_dim if wrong else self.head_dim**0.5)
            x = attn.softmax(dim=-1) @ v
            return self.proj(x.transpose(1, 2).reshape(B, N, C))

    class DiTBlock(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.norm1, self.norm2 = (
                nn.LayerNorm(d, elementwise_affine=False),
                nn.LayerNorm(d, elementwise_affine=False),
            )
            self.attn = Attention(d, 4)
            self.mlp = nn.Sequential(
                nn.Linear(d, 4 * d), nn.GELU(approximate="tanh"), nn.Linear(4 * d, d)
            )
            self.ada = nn.Sequential(nn.SiLU(), nn.Linear(d, 6 * d))

        def forward(self, x, c):
            s1, c1, g1, s2, c2, g2 = self.ada(c).unsqueeze(1).chunk(6, dim=-1)
            x = x + g1 * self.attn(self.norm1(x) * (1 + c1) + s1)
            return x + g2 * self.mlp(self.norm2(x) * (1 + c2) + s2)

    class DiT(nn.Module):
        def __init__(self, d=64):
            super().__init__()
            self.x_embed, self.y = nn.Conv2d(4, d, 2, 2), nn.Embedding(10, d)
            self.t = nn.Sequential(nn.Linear(16, d), nn.SiLU(), nn.Linear(d, d))
            self.pos = nn.Parameter(torch.randn(1, 16, d) * 0.02)
            self.blocks = nn.ModuleList(DiTBlock(d) for _ in range(2))
            self.final = nn.Linear(d, 16)

        def forward(self, x, t, y):
            f = torch.exp(-math.log(10000) * torch.arange(8) / 8)
            a = t[:, None].float() * f
            c = self.t(torch.cat([a.cos(), a.sin()], -1)) + self.y(y)
            x = self.x_embed(x).flatten(2).transpose(1, 2) + self.pos
            for b in self.blocks:
                x = b(x, c)
            return self.final(x)

    return DiT(), [
        (torch.randn(2, 4, 8, 8), torch.randint(0, 1000, (2,)), torch.randint(0, 10, (2,)))
        for _ in range(2)
    ]


def gat_dense_mask_before_exp_zero(wrong=True):
    """mask | Dot-product graph attention: non-edges are set to 0 before softmax, which does not hide them. Right twin: -inf (adjacency has self loops)."""

    class GraphAttention(nn.Module):
        def __init__(self, d, heads):
            super().__init__()
            self.h, self.dk = heads, d // heads
            self.WQ, self.WK, self.WV = (
                nn.Linear(d, d, bias=False),
                nn.Linear(d, d, bias=False),
                nn.Linear(d, d, bias=False),
            )
            self.O = nn.Linear(d, d)

        def forward(self, h, adj):
            B, N, _ = h.shape
            Q = self.WQ(h).view(B, N, self.h, self.dk)
            K = self.WK(h).view(B, N, self.h, self.dk)
            V = self.WV(h).view(B, N, self.h, self.dk)
            e = torch.einsum("bihd,bjhd->bijh", Q, K) / self.dk**0.5
            a = adj.unsqueeze(-1)
            if wrong:
                e = torch.where(a > 0, e, torch.zeros_like(e))
            else:
                e = torch.where(a > 0, e, torch.full_like(e, -float("inf")))
            alpha = torch.softmax(e, dim=2)
            return self.O(torch.einsum("bijh,bjhd->bihd", alpha, V).reshape(B, N, -1))

    class GraphTransformer(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.inp = nn.Linear(7, d)
            self.l = nn.ModuleList(GraphAttention(d, 4) for _ in range(2))
            self.n = nn.ModuleList(nn.LayerNorm(d) for _ in range(2))
            self.out = nn.Linear(d, 3)

        def forward(self, x, adj):
            h = self.inp(x)
            for l, n in zip(self.l, self.n):
                h = n(h + l(h, adj))
            return self.out(h)

    def _b():
        a = (torch.rand(2, 12, 12) < 0.25).float()
        a = ((a + a.transpose(1, 2) + torch.eye(12)) > 0).float()
        return torch.randn(2, 12, 7), a

    return GraphTransformer(), [_b(), _b()]


def alphafold_pair_bias_scaled_with(wrong=True):
    """scale | AlphaFold row attention with pair bias: q is scaled at the projection and the scores once more. Right twin: once at q, bias unscaled."""

    class Attention(nn.Module):
        def __init__(self, c, c_hidden, no_heads):
            super().__init__()
            self.c_hidden, self.no_heads = c_hidden, no_heads
            self.linear_q, self.linear_k, self.linear_v = (
                nn.Linear(c, c_hidden * no_heads, bias=False) for _ in range(3)
            )
            self.linear_g, self.linear_o = (
                nn.Linear(c, c_hidden * no_heads),
                nn.Linear(c_hidden * no_heads, c),
            )

        def forward(self, q_x, kv_x, biases):
            q, k, v = self.linear_q(q_x), self.linear_k(kv_x), self.linear_v(kv_x)
            q, k, v = (
                t.view(t.shape[:-1] + (self.no_heads, -1)).transpose(-2, -3) for t in (q, k, v)
            )
            q = q / math.sqrt(self.c_hidden)
            a = torch.matmul(q, k.transpose(-1, -2))
            if wrong:
                a = a * self.c_hidden**-0.5
            for b in biases:
                a = a + b
            a = torch.nn.functional.softmax(a, -1)
            o = torch.matmul(a, v).transpose(-2, -3)
            g = torch.sigmoid(self.linear_g(q_x)).view(o.shape)
            return self.linear_o((o * g).flatten(-2))

    class MSARowAttentionWithPairBias(nn.Module):
        def __init__(self, c_m=32, c_z=16, heads=4):
            super().__init__()
            self.layer_norm_m, self.layer_norm_z = nn.LayerNorm(c_m), nn.LayerNorm(c_z)
            self.linear_z = nn.Linear(c_z, heads, bias=False)
            self.mha = Attention(c_m, 8, heads)
            self.out = nn.Linear(c_m, 21)

        def forward(self, m, z, mask):
            x = self.layer_norm_m(m)
            mask_bias = (1e9 * (mask - 1))[..., :, None, None, :]
            b = self.linear_z(self.layer_norm_z(z)).permute(0, 3, 1, 2).unsqueeze(1)
            return self.out(m + self.mha(x, x, [mask_bias, b]))

    def _b():
        m = torch.ones(2, 5, 10)
        m[1, :, 7:] = 0
        return torch.randn(2, 5, 10, 32), torch.randn(2, 10, 10, 16), m

    return MSARowAttentionWithPairBias(), [_b(), _b()]


def pointer_network_no_mask_of_padding(wrong=True):
    """mask | Pointer/seq2seq with additive attention: the source mask is made from lengths, but masked_fill fills the valid places. Right twin: fills the padding."""

    class BahdanauAttention(nn.Module):
        def __init__(self, h):
            super().__init__()
            self.Wa, self.Ua, self.Va = nn.Linear(h, h), nn.Linear(2 * h, h), nn.Linear(h, 1)

        def forward(self, query, keys, mask):
            scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(2).unsqueeze(1)
            if wrong:
                scores = scores.masked_fill(mask.unsqueeze(1), -1e9)
            else:
                scores = scores.masked_fill(~mask.unsqueeze(1), -1e9)
            weights = F.softmax(scores, dim=-1)
            return torch.bmm(weights, keys), weights

    class Seq2Seq(nn.Module):
        def __init__(self, vocab=30, h=32):
            super().__init__()
            self.src, self.tgt = nn.Embedding(vocab, h, padding_idx=0), nn.Embedding(vocab, h)
            self.enc = nn.GRU(h, h, batch_first=True, bidirectional=True)
            self.bridge = nn.Linear(2 * h, h)
            self.dec = nn.GRU(3 * h, h, batch_first=True)
            self.attention, self.out = BahdanauAttention(h), nn.Linear(h, vocab)

        def forward(self, src, lengths, tgt):
            p = nn.utils.rnn.pack_padded_sequence(
                self.src(src), lengths, batch_first=True, enforce_sorted=False
            )
            o, hid = self.enc(p)
            keys, _ = nn.utils.rnn.pad_packed_sequence(
                o, batch_first=True, total_length=src.size(1)
            )
            hid = torch.tanh(self.bridge(torch.cat([hid[0], hid[1]], -1))).unsqueeze(0)
            mask = torch.arange(src.size(1))[None, :] < lengths[:, None]
            outs = []
            for t in range(tgt.size(1)):
                ctx, _ = self.attention(hid.permute(1, 0, 2), keys, mask)
                y, hid = self.dec(torch.cat([self.tgt(tgt[:, t : t + 1]), ctx], 2), hid)
                outs.append(self.out(y))
            return torch.cat(outs, 1)

    def _b():
        n = torch.tensor([10, 6, 8])
        return (
            torch.randint(1, 30, (3, 11)) * (torch.arange(11)[None] < n[:, None]),
            n,
            torch.randint(1, 30, (3, 5)),
        )

    return Seq2Seq(), [_b(), _b()]
