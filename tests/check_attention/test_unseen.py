"""What is not understood is named beside a good layer, and what merely looks like it is not."""

import threading

import pytest

from tests.check_attention import faults
from tests.check_attention.script import functional as F  # noqa: N812
from tests.check_attention.script import nn, ours, torch

S = 16**-0.5
W, N = 64, 13


class Mixing(nn.Module):
    """Projections and heads around any function; nothing in its name says what it is."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.one, self.two, self.three, self.last = (nn.Linear(W, W) for _ in range(4))

    def forward(self, x):
        heads = [
            layer(x).view(*x.shape[:2], 4, 16).transpose(1, 2)
            for layer in (self.one, self.two, self.three)
        ]
        return self.last(self.function(*heads).transpose(1, 2).reshape(x.shape))


class Beside(nn.Module):
    """One good layer, and another module."""

    def __init__(self, other):
        super().__init__()
        self.good, self.other = nn.MultiheadAttention(W, 4, batch_first=True), other

    def forward(self, x):
        return self.other(x + self.good(x, x, x, need_weights=False)[0])


def report_on(other, **options):
    torch.manual_seed(0)
    return ours.check(Beside(other), [torch.randn(2, N, W)], show=False, **options)


def sparsemax(z):
    ordered = z.sort(-1, descending=True).values
    sums = ordered.cumsum(-1) - 1
    at = torch.arange(1, z.shape[-1] + 1)
    count = (ordered * at > sums).sum(-1, keepdim=True)
    return (z - sums.gather(-1, count - 1) / count).clamp(min=0)


@torch.library.custom_op("stranger::mix", mutates_args=())
def mix(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return (q @ k.mT).softmax(-1) @ v


@torch.library.custom_op("stranger::packed", mutates_args=())
def packed(qkv: torch.Tensor) -> torch.Tensor:
    q, k, v = qkv.chunk(3, -1)
    return (q @ k.mT).softmax(-1) @ v


@torch.library.custom_op("stranger::gate", mutates_args=())
def gate(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.silu(x) * y


@torch.library.custom_op("stranger::product", mutates_args=())
def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x @ y


@torch.library.custom_op("stranger::norm", mutates_args=())
def norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.rms_norm(x, weight.shape, weight)


@torch.jit.script
def scripted_mix(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1), -1) @ v


@torch.jit.script
def scripted_gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / 1.41421))


class Scripted(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = (nn.Linear(W, W) for _ in range(3))

    def forward(self, x):
        return torch.softmax(self.one(x) @ self.two(x).transpose(-2, -1), -1) @ self.three(x)


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        return F.relu(q @ k.mT).square() @ v


def retention(q, k, v):
    n = torch.arange(N)
    return (q @ k.mT * 0.9 ** (n[:, None] - n).clamp(min=0) * (n[:, None] >= n)) @ v


def linear_attention(q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    return q @ (k.mT @ v) / (q @ k.sum(-2).unsqueeze(-1))


def all_at_once(q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    total = 1 / torch.einsum("bhnd,bhd->bhn", q, k.sum(2))
    return torch.einsum("bhnd,bhde,bhn->bhne", q, k.mT @ v, total)


def by_sums(q, k, v):
    z = (q[..., None, :] * k[..., None, :, :]).sum(-1)
    return (F.relu(z)[..., None] * v[..., None, :, :]).sum(-2)


def in_numpy(q, k, v):
    scores = q.detach().numpy() @ k.mT.detach().numpy()
    return torch.from_numpy(scores).softmax(-1) @ v


class Elsewhere(nn.Module):
    """A part that another thread calls."""

    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, x):
        found = []
        with torch.no_grad():
            thread = threading.Thread(target=lambda: found.append(self.part(x)))
            thread.start()
            thread.join()
        return found[0]


def cosine(factor):
    def function(q, k, v):
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        return (q @ k.mT * factor).softmax(-1) @ v

    return Mixing(function)


def unscaled(q, k, v):
    return (q @ k.mT).softmax(-1) @ v


NO_SOFTMAX = "no softmax is between"
NAMED = {
    "relu": (lambda: Mixing(lambda q, k, v: F.relu(q @ k.mT) @ v), NO_SOFTMAX),
    "relu by n": (lambda: Mixing(lambda q, k, v: F.relu(q @ k.mT * S) / N @ v), NO_SOFTMAX),
    "relu, squared": (lambda: Mixing(lambda q, k, v: F.relu(q @ k.mT) ** 2 @ v), NO_SOFTMAX),
    "nothing": (lambda: Mixing(lambda q, k, v: q @ k.mT / N @ v), NO_SOFTMAX),
    "retention": (lambda: Mixing(retention), NO_SOFTMAX),
    "linear attention": (lambda: Mixing(linear_attention), "as in linear attention"),
    "linear attention, all at once": (lambda: Mixing(all_at_once), "as in linear attention"),
    "linear attention, as a mean": (
        lambda: Mixing(lambda q, k, v: q @ (k.mT @ v / N)),
        "as in linear attention",
    ),
    "shares of relu": (
        lambda: Mixing(lambda q, k, v: F.normalize(F.relu(q @ k.mT), p=1, dim=-1) @ v),
        NO_SOFTMAX,
    ),
    "sparsemax": (lambda: Mixing(lambda q, k, v: sparsemax(q @ k.mT) @ v), NO_SOFTMAX),
    "sigmoid": (lambda: Mixing(lambda q, k, v: torch.sigmoid(q @ k.mT) @ v), "sigmoid"),
    "sigmoid by hand": (
        lambda: Mixing(lambda q, k, v: 1 / (1 + (-(q @ k.mT)).exp()) @ v),
        "",
    ),
    "tanh": (lambda: Mixing(lambda q, k, v: torch.tanh(q @ k.mT) @ v), NO_SOFTMAX),
    "einsum": (
        lambda: Mixing(
            lambda q, k, v: torch.einsum(
                "bhij,bhjd->bhid", F.gelu(torch.einsum("bhid,bhjd->bhij", q, k)), v
            )
        ),
        NO_SOFTMAX,
    ),
    "sums": (lambda: Mixing(by_sums), NO_SOFTMAX),
    "autograd.Function": (lambda: Mixing(Squared.apply), NO_SOFTMAX),
    "one head": (Scripted, ""),
    "custom operation": (lambda: Mixing(mix), "stranger.mix"),
    "custom operation, packed": (
        lambda: Mixing(lambda q, k, v: packed(torch.cat([q, k, v], -1))),
        "stranger.packed",
    ),
    "by its packet": (
        lambda: Mixing(lambda *given: torch.ops.stranger.mix(*given)),
        "stranger.mix",
    ),
    "product by itself": (
        lambda: Mixing(lambda q, k, v: product(F.relu(q @ k.mT), v)),
        "stranger.product",
    ),
    "scores by itself": (
        lambda: Mixing(lambda q, k, v: F.relu(product(q, k.mT)) @ v),
        NO_SOFTMAX,
    ),
    "scores by itself, softmax": (
        lambda: Mixing(lambda q, k, v: product(q, k.mT).softmax(-1) @ v),
        "",
    ),
    "softmax lost": (
        lambda: Mixing(lambda q, k, v: (q @ k.mT * S).softmax(-1).sort(-1).values @ v),
        "not seen to meet v",
    ),
    "TorchScript": (lambda: torch.jit.script(Scripted()), "TorchScript"),
    "traced": (lambda: torch.jit.trace(Scripted(), torch.randn(2, N, W)), "TorchScript"),
    "TorchScript in a module": (lambda: nn.Sequential(torch.jit.script(Scripted())), "TorchScript"),
    "TorchScript's function": (lambda: Mixing(scripted_mix), "scripted_mix"),
    "NumPy": (lambda: Mixing(in_numpy), "leave PyTorch"),
    "another thread": (lambda: Elsewhere(Mixing(unscaled)), "another thread"),
    "cosine": (lambda: cosine(S), "No temperature"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", NAMED)
def test_what_is_not_understood_is_named_with_its_module(case):
    make, words = NAMED[case]
    report = report_on(make())
    found = report.faults(*ours.NEVER_MEANT)
    assert not report.ok
    assert any("other" in each and words in each for each in found), found
    assert all("good" not in each for each in found)
    if words:
        assert report_on(make(), allow=["other*"]).ok or case == "cosine"


class Attention(Mixing):
    """The same, by its name."""


def test_softmax_that_was_judged_is_not_named_beside_what_was_not():
    model = nn.Sequential(
        Attention(lambda q, k, v: (q @ k.mT * S).softmax(-1) @ v),
        Attention(lambda q, k, v: F.relu(q @ k.mT) @ v),
    )
    report = ours.check(model, [torch.randn(2, N, W)], show=False)
    assert any(each.startswith("1 (Attention)") for each in report.unseen)
    assert not [each for each in report.unseen if "softmax over" in each]


def test_an_exported_layer_is_understood():
    for function, ok in ((unscaled, False), (lambda q, k, v: unscaled(q * S, k, v), True)):
        x = torch.randn(2, N, W)
        exported = torch.export.export(Mixing(function), (x,)).module()
        report = report_on(exported)
        assert report.ok == ok, report.summary()
        assert report.understood == report.calls == 2


def test_a_forward_of_ones_own_hides_nothing():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(W, 4), 1).eval()
    batches = [torch.randn(4, N, W)]
    for options in ({}, {"forward": lambda model, batch: model(batch)}):
        assert ours.check(encoder, batches, show=False, **options).faults("axis")
    right = [torch.randn(4, N, W)]
    turned = ours.check(encoder, right, lambda m, x: m(x.transpose(0, 1)), show=False)
    assert turned.ok, turned.summary()


class Layers(nn.Module):
    """Some layers, and any function of them and the input."""

    def __init__(self, function, *layers):
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)
        self.table = nn.Parameter(torch.randn(N, W))
        self.plain = torch.randn(W, W)

    def forward(self, x):
        return self.function(self, x, *(layer(x) for layer in self.layers))


def linear(*sizes):
    return [nn.Linear(W, size) for size in sizes]


def experts(self, x, gates, y):
    top = gates.softmax(-1).topk(2, -1)
    one_hot = F.one_hot(top.indices, gates.shape[-1]).to(x) * top.values[..., None]
    combine = one_hot.sum(-2)
    inside = torch.einsum("bne,bnd->bed", (combine > 0).to(x), y)
    return torch.einsum("bne,bed->bnd", combine, F.gelu(inside))


def roots_of_covariance(self, x, y):
    covariance = y.mT @ y / N + torch.eye(W)
    z = torch.eye(W).expand_as(covariance)
    for _ in range(2):
        turn = 1.5 * torch.eye(W) - 0.5 * z @ covariance
        covariance, z = covariance @ turn, turn @ z
    return y @ z


def squeezed(self, x, y):
    return y * torch.sigmoid(self.layers[0](y.mean(1, keepdim=True)))


def turned(self, x, y):
    matrix = (y.mean(1)).view(-1, 8, 8)
    again = F.relu(self.layers[0](x).mean(1)).view(-1, 8, 8)
    points = x.unflatten(-1, (8, 8)).flatten(1, 2)
    return (points @ matrix @ again).unflatten(1, (N, 8)).flatten(2)


class OverTokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(N, 32), nn.Linear(32, N)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(x.mT))).mT


class GatedOverTokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.u, self.v, self.weight = *linear(W, W), nn.Parameter(torch.randn(N, N))

    def forward(self, x):
        return self.u(x) * (self.weight @ self.v(x))


class LowRank(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(W, 4)), nn.Parameter(torch.randn(4, W))

    def forward(self, x):
        return x @ (self.a @ self.b) + F.linear(F.linear(x, self.a.T), self.b.T)


class Picture(nn.Module):
    """Convolutions, and a function of two of their results."""

    def __init__(self, function):
        super().__init__()
        self.one, self.two, self.function = (
            nn.Conv1d(W, W, 3, padding=1),
            nn.Conv1d(W, W, 1),
            function,
        )

    def forward(self, x):
        return self.function(self, self.one(x.mT), self.two(x.mT)).sum() + x


def pooled(self, x, scores, y):
    return (scores.softmax(1) * y).sum(1, keepdim=True) + x


def neighbours(self, x, y):
    inner = 2 * y @ y.mT
    square = y.square().sum(-1)
    near = (inner - square[..., None] - square[..., None, :]).topk(3, -1).indices
    gathered = y[torch.arange(len(y))[:, None, None], near]
    return (gathered - y[:, :, None]).amax(2)


def retrieved(self, x, q, documents):
    best = (q @ documents.mT).argmax(-1)
    return documents.gather(1, best[..., None].expand_as(documents))


def crossed(self, x, y):
    """DCN, DLRM and factorisation machines."""
    fields = y.unflatten(-1, (4, 16))
    return (fields @ fields.mT).flatten(2).sum(-1, keepdim=True) * x + x * (x * y).sum(-1)[
        ..., None
    ]


def state(self, x, k, v):
    """A linear recurrence, as in fast weights: nothing is tokens × tokens."""
    memory = torch.zeros(len(x), W, W)
    made = []
    for at in range(N):
        memory = memory + k[:, at, :, None] * v[:, at, None]
        made.append((x[:, at, None] @ memory).squeeze(1))
    return torch.stack(made, 1)


def logged(self, x, y):
    assert y.detach().numpy().std() > 0
    return y * torch.tensor(2.0)


SILENT = {
    "MLP": lambda: nn.Sequential(nn.Linear(W, 9), nn.GELU(), nn.Linear(9, W)),
    "Gram matrix of channels": lambda: Picture(lambda s, y, z: y @ y.mT),
    "Gram matrix of tokens": lambda: Picture(lambda s, y, z: y.mT @ y),
    "correlation volume": lambda: Picture(lambda s, y, z: F.avg_pool1d(y.mT @ z, 3)),
    "correlation, then a layer": lambda: Picture(
        lambda s, y, z: F.conv1d(y.mT @ z, torch.ones(N, N, 1)) @ torch.ones(N, W)
    ),
    "covariance": lambda: Layers(lambda s, x, y: x + (y.mT @ y / N).mean(), *linear(W)),
    "root of the covariance": lambda: Layers(roots_of_covariance, *linear(W)),
    "bilinear": lambda: Layers(
        lambda s, x, y, z: x + F.bilinear(y, z, torch.ones(W, 8, 8)), *linear(8, 8)
    ),
    "biaffine scores": lambda: Layers(
        lambda s, x, y, z: (y @ s.plain @ z.mT).logsumexp(-1), *linear(W, W)
    ),
    "experts": lambda: Layers(experts, *linear(4, W)),
    "squeeze and excitation": lambda: Layers(squeezed, *linear(W)),
    "mixer": OverTokens,
    "gated mixer": GatedOverTokens,
    "low rank": LowRank,
    "DFT": lambda: Layers(lambda s, x, y: torch.fft.fft2(y).real, *linear(W)),
    "a constant matrix": lambda: Layers(lambda s, x, y: (y @ s.plain) @ s.plain.T, *linear(W)),
    "similarity of two": lambda: Layers(
        lambda s, x, y, z: F.normalize(y.mean(1), dim=-1) @ F.normalize(z.mean(1), dim=-1).T,
        *linear(W, W),
    ),
    "similarity with prototypes": lambda: Layers(lambda s, x, y: y @ s.table.T, *linear(W)),
    "attention pooling": lambda: Layers(pooled, *linear(1, W)),
    "neighbours": lambda: Layers(neighbours, *linear(W)),
    "retrieval": lambda: Layers(retrieved, *linear(W, W)),
    "factorisation": lambda: Layers(crossed, *linear(W)),
    "a learned rotation": lambda: Layers(turned, *linear(W)),
    "recurrence": lambda: nn.Sequential(Recurrent()),
    "fast weights": lambda: Layers(state, *linear(W, W)),
    "convolution by einsum": lambda: Layers(
        lambda s, x, y: torch.einsum(
            "bnkd,kd->bnd", F.pad(y, (0, 0, 1, 1)).unfold(1, 3, 1).mT, s.table[:3]
        ),
        *linear(W),
    ),
    "gate of one's own": lambda: Layers(lambda s, x, y, z: gate(y, z), *linear(W, W)),
    "norm of one's own": lambda: Layers(lambda s, x, y: norm(y, s.table[0]), *linear(W)),
    "product of one's own": lambda: Layers(lambda s, x, y, z: product(y, z.mT), *linear(W, W)),
    "TorchScript's GELU": lambda: Layers(lambda s, x, y: scripted_gelu(y), *linear(W)),
    "TorchScript's MLP": lambda: torch.jit.script(nn.Sequential(nn.Linear(W, 9), nn.Linear(9, W))),
    "NumPy for a log": lambda: Layers(logged, *linear(W)),
    "cosine with its root": lambda: cosine(4.0),
    "adjacency twice": lambda: Layers(
        lambda s, x, y: s.table[:, :N] @ (s.table[:, :N] @ y), *linear(W)
    ),
    "good attention": lambda: Mixing(lambda q, k, v: unscaled(q * S, k, v)),
}


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(W, W, batch_first=True)

    def forward(self, x):
        return self.gru(x)[0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", SILENT)
def test_what_looks_like_it_is_passed(case):
    report = report_on(SILENT[case]())
    assert report.ok, report.faults(*ours.NEVER_MEANT)
    assert report.notes == []


def test_a_graph_that_is_given_is_no_attention():
    class Graph(nn.Module):
        def __init__(self):
            super().__init__()
            self.good, self.layer = nn.MultiheadAttention(W, 4, batch_first=True), nn.Linear(W, W)

        def forward(self, x, near):
            x = x + self.good(x, x, x)[0]
            return near @ (near @ self.layer(near @ (near @ x)))

    batch = (torch.randn(2, N, W), torch.rand(2, N, N))
    for batches in ([batch], [{"x": batch[0], "near": batch[1]}]):
        assert ours.check(Graph(), batches, show=False).ok
    with ours.watch(model := Graph()) as report, torch.no_grad():
        model(x=batch[0], near=batch[1])
    assert report.ok, report.faults(*ours.NEVER_MEANT)


def test_faults_of_the_table_are_still_told_apart():
    assert ours.check(*faults.zero_scale(False), show=False).not_understood == []
