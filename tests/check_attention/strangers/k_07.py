import math, torch
from torch import nn
from torch.nn import functional as F


def qwen_values_tiled_keys_interleaved(wrong=True):
    """heads | Qwen-like GQA: keys are repeated with repeat_interleave, values with repeat. Right twin: both repeat_interleave."""

    class Qwen2Attention(nn.Module):
        def __init__(self, d, n_q, n_kv):
            super().__init__()
            self.n_q, self.n_kv, self.hd = n_q, n_kv, d // n_q
            self.q_proj = nn.Linear(d, n_q * self.hd, bias=True)
            self.k_proj = nn.Linear(d, n_kv * self.hd, bias=True)
            self.v_proj = nn.Linear(d, n_kv * self.hd, bias=True)
            self.o_proj = nn.Linear(n_q * self.hd, d, bias=False)

        def forward(self, x, cos, sin):
            B, T, _ = x.shape
            q = self.q_proj(x).view(B, T, self.n_q, self.hd).transpose(1, 2)
            k = self.k_proj(x).view(B, T, self.n_kv, self.hd).transpose(1, 2)
            v = self.v_proj(x).view(B, T, self.n_kv, self.hd).transpose(1, 2)
            rh = lambda t: torch.cat([-t[..., t.size(-1) // 2 :], t[..., : t.size(-1) // 2]], -1)
            q, k = q * cos + rh(q) * sin, k * cos + rh(k) * sin
            g = self.n_q // self.n_kv
            k = k.repeat_interleave(g, dim=1)
            v = v.repeat(1, g, 1, 1) if wrong else v.repeat_interleave(g, dim=1)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.o_proj(y.transpose(1, 2).reshape(B, T, -1))

    class Qwen(nn.Module):
        def __init__(self, d=64):
            super().__init__()
            self.embed_tokens = nn.Embedding(80, d)
            self.layers = nn.ModuleList(
                nn.ModuleDict(
                    dict(
                        ln1=nn.RMSNorm(d),
                        attn=Qwen2Attention(d, 8, 2),
                        ln2=nn.RMSNorm(d),
                        gate=nn.Linear(d, 96, bias=False),
                        up=nn.Linear(d, 96, bias=False),
                        down=nn.Linear(96, d, bias=False),
                    )
                )
                for _ in range(2)
            )
            self.norm = nn.RMSNorm(d)

        def forward(self, ids):
            h = self.embed_tokens(ids)
            f = torch.outer(
                torch.arange(ids.size(1)).float(), 1e6 ** (-torch.arange(0, 8, 2).float() / 8)
            )
            e = torch.cat([f, f], -1)
            for l in self.layers:
                h = h + l["attn"](l["ln1"](h), e.cos(), e.sin())
                y = l["ln2"](h)
                h = h + l["down"](F.silu(l["gate"](y)) * l["up"](y))
            return self.norm(h) @ self.embed_tokens.weight.T

    return Qwen(), [torch.randint(0, 80, (2, 12)) for _ in range(2)]


def musicgen_text_mask_not_passed(wrong=True):
    """mask | MusicGen-like decoder on nn.MultiheadAttention: text_mask arrives, cross-attention is called without key_padding_mask. Right twin: key_padding_mask=~text_mask."""

    class Layer(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(d, h, bias=False, batch_first=True)
            self.cross_attention = nn.MultiheadAttention(d, h, bias=False, batch_first=True)
            self.norm1, self.norm_cross, self.norm2 = (
                nn.LayerNorm(d),
                nn.LayerNorm(d),
                nn.LayerNorm(d),
            )
            self.linear1, self.linear2 = nn.Linear(d, 64, bias=False), nn.Linear(64, d, bias=False)

        def forward(self, x, src, text_mask, causal):
            y = self.norm1(x)
            x = x + self.self_attn(y, y, y, attn_mask=causal, need_weights=False)[0]
            y = self.norm_cross(x)
            kp = None if wrong else ~text_mask
            x = x + self.cross_attention(y, src, src, key_padding_mask=kp, need_weights=False)[0]
            return x + self.linear2(F.gelu(self.linear1(self.norm2(x))))

    class LMModel(nn.Module):
        def __init__(self, K=4, card=32, d=32):
            super().__init__()
            self.emb = nn.ModuleList(nn.Embedding(card + 1, d) for _ in range(K))
            self.cond = nn.Linear(20, d)
            self.layers = nn.ModuleList(Layer(d, 4) for _ in range(2))
            self.out_norm = nn.LayerNorm(d)
            self.linears = nn.ModuleList(nn.Linear(d, card, bias=False) for _ in range(K))

        def forward(self, codes, text, text_mask):
            B, K, S = codes.shape
            x = sum(self.emb[k](codes[:, k]) for k in range(K))
            src = self.cond(text)
            causal = torch.triu(torch.ones(S, S, dtype=torch.bool), 1)
            for l in self.layers:
                x = l(x, src, text_mask, causal)
            x = self.out_norm(x)
            return torch.stack([l(x) for l in self.linears], 1)

    def _b():
        m = torch.ones(3, 7, dtype=torch.bool)
        m[0, 4:] = False
        m[2, 5:] = False
        return dict(codes=torch.randint(0, 33, (3, 4, 10)), text=torch.randn(3, 7, 20), text_mask=m)

    return LMModel(), [_b(), _b()]


def longformer_band_inverted(wrong=True):
    """mask | Longformer-like window with one global token: the mask of allowed places is given to masked_fill uninverted, so the far tokens are attended. Right twin: ~allowed."""

    class LongformerSelfAttention(nn.Module):
        def __init__(self, d, heads, w):
            super().__init__()
            self.heads, self.w, self.hd = heads, w, d // heads
            self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
            self.dense = nn.Linear(d, d)

        def forward(self, x):
            n, s, d = x.shape
            q = self.query(x) / math.sqrt(self.hd)
            q = q.view(n, s, self.heads, self.hd).permute(0, 2, 1, 3)
            k = self.key(x).view(n, s, self.heads, self.hd).permute(0, 2, 1, 3)
            v = self.value(x).view(n, s, self.heads, self.hd).permute(0, 2, 1, 3)
            i = torch.arange(s)
            allowed = (i[:, None] - i[None, :]).abs() <= self.w
            allowed[0, :] = True
            allowed[:, 0] = True
            sc = torch.einsum("bhid,bhjd->bhij", q, k)
            if wrong:
                # the row of the global token would be empty
                sc = sc.masked_fill(allowed, -1e4)
            else:
                sc = sc.masked_fill(~allowed, -1e4)
            p = sc.softmax(-1)
            o = torch.einsum("bhij,bhjd->bhid", p, v).permute(0, 2, 1, 3).reshape(n, s, d)
            return self.dense(o)

    class Longformer(nn.Module):
        def __init__(self, d=48):
            super().__init__()
            self.emb, self.pos = nn.Embedding(90, d), nn.Embedding(40, d)
            self.att = nn.ModuleList(LongformerSelfAttention(d, 4, 4) for _ in range(2))
            self.ln = nn.ModuleList(nn.LayerNorm(d) for _ in range(2))
            self.cls = nn.Linear(d, 2)

        def forward(self, ids):
            h = self.emb(ids) + self.pos.weight[: ids.size(1)]
            for a, l in zip(self.att, self.ln):
                h = l(h + a(h))
            return self.cls(h[:, 0])

    return Longformer(), [torch.randint(0, 90, (2, 32)) for _ in range(2)]


def phi_partial_rotary_scale_of_rotary_dim(wrong=True):
    """scale | Phi with partial rotary: the root of the rotary dimension is taken for the scale. Right twin: head_dim."""

    class PhiAttention(nn.Module):
        def __init__(self, hidden, heads, partial=0.25):
            super().__init__()
            self.num_heads, self.head_dim = heads, hidden // heads
            self.rotary_ndims = int(self.head_dim * partial)
            self.q_proj, self.k_proj, self.v_proj = (
                nn.Linear(hidden, hidden),
                nn.Linear(hidden, hidden),
                nn.Linear(hidden, hidden),
            )
            self.dense = nn.Linear(hidden, hidden)

        def forward(self, x, position_ids, mask):
            b, s, _ = x.size()
            q, k, v = [
                p(x).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                for p in (self.q_proj, self.k_proj, self.v_proj)
            ]
            r = self.rotary_ndims
            ang = position_ids[:, None, :, None].float() * 10000 ** (
                -torch.arange(0, r, 2).float() / r
            )
            cos, sin = torch.cat([ang, ang], -1).cos(), torch.cat([ang, ang], -1).sin()

            def rot(t):
                tr, tp = t[..., :r], t[..., r:]
                a, c = tr.chunk(2, -1)
                return torch.cat([tr * cos + torch.cat([-c, a], -1) * sin, tp], -1)

            q, k = rot(q), rot(k)
            w = torch.matmul(q.float(), k.float().transpose(2, 3)) / math.sqrt(
                r if wrong else self.head_dim
            )
            w = w + mask
            w = nn.functional.softmax(w, dim=-1, dtype=torch.float32).to(v.dtype)
            return self.dense(torch.matmul(w, v).transpose(1, 2).contiguous().reshape(b, s, -1))

    class Phi(nn.Module):
        def __init__(self, d=64):
            super().__init__()
            self.wte = nn.Embedding(70, d)
            self.blocks = nn.ModuleList(
                nn.ModuleDict(
                    dict(
                        ln=nn.LayerNorm(d),
                        mixer=PhiAttention(d, 4),
                        fc1=nn.Linear(d, 96),
                        fc2=nn.Linear(96, d),
                    )
                )
                for _ in range(2)
            )
            self.ln, self.lm_head = nn.LayerNorm(d), nn.Linear(d, 70)

        def forward(self, input_ids):
            b, s = input_ids.shape
            h = self.wte(input_ids)
            pos = torch.arange(s)[None].expand(b, -1)
            m = torch.triu(torch.full((s, s), torch.finfo(torch.float32).min), 1)[None, None]
            for l in self.blocks:
                y = l["ln"](h)
                h = h + l["mixer"](y, pos, m) + l["fc2"](F.gelu(l["fc1"](y), approximate="tanh"))
            return self.lm_head(self.ln(h))

    return Phi(), [dict(input_ids=torch.randint(0, 70, (2, 13))) for _ in range(2)]


def han_softmax_over_batch(wrong=True):
    """axis | Hierarchical attention network: the sentence-level scores (batch, sents, 1) go through softmax dim=0, over the batch. Right twin: dim=1."""

    class HAN(nn.Module):
        def __init__(self, vocab=60, e=24, h=16, classes=4):
            super().__init__()
            self.emb = nn.Embedding(vocab, e, padding_idx=0)
            self.word_gru = nn.GRU(e, h, bidirectional=True, batch_first=True)
            self.sent_gru = nn.GRU(2 * h, h, bidirectional=True, batch_first=True)
            self.word_fc, self.sent_fc = nn.Linear(2 * h, 2 * h), nn.Linear(2 * h, 2 * h)
            self.word_ctx, self.sent_ctx = (
                nn.Linear(2 * h, 1, bias=False),
                nn.Linear(2 * h, 1, bias=False),
            )
            self.fc = nn.Linear(2 * h, classes)

        def forward(self, docs):
            B, S, W = docs.shape
            flat = docs.view(B * S, W)
            f, _ = self.word_gru(self.emb(flat))
            a = self.word_ctx(torch.tanh(self.word_fc(f))).squeeze(-1)
            a = a.masked_fill(flat == 0, float("-inf")).softmax(dim=1)
            sents = (f * a.unsqueeze(-1)).sum(1).view(B, S, -1)
            g, _ = self.sent_gru(sents)
            u = torch.tanh(self.sent_fc(g))
            alpha = F.softmax(self.sent_ctx(u), dim=0 if wrong else 1)
            doc = (alpha * g).sum(dim=1)
            return self.fc(doc)

    def _b():
        d = torch.randint(1, 60, (3, 5, 8))
        d[0, :, 6:] = 0
        d[1, 2, 4:] = 0
        return d

    return HAN(), [_b(), _b()]
