import math, torch
from torch import nn
from torch.nn import functional as F


def swin_shift_mask_not_given(wrong=True):
    """mask | Swin: the mask of the shifted windows is a buffer and is handed over, but the sum with it is not used (assigned to another name). Right twin: used."""

    def _part(x, w):
        B, H, W, C = x.shape
        return x.view(B, H // w, w, W // w, w, C).permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, C)

    def _rev(x, w, H, W):
        B = x.shape[0] // (H * W // w // w)
        return x.view(B, H // w, W // w, w, w, -1).permute(0, 1, 3, 2, 4, 5).reshape(B, H, W, -1)

    class WindowAttention(nn.Module):
        def __init__(self, dim, ws, num_heads):
            super().__init__()
            self.num_heads, self.scale = num_heads, (dim // num_heads) ** -0.5
            self.table = nn.Parameter(torch.randn((2 * ws - 1) ** 2, num_heads) * 0.02)
            c = torch.stack(
                torch.meshgrid(torch.arange(ws), torch.arange(ws), indexing="ij")
            ).flatten(1)
            r = (c[:, :, None] - c[:, None]).permute(1, 2, 0) + ws - 1
            self.register_buffer("index", r[..., 0] * (2 * ws - 1) + r[..., 1])
            self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

        def forward(self, x, mask=None):
            B_, N, C = x.shape
            q, k, v = (
                self.qkv(x)
                .reshape(B_, N, 3, self.num_heads, C // self.num_heads)
                .permute(2, 0, 3, 1, 4)
            )
            attn = (q * self.scale) @ k.transpose(-2, -1)
            attn = attn + self.table[self.index.view(-1)].view(N, N, -1).permute(2, 0, 1)[None]
            if mask is not None:
                nW = mask.shape[0]
                masked = attn.view(B_ // nW, nW, self.num_heads, N, N) + mask[None, :, None]
                if not wrong:
                    attn = masked.view(-1, self.num_heads, N, N)
            attn = attn.softmax(-1)
            return self.proj((attn @ v).transpose(1, 2).reshape(B_, N, C))

    class Block(nn.Module):
        def __init__(self, dim, H, ws, shift):
            super().__init__()
            self.H, self.ws, self.shift = H, ws, shift
            self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.attn = WindowAttention(dim, ws, 2)
            self.mlp = nn.Sequential(nn.Linear(dim, 64), nn.GELU(), nn.Linear(64, dim))
            m = None
            if shift:
                img = torch.zeros(1, H, H, 1)
                c = 0
                sl = (slice(0, -ws), slice(-ws, -shift), slice(-shift, None))
                for a in sl:
                    for b in sl:
                        img[:, a, b] = c
                        c += 1
                w = _part(img, ws).squeeze(-1)
                m = w[:, None] - w[:, :, None]
                m = m.masked_fill(m != 0, -100.0).masked_fill(m == 0, 0.0)
            self.register_buffer("attn_mask", m)

        def forward(self, x):
            B, L, C = x.shape
            y = self.norm1(x).view(B, self.H, self.H, C)
            if self.shift:
                y = torch.roll(y, (-self.shift, -self.shift), (1, 2))
            y = _rev(self.attn(_part(y, self.ws), self.attn_mask), self.ws, self.H, self.H)
            if self.shift:
                y = torch.roll(y, (self.shift, self.shift), (1, 2))
            x = x + y.reshape(B, L, C)
            return x + self.mlp(self.norm2(x))

    class Swin(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.pe = nn.Conv2d(3, d, 2, 2)
            self.blocks = nn.ModuleList([Block(d, 8, 4, 0), Block(d, 8, 4, 2)])
            self.head = nn.Linear(d, 5)

        def forward(self, x):
            x = self.pe(x).flatten(2).transpose(1, 2)
            for b in self.blocks:
                x = b(x)
            return self.head(x.mean(1))

    return Swin(), [torch.randn(2, 3, 16, 16) for _ in range(2)]


def luong_dot_softmax_over_target(wrong=True):
    """axis | Luong attention with an LSTM, batch second: softmax over dim 1 (target steps) of (batch, tgt, src) scores. Right twin: dim 2."""

    class GlobalAttention(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.linear_in, self.linear_out = (
                nn.Linear(dim, dim, bias=False),
                nn.Linear(2 * dim, dim, bias=False),
            )

        def forward(self, source, memory_bank):
            align = torch.bmm(self.linear_in(source), memory_bank.transpose(1, 2)) / math.sqrt(
                source.size(-1)
            )
            align_vectors = F.softmax(align, dim=1 if wrong else 2)
            c = torch.bmm(align_vectors, memory_bank)
            return torch.tanh(self.linear_out(torch.cat([c, source], 2)))

    class NMT(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.s, self.t = nn.Embedding(40, d), nn.Embedding(45, d)
            self.encoder, self.decoder = nn.LSTM(d, d), nn.LSTM(d, d)
            self.attn, self.generator = GlobalAttention(d), nn.Linear(d, 45)

        def forward(self, src, tgt):
            memory, st = self.encoder(self.s(src))
            out, _ = self.decoder(self.t(tgt), st)
            y = self.attn(out.transpose(0, 1), memory.transpose(0, 1))
            return self.generator(y.transpose(0, 1))

    return NMT(), [(torch.randint(0, 40, (12, 3)), torch.randint(0, 45, (7, 3))) for _ in range(2)]


def gpt_cache_causal_upper_left(wrong=True):
    """mask | GPT with a KV cache: the chunk after a prefix uses bias[:T, :S], aligned at the upper left, so new tokens see only the start of the cache. Right twin: bias[S-T:S, :S]."""

    class CausalSelfAttention(nn.Module):
        def __init__(self, n_embd, n_head, block):
            super().__init__()
            self.n_head = n_head
            self.c_attn, self.c_proj = nn.Linear(n_embd, 3 * n_embd), nn.Linear(n_embd, n_embd)
            self.register_buffer(
                "bias", torch.tril(torch.ones(block, block)).view(1, 1, block, block)
            )

        def forward(self, x, layer_past=None):
            B, T, C = x.size()
            q, k, v = self.c_attn(x).split(C, dim=2)
            q, k, v = (
                t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v)
            )
            if layer_past is not None:
                k, v = torch.cat((layer_past[0], k), -2), torch.cat((layer_past[1], v), -2)
            S = k.size(-2)
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            b = self.bias[:, :, :T, :S] if wrong else self.bias[:, :, S - T : S, :S]
            att = att.masked_fill(b == 0, float("-inf"))
            att = F.softmax(att, dim=-1)
            y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
            return self.c_proj(y), (k, v)

    class GPT(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(50, d), nn.Embedding(32, d)
            self.h = nn.ModuleList(
                nn.ModuleDict(
                    dict(
                        ln_1=nn.LayerNorm(d),
                        attn=CausalSelfAttention(d, 4, 32),
                        ln_2=nn.LayerNorm(d),
                        mlp=nn.Sequential(nn.Linear(d, 64), nn.GELU(), nn.Linear(64, d)),
                    )
                )
                for _ in range(2)
            )
            self.ln_f = nn.LayerNorm(d)

        def forward(self, idx, past=None):
            p = past[0][0].size(-2) if past else 0
            x = self.wte(idx) + self.wpe.weight[p : p + idx.size(1)]
            present = []
            for i, b in enumerate(self.h):
                y, c = b["attn"](b["ln_1"](x), past[i] if past else None)
                present.append(c)
                x = x + y
                x = x + b["mlp"](b["ln_2"](x))
            return self.ln_f(x) @ self.wte.weight.T, present

    def forward(model, ids):
        _, past = model(ids[:, :9])
        return model(ids[:, 9:], past)[0]

    return GPT(), [torch.randint(0, 50, (2, 14)) for _ in range(2)], forward


def empty_history_nan(wrong=True):
    """nan | News recommender: a user without history masks every key with -inf, softmax gives nan. Right twin: an extra learned 'no click' key that is always open."""

    class UserEncoder(nn.Module):
        def __init__(self, d, heads):
            super().__init__()
            self.heads, self.dk = heads, d // heads
            self.w_q, self.w_k, self.w_v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
            self.pad_doc = nn.Parameter(torch.randn(1, 1, d) * 0.1)

        def forward(self, cand, clicked, mask):
            B = cand.size(0)
            if not wrong:
                clicked = torch.cat([self.pad_doc.expand(B, -1, -1), clicked], 1)
                mask = torch.cat([mask.new_ones(B, 1), mask], 1)
            q = self.w_q(cand).view(B, -1, self.heads, self.dk).transpose(1, 2)
            k = self.w_k(clicked).view(B, -1, self.heads, self.dk).transpose(1, 2)
            v = self.w_v(clicked).view(B, -1, self.heads, self.dk).transpose(1, 2)
            s = torch.matmul(q, k.transpose(-1, -2)) / np_sqrt(self.dk)
            s = s.masked_fill(mask[:, None, None, :] == 0, float("-inf"))
            a = torch.softmax(s, -1)
            return torch.matmul(a, v).transpose(1, 2).reshape(B, -1, self.heads * self.dk)

    np_sqrt = math.sqrt

    class Model(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.news = nn.Embedding(200, d, padding_idx=0)
            self.user = UserEncoder(d, 4)

        def forward(self, candidate, history, history_mask):
            c = self.news(candidate)
            return (c * self.user(c, self.news(history), history_mask)).sum(-1)

    def _b():
        m = torch.ones(4, 8, dtype=torch.long)
        m[1] = 0
        m[2, 5:] = 0
        return dict(
            candidate=torch.randint(1, 200, (4, 5)),
            history=torch.randint(1, 200, (4, 8)) * m,
            history_mask=m,
        )

    return Model(), [_b(), _b()]


def abmil_gated_sigmoid_weights(wrong=True):
    """unknown | Pathology pooling where each q.k score goes through a sigmoid instead of softmax (weights do not sum to 1). Right twin: softmax over the patches."""

    class QueryPool(nn.Module):
        def __init__(self, d, heads):
            super().__init__()
            self.heads = heads
            self.q = nn.Parameter(torch.randn(heads, d // heads))
            self.kv = nn.Linear(d, 2 * d)
            self.proj = nn.Linear(d, d)

        def forward(self, x):
            B, N, C = x.shape
            k, v = self.kv(x).view(B, N, 2, self.heads, -1).unbind(2)
            s = torch.einsum("hd,bnhd->bhn", self.q, k) / math.sqrt(k.size(-1))
            w = torch.sigmoid(s) if wrong else s.softmax(-1)
            return self.proj(torch.einsum("bhn,bnhd->bhd", w, v).reshape(B, C))

    class MIL(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.fc = nn.Sequential(nn.Linear(48, d), nn.ReLU())
            self.pool, self.out = QueryPool(d, 4), nn.Linear(d, 2)

        def forward(self, bag):
            return self.out(self.pool(self.fc(bag)))

    return MIL(), [torch.randn(2, 30, 48) for _ in range(2)]
