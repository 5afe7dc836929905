import math, torch
from torch import nn
from torch.nn import functional as F


def cait_class_attention_no_scale(wrong=True):
    """scale | CaiT class attention computes self.scale but never uses it. Right twin: q * scale."""

    class ClassAttn(nn.Module):
        def __init__(self, dim, num_heads=8, qkv_bias=False):
            super().__init__()
            self.num_heads = num_heads
            head_dim = dim // num_heads
            self.scale = head_dim**-0.5
            self.q = nn.Linear(dim, dim, bias=qkv_bias)
            self.k = nn.Linear(dim, dim, bias=qkv_bias)
            self.v = nn.Linear(dim, dim, bias=qkv_bias)
            self.proj = nn.Linear(dim, dim)

        def forward(self, x):
            B, N, C = x.shape
            q = (
                self.q(x[:, 0])
                .unsqueeze(1)
                .reshape(B, 1, self.num_heads, C // self.num_heads)
                .permute(0, 2, 1, 3)
            )
            k = self.k(x).reshape(B, N, self.num_heads, C // self.num_heads).permute(0, 2, 1, 3)
            if not wrong:
                q = q * self.scale
            v = self.v(x).reshape(B, N, self.num_heads, C // self.num_heads).permute(0, 2, 1, 3)
            attn = q @ k.transpose(-2, -1)
            attn = attn.softmax(dim=-1)
            x_cls = (attn @ v).transpose(1, 2).reshape(B, 1, C)
            return self.proj(x_cls)

    class CaiTHead(nn.Module):
        def __init__(self, dim=64):
            super().__init__()
            self.patch = nn.Conv2d(3, dim, 4, 4)
            self.cls_token = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
            self.norm1 = nn.LayerNorm(dim)
            self.attn = ClassAttn(dim, 4)
            self.gamma = nn.Parameter(torch.full((dim,), 0.1))
            self.head = nn.Linear(dim, 10)

        def forward(self, x):
            x = self.patch(x).flatten(2).transpose(1, 2)
            c = self.cls_token.expand(x.size(0), -1, -1)
            c = c + self.gamma * self.attn(self.norm1(torch.cat([c, x], 1)))
            return self.head(c[:, 0])

    return CaiTHead(), [torch.randn(2, 3, 16, 16) for _ in range(2)]


def cvt_conv_projection_whole_dim(wrong=True):
    """scale | CvT takes scale = dim_out ** -0.5 (as the published code), width and not head. Right twin: head size."""

    class Attention(nn.Module):
        def __init__(self, dim, num_heads):
            super().__init__()
            self.num_heads, self.dim = num_heads, dim
            self.dw_q = nn.Sequential(
                nn.Conv2d(dim, dim, 3, padding=1, groups=dim, bias=False), nn.BatchNorm2d(dim)
            )
            self.dw_k = nn.Sequential(
                nn.Conv2d(dim, dim, 3, stride=2, padding=1, groups=dim, bias=False),
                nn.BatchNorm2d(dim),
            )
            self.dw_v = nn.Sequential(
                nn.Conv2d(dim, dim, 3, stride=2, padding=1, groups=dim, bias=False),
                nn.BatchNorm2d(dim),
            )
            self.proj_q, self.proj_k, self.proj_v = (
                nn.Linear(dim, dim),
                nn.Linear(dim, dim),
                nn.Linear(dim, dim),
            )
            self.proj = nn.Linear(dim, dim)

        def forward(self, x, h, w):
            img = x.transpose(1, 2).unflatten(2, (h, w))
            sp = lambda t: t.flatten(2).transpose(1, 2)
            heads = lambda t: t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            q = heads(self.proj_q(sp(self.dw_q(img))))
            k = heads(self.proj_k(sp(self.dw_k(img))))
            v = heads(self.proj_v(sp(self.dw_v(img))))
            factor = self.dim**-0.5 if wrong else (self.dim // self.num_heads) ** -0.5
            attn_score = torch.einsum("bhlk,bhtk->bhlt", [q, k]) * factor
            attn = F.softmax(attn_score, dim=-1)
            o = torch.einsum("bhlt,bhtv->bhlv", [attn, v])
            return self.proj(o.transpose(1, 2).flatten(2))

    class CvTStage(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Conv2d(3, 48, 7, 4, 3)
            self.n1, self.n2 = nn.LayerNorm(48), nn.LayerNorm(48)
            self.attn = Attention(48, 3)
            self.mlp = nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 48))
            self.fc = nn.Linear(48, 5)

        def forward(self, x):
            x = self.embed(x)
            h, w = x.shape[-2:]
            x = x.flatten(2).transpose(1, 2)
            x = x + self.attn(self.n1(x), h, w)
            x = x + self.mlp(self.n2(x))
            return self.fc(x.mean(1))

    return CvTStage().eval(), [torch.randn(2, 3, 24, 24) for _ in range(2)]


def segformer_reduced_wrong_dim(wrong=True):
    """axis | SegFormer efficient attention with spatial reduction, softmax over the queries (dim=-2). Right twin: dim=-1."""

    class EfficientSelfAttention(nn.Module):
        def __init__(self, hidden, heads, sr):
            super().__init__()
            self.h, self.d = heads, hidden // heads
            self.query, self.key, self.value = (
                nn.Linear(hidden, hidden),
                nn.Linear(hidden, hidden),
                nn.Linear(hidden, hidden),
            )
            self.sr = nn.Conv2d(hidden, hidden, sr, sr)
            self.layer_norm = nn.LayerNorm(hidden)

        def split(self, t):
            return t.view(t.shape[0], t.shape[1], self.h, self.d).permute(0, 2, 1, 3)

        def forward(self, x, height, width):
            q = self.split(self.query(x))
            b, _, c = x.shape
            r = self.sr(x.permute(0, 2, 1).reshape(b, c, height, width))
            r = self.layer_norm(r.reshape(b, c, -1).permute(0, 2, 1))
            k, v = self.split(self.key(r)), self.split(self.value(r))
            s = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d)
            p = F.softmax(s, dim=-2 if wrong else -1)
            return torch.matmul(p, v).permute(0, 2, 1, 3).reshape(b, -1, c)

    class MiT(nn.Module):
        def __init__(self):
            super().__init__()
            self.pe = nn.Conv2d(3, 32, 7, 4, 3)
            self.n1, self.n2 = nn.LayerNorm(32), nn.LayerNorm(32)
            self.att = EfficientSelfAttention(32, 2, 2)
            self.dense = nn.Linear(32, 32)
            self.fc1, self.dw, self.fc2 = (
                nn.Linear(32, 64),
                nn.Conv2d(64, 64, 3, padding=1, groups=64),
                nn.Linear(64, 32),
            )
            self.decode = nn.Conv2d(32, 6, 1)

        def forward(self, x):
            x = self.pe(x)
            B, C, H, W = x.shape
            x = x.flatten(2).transpose(1, 2)
            x = x + self.dense(self.att(self.n1(x), H, W))
            y = self.fc1(self.n2(x))
            y = self.dw(y.transpose(1, 2).reshape(B, -1, H, W)).flatten(2).transpose(1, 2)
            x = x + self.fc2(F.gelu(y))
            return self.decode(x.transpose(1, 2).reshape(B, C, H, W))

    return MiT(), [torch.randn(2, 3, 24, 24) for _ in range(2)]


def vit_linear_kernel_attention(wrong=True):
    """unknown | The wrong one is a ViT with linear (kernel elu+1) attention, without softmax. Right twin: ordinary softmax attention."""

    class TokenAttention(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.heads = heads
            self.qkv = nn.Linear(dim, dim * 3)
            self.proj = nn.Linear(dim, dim)

        def forward(self, x):
            B, N, C = x.shape
            q, k, v = (
                self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
            )
            if wrong:
                q, k = F.elu(q) + 1, F.elu(k) + 1
                kv = torch.einsum("bhnd,bhne->bhde", k, v)
                z = 1 / (torch.einsum("bhnd,bhd->bhn", q, k.sum(2)) + 1e-6)
                o = torch.einsum("bhnd,bhde,bhn->bhne", q, kv, z)
            else:
                a = (q @ k.transpose(-1, -2) * (C // self.heads) ** -0.5).softmax(-1)
                o = a @ v
            return self.proj(o.transpose(1, 2).reshape(B, N, C))

    class ViT(nn.Module):
        def __init__(self, dim=32):
            super().__init__()
            self.pe = nn.Conv2d(3, dim, 4, 4)
            self.pos = nn.Parameter(torch.randn(1, 16, dim) * 0.02)
            self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.a1, self.a2 = TokenAttention(dim, 4), TokenAttention(dim, 4)
            self.head = nn.Linear(dim, 10)

        def forward(self, x):
            x = self.pe(x).flatten(2).transpose(1, 2) + self.pos
            x = x + self.a1(self.n1(x))
            x = x + self.a2(self.n2(x))
            return self.head(x.mean(1))

    return ViT(), [torch.randn(2, 3, 16, 16) for _ in range(2)]


def deit_merge_without_transpose(wrong=True):
    """heads | DeiT (class and distillation token): heads merged by reshape without the transpose. Right twin: transpose(1, 2) first."""

    class Attention(nn.Module):
        def __init__(self, dim, num_heads=4, qkv_bias=True, proj_drop=0.0):
            super().__init__()
            self.num_heads = num_heads
            self.scale = (dim // num_heads) ** -0.5
            self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
            self.proj = nn.Linear(dim, dim)
            self.proj_drop = nn.Dropout(proj_drop)

        def forward(self, x):
            B, N, C = x.shape
            qkv = (
                self.qkv(x)
                .reshape(B, N, 3, self.num_heads, C // self.num_heads)
                .permute(2, 0, 3, 1, 4)
            )
            q, k, v = qkv.unbind(0)
            x = F.scaled_dot_product_attention(q, k, v)
            if not wrong:
                x = x.transpose(1, 2)
            x = x.reshape(B, N, C)
            return self.proj_drop(self.proj(x))

    class DistilledViT(nn.Module):
        def __init__(self, dim=32, depth=2):
            super().__init__()
            self.patch_embed = nn.Conv2d(3, dim, 4, 4)
            self.cls_token = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
            self.dist_token = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
            self.pos_embed = nn.Parameter(torch.randn(1, 18, dim) * 0.02)
            self.blocks = nn.ModuleList(
                nn.ModuleDict(
                    dict(
                        norm1=nn.LayerNorm(dim),
                        attn=Attention(dim),
                        norm2=nn.LayerNorm(dim),
                        mlp=nn.Sequential(nn.Linear(dim, 64), nn.GELU(), nn.Linear(64, dim)),
                    )
                )
                for _ in range(depth)
            )
            self.norm = nn.LayerNorm(dim)
            self.head, self.head_dist = nn.Linear(dim, 7), nn.Linear(dim, 7)

        def forward(self, x):
            x = self.patch_embed(x).flatten(2).transpose(1, 2)
            n = x.size(0)
            x = (
                torch.cat(
                    (self.cls_token.expand(n, -1, -1), self.dist_token.expand(n, -1, -1), x), 1
                )
                + self.pos_embed
            )
            for b in self.blocks:
                x = x + b["attn"](b["norm1"](x))
                x = x + b["mlp"](b["norm2"](x))
            x = self.norm(x)
            return (self.head(x[:, 0]) + self.head_dist(x[:, 1])) / 2

    return DistilledViT(), [torch.randn(2, 3, 16, 16) for _ in range(2)]
