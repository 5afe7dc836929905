import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 16
def sdpa_bool_mask_convention(wrong=True):
    """mask | A bool mask in the convention of nn.MultiheadAttention (True = padding) is passed to F.scaled_dot_product_attention (True = attend). Right twin: inverted before."""

    class MHSA(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.head_dim = embed_dim // num_heads
            self.in_proj = nn.Linear(embed_dim, 3 * embed_dim)
            self.out_proj = nn.Linear(embed_dim, embed_dim)

        def forward(self, x, key_padding_mask=None):
            N, S, E = x.shape
            qkv = self.in_proj(x).reshape(N, S, 3, self.num_heads, self.head_dim)
            q, k, v = torch.einsum("nschd->cnhsd", qkv)
            attn_mask = None
            if key_padding_mask is not None:
                attn_mask = key_padding_mask.view(N, 1, 1, S)
                if not wrong:
                    attn_mask = attn_mask.logical_not()
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)
            return self.out_proj(y.transpose(1, 2).flatten(-2))

    class ClickStream(nn.Module):
        def __init__(self, items=70, dim=48):
            super().__init__()
            self.item = nn.Embedding(items, dim, padding_idx=0)
            self.cls = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
            self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.attn = MHSA(dim, 6)
            self.mlp = nn.Sequential(nn.Linear(dim, dim * 2), nn.ReLU(), nn.Linear(dim * 2, dim))
            self.score = nn.Linear(dim, 1)

        def forward(self, clicks):
            x = torch.cat([self.cls.expand(len(clicks), -1, -1), self.item(clicks)], 1)
            pad = F.pad(clicks == 0, (1, 0), value=False)
            x = x + self.attn(self.norm1(x), pad)
            x = x + self.mlp(self.norm2(x))
            return self.score(x[:, 0])

    def _b(lens, L):
        c = torch.randint(1, 70, (len(lens), L))
        for i, n in enumerate(lens):
            c[i, n:] = 0
        return c

    return ClickStream(), [_b([6, 9, 4], 11), _b([12, 5, 8, 7], 14)]


# ---------------------------------------------------------------- 17
def padding_mask_not_passed_on(wrong=True):
    """mask | The encoder takes src_key_padding_mask but does not hand it to its layers. Right twin: handed on."""

    class Encoder(nn.Module):
        def __init__(self, d_model, nhead, num_layers):
            super().__init__()
            self.layers = nn.ModuleList(
                [
                    nn.TransformerEncoderLayer(
                        d_model, nhead, 2 * d_model, dropout=0.0, batch_first=True, norm_first=True
                    )
                    for _ in range(num_layers)
                ]
            )
            self.norm = nn.LayerNorm(d_model)

        def forward(self, src, src_key_padding_mask=None):
            for layer in self.layers:
                if wrong:
                    src = layer(src)
                else:
                    src = layer(src, src_key_padding_mask=src_key_padding_mask)
            return self.norm(src)

    class Forecaster(nn.Module):
        def __init__(self, n_feat=5, d_model=32, horizon=3):
            super().__init__()
            self.lift = nn.Linear(n_feat, d_model)
            self.time = nn.Embedding(48, d_model)
            self.encoder = Encoder(d_model, 4, 2)
            self.head = nn.Linear(d_model, horizon)

        def forward(self, series, lengths):
            B, T, _ = series.shape
            t = torch.arange(T)
            pad = t.expand(B, T) >= lengths.unsqueeze(1)
            h = self.encoder(self.lift(series) + self.time(t), src_key_padding_mask=pad)
            h = h.masked_fill(pad.unsqueeze(-1), 0.0)
            return self.head(h.sum(1) / lengths.unsqueeze(1))

    def _b(lens):
        lens = torch.tensor(lens)
        x = torch.randn(len(lens), int(lens.max()), 5)
        x[torch.arange(x.shape[1])[None] >= lens[:, None]] = 0
        return {"series": x, "lengths": lens}

    return Forecaster(), [_b([24, 10, 17]), _b([12, 20])]


# ---------------------------------------------------------------- 18  (nan)
def triu_diagonal_zero_inf(wrong=True):
    """nan | Causal mask of -inf starts at the main diagonal, so the first row has no key and becomes NaN. Right twin: diagonal=1."""

    class DecoderLayer(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(d, h, batch_first=True)
            self.linear1, self.linear2 = nn.Linear(d, 3 * d), nn.Linear(3 * d, d)
            self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)

        def forward(self, x, mask):
            x = self.norm1(x + self.self_attn(x, x, x, attn_mask=mask)[0])
            return self.norm2(x + self.linear2(F.relu(self.linear1(x))))

    class CharModel(nn.Module):
        def __init__(self, n_chars=40, d=32):
            super().__init__()
            self.emb = nn.Embedding(n_chars, d)
            pe = torch.zeros(50, d)
            p = torch.arange(50).unsqueeze(1)
            div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
            pe[:, 0::2], pe[:, 1::2] = torch.sin(p * div), torch.cos(p * div)
            self.register_buffer("pe", pe)
            self.l1, self.l2 = DecoderLayer(d, 2), DecoderLayer(d, 2)
            self.out = nn.Linear(d, n_chars)

        def forward(self, x):
            n = x.size(1)
            mask = torch.triu(torch.full((n, n), float("-inf")), diagonal=0 if wrong else 1)
            h = self.emb(x) + self.pe[:n]
            return self.out(self.l2(self.l1(h, mask), mask))

    return CharModel(), [torch.randint(0, 40, (2, 15)), torch.randint(0, 40, (4, 9))]


# ---------------------------------------------------------------- 19  (nan)
def null_key_padded_as_blocked(wrong=True):
    """nan | A learned null neighbour stands first for queries without any neighbour, but the mask is padded with False, so that row without neighbours is NaN. Right twin: padded with True."""

    class RetrievalCrossAttention(nn.Module):
        def __init__(self, dim=32, ctx_dim=20, heads=4):
            super().__init__()
            self.heads, self.dh = heads, dim // heads
            self.norm = nn.LayerNorm(dim)
            self.to_q = nn.Linear(dim, dim, bias=False)
            self.to_k = nn.Linear(ctx_dim, dim, bias=False)
            self.to_v = nn.Linear(ctx_dim, dim, bias=False)
            self.null_k = nn.Parameter(torch.randn(dim))
            self.null_v = nn.Parameter(torch.randn(dim))
            self.to_out = nn.Linear(dim, dim, bias=False)

        def forward(self, x, neighbours, found):
            b = x.shape[0]
            q = self.to_q(self.norm(x))
            k = torch.cat((self.null_k.expand(b, 1, -1), self.to_k(neighbours)), 1)
            v = torch.cat((self.null_v.expand(b, 1, -1), self.to_v(neighbours)), 1)
            q, k, v = (t.reshape(b, -1, self.heads, self.dh).permute(0, 2, 1, 3) for t in (q, k, v))
            sim = (q * self.dh**-0.5).matmul(k.transpose(-1, -2))
            found = F.pad(found, (1, 0), value=not wrong)
            sim = sim.masked_fill(~found[:, None, None, :], float("-inf"))
            out = sim.softmax(dim=-1).matmul(v)
            return x + self.to_out(out.permute(0, 2, 1, 3).reshape(b, -1, self.heads * self.dh))

    def _b(counts, n=8, m=6):
        found = torch.arange(m)[None] < torch.tensor(counts)[:, None]
        return (
            torch.randn(len(counts), n, 32),
            torch.randn(len(counts), m, 20) * found[..., None],
            found,
        )

    return RetrievalCrossAttention(), [_b([4, 0, 6]), _b([0, 3])]


# ---------------------------------------------------------------- 20  (axis)
def sagan_without_permute(wrong=True):
    """axis | SAGAN block: value (B,C,N) is multiplied with attention (B,N,N) without the transposition, so the product sums over the queries' axis. Right twin: attention.permute(0, 2, 1)."""

    class Self_Attn(nn.Module):
        def __init__(self, in_dim):
            super().__init__()
            self.d = in_dim // 4
            self.query_conv = nn.Conv2d(in_dim, in_dim // 4, kernel_size=1)
            self.key_conv = nn.Conv2d(in_dim, in_dim // 4, kernel_size=1)
            self.value_conv = nn.Conv2d(in_dim, in_dim, kernel_size=1)
            self.gamma = nn.Parameter(torch.ones(1))
            self.softmax = nn.Softmax(dim=-1)

        def forward(self, x):
            m_batchsize, C, width, height = x.size()
            proj_query = self.query_conv(x).view(m_batchsize, -1, width * height).permute(0, 2, 1)
            proj_key = self.key_conv(x).view(m_batchsize, -1, width * height)
            energy = torch.bmm(proj_query, proj_key) / math.sqrt(self.d)
            attention = self.softmax(energy)
            proj_value = self.value_conv(x).view(m_batchsize, -1, width * height)
            out = torch.bmm(proj_value, attention if wrong else attention.permute(0, 2, 1))
            return self.gamma * out.view(m_batchsize, C, width, height) + x

    class Disc(nn.Sequential):
        def __init__(self):
            super().__init__(
                nn.Conv2d(3, 16, 4, 2, 1),
                nn.LeakyReLU(0.1),
                nn.Conv2d(16, 32, 4, 2, 1),
                nn.LeakyReLU(0.1),
                Self_Attn(32),
                nn.Conv2d(32, 1, 4),
            )

    return Disc(), [torch.randn(2, 3, 20, 20), torch.randn(3, 3, 24, 24)]
