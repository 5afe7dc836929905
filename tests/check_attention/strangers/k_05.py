import math, torch
from torch import nn
from torch.nn import functional as F


def detr_decoder_query_scale_twice(wrong=True):
    """scale | DETR-like decoder: q is scaled and then handed to SDPA, which scales again. Right twin: SDPA only."""

    class Attn(nn.Module):
        def __init__(self, d, nhead):
            super().__init__()
            self.nhead = nhead
            self.scaling = float(d // nhead) ** -0.5
            self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))

        def forward(self, query, key, value):
            L, N, E = query.shape
            q = self.q(query)
            if wrong:
                q = q * self.scaling
            q = q.view(L, N, self.nhead, -1).permute(1, 2, 0, 3)
            k = self.k(key).view(key.size(0), N, self.nhead, -1).permute(1, 2, 0, 3)
            v = self.v(value).view(key.size(0), N, self.nhead, -1).permute(1, 2, 0, 3)
            o = F.scaled_dot_product_attention(q, k, v)
            return self.out(o.permute(2, 0, 1, 3).reshape(L, N, E))

    class DecoderLayer(nn.Module):
        def __init__(self, d, nhead):
            super().__init__()
            self.self_attn, self.multihead_attn = Attn(d, nhead), Attn(d, nhead)
            self.linear1, self.linear2 = nn.Linear(d, 64), nn.Linear(64, d)
            self.norm1, self.norm2, self.norm3 = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)

        def forward(self, tgt, memory, pos, query_pos):
            q = k = tgt + query_pos
            tgt = self.norm1(tgt + self.self_attn(q, k, tgt))
            tgt = self.norm2(tgt + self.multihead_attn(tgt + query_pos, memory + pos, memory))
            return self.norm3(tgt + self.linear2(F.relu(self.linear1(tgt))))

    class DETR(nn.Module):
        def __init__(self, d=32, nq=9):
            super().__init__()
            self.backbone = nn.Sequential(
                nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, d, 3, 2, 1)
            )
            self.row_embed, self.col_embed = (
                nn.Parameter(torch.rand(8, d // 2)),
                nn.Parameter(torch.rand(8, d // 2)),
            )
            self.query_pos = nn.Parameter(torch.rand(nq, d))
            self.layers = nn.ModuleList(DecoderLayer(d, 4) for _ in range(2))
            self.cls, self.box = nn.Linear(d, 6), nn.Linear(d, 4)

        def forward(self, x):
            h = self.backbone(x)
            B, _, H, W = h.shape
            pos = (
                torch.cat(
                    [
                        self.col_embed[:W].unsqueeze(0).repeat(H, 1, 1),
                        self.row_embed[:H].unsqueeze(1).repeat(1, W, 1),
                    ],
                    -1,
                )
                .flatten(0, 1)
                .unsqueeze(1)
            )
            mem = h.flatten(2).permute(2, 0, 1)
            qp = self.query_pos.unsqueeze(1).repeat(1, B, 1)
            t = torch.zeros_like(qp)
            for l in self.layers:
                t = l(t, mem, pos, qp)
            return torch.cat([self.cls(t), self.box(t).sigmoid()], -1).transpose(0, 1)

    return DETR(), [torch.randn(2, 3, 24, 24) for _ in range(2)]


def timesformer_merge_no_transpose(wrong=True):
    """heads | Divided space-time attention: (B, H, N, D) is reshaped to (B, N, C) without the transpose. Right twin: transpose(1, 2)."""

    class Attention(nn.Module):
        def __init__(self, dim, num_heads=4):
            super().__init__()
            self.num_heads = num_heads
            self.scale = (dim // num_heads) ** -0.5
            self.qkv, self.proj = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)

        def forward(self, x):
            B, N, C = x.shape
            q, k, v = (
                self.qkv(x)
                .reshape(B, N, 3, self.num_heads, C // self.num_heads)
                .permute(2, 0, 3, 1, 4)
            )
            attn = ((q @ k.transpose(-2, -1)) * self.scale).softmax(dim=-1)
            x = attn @ v
            x = x.reshape(B, N, C) if wrong else x.transpose(1, 2).reshape(B, N, C)
            return self.proj(x)

    class Block(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.temporal_norm1, self.temporal_attn, self.temporal_fc = (
                nn.LayerNorm(d),
                Attention(d),
                nn.Linear(d, d),
            )
            self.norm1, self.attn = nn.LayerNorm(d), Attention(d)
            self.norm2, self.mlp = (
                nn.LayerNorm(d),
                nn.Sequential(nn.Linear(d, 64), nn.GELU(), nn.Linear(64, d)),
            )

        def forward(self, x, T):
            B, TP, d = x.shape
            P = TP // T
            xt = x.view(B, T, P, d).transpose(1, 2).reshape(B * P, T, d)
            rt = self.temporal_fc(self.temporal_attn(self.temporal_norm1(xt)))
            x = x + rt.view(B, P, T, d).transpose(1, 2).reshape(B, TP, d)
            xs = x.view(B * T, P, d)
            x = x + self.attn(self.norm1(xs)).view(B, TP, d)
            return x + self.mlp(self.norm2(x))

    class TimeSformer(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.pe = nn.Conv2d(3, d, 4, 4)
            self.pos, self.time = (
                nn.Parameter(torch.randn(1, 9, d) * 0.02),
                nn.Parameter(torch.randn(1, 5, d) * 0.02),
            )
            self.blocks = nn.ModuleList(Block(d) for _ in range(2))
            self.head = nn.Linear(d, 4)

        def forward(self, video):
            B, C, T, H, W = video.shape
            x = self.pe(video.transpose(1, 2).flatten(0, 1)).flatten(2).transpose(1, 2) + self.pos
            x = (x.view(B, T, 9, -1) + self.time[:, :T, None]).flatten(1, 2)
            for b in self.blocks:
                x = b(x, T)
            return self.head(x.mean(1))

    return TimeSformer(), [torch.randn(2, 3, 5, 12, 12) for _ in range(2)]


def point_transformer_softmax_over_channels(wrong=True):
    """axis | PCT-like point-cloud attention: energy (B, N, N), softmax over dim=1 while x_v @ attention^T sums over the last. Right twin: dim=-1."""

    class SA_Layer(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.da = channels // 4
            self.q_conv = nn.Conv1d(channels, channels // 4, 1, bias=False)
            self.k_conv = nn.Conv1d(channels, channels // 4, 1, bias=False)
            self.v_conv = nn.Conv1d(channels, channels, 1)
            self.trans_conv = nn.Conv1d(channels, channels, 1)
            self.after_norm = nn.BatchNorm1d(channels)
            self.act = nn.ReLU()
            self.softmax = nn.Softmax(dim=1 if wrong else -1)

        def forward(self, x):
            x_q = self.q_conv(x).permute(0, 2, 1)
            x_k = self.k_conv(x)
            x_v = self.v_conv(x)
            energy = torch.bmm(x_q, x_k) / math.sqrt(self.da)
            attention = self.softmax(energy)
            x_r = torch.bmm(x_v, attention.permute(0, 2, 1))
            x_r = self.act(self.after_norm(self.trans_conv(x - x_r)))
            return x + x_r

    class PCT(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv1d(3, 32, 1, bias=False), nn.BatchNorm1d(32)
            self.sa1, self.sa2 = SA_Layer(32), SA_Layer(32)
            self.fuse, self.out = nn.Conv1d(64, 64, 1), nn.Linear(64, 8)

        def forward(self, xyz):
            x = F.relu(self.bn1(self.conv1(xyz.transpose(1, 2))))
            a = self.sa1(x)
            b = self.sa2(a)
            return self.out(self.fuse(torch.cat([a, b], 1)).max(-1)[0])

    return PCT().eval(), [torch.randn(2, 40, 3) for _ in range(2)]


def set_transformer_dim_v_root(wrong=True):
    """scale | Set Transformer MAB divides by sqrt(dim_V), the full width (as the official code). Right twin: sqrt(dim_V / num_heads)."""

    class MAB(nn.Module):
        def __init__(self, dim_Q, dim_K, dim_V, num_heads):
            super().__init__()
            self.dim_V, self.num_heads = dim_V, num_heads
            self.fc_q, self.fc_k, self.fc_v = (
                nn.Linear(dim_Q, dim_V),
                nn.Linear(dim_K, dim_V),
                nn.Linear(dim_K, dim_V),
            )
            self.ln0, self.ln1 = nn.LayerNorm(dim_V), nn.LayerNorm(dim_V)
            self.fc_o = nn.Linear(dim_V, dim_V)

        def forward(self, Q, K):
            Q = self.fc_q(Q)
            K, V = self.fc_k(K), self.fc_v(K)
            ds = self.dim_V // self.num_heads
            Q_ = torch.cat(Q.split(ds, 2), 0)
            K_ = torch.cat(K.split(ds, 2), 0)
            V_ = torch.cat(V.split(ds, 2), 0)
            A = torch.softmax(
                Q_.bmm(K_.transpose(1, 2)) / math.sqrt(self.dim_V if wrong else ds), 2
            )
            O = torch.cat((Q_ + A.bmm(V_)).split(Q.size(0), 0), 2)
            O = self.ln0(O)
            return self.ln1(O + F.relu(self.fc_o(O)))

    class SetTransformer(nn.Module):
        def __init__(self, d=32):
            super().__init__()
            self.I = nn.Parameter(torch.empty(1, 6, d))
            nn.init.xavier_uniform_(self.I)
            self.S = nn.Parameter(torch.empty(1, 2, d))
            nn.init.xavier_uniform_(self.S)
            self.mab0, self.mab1 = MAB(d, 3, d, 4), MAB(3, d, d, 4)
            self.pma, self.sab = MAB(d, d, d, 4), MAB(d, d, d, 4)
            self.out = nn.Linear(d, 5)

        def forward(self, X):
            H = self.mab0(self.I.repeat(X.size(0), 1, 1), X)
            X = self.mab1(X, H)
            Z = self.pma(self.S.repeat(X.size(0), 1, 1), X)
            return self.out(self.sab(Z, Z))

    return SetTransformer(), [torch.randn(3, 20, 3) for _ in range(2)]


def perceiver_io_input_mask_dropped(wrong=True):
    """mask | Perceiver IO: forward takes a mask of the inputs, the encoder's cross-attention does not get it. Right twin: passed on."""

    class Attention(nn.Module):
        def __init__(self, query_dim, context_dim=None, heads=4, dim_head=8):
            super().__init__()
            inner = dim_head * heads
            context_dim = context_dim or query_dim
            self.scale, self.heads = dim_head**-0.5, heads
            self.to_q = nn.Linear(query_dim, inner, bias=False)
            self.to_kv = nn.Linear(context_dim, inner * 2, bias=False)
            self.to_out = nn.Linear(inner, query_dim)

        def forward(self, x, context=None, mask=None):
            h = self.heads
            q = self.to_q(x)
            context = x if context is None else context
            k, v = self.to_kv(context).chunk(2, dim=-1)
            q, k, v = (t.unflatten(-1, (h, -1)).transpose(1, 2).flatten(0, 1) for t in (q, k, v))
            sim = torch.einsum("b i d, b j d -> b i j", q, k) * self.scale
            if mask is not None:
                m = mask.repeat_interleave(h, 0)[:, None]
                sim.masked_fill_(~m, -torch.finfo(sim.dtype).max)
            attn = sim.softmax(dim=-1)
            out = torch.einsum("b i j, b j d -> b i d", attn, v)
            return self.to_out(out.unflatten(0, (-1, h)).transpose(1, 2).flatten(2))

    class PerceiverIO(nn.Module):
        def __init__(self, dim=24, latent=32, n=8):
            super().__init__()
            self.tok, self.pos = nn.Embedding(40, dim), nn.Embedding(32, dim)
            self.latents = nn.Parameter(torch.randn(n, latent))
            self.cross, self.self_attn = Attention(latent, dim), Attention(latent)
            self.n1, self.n2, self.n3 = (
                nn.LayerNorm(latent),
                nn.LayerNorm(dim),
                nn.LayerNorm(latent),
            )
            self.dec, self.queries = Attention(dim, latent), nn.Parameter(torch.randn(5, dim))
            self.logits = nn.Linear(dim, 7)

        def forward(self, ids, mask=None):
            data = self.tok(ids) + self.pos.weight[: ids.size(1)]
            x = self.latents.expand(len(ids), -1, -1)
            x = x + self.cross(self.n1(x), context=self.n2(data), mask=None if wrong else mask)
            x = x + self.self_attn(self.n3(x))
            return self.logits(self.dec(self.queries.expand(len(ids), -1, -1), context=x))

    def _b():
        m = torch.ones(3, 18, dtype=torch.bool)
        m[0, 12:] = False
        m[1, 7:] = False
        return dict(ids=torch.randint(1, 40, (3, 18)) * m, mask=m)

    return PerceiverIO(), [_b(), _b()]
