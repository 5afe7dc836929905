import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 26
def view_without_transpose(wrong=True):
    """heads | x.view(B, H, T, d) directly, without view(B, T, H, d).transpose(1, 2): tokens and heads are mixed in the split. Right twin: with the transposition."""

    class Attention(nn.Module):
        def __init__(self, emb_size=32, num_heads=4):
            super().__init__()
            self.num_heads, self.d = num_heads, emb_size // num_heads
            self.keys, self.queries, self.values = (
                nn.Linear(emb_size, emb_size),
                nn.Linear(emb_size, emb_size),
                nn.Linear(emb_size, emb_size),
            )
            self.projection = nn.Linear(emb_size, emb_size)

        def split(self, t):
            b, n, _ = t.shape
            if wrong:
                return t.view(b, self.num_heads, n, self.d)
            return t.view(b, n, self.num_heads, self.d).transpose(1, 2)

        def forward(self, x):
            q, k, v = (
                self.split(self.queries(x)),
                self.split(self.keys(x)),
                self.split(self.values(x)),
            )
            energy = torch.einsum("bhqd, bhkd -> bhqk", q, k)
            att = F.softmax(energy / self.d**0.5, dim=-1)
            out = torch.einsum("bhal, bhlv -> bhav", att, v)
            out = out.transpose(1, 2).contiguous().view(x.shape)
            return self.projection(out)

    class ViT(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch = nn.Conv2d(1, 32, 7, 7)
            self.cls_token = nn.Parameter(torch.randn(1, 1, 32))
            self.positions = nn.Parameter(torch.randn(17, 32))
            self.norm = nn.LayerNorm(32)
            self.att = Attention()
            self.fc = nn.Linear(32, 10)

        def forward(self, x):
            x = self.patch(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], dim=1) + self.positions
            x = x + self.att(self.norm(x))
            return self.fc(x[:, 0])

    return ViT(), [torch.randn(2, 1, 28, 28), torch.randn(4, 1, 28, 28)]


# ---------------------------------------------------------------- 27
def merge_without_transpose(wrong=True):
    """heads | The heads' output (B, H, T, d) is reshaped to (B, T, E) without transposing back. Right twin: transposed first."""

    class GPTAttention(nn.Module):
        def __init__(self, n_embd, n_head, n_ctx):
            super().__init__()
            self.c_attn = nn.Linear(n_embd, 3 * n_embd)
            self.c_proj = nn.Linear(n_embd, n_embd)
            self.n_head = n_head
            self.register_buffer(
                "bias", torch.tril(torch.ones(n_ctx, n_ctx)).view(1, 1, n_ctx, n_ctx)
            )

        def forward(self, x):
            B, T, C = x.size()
            q, k, v = self.c_attn(x).split(C, dim=2)
            k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
            y = F.softmax(att, dim=-1) @ v
            if wrong:
                y = y.contiguous().view(B, T, C)
            else:
                y = y.transpose(1, 2).contiguous().view(B, T, C)
            return self.c_proj(y)

    class GPT(nn.Module):
        def __init__(self, vocab=65, n_embd=48, n_head=6, n_ctx=24):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(vocab, n_embd), nn.Embedding(n_ctx, n_embd)
            self.ln = nn.ModuleList([nn.LayerNorm(n_embd) for _ in range(2)])
            self.h = nn.ModuleList([GPTAttention(n_embd, n_head, n_ctx) for _ in range(2)])
            self.lm_head = nn.Linear(n_embd, vocab, bias=False)

        def forward(self, idx):
            x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
            for ln, h in zip(self.ln, self.h):
                x = x + h(ln(x))
            return self.lm_head(x)

    return GPT(), [torch.randint(0, 65, (2, 24)), torch.randint(0, 65, (2, 13))]


# ---------------------------------------------------------------- 28
def mha_batch_first_forgotten(wrong=True):
    """heads | nn.MultiheadAttention without batch_first=True on (batch, time, dim): it attends between the samples of the batch. Right twin: batch_first=True."""

    class GestureNet(nn.Module):
        def __init__(self, n_joints=14, hidden=32, n_classes=8):
            super().__init__()
            self.conv = nn.Sequential(
                nn.Conv1d(n_joints, hidden, 5, stride=2, padding=2), nn.ReLU()
            )
            if wrong:
                self.attention = nn.MultiheadAttention(hidden, 4)
            else:
                self.attention = nn.MultiheadAttention(hidden, 4, batch_first=True)
            self.norm = nn.LayerNorm(hidden)
            self.classifier = nn.Linear(hidden, n_classes)

        def forward(self, x):  # (batch, time, joints)
            x = self.conv(x.permute(0, 2, 1)).permute(0, 2, 1)
            attn_output, _ = self.attention(x, x, x)
            x = self.norm(x + attn_output)
            return self.classifier(x.mean(dim=1))

    return GestureNet(), [torch.randn(4, 30, 14), torch.randn(6, 36, 14)]


# ---------------------------------------------------------------- 29
def gqa_repeat_orders(wrong=True):
    """heads | Grouped queries: key heads are repeated with repeat_interleave, value heads with repeat, so a query head reads another group's values. Right twin: both repeat_interleave."""

    class GroupedQueryAttention(nn.Module):
        def __init__(self, dim=48, n_heads=6, n_kv=2):
            super().__init__()
            self.n_heads, self.n_kv, self.hd = n_heads, n_kv, dim // n_heads
            self.rep = n_heads // n_kv
            self.wq = nn.Linear(dim, n_heads * self.hd, bias=False)
            self.wk = nn.Linear(dim, n_kv * self.hd, bias=False)
            self.wv = nn.Linear(dim, n_kv * self.hd, bias=False)
            self.wo = nn.Linear(n_heads * self.hd, dim, bias=False)

        def forward(self, x, freqs):
            B, T, _ = x.shape
            xq = self.rot(self.wq(x).view(B, T, self.n_heads, self.hd), freqs)
            xk = self.rot(self.wk(x).view(B, T, self.n_kv, self.hd), freqs)
            xv = self.wv(x).view(B, T, self.n_kv, self.hd)
            keys = xk.repeat_interleave(self.rep, dim=2)
            if wrong:
                values = xv.repeat(1, 1, self.rep, 1)
            else:
                values = xv.repeat_interleave(self.rep, dim=2)
            q, k, v = (t.transpose(1, 2) for t in (xq, keys, values))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.wo(y.transpose(1, 2).contiguous().view(B, T, -1))

        @staticmethod
        def rot(t, f):
            c = torch.view_as_complex(t.float().reshape(*t.shape[:-1], -1, 2))
            return torch.view_as_real(c * f[None, :, None]).flatten(3).type_as(t)

    class TinyLlama(nn.Module):
        def __init__(self, vocab=64, dim=48):
            super().__init__()
            self.tok_embeddings = nn.Embedding(vocab, dim)
            self.attention_norm = nn.ModuleList([nn.RMSNorm(dim) for _ in range(2)])
            self.attention = nn.ModuleList([GroupedQueryAttention(dim) for _ in range(2)])
            self.output = nn.Linear(dim, vocab, bias=False)

        def forward(self, tokens):
            h = self.tok_embeddings(tokens)
            th = torch.outer(
                torch.arange(tokens.shape[1]).float(), 1e4 ** (-torch.arange(0, 8, 2).float() / 8)
            )
            f = torch.polar(torch.ones_like(th), th)
            for n, a in zip(self.attention_norm, self.attention):
                h = h + a(n(h), f)
            return self.output(h)

    return TinyLlama(), [torch.randint(0, 64, (2, 12)), torch.randint(0, 64, (3, 9))]


# ---------------------------------------------------------------- 30
def seq_first_merge_as_batch_first(wrong=True):
    """heads | fairseq's layout (T, B, E), heads folded into the batch: the output (B*H, T, d) is viewed as (T, B, E) without the transposition. Right twin: transpose(0, 1) before the view."""

    class MultiheadAttention(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.embed_dim, self.num_heads = embed_dim, num_heads
            self.head_dim = embed_dim // num_heads
            self.scaling = self.head_dim**-0.5
            self.k_proj = nn.Linear(embed_dim, embed_dim)
            self.v_proj = nn.Linear(embed_dim, embed_dim)
            self.q_proj = nn.Linear(embed_dim, embed_dim)
            self.out_proj = nn.Linear(embed_dim, embed_dim)

        def forward(self, query, key):
            tgt_len, bsz, embed_dim = query.size()
            q = self.q_proj(query) * self.scaling
            k, v = self.k_proj(key), self.v_proj(key)
            q = q.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
            k = k.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)
            v = v.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)
            attn_weights = torch.bmm(q, k.transpose(1, 2))
            attn = torch.bmm(F.softmax(attn_weights, dim=-1), v)
            if not wrong:
                attn = attn.transpose(0, 1)
            attn = attn.contiguous().view(tgt_len, bsz, embed_dim)
            return self.out_proj(attn)

    class CrossModal(nn.Module):
        """text attends to audio"""

        def __init__(self):
            super().__init__()
            self.text = nn.Embedding(40, 32)
            self.audio = nn.Linear(10, 32)
            self.attn = MultiheadAttention(32, 4)
            self.ln0, self.ln1 = nn.LayerNorm(32), nn.LayerNorm(32)
            self.out = nn.Linear(32, 1)

        def forward(self, text, audio):
            t = self.text(text).transpose(0, 1)
            a = self.audio(audio).transpose(0, 1)
            t = t + self.attn(self.ln0(t), self.ln1(a))
            return self.out(t.mean(0))

    return CrossModal(), [
        (torch.randint(0, 40, (3, 7)), torch.randn(3, 15, 10)),
        (torch.randint(0, 40, (2, 9)), torch.randn(2, 12, 10)),
    ]
