import math, torch
from torch import nn
from torch.nn import functional as F


# ---------------------------------------------------------------- 11
def swin_mask_view_order(wrong=True):
    """mask | Shifted windows: the windows are stored batch-major, but scores are viewed as (nW, B, ...) so that windows get the mask of other windows. Right twin: (B, nW, ...)."""

    class ShiftedWindowAttention(nn.Module):
        def __init__(self, dim=32, ws=4, heads=4, res=8):
            super().__init__()
            self.dim, self.ws, self.heads, self.shift, self.res = dim, ws, heads, ws // 2, res
            self.scale = (dim // heads) ** -0.5
            self.qkv = nn.Linear(dim, dim * 3)
            self.proj = nn.Linear(dim, dim)
            img = torch.zeros(1, res, res, 1)
            sl = (slice(0, -ws), slice(-ws, -self.shift), slice(-self.shift, None))
            c = 0
            for a in sl:
                for b in sl:
                    img[:, a, b] = c
                    c += 1
            mw = self.partition(img).view(-1, ws * ws)
            m = mw.unsqueeze(1) - mw.unsqueeze(2)
            self.register_buffer(
                "attn_mask", m.masked_fill(m != 0, -100.0).masked_fill(m == 0, 0.0)
            )

        def partition(self, x):
            B, H, W, C = x.shape
            x = x.view(B, H // self.ws, self.ws, W // self.ws, self.ws, C)
            return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, self.ws * self.ws, C)

        def reverse(self, w, B):
            n = self.res // self.ws
            x = w.view(B, n, n, self.ws, self.ws, -1)
            return x.permute(0, 1, 3, 2, 4, 5).reshape(B, self.res, self.res, -1)

        def forward(self, x):
            B = x.shape[0]
            x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
            w = self.partition(x)
            B_, N, C = w.shape
            q, k, v = (
                self.qkv(w).reshape(B_, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
            )
            attn = (q * self.scale) @ k.transpose(-2, -1)
            nW = self.attn_mask.shape[0]
            if wrong:
                attn = attn.view(nW, B_ // nW, self.heads, N, N) + self.attn_mask[:, None, None]
            else:
                attn = attn.view(B_ // nW, nW, self.heads, N, N) + self.attn_mask[None, :, None]
            attn = attn.view(-1, self.heads, N, N).softmax(dim=-1)
            w = self.proj((attn @ v).transpose(1, 2).reshape(B_, N, C))
            return torch.roll(self.reverse(w, B), (self.shift, self.shift), (1, 2))

    class Stage(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch = nn.Conv2d(3, 32, 2, 2)
            self.norm = nn.LayerNorm(32)
            self.attn = ShiftedWindowAttention()

        def forward(self, im):
            x = self.patch(im).permute(0, 2, 3, 1)
            return x + self.attn(self.norm(x))

    return Stage(), [torch.randn(3, 3, 16, 16), torch.randn(2, 3, 16, 16)]


# ---------------------------------------------------------------- 12
def sliding_window_open_future(wrong=True):
    """mask | Sliding window of a causal decoder: only i - j < window is checked, so every future token passes. Right twin: also i - j >= 0."""

    class LocalAttn(nn.Module):
        def __init__(self, width, n_q, window):
            super().__init__()
            self.n_q, self.window, self.hd = n_q, window, width // n_q
            self.q_proj = nn.Linear(width, width, bias=False)
            self.k_proj = nn.Linear(width, width, bias=False)
            self.v_proj = nn.Linear(width, width, bias=False)
            self.o_proj = nn.Linear(width, width, bias=False)
            self.register_buffer(
                "inv_freq", 1.0 / 10000 ** (torch.arange(0, self.hd, 2).float() / self.hd)
            )

        def rope(self, t, pos):
            f = torch.outer(pos.float(), self.inv_freq)
            c, s = f.cos().repeat(1, 2), f.sin().repeat(1, 2)
            a, b = t.chunk(2, -1)
            return t * c + torch.cat((-b, a), -1) * s

        def forward(self, x):
            bsz, n, w = x.shape
            pos = torch.arange(n)
            sh = lambda t: t.view(bsz, n, self.n_q, self.hd).transpose(1, 2)
            q, k, v = (
                self.rope(sh(self.q_proj(x)), pos),
                self.rope(sh(self.k_proj(x)), pos),
                sh(self.v_proj(x)),
            )
            dist = pos[:, None] - pos[None, :]
            keep = dist < self.window
            if not wrong:
                keep = keep & (dist >= 0)
            bias = torch.zeros(n, n).masked_fill(~keep, torch.finfo(x.dtype).min)
            w_ = torch.baddbmm(
                bias.expand(bsz * self.n_q, n, n),
                q.reshape(-1, n, self.hd),
                k.reshape(-1, n, self.hd).transpose(1, 2),
                alpha=self.hd**-0.5,
            )
            o = torch.bmm(F.softmax(w_, dim=-1, dtype=torch.float32), v.reshape(-1, n, self.hd))
            return self.o_proj(o.view(bsz, self.n_q, n, self.hd).transpose(1, 2).reshape(bsz, n, w))

    class MiniMistral(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed_tokens = nn.Embedding(50, 32)
            self.layers = nn.ModuleList(
                [nn.ModuleDict(dict(n=nn.RMSNorm(32), a=LocalAttn(32, 4, 5))) for _ in range(2)]
            )
            self.lm_head = nn.Linear(32, 50, bias=False)

        def forward(self, input_ids):
            h = self.embed_tokens(input_ids)
            for l in self.layers:
                h = h + l["a"](l["n"](h))
            return self.lm_head(h)

    return MiniMistral(), [torch.randint(0, 50, (2, 14)), torch.randint(0, 50, (2, 18))]


# ---------------------------------------------------------------- 13
def gat_zero_for_non_neighbours(wrong=True):
    """mask | Dense graph transformer: scores of non-neighbours are set to 0 (not -9e15), so that they keep weight. Right twin: -9e15."""

    class GraphTransformerConv(nn.Module):
        def __init__(self, nfeat, nhid, nheads):
            super().__init__()
            self.W_q = nn.Parameter(torch.empty(nheads, nfeat, nhid))
            self.W_k = nn.Parameter(torch.empty(nheads, nfeat, nhid))
            self.W_v = nn.Parameter(torch.empty(nheads, nfeat, nhid))
            for w in (self.W_q, self.W_k, self.W_v):
                for h in range(nheads):
                    nn.init.xavier_uniform_(w[h])
            self.d = nhid

        def forward(self, x, adj):
            x = x.unsqueeze(1)
            Q, K, V = x @ self.W_q, x @ self.W_k, x @ self.W_v
            e = torch.matmul(Q, K.transpose(2, 3)) / self.d**0.5
            if wrong:
                off = torch.zeros_like(e)
            else:
                off = -9e15 * torch.ones_like(e)
            attention = torch.where(adj.unsqueeze(1) > 0, e, off)
            attention = F.softmax(attention, dim=-1)
            return torch.matmul(attention, V).transpose(1, 2).flatten(2)

    class MolNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.c1 = GraphTransformerConv(9, 8, 4)
            self.c2 = GraphTransformerConv(32, 8, 4)
            self.cls = nn.Linear(32, 1)

        def forward(self, x, adj):
            x = F.elu(self.c1(x, adj))
            x = F.elu(self.c2(x, adj))
            return self.cls(x.mean(1))

    def _g(b, n):
        a = (torch.rand(b, n, n) < 0.25).float()
        a = ((a + a.transpose(1, 2)) > 0).float()
        a.diagonal(dim1=1, dim2=2).fill_(1.0)
        return torch.randn(b, n, 9), a

    return MolNet(), [_g(3, 10), _g(2, 12)]


# ---------------------------------------------------------------- 14
def memory_tokens_pad_side(wrong=True):
    """mask | Memory tokens stand before the sequence but the causal mask is padded with allowed columns after it: everything is shifted and the future leaks. Right twin: padded before."""

    class MemAttention(nn.Module):
        def __init__(self, dim, heads=4, num_mem_kv=3):
            super().__init__()
            self.heads, self.num_mem = heads, num_mem_kv
            dh = dim // heads
            self.scale = dh**-0.5
            self.to_q = nn.Linear(dim, dim, bias=False)
            self.to_kv = nn.Linear(dim, dim * 2, bias=False)
            self.mem_k = nn.Parameter(torch.randn(heads, num_mem_kv, dh))
            self.mem_v = nn.Parameter(torch.randn(heads, num_mem_kv, dh))
            self.to_out = nn.Linear(dim, dim)

        def forward(self, x):
            b, n, d = x.shape
            h = self.heads
            q, k, v = (
                t.reshape(b, n, h, -1).transpose(1, 2)
                for t in (self.to_q(x), *self.to_kv(x).chunk(2, dim=-1))
            )
            k = torch.cat((self.mem_k.expand(b, -1, -1, -1), k), dim=-2)
            v = torch.cat((self.mem_v.expand(b, -1, -1, -1), v), dim=-2)
            dots = torch.einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
            causal_mask = torch.ones((n, n), dtype=torch.bool).triu(1)
            pad = (0, self.num_mem) if wrong else (self.num_mem, 0)
            causal_mask = F.pad(causal_mask, pad, value=False)
            dots = dots.masked_fill(causal_mask, -torch.finfo(dots.dtype).max)
            attn = dots.softmax(dim=-1)
            out = torch.einsum("b h i j, b h j d -> b h i d", attn, v)
            return self.to_out(out.transpose(1, 2).reshape(b, n, d))

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.tok = nn.Embedding(30, 32)
            self.pos = nn.Embedding(32, 32)
            self.norms = nn.ModuleList([nn.LayerNorm(32), nn.LayerNorm(32)])
            self.attns = nn.ModuleList([MemAttention(32), MemAttention(32)])
            self.logits = nn.Linear(32, 30)

        def forward(self, x):
            x = self.tok(x) + self.pos.weight[: x.shape[1]]
            for n, a in zip(self.norms, self.attns):
                x = x + a(n(x))
            return self.logits(x)

    return Decoder(), [torch.randint(0, 30, (2, 10)), torch.randint(0, 30, (3, 13))]


# ---------------------------------------------------------------- 15
def query_rows_masked(wrong=True):
    """mask | The padding mask is broadcast over the query rows (mask[:, :, None]) in place of the key columns: padding is read by all real tokens. Right twin: mask[:, None, :]."""

    class SelfAttn(nn.Module):
        def __init__(self, hidden):
            super().__init__()
            self.hidden = hidden
            self.wq, self.wk, self.wv = (
                nn.Linear(hidden, hidden),
                nn.Linear(hidden, hidden),
                nn.Linear(hidden, hidden),
            )

        def forward(self, inputs, mask):
            scores = torch.bmm(self.wq(inputs), self.wk(inputs).transpose(1, 2)) / math.sqrt(
                self.hidden
            )
            m = mask[:, :, None] if wrong else mask[:, None, :]
            scores = scores.masked_fill(m == 0, -1e9)
            return torch.bmm(torch.softmax(scores, dim=2), self.wv(inputs))

    class NER(nn.Module):
        def __init__(self, V=80, E=16, H=16, tags=5):
            super().__init__()
            self.embed = nn.Embedding(V, E, padding_idx=0)
            self.lstm = nn.LSTM(E, H, batch_first=True, bidirectional=True)
            self.attn = SelfAttn(2 * H)
            self.hidden2tag = nn.Linear(4 * H, tags)

        def forward(self, sents, lens):
            mask = (sents > 0).float()
            packed = nn.utils.rnn.pack_padded_sequence(
                self.embed(sents), lens, batch_first=True, enforce_sorted=False
            )
            out, _ = nn.utils.rnn.pad_packed_sequence(
                self.lstm(packed)[0], batch_first=True, total_length=sents.shape[1]
            )
            ctx = self.attn(out, mask)
            return self.hidden2tag(torch.cat([out, ctx], -1)) * mask.unsqueeze(-1)

    def _b(lens):
        s = torch.randint(1, 80, (len(lens), max(lens)))
        for i, n in enumerate(lens):
            s[i, n:] = 0
        return s, torch.tensor(lens)

    return NER(), [_b([12, 7, 9]), _b([5, 10, 8, 3])]
