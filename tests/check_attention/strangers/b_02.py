import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 6
def chunked_decode_top_left_causal(wrong=True):
    """mask | With a KV cache, a chunk of several new tokens is run with is_causal=True, which aligns the mask at the top left: new tokens cannot see the latest past. Right twin: mask shifted by the cache length."""

    class CachedAttention(nn.Module):
        def __init__(self, dim, n_heads):
            super().__init__()
            self.n_heads, self.hd = n_heads, dim // n_heads
            self.wqkv = nn.Linear(dim, 3 * dim, bias=False)
            self.wo = nn.Linear(dim, dim, bias=False)

        def forward(self, x, past=None):
            B, T, D = x.shape
            q, k, v = (
                t.view(B, T, self.n_heads, self.hd).transpose(1, 2)
                for t in self.wqkv(x).split(D, dim=-1)
            )
            n_past = 0
            if past is not None:
                n_past = past[0].shape[2]
                k = torch.cat((past[0], k), dim=2)
                v = torch.cat((past[1], v), dim=2)
            if wrong:
                y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            else:
                m = torch.ones(T, n_past + T, dtype=torch.bool).tril(diagonal=n_past)
                y = F.scaled_dot_product_attention(q, k, v, attn_mask=m)
            return self.wo(y.transpose(1, 2).reshape(B, T, D)), (k, v)

    class ChunkLM(nn.Module):
        def __init__(self, vocab=64, dim=32, depth=2):
            super().__init__()
            self.embed = nn.Embedding(vocab, dim)
            self.pos = nn.Embedding(64, dim)
            self.attn = nn.ModuleList([CachedAttention(dim, 4) for _ in range(depth)])
            self.norm = nn.ModuleList([nn.LayerNorm(dim) for _ in range(depth)])
            self.head = nn.Linear(dim, vocab, bias=False)

        def forward(self, ids, chunk=6):
            past = [None] * len(self.attn)
            outs = []
            for s in range(0, ids.shape[1], chunk):
                part = ids[:, s : s + chunk]
                x = self.embed(part) + self.pos(torch.arange(s, s + part.shape[1]))
                for i, (a, n) in enumerate(zip(self.attn, self.norm)):
                    y, past[i] = a(n(x), past[i])
                    x = x + y
                outs.append(self.head(x))
            return torch.cat(outs, dim=1)

    return ChunkLM(), [torch.randint(0, 64, (2, 18)), torch.randint(0, 64, (2, 12))]


# ---------------------------------------------------------------- 7
def mha_3d_mask_repeat(wrong=True):
    """mask | The 3D attn_mask of nn.MultiheadAttention (B*heads) is made with repeat, so most heads get the mask of another sequence. Right twin: repeat_interleave."""

    class SetEncoder(nn.Module):
        def __init__(self, in_dim=6, dim=32, num_heads=4):
            super().__init__()
            self.num_heads = num_heads
            self.inp = nn.Linear(in_dim, dim)
            self.mha = nn.MultiheadAttention(dim, num_heads, batch_first=True)
            self.ln = nn.LayerNorm(dim)
            self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

        def forward(self, points, valid):
            B, N, _ = points.shape
            h = self.inp(points)
            block = ~valid[:, None, :].expand(B, N, N)
            if wrong:
                block = block.repeat(self.num_heads, 1, 1)
            else:
                block = block.repeat_interleave(self.num_heads, dim=0)
            a = self.mha(h, h, h, attn_mask=block, need_weights=False)[0]
            h = self.ln(h + a)
            h = h + self.ff(h)
            w = valid.unsqueeze(-1).to(h.dtype)
            return (h * w).sum(1) / w.sum(1)

    bs = []
    for lens in ([5, 9, 12], [10, 4, 7, 10]):
        L = max(lens)
        valid = torch.arange(L)[None] < torch.tensor(lens)[:, None]
        bs.append({"points": torch.randn(len(lens), L, 6) * valid[..., None], "valid": valid})
    return SetEncoder(), bs


# ---------------------------------------------------------------- 8
def mask_after_softmax(wrong=True):
    """mask | Probabilities are multiplied by the padding mask after the softmax and not renormalised: real keys sum to less than 1. Right twin: divided by their sum."""

    class GatedSensorAttention(nn.Module):
        def __init__(self, channels=8, d=24, heads=3):
            super().__init__()
            self.heads = heads
            self.scale = (d // heads) ** -0.5
            self.inp = nn.Conv1d(channels, d, 3, padding=1)
            self.to_q = nn.Linear(d, d)
            self.to_kv = nn.Linear(d, 2 * d)
            self.out = nn.Linear(d, 1)

        def forward(self, series, observed):
            x = self.inp(series.transpose(1, 2)).transpose(1, 2)
            b, n, d = x.shape
            q = self.to_q(x).reshape(b, n, self.heads, -1).permute(0, 2, 1, 3)
            k, v = self.to_kv(x).reshape(b, n, 2, self.heads, -1).permute(2, 0, 3, 1, 4)
            p = torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k) * self.scale, dim=-1)
            p = p * observed[:, None, None, :].to(p.dtype)
            if not wrong:
                p = p / p.sum(dim=-1, keepdim=True)
            y = torch.einsum("bhij,bhjd->bhid", p, v).permute(0, 2, 1, 3).reshape(b, n, d)
            return self.out(x + y).squeeze(-1)

    bs = []
    for lens in ([16, 9, 12], [7, 14, 10]):
        L = max(lens)
        obs = torch.arange(L)[None] < torch.tensor(lens)[:, None]
        bs.append((torch.randn(3, L, 8) * obs[..., None], obs))
    return GatedSensorAttention(), bs


# ---------------------------------------------------------------- 9
def prefix_lm_rows_for_columns(wrong=True):
    """mask | Prefix-LM mask opens the prefix rows (the prefix sees the whole answer) in place of the prefix columns. Right twin: columns (the prefix is seen by all)."""

    class PrefixLM(nn.Module):
        def __init__(self, n_vocab=32, d_img=12, d=32, heads=4, n_prefix=5):
            super().__init__()
            self.n_prefix, self.heads = n_prefix, heads
            self.img = nn.Linear(d_img, d)
            self.wte = nn.Embedding(n_vocab, d)
            self.wpe = nn.Parameter(torch.zeros(1, 40, d).normal_(std=0.02))
            self.layers = nn.ModuleList(
                [
                    nn.ModuleDict(
                        {
                            "ln": nn.LayerNorm(d),
                            "q": nn.Linear(d, d),
                            "k": nn.Linear(d, d),
                            "v": nn.Linear(d, d),
                            "o": nn.Linear(d, d),
                        }
                    )
                    for _ in range(2)
                ]
            )
            self.lm = nn.Linear(d, n_vocab)

        def build_mask(self, n):
            allow = torch.ones(n, n).tril().bool()
            if wrong:
                allow[: self.n_prefix, :] = True
            else:
                allow[:, : self.n_prefix] = True
            return allow

        def forward(self, patches, caption):
            x = torch.cat([self.img(patches), self.wte(caption)], 1)
            b, n, d = x.shape
            x = x + self.wpe[:, :n]
            blocked = ~self.build_mask(n)
            for layer in self.layers:
                h = layer["ln"](x)
                q, k, v = [
                    layer[c](h).unflatten(-1, (self.heads, -1)).transpose(1, 2) for c in "qkv"
                ]
                s = q @ k.mT / math.sqrt(q.shape[-1])
                s = s.masked_fill(blocked, -torch.inf)
                y = (s.softmax(-1) @ v).transpose(1, 2).flatten(2)
                x = x + layer["o"](y)
            return self.lm(x[:, self.n_prefix :])

    return PrefixLM(), [
        (torch.randn(2, 5, 12), torch.randint(0, 32, (2, 9))),
        (torch.randn(3, 5, 12), torch.randint(0, 32, (3, 11))),
    ]


# ---------------------------------------------------------------- 10
def packed_documents_or(wrong=True):
    """mask | Packed documents: the document mask and the causal mask are joined with 'or', so the future of the own document and the past of other documents are seen. Right twin: 'and'."""

    class PackedBlock(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.h = h
            self.n1, self.n2 = nn.RMSNorm(d), nn.RMSNorm(d)
            self.qkv = nn.Linear(d, 3 * d, bias=False)
            self.proj = nn.Linear(d, d, bias=False)
            self.up, self.down = nn.Linear(d, 2 * d, bias=False), nn.Linear(2 * d, d, bias=False)

        def forward(self, x, mask):
            B, T, D = x.shape
            q, k, v = (
                self.qkv(self.n1(x))
                .view(B, T, 3, self.h, D // self.h)
                .permute(2, 0, 3, 1, 4)
                .unbind(0)
            )
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            x = x + self.proj(y.transpose(1, 2).reshape(B, T, D))
            return x + self.down(F.silu(self.up(self.n2(x))))

    class PackedLM(nn.Module):
        EOS = 1

        def __init__(self, vocab=48, d=32):
            super().__init__()
            self.emb = nn.Embedding(vocab, d)
            self.blocks = nn.ModuleList([PackedBlock(d, 4) for _ in range(2)])
            self.out = nn.Linear(d, vocab, bias=False)

        def forward(self, tokens):
            eos = tokens.eq(self.EOS)
            doc = eos.cumsum(1) - eos.long()  # the EOS ends its own document
            same = doc[:, :, None] == doc[:, None, :]
            i = torch.arange(tokens.shape[1])
            causal = i[:, None] >= i[None, :]
            mask = (same | causal) if wrong else (same & causal)
            x = self.emb(tokens)
            for b in self.blocks:
                x = b(x, mask.unsqueeze(1))
            return self.out(x)

    bs = []
    for ends in ([[4, 11], [7, 15]], [[3, 9, 13], [6, 10, 17]]):
        t = torch.randint(2, 48, (2, 20))
        for r, e in enumerate(ends):
            t[r, e] = 1
        bs.append(t)
    return PackedLM(), bs
