import math, torch
from dataclasses import dataclass
from torch import nn
from torch.nn import functional as F


class _RelPartialLearnableMultiHeadAttn(nn.Module):
    """Transformer-XL, tensors are (time, batch, ...)"""

    def __init__(self, n_head, d_model, d_head, wrong):
        super().__init__()
        self.n_head, self.d_head, self.wrong = n_head, d_head, wrong
        self.qkv_net = nn.Linear(d_model, 3 * n_head * d_head, bias=False)
        self.r_net = nn.Linear(d_model, n_head * d_head, bias=False)
        self.o_net = nn.Linear(n_head * d_head, d_model, bias=False)
        self.layer_norm = nn.LayerNorm(d_model)
        self.scale = 1 / (d_head**0.5)
        self.r_w_bias = nn.Parameter(torch.randn(n_head, d_head) * 0.02)
        self.r_r_bias = nn.Parameter(torch.randn(n_head, d_head) * 0.02)

    def _rel_shift(self, x):
        zero_pad = torch.zeros((x.size(0), 1, *x.size()[2:]), device=x.device, dtype=x.dtype)
        x_padded = torch.cat([zero_pad, x], dim=1)
        x_padded = x_padded.view(x.size(1) + 1, x.size(0), *x.size()[2:])
        return x_padded[1:].view_as(x)

    def forward(self, w, r, attn_mask, mems):
        qlen, rlen, bsz = w.size(0), r.size(0), w.size(1)
        cat = torch.cat([mems, w], 0)
        q, k, v = torch.chunk(self.qkv_net(cat), 3, dim=-1)
        q = q[-qlen:].view(qlen, bsz, self.n_head, self.d_head)
        k = k.reshape(-1, bsz, self.n_head, self.d_head)
        v = v.reshape(-1, bsz, self.n_head, self.d_head)
        r = self.r_net(r).view(rlen, self.n_head, self.d_head)
        AC = torch.einsum("ibnd,jbnd->ijbn", q + self.r_w_bias, k)
        BD = self._rel_shift(torch.einsum("ibnd,jnd->ijbn", q + self.r_r_bias, r))
        if self.wrong:
            score = AC * self.scale + BD
        else:
            score = (AC + BD) * self.scale
        score = score.masked_fill(attn_mask[:, :, None, None], float("-inf"))
        prob = F.softmax(score, dim=1)
        vec = torch.einsum("ijbn,jbnd->ibnd", prob, v).reshape(qlen, bsz, -1)
        return self.layer_norm(w + self.o_net(vec))


class _TXL(nn.Module):
    def __init__(self, wrong, d=48, n=2):
        super().__init__()
        self.emb = nn.Embedding(60, d)
        self.layers = nn.ModuleList(
            [_RelPartialLearnableMultiHeadAttn(4, d, 12, wrong) for _ in range(n)]
        )
        self.register_buffer("inv_freq", 1 / (10000 ** (torch.arange(0.0, d, 2.0) / d)))
        self.out = nn.Linear(d, 60)

    def forward(self, data, mems=None):
        h = self.emb(data)
        if mems is None:
            mems = [h.new_zeros(0, h.size(1), h.size(2)) for _ in self.layers]
        qlen, mlen = data.size(0), mems[0].size(0)
        klen = qlen + mlen
        mask = torch.triu(torch.ones(qlen, klen, device=h.device), diagonal=1 + mlen).bool()
        ang = torch.outer(torch.arange(klen - 1, -1, -1.0, device=h.device), self.inv_freq)
        r = torch.cat([ang.sin(), ang.cos()], -1)
        new = []
        for layer, m in zip(self.layers, mems):
            new.append(torch.cat([m, h.detach()], 0)[-12:])
            h = layer(h, r, mask, m)
        return self.out(h), new


def _two_segments(model, batch):
    a, b = batch.chunk(2, 0)
    la, mems = model(a)
    lb, _ = model(b, mems)
    return torch.cat([la, lb], 0)


def transformer_xl_position_term_unscaled(wrong=True):
    """scale | Transformer-XL: only the content term is scaled, the position term BD is added without. Right twin: (AC + BD) * scale."""
    return (
        _TXL(wrong),
        [torch.randint(0, 60, (20, 2)), torch.randint(0, 60, (24, 3))],
        _two_segments,
    )


@dataclass
class _GemmaConfig:
    hidden_size: int = 64
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    head_dim: int = 16
    query_pre_attn_scalar: int = 32
    attn_logit_softcapping: float = 5.0
    vocab_size: int = 80


class _RMS(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * (1 + self.weight)


class _GemmaAttention(nn.Module):
    def __init__(self, config, wrong):
        super().__init__()
        c = self.config = config
        self.wrong = wrong
        self.scaling = c.query_pre_attn_scalar**-0.5
        self.q_proj = nn.Linear(c.hidden_size, c.num_attention_heads * c.head_dim, bias=False)
        self.k_proj = nn.Linear(c.hidden_size, c.num_key_value_heads * c.head_dim, bias=False)
        self.v_proj = nn.Linear(c.hidden_size, c.num_key_value_heads * c.head_dim, bias=False)
        self.o_proj = nn.Linear(c.num_attention_heads * c.head_dim, c.hidden_size, bias=False)

    def forward(self, x, cos, sin, mask):
        b, t, _ = x.shape
        q, k, v = (
            p(x).view(b, t, -1, self.config.head_dim).transpose(1, 2)
            for p in (self.q_proj, self.k_proj, self.v_proj)
        )
        rot = lambda u: torch.cat((-u[..., u.shape[-1] // 2 :], u[..., : u.shape[-1] // 2]), -1)
        q, k = q * cos + rot(q) * sin, k * cos + rot(k) * sin
        g = self.config.num_attention_heads // self.config.num_key_value_heads
        k, v = k.repeat_interleave(g, 1), v.repeat_interleave(g, 1)
        w = torch.matmul(q, k.transpose(2, 3))
        cap = self.config.attn_logit_softcapping
        if self.wrong:
            w = torch.tanh(w / cap) * cap
            w = w * self.scaling
        else:
            w = w * self.scaling
            w = torch.tanh(w / cap) * cap
        w = F.softmax(w + mask, dim=-1, dtype=torch.float32).to(q.dtype)
        return self.o_proj((w @ v).transpose(1, 2).reshape(b, t, -1))


class _Gemma(nn.Module):
    def __init__(self, config, wrong):
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocab_size, config.hidden_size)
        self.pre = nn.ModuleList([_RMS(config.hidden_size) for _ in range(2)])
        self.post = nn.ModuleList([_RMS(config.hidden_size) for _ in range(2)])
        self.attn = nn.ModuleList([_GemmaAttention(config, wrong) for _ in range(2)])
        self.norm = _RMS(config.hidden_size)

    def forward(self, input_ids):
        t, d = input_ids.shape[1], self.config.head_dim
        x = self.embed(input_ids) * self.config.hidden_size**0.5
        f = torch.outer(torch.arange(t).float(), 10000 ** (-torch.arange(0, d, 2).float() / d))
        f = torch.cat([f, f], -1)
        mask = torch.full((t, t), torch.finfo(x.dtype).min).triu(1)
        for a, n, m in zip(self.attn, self.pre, self.post):
            x = x + m(a(n(x), f.cos(), f.sin(), mask))
        return self.norm(x) @ self.embed.weight.T


def gemma_softcap_before_scale(wrong=True):
    """scale | The soft cap is applied to the raw products and the scale after it. Right twin: scaled by query_pre_attn_scalar, then capped."""
    return _Gemma(_GemmaConfig(), wrong), [
        dict(input_ids=torch.randint(0, 80, (2, 15))),
        dict(input_ids=torch.randint(0, 80, (3, 21))),
    ]


class _SensorEncoder(nn.Module):
    """irregular time series; attention_mask is 1 for a real step, 0 for padding"""

    def __init__(self, wrong, d=40):
        super().__init__()
        self.inp = nn.Linear(6, d)
        self.time = nn.Linear(1, d)
        self.mha = nn.ModuleList([nn.MultiheadAttention(d, 5, batch_first=True) for _ in range(2)])
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])
        self.head = nn.Linear(d, 2)
        self.wrong = wrong

    def forward(self, values, times, attention_mask):
        x = self.inp(values) + torch.sin(self.time(times[..., None]))
        pad = attention_mask.bool() if self.wrong else attention_mask == 0
        for mha, ln in zip(self.mha, self.ln):
            x = ln(x + mha(x, x, x, key_padding_mask=pad, need_weights=False)[0])
        m = attention_mask[..., None].float()
        return self.head((x * m).sum(1) / m.sum(1))


def _sensor_batch(t, lens):
    n = torch.tensor(lens)
    return dict(
        values=torch.randn(len(lens), t, 6),
        times=torch.rand(len(lens), t).cumsum(1),
        attention_mask=(torch.arange(t)[None] < n[:, None]).long(),
    )


def sensors_key_padding_inverted(wrong=True):
    """mask | attention_mask (1 = real) goes to key_padding_mask, where True means ignore. Right twin: attention_mask == 0."""
    return _SensorEncoder(wrong), [_sensor_batch(18, [17, 9, 12]), _sensor_batch(14, [6, 13])]


PAD = 0


class _Seq2Seq(nn.Module):
    def __init__(self, wrong, d=32, vocab=40):
        super().__init__()
        self.src_emb = nn.Embedding(vocab, d, padding_idx=PAD)
        self.tgt_emb = nn.Embedding(vocab, d, padding_idx=PAD)
        self.pos = nn.Parameter(torch.randn(1, 40, d) * 0.1)
        self.transformer = nn.Transformer(d, 4, 2, 2, 64, dropout=0.0, batch_first=True)
        self.generator = nn.Linear(d, vocab)
        self.wrong = wrong

    def forward(self, src, tgt):
        src_pad, tgt_pad = src == PAD, tgt == PAD
        t = tgt.size(1)
        tgt_mask = torch.ones(t, t, dtype=torch.bool, device=tgt.device).triu(1)
        kw = {} if self.wrong else dict(memory_key_padding_mask=src_pad)
        out = self.transformer(
            self.src_emb(src) + self.pos[:, : src.size(1)],
            self.tgt_emb(tgt) + self.pos[:, :t],
            tgt_mask=tgt_mask,
            src_key_padding_mask=src_pad,
            tgt_key_padding_mask=tgt_pad,
            **kw,
        )
        return self.generator(out)


def _ids(lens, vocab=40):
    return nn.utils.rnn.pad_sequence(
        [torch.randint(1, vocab, (n,)) for n in lens], batch_first=True, padding_value=PAD
    )


def translation_memory_padding_forgotten(wrong=True):
    """mask | nn.Transformer gets src_key_padding_mask but no memory_key_padding_mask, so the decoder attends to source padding. Right twin: it gets both."""
    return _Seq2Seq(wrong), [(_ids([14, 8, 5]), _ids([9, 11, 4])), (_ids([7, 16]), _ids([6, 10]))]


class _TextClassifier(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.embedding = nn.Embedding(100, d)
        layer = nn.TransformerEncoderLayer(d_model=d, nhead=4, dim_feedforward=64, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        pe = torch.zeros(30, d)
        pos = torch.arange(30).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe[:, 0::2], pe[:, 1::2] = torch.sin(pos * div), torch.cos(pos * div)
        self.register_buffer("pe", pe)
        self.fc = nn.Linear(d, 3)
        self.wrong = wrong

    def forward(self, text):  # (batch, tokens)
        x = self.embedding(text) * math.sqrt(32)
        x = x + self.pe[: text.size(1)]
        if self.wrong:
            x = self.encoder(x)
        else:
            x = self.encoder(x.permute(1, 0, 2)).permute(1, 0, 2)
        return self.fc(x.mean(dim=1))


def text_classifier_batch_first_confusion(wrong=True):
    """heads | (batch, tokens, d) goes into an encoder that wants (tokens, batch, d), so sentences attend to each other. Right twin: permutes before and after."""
    return _TextClassifier(wrong), [torch.randint(0, 100, (4, 22)), torch.randint(0, 100, (6, 13))]
