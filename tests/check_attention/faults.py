"""Small models with the faults of public reports, and the mended ones: `make(False)`."""

import math
from types import SimpleNamespace

from tests.check_attention.script import functional, nn, torch


def inputs(b=4, n=48, w=64):
    return [torch.randn(b, n, w) for _ in range(2)]


class Attention(nn.Module):
    def __init__(self, fn, w=64, h=4, attr=None, **kw):
        super().__init__()
        self.fn = fn
        self.nh = h
        self.d = w // h
        if attr:
            setattr(self, attr, h)
        for k, v in kw.items():
            setattr(self, k, v)
        self.q, self.k, self.v, self.o = (nn.Linear(w, w) for _ in range(4))

    def sp(self, x):
        return x.view(x.shape[0], x.shape[1], self.nh, self.d).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self.sp(layer(x)) for layer in (self.q, self.k, self.v))
        o = self.fn(self, q, k, v)
        return self.o(o.transpose(1, 2).reshape(x.shape))


def soft(self, q, k, v, scale, axis=-1):
    return (q @ k.transpose(-2, -1) * scale).softmax(axis) @ v


# scale kinds
def reversed_scale(wrong=True):
    return Attention(lambda self, q, k, v: soft(self, q, k, v, 4.0 if wrong else 0.25)), inputs()


def zero_scale(wrong=True):
    return Attention(lambda self, q, k, v: soft(self, q, k, v, 0.0 if wrong else 0.25)), inputs()


def zero_on_q(wrong=True):
    return Attention(
        lambda self, q, k, v: ((q * (0.0 if wrong else 0.25)) @ k.mT).softmax(-1) @ v
    ), inputs()


def one_fourth(wrong=True):
    return Attention(
        lambda self, q, k, v: ((q / 2) @ (k / (1 if wrong else 2)).mT).softmax(-1) @ v
    ), inputs()


def log2e(wrong=True):
    return Attention(
        lambda self, q, k, v: soft(self, q, k, v, 0.25 * (math.log2(math.e) if wrong else 1))
    ), inputs()


def exp2_right(wrong=True):
    def f(self, q, k, v):
        z = q @ k.mT * 0.25 * (1 if wrong else math.log2(math.e))
        p = torch.exp2(z - z.amax(-1, keepdim=True))
        return p / p.sum(-1, keepdim=True) @ v

    return Attention(f), inputs()


def after_softmax(wrong=True):
    def f(self, q, k, v):
        return (((q @ k.mT).softmax(-1) / 4) if wrong else (q @ k.mT / 4).softmax(-1)) @ v

    return Attention(f), inputs()


def after_out(wrong=True):
    def f(self, q, k, v):
        return ((q @ k.mT).softmax(-1) @ v) / 4 if wrong else (q @ k.mT / 4).softmax(-1) @ v

    return Attention(f), inputs()


def int_root(wrong=True):
    return Attention(
        lambda self, q, k, v: soft(self, q, k, v, 1 / int(math.sqrt(48)) if wrong else 48**-0.5),
        192,
    ), inputs(w=192)


def own_scale_width(wrong=True):
    m = Attention(lambda self, q, k, v: soft(self, q, k, v, self.scale), 256, 4, "num_heads")
    m.scale = 256**-0.5 if wrong else 64**-0.5
    return m, inputs(w=256)


def hard_coded(wrong=True):
    return Attention(
        lambda self, q, k, v: soft(self, q, k, v, 0.125 if wrong else 32**-0.5), 128
    ), inputs(w=128)


def eight_over_d(wrong=True):
    m = Attention(lambda self, q, k, v: soft(self, q, k, v, 8 / 32), 128)
    if not wrong:
        m.scale = 8 / 32
    return m, inputs(w=128)


def root_tokens(wrong=True):
    return Attention(
        lambda self, q, k, v: soft(self, q, k, v, q.shape[-2] ** -0.5 if wrong else 0.25)
    ), inputs()


def cap_absent(wrong=True):
    def f(self, q, k, v):
        z = q @ k.mT * 0.25
        if not wrong:
            z = torch.tanh(z / 50) * 50
        return z.softmax(-1) @ v

    return Attention(f, attn_logit_softcapping=50.0), inputs()


def twice_sdpa(wrong=True):
    return Attention(
        lambda self, q, k, v: functional.scaled_dot_product_attention(q / (4 if wrong else 1), k, v)
    ), inputs()


def root_of_packed(wrong=True):  # √192 for heads of 128, as in a public report
    scale = (192 if wrong else 128) ** -0.5
    return Attention(lambda self, q, k, v: soft(self, q, k, v, scale), 512), inputs(n=24, w=512)


def root_of_latent(wrong=True):  # a root of what is padded, and not of what q·k sums over
    def f(self, q, k, v):
        q, k = (functional.pad(t, (0, 32)) for t in (q, k))
        return soft(self, q, k, v, (48 if wrong else 16) ** -0.5)

    return Attention(f), inputs()


def yarn_twice(wrong=True):  # in the rotation of q and k, and once more
    both = 1.485
    m = Attention(
        lambda self, q, k, v: soft(
            self, q * both**0.5, k * both**0.5, v, 0.25 * (both if wrong else 1)
        )
    )
    m.rotary = nn.Identity()
    m.rotary.attention_scaling = both**0.5
    return m, inputs()


def mscale_ignored(wrong=True):  # as DeepSeek's rule has it
    more = 0.1 * math.log(40) + 1
    m = Attention(lambda self, q, k, v: soft(self, q, k, v, 0.25 * (1 if wrong else more**2)))
    rope = {"mscale": 1.0, "mscale_all_dim": 1.0, "factor": 40.0}
    m.config = SimpleNamespace(rope_scaling=rope, num_heads=4)
    return m, inputs()


# axes
def kq_queries(wrong=True):  # k q^T with softmax over -1 = queries
    return Attention(
        lambda self, q, k, v: (k @ q.mT * 0.25).softmax(-1 if wrong else -2).mT @ v
    ), inputs()


def einsum_axis(wrong=True):
    def f(self, q, k, v):
        z = torch.einsum("bhid,bhjd->bhij", q, k) * 0.25
        return torch.einsum("bhij,bhjd->bhid", z.softmax(2 if wrong else 3), v)

    return Attention(f), inputs()


def einsum_heads_last(wrong=True):
    def f(self, q, k, v):
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        z = torch.einsum("bihd,bjhd->bijh", q, k) * 0.25
        return torch.einsum("bijh,bjhd->bihd", z.softmax(-1 if wrong else 2), v).transpose(1, 2)

    return Attention(f), inputs()


def batch_axis(wrong=True):
    return Attention(lambda self, q, k, v: soft(self, q, k, v, 0.25, 0 if wrong else -1)), inputs()


class Unbatched(nn.Module):
    def __init__(self, wrong, kind):
        super().__init__()
        self.wrong, self.kind = wrong, kind
        self.q, self.k, self.v = (nn.Linear(32, 16) for _ in range(3))

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        sc = 1.0 if self.wrong else 0.25
        if self.kind == "axis":
            return functional.softmax(q @ k.T * 0.25, dim=0 if self.wrong else 1) @ v
        if self.kind == "flat":
            z = q @ k.T * sc
            return functional.softmax(z.view(-1, z.shape[-1]), -1) @ v
        if self.kind == "mulsum":
            z = (q[:, None] * k[None]).sum(-1) * sc
            w = z.softmax(-1)
            return (w[..., None] * v[None]).sum(1)
        if self.kind == "exp":
            z = (q @ k.T * sc).exp()
            return (z / z.sum(-1, keepdim=True)) @ v
        if self.kind == "expafter":
            z = (q @ k.T * sc).exp()
            return (z @ v) / z.sum(-1, keepdim=True)
        if self.kind == "special":
            return torch.special.softmax(q @ k.T * sc, -1) @ v
        if self.kind == "e3":
            return torch.einsum(
                "qk,kd,->qd", torch.einsum("qd,kd", q, k).mul(sc).softmax(-1), v, torch.tensor(1.0)
            )
        if self.kind == "tensordot":
            return torch.tensordot(
                torch.tensordot(q, k, dims=([1], [1])).mul(sc).softmax(-1), v, dims=1
            )
        if self.kind == "loop":
            out = []
            for i in range(len(q)):
                w = torch.softmax((k @ q[i]) * sc, 0)
                out.append(w @ v)
            return torch.stack(out)
        if self.kind == "online":
            m = torch.full((len(q), 1), -math.inf)
            total = torch.zeros(len(q), 1)
            acc = torch.zeros(len(q), 16)
            for j in range(0, len(k), 4):
                z = q @ k[j : j + 4].T * sc
                mn = torch.maximum(m, z.amax(-1, keepdim=True))
                a = (m - mn).exp()
                p = (z - mn).exp()
                total = total * a + p.sum(-1, keepdim=True)
                acc = acc * a + p @ v[j : j + 4]
                m = mn
            return acc / total
        if self.kind == "vmap":
            return torch.vmap(lambda qi: torch.softmax(k @ qi * sc, -1) @ v)(q)
        if self.kind == "entries":
            z = torch.empty(len(q), len(k))
            for i in range(len(q)):
                for j in range(len(k)):
                    z[i, j] = torch.dot(q[i], k[j])
            return (z * sc).softmax(-1) @ v
        if self.kind == "expaxis":
            z = (q @ k.T * 0.25).exp()
            return (z / z.sum(0 if self.wrong else 1, keepdim=True)) @ v
        if self.kind == "lse":
            z = q @ k.T * sc
            return (z - torch.logsumexp(z, -1, keepdim=True)).exp() @ v


def unbatched(kind):
    """Attention of a teaching notebook, in one way of writing it."""

    def make(wrong=True):
        return Unbatched(wrong, kind), [torch.randn(12, 32)]

    return make


def pieces(wrong=True):  # as an online softmax is begun
    def f(self, q, k, v):
        keys, values = k.split(16, 2), v.split(16, 2)
        if wrong:
            each = zip(keys, values, strict=True)
            return sum((q @ key.mT * 0.25).softmax(-1) @ value for key, value in each)
        return torch.cat([q @ key.mT * 0.25 for key in keys], -1).softmax(-1) @ v

    return Attention(f), inputs()


def two_sources(wrong=True):  # right: keys of two layers, and no pieces of one row
    m = Attention(
        lambda self, q, k, v: soft(self, q, k, v, 0.25) + soft(self, q, v, k, 1 if wrong else 0.25)
    )
    return m, inputs()


def logarithms(wrong=True):
    def f(self, q, k, v):
        p = functional.log_softmax(q @ k.mT * 0.25, -1)
        return (p if wrong else p.exp()) @ v

    return Attention(f), inputs()


def over_all(wrong=True):  # one sum for all rows and heads
    def f(self, q, k, v):
        e = (q @ k.mT * 0.25).exp()
        return e / (e.sum() if wrong else e.sum(-1, keepdim=True)) @ v

    return Attention(f), inputs()


def gumbel(wrong=True):
    return Attention(
        lambda self, q, k, v: functional.gumbel_softmax(q @ k.mT * (1 if wrong else 0.25)) @ v
    ), inputs()


# layout
def no_transpose(wrong=True):
    class Own(Attention):
        def sp(self, x):
            y = x.view(x.shape[0], x.shape[1], self.nh, self.d)
            return y if wrong else y.transpose(1, 2)

        def forward(self, x):
            q, k, v = (self.sp(layer(x)) for layer in (self.q, self.k, self.v))
            o = functional.scaled_dot_product_attention(q, k, v)
            return self.o((o if wrong else o.transpose(1, 2)).reshape(x.shape))

    return Own(None, attr="h"), inputs()


def no_transpose_unsaid(wrong=True):
    m, x = no_transpose(wrong)
    del m.h
    return m, x


# masks
def _mask(fn):
    return lambda self, q, k, v: fn(q @ k.mT * 0.25).softmax(-1) @ v


def later(z):
    return torch.ones(z.shape[-2:]).triu(1).bool()


def inverted(wrong=True):
    return Attention(
        _mask(lambda z: z.masked_fill(~later(z) if wrong else later(z), -1e9))
    ), inputs()


def inverted_sdpa(wrong=True):
    return Attention(
        lambda self, q, k, v: functional.scaled_dot_product_attention(
            q, k, v, attn_mask=later(q @ k.mT) if wrong else ~later(q @ k.mT)
        )
    ), inputs()


def off_by_one(wrong=True):
    return Attention(
        _mask(
            lambda z: z.masked_fill(
                torch.ones(z.shape[-2:]).triu(2 if wrong else 1).bool(), -math.inf
            )
        )
    ), inputs()


def add01(wrong=True):
    return Attention(
        _mask(
            lambda z: (
                z
                + (
                    later(z).float()
                    if wrong
                    else torch.zeros(z.shape[-2:]).masked_fill(later(z), -math.inf)
                )
            )
        )
    ), inputs()


def mul01(wrong=True):
    return Attention(
        _mask(lambda z: z * (~later(z)).float() if wrong else z.masked_fill(later(z), -math.inf))
    ), inputs()


def where0(wrong=True):
    return Attention(
        _mask(lambda z: torch.where(later(z), 0.0 if wrong else -math.inf, z))
    ), inputs()


def one_layer_not_causal(wrong=True):
    f = _mask(lambda z: z.masked_fill(later(z), -math.inf))
    g = (lambda self, q, k, v: soft(self, q, k, v, 0.25)) if wrong else f
    return nn.Sequential(Attention(f), Attention(g), Attention(f)), inputs()


def pad_mask_inverted(wrong=True):
    class Own(Attention):
        def forward(self, x, attention_mask):
            q, k, v = (self.sp(layer(x)) for layer in (self.q, self.k, self.v))
            z = q @ k.mT * 0.25
            m = attention_mask[:, None, None, :].bool()
            z = z.masked_fill(m if wrong else ~m, -1e9)
            return self.o((z.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))

    am = torch.ones(4, 48, dtype=torch.long)
    am[1, 30:] = 0
    am[2, 40:] = 0
    return Own(None), [{"x": torch.randn(4, 48, 64), "attention_mask": am}]


def pad_ignored(wrong=True):
    class Own(Attention):
        def forward(self, x, attention_mask):
            q, k, v = (self.sp(layer(x)) for layer in (self.q, self.k, self.v))
            z = q @ k.mT * 0.25
            if not wrong:
                z = z.masked_fill(~attention_mask[:, None, None, :].bool(), -1e9)
            return self.o((z.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))

    am = torch.ones(4, 48, dtype=torch.long)
    am[1, 30:] = 0
    return Own(None), [{"x": torch.randn(4, 48, 64), "attention_mask": am}]


def zero_keys(wrong=True):
    def f(self, q, k, v):
        k2 = functional.pad(k, (0, 0, 0, 16))
        v2 = functional.pad(v, (0, 0, 0, 16))
        z = q @ k2.mT * 0.25
        if not wrong:
            z[..., 48:] = -math.inf
        return z.softmax(-1) @ v2

    return Attention(f), inputs()


def empty_rows(wrong=True):
    def f(self, q, k, v):
        z = q @ k.mT * 0.25
        z[0, :, 5] = -math.inf
        w = z.softmax(-1)
        w = w if wrong else w.nan_to_num(0)
        return w @ v

    return Attention(f), inputs()


def nan_in_v(wrong=True):
    def f(self, q, k, v):
        v = v.clone()
        if wrong:
            v[0, 0, 0, 0] = math.nan
        return functional.scaled_dot_product_attention(q, k, v)

    return Attention(f), inputs()


def cached(wrong, first=lambda late: 1, at=lambda late: 0):
    """Keys of a cache: 32 tokens at once, then 12, then one after another.

    `first` says where the mask begins, `at` how many places too late keys are written.
    """

    class Own(Attention):
        def forward(self, x, past):
            q, k, v = (self.sp(layer(x)) for layer in (self.q, self.k, self.v))
            b, h, n, d = k.shape
            begin = past + at(wrong and past > 0)
            for name, new in (("old_k", k), ("old_v", v)):
                if not past:
                    setattr(self, name, torch.zeros(b, h, 56, d))
                getattr(self, name)[:, :, begin : begin + n] = new
            end = begin + n
            k, v = self.old_k[:, :, :end], self.old_v[:, :, :end]
            begin = past + first(wrong and past > 0)
            hidden = torch.ones(n, end).triu(begin).bool()
            z = (q @ k.mT * 0.25).masked_fill(hidden, -math.inf)
            return self.o((z.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))

    def steps(model, x):
        model(x[:, :32], 0)
        model(x[:, 32:44], 32)
        for i in range(44, 48):
            model(x[:, i : i + 1], i)

    return Own(None), inputs(), steps


def cache_strict(wrong=True):  # no query sees its own key
    return cached(wrong, first=lambda late: 1 - late)


def cache_corner(wrong=True):  # the mask does not know of the cache
    class Own(Attention):
        def forward(self, x):
            q, k, v = (self.sp(layer(x)) for layer in (self.q, self.k, self.v))
            z = q[:, :, 36:] @ k.mT * 0.25
            hidden = torch.ones(12, 48).triu(1 if wrong else 37).bool()
            o = z.masked_fill(hidden, -math.inf).softmax(-1) @ v
            return self.o(o.transpose(1, 2).flatten(2))

    return Own(None), inputs()


def cache_hole(wrong=True):  # what is new is written a place too late
    return cached(wrong, at=lambda late: int(late))


# dropout
def dropped_in_eval(wrong=True):
    def f(self, q, k, v):
        p = functional.dropout((q @ k.mT * 0.25).softmax(-1), 0.3, wrong or self.training)
        return p @ v

    return Attention(f).eval(), inputs()


def dropped_in_eval_sdpa(wrong=True):
    return Attention(
        lambda self, q, k, v: functional.scaled_dot_product_attention(
            q, k, v, dropout_p=0.3 if wrong or self.training else 0.0
        )
    ).eval(), inputs()


def dropped_before(wrong=True):
    def f(self, q, k, v):
        z = q @ k.mT * 0.25
        if wrong:
            return functional.dropout(z, 0.3, self.training).softmax(-1) @ v
        return functional.dropout(z.softmax(-1), 0.3, self.training) @ v

    return Attention(f), inputs()


# bias
def slopes(h):
    return torch.tensor([2.0 ** (-8 * (i + 1) / h) for i in range(h)])[:, None, None]


def dist(z):
    n = z.shape[-1]
    return (torch.arange(n) - torch.arange(n)[:, None]).abs()


def alibi(f):
    return lambda self, q, k, v: f(q @ k.mT, slopes(4) * dist(q @ k.mT)).softmax(-1) @ v


def alibi_sign(wrong=True):
    return Attention(alibi(lambda z, b: z * 0.25 + b if wrong else z * 0.25 - b)), inputs()


def alibi_divided(wrong=True):
    return Attention(alibi(lambda z, b: (z - b) * 0.25 if wrong else z * 0.25 - b)), inputs()


def alibi_twice(wrong=True):
    return Attention(alibi(lambda z, b: z * 0.25 - b - b if wrong else z * 0.25 - b)), inputs()


def relbias_divided(wrong=True):
    m = Attention(
        lambda self, q, k, v: (
            ((q @ k.mT + self.rb) * 0.25 if wrong else q @ k.mT * 0.25 + self.rb).softmax(-1) @ v
        )
    )
    m.rb = nn.Parameter(torch.randn(4, 48, 48))
    return m, inputs()


def headmajor(wrong=True):
    class Own(Attention):
        def forward(self, x):
            q, k, v = (
                torch.cat(layer(x).split(self.d, 2), 0) for layer in (self.q, self.k, self.v)
            )
            o = (q @ k.mT / (8 if wrong else 4)).softmax(2) @ v
            return self.o(torch.cat(o.split(x.shape[0], 0), 2))

    return Own(None, attr="num_heads"), inputs()


def cat_second(wrong=True):
    def f(self, q, k, v):
        z = torch.cat(
            [q @ k[:, :, :20].mT * 0.25, q @ k[:, :, 20:].mT * (1 if wrong else 0.25)], -1
        )
        return z.softmax(-1) @ v

    return Attention(f), inputs()


def flinear(wrong=True):
    class Own(Attention):
        def forward(self, x):
            q = self.sp(functional.linear(x, self.q.weight * (1 if wrong else 0.25)))
            k, v = (self.sp(layer(x)) for layer in (self.k, self.v))
            return self.o(
                functional.scaled_dot_product_attention(q, k, v, scale=1.0)
                .transpose(1, 2)
                .reshape(x.shape)
            )

    return Own(None), inputs()


def unused_scaling(wrong=True):
    m = Attention(lambda self, q, k, v: functional.scaled_dot_product_attention(q, k, v))
    m.scaling = 1.0 if wrong else 0.25
    return m, inputs()


def fp16_overflow(wrong=True):
    m = Attention(
        lambda self, q, k, v: soft(
            self,
            (q * (3e5 if wrong else 1)).half(),
            k.half(),
            v.half(),
            0.25,
        ).float()
    )
    return m, inputs()


def nested_heads(wrong=True):
    def f(self, q, k, v):
        return torch.stack(
            [soft(self, q[:, i], k[:, i], v[:, i], (8 if wrong else 4) ** -1.0) for i in range(4)],
            1,
        )

    return Attention(f), inputs()
