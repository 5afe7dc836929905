import math, torch
from torch import nn
from torch.nn import functional as F


def decode_step_forgets_scale(wrong=True):
    """scale | Prefill goes through SDPA, the one-token step with the cache computes softmax(q k^T) without 1/sqrt(d). Right twin: the step scales too."""

    class Attn(nn.Module):
        def __init__(self, dim, n_heads):
            super().__init__()
            self.n_heads, self.hd = n_heads, dim // n_heads
            self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(4))

        def forward(self, x, cache):
            B, T, _ = x.shape
            q, k, v = (
                w(x).view(B, T, self.n_heads, self.hd).transpose(1, 2)
                for w in (self.wq, self.wk, self.wv)
            )
            if cache.get("k") is None:
                cache["k"], cache["v"] = k, v
                o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            else:
                assert T == 1
                cache["k"] = k = torch.cat([cache["k"], k], 2)
                cache["v"] = v = torch.cat([cache["v"], v], 2)
                s = q @ k.mT
                if not wrong:
                    s = s / math.sqrt(self.hd)
                o = s.float().softmax(-1).type_as(v) @ v
            return self.wo(o.transpose(1, 2).reshape(B, T, -1))

    class LM(nn.Module):
        def __init__(self, vocab=40, dim=64, n_heads=4, n_layers=2, max_len=32):
            super().__init__()
            self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(max_len, dim)
            self.attn = nn.ModuleList(Attn(dim, n_heads) for _ in range(n_layers))
            self.norm = nn.ModuleList(nn.LayerNorm(dim) for _ in range(n_layers))
            self.head = nn.Linear(dim, vocab)

        def step(self, ids, start, caches):
            x = self.tok(ids) + self.pos(torch.arange(start, start + ids.shape[1]))
            for a, n, c in zip(self.attn, self.norm, caches):
                x = x + a(n(x), c)
            return self.head(x)

        def forward(self, ids, n_prompt=8):
            caches = [{} for _ in self.attn]
            logits = [self.step(ids[:, :n_prompt], 0, caches)]
            for t in range(n_prompt, ids.shape[1]):
                logits.append(self.step(ids[:, t : t + 1], t, caches))
            return torch.cat(logits, 1)

    return LM(), [torch.randint(0, 40, (2, 12)), torch.randint(0, 40, (3, 11))]


def lengths_one_too_many(wrong=True):
    """mask | Positions <= length count as valid, so the first padding token of each row is attended to. Right twin: < length."""

    class Tagger(nn.Module):
        def __init__(self, vocab=60, d=40, heads=5):
            super().__init__()
            self.embed = nn.Embedding(vocab, d)
            self.place = nn.Parameter(torch.randn(30, d) * 0.1)
            self.heads = heads
            self.in_proj = nn.Linear(d, 3 * d)
            self.out_proj = nn.Linear(d, d)
            self.norm = nn.LayerNorm(d)
            self.tags = nn.Linear(d, 7)

        def forward(self, batch):
            ids, lengths = batch["ids"], batch["lengths"]
            B, L = ids.shape
            pos = torch.arange(L, device=ids.device)
            keep = pos[None] <= lengths[:, None] if wrong else pos[None] < lengths[:, None]
            x = self.embed(ids) + self.place[:L]
            q, k, v = self.in_proj(x).view(B, L, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=keep[:, None, None, :])
            x = self.norm(x + self.out_proj(y.transpose(1, 2).reshape(B, L, -1)))
            return self.tags(x)

    batches = []
    for lens in ([4, 10, 7], [9, 6]):
        lengths = torch.tensor(lens)
        ids = torch.randint(1, 60, (len(lens), max(lens)))
        ids[torch.arange(max(lens))[None] >= lengths[:, None]] = 0
        batches.append({"ids": ids, "lengths": lengths})
    return Tagger(), batches, lambda m, b: m(b)


def gqa_values_tiled_keys_interleaved(wrong=True):
    """heads | Key heads are repeated with repeat_interleave, value heads with repeat: query head h reads keys of one group and values of another. Right twin: both repeat_interleave."""

    def rope(x, base=10000.0):
        d = x.shape[-1]
        inv = base ** (-torch.arange(0, d, 2).float() / d)
        ang = torch.outer(torch.arange(x.shape[-2]).float(), inv)
        cos, sin = torch.cat([ang.cos()] * 2, -1), torch.cat([ang.sin()] * 2, -1)
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    class GQA(nn.Module):
        def __init__(self, dim=64, n_q=8, n_kv=2):
            super().__init__()
            self.n_q, self.n_kv, self.hd = n_q, n_kv, dim // n_q
            self.q_proj = nn.Linear(dim, n_q * self.hd, bias=False)
            self.k_proj = nn.Linear(dim, n_kv * self.hd, bias=False)
            self.v_proj = nn.Linear(dim, n_kv * self.hd, bias=False)
            self.o_proj = nn.Linear(dim, dim, bias=False)

        def forward(self, x):
            b, t, _ = x.shape
            q = rope(self.q_proj(x).view(b, t, self.n_q, self.hd).transpose(1, 2))
            k = rope(self.k_proj(x).view(b, t, self.n_kv, self.hd).transpose(1, 2))
            v = self.v_proj(x).view(b, t, self.n_kv, self.hd).transpose(1, 2)
            g = self.n_q // self.n_kv
            k = k.repeat_interleave(g, dim=1)
            v = v.repeat(1, g, 1, 1) if wrong else v.repeat_interleave(g, dim=1)
            w = q @ k.transpose(2, 3) / math.sqrt(self.hd)
            w = w + torch.full((t, t), float("-inf")).triu(1)
            o = w.softmax(-1) @ v
            return self.o_proj(o.transpose(1, 2).reshape(b, t, -1))

    class Llama(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(30, 64)
            self.n = nn.ModuleList(nn.RMSNorm(64) for _ in range(2))
            self.a = nn.ModuleList(GQA() for _ in range(2))

        def forward(self, ids):
            x = self.emb(ids)
            for n, a in zip(self.n, self.a):
                x = x + a(n(x))
            return x @ self.emb.weight.t()

    return Llama(), [torch.randint(0, 30, (2, 16)), torch.randint(0, 30, (2, 10))]


def einsum_sums_over_queries(wrong=True):
    """axis | Weights are normalised over j (keys) but the einsum with v sums over i, the queries. Right twin: sums over j."""

    class Mixer(nn.Module):
        def __init__(self, dim=36, h=6):
            super().__init__()
            self.h = h
            self.qkv = nn.Parameter(torch.randn(3, h, dim, dim // h) / dim**0.5)
            self.o = nn.Parameter(torch.randn(h, dim // h, dim) / dim**0.5)

        def forward(self, x):
            q, k, v = torch.einsum("bnc,thcd->tbhnd", x, self.qkv)
            a = torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k) / q.size(-1) ** 0.5, dim=3)
            y = (
                torch.einsum("bhij,bhid->bhjd", a, v)
                if wrong
                else torch.einsum("bhij,bhjd->bhid", a, v)
            )
            return torch.einsum("bhnd,hdc->bnc", y, self.o)

    class Audio(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(8, 36, 3, stride=2, padding=1)
            self.mix = Mixer()
            self.fc = nn.Linear(36, 4)

        def forward(self, mel):
            x = F.gelu(self.conv(mel)).mT
            x = x + self.mix(x)
            return self.fc(x.mean(1))

    return Audio(), [torch.randn(2, 8, 40), torch.randn(3, 8, 28)]


def latent_attention_root_of_nope_only(wrong=True):
    """scale | MLA: q and k in one head have nope + rope features, but the scale is 1/sqrt(nope). Right twin: 1/sqrt(nope + rope)."""

    def rot(x):
        d = x.shape[-1]
        f = torch.arange(x.shape[1])[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
        c, s = f.cos()[None, :, None], f.sin()[None, :, None]
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)

    class MLA(nn.Module):
        def __init__(self, dim=64, heads=4, nope=16, rope=16, vdim=16, rank=24):
            super().__init__()
            self.h, self.nope, self.rope, self.vdim = heads, nope, rope, vdim
            self.wq = nn.Linear(dim, heads * (nope + rope), bias=False)
            self.kv_down = nn.Linear(dim, rank + rope, bias=False)
            self.kv_norm = nn.RMSNorm(rank)
            self.kv_up = nn.Linear(rank, heads * (nope + vdim), bias=False)
            self.wo = nn.Linear(heads * vdim, dim, bias=False)

        def forward(self, x, mask):
            b, t, _ = x.shape
            q_nope, q_pe = self.wq(x).view(b, t, self.h, -1).split([self.nope, self.rope], -1)
            c, k_pe = self.kv_down(x).split([self.kv_norm.weight.numel(), self.rope], -1)
            k_nope, v = (
                self.kv_up(self.kv_norm(c)).view(b, t, self.h, -1).split([self.nope, self.vdim], -1)
            )
            q = torch.cat([q_nope, rot(q_pe)], -1)
            k = torch.cat([k_nope, rot(k_pe[:, :, None]).expand(-1, -1, self.h, -1)], -1)
            s = torch.einsum("bshd,bthd->bsht", q, k)
            s = s * (k_nope if wrong else k).shape[-1] ** -0.5
            p = (s + mask[:, None, :]).softmax(-1)
            return self.wo(torch.einsum("bsht,bthd->bshd", p, v).flatten(2))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.e = nn.Embedding(33, 64)
            self.n, self.a = nn.RMSNorm(64), MLA()
            self.out = nn.Linear(64, 33)

        def forward(self, ids):
            x = self.e(ids)
            mask = torch.full((ids.shape[1],) * 2, -torch.inf).triu(1)
            return self.out(x + self.a(self.n(x), mask))

    return Model(), [torch.randint(0, 33, (2, 14)), torch.randint(0, 33, (2, 20))]
