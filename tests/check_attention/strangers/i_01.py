import math, torch
from torch import nn
from torch.nn import functional as F


def vit_scaled_then_sdpa(wrong=True):
    """scale | q is multiplied by head_dim**-0.5 and then given to SDPA, which scales again. Right twin: SDPA alone scales."""

    class Attention(nn.Module):
        def __init__(self, dim, num_heads):
            super().__init__()
            self.num_heads, self.head_dim = num_heads, dim // num_heads
            self.qkv = nn.Linear(dim, dim * 3)
            self.proj = nn.Linear(dim, dim)

        def forward(self, x):
            B, N, C = x.shape
            q, k, v = (
                self.qkv(x)
                .reshape(B, N, 3, self.num_heads, self.head_dim)
                .permute(2, 0, 3, 1, 4)
                .unbind(0)
            )
            if wrong:
                q = q * self.head_dim**-0.5
            x = F.scaled_dot_product_attention(q, k, v)
            return self.proj(x.transpose(1, 2).reshape(B, N, C))

    class Block(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.attn = Attention(dim, heads)
            self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

        def forward(self, x):
            x = x + self.attn(self.norm1(x))
            return x + self.mlp(self.norm2(x))

    class ViT(nn.Module):
        def __init__(self, dim=48, heads=3):
            super().__init__()
            self.patch = nn.Conv2d(3, dim, 4, 4)
            self.cls = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
            self.pos = nn.Parameter(torch.randn(1, 17, dim) * 0.02)
            self.blocks = nn.Sequential(Block(dim, heads), Block(dim, heads))
            self.head = nn.Linear(dim, 10)

        def forward(self, img):
            x = self.patch(img).flatten(2).transpose(1, 2)
            x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.pos
            return self.head(self.blocks(x)[:, 0])

    return ViT(), [torch.randn(2, 3, 16, 16), torch.randn(3, 3, 16, 16)]


def nanogpt_small_number_for_minus_inf(wrong=True):
    """mask | The causal mask fills with 1e-9 in place of -inf, so the future is seen. Right twin: -inf."""

    class CausalSelfAttention(nn.Module):
        def __init__(self, n_embd, n_head, block_size):
            super().__init__()
            self.c_attn = nn.Linear(n_embd, 3 * n_embd)
            self.c_proj = nn.Linear(n_embd, n_embd)
            self.n_head, self.n_embd = n_head, n_embd
            self.register_buffer(
                "bias",
                torch.tril(torch.ones(block_size, block_size)).view(1, 1, block_size, block_size),
            )

        def forward(self, x):
            B, T, C = x.size()
            q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
            k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.bias[:, :, :T, :T] == 0, 1e-9 if wrong else float("-inf"))
            att = F.softmax(att, dim=-1)
            y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
            return self.c_proj(y)

    class GPT(nn.Module):
        def __init__(self, vocab=50, n=32, h=4, block=24):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(vocab, n), nn.Embedding(block, n)
            self.ln = nn.ModuleList(nn.LayerNorm(n) for _ in range(2))
            self.h = nn.ModuleList(CausalSelfAttention(n, h, block) for _ in range(2))
            self.lm_head = nn.Linear(n, vocab, bias=False)

        def forward(self, idx):
            x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
            for ln, a in zip(self.ln, self.h):
                x = x + a(ln(x))
            return self.lm_head(x)

    return GPT(), [torch.randint(0, 50, (3, 20)), torch.randint(0, 50, (2, 24))]


def bert_merge_without_permute(wrong=True):
    """heads | The context (B, H, T, d) is reshaped to (B, T, H*d) without swapping heads and tokens first. Right twin: permute, then reshape."""

    class BertSelfAttention(nn.Module):
        def __init__(self, hidden=64, heads=8):
            super().__init__()
            self.heads, self.size = heads, hidden // heads
            self.query, self.key, self.value = (nn.Linear(hidden, hidden) for _ in range(3))
            self.dense = nn.Linear(hidden, hidden)
            self.LayerNorm = nn.LayerNorm(hidden)

        def transpose_for_scores(self, x):
            return x.view(x.size(0), x.size(1), self.heads, self.size).permute(0, 2, 1, 3)

        def forward(self, hidden_states, attention_mask):
            q = self.transpose_for_scores(self.query(hidden_states))
            k = self.transpose_for_scores(self.key(hidden_states))
            v = self.transpose_for_scores(self.value(hidden_states))
            scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.size)
            scores = (
                scores
                + (1.0 - attention_mask[:, None, None, :].float()) * torch.finfo(scores.dtype).min
            )
            probs = nn.functional.softmax(scores, dim=-1)
            context = torch.matmul(probs, v)
            if not wrong:
                context = context.permute(0, 2, 1, 3)
            context = context.reshape(hidden_states.shape)
            return self.LayerNorm(self.dense(context) + hidden_states)

    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb, self.pos = nn.Embedding(100, 64, padding_idx=0), nn.Embedding(32, 64)
            self.layer = nn.ModuleList([BertSelfAttention(), BertSelfAttention()])
            self.cls = nn.Linear(64, 2)

        def forward(self, input_ids, attention_mask):
            x = self.emb(input_ids) + self.pos.weight[: input_ids.size(1)]
            for layer in self.layer:
                x = layer(x, attention_mask)
            return self.cls(x[:, 0])

    batches = []
    for lens in ([12, 7, 9], [5, 14]):
        T = max(lens)
        m = (torch.arange(T)[None] < torch.tensor(lens)[:, None]).long()
        batches.append(dict(input_ids=torch.randint(1, 100, (len(lens), T)) * m, attention_mask=m))
    return Bert(), batches


def notebook_softmax_over_queries(wrong=True):
    """axis | softmax(dim=-2) normalises over queries, the product with v sums over keys. Right twin: dim=-1."""

    class MultiHead(nn.Module):
        def __init__(self, d_model, h):
            super().__init__()
            self.h, self.d_k = h, d_model // h
            self.W_q, self.W_k, self.W_v, self.W_o = (
                nn.Linear(d_model, d_model, bias=False) for _ in range(4)
            )
            self.softmax = nn.Softmax(dim=-2 if wrong else -1)

        def forward(self, Q, K, V):
            b = Q.size(0)
            Q = self.W_q(Q).view(b, -1, self.h, self.d_k).transpose(1, 2)
            K = self.W_k(K).view(b, -1, self.h, self.d_k).transpose(1, 2)
            V = self.W_v(V).view(b, -1, self.h, self.d_k).transpose(1, 2)
            scores = torch.matmul(Q, K.transpose(2, 3)) / self.d_k**0.5
            self.weights = self.softmax(scores)
            out = torch.matmul(self.weights, V).transpose(1, 2).flatten(2)
            return self.W_o(out)

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.mha = MultiHead(32, 2)
            self.ff = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32))
            self.n1, self.n2 = nn.LayerNorm(32), nn.LayerNorm(32)

        def forward(self, x):
            x = self.n1(x + self.mha(x, x, x))
            return self.n2(x + self.ff(x))

    return Encoder(), [torch.randn(2, 11, 32), torch.randn(4, 9, 32)]


def elu_feature_linear_attention(wrong=True):
    """unknown | Linear attention with elu(x)+1 features, no softmax anywhere. Right twin: ordinary softmax attention."""

    class Attn(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.heads = heads
            self.to_q, self.to_k, self.to_v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
            self.to_out = nn.Linear(dim, dim)

        def forward(self, x):
            q, k, v = (
                f(x).unflatten(-1, (self.heads, -1)) for f in (self.to_q, self.to_k, self.to_v)
            )
            if wrong:
                q, k = F.elu(q) + 1, F.elu(k) + 1
                kv = torch.einsum("bnhd,bnhe->bhde", k, v)
                z = 1 / (torch.einsum("bnhd,bhd->bnh", q, k.sum(1)) + 1e-6)
                out = torch.einsum("bnhd,bhde,bnh->bnhe", q, kv, z)
            else:
                sim = torch.einsum("bnhd,bmhd->bhnm", q, k) * q.shape[-1] ** -0.5
                out = torch.einsum("bhnm,bmhe->bnhe", sim.softmax(-1), v)
            return self.to_out(out.flatten(2))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp = nn.Linear(5, 32)
            self.layers = nn.ModuleList(Attn(32, 4) for _ in range(2))
            self.out = nn.Linear(32, 1)

        def forward(self, series):
            x = self.inp(series)
            for l in self.layers:
                x = x + l(F.layer_norm(x, x.shape[-1:]))
            return self.out(x)

    return Net(), [torch.randn(2, 30, 5), torch.randn(3, 18, 5)]
