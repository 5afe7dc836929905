import math, torch
from torch import nn
from torch.nn import functional as F


def flex_document_mask_of_first_sequence(wrong=True):
    """mask | score_mod of flex_attention hides padding by lengths[0] for every sequence. Right twin: lengths[b]."""
    from torch.nn.attention.flex_attention import flex_attention

    class PaddedFlex(nn.Module):
        def __init__(self, dim=32, heads=2):
            super().__init__()
            self.h = heads
            self.q, self.kv, self.o = (
                nn.Linear(dim, dim),
                nn.Linear(dim, 2 * dim),
                nn.Linear(dim, dim),
            )

        def forward(self, x, lengths):
            q = self.q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
            k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.kv(x).chunk(2, -1))

            def first(score, b, h, i, j):
                return torch.where(j < lengths[0], score, float("-inf"))

            def own(score, b, h, i, j):
                return torch.where(j < lengths[b], score, float("-inf"))

            y = flex_attention(q, k, v, score_mod=first if wrong else own)
            return self.o(y.transpose(1, 2).flatten(2))

    def make(lens):
        lens = torch.tensor(lens)
        x = torch.randn(len(lens), 12, 32)
        return {"x": x * (torch.arange(12)[None] < lens[:, None])[..., None], "lengths": lens}

    return PaddedFlex().requires_grad_(False), [make([12, 7, 9]), make([10, 12, 5])]


def normalize_default_dim_is_heads(wrong=True):
    """scale | F.normalize(q) without dim normalises over axis 1, the heads, not the features; the temperature follows as if it were cosine. Right twin: dim=-1."""

    class CosAttn(nn.Module):
        def __init__(self, dim=64, heads=4, tau=0.1):
            super().__init__()
            self.heads, self.tau = heads, tau
            self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
            self.to_out = nn.Linear(dim, dim)

        def forward(self, x):
            b, n, _ = x.shape
            q, k, v = (
                t.reshape(b, n, self.heads, -1).transpose(1, 2)
                for t in self.to_qkv(x).chunk(3, dim=-1)
            )
            if wrong:
                q, k = F.normalize(q), F.normalize(k)
            else:
                q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
            dots = q @ k.transpose(-1, -2) / self.tau
            return self.to_out((dots.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, n, -1))

    return CosAttn(), [torch.randn(2, 10, 64), torch.randn(3, 7, 64)]


def root_of_tokens_after_key_transpose(wrong=True):
    """scale | Keys are transposed first and then math.sqrt(k.size(-1)) is the root of the number of tokens. Right twin: size(-2) of the transposed keys, the head size."""

    class PatchAttention(nn.Module):
        def __init__(self, ch=32, heads=2):
            super().__init__()
            self.heads = heads
            self.stem = nn.Conv2d(3, ch, 4, 4)
            self.norm = nn.GroupNorm(4, ch)
            self.qkv, self.proj = nn.Conv1d(ch, 3 * ch, 1), nn.Conv1d(ch, ch, 1)

        def forward(self, img):
            f = self.stem(img)
            B, C, H, W = f.shape
            q, k, v = (
                self.qkv(self.norm(f).flatten(2))
                .view(B * self.heads, 3 * C // self.heads, H * W)
                .chunk(3, dim=1)
            )
            q = q.transpose(1, 2)  # b n d;   k, v: b d n
            w = torch.bmm(q, k) / math.sqrt(k.size(-1) if wrong else k.size(-2))
            w = w.softmax(dim=-1)
            o = torch.bmm(v, w.transpose(1, 2)).reshape(B, C, H * W)
            return f + self.proj(o).view(B, C, H, W)

    return PatchAttention(), [torch.randn(2, 3, 24, 24), torch.randn(2, 3, 20, 28)]


def heads_of_two_sizes_one_root(wrong=True):
    """scale | Heads of size 4 and of size 36 are both divided by the root of the mean size 20. Right twin: each group by the root of its own size."""

    class MixedHeads(nn.Module):
        def __init__(self, dim=80, sizes=(4, 36), per=2):
            super().__init__()
            self.sizes, self.per = sizes, per
            self.projs = nn.ModuleList(nn.Linear(dim, 3 * s * per) for s in sizes)
            self.out = nn.Linear(sum(sizes) * per, dim)

        def forward(self, x):
            b, n, _ = x.shape
            outs = []
            for s, p in zip(self.sizes, self.projs):
                q, k, v = p(x).view(b, n, self.per, 3, s).permute(3, 0, 2, 1, 4)
                root = math.sqrt(sum(self.sizes) / len(self.sizes)) if wrong else math.sqrt(s)
                a = torch.einsum("bhis,bhjs->bhij", q / root, k).softmax(-1)
                outs.append(torch.einsum("bhij,bhjs->bihs", a, v).flatten(2))
            return self.out(torch.cat(outs, -1))

    return MixedHeads(), [torch.randn(2, 8, 80), torch.randn(2, 11, 80)]


def softcap_multiplied_outside_only(wrong=True):
    """scale | Soft cap written as cap * tanh(s) - the inner division by cap is missing, so the scores are multiplied by the cap. Right twin: cap * tanh(s / cap)."""

    class CappedSelfAttn(nn.Module):
        def __init__(self, width=48, heads=3, softcap=15.0):
            super().__init__()
            self.heads, self.softcap = heads, softcap
            self.fused = nn.Linear(width, 3 * width, bias=False)
            self.back = nn.Linear(width, width, bias=False)

        def forward(self, x):
            B, S, W = x.shape
            q, k, v = self.fused(x).view(B, S, self.heads, 3, -1).unbind(3)
            s = torch.einsum("bqhd,bkhd->bhqk", q, k).div(math.sqrt(q.size(-1)))
            s = self.softcap * torch.tanh(s if wrong else s / self.softcap)
            s = s.masked_fill(~torch.ones(S, S).tril().bool(), -math.inf)
            return self.back(torch.einsum("bhqk,bkhd->bqhd", s.softmax(-1), v).reshape(B, S, W))

    return nn.Sequential(nn.LayerNorm(48), CappedSelfAttn()), [
        torch.randn(2, 10, 48),
        torch.randn(3, 12, 48),
    ]
