import math, torch
from torch import nn
from torch.nn import functional as F


def softcap_before_scale(wrong=True):
    """scale | The cap acts on unscaled scores and the factor 1/sqrt(d) comes after it. Right twin: scale, then cap."""

    def attention(q, k, v, mask, cap=5.0):
        s = torch.einsum("...id,...jd->...ij", q, k)
        r = q.shape[-1] ** -0.5
        if wrong:
            s = r * (cap * torch.tanh(s / cap))
        else:
            s = cap * torch.tanh(r * s / cap)
        s = torch.where(mask, s, -torch.inf)
        return torch.einsum("...ij,...jd->...id", torch.softmax(s, -1), v)

    class Gemma(nn.Module):
        def __init__(self, vocab=48, dim=64, heads=4):
            super().__init__()
            self.embed = nn.Embedding(vocab, dim)
            self.pre, self.post = nn.RMSNorm(dim), nn.RMSNorm(dim)
            self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(4))
            self.heads = heads
            self.head = nn.Linear(dim, vocab, bias=False)

        def forward(self, ids):
            x = self.embed(ids)
            h = self.pre(x)
            q, k, v = (
                w(h).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                for w in (self.wq, self.wk, self.wv)
            )
            n = ids.shape[1]
            y = attention(q, k, v, torch.ones(n, n, dtype=torch.bool).tril())
            x = x + self.post(self.wo(y.transpose(1, 2).flatten(2)))
            return self.head(x)

    return Gemma(), [torch.randint(0, 48, (2, 19)), torch.randint(0, 48, (3, 12))]


def sliding_window_or_causal(wrong=True):
    """mask | Causal and window masks are joined by | , so the past beyond the window and the whole future are allowed. Right twin: & ."""

    class Local(nn.Module):
        def __init__(self, dim, heads, window):
            super().__init__()
            self.heads, self.window = heads, window
            self.qkv = nn.Linear(dim, dim * 3, bias=False)
            self.out = nn.Linear(dim, dim, bias=False)

        def mask(self, n):
            i, j = torch.arange(n)[:, None], torch.arange(n)[None, :]
            causal, near = j <= i, (i - j) < self.window
            return causal | near if wrong else causal & near

        def forward(self, x):
            q, k, v = (
                t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1)
            )
            att = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
            att = att.masked_fill(~self.mask(x.size(1)), torch.finfo(att.dtype).min)
            return self.out((att.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))

    class LM(nn.Module):
        def __init__(self):
            super().__init__()
            self.e = nn.Embedding(30, 32)
            self.l = nn.ModuleList(Local(32, 4, 5) for _ in range(2))
            self.o = nn.Linear(32, 30)

        def forward(self, x):
            x = self.e(x)
            for l in self.l:
                x = x + l(F.rms_norm(x, (32,)))
            return self.o(x)

    return LM(), [torch.randint(0, 30, (2, 17)), torch.randint(0, 30, (2, 22))]


def two_streams_one_merged_raw(wrong=True):
    """heads | Joint attention of text and image: the image's part of the output is reshaped from (B, H, N, d) without the transpose that the text's part has. Right twin: both are transposed."""

    class Joint(nn.Module):
        def __init__(self, dim=48, heads=4):
            super().__init__()
            self.heads = heads
            self.img_qkv, self.txt_qkv = nn.Linear(dim, 3 * dim), nn.Linear(dim, 3 * dim)
            self.img_out, self.txt_out = nn.Linear(dim, dim), nn.Linear(dim, dim)

        def split(self, t):
            return t.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)

        def forward(self, img, txt):
            qi, ki, vi = self.split(self.img_qkv(img))
            qt, kt, vt = self.split(self.txt_qkv(txt))
            q, k, v = torch.cat([qt, qi], 2), torch.cat([kt, ki], 2), torch.cat([vt, vi], 2)
            o = F.scaled_dot_product_attention(q, k, v)
            ot, oi = o.split([txt.shape[1], img.shape[1]], dim=2)
            ot = ot.transpose(1, 2).reshape(txt.shape)
            oi = oi.reshape(img.shape) if wrong else oi.transpose(1, 2).reshape(img.shape)
            return img + self.img_out(oi), txt + self.txt_out(ot)

    class DiT(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch = nn.Conv2d(4, 48, 2, 2)
            self.words = nn.Embedding(20, 48)
            self.blocks = nn.ModuleList([Joint(), Joint()])
            self.out = nn.Linear(48, 16)

        def forward(self, latent, prompt):
            img = self.patch(latent).flatten(2).mT
            txt = self.words(prompt)
            for b in self.blocks:
                img, txt = b(img, txt)
            return self.out(img)

    return DiT(), [
        (torch.randn(2, 4, 8, 8), torch.randint(0, 20, (2, 6))),
        (torch.randn(2, 4, 8, 12), torch.randint(0, 20, (2, 5))),
    ]


def msa_row_attention_softmax_over_rows(wrong=True):
    """axis | Row attention over an alignment keeps its scores as (b, h, i, j, r); softmax(-1) normalises over the rows r, the sum with v runs over j. Right twin: softmax over j."""

    class RowAttention(nn.Module):
        def __init__(self, c=32, h=4):
            super().__init__()
            self.h = h
            self.to_q, self.to_k, self.to_v = (nn.Linear(c, c, bias=False) for _ in range(3))
            self.gate, self.to_out = nn.Linear(c, c), nn.Linear(c, c)

        def forward(self, msa):
            q, k, v = (
                f(msa).unflatten(-1, (self.h, -1)) for f in (self.to_q, self.to_k, self.to_v)
            )
            logits = torch.einsum("brihd,brjhd->bhijr", q, k) * q.shape[-1] ** -0.5
            attn = logits.softmax(dim=-1 if wrong else -2)
            o = torch.einsum("bhijr,brjhd->brihd", attn, v).flatten(-2)
            return self.to_out(self.gate(msa).sigmoid() * o)

    class MSA(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(22, 32)
            self.pos = nn.Embedding(40, 32)
            self.norm, self.row = nn.LayerNorm(32), RowAttention()
            self.out = nn.Linear(32, 22)

        def forward(self, tokens):
            x = self.emb(tokens) + self.pos(torch.arange(tokens.shape[-1]))
            return self.out(x + self.row(self.norm(x)))

    return MSA(), [torch.randint(0, 22, (2, 5, 14)), torch.randint(0, 22, (2, 8, 11))]


def relu_attention(wrong=True):
    """unknown | Weights are relu(scores)/n, no softmax. Right twin: softmax."""

    class Attn(nn.Module):
        def __init__(self, dim, h):
            super().__init__()
            self.h, self.norm = h, nn.LayerNorm(dim)
            self.w_in, self.w_out = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim)

        def forward(self, x):
            q, k, v = self.w_in(self.norm(x)).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
            s = torch.matmul(q, k.mT) * (1 / math.sqrt(q.shape[-1]))
            a = F.relu(s) / s.shape[-1] if wrong else F.softmax(s, dim=-1)
            return x + self.w_out(torch.matmul(a, v).transpose(1, 2).flatten(2))

    class Patches(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2d(1, 32, 4, 4)
            self.body = nn.Sequential(Attn(32, 2), Attn(32, 2))
            self.head = nn.Linear(32, 10)

        def forward(self, x):
            return self.head(self.body(self.stem(x).flatten(2).mT).mean(1))

    return Patches(), [torch.randn(3, 1, 16, 16), torch.randn(2, 1, 20, 20)]
