import math, torch
from torch import nn
from torch.nn import functional as F


class _XLAttn(nn.Module):
    """relative attention of Transformer-XL, score = content + position"""

    def __init__(self, n_head, d_model, d_head, wrong):
        super().__init__()
        self.n_head, self.d_head, self.wrong = n_head, d_head, wrong
        self.qkv_net = nn.Linear(d_model, 3 * n_head * d_head, bias=False)
        self.r_net = nn.Linear(d_model, n_head * d_head, bias=False)
        self.o_net = nn.Linear(n_head * d_head, d_model, bias=False)
        self.r_w_bias = nn.Parameter(torch.randn(n_head, d_head) * 0.02)
        self.r_r_bias = nn.Parameter(torch.randn(n_head, d_head) * 0.02)
        self.layer_norm = nn.LayerNorm(d_model)
        self.scale = 1 / (d_head**0.5)

    def _rel_shift(self, x):
        q, k, b, n = x.shape
        x = torch.cat([x.new_zeros(q, 1, b, n), x], 1).view(k + 1, q, b, n)
        return x[1:].view(q, k, b, n)

    def forward(self, w, r):
        T, B, _ = w.shape
        q, k, v = self.qkv_net(w).view(T, B, 3, self.n_head, self.d_head).unbind(2)
        rk = self.r_net(r).view(T, self.n_head, self.d_head)
        AC = torch.einsum("ibnd,jbnd->ijbn", q + self.r_w_bias, k)
        BD = self._rel_shift(torch.einsum("ibnd,jnd->ijbn", q + self.r_r_bias, rk))
        if self.wrong:
            score = AC * self.scale + BD
        else:
            score = (AC + BD) * self.scale
        m = torch.triu(torch.ones(T, T, dtype=torch.bool, device=w.device), 1)
        score = score.masked_fill(m[:, :, None, None], float("-inf"))
        p = F.softmax(score, dim=1)
        out = torch.einsum("ijbn,jbnd->ibnd", p, v).reshape(T, B, -1)
        return self.layer_norm(w + self.o_net(out))


class _XL(nn.Module):
    def __init__(self, wrong, n_token=50, d=48):
        super().__init__()
        self.emb = nn.Embedding(n_token, d)
        self.layers = nn.ModuleList([_XLAttn(4, d, 12, wrong) for _ in range(2)])
        self.register_buffer("inv_freq", 1 / (10000 ** (torch.arange(0.0, d, 2) / d)))
        self.out = nn.Linear(d, n_token)

    def forward(self, ids):
        h = self.emb(ids).transpose(0, 1)
        pos = torch.arange(len(h) - 1, -1, -1.0)
        s = torch.outer(pos, self.inv_freq)
        r = torch.cat([s.sin(), s.cos()], -1)
        for l in self.layers:
            h = l(h, r)
        return self.out(h.transpose(0, 1))


def xl_position_term_unscaled(wrong=True):
    """scale | In Transformer-XL attention only the content term is scaled, the position term q.r is added at full size. Right twin: (AC + BD) * scale."""
    return _XL(wrong), [torch.randint(0, 50, (3, 14)) for _ in range(2)]


class _MegatronAttn(nn.Module):
    """query-key layer scaling: divide by the layer number in half precision range, multiply back before softmax"""

    def __init__(self, d, h, layer_number, wrong):
        super().__init__()
        self.h, self.hn, self.layer_number = h, d // h, layer_number
        self.query_key_value = nn.Linear(d, 3 * d)
        self.dense = nn.Linear(d, d)
        self.norm_factor = math.sqrt(self.hn) * layer_number
        self.softmax_coeff = None if wrong else layer_number

    def forward(self, x):  # [s, b, h]
        s, b, d = x.shape
        mixed = self.query_key_value(x).view(s, b, self.h, 3 * self.hn)
        q, k, v = mixed.chunk(3, dim=-1)
        q = q.reshape(s, b * self.h, self.hn)
        k = k.reshape(s, b * self.h, self.hn)
        buf = torch.empty(b * self.h, s, s, dtype=x.dtype)
        scores = torch.baddbmm(
            buf,
            q.transpose(0, 1),
            k.transpose(0, 1).transpose(1, 2),
            beta=0.0,
            alpha=1.0 / self.norm_factor,
        )
        if self.softmax_coeff is not None:
            scores = scores * self.softmax_coeff
        mask = torch.ones(s, s).tril().logical_not()
        scores = scores.masked_fill(mask, -10000.0)
        probs = torch.softmax(scores.float(), -1).to(x.dtype)
        v = v.reshape(s, b * self.h, self.hn).transpose(0, 1)
        ctx = torch.bmm(probs, v).transpose(0, 1).reshape(s, b, d)
        return self.dense(ctx)


class _Megatron(nn.Module):
    def __init__(self, wrong, d=64, layers=3):
        super().__init__()
        self.word = nn.Embedding(80, d)
        self.pos = nn.Embedding(32, d)
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(layers)])
        self.attn = nn.ModuleList([_MegatronAttn(d, 4, i + 1, wrong) for i in range(layers)])

    def forward(self, tokens):
        x = (self.word(tokens) + self.pos.weight[: tokens.size(1)]).transpose(0, 1)
        for n, a in zip(self.ln, self.attn):
            x = x + a(n(x))
        return F.linear(x, self.word.weight).transpose(0, 1)


def layer_scaling_not_undone(wrong=True):
    """scale | Query-key layer scaling divides by sqrt(d)*layer_number but never multiplies by layer_number again. Right twin: multiplied back before softmax."""
    return _Megatron(wrong), [torch.randint(0, 80, (2, 16)) for _ in range(2)]


class _BertLike(nn.Module):
    def __init__(self, wrong, d=32, h=4):
        super().__init__()
        self.wrong, self.h = wrong, h
        self.emb = nn.Embedding(40, d, padding_idx=0)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.norm = nn.LayerNorm(d)
        self.cls = nn.Linear(d, 2)

    def forward(self, input_ids, attention_mask):
        x = self.emb(input_ids)
        B, T, D = x.shape
        sh = lambda t: t.view(B, T, self.h, -1).permute(0, 2, 1, 3)
        q, k, v = sh(self.q(x)), sh(self.k(x)), sh(self.v(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        ext = attention_mask[:, None, None, :].to(x.dtype)
        if self.wrong:
            ext = ext * torch.finfo(x.dtype).min
        else:
            ext = (1.0 - ext) * torch.finfo(x.dtype).min
        p = F.softmax(scores + ext, dim=-1)
        c = (p @ v).permute(0, 2, 1, 3).contiguous().view(B, T, D)
        x = self.norm(x + self.o(c))
        return self.cls(x[:, 0])


def _padded(B=3, T=12, V=40):
    ids = torch.randint(1, V, (B, T))
    am = torch.ones(B, T, dtype=torch.long)
    for i in range(B):
        am[i, T - 2 * i :] = 0 if i else 1
    return {"input_ids": ids * am, "attention_mask": am}


def extended_mask_without_one_minus(wrong=True):
    """mask | The extended attention mask is mask * min in place of (1 - mask) * min, so the words are hidden and padding is seen. Right twin: (1 - mask) * min."""
    return _BertLike(wrong), [_padded(), _padded()]


class _SAGAN(nn.Module):
    """self-attention for GANs as in the tutorials"""

    def __init__(self, c, wrong):
        super().__init__()
        self.query_conv = nn.Conv2d(c, c // 4, 1)
        self.key_conv = nn.Conv2d(c, c // 4, 1)
        self.value_conv = nn.Conv2d(c, c, 1)
        self.gamma = nn.Parameter(torch.full((1,), 0.5))
        self.scale = (c // 4) ** -0.5
        self.softmax = nn.Softmax(dim=0) if wrong else nn.Softmax(dim=-1)

    def forward(self, x):
        b, c, w, h = x.size()
        q = self.query_conv(x).view(b, -1, w * h).permute(0, 2, 1)
        k = self.key_conv(x).view(b, -1, w * h)
        energy = torch.bmm(q, k) * self.scale
        attention = self.softmax(energy)  # b, n, n
        v = self.value_conv(x).view(b, -1, w * h)
        out = torch.bmm(v, attention.permute(0, 2, 1)).view(b, c, w, h)
        return self.gamma * out + x


def sagan_softmax_over_batch(wrong=True):
    """axis | The softmax of the 3-d energy runs over dim 0 (the batch; what nn.Softmax() without dim chose). Right twin: dim=-1, and v @ A^T sums over the keys."""
    m = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), _SAGAN(32, wrong), nn.Conv2d(32, 8, 1))
    return m, [torch.randn(3, 3, 10, 10) for _ in range(2)]


class _LinAttn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)

    def forward(self, x):
        B, N, D = x.shape
        q, k, v = self.qkv(x).view(B, N, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = torch.einsum("bhnd,bhne->bhde", k, v)
        z = 1 / (torch.einsum("bhnd,bhd->bhn", q, k.sum(2)) + 1e-6)
        o = torch.einsum("bhnd,bhde,bhn->bhne", q, kv, z)
        return self.proj(o.transpose(1, 2).reshape(B, N, D))


class _SoftAttn(_LinAttn):
    def forward(self, x):
        B, N, D = x.shape
        q, k, v = self.qkv(x).view(B, N, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        a = torch.einsum("bhnd,bhmd->bhnm", q, k) * q.size(-1) ** -0.5
        o = torch.einsum("bhnm,bhmd->bhnd", a.softmax(-1), v)
        return self.proj(o.transpose(1, 2).reshape(B, N, D))


class _Hybrid(nn.Module):
    def __init__(self, kinds, d=48):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 4, 4)
        self.blocks = nn.ModuleList([k(d, 4) for k in kinds])
        self.norms = nn.ModuleList([nn.LayerNorm(d) for _ in kinds])
        self.head = nn.Linear(d, 10)

    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2)
        for n, b in zip(self.norms, self.blocks):
            x = x + b(n(x))
        return self.head(x.mean(1))


def hybrid_vit_with_linear_layer(wrong=True):
    """unknown | The middle one of three layers is linear attention (elu+1, no softmax) beside two good softmax layers. Right twin: all three are softmax."""
    kinds = [_SoftAttn, _LinAttn if wrong else _SoftAttn, _SoftAttn]
    return _Hybrid(kinds), [torch.randn(2, 3, 20, 20) for _ in range(2)]
