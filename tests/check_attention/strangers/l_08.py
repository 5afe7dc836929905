import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- chat model, left padding
class LeftPadLM(nn.Module):
    def __init__(self, wrong, vocab=90, d=32, h=4):
        super().__init__()
        self.h = h
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Embedding(40, d)
        self.ln = nn.LayerNorm(d)
        self.q, self.k, self.v, self.o = (
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
        )
        self.head = nn.Linear(d, vocab)
        self.wrong = wrong

    def forward(self, ids, attention_mask):
        B, T = ids.shape
        p = (attention_mask.cumsum(1) - 1).clamp(min=0)
        x = self.tok(ids) + self.pos(p)
        y = self.ln(x)
        q, k, v = (f(y).view(B, T, self.h, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        causal = torch.ones(T, T, dtype=torch.bool).tril()
        if self.wrong:
            lens = attention_mask.sum(1)
            keep = torch.arange(T)[None] < lens[:, None]
        else:
            keep = attention_mask.bool()
        m = causal[None, None] & keep[:, None, None, :]
        bias = torch.zeros(B, 1, T, T).masked_fill(~m, torch.finfo(x.dtype).min)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + self.o(y.transpose(1, 2).reshape(B, T, -1))
        return self.head(x)


def left_padded_lm_mask_from_lengths(wrong=True):
    """mask | The batch is padded on the left, the mask is made from lengths as if on the right. Right twin: the batch's attention_mask."""

    def b(lens, T):
        m = (torch.arange(T)[None] >= T - torch.tensor(lens)[:, None]).long()
        return {"input_ids": torch.randint(1, 90, (len(lens), T)) * m, "attention_mask": m}

    fw = lambda model, x: model(x["input_ids"], x["attention_mask"])
    return LeftPadLM(wrong), [b([12, 7, 9], 12), b([6, 10], 11)], fw


# ---------------------------------------------------------------- Swin, window mask
def _windows(x, w):
    B, H, W, C = x.shape
    return x.view(B, H // w, w, W // w, w, C).permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, C)


def _unwindows(x, w, H, W):
    B = x.shape[0] // ((H // w) * (W // w))
    return x.view(B, H // w, W // w, w, w, -1).permute(0, 1, 3, 2, 4, 5).reshape(B, H, W, -1)


class ShiftedWindowAttention(nn.Module):
    def __init__(self, dim, heads, w, wrong):
        super().__init__()
        self.heads, self.w, self.shift = heads, w, w // 2
        self.scale = (dim // heads) ** -0.5
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.wrong = wrong

    def mask(self, H, W):
        img = torch.zeros(1, H, W, 1)
        c = 0
        sl = (slice(0, -self.w), slice(-self.w, -self.shift), slice(-self.shift, None))
        for h in sl:
            for w in sl:
                img[:, h, w] = c
                c += 1
        m = _windows(img, self.w).squeeze(-1)
        d = m.unsqueeze(1) - m.unsqueeze(2)
        return torch.zeros_like(d).masked_fill(d != 0, -100.0)

    def forward(self, x):
        B, H, W, C = x.shape
        xs = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        xw = _windows(xs, self.w)
        Bn, N, _ = xw.shape
        q, k, v = self.qkv(xw).reshape(Bn, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        m = self.mask(H, W)
        nW = m.shape[0]
        if self.wrong:
            attn = attn.view(nW, Bn // nW, self.heads, N, N) + m.unsqueeze(1).unsqueeze(2)
        else:
            attn = attn.view(Bn // nW, nW, self.heads, N, N) + m.unsqueeze(1).unsqueeze(0)
        attn = attn.view(-1, self.heads, N, N).softmax(-1)
        y = self.proj((attn @ v).transpose(1, 2).reshape(Bn, N, C))
        return torch.roll(_unwindows(y, self.w, H, W), (self.shift, self.shift), (1, 2))


class SwinSeg(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 2, 2)
        self.n = nn.LayerNorm(d)
        self.a = ShiftedWindowAttention(d, 4, 4, wrong)
        self.out = nn.Linear(d, 5)

    def forward(self, img):
        x = self.patch(img).permute(0, 2, 3, 1)
        x = x + self.a(self.n(x))
        return self.out(x).permute(0, 3, 1, 2)


def swin_window_mask_of_other_window(wrong=True):
    """mask | (B*nW) is viewed as (nW, B), windows get the mask of other windows. Right twin: (B, nW)."""
    return SwinSeg(wrong), [torch.randn(2, 3, 16, 16), torch.randn(3, 3, 16, 24)]


# ---------------------------------------------------------------- code completion, decode with is_causal
class KVAttention(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.wrong = wrong

    def forward(self, x, cache):
        B, T, D = x.shape
        q, k, v = (
            f(x).view(B, T, self.h, D // self.h).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        if "k" in cache:
            k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
        cache["k"], cache["v"] = k, v
        causal = True if self.wrong else T > 1
        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return self.o(y.transpose(1, 2).reshape(B, T, D))


class CodeCompleter(nn.Module):
    def __init__(self, wrong, vocab=70, d=32, n=2):
        super().__init__()
        self.e, self.p = nn.Embedding(vocab, d), nn.Embedding(40, d)
        self.att = nn.ModuleList([KVAttention(d, 4, wrong) for _ in range(n)])
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(n)])
        self.out = nn.Linear(d, vocab)

    def step(self, ids, start, caches):
        x = self.e(ids) + self.p(torch.arange(start, start + ids.size(1)))
        for a, n, c in zip(self.att, self.ln, caches):
            x = x + a(n(x), c)
        return self.out(x)

    @torch.no_grad()
    def forward(self, prompt, new_tokens=4):
        caches = [{} for _ in self.att]
        logits = [self.step(prompt, 0, caches)]
        for i in range(new_tokens):
            nxt = logits[-1][:, -1:].argmax(-1)
            logits.append(self.step(nxt, prompt.size(1) + i, caches))
        return torch.cat(logits, 1)


def code_completer_is_causal_with_one_query(wrong=True):
    """mask | SDPA with is_causal=True for one new token and a long cache sees the first key only. Right twin: is_causal only for the prompt."""
    return CodeCompleter(wrong).eval(), [torch.randint(0, 70, (2, 9)), torch.randint(0, 70, (3, 6))]


# ---------------------------------------------------------------- symbolic music, relative positions
class RelativeSelfAttention(nn.Module):
    """Shaw: scores = q k^T + q r^T"""

    def __init__(self, wrong, d=32, h=4, max_rel=16):
        super().__init__()
        self.h, self.dk, self.max_rel = h, d // h, max_rel
        self.q, self.k, self.v, self.o = (
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
        )
        self.rel = nn.Embedding(2 * max_rel + 1, d // h)
        self.wrong = wrong

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = (
            f(x).view(B, T, self.h, self.dk).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        i = torch.arange(T)
        r = self.rel((i[None] - i[:, None]).clamp(-self.max_rel, self.max_rel) + self.max_rel)
        content = torch.matmul(q, k.transpose(-1, -2))
        position = torch.einsum("bhid,ijd->bhij", q, r)
        if self.wrong:
            s = content / math.sqrt(self.dk) + position
        else:
            s = (content + position) / math.sqrt(self.dk)
        s = s.masked_fill(i[None] > i[:, None], float("-inf"))
        y = torch.matmul(F.softmax(s, -1), v)
        return self.o(y.transpose(1, 2).reshape(B, T, D))


class MelodyModel(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.e = nn.Embedding(60, 32)
        self.n = nn.LayerNorm(32)
        self.a = RelativeSelfAttention(wrong)
        self.out = nn.Linear(32, 60)

    def forward(self, notes):
        x = self.e(notes)
        return self.out(x + self.a(self.n(x)))


def melody_relative_term_not_scaled(wrong=True):
    """scale | q·r is added after the division of q·k by sqrt(dk). Right twin: the sum is divided (Shaw et al.)."""
    return MelodyModel(wrong), [torch.randint(0, 60, (2, 20)), torch.randint(0, 60, (3, 14))]


# ---------------------------------------------------------------- protein-ligand cross attention: summed over other axis
class PocketLigand(nn.Module):
    def __init__(self, wrong, d=32, h=4):
        super().__init__()
        self.h = h
        self.res, self.atom = nn.Embedding(21, d), nn.Embedding(12, d)
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.aff = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 1))
        self.wrong = wrong

    def forward(self, residues, atoms):
        r, a = self.res(residues), self.atom(atoms)
        sp = lambda t: t.unflatten(-1, (self.h, -1))
        q, k, v = sp(self.q(a)), sp(self.k(r)), sp(self.v(r))
        w = torch.einsum("bahd,brhd->bhar", q, k).div(q.size(-1) ** 0.5)
        w = w.softmax(-2) if self.wrong else w.softmax(-1)
        y = torch.einsum("bhar,brhd->bahd", w, v).flatten(2)
        return self.aff(a + y).mean((1, 2))


def pocket_ligand_softmax_over_atoms(wrong=True):
    """axis | Softmax over the ligand's atoms (queries), the sum over the residues. Right twin: over the residues."""
    return PocketLigand(wrong), [
        (torch.randint(0, 21, (2, 18)), torch.randint(0, 12, (2, 9))),
        (torch.randint(0, 21, (3, 14)), torch.randint(0, 12, (3, 7))),
    ]
