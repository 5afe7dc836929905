import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 31
def sdpa_flash_layout(wrong=True):
    """heads | q, k, v in flash-attn's layout (B, T, H, d) are passed to F.scaled_dot_product_attention, which attends between the heads of one token. Right twin: transposed to (B, H, T, d) and back."""

    class DiTBlock(nn.Module):
        def __init__(self, dim=32, heads=4):
            super().__init__()
            self.heads = heads
            self.norm = nn.LayerNorm(dim, elementwise_affine=False)
            self.mod = nn.Linear(dim, 3 * dim)
            self.qkv = nn.Linear(dim, 3 * dim)
            self.proj = nn.Linear(dim, dim)

        def forward(self, x, c):
            shift, scale, gate = self.mod(F.silu(c)).unsqueeze(1).chunk(3, -1)
            h = self.norm(x) * (1 + scale) + shift
            q, k, v = self.qkv(h).unflatten(-1, (3, self.heads, -1)).unbind(2)
            if wrong:
                o = F.scaled_dot_product_attention(q, k, v)
            else:
                o = F.scaled_dot_product_attention(
                    q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
                ).transpose(1, 2)
            return x + gate * self.proj(o.flatten(2))

    class Denoiser(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.out = nn.Linear(12, 32), nn.Linear(32, 12)
            self.pos = nn.Parameter(torch.randn(1, 16, 32) * 0.02)
            self.t = nn.Sequential(nn.Linear(1, 32), nn.SiLU(), nn.Linear(32, 32))
            self.blocks = nn.ModuleList([DiTBlock(), DiTBlock()])

        def forward(self, x, t):
            h, c = self.inp(x) + self.pos, self.t(t)
            for b in self.blocks:
                h = b(h, c)
            return self.out(h)

    return Denoiser(), [
        (torch.randn(2, 16, 12), torch.rand(2, 1)),
        (torch.randn(4, 16, 12), torch.rand(4, 1)),
    ]


# ---------------------------------------------------------------- 32
def chunk_cat_heads_unfolded_batch_major(wrong=True):
    """heads | Heads are put into the batch head-major (cat of chunks along dim 0) and taken out again batch-major, so heads and samples are mixed. Right twin: cat of chunks of dim 0."""

    class SASRecAttention(nn.Module):
        def __init__(self, units, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.Q, self.K, self.V = (
                nn.Linear(units, units),
                nn.Linear(units, units),
                nn.Linear(units, units),
            )

        def forward(self, queries, keys):
            Q, K, V = self.Q(queries), self.K(keys), self.V(keys)
            Q_ = torch.cat(torch.chunk(Q, self.num_heads, dim=2), dim=0)  # (h*N, T_q, C/h)
            K_ = torch.cat(torch.chunk(K, self.num_heads, dim=2), dim=0)
            V_ = torch.cat(torch.chunk(V, self.num_heads, dim=2), dim=0)
            w = torch.matmul(Q_, K_.transpose(1, 2)) / math.sqrt(K_.shape[-1])
            T = queries.shape[1]
            w = w.masked_fill(torch.ones(T, T).tril() == 0, -(2**32) + 1)
            outputs = torch.matmul(torch.softmax(w, dim=-1), V_)
            if wrong:
                N = queries.shape[0]
                outputs = outputs.view(N, self.num_heads, T, -1).transpose(1, 2).reshape(N, T, -1)
            else:
                outputs = torch.cat(torch.chunk(outputs, self.num_heads, dim=0), dim=2)
            return outputs + queries

    class SASRec(nn.Module):
        def __init__(self, n_items=80, d=24):
            super().__init__()
            self.item_emb = nn.Embedding(n_items, d)
            self.pos_emb = nn.Embedding(20, d)
            self.ln = nn.LayerNorm(d)
            self.att = SASRecAttention(d, 3)
            self.last = nn.LayerNorm(d)

        def forward(self, log_seqs):
            s = self.item_emb(log_seqs)
            s = s + self.pos_emb(torch.arange(log_seqs.shape[1]))
            f = self.last(self.att(self.ln(s), s))
            return f @ self.item_emb.weight.T

    return SASRec(), [torch.randint(0, 80, (4, 11)), torch.randint(0, 80, (2, 16))]


# ---------------------------------------------------------------- 33
def feature_map_viewed_as_tokens(wrong=True):
    """heads | Conv feature maps (B, C, H, W) are viewed as (B, heads, N, d), though channels come first: (B, heads, d, N) is needed. Right twin: view(B, heads, d, N).transpose(-2, -1)."""

    class ConvAttention(nn.Module):
        def __init__(self, channels=32, num_heads=4):
            super().__init__()
            self.num_heads = num_heads
            self.d = channels // num_heads
            self.norm = nn.GroupNorm(8, channels)
            self.q, self.k, self.v = (nn.Conv2d(channels, channels, 1) for _ in range(3))
            self.proj_out = nn.Conv2d(channels, channels, 1)

        def to_heads(self, t):
            b, c, h, w = t.shape
            if wrong:
                return t.view(b, self.num_heads, h * w, self.d)
            return t.view(b, self.num_heads, self.d, h * w).transpose(-2, -1)

        def forward(self, x):
            y = self.norm(x)
            q, k, v = self.to_heads(self.q(y)), self.to_heads(self.k(y)), self.to_heads(self.v(y))
            a = torch.matmul(q * self.d**-0.5, k.transpose(-1, -2)).softmax(-1)
            o = torch.matmul(a, v)
            if wrong:
                o = o.reshape(x.shape)
            else:
                o = o.transpose(-2, -1).reshape(x.shape)
            return x + self.proj_out(o)

    class MiniUNetMiddle(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.Conv2d(3, 32, 3, stride=2, padding=1)
            self.mid = ConvAttention()
            self.up = nn.ConvTranspose2d(32, 3, 2, stride=2)

        def forward(self, x):
            return self.up(F.silu(self.mid(F.silu(self.down(x)))))

    return MiniUNetMiddle(), [torch.randn(2, 3, 12, 12), torch.randn(2, 3, 10, 8)]


# ---------------------------------------------------------------- 34
def causal_one_late(wrong=True):
    """mask | tril(diagonal=1): each position also sees the next token, which is the target. Right twin: tril()."""

    class CausalSelfAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, num_heads):
            super().__init__()
            self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
            self.W_query = nn.Linear(d_in, d_out, bias=False)
            self.W_key = nn.Linear(d_in, d_out, bias=False)
            self.W_value = nn.Linear(d_in, d_out, bias=False)
            self.out_proj = nn.Linear(d_out, d_out)
            keep = torch.ones(context_length, context_length, dtype=torch.bool)
            self.register_buffer("mask", keep.tril(diagonal=1) if wrong else keep.tril())

        def forward(self, x):
            b, num_tokens, _ = x.shape
            keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
            queries = (
                self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
            )
            values = (
                self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
            )
            attn_scores = queries @ keys.transpose(2, 3)
            attn_scores = torch.where(
                self.mask[:num_tokens, :num_tokens], attn_scores, float("-inf")
            )
            attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
            context_vec = (attn_weights @ values).transpose(1, 2).reshape(b, num_tokens, self.d_out)
            return self.out_proj(context_vec)

    class MusicLM(nn.Module):
        def __init__(self, pitches=50):
            super().__init__()
            self.note, self.dur = nn.Embedding(pitches, 24), nn.Embedding(8, 8)
            self.pos = nn.Parameter(torch.randn(30, 32) * 0.02)
            self.blocks = nn.ModuleList(
                [
                    nn.Sequential(nn.LayerNorm(32), CausalSelfAttention(32, 32, 30, 4))
                    for _ in range(2)
                ]
            )
            self.head = nn.Linear(32, pitches)

        def forward(self, note, dur):
            x = torch.cat([self.note(note), self.dur(dur)], -1) + self.pos[: note.shape[1]]
            for b in self.blocks:
                x = b(x) + x
            return self.head(x)

    return MusicLM(), [
        (torch.randint(0, 50, (2, n)), torch.randint(0, 8, (2, n))) for n in (14, 21)
    ]
