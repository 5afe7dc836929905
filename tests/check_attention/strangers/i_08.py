import math, torch
from torch import nn
from torch.nn import functional as F


def conv_map_viewed_as_tokens_by_width(wrong=True):
    """heads | A map (B, C, H*W) is viewed as (B, heads, H*W, d) rather than (B, heads, d, H*W): a "token" is cut out of one channel's pixels. Right twin: view with d before the pixels, then transpose."""

    class SpatialAttention(nn.Module):
        def __init__(self, ch, heads):
            super().__init__()
            self.heads, self.d = heads, ch // heads
            self.norm = nn.GroupNorm(4, ch)
            self.qkv = nn.Conv2d(ch, 3 * ch, 1)
            self.proj = nn.Conv2d(ch, ch, 1)

        def forward(self, x):
            b, c, h, w = x.shape
            q, k, v = self.qkv(self.norm(x)).chunk(3, dim=1)
            if wrong:
                q, k, v = (t.reshape(b, self.heads, h * w, self.d) for t in (q, k, v))
            else:
                q, k, v = (
                    t.reshape(b, self.heads, self.d, h * w).transpose(2, 3) for t in (q, k, v)
                )
            a = torch.softmax(q @ k.transpose(2, 3) * self.d**-0.5, dim=-1)
            o = a @ v
            o = o.reshape(b, c, h, w) if wrong else o.transpose(2, 3).reshape(b, c, h, w)
            return x + self.proj(o)

    return (
        nn.Sequential(
            nn.Conv2d(3, 32, 3, 2, 1),
            nn.SiLU(),
            SpatialAttention(32, 4),
            nn.Conv2d(32, 3, 3, padding=1),
        ),
        [torch.randn(2, 3, 12, 12), torch.randn(3, 3, 12, 8)],
    )


def reshaped_to_tokens_first(wrong=True):
    """heads | For nn.MultiheadAttention's (L, N, E) the input (N, L, E) is reshaped in place of transposed, so sequences are mixed. Right twin: transpose(0, 1)."""

    class Block(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.ln = nn.LayerNorm(d)
            self.mha = nn.MultiheadAttention(d, h)

        def forward(self, x):
            n, l, e = x.shape
            y = self.ln(x)
            y = y.reshape(l, n, e) if wrong else y.transpose(0, 1)
            y = self.mha(y, y, y, need_weights=False)[0]
            y = y.reshape(n, l, e) if wrong else y.transpose(0, 1)
            return x + y

    class ECG(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv1d(2, 32, 5, stride=4)
            self.blocks = nn.Sequential(Block(32, 4), Block(32, 4))
            self.fc = nn.Linear(32, 5)

        def forward(self, wave):
            return self.fc(self.blocks(self.stem(wave).transpose(1, 2)).amax(1))

    return ECG(), [torch.randn(3, 2, 65), torch.randn(2, 2, 81)]


def graph_weights_normalised_at_source(wrong=True):
    """axis | Edge scores are normalised over the edges that leave a node, while messages are summed over the edges that enter one. Right twin: normalised over the edges that enter."""

    def segment_softmax(s, index, n):
        top = s.new_full((n, s.shape[1]), -torch.inf).scatter_reduce(
            0, index[:, None].expand_as(s), s, "amax"
        )
        e = (s - top[index]).exp()
        z = s.new_zeros(n, s.shape[1]).index_add(0, index, e)
        return e / z[index]

    class GraphTransformerConv(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.heads = heads
            self.q, self.k, self.v, self.skip = (nn.Linear(dim, dim) for _ in range(4))

        def forward(self, x, edge_index):
            src, dst = edge_index
            n = x.shape[0]
            q, k, v = (f(x).view(n, self.heads, -1) for f in (self.q, self.k, self.v))
            score = (q[dst] * k[src]).sum(-1) / math.sqrt(q.shape[-1])
            alpha = segment_softmax(score, src if wrong else dst, n)
            out = torch.zeros_like(v).index_add(0, dst, alpha[..., None] * v[src])
            return self.skip(x) + out.flatten(1)

    class GNN(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp = nn.Linear(7, 32)
            self.convs = nn.ModuleList(GraphTransformerConv(32, 4) for _ in range(2))
            self.out = nn.Linear(32, 3)

        def forward(self, x, edge_index):
            x = self.inp(x)
            for c in self.convs:
                x = F.relu(c(x, edge_index))
            return self.out(x)

    def graph(n):
        a = torch.rand(n, n) < 0.3
        a |= torch.eye(n, dtype=torch.bool)
        return dict(x=torch.randn(n, 7), edge_index=a.nonzero().t())

    return GNN(), [graph(14), graph(20)]


def keys_first_scores_last_axis(wrong=True):
    """axis | Cross-attention writes scores as (b, h, s, t), keys first; softmax over the last axis is over queries, the einsum sums over s. Right twin: softmax over axis 2."""

    def attend(query, memory, params):
        q = torch.einsum("btc,chd->bthd", query, params["wq"])
        k = torch.einsum("bsc,chd->bshd", memory, params["wk"])
        v = torch.einsum("bsc,chd->bshd", memory, params["wv"])
        scores = torch.einsum("bshd,bthd->bhst", k, q) / math.sqrt(q.shape[-1])
        probs = torch.softmax(scores, dim=3 if wrong else 2)
        return torch.einsum(
            "bthd,hdc->btc", torch.einsum("bhst,bshd->bthd", probs, v), params["wo"]
        )

    class Resampler(nn.Module):
        def __init__(self, dim=32, heads=4, n_latent=6):
            super().__init__()
            self.latents = nn.Parameter(torch.randn(n_latent, dim) * 0.5)
            w = lambda *s: nn.Parameter(torch.randn(*s) / dim**0.5)
            d = dim // heads
            self.layers = nn.ModuleList(
                nn.ParameterDict(
                    dict(
                        wq=w(dim, heads, d),
                        wk=w(dim, heads, d),
                        wv=w(dim, heads, d),
                        wo=w(heads, d, dim),
                    )
                )
                for _ in range(2)
            )
            self.inp = nn.Linear(12, dim)

        def forward(self, feats):
            mem = self.inp(feats)
            z = self.latents.expand(feats.shape[0], -1, -1)
            for p in self.layers:
                z = z + attend(F.layer_norm(z, z.shape[-1:]), mem, p)
            return z

    return Resampler(), [torch.randn(2, 25, 12), torch.randn(3, 18, 12)]


def memory_keys_joined_after_scaling(wrong=True):
    """scale | The keys are scaled by 1/sqrt(d) before learned memory keys are joined to them, so the memory's columns are unscaled (bfloat16). Right twin: joined first, all are scaled."""

    class MemAttention(nn.Module):
        def __init__(self, dim=64, heads=4, n_mem=4):
            super().__init__()
            self.heads, self.d = heads, dim // heads
            self.to_q, self.to_kv, self.to_out = (
                nn.Linear(dim, dim),
                nn.Linear(dim, 2 * dim),
                nn.Linear(dim, dim),
            )
            self.mem_k = nn.Parameter(torch.randn(heads, n_mem, self.d))
            self.mem_v = nn.Parameter(torch.randn(heads, n_mem, self.d))

        def forward(self, x):
            b, n, _ = x.shape
            q = self.to_q(x).view(b, n, self.heads, self.d).transpose(1, 2)
            k, v = self.to_kv(x).view(b, n, 2, self.heads, self.d).permute(2, 0, 3, 1, 4)
            mk, mv = self.mem_k.expand(b, -1, -1, -1), self.mem_v.expand(b, -1, -1, -1)
            if wrong:
                k = torch.cat([mk, k / math.sqrt(self.d)], 2)
            else:
                k = torch.cat([mk, k], 2) / math.sqrt(self.d)
            v = torch.cat([mv, v], 2)
            w = torch.matmul(q, k.transpose(-1, -2)).float().softmax(-1).to(v.dtype)
            return self.to_out(torch.matmul(w, v).transpose(1, 2).flatten(2))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp = nn.Linear(9, 64)
            self.n, self.a = (
                nn.ModuleList(nn.LayerNorm(64) for _ in range(2)),
                nn.ModuleList(MemAttention() for _ in range(2)),
            )
            self.out = nn.Linear(64, 4)

        def forward(self, x):
            x = self.inp(x)
            for n, a in zip(self.n, self.a):
                x = x + a(n(x))
            return self.out(x)

    return Net().to(torch.bfloat16), [
        torch.randn(2, 20, 9, dtype=torch.bfloat16),
        torch.randn(3, 12, 9, dtype=torch.bfloat16),
    ]
