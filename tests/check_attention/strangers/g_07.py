import math, torch
from torch import nn
from torch.nn import functional as F


def half_mask_zero_times_minus_inf(wrong=True):
    """nan | Additive padding mask in fp16: (1 - mask) * tensor(-1e9) overflows to -inf and 0 * -inf is nan. Right twin: finfo(float16).min."""

    class HalfAttn(nn.Module):
        def __init__(self, dim=32, heads=4):
            super().__init__()
            self.heads = heads
            self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

        def forward(self, hidden_states, attention_mask):
            B, N, D = hidden_states.shape
            f = lambda t: t.view(B, N, self.heads, -1).transpose(1, 2)
            q, k, v = f(self.q(hidden_states)), f(self.k(hidden_states)), f(self.v(hidden_states))
            big = (
                torch.tensor(-1e9).to(q.dtype)
                if wrong
                else torch.tensor(torch.finfo(q.dtype).min, dtype=q.dtype)
            )
            ext = (1 - attention_mask[:, None, None, :].to(q.dtype)) * big
            s = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1]) + ext
            return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(B, N, D))

    def make(lens):
        m = (torch.arange(max(lens))[None] < torch.tensor(lens)[:, None]).long()
        return {
            "hidden_states": (torch.randn(*m.shape, 32) * m[..., None]).half(),
            "attention_mask": m,
        }

    return HalfAttn().half(), [make([10, 6]), make([7, 9, 4])]


def sub_alpha_loses_sign(wrong=True):
    """scale | torch.sub(bias, scores, alpha=1/sqrt(d)) makes bias - scores; torch.add was meant. Right twin: torch.add with the same alpha."""

    class BiasedBmm(nn.Module):
        def __init__(self, dim=40, heads=5, max_len=20):
            super().__init__()
            self.heads, self.max_len = heads, max_len
            self.rel = nn.Embedding(2 * max_len - 1, heads)
            self.in_w = nn.Parameter(torch.empty(3 * dim, dim))
            nn.init.xavier_uniform_(self.in_w)
            self.out = nn.Linear(dim, dim)

        def forward(self, x):
            B, N, D = x.shape
            q, k, v = F.linear(x, self.in_w).view(B, N, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            p = torch.arange(N)
            bias = self.rel(p[:, None] - p[None, :] + self.max_len - 1).permute(2, 0, 1)
            op = torch.sub if wrong else torch.add
            s = op(bias, q @ k.mT, alpha=1 / math.sqrt(D // self.heads))
            return self.out((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

    return BiasedBmm(), [torch.randn(2, 12, 40), torch.randn(3, 9, 40)]


def linear_attention_every_other_layer(wrong=True):
    """unknown | Hybrid stack: the middle layer is linear attention (elu + 1 features, kv state). Right twin: softmax in all three."""

    class Mixer(nn.Module):
        def __init__(self, dim, heads, linear):
            super().__init__()
            self.heads, self.linear = heads, linear
            self.norm = nn.LayerNorm(dim)
            self.qkv, self.o = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)

        def forward(self, x):
            b, n, d = x.shape
            q, k, v = self.qkv(self.norm(x)).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            if self.linear:
                q, k = F.elu(q) + 1, F.elu(k) + 1
                kv = torch.einsum("bhnd,bhne->bhde", k, v)
                z = 1 / torch.einsum("bhnd,bhd->bhn", q, k.sum(2))
                y = torch.einsum("bhnd,bhde,bhn->bhne", q, kv, z)
            else:
                y = F.scaled_dot_product_attention(q, k, v)
            return x + self.o(y.transpose(1, 2).reshape(b, n, d))

    return nn.Sequential(*(Mixer(32, 2, wrong and i == 1) for i in range(3))), [
        torch.randn(2, 10, 32),
        torch.randn(3, 14, 32),
    ]


def sparsemax_cross_attention(wrong=True):
    """unknown | Pointer attention over memory with sparsemax in place of softmax, beside a good self attention. Right twin: softmax."""

    def sparsemax(z):
        s, _ = z.sort(-1, descending=True)
        c = s.cumsum(-1) - 1
        r = torch.arange(1, z.shape[-1] + 1, dtype=z.dtype)
        n = (r * s > c).sum(-1, keepdim=True)
        tau = c.gather(-1, n - 1) / n
        return (z - tau).clamp(min=0)

    class Net(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.enc = nn.MultiheadAttention(d, 4, batch_first=True)
            self.wq, self.wk, self.wv = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
            self.d = d

        def forward(self, x, mem):
            x = x + self.enc(x, x, x, need_weights=False)[0]
            z = self.wq(x) @ self.wk(mem).transpose(1, 2) / self.d**0.5
            a = sparsemax(z) if wrong else z.softmax(-1)
            return x + a @ self.wv(mem)

    return Net(), [
        (torch.randn(2, 6, 32), torch.randn(2, 12, 32)),
        (torch.randn(3, 8, 32), torch.randn(3, 9, 32)),
    ]


def forward_function_turns_input_for_batch_first(wrong=True):
    """heads | The calling function transposes (batch, time, feature) to time-first although the encoder was made with batch_first=True. Right twin: handed over as it is."""

    class SeriesClassifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.proj = nn.Linear(6, 32)
            self.encoder = nn.TransformerEncoder(
                nn.TransformerEncoderLayer(
                    32, 2, 64, dropout=0.0, batch_first=True, norm_first=True
                ),
                1,
                enable_nested_tensor=False,
            )
            self.head = nn.Linear(32, 3)

        def forward(self, x):
            return self.head(self.encoder(self.proj(x)))

    def forward(model, batch):
        x, y = batch
        if wrong:
            logits = model(x.transpose(0, 1)).mean(0)  # "time first, pool over time"
        else:
            logits = model(x).mean(1)
        return F.cross_entropy(logits, y)

    return (
        SeriesClassifier(),
        [
            (torch.randn(5, 12, 6), torch.randint(0, 3, (5,))),
            (torch.randn(4, 16, 6), torch.randint(0, 3, (4,))),
        ],
        forward,
    )
