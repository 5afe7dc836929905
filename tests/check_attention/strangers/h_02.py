import math, torch
from torch import nn
from torch.nn import functional as F


class _DETRDecoderLayer(nn.Module):
    def __init__(self, d=64, h=4, wrong=True):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d, h)
        self.multihead_attn = nn.MultiheadAttention(d, h)
        self.linear1, self.linear2 = nn.Linear(d, 128), nn.Linear(128, d)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.wrong = wrong

    def forward(self, tgt, memory, memory_key_padding_mask, pos, query_pos):
        q = k = tgt + query_pos
        tgt = self.norm1(tgt + self.self_attn(q, k, value=tgt)[0])
        tgt2 = self.multihead_attn(
            query=tgt + query_pos,
            key=memory + pos,
            value=memory,
            key_padding_mask=None if self.wrong else memory_key_padding_mask,
        )[0]
        tgt = self.norm2(tgt + tgt2)
        return self.norm3(tgt + self.linear2(F.relu(self.linear1(tgt))))


class _DETR(nn.Module):
    def __init__(self, wrong, d=64, nq=7):
        super().__init__()
        self.backbone = nn.Conv2d(3, d, 8, 8)
        self.enc_attn = nn.MultiheadAttention(d, 4)
        self.enc_norm = nn.LayerNorm(d)
        self.query_embed = nn.Embedding(nq, d)
        self.pos = nn.Parameter(torch.randn(16, 1, d))
        self.layers = nn.ModuleList([_DETRDecoderLayer(d, 4, wrong) for _ in range(2)])
        self.class_embed = nn.Linear(d, 5)
        self.bbox = nn.Linear(d, 4)

    def forward(self, samples, mask):
        src = self.backbone(samples).flatten(2).permute(2, 0, 1)
        m = F.interpolate(mask[:, None].float(), size=(4, 4)).bool().flatten(1)
        q = src + self.pos
        memory = self.enc_norm(src + self.enc_attn(q, q, src, key_padding_mask=m)[0])
        qe = self.query_embed.weight.unsqueeze(1).repeat(1, samples.shape[0], 1)
        tgt = torch.zeros_like(qe)
        for l in self.layers:
            tgt = l(tgt, memory, m, self.pos, qe)
        hs = tgt.transpose(0, 1)
        return self.class_embed(hs), self.bbox(hs).sigmoid()


def detr_decoder_memory_mask_not_passed(wrong=True):
    """mask | the decoder's cross-attention does not get memory_key_padding_mask, so queries look at padded pixels. Right twin: it is passed."""
    bs = []
    for w0, h0 in ((24, 16), (16, 24)):
        x = torch.randn(2, 3, 32, 32)
        m = torch.zeros(2, 32, 32, dtype=torch.bool)
        m[1, h0:] = True
        m[1, :, w0:] = True
        x = x.masked_fill(m[:, None], 0.0)
        bs.append((x, m))
    return _DETR(wrong), bs


class _WindowAttention(nn.Module):
    def __init__(self, dim, ws, heads, wrong):
        super().__init__()
        self.dim, self.ws, self.num_heads = dim, ws, heads
        self.scale = (dim // heads) ** -0.5
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * ws - 1) ** 2, heads))
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)
        c = torch.stack(torch.meshgrid(torch.arange(ws), torch.arange(ws), indexing="ij")).flatten(
            1
        )
        r = (c[:, :, None] - c[:, None, :]).permute(1, 2, 0).contiguous() + (ws - 1)
        self.register_buffer("index", r[..., 0] * (2 * ws - 1) + r[..., 1])
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)
        self.wrong = wrong

    def forward(self, x, mask=None):
        B_, N, C = x.shape
        q, k, v = (
            self.qkv(x)
            .reshape(B_, N, 3, self.num_heads, C // self.num_heads)
            .permute(2, 0, 3, 1, 4)
            .unbind(0)
        )
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        attn = attn + self.relative_position_bias_table[self.index.view(-1)].view(N, N, -1).permute(
            2, 0, 1
        ).unsqueeze(0)
        if mask is not None:
            nW = mask.shape[0]
            if self.wrong:
                attn = attn.view(nW, B_ // nW, self.num_heads, N, N) + mask.unsqueeze(1).unsqueeze(
                    2
                )
            else:
                attn = attn.view(B_ // nW, nW, self.num_heads, N, N) + mask.unsqueeze(1).unsqueeze(
                    0
                )
            attn = attn.view(-1, self.num_heads, N, N)
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(B_, N, C)
        return self.proj(x)


def _window_partition(x, ws):
    B, H, W, C = x.shape
    return (
        x.view(B, H // ws, ws, W // ws, ws, C)
        .permute(0, 1, 3, 2, 4, 5)
        .contiguous()
        .view(-1, ws, ws, C)
    )


class _SwinBlock(nn.Module):
    def __init__(self, dim, heads, ws, shift, H, wrong):
        super().__init__()
        self.ws, self.shift, self.H = ws, shift, H
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = _WindowAttention(dim, ws, heads, wrong)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        mask = None
        if shift:
            img = torch.zeros(1, H, H, 1)
            cnt = 0
            sl = (slice(0, -ws), slice(-ws, -shift), slice(-shift, None))
            for h in sl:
                for w in sl:
                    img[:, h, w] = cnt
                    cnt += 1
            mw = _window_partition(img, ws).view(-1, ws * ws)
            mask = mw.unsqueeze(1) - mw.unsqueeze(2)
            mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)
        self.register_buffer("attn_mask", mask)

    def forward(self, x):
        B, H, W, C = x.shape
        s = x
        x = self.norm1(x)
        if self.shift:
            x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        xw = _window_partition(x, self.ws).view(-1, self.ws**2, C)
        xw = self.attn(xw, self.attn_mask)
        x = (
            xw.view(B, H // self.ws, W // self.ws, self.ws, self.ws, C)
            .permute(0, 1, 3, 2, 4, 5)
            .reshape(B, H, W, C)
        )
        if self.shift:
            x = torch.roll(x, (self.shift, self.shift), (1, 2))
        x = s + x
        return x + self.mlp(self.norm2(x))


class _Swin(nn.Module):
    def __init__(self, wrong, dim=32):
        super().__init__()
        self.embed = nn.Conv2d(3, dim, 4, 4)
        self.blocks = nn.Sequential(
            _SwinBlock(dim, 2, 4, 0, 8, wrong), _SwinBlock(dim, 2, 4, 2, 8, wrong)
        )
        self.head = nn.Linear(dim, 6)

    def forward(self, x):
        x = self.embed(x).permute(0, 2, 3, 1)
        return self.head(self.blocks(x).mean((1, 2)))


def swin_shift_mask_viewed_window_major(wrong=True):
    """mask | scores are viewed as (nW, B, ...) though windows lie inside the batch, so windows get the mask of other windows. Right twin: (B, nW, ...)."""
    return _Swin(wrong), [torch.randn(3, 3, 32, 32) for _ in range(2)]


class _PerceiverAttention(nn.Module):
    def __init__(self, query_dim, context_dim, heads, dim_head, wrong):
        super().__init__()
        self.scale = dim_head**-0.5
        self.heads = heads
        self.to_q = nn.Linear(query_dim, heads * dim_head, bias=False)
        self.to_kv = nn.Linear(context_dim, heads * dim_head * 2, bias=False)
        self.to_out = nn.Linear(heads * dim_head, query_dim)
        self.wrong = wrong

    def forward(self, x, context, mask=None):
        h = self.heads
        q = self.to_q(x)
        k, v = self.to_kv(context).chunk(2, dim=-1)
        b = x.shape[0]
        # b n (h d) -> (b h) n d
        q, k, v = (
            t.view(b, t.shape[1], h, -1).permute(0, 2, 1, 3).reshape(b * h, t.shape[1], -1)
            for t in (q, k, v)
        )
        sim = torch.einsum("b i d, b j d -> b i j", q, k) * self.scale
        if mask is not None:
            if self.wrong:
                mask = mask.repeat(h, 1)[:, None, :]  # (h b)
            else:
                mask = mask.repeat_interleave(h, dim=0)[:, None, :]  # (b h)
            sim.masked_fill_(~mask, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = torch.einsum("b i j, b j d -> b i d", attn, v)
        out = out.view(b, h, out.shape[1], -1).permute(0, 2, 1, 3).flatten(2)
        return self.to_out(out)


class _Perceiver(nn.Module):
    def __init__(self, wrong, latent=32, inp=20):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(6, latent))
        self.nc = nn.LayerNorm(inp)
        self.cross = _PerceiverAttention(latent, inp, 4, 8, wrong)
        self.self_attn = _PerceiverAttention(latent, latent, 4, 8, wrong)
        self.n1, self.n2 = nn.LayerNorm(latent), nn.LayerNorm(latent)
        self.logits = nn.Linear(latent, 4)

    def forward(self, data, mask=None):
        x = self.latents[None].expand(data.shape[0], -1, -1)
        x = self.cross(self.n1(x), self.nc(data), mask) + x
        y = self.n2(x)
        x = self.self_attn(y, y) + x
        return self.logits(x.mean(1))


def perceiver_mask_repeated_hb_not_bh(wrong=True):
    """mask | mask repeated as (h b) while the heads lie as (b h): sequences get the mask of another one. Right twin: repeat_interleave."""
    bs = []
    for lens in ([20, 11, 6], [9, 20, 15]):
        bs.append((torch.randn(3, 20, 20), torch.arange(20)[None] < torch.tensor(lens)[:, None]))
    return _Perceiver(wrong), bs


class _RelPosMHSA(nn.Module):
    """Conformer, as in the well known repositories (Transformer-XL style)."""

    def __init__(self, d_model, num_heads, wrong):
        super().__init__()
        self.h, self.d = num_heads, d_model // num_heads
        self.query_proj = nn.Linear(d_model, d_model)
        self.key_proj = nn.Linear(d_model, d_model)
        self.value_proj = nn.Linear(d_model, d_model)
        self.pos_proj = nn.Linear(d_model, d_model, bias=False)
        self.u_bias = nn.Parameter(torch.empty(num_heads, self.d))
        nn.init.xavier_uniform_(self.u_bias)
        self.v_bias = nn.Parameter(torch.empty(num_heads, self.d))
        nn.init.xavier_uniform_(self.v_bias)
        self.out_proj = nn.Linear(d_model, d_model)
        self.sqrt_dim = math.sqrt(self.d)
        self.wrong = wrong

    def _shift(self, p):
        B, H, T, P = p.shape  # P = 2T-1
        z = p.new_zeros(B, H, T, 1)
        return torch.cat([z, p], -1).view(B, H, P + 1, T)[:, :, 1:].reshape(B, H, T, P)[..., :T]

    def forward(self, x, pos, mask=None):
        B, T, C = x.shape
        q = self.query_proj(x).view(B, T, self.h, self.d)
        k = self.key_proj(x).view(B, T, self.h, self.d).permute(0, 2, 1, 3)
        v = self.value_proj(x).view(B, T, self.h, self.d).permute(0, 2, 1, 3)
        p = self.pos_proj(pos).view(1, -1, self.h, self.d)
        content = torch.matmul((q + self.u_bias).transpose(1, 2), k.transpose(2, 3))
        ps = torch.matmul((q + self.v_bias).transpose(1, 2), p.permute(0, 2, 3, 1))
        ps = self._shift(ps)
        if self.wrong:
            score = content / self.sqrt_dim + ps
        else:
            score = (content + ps) / self.sqrt_dim
        if mask is not None:
            score = score.masked_fill(mask[:, None, None, :], -1e9)
        attn = F.softmax(score, -1)
        return self.out_proj(torch.matmul(attn, v).transpose(1, 2).reshape(B, T, C))


class _Conformer(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.inp = nn.Linear(20, d)
        self.norm = nn.LayerNorm(d)
        self.mhsa = _RelPosMHSA(d, 4, wrong)
        self.cn = nn.LayerNorm(d)
        self.pw1, self.dw, self.pw2 = (
            nn.Conv1d(d, 2 * d, 1),
            nn.Conv1d(d, d, 7, padding=3, groups=d),
            nn.Conv1d(d, d, 1),
        )
        self.out = nn.Linear(d, 30)

    def forward(self, feats, lengths):
        x = self.inp(feats)
        B, T, D = x.shape
        r = torch.arange(T - 1, -T, -1).float()
        f = torch.exp(torch.arange(0, D, 2) * -(math.log(10000.0) / D))
        pe = torch.zeros(1, 2 * T - 1, D)
        pe[0, :, 0::2], pe[0, :, 1::2] = torch.sin(r[:, None] * f), torch.cos(r[:, None] * f)
        mask = torch.arange(T)[None] >= lengths[:, None]
        x = x + self.mhsa(self.norm(x), pe, mask)
        y = self.cn(x).masked_fill(mask[..., None], 0.0).transpose(1, 2)
        x = x + self.pw2(F.silu(self.dw(F.glu(self.pw1(y), 1)))).transpose(1, 2)
        return self.out(x).log_softmax(-1)


def conformer_pos_score_not_scaled(wrong=True):
    """scale | only the content score is divided by sqrt(d), the positional score q·p is added unscaled. Right twin: (content + pos) / sqrt(d)."""
    return _Conformer(wrong), [
        (torch.randn(3, 24, 20), torch.tensor(l)) for l in ([24, 17, 10], [12, 24, 21])
    ]


class _WhisperMHA(nn.Module):
    def __init__(self, n_state, n_head, wrong):
        super().__init__()
        self.n_head = n_head
        self.query = nn.Linear(n_state, n_state)
        self.key = nn.Linear(n_state, n_state, bias=False)
        self.value = nn.Linear(n_state, n_state)
        self.out = nn.Linear(n_state, n_state)
        self.wrong = wrong

    def forward(self, x, xa=None, mask=None):
        q = self.query(x)
        k = self.key(x if xa is None else xa)
        v = self.value(x if xa is None else xa)
        return self.out(self.qkv_attention(q, k, v, mask))

    def qkv_attention(self, q, k, v, mask=None):
        n_batch, n_ctx, n_state = q.shape
        scale = (n_state // self.n_head) ** (-0.5 if self.wrong else -0.25)
        q = q.view(*q.shape[:2], self.n_head, -1).permute(0, 2, 1, 3) * scale
        k = k.view(*k.shape[:2], self.n_head, -1).permute(0, 2, 3, 1) * scale
        v = v.view(*v.shape[:2], self.n_head, -1).permute(0, 2, 1, 3)
        qk = q @ k
        if mask is not None:
            qk = qk + mask[:n_ctx, :n_ctx]
        w = F.softmax(qk.float(), dim=-1).to(q.dtype)
        return (w @ v).permute(0, 2, 1, 3).flatten(start_dim=2)


class _WhisperBlock(nn.Module):
    def __init__(self, n, h, cross, wrong):
        super().__init__()
        self.attn, self.attn_ln = _WhisperMHA(n, h, wrong), nn.LayerNorm(n)
        self.cross_attn = _WhisperMHA(n, h, wrong) if cross else None
        self.cross_attn_ln = nn.LayerNorm(n) if cross else None
        self.mlp = nn.Sequential(nn.Linear(n, 2 * n), nn.GELU(), nn.Linear(2 * n, n))
        self.mlp_ln = nn.LayerNorm(n)

    def forward(self, x, xa=None, mask=None):
        x = x + self.attn(self.attn_ln(x), mask=mask)
        if self.cross_attn is not None:
            x = x + self.cross_attn(self.cross_attn_ln(x), xa)
        return x + self.mlp(self.mlp_ln(x))


class _Whisper(nn.Module):
    def __init__(self, wrong, n=64, h=4):
        super().__init__()
        self.conv1 = nn.Conv1d(20, n, 3, padding=1)
        self.conv2 = nn.Conv1d(n, n, 3, stride=2, padding=1)
        self.pe = nn.Parameter(torch.randn(20, n) * 0.1)
        self.enc = _WhisperBlock(n, h, False, wrong)
        self.tok = nn.Embedding(50, n)
        self.pd = nn.Parameter(torch.randn(16, n) * 0.1)
        self.dec = _WhisperBlock(n, h, True, wrong)
        self.ln = nn.LayerNorm(n)
        self.register_buffer(
            "mask", torch.empty(16, 16).fill_(-math.inf).triu_(1), persistent=False
        )

    def forward(self, mel, tokens):
        xa = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).permute(0, 2, 1) + self.pe
        xa = self.enc(xa)
        x = self.tok(tokens) + self.pd[: tokens.shape[-1]]
        x = self.ln(self.dec(x, xa, self.mask))
        return x @ self.tok.weight.t()


def whisper_scale_half_power_on_q_and_k(wrong=True):
    """scale | d ** -0.5 multiplied into q and into k, so 1/d. Right twin: d ** -0.25 into both."""
    return _Whisper(wrong), [
        (torch.randn(2, 20, 40), torch.randint(0, 50, (2, 11))) for _ in range(2)
    ]
