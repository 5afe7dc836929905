import math, torch
from torch import nn
from torch.nn import functional as F


def decision_transformer_padding_inverted(wrong=True):
    """mask | Decision transformer: the padding mask of the stacked (r, s, a) tokens is inverted. Right twin: 1 = keep."""

    class DTBlock(nn.Module):
        def __init__(self, h_dim, max_T, n_heads):
            super().__init__()
            self.n_heads = n_heads
            self.q_net, self.k_net, self.v_net = (
                nn.Linear(h_dim, h_dim),
                nn.Linear(h_dim, h_dim),
                nn.Linear(h_dim, h_dim),
            )
            self.proj_net = nn.Linear(h_dim, h_dim)
            self.mlp = nn.Sequential(
                nn.Linear(h_dim, 4 * h_dim), nn.GELU(), nn.Linear(4 * h_dim, h_dim)
            )
            self.ln1, self.ln2 = nn.LayerNorm(h_dim), nn.LayerNorm(h_dim)
            self.register_buffer(
                "mask", torch.tril(torch.ones(max_T, max_T)).view(1, 1, max_T, max_T)
            )

        def forward(self, x, pad):
            B, T, C = x.shape
            N, D = self.n_heads, C // self.n_heads
            q = self.q_net(x).view(B, T, N, D).transpose(1, 2)
            k = self.k_net(x).view(B, T, N, D).transpose(1, 2)
            v = self.v_net(x).view(B, T, N, D).transpose(1, 2)
            weights = q @ k.transpose(2, 3) / math.sqrt(D)
            weights = weights.masked_fill(self.mask[..., :T, :T] == 0, -1e9)
            weights = weights + pad
            n = F.softmax(weights, dim=-1)
            att = (n @ v).transpose(1, 2).contiguous().view(B, T, N * D)
            x = self.ln1(x + self.proj_net(att))
            return self.ln2(x + self.mlp(x))

    class DecisionTransformer(nn.Module):
        def __init__(self, state_dim=5, act_dim=2, h=32):
            super().__init__()
            self.blocks = nn.ModuleList(DTBlock(h, 24, 2) for _ in range(2))
            self.embed_ln = nn.LayerNorm(h)
            self.t, self.r = nn.Embedding(50, h), nn.Linear(1, h)
            self.s, self.a = nn.Linear(state_dim, h), nn.Linear(act_dim, h)
            self.predict_action = nn.Sequential(nn.Linear(h, act_dim), nn.Tanh())

        def forward(self, states, actions, returns_to_go, timesteps, attention_mask):
            B, T, _ = states.shape
            te = self.t(timesteps)
            x = torch.stack(
                (self.r(returns_to_go) + te, self.s(states) + te, self.a(actions) + te), 2
            ).reshape(B, 3 * T, -1)
            m = torch.stack((attention_mask,) * 3, dim=2).reshape(B, 3 * T)
            if wrong:
                pad = m.float() * -1e9
            else:
                pad = (1.0 - m.float()) * -1e9
            x = self.embed_ln(x)
            for b in self.blocks:
                x = b(x, pad[:, None, None, :])
            return self.predict_action(x.reshape(B, T, 3, -1)[:, :, 1])

    def _b():
        m = torch.ones(3, 8, dtype=torch.long)
        m[1, 5:] = 0
        m[2, 6:] = 0
        return dict(
            states=torch.randn(3, 8, 5),
            actions=torch.randn(3, 8, 2),
            returns_to_go=torch.rand(3, 8, 1),
            timesteps=torch.arange(8).repeat(3, 1),
            attention_mask=m,
        )

    return DecisionTransformer(), [_b(), _b()]


def sasrec_left_padding_not_masked(wrong=True):
    """mask | SASRec (left-padded) builds the timeline mask, zeroes the inputs with it, but attends to the padding: only the causal mask is passed. Right twin: padding keys blocked as well (diagonal kept open)."""

    class SASRec(nn.Module):
        def __init__(self, item_num=60, hidden=32, maxlen=12, blocks=2, heads=2):
            super().__init__()
            self.heads = heads
            self.item_emb = nn.Embedding(item_num + 1, hidden, padding_idx=0)
            self.pos_emb = nn.Embedding(maxlen, hidden)
            self.attention_layernorms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(blocks))
            self.attention_layers = nn.ModuleList(
                nn.MultiheadAttention(hidden, heads, batch_first=True) for _ in range(blocks)
            )
            self.forward_layernorms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(blocks))
            self.ff = nn.ModuleList(
                nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
                for _ in range(blocks)
            )
            self.last = nn.LayerNorm(hidden)

        def forward(self, log_seqs):
            seqs = self.item_emb(log_seqs) * self.item_emb.embedding_dim**0.5
            seqs = seqs + self.pos_emb.weight[: log_seqs.size(1)]
            timeline_mask = log_seqs == 0
            seqs = seqs * ~timeline_mask.unsqueeze(-1)
            tl = seqs.shape[1]
            attention_mask = ~torch.tril(torch.ones((tl, tl), dtype=torch.bool, device=seqs.device))
            blocked = attention_mask[None].repeat(len(log_seqs), 1, 1)
            if not wrong:
                blocked = blocked | timeline_mask[:, None, :]
                blocked = blocked & ~torch.eye(tl, dtype=torch.bool)
            blocked = blocked.repeat_interleave(self.heads, dim=0)
            for i in range(len(self.attention_layers)):
                Q = self.attention_layernorms[i](seqs)
                o, _ = self.attention_layers[i](
                    Q, seqs, seqs, attn_mask=blocked, need_weights=False
                )
                seqs = Q + o
                seqs = seqs + self.ff[i](self.forward_layernorms[i](seqs))
            return self.last(seqs) @ self.item_emb.weight.T

    def _b():
        s = torch.randint(1, 61, (3, 12))
        s[0, :4] = 0
        s[2, :2] = 0
        return s

    return SASRec(), [_b(), _b()]


def bert4rec_zero_one_mask_added(wrong=True):
    """mask | BERT4Rec adds the 0/1 mask to the scores. Right twin: masked_fill(mask == 0, -1e9)."""

    class Attention(nn.Module):
        def forward(self, query, key, value, mask=None):
            scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
            if mask is not None:
                if wrong:
                    scores = scores + mask
                else:
                    scores = scores.masked_fill(mask == 0, -1e9)
            p_attn = F.softmax(scores, dim=-1)
            return torch.matmul(p_attn, value), p_attn

    class MultiHeadedAttention(nn.Module):
        def __init__(self, h, d_model):
            super().__init__()
            self.d_k, self.h = d_model // h, h
            self.linear_layers = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(3)])
            self.output_linear = nn.Linear(d_model, d_model)
            self.attention = Attention()

        def forward(self, query, key, value, mask=None):
            n = query.size(0)
            query, key, value = [
                l(x).view(n, -1, self.h, self.d_k).transpose(1, 2)
                for l, x in zip(self.linear_layers, (query, key, value))
            ]
            x, _ = self.attention(query, key, value, mask=mask)
            return self.output_linear(x.transpose(1, 2).contiguous().view(n, -1, self.h * self.d_k))

    class BERT4Rec(nn.Module):
        def __init__(self, items=50, d=32):
            super().__init__()
            self.tok, self.pos = nn.Embedding(items + 2, d, padding_idx=0), nn.Embedding(10, d)
            self.att = nn.ModuleList(MultiHeadedAttention(4, d) for _ in range(2))
            self.ff = nn.ModuleList(
                nn.Sequential(nn.Linear(d, 64), nn.GELU(), nn.Linear(64, d)) for _ in range(2)
            )
            self.na, self.nf = (
                nn.ModuleList(nn.LayerNorm(d) for _ in range(2)),
                nn.ModuleList(nn.LayerNorm(d) for _ in range(2)),
            )
            self.out = nn.Linear(d, items + 1)

        def forward(self, x):
            mask = (x > 0).unsqueeze(1).repeat(1, x.size(1), 1).unsqueeze(1)
            x = self.tok(x) + self.pos.weight[: x.size(1)]
            for a, f, n, m in zip(self.att, self.ff, self.na, self.nf):
                y = n(x)
                x = x + a(y, y, y, mask=mask)
                x = x + f(m(x))
            return self.out(x)

    def _b():
        s = torch.randint(1, 52, (3, 10))
        s[0, :3] = 0
        s[1, :5] = 0
        return s

    return BERT4Rec(), [_b(), _b()]


def ft_transformer_row_attention(wrong=True):
    """heads | FT-Transformer (tabular): nn.MultiheadAttention without batch_first on (rows, features, d), so rows attend to rows. Right twin: batch_first=True."""

    class FeatureTokenizer(nn.Module):
        def __init__(self, n_num, cats, d):
            super().__init__()
            self.weight, self.bias = (
                nn.Parameter(torch.randn(n_num, d) * 0.3),
                nn.Parameter(torch.randn(n_num, d) * 0.3),
            )
            self.emb = nn.ModuleList(nn.Embedding(c, d) for c in cats)
            self.cls = nn.Parameter(torch.randn(d) * 0.3)

        def forward(self, xn, xc):
            t = [self.cls.expand(len(xn), 1, -1), xn[..., None] * self.weight + self.bias]
            t += [e(xc[:, i])[:, None] for i, e in enumerate(self.emb)]
            return torch.cat(t, 1)

    class FTT(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.tok = FeatureTokenizer(6, [3, 4, 5], d)
            bf = {} if wrong else dict(batch_first=True)
            self.layers = nn.ModuleList(
                nn.ModuleDict(
                    dict(
                        attention=nn.MultiheadAttention(d, 4, **bf),
                        norm0=nn.LayerNorm(d),
                        norm1=nn.LayerNorm(d),
                        linear0=nn.Linear(d, 96),
                        linear1=nn.Linear(48, d),
                    )
                )
                for _ in range(2)
            )
            self.head = nn.Sequential(nn.LayerNorm(d), nn.ReLU(), nn.Linear(d, 1))

        def forward(self, x_num, x_cat):
            x = self.tok(x_num, x_cat)
            for l in self.layers:
                y = l["norm0"](x)
                x = x + l["attention"](y, y, y)[0]
                a, b = l["linear0"](l["norm1"](x)).chunk(2, -1)
                x = x + l["linear1"](a * F.relu(b))
            return self.head(x[:, 0])

    return FTT(), [
        dict(
            x_num=torch.randn(8, 6),
            x_cat=torch.stack([torch.randint(0, c, (8,)) for c in (3, 4, 5)], 1),
        )
        for _ in range(2)
    ]


def itransformer_scale_missing_in_flash(wrong=True):
    """scale | iTransformer's FullAttention takes scale = self.scale or 1.; the 1/sqrt(E) was dropped. Right twin: self.scale or 1./sqrt(E)."""

    class FullAttention(nn.Module):
        def __init__(
            self, mask_flag=False, scale=None, attention_dropout=0.0, output_attention=False
        ):
            super().__init__()
            self.scale, self.mask_flag, self.output_attention = scale, mask_flag, output_attention
            self.dropout = nn.Dropout(attention_dropout)

        def forward(self, queries, keys, values):
            B, L, H, E = queries.shape
            scale = self.scale or (1.0 if wrong else 1.0 / math.sqrt(E))
            scores = torch.einsum("blhe,bshe->bhls", queries, keys)
            A = self.dropout(torch.softmax(scale * scores, dim=-1))
            V = torch.einsum("bhls,bshd->blhd", A, values)
            return (V.contiguous(), A) if self.output_attention else (V.contiguous(), None)

    class AttentionLayer(nn.Module):
        def __init__(self, attention, d_model, n_heads):
            super().__init__()
            self.inner_attention, self.n_heads = attention, n_heads
            self.query_projection, self.key_projection = (
                nn.Linear(d_model, d_model),
                nn.Linear(d_model, d_model),
            )
            self.value_projection, self.out_projection = (
                nn.Linear(d_model, d_model),
                nn.Linear(d_model, d_model),
            )

        def forward(self, q, k, v):
            B, L, _ = q.shape
            S, H = k.shape[1], self.n_heads
            o, a = self.inner_attention(
                self.query_projection(q).view(B, L, H, -1),
                self.key_projection(k).view(B, S, H, -1),
                self.value_projection(v).view(B, S, H, -1),
            )
            return self.out_projection(o.view(B, L, -1)), a

    class ITransformer(nn.Module):
        def __init__(self, seq_len=48, pred_len=12, d_model=64):
            super().__init__()
            self.emb = nn.Linear(seq_len, d_model)
            self.attn = nn.ModuleList(AttentionLayer(FullAttention(), d_model, 4) for _ in range(2))
            self.norm = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))
            self.proj = nn.Linear(d_model, pred_len)

        def forward(self, x):
            mu = x.mean(1, keepdim=True).detach()
            x = x - mu
            sd = torch.sqrt(x.var(1, keepdim=True, unbiased=False) + 1e-5)
            e = self.emb((x / sd).permute(0, 2, 1))
            for a, n in zip(self.attn, self.norm):
                e = n(e + a(e, e, e)[0])
            return self.proj(e).permute(0, 2, 1) * sd + mu

    return ITransformer(), [torch.randn(2, 48, 7).cumsum(1) for _ in range(2)]
