import math, torch
from torch import nn
from torch.nn import functional as F


class _TSAttn(nn.Module):
    def __init__(self, d_model, n_heads, wrong):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.n_heads, self.wrong = n_heads, wrong

    def forward(self, query, key, value):
        bs = query.size(0)
        Q = (
            self.W_q(query)
            .view(bs, -1, self.n_heads, query.size(-1) // self.n_heads)
            .transpose(1, 2)
        )
        K = self.W_k(key).view(bs, -1, self.n_heads, key.size(-1) // self.n_heads).transpose(1, 2)
        V = (
            self.W_v(value)
            .view(bs, -1, self.n_heads, value.size(-1) // self.n_heads)
            .transpose(1, 2)
        )
        K = K.transpose(-2, -1)
        d_k = K.size(-1) if self.wrong else K.size(-2)
        attn = torch.softmax(torch.matmul(Q, K) / math.sqrt(d_k), dim=-1)
        x = torch.matmul(attn, V).transpose(1, 2).contiguous().view(bs, -1, query.size(-1))
        return self.W_o(x)


class _Forecaster(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.embed = nn.Linear(3, d)
        self.pos = nn.Parameter(torch.randn(1, 30, d) * 0.1)
        self.attn = nn.ModuleList([_TSAttn(d, 4, wrong) for _ in range(2)])
        self.norm = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])
        self.head = nn.Linear(30 * d, 6)

    def forward(self, x):
        x = self.embed(x) + self.pos
        for a, n in zip(self.attn, self.norm):
            x = n(x + a(x, x, x))
        return self.head(x.flatten(1))


def dk_read_from_transposed_key(wrong=True):
    """scale | d_k = K.size(-1) is read after K was transposed, so the root of the length (30) is used. Right twin: K.size(-2), the head size 8."""
    return _Forecaster(wrong), [torch.randn(4, 30, 3) for _ in range(2)]


class _Decoder(nn.Module):
    """prompt through SDPA, then token by token by hand with a preallocated cache"""

    def __init__(self, wrong, V=40, d=48, h=3, maxlen=24):
        super().__init__()
        self.h, self.hd, self.maxlen, self.wrong = h, d // h, maxlen, wrong
        self.wte, self.wpe = nn.Embedding(V, d), nn.Embedding(maxlen, d)
        self.ln, self.c_attn, self.c_proj = nn.LayerNorm(d), nn.Linear(d, 3 * d), nn.Linear(d, d)

    def attend(self, x, ck, cv, start):
        B, T, D = x.shape
        q, k, v = self.c_attn(self.ln(x)).view(B, T, 3, self.h, self.hd).unbind(2)
        ck[:, start : start + T], cv[:, start : start + T] = k, v
        if T > 1:
            o = F.scaled_dot_product_attention(
                q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True
            ).transpose(1, 2)
        else:
            keys, vals = ck[:, : start + 1], cv[:, : start + 1]
            s = torch.einsum("bqhd,bkhd->bhqk", q, keys)
            if not self.wrong:
                s = s / self.hd**0.5
            o = torch.einsum("bhqk,bkhd->bqhd", s.softmax(-1), vals)
        return x + self.c_proj(o.reshape(B, T, D))

    def forward(self, prompt, rest):
        B = prompt.size(0)
        ck = torch.zeros(B, self.maxlen, self.h, self.hd)
        cv = torch.zeros_like(ck)
        P = prompt.size(1)
        outs = [self.attend(self.wte(prompt) + self.wpe.weight[:P], ck, cv, 0)]
        for i in range(rest.size(1)):
            outs.append(
                self.attend(self.wte(rest[:, i : i + 1]) + self.wpe.weight[P + i], ck, cv, P + i)
            )
        return torch.cat(outs, 1) @ self.wte.weight.T


def _gen(model, batch):
    with torch.no_grad():
        return model(*batch)


def decode_step_forgets_scale(wrong=True):
    """scale | The prompt goes through SDPA, the single-token steps by hand without 1/sqrt(d). Right twin: the step scales too."""
    return (
        _Decoder(wrong),
        [(torch.randint(0, 40, (2, 10)), torch.randint(0, 40, (2, 5))) for _ in range(2)],
        _gen,
    )


class _WinAttn(nn.Module):
    def __init__(self, dim, win, heads, shift, res, wrong):
        super().__init__()
        self.win, self.heads, self.shift, self.wrong = win, heads, shift, wrong
        self.scale = (dim // heads) ** -0.5
        self.qkv, self.proj = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)
        self.table = nn.Parameter(torch.randn((2 * win - 1) ** 2, heads) * 0.02)
        c = torch.stack(
            torch.meshgrid(torch.arange(win), torch.arange(win), indexing="ij")
        ).flatten(1)
        r = (c[:, :, None] - c[:, None]).permute(1, 2, 0) + win - 1
        self.register_buffer("index", r[..., 0] * (2 * win - 1) + r[..., 1])
        mask = None
        if shift:
            img = torch.zeros(1, res, res, 1)
            cnt = 0
            sl = (slice(0, -win), slice(-win, -shift), slice(-shift, None))
            for a in sl:
                for b in sl:
                    img[:, a, b] = cnt
                    cnt += 1
            w = self.part(img).squeeze(-1)
            d = w[:, None] - w[:, :, None]
            mask = torch.zeros_like(d).masked_fill(d != 0, -100.0)
        self.register_buffer("mask", mask)

    def part(self, x):
        B, H, W, C = x.shape
        w = self.win
        return x.view(B, H // w, w, W // w, w, C).permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, C)

    def forward(self, x):
        B, H, W, C = x.shape
        y = torch.roll(x, (-self.shift, -self.shift), (1, 2)) if self.shift else x
        y = self.part(y)
        N = y.size(1)
        q, k, v = self.qkv(y).reshape(-1, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        a = (q * self.scale) @ k.transpose(-2, -1)
        a = a + self.table[self.index.view(-1)].view(N, N, -1).permute(2, 0, 1)
        if self.mask is not None:
            m = self.mask.repeat_interleave(B, 0) if self.wrong else self.mask.repeat(B, 1, 1)
            a = a + m.unsqueeze(1)
        y = self.proj((a.softmax(-1) @ v).transpose(1, 2).reshape(-1, N, C))
        w = self.win
        y = y.view(B, H // w, W // w, w, w, C).permute(0, 1, 3, 2, 4, 5).reshape(B, H, W, C)
        if self.shift:
            y = torch.roll(y, (self.shift, self.shift), (1, 2))
        return x + y


def swin_mask_interleaved_over_batch(wrong=True):
    """mask | The shifted-window mask is repeat_interleaved over the batch though windows lie (image, window), so windows get masks of other windows. Right twin: mask.repeat(B,1,1)."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2d(3, 32, 2, 2)
            self.b1 = _WinAttn(32, 4, 4, 0, 8, wrong)
            self.b2 = _WinAttn(32, 4, 4, 2, 8, wrong)
            self.fc = nn.Linear(32, 5)

        def forward(self, x):
            x = self.stem(x).permute(0, 2, 3, 1)
            return self.fc(self.b2(self.b1(x)).mean((1, 2)))

    return Net(), [torch.randn(3, 3, 16, 16) for _ in range(2)]


class _Packed(nn.Module):
    def __init__(self, wrong, V=50, d=64, h=4, kv=2):
        super().__init__()
        self.h, self.kv, self.hd, self.wrong = h, kv, d // h, wrong
        self.emb, self.norm = nn.Embedding(V, d), nn.RMSNorm(d)
        self.wq = nn.Linear(d, d, bias=False)
        self.wk = nn.Linear(d, kv * self.hd, bias=False)
        self.wv = nn.Linear(d, kv * self.hd, bias=False)
        self.wo, self.lm = nn.Linear(d, d, bias=False), nn.Linear(d, V, bias=False)

    def doc_ids(self, position_ids):
        new = position_ids[:, 1:] <= position_ids[:, :-1]
        pad = (0, 1) if self.wrong else (1, 0)
        return F.pad(new.long(), pad).cumsum(-1)

    def rope(self, x, pos):
        f = pos[..., None] / 10000 ** (torch.arange(0, self.hd, 2) / self.hd)
        c, s = f.cos()[:, None], f.sin()[:, None]
        a, b = x.chunk(2, -1)
        return torch.cat([a * c - b * s, a * s + b * c], -1)

    def forward(self, input_ids, position_ids):
        B, T = input_ids.shape
        doc = self.doc_ids(position_ids)
        mask = (doc[:, :, None] == doc[:, None, :]) & torch.ones(T, T, dtype=torch.bool).tril()
        x = self.emb(input_ids)
        y = self.norm(x)
        q = self.rope(self.wq(y).view(B, T, self.h, -1).transpose(1, 2), position_ids)
        k = self.rope(self.wk(y).view(B, T, self.kv, -1).transpose(1, 2), position_ids)
        v = self.wv(y).view(B, T, self.kv, -1).transpose(1, 2)
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None], enable_gqa=True)
        return self.lm(x + self.wo(o.transpose(1, 2).reshape(B, T, -1)))


def packed_documents_border_one_early(wrong=True):
    """mask | Document numbers from position_ids are padded at the wrong end, so a document's last token counts as the next one's and leaks into it. Right twin: padded on the left."""

    def b():
        pos = torch.stack(
            [torch.cat([torch.arange(n) for n in ln]) for ln in ((7, 9, 8), (12, 5, 7))]
        )
        return {"input_ids": torch.randint(0, 50, (2, 24)), "position_ids": pos}

    return _Packed(wrong), [b(), b()]


class _PoolByQuery(nn.Module):
    """attention pooling with learned seeds (set transformer)"""

    def __init__(self, d, heads, seeds, wrong):
        super().__init__()
        self.heads, self.wrong = heads, wrong
        self.seed = nn.Parameter(torch.randn(1, seeds, d))
        self.to_q, self.to_kv, self.to_out = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)

    def split(self, t):
        B, N, D = t.shape
        if self.wrong:
            return t.reshape(B, self.heads, N, D // self.heads)
        return t.reshape(B, N, self.heads, D // self.heads).transpose(1, 2)

    def forward(self, x):
        k, v = self.to_kv(x).chunk(2, dim=-1)
        q = self.to_q(self.seed).expand(x.size(0), -1, -1)
        q = q.reshape(*q.shape[:2], self.heads, -1).transpose(1, 2)
        k, v = self.split(k), self.split(v)
        w = (q @ k.mT * k.size(-1) ** -0.5).softmax(-1)
        return self.to_out((w @ v).transpose(1, 2).flatten(2))


def pooling_keys_split_without_transpose(wrong=True):
    """heads | Keys and values of the pooling are reshaped straight to (B, heads, N, d), which mixes tokens and heads. Right twin: (B, N, heads, d) and transposed."""
    m = nn.Sequential(
        nn.Linear(6, 40), nn.GELU(), _PoolByQuery(40, 5, 2, wrong), nn.Flatten(), nn.Linear(80, 4)
    )
    return m, [torch.randn(3, 17, 6) for _ in range(2)]
