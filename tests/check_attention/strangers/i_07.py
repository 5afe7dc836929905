import math, torch
from torch import nn
from torch.nn import functional as F


def decoder_without_memory_padding(wrong=True):
    """mask | src_key_padding_mask reaches the encoder only; the decoder's cross-attention attends to the source's padding. Right twin: memory_key_padding_mask is passed."""

    class Seq2Seq(nn.Module):
        def __init__(self, vocab=45, d=32):
            super().__init__()
            self.src_emb, self.tgt_emb = nn.Embedding(vocab, d), nn.Embedding(vocab, d)
            self.pos = nn.Embedding(40, d)
            enc = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True)
            dec = nn.TransformerDecoderLayer(d, 4, 64, dropout=0.0, batch_first=True)
            self.encoder = nn.TransformerEncoder(enc, 1, enable_nested_tensor=False)
            self.decoder = nn.TransformerDecoder(dec, 2)
            self.generator = nn.Linear(d, vocab)

        def forward(self, src, tgt, src_key_padding_mask):
            s = self.src_emb(src) + self.pos.weight[: src.shape[1]]
            t = self.tgt_emb(tgt) + self.pos.weight[: tgt.shape[1]]
            memory = self.encoder(s, src_key_padding_mask=src_key_padding_mask)
            causal = torch.triu(torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool), 1)
            out = self.decoder(
                t,
                memory,
                tgt_mask=causal,
                memory_key_padding_mask=None if wrong else src_key_padding_mask,
            )
            return self.generator(out)

    def batch(lens, tl):
        S = max(lens)
        pad = torch.arange(S)[None] >= torch.tensor(lens)[:, None]
        return dict(
            src=torch.randint(1, 45, (len(lens), S)).masked_fill(pad, 0),
            tgt=torch.randint(1, 45, (len(lens), tl)),
            src_key_padding_mask=pad,
        )

    return Seq2Seq(), [batch([11, 6, 8], 9), batch([5, 13], 7)]


def relative_term_left_unscaled(wrong=True):
    """scale | Transformer-XL: only the content term is multiplied by 1/sqrt(d), the position term is added as it is. Right twin: their sum is scaled."""

    def rel_shift(x):
        b, h, i, j = x.shape
        x = F.pad(x, (1, 0)).view(b, h, j + 1, i)
        return x[:, :, 1:].view(b, h, i, j)

    class RelAttn(nn.Module):
        def __init__(self, d_model, n_head):
            super().__init__()
            self.n_head, self.d_head = n_head, d_model // n_head
            self.qkv_net = nn.Linear(d_model, 3 * d_model, bias=False)
            self.r_net = nn.Linear(d_model, d_model, bias=False)
            self.o_net = nn.Linear(d_model, d_model, bias=False)
            self.r_w_bias = nn.Parameter(torch.randn(n_head, self.d_head) * 0.02)
            self.r_r_bias = nn.Parameter(torch.randn(n_head, self.d_head) * 0.02)

        def forward(self, w, r):
            b, t, _ = w.shape
            q, k, v = self.qkv_net(w).view(b, t, 3, self.n_head, self.d_head).unbind(2)
            r_k = self.r_net(r).view(t, self.n_head, self.d_head)
            AC = torch.einsum("bind,bjnd->bnij", q + self.r_w_bias, k)
            BD = rel_shift(torch.einsum("bind,jnd->bnij", q + self.r_r_bias, r_k))
            c = 1 / self.d_head**0.5
            score = AC * c + BD if wrong else (AC + BD) * c
            score = score.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
            vec = torch.einsum("bnij,bjnd->bind", score.softmax(3), v)
            return self.o_net(vec.reshape(b, t, -1))

    class XL(nn.Module):
        def __init__(self, d=64):
            super().__init__()
            self.emb = nn.Embedding(37, d)
            self.attn, self.norm = (
                nn.ModuleList(RelAttn(d, 4) for _ in range(2)),
                nn.ModuleList(nn.LayerNorm(d) for _ in range(2)),
            )
            self.out = nn.Linear(d, 37)
            self.register_buffer("freq", 1 / 10000 ** (torch.arange(0.0, d, 2) / d))

        def forward(self, ids):
            t = ids.shape[1]
            s = torch.outer(torch.arange(t - 1, -1, -1.0), self.freq)
            r = torch.cat([s.sin(), s.cos()], -1)
            x = self.emb(ids)
            for a, n in zip(self.attn, self.norm):
                x = n(x + a(x, r))
            return self.out(x)

    return XL(), [torch.randint(0, 37, (2, 15)), torch.randint(0, 37, (3, 10))]


def softmax_with_implicit_dim(wrong=True):
    """axis | nn.Softmax() without dim takes axis 1 of (B, H, T, S), the heads. Right twin: nn.Softmax(dim=-1)."""

    class MHA(nn.Module):
        def __init__(self, size, heads):
            super().__init__()
            self.num_heads, self.head_size = heads, size // heads
            self.k_layer, self.v_layer, self.q_layer = (
                nn.Linear(size, size),
                nn.Linear(size, size),
                nn.Linear(size, size),
            )
            self.output_layer = nn.Linear(size, size)
            self.softmax = nn.Softmax() if wrong else nn.Softmax(dim=-1)

        def forward(self, k, v, q):
            bs = k.size(0)
            k = self.k_layer(k).view(bs, -1, self.num_heads, self.head_size).transpose(1, 2)
            v = self.v_layer(v).view(bs, -1, self.num_heads, self.head_size).transpose(1, 2)
            q = self.q_layer(q).view(bs, -1, self.num_heads, self.head_size).transpose(1, 2)
            q = q / math.sqrt(self.head_size)
            attention = self.softmax(torch.matmul(q, k.transpose(2, 3)))
            context = (
                torch.matmul(attention, v)
                .transpose(1, 2)
                .contiguous()
                .view(bs, -1, self.num_heads * self.head_size)
            )
            return self.output_layer(context)

    class SignEncoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Linear(16, 64)
            self.norm = nn.LayerNorm(64, eps=1e-6)
            self.src_src_att = MHA(64, 4)
            self.out = nn.Linear(64, 9)

        def forward(self, frames):
            x = self.embed(frames)
            y = self.norm(x)
            return self.out(x + self.src_src_att(y, y, y)).log_softmax(-1)

    return SignEncoder(), [torch.randn(2, 21, 16), torch.randn(3, 16, 16)]


def gqa_step_repeats_other_way(wrong=True):
    """heads | At prefill the key/value heads are repeated by repeat_interleave, in the one-token steps by repeat: a query head reads another group's keys and values than before. Right twin: repeat_interleave in both."""

    class CachedGQA(nn.Module):
        def __init__(self, dim=48, nq=6, nkv=2):
            super().__init__()
            self.nq, self.nkv, self.d = nq, nkv, dim // nq
            self.q, self.kv, self.o = (
                nn.Linear(dim, dim),
                nn.Linear(dim, 2 * nkv * self.d),
                nn.Linear(dim, dim),
            )
            self.cache_k = self.cache_v = None

        def reset(self):
            self.cache_k = self.cache_v = None

        def _attend(self, q, k, v, mask=None):
            s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d)
            if mask is not None:
                s = s + mask
            return torch.matmul(s.softmax(-1), v)

        def prefill(self, x):
            q, k, v = self._proj(x)
            self.cache_k, self.cache_v = k, v
            g = self.nq // self.nkv
            mask = torch.full((x.shape[1],) * 2, float("-inf")).triu(1)
            return self._merge(
                self._attend(q, k.repeat_interleave(g, 1), v.repeat_interleave(g, 1), mask)
            )

        def step(self, x):
            q, k, v = self._proj(x)
            self.cache_k, self.cache_v = (
                torch.cat([self.cache_k, k], 2),
                torch.cat([self.cache_v, v], 2),
            )
            g = self.nq // self.nkv
            if wrong:
                k, v = self.cache_k.repeat(1, g, 1, 1), self.cache_v.repeat(1, g, 1, 1)
            else:
                k, v = self.cache_k.repeat_interleave(g, 1), self.cache_v.repeat_interleave(g, 1)
            return self._merge(self._attend(q, k, v))

        def _proj(self, x):
            b, t, _ = x.shape
            k, v = self.kv(x).view(b, t, 2, self.nkv, self.d).permute(2, 0, 3, 1, 4)
            return self.q(x).view(b, t, self.nq, self.d).transpose(1, 2), k, v

        def _merge(self, y):
            return self.o(y.transpose(1, 2).flatten(2))

    class LM(nn.Module):
        def __init__(self):
            super().__init__()
            self.e, self.p = nn.Embedding(31, 48), nn.Embedding(32, 48)
            self.n, self.a, self.out = nn.LayerNorm(48), CachedGQA(), nn.Linear(48, 31)

        def forward(self, prompt, n_new=4):
            self.a.reset()
            T = prompt.shape[1]
            x = self.e(prompt) + self.p.weight[:T]
            logits = [self.out(x + self.a.prefill(self.n(x)))]
            for t in range(T, T + n_new):
                tok = logits[-1][:, -1:].argmax(-1)
                x = self.e(tok) + self.p.weight[t : t + 1]
                logits.append(self.out(x + self.a.step(self.n(x))))
            return torch.cat(logits, 1)

    return LM(), [torch.randint(0, 31, (2, 9)), torch.randint(0, 31, (3, 7))]


def packed_documents_off_by_one(wrong=True):
    """mask | Document numbers from searchsorted(cu_seqlens, position) put each document's first token into the document before. Right twin: right=True."""

    class PackedAttention(nn.Module):
        def __init__(self, dim=32, heads=4):
            super().__init__()
            self.heads = heads
            self.wqkv, self.wo = (
                nn.Linear(dim, 3 * dim, bias=False),
                nn.Linear(dim, dim, bias=False),
            )

        def forward(self, x, mask):  # x: (total, dim)
            q, k, v = self.wqkv(x).unflatten(-1, (3, self.heads, -1)).permute(1, 2, 0, 3)
            s = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=q.shape[-1] ** -0.5)
            return self.wo(torch.bmm(s.softmax(-1), v).transpose(0, 1).flatten(1))

    class Packed(nn.Module):
        def __init__(self):
            super().__init__()
            self.e, self.p = nn.Embedding(28, 32), nn.Embedding(32, 32)
            self.norms = nn.ModuleList(nn.RMSNorm(32) for _ in range(2))
            self.attns = nn.ModuleList(PackedAttention() for _ in range(2))
            self.out = nn.Linear(32, 28)

        def forward(self, input_ids, position_ids, cu_seqlens):
            n = input_ids.shape[0]
            at = torch.arange(n)
            doc = torch.searchsorted(cu_seqlens, at, right=not wrong)
            ok = (doc[:, None] == doc[None]) & (at[:, None] >= at[None])
            mask = torch.zeros(n, n).masked_fill(~ok, -torch.inf)
            x = self.e(input_ids) + self.p(position_ids)
            for norm, a in zip(self.norms, self.attns):
                x = x + a(norm(x), mask.expand(a.heads, n, n))
            return self.out(x)

    def batch(lens):
        return dict(
            input_ids=torch.randint(0, 28, (sum(lens),)),
            position_ids=torch.cat([torch.arange(n) for n in lens]),
            cu_seqlens=torch.tensor([0] + lens).cumsum(0),
        )

    return Packed(), [batch([6, 9, 5]), batch([8, 4, 7, 6])]
