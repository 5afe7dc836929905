import math, torch
from torch import nn
from torch.nn import functional as F


def whisper_decoder_scaled_twice(wrong=True):
    """scale | Whisper multiplies q and k each by d**-0.25, here each by d**-0.5. Right twin: d**-0.25 each."""
    power = -0.5 if wrong else -0.25

    class MultiHeadAttention(nn.Module):
        def __init__(self, n_state, n_head):
            super().__init__()
            self.n_head = n_head
            self.query = nn.Linear(n_state, n_state)
            self.key = nn.Linear(n_state, n_state, bias=False)
            self.value = nn.Linear(n_state, n_state)
            self.out = nn.Linear(n_state, n_state)

        def forward(self, x, xa=None, mask=None):
            q = self.query(x)
            k = self.key(x if xa is None else xa)
            v = self.value(x if xa is None else xa)
            wv, qk = self.qkv_attention(q, k, v, mask)
            return self.out(wv), qk

        def qkv_attention(self, q, k, v, mask=None):
            n_batch, n_ctx, n_state = q.shape
            scale = (n_state // self.n_head) ** power
            q = q.view(*q.shape[:2], self.n_head, -1).permute(0, 2, 1, 3) * scale
            k = k.view(*k.shape[:2], self.n_head, -1).permute(0, 2, 3, 1) * scale
            v = v.view(*v.shape[:2], self.n_head, -1).permute(0, 2, 1, 3)
            qk = q @ k
            if mask is not None:
                qk = qk + mask[:n_ctx, :n_ctx]
            qk = qk.float()
            w = F.softmax(qk, dim=-1).to(q.dtype)
            return (w @ v).permute(0, 2, 1, 3).flatten(start_dim=2), qk.detach()

    class ResidualAttentionBlock(nn.Module):
        def __init__(self, n_state, n_head):
            super().__init__()
            self.attn = MultiHeadAttention(n_state, n_head)
            self.attn_ln = nn.LayerNorm(n_state)
            self.cross_attn = MultiHeadAttention(n_state, n_head)
            self.cross_attn_ln = nn.LayerNorm(n_state)
            self.mlp = nn.Sequential(
                nn.Linear(n_state, 4 * n_state), nn.GELU(), nn.Linear(4 * n_state, n_state)
            )
            self.mlp_ln = nn.LayerNorm(n_state)

        def forward(self, x, xa, mask):
            x = x + self.attn(self.attn_ln(x), mask=mask)[0]
            x = x + self.cross_attn(self.cross_attn_ln(x), xa)[0]
            return x + self.mlp(self.mlp_ln(x))

    class TextDecoder(nn.Module):
        def __init__(self, n_vocab=50, n_ctx=24, n_state=32, n_head=4, n_layer=2):
            super().__init__()
            self.token_embedding = nn.Embedding(n_vocab, n_state)
            self.positional_embedding = nn.Parameter(torch.randn(n_ctx, n_state) * 0.02)
            self.blocks = nn.ModuleList(
                [ResidualAttentionBlock(n_state, n_head) for _ in range(n_layer)]
            )
            self.ln = nn.LayerNorm(n_state)
            mask = torch.empty(n_ctx, n_ctx).fill_(-math.inf).triu_(1)
            self.register_buffer("mask", mask, persistent=False)

        def forward(self, x, xa):
            x = self.token_embedding(x) + self.positional_embedding[: x.shape[-1]]
            for block in self.blocks:
                x = block(x, xa, self.mask)
            x = self.ln(x)
            return (x @ self.token_embedding.weight.T).float()

    return TextDecoder(), [
        (torch.randint(0, 50, (2, 12)), torch.randn(2, 20, 32)) for _ in range(2)
    ]


def bart_cross_uses_decoder_padding(wrong=True):
    """mask | BART-like decoder: the cross-attention gets the decoder's padding mask, not the encoder's (same length). Right twin: encoder's mask."""

    class BartAttention(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
            self.scaling = self.head_dim**-0.5
            self.k_proj = nn.Linear(embed_dim, embed_dim)
            self.v_proj = nn.Linear(embed_dim, embed_dim)
            self.q_proj = nn.Linear(embed_dim, embed_dim)
            self.out_proj = nn.Linear(embed_dim, embed_dim)

        def _shape(self, t):
            return t.view(t.size(0), -1, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

        def forward(self, hidden, kv=None, attention_mask=None):
            bsz, tgt, dim = hidden.size()
            kv = hidden if kv is None else kv
            q = self._shape(self.q_proj(hidden) * self.scaling).view(bsz * self.num_heads, tgt, -1)
            k = self._shape(self.k_proj(kv)).view(bsz * self.num_heads, -1, self.head_dim)
            v = self._shape(self.v_proj(kv)).view(bsz * self.num_heads, -1, self.head_dim)
            w = torch.bmm(q, k.transpose(1, 2))
            src = k.size(1)
            if attention_mask is not None:
                w = w.view(bsz, self.num_heads, tgt, src) + attention_mask
                w = w.view(bsz * self.num_heads, tgt, src)
            w = F.softmax(w, dim=-1)
            o = (
                torch.bmm(w, v)
                .view(bsz, self.num_heads, tgt, -1)
                .transpose(1, 2)
                .reshape(bsz, tgt, dim)
            )
            return self.out_proj(o)

    def _expand(mask, tgt):
        m = 1.0 - mask[:, None, None, :].expand(-1, 1, tgt, -1).float()
        return m.masked_fill(m.bool(), torch.finfo(torch.float32).min)

    class Seq2Seq(nn.Module):
        def __init__(self, vocab=40, d=32):
            super().__init__()
            self.shared = nn.Embedding(vocab, d, padding_idx=1)
            self.pos = nn.Embedding(32, d)
            self.enc = BartAttention(d, 4)
            self.dec = BartAttention(d, 4)
            self.cross = BartAttention(d, 4)
            self.n1, self.n2, self.n3 = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
            self.head = nn.Linear(d, vocab)

        def forward(self, input_ids, attention_mask, decoder_input_ids, decoder_attention_mask):
            S, T = input_ids.size(1), decoder_input_ids.size(1)
            h = self.shared(input_ids) + self.pos.weight[:S]
            h = self.n1(h + self.enc(h, attention_mask=_expand(attention_mask, S)))
            y = self.shared(decoder_input_ids) + self.pos.weight[:T]
            causal = torch.full((T, T), torch.finfo(torch.float32).min).triu(1)[None, None]
            self_mask = torch.minimum(causal, _expand(decoder_attention_mask, T))
            y = self.n2(y + self.dec(y, attention_mask=self_mask))
            cm = decoder_attention_mask if wrong else attention_mask
            y = self.n3(y + self.cross(y, kv=h, attention_mask=_expand(cm, T)))
            return self.head(y)

    def _b():
        ids, dids = torch.randint(4, 40, (3, 12)), torch.randint(4, 40, (3, 12))
        m, dm = torch.ones(3, 12, dtype=torch.long), torch.ones(3, 12, dtype=torch.long)
        m[0, 7:] = 0
        m[2, 9:] = 0
        dm[1, 6:] = 0
        dm[2, 11:] = 0
        return dict(
            input_ids=ids.masked_fill(m == 0, 1),
            attention_mask=m,
            decoder_input_ids=dids.masked_fill(dm == 0, 1),
            decoder_attention_mask=dm,
        )

    return Seq2Seq(), [_b(), _b()]


def mistral_window_causal_late(wrong=True):
    """mask | Sliding window causal mask with tril(diagonal=1): one token of the future is seen. Right twin: diagonal=0."""

    class Attention(nn.Module):
        def __init__(self, dim, n_heads, n_kv_heads, window):
            super().__init__()
            self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
            self.repeats = n_heads // n_kv_heads
            self.sliding_window = window
            self.wq = nn.Linear(dim, dim, bias=False)
            self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
            self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
            self.wo = nn.Linear(dim, dim, bias=False)

        def forward(self, x, freqs, mask):
            b, s, _ = x.shape
            q = self.wq(x).view(b, s, self.n_heads, self.head_dim)
            k = self.wk(x).view(b, s, self.n_kv_heads, self.head_dim)
            v = self.wv(x).view(b, s, self.n_kv_heads, self.head_dim)
            q, k = _rot(q, freqs), _rot(k, freqs)
            k = torch.repeat_interleave(k, self.repeats, dim=2)
            v = torch.repeat_interleave(v, self.repeats, dim=2)
            q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
            scores = torch.matmul(q, k.transpose(2, 3)) * self.head_dim**-0.5
            scores = scores + mask[None, None]
            scores = scores.float().softmax(dim=-1).type_as(q)
            return self.wo((scores @ v).transpose(1, 2).reshape(b, s, -1))

    def _rot(x, freqs):
        xc = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(xc * freqs[None, :, None]).flatten(-2).type_as(x)

    class RMSNorm(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(d))

        def forward(self, x):
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight

    class Block(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.attention = Attention(d, 4, 2, 4)
            self.w1, self.w2, self.w3 = (
                nn.Linear(d, 64, bias=False),
                nn.Linear(64, d, bias=False),
                nn.Linear(d, 64, bias=False),
            )
            self.attention_norm, self.ffn_norm = RMSNorm(d), RMSNorm(d)

        def forward(self, x, f, m):
            x = x + self.attention(self.attention_norm(x), f, m)
            h = self.ffn_norm(x)
            return x + self.w2(F.silu(self.w1(h)) * self.w3(h))

    class Transformer(nn.Module):
        def __init__(self, vocab=60, d=32):
            super().__init__()
            self.tok = nn.Embedding(vocab, d)
            self.layers = nn.ModuleList(Block(d) for _ in range(2))
            self.norm, self.output = RMSNorm(d), nn.Linear(d, vocab, bias=False)

        def forward(self, ids):
            s = ids.size(1)
            inv = 1.0 / (10000 ** (torch.arange(0, 8, 2).float() / 8))
            f = torch.polar(torch.ones(s, 4), torch.outer(torch.arange(s).float(), inv))
            ones = torch.ones(s, s)
            w = 4
            keep = torch.triu(ones, diagonal=-(w - 1))
            if wrong:
                keep = torch.tril(keep, diagonal=1)
            else:
                keep = torch.tril(keep, diagonal=0)
            mask = torch.log(keep)
            h = self.tok(ids)
            for l in self.layers:
                h = l(h, f, mask)
            return self.output(self.norm(h))[:, -s:]

    return Transformer(), [torch.randint(0, 60, (2, 14)) for _ in range(2)]


def gemma_scalar_unused(wrong=True):
    """scale | Gemma-2: config.query_pre_attn_scalar is stated and read, but used without the root. Right twin: scalar**-0.5."""
    from types import SimpleNamespace

    config = SimpleNamespace(
        hidden_size=48,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        query_pre_attn_scalar=16,
        attn_logit_softcapping=50.0,
    )

    class Gemma2Attention(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.config = config
            self.num_heads, self.num_kv, self.head_dim = (
                config.num_attention_heads,
                config.num_key_value_heads,
                config.head_dim,
            )
            self.scaling = config.query_pre_attn_scalar ** (-1 if wrong else -0.5)
            self.q_proj = nn.Linear(config.hidden_size, self.num_heads * self.head_dim, bias=False)
            self.k_proj = nn.Linear(config.hidden_size, self.num_kv * self.head_dim, bias=False)
            self.v_proj = nn.Linear(config.hidden_size, self.num_kv * self.head_dim, bias=False)
            self.o_proj = nn.Linear(self.num_heads * self.head_dim, config.hidden_size, bias=False)

        def forward(self, x, mask):
            shape = (*x.shape[:-1], -1, self.head_dim)
            q = self.q_proj(x).view(shape).transpose(1, 2)
            k = self.k_proj(x).view(shape).transpose(1, 2)
            v = self.v_proj(x).view(shape).transpose(1, 2)
            g = self.num_heads // self.num_kv
            B, H, S, D = k.shape
            k = k[:, :, None].expand(B, H, g, S, D).reshape(B, H * g, S, D)
            v = v[:, :, None].expand(B, H, g, S, D).reshape(B, H * g, S, D)
            w = torch.matmul(q, k.transpose(2, 3)) * self.scaling
            c = self.config.attn_logit_softcapping
            w = torch.tanh(w / c) * c
            w = w + mask
            w = F.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype)
            o = torch.matmul(w, v).transpose(1, 2).contiguous()
            return self.o_proj(o.reshape(*x.shape[:-1], -1))

    class Gemma(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(50, 48)
            self.attn = nn.ModuleList(Gemma2Attention(config) for _ in range(2))
            self.norm = nn.ModuleList(nn.RMSNorm(48) for _ in range(2))
            self.lm_head = nn.Linear(48, 50, bias=False)

        def forward(self, ids):
            h = self.embed(ids) * 48**0.5
            m = torch.full((ids.size(1),) * 2, torch.finfo(h.dtype).min).triu(1)[None, None]
            for n, a in zip(self.norm, self.attn):
                h = h + a(n(h), m)
            return self.lm_head(h)

    return Gemma(), [torch.randint(0, 50, (2, 10)) for _ in range(2)]


def roformer_full_width_root(wrong=True):
    """scale | RoFormer encoder divides by sqrt(hidden_size). Right twin: sqrt(head size)."""

    class RoFormerSelfAttention(nn.Module):
        def __init__(self, hidden_size=64, heads=4):
            super().__init__()
            self.num_attention_heads = heads
            self.attention_head_size = hidden_size // heads
            self.all_head_size = hidden_size
            self.query = nn.Linear(hidden_size, hidden_size)
            self.key = nn.Linear(hidden_size, hidden_size)
            self.value = nn.Linear(hidden_size, hidden_size)

        def transpose_for_scores(self, x):
            return x.view(
                *x.size()[:-1], self.num_attention_heads, self.attention_head_size
            ).permute(0, 2, 1, 3)

        @staticmethod
        def apply_rotary(sinusoidal, q, k):
            sin, cos = sinusoidal.chunk(2, dim=-1)
            sin = torch.stack([sin, sin], dim=-1).reshape_as(sinusoidal)
            cos = torch.stack([cos, cos], dim=-1).reshape_as(sinusoidal)
            rq = torch.stack([-q[..., 1::2], q[..., ::2]], dim=-1).reshape_as(q)
            rk = torch.stack([-k[..., 1::2], k[..., ::2]], dim=-1).reshape_as(k)
            return q * cos + rq * sin, k * cos + rk * sin

        def forward(self, hidden_states, attention_mask, sinusoidal):
            q = self.transpose_for_scores(self.query(hidden_states))
            k = self.transpose_for_scores(self.key(hidden_states))
            v = self.transpose_for_scores(self.value(hidden_states))
            q, k = self.apply_rotary(sinusoidal, q, k)
            scores = torch.matmul(q, k.transpose(-1, -2))
            scores = scores / math.sqrt(self.all_head_size if wrong else self.attention_head_size)
            scores = scores + attention_mask
            probs = nn.functional.softmax(scores, dim=-1)
            ctx = torch.matmul(probs, v).permute(0, 2, 1, 3).contiguous()
            return ctx.view(*ctx.size()[:-2], self.all_head_size)

    class RoFormer(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(70, 64, padding_idx=0)
            self.layers = nn.ModuleList(RoFormerSelfAttention() for _ in range(2))
            self.outs = nn.ModuleList(nn.Linear(64, 64) for _ in range(2))
            self.lns = nn.ModuleList(nn.LayerNorm(64) for _ in range(2))
            self.cls = nn.Linear(64, 3)

        def forward(self, input_ids, attention_mask):
            h = self.emb(input_ids)
            L = input_ids.size(1)
            ang = torch.outer(
                torch.arange(L).float(), 10000 ** (-torch.arange(0, 16, 2).float() / 16)
            )
            sp = torch.cat([ang.sin(), ang.cos()], dim=-1)[None, None]
            ext = (1.0 - attention_mask[:, None, None, :].float()) * -10000.0
            for a, o, n in zip(self.layers, self.outs, self.lns):
                h = n(h + o(a(h, ext, sp)))
            return self.cls(h[:, 0])

    def _b():
        m = torch.ones(3, 15, dtype=torch.long)
        m[1, 9:] = 0
        m[2, 12:] = 0
        return dict(input_ids=torch.randint(1, 70, (3, 15)) * m, attention_mask=m)

    return RoFormer(), [_b(), _b()]
