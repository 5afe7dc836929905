import math, torch
from torch import nn
from torch.nn import functional as F


class _SinkAttention(nn.Module):
    """sliding window with a learned sink logit for each head, as in gpt-oss"""

    def __init__(self, dim, heads, window, wrong):
        super().__init__()
        self.heads, self.window, self.head_dim = heads, window, dim // heads
        self.sinks = nn.Parameter(torch.zeros(heads))
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.sm_scale = 1 / math.sqrt(self.head_dim)
        self.first_hidden = 2 if wrong else 1

    def forward(self, x):
        B, n, C = x.shape
        Q, K, V = self.qkv(x).view(B, n, 3, self.heads, self.head_dim).unbind(2)
        mask = torch.triu(Q.new_full((n, n), -float("inf")), diagonal=self.first_hidden)
        if self.window > 0:
            mask += torch.tril(mask.new_full((n, n), -float("inf")), diagonal=-self.window)
        QK = torch.einsum("bqhd,bkhd->bhqk", Q, K)
        QK *= self.sm_scale
        QK += mask[None, None]
        S = self.sinks.view(1, -1, 1, 1).expand(B, -1, n, 1)
        W = torch.softmax(torch.cat([QK, S], dim=-1), dim=-1)
        W = W[..., :-1]
        return self.out(torch.einsum("bhqk,bkhd->bqhd", W, V).reshape(B, n, C))


class _SinkLM(nn.Module):
    def __init__(self, wrong, dim=40):
        super().__init__()
        self.emb = nn.Embedding(50, dim)
        self.pos = nn.Embedding(32, dim)
        self.norm = nn.ModuleList([nn.RMSNorm(dim) for _ in range(2)])
        self.attn = nn.ModuleList([_SinkAttention(dim, 4, w, wrong) for w in (5, 0)])
        self.unembed = nn.Linear(dim, 50, bias=False)

    def forward(self, tokens, labels=None):
        x = self.emb(tokens) + self.pos.weight[: tokens.size(1)]
        for n, a in zip(self.norm, self.attn):
            x = x + a(n(x))
        logits = self.unembed(x)
        if labels is None:
            return logits
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten()), logits


def _next_token(b, t):
    i = torch.randint(0, 50, (b, t + 1))
    return dict(tokens=i[:, :-1], labels=i[:, 1:])


def sink_window_sees_the_next_token(wrong=True):
    """mask | triu(diagonal=2): with sink and sliding window, each token sees the one that it has to predict. Right twin: diagonal=1, sink's column dropped after softmax."""
    return _SinkLM(wrong), [_next_token(2, 16), _next_token(3, 11)]


class _KeysFirst(nn.Module):
    """frames stay in (batch, time, heads, dim); scores are (batch, key, query, head)"""

    def __init__(self, d, h, wrong):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.axis = 2 if wrong else 1

    def forward(self, x, y):
        q, k, v = (
            self.q(x).unflatten(-1, (self.h, -1)),
            self.k(y).unflatten(-1, (self.h, -1)),
            self.v(y).unflatten(-1, (self.h, -1)),
        )
        e = (k[:, :, None] * q[:, None]).sum(-1) / math.sqrt(q.size(-1))  # b key query h
        a = e.softmax(self.axis)
        out = (a[..., None] * v[:, :, None]).sum(1)  # b query h d
        return self.o(out.flatten(2))


class _AudioVisual(nn.Module):
    def __init__(self, wrong, d=24):
        super().__init__()
        self.a, self.v = nn.Linear(13, d), nn.Linear(20, d)
        self.self_a = _KeysFirst(d, 3, wrong)
        self.a2v = _KeysFirst(d, 3, wrong)
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.out = nn.Linear(d, 6)

    def forward(self, audio, video):
        a, v = self.a(audio), self.v(video)
        a = self.ln1(a + self.self_a(a, a))
        v = self.ln2(v + self.a2v(v, a))
        return self.out(v)


def audiovisual_softmax_over_queries(wrong=True):
    """axis | Scores are (batch, key, query, head); softmax is over the queries, the sum over the keys. Right twin: softmax over dim 1, the keys."""
    return _AudioVisual(wrong), [
        (torch.randn(2, 22, 13), torch.randn(2, 9, 20)),
        (torch.randn(3, 16, 13), torch.randn(3, 7, 20)),
    ]


class _AttnCore(nn.Module):
    def __init__(self, d_head: int):
        super().__init__()
        self.scale: float = d_head**-0.5

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        a = torch.matmul(q, k.transpose(-2, -1)) * self.scale
        return torch.matmul(torch.softmax(a, dim=-1), v)


class _RnaBlock(nn.Module):
    def __init__(self, d, h, core):
        super().__init__()
        self.h = h
        self.norm = nn.LayerNorm(d)
        self.to_q, self.to_k, self.to_v, self.to_out = (
            nn.Linear(d, d, bias=False) for _ in range(4)
        )
        self.core = core
        self.ff = nn.Sequential(
            nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d)
        )

    def forward(self, x):
        b, n, d = x.shape
        y = self.norm(x)
        q, k, v = [
            f(y).view(b, n, self.h, d // self.h).transpose(1, 2)
            for f in (self.to_q, self.to_k, self.to_v)
        ]
        x = x + self.to_out(self.core(q, k, v).transpose(1, 2).reshape(b, n, d))
        return x + self.ff(x)


class _Rna(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.emb = nn.Embedding(5, d)
        self.pos = nn.Embedding(40, d)
        fast = torch.jit.script(_AttnCore(d // 4)) if wrong else _AttnCore(d // 4)
        self.blocks = nn.ModuleList([_RnaBlock(d, 4, _AttnCore(d // 4)), _RnaBlock(d, 4, fast)])
        self.out = nn.Linear(d, 2)

    def forward(self, seq):
        x = self.emb(seq) + self.pos(torch.arange(seq.size(1)))
        for b in self.blocks:
            x = b(x)
        return self.out(x)


def rna_scripted_attention_core(wrong=True):
    """unknown | The second block's attention core is torch.jit.script'ed. Right twin: the same core, not scripted."""
    return _Rna(wrong), [torch.randint(0, 5, (2, 30)), torch.randint(0, 5, (3, 18))]


class _PixelAttention(nn.Module):
    def __init__(self, c, heads, linear):
        super().__init__()
        self.heads, self.linear = heads, linear
        self.norm = nn.GroupNorm(1, c)
        self.to_qkv = nn.Conv2d(c, 3 * c, 1, bias=False)
        self.to_out = nn.Conv2d(c, c, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = (
            t.reshape(b, self.heads, c // self.heads, h * w)
            for t in self.to_qkv(self.norm(x)).chunk(3, 1)
        )
        if self.linear:
            q, k = F.elu(q) + 1, F.elu(k) + 1
            context = torch.einsum("bhdn,bhen->bhde", k, v)
            z = 1 / torch.einsum("bhdn,bhd->bhn", q, k.sum(-1))
            out = torch.einsum("bhde,bhdn,bhn->bhen", context, q, z)
        else:
            sim = torch.einsum("bhdi,bhdj->bhij", q * (c // self.heads) ** -0.5, k)
            out = torch.einsum("bhij,bhej->bhei", sim.softmax(-1), v)
        return x + self.to_out(out.reshape(b, c, h, w))


def unet_linear_attention_at_full_resolution(wrong=True):
    """unknown | The high resolution uses linear attention (elu + 1), the middle softmax. Right twin: softmax in both."""
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.SiLU(),
        _PixelAttention(16, 2, wrong),
        nn.Conv2d(16, 32, 4, 2, 1),
        nn.SiLU(),
        _PixelAttention(32, 4, False),
        nn.ConvTranspose2d(32, 3, 4, 2, 1),
    )
    return model, [torch.randn(2, 3, 6, 6), torch.randn(2, 3, 4, 8)]
