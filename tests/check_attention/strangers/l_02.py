import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- image classification
class PatchAttention(nn.Module):
    def __init__(self, dim, num_heads, wrong):
        super().__init__()
        self.num_heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)
        self.wrong = wrong

    def forward(self, x):
        B, N, C = x.shape
        qkv = (
            self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        )
        q, k, v = qkv.unbind(0)
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)
        x = attn @ v
        if self.wrong:
            x = x.reshape(B, N, C)
        else:
            x = x.transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class TinyViT(nn.Module):
    def __init__(self, dim=48, heads=3, depth=2, classes=10, wrong=True):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, 4)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, 17, dim) * 0.02)
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(
                nn.ModuleDict(
                    dict(
                        n1=nn.LayerNorm(dim),
                        attn=PatchAttention(dim, heads, wrong),
                        n2=nn.LayerNorm(dim),
                        mlp=nn.Sequential(
                            nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)
                        ),
                    )
                )
            )
        self.head = nn.Linear(dim, classes)

    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], 1) + self.pos
        for b in self.blocks:
            x = x + b["attn"](b["n1"](x))
            x = x + b["mlp"](b["n2"](x))
        return self.head(x[:, 0])


def vit_merge_without_transpose(wrong=True):
    """heads | Output (B,H,N,d) is reshaped to (B,N,C) without the transpose. Right twin: transpose(1,2) first."""
    return TinyViT(wrong=wrong), [torch.randn(2, 3, 16, 16), torch.randn(3, 3, 16, 16)]


# ---------------------------------------------------------------- recommender (SASRec-like)
class SASRec(nn.Module):
    def __init__(self, n_items=60, d=32, heads=2, maxlen=12, wrong=True):
        super().__init__()
        self.item = nn.Embedding(n_items + 1, d, padding_idx=0)
        self.pos = nn.Embedding(maxlen, d)
        self.ln1 = nn.LayerNorm(d)
        self.mha = nn.MultiheadAttention(d, heads, dropout=0.0, batch_first=False)
        self.ln2 = nn.LayerNorm(d)
        self.fc = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d))
        self.wrong = wrong

    def forward(self, seq):
        B, T = seq.shape
        x = self.item(seq) * self.item.embedding_dim**0.5 + self.pos(
            torch.arange(T, device=seq.device)
        )
        h = self.ln1(x)
        if self.wrong:
            mask = ~torch.tril(torch.ones(B, B, dtype=torch.bool, device=seq.device))
            y, _ = self.mha(h, h, h, attn_mask=mask, need_weights=False)
        else:
            mask = ~torch.tril(torch.ones(T, T, dtype=torch.bool, device=seq.device))
            h = h.transpose(0, 1)
            y, _ = self.mha(h, h, h, attn_mask=mask, need_weights=False)
            y = y.transpose(0, 1)
        x = x + y
        x = x + self.fc(self.ln2(x))
        return x @ self.item.weight.t()


def sasrec_batch_first_forgotten(wrong=True):
    """heads | (B,T,d) goes into an nn.MultiheadAttention with batch_first=False, users attend to users. Right twin: transposed."""
    return SASRec(wrong=wrong), [torch.randint(1, 61, (4, 10)), torch.randint(1, 61, (3, 12))]


# ---------------------------------------------------------------- molecules
class AtomAttention(nn.Module):
    """atoms attend to atoms, bias from bond distance"""

    def __init__(self, d=32, n_heads=4, wrong=True):
        super().__init__()
        self.n_heads, self.dh = n_heads, d // n_heads
        self.Wq, self.Wk, self.Wv, self.Wo = (nn.Linear(d, d) for _ in range(4))
        self.dist_bias = nn.Embedding(6, n_heads)
        self.wrong = wrong

    def forward(self, x, dist, atom_mask):
        B, A, D = x.shape
        q = self.Wq(x).view(B, A, self.n_heads, self.dh)
        k = self.Wk(x).view(B, A, self.n_heads, self.dh)
        v = self.Wv(x).view(B, A, self.n_heads, self.dh)
        logits = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(self.dh)
        logits = logits + self.dist_bias(dist.clamp(max=5)).permute(0, 3, 1, 2)
        if self.wrong:
            logits = logits.masked_fill(~atom_mask[:, None, :, None], -1e9)
        else:
            logits = logits.masked_fill(~atom_mask[:, None, None, :], -1e9)
        w = F.softmax(logits, -1)
        return self.Wo(torch.einsum("bhij,bjhd->bihd", w, v).reshape(B, A, D))


class MoleculeNet(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.atom = nn.Embedding(20, 32, padding_idx=0)
        self.a1, self.a2 = AtomAttention(wrong=wrong), AtomAttention(wrong=wrong)
        self.n1, self.n2 = nn.LayerNorm(32), nn.LayerNorm(32)
        self.out = nn.Linear(32, 1)

    def forward(self, atoms, dist):
        mask = atoms > 0
        x = self.atom(atoms)
        x = x + self.a1(self.n1(x), dist, mask)
        x = x + self.a2(self.n2(x), dist, mask)
        x = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self.out(x)


def _mols(sizes, A):
    a = torch.randint(1, 20, (len(sizes), A))
    for i, n in enumerate(sizes):
        a[i, n:] = 0
    d = torch.randint(1, 8, (len(sizes), A, A))
    d = torch.minimum(d, d.transpose(1, 2))
    d.diagonal(dim1=1, dim2=2).zero_()
    return a, d


def molecule_mask_on_query_axis(wrong=True):
    """mask | The atom mask is broadcast over the keys (rows masked, columns not). Right twin: columns of padded atoms masked."""
    return MoleculeNet(wrong), [_mols([9, 6, 7], 9), _mols([11, 5], 12)]


# ---------------------------------------------------------------- board game policy net
class PolicyNet(nn.Module):
    def __init__(self, d=32, heads=4, wrong=True):
        super().__init__()
        self.heads = heads
        self.stem = nn.Conv2d(3, d, 3, padding=1)
        self.to_q, self.to_k, self.to_v = nn.Conv2d(d, d, 1), nn.Conv2d(d, d, 1), nn.Conv2d(d, d, 1)
        self.policy = nn.Conv2d(d, 1, 1)
        self.value = nn.Linear(d, 1)
        self.wrong = wrong

    def forward(self, board):
        x = torch.relu(self.stem(board))
        B, C, H, W = x.shape
        q = self.to_q(x).view(B, self.heads, C // self.heads, H * W)
        k = self.to_k(x).view(B, self.heads, C // self.heads, H * W)
        v = self.to_v(x).view(B, self.heads, C // self.heads, H * W)
        att = torch.matmul(q.transpose(2, 3), k) / (C // self.heads) ** 0.5
        if self.wrong:
            att = F.softmax(att, dim=2)
        else:
            att = F.softmax(att, dim=3)
        y = torch.matmul(att, v.transpose(2, 3)).transpose(2, 3).reshape(B, C, H, W)
        x = x + y
        return self.policy(x).flatten(1).log_softmax(-1), torch.tanh(self.value(x.mean((2, 3))))


def policy_net_softmax_over_queries(wrong=True):
    """axis | Softmax over dim 2 (the queries). Right twin: over dim 3 (the keys)."""
    return PolicyNet(wrong=wrong).eval(), [torch.randn(2, 3, 6, 6), torch.randn(2, 3, 5, 5)]


# ---------------------------------------------------------------- multimodal
class TextToImage(nn.Module):
    """caption tokens attend to the patches; images have different numbers of patches"""

    def __init__(self, vocab=70, d=32, heads=4, wrong=True):
        super().__init__()
        self.heads = heads
        self.tok = nn.Embedding(vocab, d)
        self.vis = nn.Linear(12, d)
        self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.ln_t, self.ln_v = nn.LayerNorm(d), nn.LayerNorm(d)
        self.lm = nn.Linear(d, vocab)
        self.wrong = wrong

    def forward(self, tokens, patches, patch_mask):
        t, p = self.tok(tokens), self.vis(patches)
        B, T, D = t.shape
        N = p.size(1)
        q = self.q(self.ln_t(t)).view(B, T, self.heads, -1).transpose(1, 2)
        k, v = self.kv(self.ln_v(p)).chunk(2, -1)
        k = k.view(B, N, self.heads, -1).transpose(1, 2)
        v = v.view(B, N, self.heads, -1).transpose(1, 2)
        m = patch_mask[:, None, None, :].expand(B, 1, T, N)
        if self.wrong:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=m)
        return self.lm(t + self.o(y.transpose(1, 2).reshape(B, T, D)))


def text_to_patches_mask_not_passed(wrong=True):
    """mask | The patch mask is built and never handed to SDPA. Right twin: handed over."""

    def b(ns, T, N):
        p = torch.randn(len(ns), N, 12)
        m = torch.arange(N)[None] < torch.tensor(ns)[:, None]
        return {
            "tokens": torch.randint(0, 70, (len(ns), T)),
            "patches": p * m[..., None],
            "patch_mask": m,
        }

    return TextToImage(wrong=wrong), [b([16, 9, 12], 7, 16), b([8, 14], 9, 14)]
