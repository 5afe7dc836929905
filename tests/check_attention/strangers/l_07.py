import math, torch
from torch import nn
from torch.nn import functional as F


def _ids(lengths, T, vocab=100):
    x = torch.randint(1, vocab, (len(lengths), T))
    for i, n in enumerate(lengths):
        x[i, n:] = 0
    return x


# ---------------------------------------------------------------- games: decision transformer
class DTBlock(nn.Module):
    def __init__(self, d, h, wrong):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.wrong = wrong

    def forward(self, x, valid):
        B, T, D = x.shape
        q, k, v = (
            t.view(B, T, self.h, D // self.h).transpose(1, 2)
            for t in self.qkv(self.ln1(x)).chunk(3, -1)
        )
        future = torch.triu(torch.ones(T, T, dtype=torch.bool, device=x.device), 1)
        blocked = future[None, None] | ~valid[:, None, None, :]
        if self.wrong:
            bias = torch.zeros(B, 1, T, T).masked_fill(blocked, -1.0)
        else:
            bias = torch.zeros(B, 1, T, T).masked_fill(blocked, -1e9)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + self.proj(y.transpose(1, 2).reshape(B, T, D))
        return x + self.mlp(self.ln2(x))


class DecisionTransformer(nn.Module):
    def __init__(self, wrong, state=8, actions=4, d=32):
        super().__init__()
        self.rtg, self.st, self.act = nn.Linear(1, d), nn.Linear(state, d), nn.Embedding(actions, d)
        self.t = nn.Embedding(40, d)
        self.blocks = nn.ModuleList([DTBlock(d, 4, wrong) for _ in range(2)])
        self.pi = nn.Linear(d, actions)

    def forward(self, returns, states, actions, valid):
        B, T = actions.shape
        te = self.t(torch.arange(T))
        x = torch.stack(
            [self.rtg(returns) + te, self.st(states) + te, self.act(actions) + te], 2
        ).reshape(B, 3 * T, -1)
        valid = valid.repeat_interleave(3, 1)
        for b in self.blocks:
            x = b(x, valid)
        return self.pi(x.view(B, T, 3, -1)[:, :, 1])


def decision_transformer_minus_one(wrong=True):
    """mask | The additive mask of causal and padding is -1, far too small. Right twin: -1e9."""

    def b(lens, T):
        return (
            torch.randn(len(lens), T, 1),
            torch.randn(len(lens), T, 8),
            torch.randint(0, 4, (len(lens), T)),
            torch.arange(T)[None] < torch.tensor(lens)[:, None],
        )

    return DecisionTransformer(wrong), [b([6, 4], 6), b([3, 7, 5], 8)]


# ---------------------------------------------------------------- image classification, batch_first left out
class PatchTransformer(nn.Module):
    def __init__(self, wrong, d=32, classes=6):
        super().__init__()
        self.unfold = nn.Unfold(4, stride=4)
        self.embed = nn.Linear(48, d)
        self.pos = nn.Parameter(torch.randn(1, 16, d) * 0.02)
        layer = nn.TransformerEncoderLayer(
            d_model=d,
            nhead=4,
            dim_feedforward=64,
            dropout=0.0,
            activation="gelu",
            batch_first=not wrong,
        )
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.head = nn.Linear(d, classes)

    def forward(self, images):
        x = self.embed(self.unfold(images).transpose(1, 2)) + self.pos  # batch, patches, d
        x = self.encoder(x)
        return self.head(x.mean(dim=1))


def patch_transformer_batch_first_left_out(wrong=True):
    """heads | (batch, patches, d) goes into an encoder with batch_first=False. Right twin: batch_first=True."""
    return PatchTransformer(wrong), [torch.randn(4, 3, 16, 16), torch.randn(6, 3, 16, 16)]


# ---------------------------------------------------------------- question answering: softmax over heads
class CoAttention(nn.Module):
    def __init__(self, wrong, d=32, h=4):
        super().__init__()
        self.h = h
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.fuse = nn.Linear(2 * d, d)
        self.softmax = nn.Softmax(dim=1 if wrong else -1)

    def forward(self, context, question, q_mask):
        B, N, D = context.shape
        M = question.size(1)
        q = self.q(context).view(B, N, self.h, -1).transpose(1, 2)
        k = self.k(question).view(B, M, self.h, -1).permute(0, 2, 3, 1)
        v = self.v(question).view(B, M, self.h, -1).transpose(1, 2)
        e = torch.matmul(q, k) / math.sqrt(D // self.h) + (~q_mask)[:, None, None, :] * -1e9
        a = self.softmax(e)
        r = torch.matmul(a, v).transpose(1, 2).reshape(B, N, D)
        return torch.tanh(self.fuse(torch.cat([context, r], -1)))


class SpanQA(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.e = nn.Embedding(100, d, padding_idx=0)
        self.co = CoAttention(wrong, d)
        self.span = nn.Linear(d, 2)

    def forward(self, context, question):
        y = self.span(self.co(self.e(context), self.e(question), question != 0))
        return y[..., 0], y[..., 1]


def span_qa_softmax_dim_one(wrong=True):
    """axis | nn.Softmax(dim=1) on (B,H,N,M), that is over the heads. Right twin: dim=-1."""
    return SpanQA(wrong), [
        (_ids([20, 14], 20), _ids([7, 5], 8)),
        (_ids([11, 15, 9], 16), _ids([4, 6, 3], 6)),
    ]


# ---------------------------------------------------------------- point clouds: times sqrt(d)
class PointAttention(nn.Module):
    def __init__(self, wrong, d=48, h=6):
        super().__init__()
        self.h, self.hd = h, d // h
        self.scale = self.hd**0.5 if wrong else self.hd**-0.5
        self.to_q, self.to_kv, self.to_out = (
            nn.Linear(d, d, bias=False),
            nn.Linear(d, 2 * d, bias=False),
            nn.Linear(d, d),
        )

    def forward(self, x, latents):
        b = x.size(0)
        q = self.to_q(latents).unflatten(-1, (self.h, self.hd)).transpose(1, 2) * self.scale
        k, v = self.to_kv(x).chunk(2, -1)
        k, v = (
            k.unflatten(-1, (self.h, self.hd)).transpose(1, 2),
            v.unflatten(-1, (self.h, self.hd)).transpose(1, 2),
        )
        return self.to_out(((q @ k.transpose(-2, -1)).softmax(-1) @ v).transpose(1, 2).flatten(2))


class PointNetAttn(nn.Module):
    def __init__(self, wrong, d=48):
        super().__init__()
        self.lift = nn.Sequential(nn.Linear(3, d), nn.ReLU(), nn.Linear(d, d), nn.LayerNorm(d))
        self.latents = nn.Parameter(torch.randn(5, d) * 0.5)
        self.att = PointAttention(wrong, d)
        self.cls = nn.Linear(d, 7)

    def forward(self, pts):
        l = self.latents.expand(pts.size(0), -1, -1)
        return self.cls((l + self.att(self.lift(pts), l)).mean(1))


def point_cloud_scale_wrong_sign(wrong=True):
    """scale | scale = head_dim ** 0.5 is multiplied. Right twin: head_dim ** -0.5."""
    return PointNetAttn(wrong), [torch.randn(2, 30, 3), torch.randn(3, 24, 3)]


# ---------------------------------------------------------------- session recommender, empty sessions
class SessionRec(nn.Module):
    def __init__(self, wrong, items=50, d=32, h=4):
        super().__init__()
        self.item = nn.Embedding(items, d, padding_idx=0)
        self.start = nn.Parameter(torch.randn(1, 1, d) * 0.1)
        self.user = nn.Embedding(20, d)
        self.mha = nn.MultiheadAttention(d, h, batch_first=True)
        self.wrong = wrong

    def forward(self, user, session):
        u = self.user(user).unsqueeze(1)
        s, pad = self.item(session), session == 0
        if not self.wrong:
            s = torch.cat([self.start.expand(len(s), -1, -1), s], 1)
            pad = F.pad(pad, (1, 0), value=False)
        a, _ = self.mha(u, s, s, key_padding_mask=pad)
        return (u + a).squeeze(1) @ self.item.weight.t()


def session_rec_empty_session(wrong=True):
    """nan | A user with an empty session has all keys masked with -inf, nan. Right twin: a start token is always visible."""
    return SessionRec(wrong), [
        (torch.randint(0, 20, (3,)), _ids([5, 0, 3], 6, 50)),
        (torch.randint(0, 20, (2,)), _ids([0, 4], 5, 50)),
    ]
