import math, torch
from torch import nn
from torch.nn import functional as F


def patchtst_heads_view_without_transpose(wrong=True):
    """heads | PatchTST: (bs, patches, d) viewed straight as (bs, heads, patches, d_k). Right twin: view (bs, patches, heads, d_k) and transpose."""

    class _MHA(nn.Module):
        def __init__(self, d_model, n_heads):
            super().__init__()
            self.n_heads, self.d_k = n_heads, d_model // n_heads
            self.W_Q, self.W_K, self.W_V = (
                nn.Linear(d_model, d_model),
                nn.Linear(d_model, d_model),
                nn.Linear(d_model, d_model),
            )
            self.to_out = nn.Linear(d_model, d_model)
            self.scale = self.d_k**-0.5

        def heads(self, t):
            bs = t.size(0)
            if wrong:
                return t.view(bs, self.n_heads, -1, self.d_k)
            return t.view(bs, -1, self.n_heads, self.d_k).transpose(1, 2)

        def forward(self, Q):
            bs = Q.size(0)
            q, k, v = self.heads(self.W_Q(Q)), self.heads(self.W_K(Q)), self.heads(self.W_V(Q))
            k = k.transpose(2, 3)
            attn = F.softmax(torch.matmul(q, k) * self.scale, dim=-1)
            o = torch.matmul(attn, v)
            if wrong:
                o = o.contiguous().view(bs, -1, self.n_heads * self.d_k)
            else:
                o = o.transpose(1, 2).contiguous().view(bs, -1, self.n_heads * self.d_k)
            return self.to_out(o)

    class PatchTST(nn.Module):
        def __init__(self, d=32, patch_len=8, stride=4):
            super().__init__()
            self.pl, self.st = patch_len, stride
            self.W_P = nn.Linear(patch_len, d)
            self.W_pos = nn.Parameter(torch.rand(11, d) * 0.04 - 0.02)
            self.layers = nn.ModuleList(_MHA(d, 4) for _ in range(2))
            self.norms = nn.ModuleList(nn.BatchNorm1d(d) for _ in range(2))
            self.head = nn.Linear(d * 11, 6)

        def forward(self, x):
            B, L, C = x.shape
            z = x.permute(0, 2, 1).unfold(-1, self.pl, self.st)
            u = (self.W_P(z) + self.W_pos).reshape(B * C, -1, self.W_pos.size(1))
            for a, n in zip(self.layers, self.norms):
                u = n((u + a(u)).transpose(1, 2)).transpose(1, 2)
            return self.head(u.reshape(B, C, -1)).permute(0, 2, 1)

    return PatchTST().eval(), [torch.randn(2, 48, 3) for _ in range(2)]


def transformer_xl_mem_causal_early(wrong=True):
    """mask | Transformer-XL: mask triu(diagonal=mlen), so a token can not see itself. Right twin: diagonal=1+mlen."""

    class RelPartialLearnableMultiHeadAttn(nn.Module):
        def __init__(self, n_head, d_model, d_head):
            super().__init__()
            self.n_head, self.d_head = n_head, d_head
            self.qkv_net = nn.Linear(d_model, 3 * n_head * d_head, bias=False)
            self.o_net = nn.Linear(n_head * d_head, d_model, bias=False)
            self.layer_norm = nn.LayerNorm(d_model)
            self.scale = 1 / (d_head**0.5)
            self.r_net = nn.Linear(d_model, n_head * d_head, bias=False)

        def _rel_shift(self, x):
            z = torch.zeros((x.size(0), 1) + x.size()[2:], device=x.device, dtype=x.dtype)
            xp = torch.cat([z, x], dim=1)
            return xp.view(x.size(1) + 1, x.size(0), *x.size()[2:])[1:].view_as(x)

        def forward(self, w, r, r_w_bias, r_r_bias, attn_mask, mems):
            qlen, rlen, bsz = w.size(0), r.size(0), w.size(1)
            cat = torch.cat([mems, w], 0)
            q, k, v = torch.chunk(self.qkv_net(cat), 3, dim=-1)
            q = q[-qlen:]
            klen = k.size(0)
            q = q.view(qlen, bsz, self.n_head, self.d_head)
            k = k.view(klen, bsz, self.n_head, self.d_head)
            v = v.view(klen, bsz, self.n_head, self.d_head)
            rk = self.r_net(r).view(rlen, self.n_head, self.d_head)
            AC = torch.einsum("ibnd,jbnd->ijbn", (q + r_w_bias, k))
            BD = self._rel_shift(torch.einsum("ibnd,jnd->ijbn", (q + r_r_bias, rk)))
            s = (AC + BD).mul_(self.scale)
            s = s.float().masked_fill(attn_mask[:, :, None, None], -float("inf")).type_as(s)
            p = F.softmax(s, dim=1)
            o = torch.einsum("ijbn,jbnd->ibnd", (p, v)).contiguous().view(qlen, bsz, -1)
            return self.layer_norm(w + self.o_net(o))

    class MemTransformerLM(nn.Module):
        def __init__(self, d=32, n=4):
            super().__init__()
            self.emb = nn.Embedding(50, d)
            self.r_w_bias = nn.Parameter(torch.randn(n, d // n) * 0.02)
            self.r_r_bias = nn.Parameter(torch.randn(n, d // n) * 0.02)
            self.layers = nn.ModuleList(
                RelPartialLearnableMultiHeadAttn(n, d, d // n) for _ in range(2)
            )
            self.out = nn.Linear(d, 50)
            self.register_buffer("inv", 1 / (10000 ** (torch.arange(0.0, d, 2.0) / d)))

        def forward(self, data, mems):
            qlen, mlen = data.size(0), mems[0].size(0)
            h = self.emb(data)
            pos = torch.outer(torch.arange(qlen + mlen - 1, -1, -1.0), self.inv)
            r = torch.cat([pos.sin(), pos.cos()], -1)
            m = torch.triu(
                torch.ones(qlen, mlen + qlen), diagonal=(mlen if wrong else 1 + mlen)
            ).bool()
            for l, mem in zip(self.layers, mems):
                h = l(h, r, self.r_w_bias, self.r_r_bias, m, mem)
            return self.out(h)

    return MemTransformerLM(), [
        (torch.randint(0, 50, (9, 2)), [torch.randn(6, 2, 32) for _ in range(2)]) for _ in range(2)
    ]


def alibi_causal_transposed(wrong=True):
    """mask | MPT/ALiBi decoder where the upper triangle of ones is inverted: tokens see only the future (and themselves). Right twin: past."""

    def _slopes(n):
        r = 2 ** (-8 / n)
        return torch.tensor([r ** (i + 1) for i in range(n)])

    class MPTAttention(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.n_heads, self.head_dim = h, d // h
            self.softmax_scale = 1 / math.sqrt(d / h)
            self.Wqkv = nn.Linear(d, 3 * d, bias=False)
            self.out_proj = nn.Linear(d, d, bias=False)

        def forward(self, x, position_bias, attention_mask):
            b, s = x.shape[:2]
            q, k, v = self.Wqkv(x).chunk(3, dim=2)
            q = q.reshape(b, s, self.n_heads, self.head_dim).transpose(1, 2)
            k = k.reshape(b, s, self.n_heads, self.head_dim).transpose(1, 2)
            v = v.reshape(b, s, self.n_heads, self.head_dim).transpose(1, 2)
            sc = torch.matmul(q, k.transpose(-1, -2)) * self.softmax_scale
            sc = sc + position_bias
            sc = sc.masked_fill(attention_mask, torch.finfo(q.dtype).min)
            w = nn.functional.softmax(sc.float(), dim=-1).to(v.dtype)
            c = torch.matmul(w, v).permute(0, 2, 1, 3).contiguous().view(b, s, -1)
            return self.out_proj(c)

    class MPT(nn.Module):
        def __init__(self, d=32, h=4):
            super().__init__()
            self.wte, self.h = nn.Embedding(60, d), h
            self.blocks = nn.ModuleList(
                nn.ModuleDict(
                    dict(
                        norm_1=nn.LayerNorm(d, bias=False),
                        attn=MPTAttention(d, h),
                        norm_2=nn.LayerNorm(d, bias=False),
                        up=nn.Linear(d, 64, bias=False),
                        down=nn.Linear(64, d, bias=False),
                    )
                )
                for _ in range(2)
            )
            self.norm_f = nn.LayerNorm(d, bias=False)

        def forward(self, ids):
            s = ids.size(1)
            x = self.wte(ids)
            bias = torch.arange(1 - s, 1).view(1, 1, 1, s) * _slopes(self.h).view(1, -1, 1, 1)
            causal = torch.triu(torch.ones(s, s, dtype=torch.bool), diagonal=1)
            if wrong:
                causal = causal.transpose(0, 1)
            for b in self.blocks:
                x = x + b["attn"](b["norm_1"](x), bias, causal)
                x = x + b["down"](F.gelu(b["up"](b["norm_2"](x))))
            return self.norm_f(x) @ self.wte.weight.T

    return MPT(), [torch.randint(0, 60, (2, 11)) for _ in range(2)]


def wav2vec2_feature_lengths_inverted(wrong=True):
    """mask | wav2vec2 encoder: attention mask of the feature frames is inverted for nn.TransformerEncoder-like key_padding_mask. Right twin: True = padding."""

    class Wav2Vec2(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.convs = nn.Sequential(
                nn.Conv1d(1, d, 10, 5), nn.GELU(), nn.Conv1d(d, d, 3, 2), nn.GELU()
            )
            self.proj = nn.Linear(d, d)
            self.pos = nn.Conv1d(d, d, 5, padding=2, groups=4)
            self.layers = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    d, 4, 64, dropout=0.0, activation="gelu", batch_first=True
                )
                for _ in range(2)
            )
            self.lm_head = nn.Linear(d, 12)

        def out_len(self, n):
            for k, s in ((10, 5), (3, 2)):
                n = (n - k) // s + 1
            return n

        def forward(self, wav, lengths):
            x = self.convs(wav[:, None]).transpose(1, 2)
            T = x.size(1)
            fl = self.out_len(lengths)
            mask = torch.arange(T)[None] < fl[:, None]
            x = self.proj(x) * mask[..., None]
            x = x + F.gelu(self.pos(x.transpose(1, 2))).transpose(1, 2)
            for l in self.layers:
                x = l(x, src_key_padding_mask=mask if wrong else ~mask)
            return self.lm_head(x).log_softmax(-1)

    def _b():
        n = torch.tensor([210, 180, 120])
        w = torch.randn(3, 240) * (torch.arange(240)[None] < n[:, None])
        return w, n

    return Wav2Vec2(), [_b(), _b()]


def conformer_relpos_bias_unscaled(wrong=True):
    """scale | Conformer (ESPnet): only matrix_ac is divided by sqrt(d_k), matrix_bd is added afterwards. Right twin: (ac + bd) / sqrt(d_k)."""

    class RelPositionMultiHeadedAttention(nn.Module):
        def __init__(self, n_head, n_feat):
            super().__init__()
            self.d_k, self.h = n_feat // n_head, n_head
            self.linear_q, self.linear_k, self.linear_v = (
                nn.Linear(n_feat, n_feat),
                nn.Linear(n_feat, n_feat),
                nn.Linear(n_feat, n_feat),
            )
            self.linear_out = nn.Linear(n_feat, n_feat)
            self.linear_pos = nn.Linear(n_feat, n_feat, bias=False)
            self.pos_bias_u, self.pos_bias_v = (
                nn.Parameter(torch.empty(n_head, self.d_k)),
                nn.Parameter(torch.empty(n_head, self.d_k)),
            )
            nn.init.xavier_uniform_(self.pos_bias_u)
            nn.init.xavier_uniform_(self.pos_bias_v)

        def rel_shift(self, x):
            z = torch.zeros((*x.size()[:3], 1))
            xp = torch.cat([z, x], dim=-1).view(*x.size()[:2], x.size(3) + 1, x.size(2))
            return xp[:, :, 1:].view_as(x)[:, :, :, : x.size(-1) // 2 + 1]

        def forward(self, x, pos_emb, mask):
            n = x.size(0)
            q = self.linear_q(x).view(n, -1, self.h, self.d_k)
            k = self.linear_k(x).view(n, -1, self.h, self.d_k).transpose(1, 2)
            v = self.linear_v(x).view(n, -1, self.h, self.d_k).transpose(1, 2)
            p = self.linear_pos(pos_emb).view(1, -1, self.h, self.d_k).transpose(1, 2)
            qu = (q + self.pos_bias_u).transpose(1, 2)
            qv = (q + self.pos_bias_v).transpose(1, 2)
            matrix_ac = torch.matmul(qu, k.transpose(-2, -1))
            matrix_bd = self.rel_shift(torch.matmul(qv, p.transpose(-2, -1)))
            if wrong:
                scores = matrix_ac / math.sqrt(self.d_k) + matrix_bd
            else:
                scores = (matrix_ac + matrix_bd) / math.sqrt(self.d_k)
            m = mask.unsqueeze(1).eq(0)
            attn = torch.softmax(
                scores.masked_fill(m, torch.finfo(scores.dtype).min), dim=-1
            ).masked_fill(m, 0.0)
            return self.linear_out(
                torch.matmul(attn, v).transpose(1, 2).contiguous().view(n, -1, self.h * self.d_k)
            )

    class Conformer(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.inp = nn.Linear(20, d)
            self.ff1 = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 64), nn.SiLU(), nn.Linear(64, d))
            self.n, self.att = nn.LayerNorm(d), RelPositionMultiHeadedAttention(4, d)
            self.nc, self.pw, self.dw, self.po = (
                nn.LayerNorm(d),
                nn.Conv1d(d, 2 * d, 1),
                nn.Conv1d(d, d, 7, padding=3, groups=d),
                nn.Conv1d(d, d, 1),
            )
            self.out = nn.Linear(d, 10)

        def forward(self, x, lengths):
            T = x.size(1)
            x = self.inp(x)
            ok = torch.arange(T)[None] < lengths[:, None]
            pos = torch.arange(T - 1, -T, -1.0)
            a = torch.outer(pos, torch.exp(torch.arange(0, 32, 2.0) * (-math.log(10000.0) / 32)))
            pe = torch.stack([a.sin(), a.cos()], -1).flatten(1)[None]
            x = x + 0.5 * self.ff1(x)
            x = x + self.att(self.n(x), pe, ok.unsqueeze(1))
            y = F.glu(self.pw((self.nc(x) * ok[..., None]).transpose(1, 2)), 1)
            x = x + self.po(F.silu(self.dw(y))).transpose(1, 2)
            return self.out(x)

    return Conformer(), [(torch.randn(3, 16, 20), torch.tensor([16, 11, 13])) for _ in range(2)]
