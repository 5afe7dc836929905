import math, torch
from torch import nn
from torch.nn import functional as F


class _MSARowAttentionWithPairBias(nn.Module):
    def __init__(self, c_m, c_z, no_heads, wrong):
        super().__init__()
        self.no_heads, self.c_hidden = no_heads, c_m // no_heads
        self.layer_norm_m, self.layer_norm_z = nn.LayerNorm(c_m), nn.LayerNorm(c_z)
        self.linear_z = nn.Linear(c_z, no_heads, bias=False)
        self.linear_q, self.linear_k, self.linear_v = (
            nn.Linear(c_m, c_m, bias=False) for _ in range(3)
        )
        self.linear_g, self.linear_o = nn.Linear(c_m, c_m), nn.Linear(c_m, c_m)
        self.wrong = wrong

    def forward(self, m, z, mask):
        m = self.layer_norm_m(m)
        bias = self.linear_z(self.layer_norm_z(z)).permute(0, 3, 1, 2)[:, None]  # B 1 h i j
        mask_bias = (1e9 * (mask - 1))[..., None, None, :]  # B s 1 1 j

        def split(t):
            return t.view(*t.shape[:-1], self.no_heads, self.c_hidden).transpose(-2, -3)

        q, k, v = split(self.linear_q(m)), split(self.linear_k(m)), split(self.linear_v(m))
        q = q / math.sqrt(self.c_hidden)
        a = torch.matmul(q, k.transpose(-1, -2))
        a = a + mask_bias
        a = a + bias
        if self.wrong:
            a = a / math.sqrt(self.c_hidden)
        a = a.softmax(-1)
        o = torch.matmul(a, v).transpose(-2, -3)
        g = self.linear_g(m).sigmoid().view(*o.shape)
        return self.linear_o((o * g).flatten(-2))


class _Evoformer(nn.Module):
    def __init__(self, wrong, c_m=32, c_z=16):
        super().__init__()
        self.emb, self.left, self.right = (
            nn.Embedding(22, c_m),
            nn.Linear(c_m, c_z),
            nn.Linear(c_m, c_z),
        )
        self.row = nn.ModuleList(
            [_MSARowAttentionWithPairBias(c_m, c_z, 4, wrong) for _ in range(2)]
        )
        self.out = nn.Linear(c_m, 22)

    def forward(self, msa, mask):
        m = self.emb(msa)
        z = self.left(m[:, 0])[:, :, None] + self.right(m[:, 0])[:, None]
        for r in self.row:
            m = m + r(m, z, mask)
        return self.out(m)


def alphafold_row_attention_scaled_twice(wrong=True):
    """scale | q is divided by sqrt(c_hidden) and the logits again. Right twin: only q."""
    bs = []
    for l in ([14, 9], [11, 14]):
        mask = (torch.arange(14)[None] < torch.tensor(l)[:, None]).float()[:, None].expand(2, 5, 14)
        bs.append((torch.randint(0, 22, (2, 5, 14)), mask.contiguous()))
    return _Evoformer(wrong), bs


class _SpatialTransformer(nn.Module):
    """Cross-attention of a latent diffusion UNet."""

    def __init__(self, ch, ctx, heads, wrong):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(8, ch)
        self.proj_in, self.proj_out = nn.Conv2d(ch, ch, 1), nn.Conv2d(ch, ch, 1)
        self.ln = nn.LayerNorm(ch)
        self.to_q = nn.Linear(ch, ch, bias=False)
        self.to_k, self.to_v = nn.Linear(ctx, ch, bias=False), nn.Linear(ctx, ch, bias=False)
        self.to_out = nn.Sequential(nn.Linear(ch, ch), nn.Dropout(0.0))
        self.wrong = wrong

    def forward(self, x, context):
        b, c, hh, ww = x.shape
        y = self.proj_in(self.norm(x)).flatten(2).transpose(1, 2)
        y_ = self.ln(y)

        def split(t):
            return t.view(b, t.shape[1], self.heads, -1).permute(0, 2, 1, 3)

        q, k, v = split(self.to_q(y_)), split(self.to_k(context)), split(self.to_v(context))
        if self.wrong:
            sim = torch.einsum("bhid,bhjd->bhij", q, k)
        else:
            sim = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        out = torch.einsum("bhij,bhjd->bhid", sim.softmax(dim=-1), v)
        y = y + self.to_out(out.permute(0, 2, 1, 3).reshape(b, -1, c))
        return x + self.proj_out(y.transpose(1, 2).reshape(b, c, hh, ww))


class _MiniUNet(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.conv_in, self.down = nn.Conv2d(4, 32, 3, padding=1), nn.Conv2d(32, 64, 3, 2, 1)
        self.time = nn.Sequential(nn.Linear(1, 32), nn.SiLU(), nn.Linear(32, 64))
        self.mid = _SpatialTransformer(64, 24, 4, wrong)
        self.up, self.out = nn.ConvTranspose2d(64, 32, 2, 2), nn.Conv2d(32, 4, 3, padding=1)

    def forward(self, x, t, ctx):
        h = self.conv_in(x)
        m = self.mid(F.silu(self.down(h)) + self.time(t[:, None])[..., None, None], ctx)
        return self.out(F.silu(self.up(m) + h))


def diffusion_unet_cross_attention_forgotten_scale(wrong=True):
    """scale | sim of q and k goes into softmax without scale. Right twin: times dim_head ** -0.5."""
    return _MiniUNet(wrong), [
        (torch.randn(2, 4, 10, 10), torch.rand(2), torch.randn(2, 9, 24)) for _ in range(2)
    ]


class _TimmAttention(nn.Module):
    def __init__(self, dim, num_heads, wrong):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, dim // num_heads
        self.scale = self.head_dim**-0.5
        self.qkv, self.proj = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)
        self.wrong = wrong

    def forward(self, x):
        B, N, C = x.shape
        if self.wrong:
            qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 1, 3, 4)
        else:
            qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        attn = attn.softmax(dim=-1)
        x = attn @ v
        if not self.wrong:
            x = x.transpose(1, 2)
        return self.proj(x.reshape(B, N, C))


class _MAE(nn.Module):
    def __init__(self, wrong, d=48, dd=32, n=16, keep=8):
        super().__init__()
        self.n, self.keep = n, keep
        self.embed = nn.Linear(48, d)
        self.pos, self.dpos = (
            nn.Parameter(torch.randn(1, n, d) * 0.02),
            nn.Parameter(torch.randn(1, n, dd) * 0.02),
        )
        self.enc = nn.ModuleList([_TimmAttention(d, 4, wrong) for _ in range(2)])
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])
        self.d_embed, self.mask_token = nn.Linear(d, dd), nn.Parameter(torch.zeros(1, 1, dd))
        self.dec, self.dln = _TimmAttention(dd, 4, wrong), nn.LayerNorm(dd)
        self.pred = nn.Linear(dd, 48)

    def forward(self, imgs, noise):
        B = imgs.shape[0]
        p = imgs.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5).reshape(B, self.n, -1)
        x = self.embed(p) + self.pos
        ids = noise.argsort(1)
        restore = ids.argsort(1)
        x = torch.gather(x, 1, ids[:, : self.keep, None].expand(-1, -1, x.shape[-1]))
        for a, l in zip(self.enc, self.ln):
            x = x + a(l(x))
        x = self.d_embed(x)
        x = torch.cat([x, self.mask_token.expand(B, self.n - self.keep, -1)], 1)
        x = torch.gather(x, 1, restore[..., None].expand(-1, -1, x.shape[-1])) + self.dpos
        x = x + self.dec(self.dln(x))
        return self.pred(x)


def mae_qkv_permute_leaves_heads_behind_tokens(wrong=True):
    """heads | qkv permuted to (3, B, N, heads, d), so at every token heads attend to heads. Right twin: (3, B, heads, N, d)."""
    return _MAE(wrong), [(torch.randn(2, 3, 16, 16), torch.rand(2, 16)) for _ in range(2)]


class _ResidualAttentionBlock(nn.Module):
    def __init__(self, d, h, mask=None):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, h)
        self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.c_fc, self.c_proj = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.attn_mask = mask

    def attention(self, x):
        return self.attn(x, x, x, need_weights=False, attn_mask=self.attn_mask)[0]

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        h = self.c_fc(self.ln_2(x))
        return x + self.c_proj(h * torch.sigmoid(1.702 * h))


class _CLIPText(nn.Module):
    def __init__(self, wrong, d=64, ctx=14, vocab=99):
        super().__init__()
        self.wrong, self.ctx = wrong, ctx
        self.token_embedding = nn.Embedding(vocab, d)
        self.positional_embedding = nn.Parameter(torch.randn(ctx, d) * 0.01)
        self.transformer = nn.Sequential(
            *[_ResidualAttentionBlock(d, 4, self.build_attention_mask()) for _ in range(2)]
        )
        self.ln_final = nn.LayerNorm(d)
        self.text_projection = nn.Parameter(torch.randn(d, 32) * d**-0.5)

    def build_attention_mask(self):
        mask = torch.empty(self.ctx, self.ctx)
        mask.fill_(float("-inf"))
        if self.wrong:
            mask.tril_(-1)
        else:
            mask.triu_(1)
        return mask

    def forward(self, text):
        x = (self.token_embedding(text) + self.positional_embedding).permute(1, 0, 2)
        x = self.ln_final(self.transformer(x).permute(1, 0, 2))
        return x[torch.arange(x.shape[0]), text.argmax(-1)] @ self.text_projection


def clip_text_mask_tril_not_triu(wrong=True):
    """mask | build_attention_mask keeps -inf below the diagonal, so tokens see only the future. Right twin: triu_(1)."""
    bs = []
    for _ in range(2):
        t = torch.randint(1, 90, (3, 14))
        for i, n in enumerate((13, 8, 5)):
            t[i, n] = 98
            t[i, n + 1 :] = 0
        bs.append(t)
    return _CLIPText(wrong), bs


class _SpeechEncoder(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.sub = nn.Conv1d(16, d, 4, 4)
        layer = nn.TransformerEncoderLayer(
            d, 4, 64, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.ctc = nn.Linear(d, 28)
        self.wrong = wrong

    def forward(self, feats, feat_lens):
        x = self.sub(feats.transpose(1, 2)).transpose(1, 2)
        lens = feat_lens // 4
        valid = torch.arange(x.size(1))[None, :] < lens[:, None]
        x = self.enc(x, src_key_padding_mask=valid if self.wrong else ~valid)
        return self.ctc(x).log_softmax(-1), lens


def speech_encoder_key_padding_mask_inverted(wrong=True):
    """mask | src_key_padding_mask is True for valid frames (PyTorch wants True for padding). Right twin: ~valid."""
    bs = []
    for l in ([56, 30, 44], [40, 52, 23]):
        x = torch.randn(3, 64, 16)
        for i, n in enumerate(l):
            x[i, n:] = 0
        bs.append((x, torch.tensor(l)))
    return _SpeechEncoder(wrong), bs
