import math, torch
from torch import nn
from torch.nn import functional as F


def _ids(lengths, T, vocab=100):
    x = torch.randint(1, vocab, (len(lengths), T))
    for i, n in enumerate(lengths):
        x[i, n:] = 0
    return x


# ---------------------------------------------------------------- detection (DETR like)
class DetDecoderLayer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d, h)
        self.multihead_attn = nn.MultiheadAttention(d, h)
        self.linear1, self.linear2 = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, tgt, memory, query_pos, pos, memory_key_padding_mask=None):
        q = k = tgt + query_pos
        tgt = self.norm1(tgt + self.self_attn(q, k, value=tgt)[0])
        t2 = self.multihead_attn(
            query=tgt + query_pos,
            key=memory + pos,
            value=memory,
            key_padding_mask=memory_key_padding_mask,
        )[0]
        tgt = self.norm2(tgt + t2)
        return self.norm3(tgt + self.linear2(F.relu(self.linear1(tgt))))


class MiniDETR(nn.Module):
    def __init__(self, d=32, n_queries=6, classes=5, wrong=True):
        super().__init__()
        self.backbone = nn.Conv2d(3, d, 4, 4)
        self.query_embed = nn.Embedding(n_queries, d)
        self.pos = nn.Parameter(torch.randn(64, 1, d) * 0.1)
        self.layers = nn.ModuleList([DetDecoderLayer(d, 4) for _ in range(2)])
        self.cls, self.box = nn.Linear(d, classes + 1), nn.Linear(d, 4)
        self.wrong = wrong

    def forward(self, images, pixel_mask):
        """pixel_mask: True where the image is padded, as in DETR's NestedTensor"""
        f = self.backbone(images)
        m = F.interpolate(pixel_mask[:, None].float(), size=f.shape[-2:])[:, 0].bool()
        mem = f.flatten(2).permute(2, 0, 1)
        qe = self.query_embed.weight.unsqueeze(1).expand(-1, images.size(0), -1)
        tgt = torch.zeros_like(qe)
        for l in self.layers:
            if self.wrong:
                tgt = l(
                    tgt,
                    mem,
                    qe,
                    self.pos[: len(mem)],
                    memory_key_padding_mask=m.transpose(1, 2).flatten(1),
                )
            else:
                tgt = l(tgt, mem, qe, self.pos[: len(mem)], memory_key_padding_mask=m.flatten(1))
        return self.cls(tgt), self.box(tgt).sigmoid()


def detr_mask_flattened_in_other_order(wrong=True):
    """mask | The pixel mask is flattened column by column, the features row by row. Right twin: both row by row."""

    def b(sizes, H, W):
        x = torch.zeros(len(sizes), 3, H, W)
        m = torch.ones(len(sizes), H, W, dtype=torch.bool)
        for i, (h, w) in enumerate(sizes):
            x[i, :, :h, :w] = torch.randn(3, h, w)
            m[i, :h, :w] = False
        return x, m

    return MiniDETR(wrong=wrong), [
        b([(16, 24), (8, 24), (16, 12)], 16, 24),
        b([(12, 16), (16, 8)], 16, 16),
    ]


# ---------------------------------------------------------------- segmentation
class NonLocal2d(nn.Module):
    def __init__(self, ch, wrong):
        super().__init__()
        self.inter = ch // 2
        self.theta, self.phi, self.g = (nn.Conv2d(ch, self.inter, 1) for _ in range(3))
        self.W = nn.Conv2d(self.inter, ch, 1)
        self.wrong = wrong

    def forward(self, x):
        n, c, h, w = x.shape
        q = self.theta(x).flatten(2).transpose(1, 2)
        k = self.phi(x).flatten(2)
        v = self.g(x).flatten(2).transpose(1, 2)
        if self.wrong:
            f = torch.bmm(q, k) / (h * w) ** 0.5
        else:
            f = torch.bmm(q, k) / self.inter**0.5
        p = F.softmax(f, dim=-1)
        y = torch.bmm(p, v).transpose(1, 2).reshape(n, self.inter, h, w)
        return x + self.W(y)


class SegNet(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.down = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, 2, 1),
            nn.ReLU(),
        )
        self.nl = NonLocal2d(32, wrong)
        self.up = nn.Sequential(nn.Upsample(scale_factor=4, mode="bilinear"), nn.Conv2d(32, 4, 1))

    def forward(self, x):
        return self.up(self.nl(self.down(x)))


def segmentation_scale_by_number_of_pixels(wrong=True):
    """scale | Divides by sqrt(H*W) in place of sqrt of the key width. Right twin: sqrt(inter)."""
    return SegNet(wrong).eval(), [torch.randn(2, 3, 24, 24), torch.randn(2, 3, 20, 28)]


# ---------------------------------------------------------------- sentiment, nn.TransformerEncoder
class SentimentModel(nn.Module):
    def __init__(self, vocab=100, d=32, wrong=True):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.pos = nn.Embedding(64, d)
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.fc = nn.Linear(d, 2)
        self.wrong = wrong

    def make_pad_mask(self, lengths, T):
        r = torch.arange(T, device=lengths.device).unsqueeze(0)
        if self.wrong:
            return r > lengths.unsqueeze(1)
        return r >= lengths.unsqueeze(1)

    def forward(self, ids, lengths):
        x = self.emb(ids) + self.pos(torch.arange(ids.size(1), device=ids.device))
        pad = self.make_pad_mask(lengths, ids.size(1))
        h = self.encoder(x, src_key_padding_mask=pad)
        return self.fc(h[:, 0])


def sentiment_lengths_off_by_one(wrong=True):
    """mask | `arange > lengths` leaves the first padded token visible. Right twin: `>=`."""
    b = lambda l, T: (_ids(l, T), torch.tensor(l))
    return SentimentModel(wrong=wrong), [b([15, 9, 11], 15), b([6, 12, 10, 4], 12)]


# ---------------------------------------------------------------- speech, streaming encoder, chunk mask
class ChunkedConformerAttn(nn.Module):
    def __init__(self, d, h, chunk, wrong):
        super().__init__()
        self.h, self.chunk, self.wrong = h, chunk, wrong
        self.q, self.k, self.v, self.o = (
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
            nn.Linear(d, d),
        )

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = (
            f(x).view(B, T, self.h, D // self.h).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        c = torch.arange(T, device=x.device) // self.chunk
        allowed = c[:, None] >= c[None, :]
        s = q @ k.transpose(2, 3) / math.sqrt(D // self.h)
        if self.wrong:
            s = s.masked_fill(~allowed, 1e-9)
        else:
            s = s.masked_fill(~allowed, -1e9)
        w = torch.softmax(s, dim=-1)
        return self.o((w @ v).transpose(1, 2).reshape(B, T, D))


class StreamingASR(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.inp = nn.Linear(40, d)
        self.attn = nn.ModuleList([ChunkedConformerAttn(d, 4, 4, wrong) for _ in range(2)])
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)])
        self.out = nn.Linear(d, 25)

    def forward(self, fbank):
        x = self.inp(fbank)
        for a, n in zip(self.attn, self.ln):
            x = x + a(n(x))
        return self.out(x).log_softmax(-1)


def streaming_asr_1e_minus_9(wrong=True):
    """mask | The chunk mask is filled with 1e-9 (minus sign at the wrong place). Right twin: -1e9."""
    return StreamingASR(wrong), [torch.randn(2, 20, 40), torch.randn(3, 14, 40)]


# ---------------------------------------------------------------- audio tagging
class AttentivePool(nn.Module):
    """a learned query per head looks at the frames"""

    def __init__(self, d=32, heads=4, wrong=True):
        super().__init__()
        self.heads, self.dh = heads, d // heads
        self.query = nn.Parameter(torch.randn(heads, self.dh))
        self.key, self.value = nn.Linear(d, d), nn.Linear(d, d)
        self.wrong = wrong

    def forward(self, x):
        B, T, D = x.shape
        k = self.key(x).view(B, T, self.heads, self.dh)
        v = self.value(x).view(B, T, self.heads, self.dh)
        s = (k * self.query).sum(-1) / self.dh**0.5  # B T H
        w = F.softmax(s, dim=-1 if self.wrong else 1)
        return torch.einsum("bth,bthd->bhd", w, v).reshape(B, D)


class AudioTagger(nn.Module):
    def __init__(self, wrong):
        super().__init__()
        self.conv = nn.Conv1d(24, 32, 5, 2, 2)
        self.pool = AttentivePool(wrong=wrong)
        self.out = nn.Linear(32, 8)

    def forward(self, mel):
        return self.out(self.pool(F.gelu(self.conv(mel)).transpose(1, 2)))


def audio_tagger_softmax_over_heads(wrong=True):
    """axis | Scores (B,T,H) are normalised over the heads, the sum goes over time. Right twin: softmax over time."""
    return AudioTagger(wrong), [torch.randn(2, 24, 40), torch.randn(3, 24, 30)]
