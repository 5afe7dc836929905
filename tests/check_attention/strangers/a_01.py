import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 1
class _Head(nn.Module):
    """one head of self-attention"""

    def __init__(self, n_embd, head_size, block_size, full):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.full = full

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        denom = C if self.full else k.shape[-1]
        wei = q @ k.transpose(-2, -1) * denom**-0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = F.softmax(wei, dim=-1)
        v = self.value(x)
        return wei @ v


class _LectureBlock(nn.Module):
    def __init__(self, n_embd, n_head, block_size, full):
        super().__init__()
        hs = n_embd // n_head
        self.heads = nn.ModuleList([_Head(n_embd, hs, block_size, full) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)
        self.ffwd = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd)
        )
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)

    def forward(self, x):
        h = self.ln1(x)
        x = x + self.proj(torch.cat([hd(h) for hd in self.heads], dim=-1))
        return x + self.ffwd(self.ln2(x))


class _Bigram(nn.Module):
    def __init__(self, full, vocab=65, n_embd=64, n_head=4, block_size=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, n_embd)
        self.pos = nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(
            *[_LectureBlock(n_embd, n_head, block_size, full) for _ in range(2)]
        )
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab)

    def forward(self, idx):
        B, T = idx.shape
        x = self.tok(idx) + self.pos(torch.arange(T, device=idx.device))
        return self.lm_head(self.ln_f(self.blocks(x)))


def lecture_gpt_width_of_input(wrong=True):
    """scale | C of the input (whole width) in the root instead of head_size. Right twin: root of head_size."""
    return _Bigram(wrong), [torch.randint(0, 65, (4, 16)), torch.randint(0, 65, (3, 12))]


# ---------------------------------------------------------------- 2
class _PreScaledSDPA(nn.Module):
    def __init__(self, d_model=48, n_heads=6, prescale=True):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = d_model // n_heads
        self.to_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model)
        self.prescale = prescale

    def forward(self, x, attention_mask=None):
        b, n, c = x.shape
        q, k, v = (
            self.to_qkv(x)
            .view(b, n, 3, self.n_heads, self.head_dim)
            .permute(2, 0, 3, 1, 4)
            .unbind(0)
        )
        if self.prescale:
            q = q * (self.head_dim**-0.5)
        m = attention_mask[:, None, None, :].bool() if attention_mask is not None else None
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=m)
        return self.out(y.transpose(1, 2).reshape(b, n, c))


class _TextEncoder(nn.Module):
    def __init__(self, prescale):
        super().__init__()
        self.emb = nn.Embedding(100, 48, padding_idx=0)
        self.layers = nn.ModuleList([_PreScaledSDPA(prescale=prescale) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(48) for _ in range(2)])
        self.cls = nn.Linear(48, 3)

    def forward(self, input_ids, attention_mask):
        x = self.emb(input_ids)
        for a, n in zip(self.layers, self.norms):
            x = n(x + a(x, attention_mask))
        w = attention_mask.unsqueeze(-1).float()
        return self.cls((x * w).sum(1) / w.sum(1))


def sdpa_after_manual_scaling(wrong=True):
    """scale | q is divided by sqrt(d) and SDPA does it again. Right twin: SDPA alone."""
    ids = torch.randint(1, 100, (3, 14))
    am = torch.ones(3, 14, dtype=torch.long)
    for i, L in enumerate([14, 9, 6]):
        am[i, L:] = 0
        ids[i, L:] = 0
    return _TextEncoder(wrong), [dict(input_ids=ids, attention_mask=am)]


# ---------------------------------------------------------------- 3
class _WhisperAttn(nn.Module):
    def __init__(self, n_state, n_head, half):
        super().__init__()
        self.n_head = n_head
        self.query = nn.Linear(n_state, n_state)
        self.key = nn.Linear(n_state, n_state, bias=False)
        self.value = nn.Linear(n_state, n_state)
        self.out = nn.Linear(n_state, n_state)
        self.half = half

    def forward(self, x, xa=None, mask=None):
        q = self.query(x)
        src = x if xa is None else xa
        k, v = self.key(src), self.value(src)
        return self.out(self.qkv_attention(q, k, v, mask))

    def qkv_attention(self, q, k, v, mask=None):
        n_batch, n_ctx, n_state = q.shape
        scale = (n_state // self.n_head) ** -0.25
        q = q.view(*q.shape[:2], self.n_head, -1).permute(0, 2, 1, 3) * scale
        k = k.view(*k.shape[:2], self.n_head, -1).permute(0, 2, 3, 1)
        if not self.half:
            k = k * scale
        v = v.view(*v.shape[:2], self.n_head, -1).permute(0, 2, 1, 3)
        qk = q @ k
        if mask is not None:
            qk = qk + mask[:n_ctx, :n_ctx]
        w = F.softmax(qk.float(), dim=-1).to(q.dtype)
        return (w @ v).permute(0, 2, 1, 3).flatten(start_dim=2)


class _TinyWhisper(nn.Module):
    def __init__(self, half, n_state=64, n_head=4):
        super().__init__()
        self.conv1 = nn.Conv1d(20, n_state, 3, padding=1)
        self.conv2 = nn.Conv1d(n_state, n_state, 3, stride=2, padding=1)
        self.enc = _WhisperAttn(n_state, n_head, half)
        self.enc_ln = nn.LayerNorm(n_state)
        self.tok = nn.Embedding(50, n_state)
        self.pos = nn.Parameter(torch.randn(32, n_state) * 0.02)
        self.self_ln, self.cross_ln, self.ln = (nn.LayerNorm(n_state) for _ in range(3))
        self.self_attn = _WhisperAttn(n_state, n_head, half)
        self.cross = _WhisperAttn(n_state, n_head, half)
        self.register_buffer("mask", torch.full((32, 32), float("-inf")).triu_(1), persistent=False)

    def forward(self, mel, tokens):
        a = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).transpose(1, 2)
        a = a + self.enc(self.enc_ln(a))
        x = self.tok(tokens) + self.pos[: tokens.shape[1]]
        x = x + self.self_attn(self.self_ln(x), mask=self.mask)
        x = x + self.cross(self.cross_ln(x), xa=a)
        return self.ln(x) @ self.tok.weight.t()


def whisper_quarter_on_q_only(wrong=True):
    """scale | d**-0.25 is put on q only and not on k. Right twin: on both."""
    return _TinyWhisper(wrong), [(torch.randn(2, 20, 40), torch.randint(0, 50, (2, 11)))]


# ---------------------------------------------------------------- 4
class _ViTAttention(nn.Module):
    def __init__(self, dim, heads=8, dropout=0.0, scale_dim=None):
        super().__init__()
        self.heads = heads
        self.scale = scale_dim**-0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(dim, dim), nn.Dropout(dropout))

    def forward(self, x):
        b, n, _ = x.shape
        h = self.heads
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = [t.reshape(b, n, h, -1).transpose(1, 2) for t in qkv]
        dots = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        attn = dots.softmax(dim=-1)
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))


class _ViT(nn.Module):
    def __init__(self, scale_dim, dim=64, heads=4, patch=4, img=16):
        super().__init__()
        n = (img // patch) ** 2
        self.patch = nn.Conv2d(3, dim, patch, patch)
        self.cls = nn.Parameter(torch.randn(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, n + 1, dim))
        self.layers = nn.ModuleList([])
        for _ in range(2):
            self.layers.append(
                nn.ModuleList(
                    [
                        nn.LayerNorm(dim),
                        _ViTAttention(dim, heads, 0.1, scale_dim),
                        nn.LayerNorm(dim),
                        nn.Sequential(nn.Linear(dim, 128), nn.GELU(), nn.Linear(128, dim)),
                    ]
                )
            )
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 10))

    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.pos
        for n1, a, n2, f in self.layers:
            x = x + a(n1(x))
            x = x + f(n2(x))
        return self.head(x[:, 0])


def early_vit_pytorch_dim(wrong=True):
    """scale | self.scale = dim ** -0.5 with the whole width of 4 heads. Right twin: (dim // heads) ** -0.5."""
    return _ViT(64 if wrong else 64 // 4), [torch.randn(2, 3, 16, 16), torch.randn(3, 3, 16, 16)]


# ---------------------------------------------------------------- 5
class _GraphTransformerLayer(nn.Module):
    """dense graph attention on padded graphs, with an edge-feature bias"""

    def __init__(self, hidden, num_heads, div):
        super().__init__()
        self.H, self.D = num_heads, hidden // num_heads
        self.Wq, self.Wk, self.Wv, self.Wo = (nn.Linear(hidden, hidden) for _ in range(4))
        self.edge_bias = nn.Embedding(4, num_heads)
        self.div = div
        self.bn = nn.LayerNorm(hidden)

    def forward(self, h, adj, etype):
        B, N, _ = h.shape
        q = self.Wq(h).view(B, N, self.H, self.D)
        k = self.Wk(h).view(B, N, self.H, self.D)
        v = self.Wv(h).view(B, N, self.H, self.D)
        e = torch.einsum("bihd,bjhd->bijh", q, k)
        e = e / math.sqrt(self.H if self.div == "heads" else self.D)
        e = e + self.edge_bias(etype)
        e = e.masked_fill(~adj.unsqueeze(-1), -1e9)
        alpha = torch.softmax(e, dim=2)
        out = torch.einsum("bijh,bjhd->bihd", alpha, v).flatten(2)
        return self.bn(h + self.Wo(out))


class _GraphNet(nn.Module):
    def __init__(self, div):
        super().__init__()
        self.inp = nn.Linear(7, 32)
        self.l1 = _GraphTransformerLayer(32, 2, div)
        self.l2 = _GraphTransformerLayer(32, 2, div)
        self.out = nn.Linear(32, 1)

    def forward(self, x, adj, etype):
        h = self.inp(x)
        h = self.l2(self.l1(h, adj, etype), adj, etype)
        return self.out(h.mean(1))


def dense_graph_root_of_heads(wrong=True):
    """scale | scores divided by sqrt(number of heads). Right twin: sqrt of the head's size."""
    n = 12
    a = torch.rand(3, n, n) < 0.4
    a = a | a.transpose(1, 2) | torch.eye(n, dtype=torch.bool)
    return _GraphNet("heads" if wrong else "dim"), [
        (torch.randn(3, n, 7), a, torch.randint(0, 4, (3, n, n)))
    ]
