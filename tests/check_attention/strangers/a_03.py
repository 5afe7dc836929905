import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 11
class _PerceiverAttention(nn.Module):
    def __init__(self, q_dim, kv_dim, qk_channels, v_channels, heads, from_v):
        super().__init__()
        self.num_heads = heads
        self.qk_channels_per_head = qk_channels // heads
        self.v_channels_per_head = v_channels // heads
        self.layernorm1, self.layernorm2 = nn.LayerNorm(q_dim), nn.LayerNorm(kv_dim)
        self.query = nn.Linear(q_dim, qk_channels)
        self.key = nn.Linear(kv_dim, qk_channels)
        self.value = nn.Linear(kv_dim, v_channels)
        self.dense = nn.Linear(v_channels, q_dim)
        self.from_v = from_v

    def _split(self, x, c):
        return x.view(*x.shape[:-1], self.num_heads, c).permute(0, 2, 1, 3)

    def forward(self, hidden_states, inputs):
        h, i = self.layernorm1(hidden_states), self.layernorm2(inputs)
        queries = self._split(self.query(h), self.qk_channels_per_head)
        keys = self._split(self.key(i), self.qk_channels_per_head)
        values = self._split(self.value(i), self.v_channels_per_head)
        attention_scores = torch.matmul(queries, keys.transpose(-1, -2))
        _, _, _, head_dim = values.shape if self.from_v else queries.shape
        attention_scores = attention_scores / math.sqrt(head_dim)
        attention_probs = nn.Softmax(dim=-1)(attention_scores)
        ctx = torch.matmul(attention_probs, values).permute(0, 2, 1, 3).flatten(2)
        return hidden_states + self.dense(ctx)


class _Perceiver(nn.Module):
    def __init__(self, from_v):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(8, 64) * 0.02)
        self.cross = _PerceiverAttention(64, 20, 16, 64, 2, from_v)
        self.selfa = _PerceiverAttention(64, 64, 16, 64, 2, from_v)
        self.head = nn.Linear(64, 5)

    def forward(self, x):
        z = self.latents.expand(x.shape[0], -1, -1)
        z = self.cross(z, x)
        z = self.selfa(z, z)
        return self.head(z.mean(1))


def perceiver_size_of_values(wrong=True):
    """scale | root of the values' head size (32) where q and k have 8. Right twin: root of the queries' head size."""
    return _Perceiver(wrong), [torch.randn(3, 40, 20)]


# ---------------------------------------------------------------- 12
def _rope(x, base=10000.0):
    T, D = x.shape[-2:]
    f = base ** (-torch.arange(0, D, 2, device=x.device).float() / D)
    ang = torch.arange(T, device=x.device).float()[:, None] * f
    cos, sin = torch.cat([ang, ang], -1).cos(), torch.cat([ang, ang], -1).sin()
    x1, x2 = x.chunk(2, -1)
    return x * cos + torch.cat([-x2, x1], -1) * sin


def _repeat_kv(x, n):
    b, h, t, d = x.shape
    return x[:, :, None].expand(b, h, n, t, d).reshape(b, h * n, t, d)


class _LlamaAttention(nn.Module):
    def __init__(self, hidden=64, heads=8, kv_heads=2, by_kv=True):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        self.head_dim = hidden // heads
        self.q_proj = nn.Linear(hidden, heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden, kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden, kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden, hidden, bias=False)
        self.softmax_denominator = math.sqrt(hidden // (kv_heads if by_kv else heads))

    def forward(self, x):
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, self.heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.kv_heads, self.head_dim).transpose(1, 2)
        q, k = _rope(q), _rope(k)
        k, v = (
            _repeat_kv(k, self.heads // self.kv_heads),
            _repeat_kv(v, self.heads // self.kv_heads),
        )
        s = torch.matmul(q, k.transpose(2, 3)) / self.softmax_denominator
        s = s + torch.full((t, t), torch.finfo(s.dtype).min, device=s.device).triu(1)
        p = F.softmax(s, dim=-1, dtype=torch.float32).to(q.dtype)
        return self.o_proj(torch.matmul(p, v).transpose(1, 2).reshape(b, t, -1))


class _Llama(nn.Module):
    def __init__(self, by_kv):
        super().__init__()
        self.embed = nn.Embedding(90, 64)
        self.attn = nn.ModuleList([_LlamaAttention(by_kv=by_kv) for _ in range(2)])
        self.norm = nn.ModuleList([nn.RMSNorm(64) for _ in range(3)])
        self.lm_head = nn.Linear(64, 90, bias=False)

    def forward(self, input_ids):
        x = self.embed(input_ids)
        for a, n in zip(self.attn, self.norm):
            x = x + a(n(x))
        return self.lm_head(self.norm[-1](x))


def llama_gqa_divides_by_kv_heads(wrong=True):
    """scale | root of hidden // kv_heads (32). Right twin: root of hidden // heads (8), the heads' size."""
    return _Llama(wrong), [torch.randint(0, 90, (2, 15))]


# ---------------------------------------------------------------- 13
class _MAB(nn.Module):
    def __init__(self, dim_Q, dim_K, dim_V, num_heads, whole):
        super().__init__()
        self.dim_V, self.num_heads, self.whole = dim_V, num_heads, whole
        self.fc_q = nn.Linear(dim_Q, dim_V)
        self.fc_k = nn.Linear(dim_K, dim_V)
        self.fc_v = nn.Linear(dim_K, dim_V)
        self.fc_o = nn.Linear(dim_V, dim_V)

    def forward(self, Q, K):
        Q = self.fc_q(Q)
        K, V = self.fc_k(K), self.fc_v(K)
        dim_split = self.dim_V // self.num_heads
        Q_ = torch.cat(Q.split(dim_split, 2), 0)
        K_ = torch.cat(K.split(dim_split, 2), 0)
        V_ = torch.cat(V.split(dim_split, 2), 0)
        root = math.sqrt(self.dim_V if self.whole else dim_split)
        A = torch.softmax(Q_.bmm(K_.transpose(1, 2)) / root, 2)
        O = torch.cat((Q_ + A.bmm(V_)).split(Q.size(0), 0), 2)
        return O + F.relu(self.fc_o(O))


class _SetTransformer(nn.Module):
    def __init__(self, whole, d=48, h=4):
        super().__init__()
        self.I = nn.Parameter(torch.empty(1, 6, d))
        self.S = nn.Parameter(torch.empty(1, 2, d))
        nn.init.xavier_uniform_(self.I), nn.init.xavier_uniform_(self.S)
        self.mab0, self.mab1 = _MAB(d, 3, d, h, whole), _MAB(3, d, d, h, whole)
        self.pma, self.sab = _MAB(d, d, d, h, whole), _MAB(d, d, d, h, whole)
        self.out = nn.Linear(d, 4)

    def forward(self, X):
        H = self.mab1(X, self.mab0(self.I.repeat(X.size(0), 1, 1), X))
        P = self.pma(self.S.repeat(X.size(0), 1, 1), H)
        return self.out(self.sab(P, P))


def set_transformer_root_of_dim_v(wrong=True):
    """scale | the published root of dim_V (all heads). Right twin: root of dim_split."""
    return _SetTransformer(wrong), [torch.randn(3, 25, 3)]


# ---------------------------------------------------------------- 14
class _WindowAttention(nn.Module):
    def __init__(self, dim, ws, num_heads, lost):
        super().__init__()
        self.ws, self.num_heads, self.lost = ws, num_heads, lost
        self.scale = (dim // num_heads) ** -0.5
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * ws - 1) ** 2, num_heads))
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)
        c = torch.stack(torch.meshgrid(torch.arange(ws), torch.arange(ws), indexing="ij")).flatten(
            1
        )
        r = (c[:, :, None] - c[:, None, :]) + ws - 1
        self.register_buffer("relative_position_index", r[0] * (2 * ws - 1) + r[1])
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        B_, N, C = x.shape
        q, k, v = (
            self.qkv(x)
            .reshape(B_, N, 3, self.num_heads, C // self.num_heads)
            .permute(2, 0, 3, 1, 4)
        )
        if self.lost:
            q.mul(self.scale)
        else:
            q = q.mul(self.scale)
        attn = q @ k.transpose(-2, -1)
        b = self.relative_position_bias_table[self.relative_position_index.view(-1)].view(N, N, -1)
        attn = self.softmax(attn + b.permute(2, 0, 1).unsqueeze(0))
        return self.proj((attn @ v).transpose(1, 2).reshape(B_, N, C))


class _SwinStage(nn.Module):
    def __init__(self, lost, dim=32, ws=4):
        super().__init__()
        self.ws = ws
        self.embed = nn.Conv2d(3, dim, 2, 2)
        self.norm = nn.LayerNorm(dim)
        self.attn = _WindowAttention(dim, ws, 2, lost)
        self.head = nn.Linear(dim, 6)

    def forward(self, img):
        x = self.embed(img).permute(0, 2, 3, 1)
        B, H, W, C = x.shape
        w = self.ws
        win = (
            self.norm(x)
            .view(B, H // w, w, W // w, w, C)
            .permute(0, 1, 3, 2, 4, 5)
            .reshape(-1, w * w, C)
        )
        win = (
            self.attn(win)
            .view(B, H // w, W // w, w, w, C)
            .permute(0, 1, 3, 2, 4, 5)
            .reshape(B, H, W, C)
        )
        return self.head((x + win).mean((1, 2)))


def swin_result_of_mul_lost(wrong=True):
    """scale | q.mul(self.scale) without taking its result. Right twin: q = q.mul(self.scale)."""
    return _SwinStage(wrong), [torch.randn(2, 3, 16, 16)]


# ---------------------------------------------------------------- 15
class _ProteinRowAttention(nn.Module):
    """ESM-like, time first, with a pair bias and a gate"""

    def __init__(self, dim, heads, pair_dim, wrong):
        super().__init__()
        self.h = heads
        if wrong:
            self.norm_fact = dim // heads**-0.5
        else:
            self.norm_fact = (dim // heads) ** -0.5
        self.ln, self.ln_z = nn.LayerNorm(dim), nn.LayerNorm(pair_dim)
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.g, self.o = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.b = nn.Linear(pair_dim, heads, bias=False)

    def forward(self, m, z):
        s, r, c = m.shape[-3:]
        m = self.ln(m)
        heads = lambda t: t.unflatten(-1, (self.h, -1))
        q, k, v = heads(self.q(m)), heads(self.k(m)), heads(self.v(m))
        bias = self.b(self.ln_z(z)).permute(0, 3, 1, 2)[:, None]
        logits = torch.einsum("bsihc,bsjhc->bshij", q, k) * self.norm_fact + bias
        a = torch.softmax(logits, -1)
        o = torch.einsum("bshij,bsjhc->bsihc", a, v) * torch.sigmoid(heads(self.g(m)))
        return self.o(o.flatten(-2))


class _Evo(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.emb = nn.Embedding(23, 32)
        self.pair = nn.Embedding(33, 16)
        self.attn = nn.ModuleList([_ProteinRowAttention(32, 4, 16, wrong) for _ in range(2)])

    def forward(self, msa):
        m = self.emb(msa)
        i = torch.arange(msa.shape[-1], device=msa.device)
        z = self.pair((i[:, None] - i[None]).clamp(-16, 16) + 16)[None].expand(
            msa.shape[0], -1, -1, -1
        )
        for a in self.attn:
            m = m + a(m, z)
        return m


def protein_floor_division_precedence(wrong=True):
    """scale | dim // heads ** -0.5 is 64, a multiplication by 64. Right twin: (dim // heads) ** -0.5."""
    return _Evo(wrong), [torch.randint(0, 23, (2, 3, 14))]
