import math, torch
from torch import nn
from torch.nn import functional as F


def softmin_routing_sign(wrong=True):
    """scale | softmin over q.k scores prefers the least similar key (sign lost). Right twin: softmin over the negative scores, which is softmax over q.k/sqrt(d)."""

    class Router(nn.Module):
        def __init__(self, dim=48, heads=4):
            super().__init__()
            self.h, self.dh = heads, dim // heads
            self.norm = nn.LayerNorm(dim)
            self.to_q, self.to_k, self.to_v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
            self.proj = nn.Linear(dim, dim)

        def forward(self, x):
            b, n, c = x.shape
            y = self.norm(x)
            q = self.to_q(y).view(b, n, self.h, self.dh).transpose(1, 2)
            k = self.to_k(y).view(b, n, self.h, self.dh).transpose(1, 2)
            v = self.to_v(y).view(b, n, self.h, self.dh).transpose(1, 2)
            sim = q @ k.mT / math.sqrt(self.dh)
            cost = sim if wrong else -sim
            w = F.softmin(cost, dim=-1)
            return x + self.proj((w @ v).transpose(1, 2).reshape(b, n, c))

    return nn.Sequential(Router(), Router()), [torch.randn(3, 11, 48), torch.randn(2, 9, 48)]


def bias_minus_scores(wrong=True):
    """scale | The ALiBi penalty is combined as bias - scores, so that the sign of q.k is lost. Right twin: scores - penalty."""

    class Attn(nn.Module):
        def __init__(self, d_model=64, n_head=4):
            super().__init__()
            self.n_head = n_head
            self.qkv = nn.Linear(d_model, 3 * d_model)
            self.out = nn.Linear(d_model, d_model)
            self.register_buffer("slopes", 2.0 ** (-2.0 * torch.arange(1, n_head + 1)))

        def forward(self, x):
            B, T, C = x.shape
            q, k, v = self.qkv(x).reshape(B, T, 3, self.n_head, -1).permute(2, 0, 3, 1, 4)
            pos = torch.arange(T)
            dist = (pos[:, None] - pos[None, :]).abs().float()
            penalty = self.slopes[:, None, None] * dist
            scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
            logits = (-penalty - scores) if wrong else (scores - penalty)
            logits = logits.masked_fill(pos[None, :] > pos[:, None], float("-inf"))
            return self.out(
                torch.einsum("bhij,bhjd->bhid", logits.softmax(-1), v).transpose(1, 2).flatten(2)
            )

    return Attn(), [torch.randn(2, 14, 64), torch.randn(3, 10, 64)]


def flex_score_mod_scales_again(wrong=True):
    """scale | score_mod of flex_attention divides by sqrt(d) although flex_attention has done it already. Right twin: score_mod only adds a distance bias."""
    from torch.nn.attention.flex_attention import flex_attention

    def scaled_distance(score, b, h, qi, ki):
        return score / math.sqrt(16) - 0.05 * (qi - ki).abs()

    def distance(score, b, h, qi, ki):
        return score - 0.05 * (qi - ki).abs()

    class FlexSelf(nn.Module):
        def __init__(self, dim=64, heads=4):
            super().__init__()
            self.heads, self.hd = heads, dim // heads
            self.in_proj = nn.Linear(dim, 3 * dim)
            self.out_proj = nn.Linear(dim, dim)

        def forward(self, x):
            B, N, D = x.shape
            q, k, v = (
                t.view(B, N, self.heads, self.hd).transpose(1, 2)
                for t in self.in_proj(x).chunk(3, -1)
            )
            o = flex_attention(q, k, v, score_mod=scaled_distance if wrong else distance)
            return self.out_proj(o.transpose(1, 2).reshape(B, N, D))

    return FlexSelf().requires_grad_(False), [torch.randn(2, 16, 64), torch.randn(2, 16, 64)]


def squared_relu_layer_beside_good_one(wrong=True):
    """unknown | The second layer weighs values by squared relu of the scores, without softmax. Right twin: both layers use softmax."""

    class Block(nn.Module):
        def __init__(self, dim, heads, kind):
            super().__init__()
            self.heads, self.kind = heads, kind
            self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.q, self.kv = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim)
            self.o = nn.Linear(dim, dim)
            self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

        def forward(self, x):
            B, T, C = x.shape
            h = self.ln1(x)
            split = lambda t: t.view(B, T, self.heads, -1).transpose(1, 2)
            q = split(self.q(h))
            k, v = map(split, self.kv(h).chunk(2, -1))
            s = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
            keep = torch.ones(T, T, dtype=torch.bool).tril()
            if self.kind == "relu2":
                a = F.relu(s).square().masked_fill(~keep, 0.0) / T
            else:
                a = s.masked_fill(~keep, -torch.inf).softmax(-1)
            x = x + self.o((a @ v).transpose(1, 2).reshape(B, T, C))
            return x + self.mlp(self.ln2(x))

    m = nn.Sequential(Block(32, 4, "softmax"), Block(32, 4, "relu2" if wrong else "softmax"))
    return m, [torch.randn(2, 13, 32), torch.randn(3, 8, 32)]


def encoder_layer_batch_first_default(wrong=True):
    """heads | nn.TransformerEncoderLayer with default batch_first=False gets batch-first sequences: attention runs over the batch. Right twin: batch_first=True."""

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(50, 32)
            self.pos = nn.Parameter(torch.randn(1, 20, 32) * 0.02)
            layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=not wrong)
            self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.head = nn.Linear(32, 7)

        def forward(self, ids):
            x = self.embed(ids) + self.pos[:, : ids.shape[1]]
            return self.head(self.encoder(x))

    def forward(model, batch):
        logits = model(batch["ids"])
        return F.cross_entropy(logits.flatten(0, 1), batch["tags"].flatten())

    bs = [
        {"ids": torch.randint(0, 50, (b, t)), "tags": torch.randint(0, 7, (b, t))}
        for b, t in ((4, 15), (3, 12))
    ]
    return Tagger(), bs, forward
