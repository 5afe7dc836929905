import math, torch
from torch import nn
from torch.nn import functional as F


def flex_score_mod_mask_future_inverted(wrong=True):
    """mask | score_mod of flex_attention keeps the keys after the query (kv_idx >= q_idx) in a decoder. Right twin: q_idx >= kv_idx."""
    from torch.nn.attention.flex_attention import flex_attention

    def causal(score, b, h, q_idx, kv_idx):
        keep = (kv_idx >= q_idx) if wrong else (q_idx >= kv_idx)
        return torch.where(keep, score, -float("inf"))

    class GPTBlock(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.h = h
            self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.c_attn, self.c_proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
            self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

        def forward(self, x):
            B, T, C = x.shape
            q, k, v = self.c_attn(self.ln_1(x)).split(C, dim=2)
            q, k, v = (z.view(B, T, self.h, C // self.h).transpose(1, 2) for z in (q, k, v))
            y = flex_attention(q, k, v, score_mod=causal)
            x = x + self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
            return x + self.mlp(self.ln_2(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(40, 32), nn.Embedding(24, 32)
            self.blocks = nn.ModuleList(GPTBlock(32, 2) for _ in range(2))
            self.lm_head = nn.Linear(32, 40, bias=False)

        def forward(self, idx):
            x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
            for b in self.blocks:
                x = b(x)
            return self.lm_head(x)

    return GPT().requires_grad_(False), [
        torch.randint(0, 40, (2, 15)),
        torch.randint(0, 40, (2, 15)),
    ]


def mha_cross_time_first_memory(wrong=True):
    """heads | Cross attention: nn.MultiheadAttention(batch_first=True) is called with time-first queries and memory, so each query sees the other items of the batch. Right twin: batch_first=False fits the time-first input."""

    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(8, 32, 3, padding=1)
            self.queries = nn.Parameter(torch.randn(6, 32))
            self.attn = nn.MultiheadAttention(32, 4, batch_first=wrong)
            self.fc = nn.Linear(32, 5)

        def forward(self, wave):
            mem = self.conv(wave).permute(2, 0, 1)  # time, batch, channel
            q = self.queries[:, None].expand(-1, mem.shape[1], -1)  # 6, batch, channel
            mem = mem.relu()
            if mem.shape[0] != 6:
                mem = F.adaptive_avg_pool1d(mem.permute(1, 2, 0), 6).permute(2, 0, 1)
            out, _ = self.attn(q, mem, mem, need_weights=False)
            return self.fc(out.mean(0))

    def forward(model, batch):
        return model(batch[0])

    return Reader(), [(torch.randn(4, 8, 24),), (torch.randn(3, 8, 18),)], forward


def learned_head_temperature_divides_without_norm(wrong=True):
    """scale | A learned per-head temperature (init 1) is meant to multiply 1/sqrt(d), but the code leaves 1/sqrt(d) out, with q and k not normalised. Right twin: 1/sqrt(d) times the temperature."""

    class ChannelTemp(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.heads = heads
            self.temperature = nn.Parameter(torch.ones(heads, 1, 1))
            self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

        def forward(self, x, context):
            def heads(t):
                b, n, c = t.shape
                return (
                    t.reshape(b, n, self.heads, c // self.heads)
                    .permute(0, 2, 1, 3)
                    .reshape(b * self.heads, n, -1)
                )

            q, k, v = heads(self.q(x)), heads(self.k(context)), heads(self.v(context))
            att = torch.bmm(q, k.transpose(1, 2))
            if not wrong:
                att = att / math.sqrt(q.shape[-1])
            att = (att.view(x.shape[0], self.heads, *att.shape[1:]) * self.temperature).flatten(
                0, 1
            )
            out = torch.bmm(torch.softmax(att, dim=2), v)
            out = out.view(x.shape[0], self.heads, x.shape[1], -1).transpose(1, 2).flatten(2)
            return self.o(out)

    return ChannelTemp(64, 4), [
        (torch.randn(2, 7, 64), torch.randn(2, 13, 64)),
        (torch.randn(3, 6, 64), torch.randn(3, 9, 64)),
    ]


def realformer_residual_scores_scaled_again(wrong=True):
    """scale | RealFormer: the former layer's (already scaled) scores are added before the division by sqrt(d), so that they are divided twice. Right twin: only the new product is divided, then the former scores are added."""

    class Layer(nn.Module):
        def __init__(self, d=32, h=2):
            super().__init__()
            self.h, self.hd = h, d // h
            self.wq, self.wk, self.wv, self.wo = (nn.Linear(d, d) for _ in range(4))
            self.norm = nn.LayerNorm(d)

        def forward(self, x, prev=None):
            B, N, D = x.shape
            q, k, v = (
                f(x).view(B, N, self.h, self.hd).transpose(1, 2)
                for f in (self.wq, self.wk, self.wv)
            )
            s = q @ k.transpose(2, 3)
            if wrong:
                s = (s if prev is None else s + prev) / math.sqrt(self.hd)
            else:
                s = s / math.sqrt(self.hd)
                s = s if prev is None else s + prev
            y = self.wo((s.softmax(-1) @ v).transpose(1, 2).reshape(B, N, D))
            return self.norm(x + y), s

    class RealFormer(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(Layer() for _ in range(3))

        def forward(self, x):
            s = None
            for layer in self.layers:
                x, s = layer(x, s)
            return x

    return RealFormer(), [torch.randn(2, 12, 32) * 2, torch.randn(3, 8, 32) * 2]


def softcap_after_causal_mask(wrong=True):
    """mask | The soft cap (tanh) is applied after the causal -inf mask, which turns -inf into -cap: the future is attended to. Right twin: cap first, then mask."""

    class Gemma2Attn(nn.Module):
        def __init__(self, dim=64, n_q=4, n_kv=2, cap=5.0):
            super().__init__()
            self.n_q, self.n_kv, self.hd, self.cap = n_q, n_kv, dim // n_q, cap
            self.q_proj = nn.Linear(dim, n_q * self.hd, bias=False)
            self.k_proj = nn.Linear(dim, n_kv * self.hd, bias=False)
            self.v_proj = nn.Linear(dim, n_kv * self.hd, bias=False)
            self.o_proj = nn.Linear(n_q * self.hd, dim, bias=False)

        def forward(self, x):
            B, L, _ = x.shape
            q = self.q_proj(x).view(B, L, self.n_q, self.hd).transpose(1, 2)
            k = (
                self.k_proj(x)
                .view(B, L, self.n_kv, self.hd)
                .transpose(1, 2)
                .repeat_interleave(self.n_q // self.n_kv, 1)
            )
            v = (
                self.v_proj(x)
                .view(B, L, self.n_kv, self.hd)
                .transpose(1, 2)
                .repeat_interleave(self.n_q // self.n_kv, 1)
            )
            w = torch.matmul(q, k.transpose(2, 3)) * self.hd**-0.5
            mask = torch.full((L, L), -torch.inf).triu(1)
            if wrong:
                w = torch.tanh((w + mask) / self.cap) * self.cap
            else:
                w = torch.tanh(w / self.cap) * self.cap + mask
            w = F.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype)
            return self.o_proj((w @ v).transpose(1, 2).reshape(B, L, -1))

    return Gemma2Attn(), [torch.randn(2, 11, 64), torch.randn(2, 8, 64)]
