import math, torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


def checkpointed_block_loses_mask(wrong=True):
    """mask | In training the block runs through torch.utils.checkpoint and the padding mask of the batch is not passed on. Right twin: checkpoint(block, x, mask)."""

    class Block(nn.Module):
        def __init__(self, d=32, h=4):
            super().__init__()
            self.h = h
            self.qkv, self.proj, self.norm = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.LayerNorm(d)

        def forward(self, x, mask=None):
            B, N, D = x.shape
            q, k, v = (
                self.qkv(self.norm(x)).view(B, N, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
            )
            y = F.scaled_dot_product_attention(
                q, k, v, attn_mask=None if mask is None else mask[:, None, None, :]
            )
            return x + self.proj(y.transpose(1, 2).reshape(B, N, D))

    class Encoder(nn.Module):
        def __init__(self, gradient_checkpointing=True):
            super().__init__()
            self.gradient_checkpointing = gradient_checkpointing
            self.embed = nn.Embedding(60, 32, padding_idx=0)
            self.blocks = nn.ModuleList(Block() for _ in range(2))

        def forward(self, input_ids, attention_mask):
            x = self.embed(input_ids)
            mask = attention_mask.bool()
            for blk in self.blocks:
                if self.gradient_checkpointing and self.training:
                    x = (
                        checkpoint(blk, x, use_reentrant=False)
                        if wrong
                        else checkpoint(blk, x, mask, use_reentrant=False)
                    )
                else:
                    x = blk(x, mask)
            return x * mask[..., None]

    batches = []
    for lens in ((12, 7, 9), (5, 10)):
        m = torch.arange(max(lens))[None] < torch.tensor(lens)[:, None]
        batches.append({"input_ids": torch.randint(1, 60, m.shape) * m, "attention_mask": m.long()})
    return Encoder().train(), batches


def absorbed_mla_scaled_by_latent_size(wrong=True):
    """scale | MLA in its absorbed form (scores between latent queries and the latent cache) divides by sqrt(rank + rope). Right twin: sqrt(nope + rope), the size of q and k per head before absorption."""

    class AbsorbedMLA(nn.Module):
        def __init__(self, dim=64, n_heads=4, nope=12, rope=4, v_dim=12, rank=60):
            super().__init__()
            self.n_heads, self.nope, self.rope, self.v_dim, self.rank = (
                n_heads,
                nope,
                rope,
                v_dim,
                rank,
            )
            self.wq = nn.Linear(dim, n_heads * (nope + rope), bias=False)
            self.wkv_a = nn.Linear(dim, rank + rope, bias=False)
            self.kv_norm = nn.RMSNorm(rank)
            self.wkv_b = nn.Linear(rank, n_heads * (nope + v_dim), bias=False)
            self.wo = nn.Linear(n_heads * v_dim, dim, bias=False)

        def rotate(self, x):  # b s h r
            t = torch.arange(x.shape[1])[:, None] / 100 ** (
                torch.arange(0, self.rope, 2) / self.rope
            )
            z = (
                torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
                * torch.polar(torch.ones_like(t), t)[None, :, None]
            )
            return torch.view_as_real(z).flatten(-2)

        def forward(self, x):
            b, s, _ = x.shape
            q_nope, q_pe = self.wq(x).view(b, s, self.n_heads, -1).split([self.nope, self.rope], -1)
            kv, k_pe = self.wkv_a(x).split([self.rank, self.rope], -1)
            q_pe, k_pe = self.rotate(q_pe), self.rotate(k_pe.unsqueeze(2)).squeeze(2)
            kv = self.kv_norm(kv)
            w = self.wkv_b.weight.view(self.n_heads, -1, self.rank)
            q_nope = torch.einsum("bshd,hdc->bshc", q_nope, w[:, : self.nope])
            scores = torch.einsum("bshc,btc->bsht", q_nope, kv) + torch.einsum(
                "bshr,btr->bsht", q_pe, k_pe
            )
            scores = scores / math.sqrt(self.rank + self.rope if wrong else self.nope + self.rope)
            scores = scores + torch.full((s, s), float("-inf")).triu_(1).unsqueeze(1)
            p = scores.softmax(dim=-1, dtype=torch.float32)
            o = torch.einsum("bsht,btc->bshc", p, kv)
            o = torch.einsum("bshc,hdc->bshd", o, w[:, -self.v_dim :])
            return self.wo(o.flatten(2))

    return AbsorbedMLA(), [torch.randn(2, 9, 64), torch.randn(2, 12, 64)]


def power_one_half_without_brackets(wrong=True):
    """scale | `scores / d ** 1/2` divides by d and then by 2. Right twin: `scores / d ** (1/2)`."""

    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.num_heads, self.d_k = num_heads, d_model // num_heads
            self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

        def attention(self, Q, K, V, mask=None):
            scores = torch.matmul(Q, K.transpose(-2, -1))
            if wrong:
                scores = scores / self.d_k**1 / 2
            else:
                scores = scores / self.d_k ** (1 / 2)
            if mask is not None:
                scores = scores.masked_fill(mask == 0, -1e9)
            return torch.matmul(torch.softmax(scores, dim=-1), V)

        def forward(self, Q, K, V, mask=None):
            sp = lambda x: x.view(x.size(0), x.size(1), self.num_heads, self.d_k).transpose(1, 2)
            o = self.attention(sp(self.W_q(Q)), sp(self.W_k(K)), sp(self.W_v(V)), mask)
            return self.W_o(
                o.transpose(1, 2).contiguous().view(Q.size(0), -1, self.num_heads * self.d_k)
            )

    def forward(model, batch):
        x = batch["x"]
        mask = torch.tril(torch.ones(1, 1, x.size(1), x.size(1)))
        return model(x, x, x, mask)

    return (
        MultiHeadAttention(32, 4),
        [{"x": torch.randn(2, 10, 32)}, {"x": torch.randn(2, 13, 32)}],
        forward,
    )


def query_key_layer_scaling_undone_only(wrong=True):
    """scale | Megatron's query-key layer scaling: the scores are multiplied back by the layer number before softmax although they were divided by sqrt(d) only. Right twin: divided by sqrt(d) * layer_number first."""

    class CoreAttention(nn.Module):
        def __init__(self, hidden, heads, layer_number):
            super().__init__()
            self.heads, self.hn = heads, hidden // heads
            self.coeff = layer_number
            self.qkv, self.dense = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)

        def forward(self, h):  # s b h
            s, b, _ = h.shape
            q, k, v = self.qkv(h).view(s, b * self.heads, 3 * self.hn).chunk(3, -1)
            buf = torch.empty(b * self.heads, s, s)
            scores = torch.baddbmm(
                buf,
                q.transpose(0, 1),
                k.permute(1, 2, 0),
                beta=0.0,
                alpha=1.0 / (math.sqrt(self.hn) * (1 if wrong else self.coeff)),
            )
            scores = scores * self.coeff
            scores = scores.masked_fill(torch.ones(s, s, dtype=torch.bool).triu(1), -10000.0)
            ctx = torch.bmm(scores.softmax(-1), v.transpose(0, 1))
            return h + self.dense(ctx.transpose(0, 1).reshape(s, b, -1))

    m = nn.Sequential(*(CoreAttention(64, 4, i) for i in (1, 2, 3)))
    return m, [torch.randn(12, 2, 64), torch.randn(8, 3, 64)]


def residual_scores_mask_first_layer_only(wrong=True):
    """mask | Residual attention: causal mask is put on in the first layer only, in the hope that the handed-on scores carry it, but the scores are stored before masking. Right twin: the masked scores are handed on."""

    class Layer(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.h = h
            self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
            self.ln = nn.LayerNorm(d)

        def forward(self, x, mask=None, prev=None):
            b, n, d = x.shape
            q, k, v = (f(x).reshape(b, n, self.h, -1) for f in (self.q, self.k, self.v))
            attn_scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(d // self.h)
            if prev is not None:
                attn_scores = attn_scores + prev
            carry = attn_scores
            if mask is not None:
                attn_scores = attn_scores.masked_fill(mask, float("-inf"))
            if not wrong:
                carry = attn_scores
            w = F.softmax(attn_scores, -1)
            return self.ln(x + self.o(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2))), carry

    class TSTEncoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp = nn.Linear(5, 32)
            self.layers = nn.ModuleList(Layer(32, 4) for _ in range(3))

        def forward(self, series):
            x = self.inp(series)
            mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
            scores = None
            for i, l in enumerate(self.layers):
                x, scores = l(x, mask if i == 0 else None, scores)
            return x

    return TSTEncoder(), [torch.randn(2, 14, 5), torch.randn(4, 10, 5)]
