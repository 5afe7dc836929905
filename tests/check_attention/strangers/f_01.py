import math, torch
from torch import nn
from torch.nn import functional as F


class _CosAttn(nn.Module):
    def __init__(self, dim, heads, wrong):
        super().__init__()
        self.h = heads
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim)
        self.logit_scale = nn.Parameter(torch.full((heads, 1, 1), math.log(10.0)))
        self.wrong = wrong

    def forward(self, x):
        q, k, v = (
            t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.to_qkv(x).chunk(3, -1)
        )
        temp = self.logit_scale.clamp(max=math.log(100.0)).exp()
        q = F.normalize(q, dim=-1) * temp
        k = F.normalize(k, dim=-1)
        if self.wrong:
            o = F.scaled_dot_product_attention(q, k, v)
        else:
            o = F.scaled_dot_product_attention(q, k, v, scale=1.0)
        return self.proj(o.transpose(1, 2).flatten(2))


class _CosBlock(nn.Module):
    def __init__(self, dim, heads, wrong):
        super().__init__()
        self.attn = _CosAttn(dim, heads, wrong)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):  # res-post-norm
        x = x + self.norm1(self.attn(x))
        return x + self.norm2(self.mlp(x))


def cosine_sdpa_scaled_again(wrong=True):
    """scale | L2-normalised q, k with a learned temperature, but SDPA divides by sqrt(d) once more by its default. Right twin: scale=1.0 is passed."""
    model = nn.Sequential(
        nn.Conv2d(3, 48, 4, 4),
        nn.Flatten(2),
        _T12(),
        _CosBlock(48, 4, wrong),
        _CosBlock(48, 4, wrong),
        nn.LayerNorm(48),
    )
    return model, [torch.randn(2, 3, 16, 16), torch.randn(3, 3, 20, 20)]


class _T12(nn.Module):
    def forward(self, x):
        return x.transpose(1, 2)


block_size = 24


class _Head(nn.Module):
    """one head of self-attention"""

    def __init__(self, n_embd, head_size, wrong):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.wrong = wrong

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        wei = q @ k.transpose(-2, -1)
        wei = wei * (C if self.wrong else k.shape[-1]) ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = F.softmax(wei, dim=-1)
        return wei @ self.value(x)


class _NotebookGPT(nn.Module):
    def __init__(self, wrong, n_embd=64, n_head=4, n_layer=2, vocab=50):
        super().__init__()
        self.tok = nn.Embedding(vocab, n_embd)
        self.pos = nn.Embedding(block_size, n_embd)
        self.layers = nn.ModuleList()
        for _ in range(n_layer):
            self.layers.append(
                nn.ModuleDict(
                    dict(
                        heads=nn.ModuleList(
                            [_Head(n_embd, n_embd // n_head, wrong) for _ in range(n_head)]
                        ),
                        proj=nn.Linear(n_embd, n_embd),
                        ln1=nn.LayerNorm(n_embd),
                        ln2=nn.LayerNorm(n_embd),
                        ff=nn.Sequential(
                            nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd)
                        ),
                    )
                )
            )
        self.lm_head = nn.Linear(n_embd, vocab)

    def forward(self, idx):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1], device=idx.device))
        for l in self.layers:
            y = l["ln1"](x)
            x = x + l["proj"](torch.cat([h(y) for h in l["heads"]], dim=-1))
            x = x + l["ff"](l["ln2"](x))
        return self.lm_head(x)


def notebook_heads_scaled_by_C(wrong=True):
    """scale | wei * C**-0.5 with C the embedding width, not the head size. Right twin: k.shape[-1]**-0.5."""
    return _NotebookGPT(wrong), [torch.randint(0, 50, (2, 24)), torch.randint(0, 50, (3, 17))]


class _MAB(nn.Module):
    def __init__(self, dim_Q, dim_K, dim_V, num_heads, wrong):
        super().__init__()
        self.dim_V, self.num_heads, self.wrong = dim_V, num_heads, wrong
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
        A = torch.softmax(
            Q_.bmm(K_.transpose(1, 2)) / math.sqrt(self.dim_V if self.wrong else dim_split), 2
        )
        O = torch.cat((Q_ + A.bmm(V_)).split(Q.size(0), 0), 2)
        return O + F.relu(self.fc_o(O))


class _SetTransformer(nn.Module):
    def __init__(self, wrong, d=32, h=4, m=5):
        super().__init__()
        self.I = nn.Parameter(torch.randn(1, m, d))
        self.S = nn.Parameter(torch.randn(1, 2, d))
        self.mab0 = _MAB(d, 3, d, h, wrong)
        self.mab1 = _MAB(3, d, d, h, wrong)
        self.pma = _MAB(d, d, d, h, wrong)
        self.out = nn.Linear(d, 7)

    def forward(self, X):
        H = self.mab0(self.I.repeat(X.size(0), 1, 1), X)
        X = self.mab1(X, H)
        return self.out(self.pma(self.S.repeat(X.size(0), 1, 1), X))


def set_transformer_root_dim_V(wrong=True):
    """scale | Set Transformer divides by the root of the whole dim_V. Right twin: root of one head's split."""
    return _SetTransformer(wrong), [torch.randn(3, 20, 3), torch.randn(2, 31, 3)]


class _AttnPool(nn.Module):
    """utterance embedding: learned queries, one for each head, over frames"""

    def __init__(self, n_mels, dim, heads, wrong):
        super().__init__()
        self.conv = nn.Conv1d(n_mels, dim, 3, padding=1)
        self.query = nn.Parameter(torch.randn(heads, dim // heads))
        self.key, self.value = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.heads = heads
        self.cls = nn.Linear(dim, 10)
        self.fill = 1e-9 if wrong else -1e9

    def forward(self, mel, lengths):
        x = F.relu(self.conv(mel)).transpose(1, 2)
        b, t, c = x.shape
        k = self.key(x).view(b, t, self.heads, -1)
        v = self.value(x).view(b, t, self.heads, -1)
        score = torch.einsum("hd,bthd->bht", self.query, k) / math.sqrt(k.size(-1))
        mask = torch.arange(t, device=x.device)[None] < lengths[:, None]
        score = score.masked_fill(mask[:, None] == 0, self.fill)
        w = score.softmax(-1)
        return self.cls(torch.einsum("bht,bthd->bhd", w, v).flatten(1))


def audio_pool_fill_1e_minus_9(wrong=True):
    """mask | masked_fill(mask == 0, 1e-9) leaves the padded frames in the pooling. Right twin: -1e9."""
    return _AttnPool(20, 32, 4, wrong), [
        (torch.randn(3, 20, 30), torch.tensor([30, 18, 9])),
        (torch.randn(2, 20, 22), torch.tensor([13, 22])),
    ]


class _VitAttention(nn.Module):
    def __init__(self, dim, num_heads, wrong):
        super().__init__()
        self.num_heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)
        self.wrong = wrong

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = (
            self.qkv(x)
            .reshape(B, N, 3, self.num_heads, C // self.num_heads)
            .permute(2, 0, 3, 1, 4)
            .unbind(0)
        )
        attn = (q * self.scale) @ k.transpose(-2, -1)
        x = attn.softmax(dim=-1) @ v
        if not self.wrong:
            x = x.transpose(1, 2)
        return self.proj(x.reshape(B, N, C))


class _Vit(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.patch = nn.Conv2d(1, 64, 7, 7)
        self.cls = nn.Parameter(torch.randn(1, 1, 64) * 0.02)
        self.pos = nn.Parameter(torch.randn(1, 17, 64) * 0.02)
        self.norms = nn.ModuleList([nn.LayerNorm(64) for _ in range(2)])
        self.attns = nn.ModuleList([_VitAttention(64, 4, wrong) for _ in range(2)])
        self.head = nn.Linear(64, 10)

    def forward(self, img):
        x = self.patch(img).flatten(2).mT
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.pos
        for n, a in zip(self.norms, self.attns):
            x = x + a(n(x))
        return self.head(x[:, 0])


def vit_merge_without_transpose(wrong=True):
    """heads | (B, H, N, d) is reshaped to (B, N, C) without the transpose. Right twin: transpose(1, 2) first."""
    return _Vit(wrong), [torch.randn(4, 1, 28, 28), torch.randn(2, 1, 28, 28)]
