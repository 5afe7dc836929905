import math, torch
from torch import nn
from torch.nn import functional as F


class _GemmaAttn(nn.Module):
    def __init__(self, d, n_heads, n_kv, head_dim, cap, scalar, wrong):
        super().__init__()
        self.n_heads, self.n_kv, self.head_dim, self.cap, self.wrong = (
            n_heads,
            n_kv,
            head_dim,
            cap,
            wrong,
        )
        self.scaling = scalar**-0.5
        self.qkv_proj = nn.Linear(d, (n_heads + 2 * n_kv) * head_dim, bias=False)
        self.o_proj = nn.Linear(n_heads * head_dim, d, bias=False)

    def forward(self, x, mask):
        B, T, _ = x.shape
        q, k, v = self.qkv_proj(x).split(
            [self.n_heads * self.head_dim, self.n_kv * self.head_dim, self.n_kv * self.head_dim], -1
        )
        q = q.view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        k = (
            k.view(B, T, self.n_kv, self.head_dim)
            .repeat_interleave(self.n_heads // self.n_kv, 2)
            .transpose(1, 2)
        )
        v = (
            v.view(B, T, self.n_kv, self.head_dim)
            .repeat_interleave(self.n_heads // self.n_kv, 2)
            .transpose(1, 2)
        )
        s = torch.matmul(q, k.transpose(2, 3))
        if self.wrong:
            s = torch.tanh(s / self.cap) * self.cap
            s = s * self.scaling
        else:
            s = s * self.scaling
            s = torch.tanh(s / self.cap) * self.cap
        s = s + mask
        p = F.softmax(s.float(), dim=-1).type_as(q)
        return self.o_proj(torch.matmul(p, v).transpose(1, 2).reshape(B, T, -1))


class _Gemma(nn.Module):
    def __init__(self, wrong, d=64):
        super().__init__()
        self.d = d
        self.embed = nn.Embedding(60, d)
        self.layers = nn.ModuleList([_GemmaAttn(d, 4, 2, 16, 2.0, 16, wrong) for _ in range(2)])
        self.norms = nn.ModuleList([nn.RMSNorm(d) for _ in range(2)])
        self.post = nn.ModuleList([nn.RMSNorm(d) for _ in range(2)])

    def forward(self, ids):
        x = self.embed(ids) * self.d**0.5
        mask = torch.full((1, 1, ids.size(1), ids.size(1)), -2.3819763e38).triu(1)
        for a, n, p in zip(self.layers, self.norms, self.post):
            x = x + p(a(n(x), mask))
        return x @ self.embed.weight.T


def softcap_before_scaling(wrong=True):
    """scale | The logit cap of 2 is put on the raw q.k and the scale comes after it. Right twin: first scaled, then capped."""
    return _Gemma(wrong), [torch.randint(0, 60, (2, 13)) for _ in range(2)]


class _LeViTAttn(nn.Module):
    """keys of key_dim, values attn_ratio times as wide, subsampled queries, bias per offset"""

    def __init__(self, dim, key_dim, heads, ratio, res, wrong):
        super().__init__()
        self.heads, self.key_dim, self.vd = heads, key_dim, int(ratio * key_dim)
        self.scale = self.vd**-0.5 if wrong else key_dim**-0.5
        self.kv = nn.Conv2d(dim, heads * (key_dim + self.vd), 1)
        self.q = nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(dim, heads * key_dim, 1))
        self.proj = nn.Sequential(nn.Hardswish(), nn.Conv2d(heads * self.vd, dim, 1))
        pts = [(i, j) for i in range(res) for j in range(res)]
        off, idx = {}, []
        for a in [(i, j) for i in range(0, res, 2) for j in range(0, res, 2)]:
            for b in pts:
                idx.append(off.setdefault((abs(a[0] - b[0]), abs(a[1] - b[1])), len(off)))
        self.attention_biases = nn.Parameter(torch.zeros(heads, len(off)))
        self.register_buffer("idxs", torch.tensor(idx).view(-1, len(pts)))

    def forward(self, x):
        B, C, H, W = x.shape
        k, v = (
            self.kv(x).flatten(2).view(B, self.heads, -1, H * W).split([self.key_dim, self.vd], 2)
        )
        q = self.q(x).flatten(2).view(B, self.heads, self.key_dim, -1)
        attn = q.transpose(-2, -1) @ k * self.scale + self.attention_biases[:, self.idxs]
        attn = attn.softmax(dim=-1)
        o = (v @ attn.transpose(-2, -1)).reshape(B, self.heads * self.vd, H // 2, W // 2)
        return self.proj(o)


def levit_scale_of_value_width(wrong=True):
    """scale | Values are 4 times as wide as keys and the scale is the root of the value width. Right twin: key_dim**-0.5."""
    m = nn.Sequential(
        nn.Conv2d(3, 32, 3, 2, 1),
        nn.Hardswish(),
        _LeViTAttn(32, 8, 4, 4, 6, wrong),
        nn.Flatten(),
        nn.Linear(32 * 9, 7),
    )
    return m, [torch.randn(2, 3, 12, 12) for _ in range(2)]


class _Seq2Seq(nn.Module):
    def __init__(self, wrong, d=32, V=40):
        super().__init__()
        self.wrong = wrong
        self.src_emb = nn.Embedding(V, d, padding_idx=0)
        self.tgt_emb = nn.Embedding(V, d, padding_idx=0)
        self.pos = nn.Parameter(torch.randn(20, d) * 0.1)
        self.transformer = nn.Transformer(d, 4, 1, 2, 64, dropout=0.0, batch_first=True)
        self.generator = nn.Linear(d, V)

    def forward(self, src, tgt):
        src_pad, tgt_pad = src == 0, tgt == 0
        causal = torch.triu(torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool), 1)
        o = self.transformer(
            self.src_emb(src) + self.pos[: src.size(1)],
            self.tgt_emb(tgt) + self.pos[: tgt.size(1)],
            tgt_mask=causal,
            src_key_padding_mask=src_pad,
            tgt_key_padding_mask=tgt_pad,
            memory_key_padding_mask=tgt_pad if self.wrong else src_pad,
        )
        return self.generator(o)


def memory_padding_mask_from_target(wrong=True):
    """mask | The cross-attention gets the target's padding mask for the memory; both are padded to the same length. Right twin: the source's padding mask."""

    def pad(lens, T=12):
        x = torch.randint(1, 40, (len(lens), T))
        for r, n in zip(x, lens):
            r[n:] = 0
        return x

    return _Seq2Seq(wrong), [(pad((12, 7, 5)), pad((6, 12, 9))), (pad((4, 12, 8)), pad((12, 9, 5)))]


class _Head(nn.Module):
    """one head of self-attention, as in the lecture"""

    def __init__(self, n_embd, head_size, block_size, wrong):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.wrong = wrong

    def forward(self, x):
        B, T, C = x.shape
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        if self.wrong:
            wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        else:
            wei.masked_fill_(self.tril[:T, :T] == 0, float("-inf"))
        return F.softmax(wei, dim=-1) @ v


class _Lecture(nn.Module):
    def __init__(self, wrong, V=30, n=32, block=16):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, n), nn.Embedding(block, n)
        self.heads = nn.ModuleList([_Head(n, n // 4, block, wrong) for _ in range(4)])
        self.proj, self.ln, self.lm_head = nn.Linear(n, n), nn.LayerNorm(n), nn.Linear(n, V)

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos(torch.arange(idx.size(1)))
        y = self.ln(x)
        x = x + self.proj(torch.cat([h(y) for h in self.heads], dim=-1))
        logits = self.lm_head(x)
        if targets is None:
            return logits
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def masked_fill_result_thrown_away(wrong=True):
    """mask | wei.masked_fill(...) without underscore and without assignment: the causal mask has no effect. Right twin: masked_fill_."""

    def b():
        t = torch.randint(0, 30, (4, 17))
        return t[:, :-1], t[:, 1:]

    return _Lecture(wrong), [b(), b()]


class _ScriptAttn(nn.Module):
    def __init__(self, d: int, h: int):
        super().__init__()
        self.h = h
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)
        self.o = nn.Linear(d, d)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, T, D = x.shape
        q = self.q(x).view(B, T, self.h, D // self.h).transpose(1, 2)
        k = self.k(x).view(B, T, self.h, D // self.h).transpose(1, 2)
        v = self.v(x).view(B, T, self.h, D // self.h).transpose(1, 2)
        s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(D // self.h)
        y = torch.matmul(torch.softmax(s, dim=-1), v)
        return self.o(y.transpose(1, 2).reshape(B, T, D))


class _AudioTagger(nn.Module):
    def __init__(self, scripted, d=40):
        super().__init__()
        self.front = nn.Conv1d(16, d, 5, 2, 2)
        self.local = _ScriptAttn(d, 4)
        att = _ScriptAttn(d, 4)
        self.fast = torch.jit.script(att) if scripted else att
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.out = nn.Linear(d, 9)

    def forward(self, mel):
        x = self.front(mel).relu().transpose(1, 2)
        x = x + self.local(self.n1(x))
        x = x + self.fast(self.n2(x))
        return self.out(x.amax(1))


def scripted_layer_beside_ordinary(wrong=True):
    """unknown | The second of two attention layers is a torch.jit.script'ed module whose softmax cannot be watched. Right twin: the same layer not scripted."""
    return _AudioTagger(wrong), [torch.randn(2, 16, 36) for _ in range(2)]
