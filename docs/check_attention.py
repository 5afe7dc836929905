"""Is the scale of your model's attention right? Watch it at work, head by head.

    python check_attention.py mypackage.mymodule:make      # make() returns model, batches
                                                           # or model, batches, forward
    python check_attention.py --demo forgotten             # a small model with a fault

In a notebook: `report = check(model, batches)`, or `with watch(model) as report:` around whatever
calls the model. PyTorch 2.1 or newer; matplotlib for the figure.

It sees each call of `scaled_dot_product_attention`, `nn.MultiheadAttention` with and without
weights, and attention written out as a product, softmax and what stands between. It does not see
kernels of other packages (flash-attn, xFormers), FlexAttention, TorchScript, exported graphs and
other threads: a module that is called an attention and of which nothing was seen is named.

The outputs of the model, its gradients, buffers and random numbers stay as they are. Of long inputs
some rows are taken, evenly spaced. License: MIT.
"""

import argparse
import csv
import importlib
import inspect
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from textwrap import fill
from types import FunctionType
from typing import Any

try:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional
    from torch.overrides import TorchFunctionMode
    from torch.utils.weak import WeakIdKeyDictionary
except ImportError as error:
    sys.exit(f"check_attention needs PyTorch 2.1 or newer: {error}")

SITE = ""  # the address of the site that this file comes from
ROWS = 64  # queries of each sequence that are looked at, evenly spaced
ENTRIES = 2**24  # logits that are held at once; fewer rows where there would be more
MASKED = -1e4  # a logit below, from a mask, counts as no key
CLOSE = 0.02  # two scales that differ by less are the same: bf16 has 8 binary digits
FLAT = 0.95  # this share of the keys: e^(−σ²) is there at σ = 0.23, nn.Linear starts at 0.33


class CheckError(ValueError):
    """What was given cannot be checked; says why in a sentence."""


# What is found -----------------------------------------------------------------------------------

ROOT = "scales/#which-dimension-goes-under-the-root"
BLIND = "your-model/#what-it-cannot-see"
# A verdict, the section that explains it, and the words. They may use the fields of a row.
SCALES = {
    "root": ("variance/#from-the-variance-to-the-divisor", "Scale 1/√d, as expected"),
    "forgotten": (
        "scales/#t5-which-has-no-divisor",
        "Scale forgotten: scores are not divided, so they are √d = {root:.3g} times as large as "
        "with 1/√d. Right only if the weights make up for it, as in T5",
    ),
    "width": (
        ROOT,
        "Wrong root: divided by √{width}, the width of all heads, and not by √{d}, that of one",
    ),
    "twice": (
        "scales/#what-to-hold-constant",
        "Scaled twice: divided by √d in two places, {root:.3g} times too much",
    ),
    "by d": (
        "training/#why-8-over-d",
        "Divided by d = {d}: μP's rule without its 8, or 1/√d applied twice",
    ),
    "8/d": ("scales/#eight-over-d", "Scale 8/d, as in μP: the same as 1/√d at d = 64"),
    "other head": (ROOT, "A scale for heads of {fits:.0f}: these have d = {d}"),
    "cosine": (
        "scales/#cosine-bounded-and-therefore-blunt",
        "Cosine: q and k have length 1, and the factor is {scale:.3g}. √d = {root:.3g} gives "
        "random directions a spread of 1",
    ),
    "other": ("scales/#what-to-hold-constant", "Scale {scale:.3g}, {times:.3g} times 1/√d"),
    "unknown": (BLIND, "Its q and k were not seen, so nothing about the scale"),
}
SOFTMAX = {
    "frozen": (
        "saturation/#why-there-a-phase-transition",
        "Frozen: the spread is beyond √(2 ln n), so a few keys take nearly all. A trained head may "
        "mean it; at the start it is chance",
    ),
    "flat": (
        "scales/#what-softmax-does-with-them",
        "Flat: more than 95 % of the keys share the weight, close to an average",
    ),
    "between": ("saturation/#how-saturated-is-it-really", "Neither frozen nor flat"),
    "unseen": (BLIND, "No row had two keys or more"),
}
INDENT: Any = {"initial_indent": "  ", "subsequent_indent": "    "}
COLUMNS = """\
spread: standard deviation of the logits in a row; unpaired: the same for pairs at
random; sharing: 1/Σp², and as a share of the keys; largest: the mean largest weight;
‖q‖, ‖k‖: over √d; mean: the share of (q·k)² that comes from the means of q and k;
aligned: cosine of attended pairs, beyond that of all; null: the same for strangers."""


@dataclass
class Row:
    """What one head did; lengths are relative to √d, so that 1 is a vector of variance 1.

    Of every row of logits only the keys that its mask allows count, and of rows only those with two
    keys or more. Spread is the standard deviation within a row.
    """

    layer: str
    head: int
    d: int  # size of the head
    width: int  # size of all heads together
    rows: int  # rows of logits that were looked at
    keys: float  # that a row may see, on average
    scale: float  # what q·k was multiplied by, in all places together
    places: int  # in how many places
    spread: float  # of the logits
    unpaired: float  # the spread that the same q and k would have, paired at random
    freezes: float  # √(2 ln n), the spread at which a row freezes
    sharing: float  # the number of keys that share the weight, 1/Σp²
    share: float  # the same as a share of the keys
    largest: float  # weight, on average
    q_norm: float
    k_norm: float
    mean: float  # share of the mean square of unpaired q·k that comes from the means of q and k
    aligned: float  # cosine of attended pairs, beyond that of all pairs in the row
    null: float  # the same for keys that do not belong to the query, at the same spread
    scale_verdict: str = ""
    softmax_verdict: str = ""
    verdict: str = ""
    link: str = ""

    def judge(self) -> None:
        """Say what to think of it, in a sentence."""
        root = math.sqrt(self.d) or math.nan
        fits = self.scale**-2 if self.scale > 0 else math.nan

        def near(scale: float) -> bool:
            return abs(self.scale / scale - 1) < CLOSE

        def units() -> bool:
            return all(abs(norm * root - 1) < CLOSE for norm in (self.q_norm, self.k_norm))

        found = {
            "unknown": not self.scale > 0,
            "cosine": units(),
            "root": near(1 / root),
            "twice": near(root**-2) and self.places > 1,
            "by d": near(root**-2),
            "forgotten": near(1),
            "8/d": near(8 * root**-2),
            "width": self.width > 0 and near(self.width**-0.5),
            "other head": fits > 4 and abs(fits / 8 - round(fits / 8)) < CLOSE / 8,
            "other": True,
        }
        self.scale_verdict = next(name for name, holds in found.items() if holds)
        regimes = {
            "unseen": not self.rows,
            "frozen": self.spread > self.freezes,
            "flat": self.share > FLAT,
            "between": True,
        }
        self.softmax_verdict = next(name for name, holds in regimes.items() if holds)
        names = asdict(self) | {"root": root, "fits": fits, "times": self.scale * root}
        parts = [SCALES[self.scale_verdict], SOFTMAX[self.softmax_verdict]]
        words = [text.format(**names) for _, text in parts]
        grown = self.q_norm * self.k_norm
        if self.scale_verdict == "by d" and self.width == self.d**2:
            words.insert(1, "It is the root of the width of all heads, too")
        if self.softmax_verdict == "frozen" and self.scale_verdict == "root" and grown > 2:
            words.append(f"The vectors are long: ‖q‖‖k‖ is {grown:.1f} times d")
        self.verdict = ". ".join(words) + "."
        quiet = self.scale_verdict in ("root", "unknown")
        self.link = SITE and SITE + parts[quiet][0]

    @property
    def scale_name(self) -> str:
        """The verdict on the scale in a few words, the same for all scales that have no name."""
        about_scale = self.verdict.partition(". ")[0]
        return "Another scale" if self.scale_verdict == "other" else about_scale.partition(":")[0]


@dataclass
class Report:
    """What all heads did. `rows` has them once the watching is over."""

    rows: list[Row] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Give a table for each layer, below it the verdicts, and at the end a summary."""
        lines = []
        for layer, rows in _grouped(self.rows, lambda row: row.layer).items():
            one = rows[0]
            lines += [
                f"{layer}: {_heads(len(rows))} of {one.d}, about {one.keys:.0f} keys, "
                f"scale {one.scale:.4g}; freezes at {one.freezes:.2f}",
                "  head  spread unpaired sharing  keys largest  ‖q‖   ‖k‖  mean aligned  null",
            ]
            lines += [
                f"  {row.head:4d} {row.spread:7.3f} {row.unpaired:8.3f} {row.sharing:7.1f}"
                f" {row.share:5.0%} {row.largest:7.3f} {row.q_norm:5.2f} {row.k_norm:5.2f}"
                f" {row.mean:5.2f} {row.aligned:7.3f} {row.null:5.3f}"
                for row in rows
            ]
            for verdict, same in _grouped(rows, lambda row: row.verdict).items():
                heads = _ranges([row.head for row in same])
                lines.append(fill(f"{heads}: {verdict}", 80, **INDENT))
                lines += [f"    {same[0].link}"] * bool(same[0].link)
            lines.append("")
        lines += [COLUMNS, *(f"Not seen: {name}" for name in self.unseen), *self.notes]
        return "\n".join([*lines, "", self.summary()])

    def summary(self) -> str:
        """Count the heads that are as expected, and name those that are not."""
        others = [row for row in self.rows if row.scale_verdict != "root"]
        named = _grouped(others, lambda row: row.scale_name)
        for name in ("frozen", "flat"):
            named[name.title()] = [row for row in self.rows if row.softmax_verdict == name]
        lines = [
            f"Scale 1/√d in {len(self.rows) - len(others)} of {_heads(len(self.rows))}; "
            f"{len(named['Frozen'])} frozen, {len(named['Flat'])} flat."
        ]
        sizes = Counter(row.layer for row in self.rows)
        for name, rows in named.items():
            where = [
                layer + f" {_ranges([row.head for row in same])}" * (len(same) < sizes[layer])
                for layer, same in _grouped(rows, lambda row: row.layer).items()
            ]
            if rows:
                lines.append(fill(f"{name}, {_heads(len(rows))}: {'; '.join(where)}", 80, **INDENT))
        return "\n".join(lines)

    def to_csv(self, path: str | Path) -> None:
        """Write a line for each head."""
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, [each.name for each in fields(Row)])
            table.writeheader()
            table.writerows(asdict(row) for row in self.rows)

    def figure(self, path: str | Path | None = None) -> Any:
        """Draw spread and share against the layer, a dot for each head; save it, if told where."""
        import matplotlib.pyplot as plt

        layers = list(_grouped(self.rows, lambda row: row.layer))
        at = [layers.index(row.layer) for row in self.rows]
        size = (max(6.4, 0.3 * len(layers)), 5.6)
        fig, (above, below) = plt.subplots(2, 1, figsize=size, sharex=True, layout="constrained")
        above.scatter(at, [row.spread for row in self.rows], s=14, label="a head")
        above.scatter(at, [row.freezes for row in self.rows], marker="_", s=300, label="freezes")
        above.axhline(1, linestyle="--", linewidth=1, color="gray", label="q and k of variance 1")
        above.set_yscale("log", base=2)
        above.yaxis.set_major_formatter("{x:g}")
        above.set(ylabel="spread of the logits", xlim=(-0.5, len(layers) - 0.5))
        above.legend()
        below.scatter(at, [row.share for row in self.rows], s=14)
        below.set(ylim=(0, 1.02), ylabel="share of the keys that\nshare the weight")
        below.set_xticks(range(len(layers)), layers, rotation=60, ha="right", fontsize=7)
        if path:
            fig.savefig(path, dpi=150)
        return fig


def _grouped(rows: list[Row], by: Callable[[Row], str]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(by(row), []).append(row)
    return groups


def _heads(count: int) -> str:
    return f"{count} head{'s' * (count != 1)}"


def _ranges(numbers: list[int]) -> str:
    """Write 0, 1, 2, 5 as "heads 0 to 2, 5"."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    words = [f"{p[0]} to {p[-1]}" if len(p) > 2 else ", ".join(map(str, p)) for p in parts]
    return f"head{'s' if len(numbers) > 1 else ''} {', '.join(words)}"


# What is measured --------------------------------------------------------------------------------


class Sums:
    """Sums over the calls of one layer, a number or a matrix for each head, in double precision."""

    def __init__(self) -> None:
        self.sums: dict[str, Tensor] = {}
        self.d, self.width, self.places = 0, 0, 0
        self.factors = (1.0, 1.0)  # what q and k had been multiplied by before
        self.scale = 1.0  # what q·k was multiplied by after, as far as it could be followed

    def add(self, found: dict[str, Tensor]) -> None:
        """Add what was found in one call, all of it or nothing."""
        found = {name: value.cpu().double() for name, value in found.items()}
        for name, value in found.items():
            self.sums[name] = self.sums[name] + value if name in self.sums else value

    def rows(self, layer: str) -> Iterator[Row]:
        """Yield what each head did."""
        s = self.sums
        nothing = torch.full_like(s["rows"], math.nan)
        count = s["rows"].clamp(min=1)

        def mean(name: str) -> Tensor:
            return s[name] / count if name in s else nothing

        spread = mean("variance").sqrt()
        share = 1 / mean("concentration")
        columns = {
            "rows": s["rows"],
            "keys": mean("keys"),
            "spread": spread,
            "freezes": (2 * mean("log keys")).sqrt(),
            "sharing": share * mean("keys"),
            "share": share,
            "largest": mean("largest"),
        }
        if "q·q" in s:
            second_q, second_k = s["qq"] / s["queries"], s["kk"] / s["all keys"]
            mean_q, mean_k = s["q"] / s["queries"][..., 0], s["k"] / s["all keys"][..., 0]
            spread_q = second_q - mean_q[:, :, None] * mean_q[:, None]
            spread_k = second_k - mean_k[:, :, None] * mean_k[:, None]
            square = (second_q * second_k).sum((1, 2))
            # The slope of the logits against q·k, where it tells that there was more, such as a
            # factor for each head.
            scale = s["logit score"] / s["score score"]
            rest = s["logit logit"] - scale.square() * s["score score"]
            error = (rest.clamp(min=0) / (s["keys"] * s["score score"])).sqrt()
            is_more = (scale - self.scale).abs() > 10 * error + 0.01 * abs(self.scale)
            scale = torch.where(is_more, scale, self.scale)
            length = (mean("q·q") * mean("k variance") * self.d).sqrt()
            columns |= {
                "scale": scale * self.factors[0] * self.factors[1],
                "unpaired": scale.abs() * mean("unpaired").sqrt(),
                "q_norm": second_q.diagonal(dim1=1, dim2=2).mean(1).sqrt() / self.factors[0],
                "k_norm": second_k.diagonal(dim1=1, dim2=2).mean(1).sqrt() / self.factors[1],
                "mean": 1 - (spread_q * spread_k).sum((1, 2)) / square,
                "aligned": mean("lead") / length,
                "null": mean("null lead") / length,
            }
        names = ("scale", "unpaired", "q_norm", "k_norm", "mean", "aligned", "null")
        columns = dict.fromkeys(names, nothing) | columns
        for head in range(len(count)):
            numbers = {name: float(column[head]) for name, column in columns.items()}
            numbers["rows"] = int(numbers["rows"])
            row = Row(layer, head, self.d, self.width, places=self.places, **numbers)  # type: ignore[arg-type]
            row.judge()
            yield row


def _taken(count: int, wanted: int, device: torch.device) -> Tensor:
    """Give some of `count` places, evenly spaced, the first and the last among them."""
    wanted = max(1, min(count, wanted))
    return torch.linspace(0, count - 1, wanted, device=device).round().long()


def measure(
    sums: Sums, logits: Tensor, allowed: Tensor, q: Tensor | None, k: Tensor | None
) -> None:
    """Add some rows of one call.

    Args:
        sums: what they are added to
        logits: what softmax sees, batch × heads × rows × keys
        allowed: the keys that take part, of the same shape
        q: batch × heads × rows × d, if it is known
        k: batch × heads × keys × d; of each only one, or fewer heads, if they are shared
    """
    logits = logits.float().masked_fill(~allowed, -math.inf)
    keys = allowed.sum(-1)
    least = (keys - 1).clamp(min=1)

    def total(values: Tensor) -> Tensor:
        return torch.where(keys > 1, values, 0).sum((0, 2))

    def centred(values: Tensor) -> Tensor:
        mean = torch.where(allowed, values, 0).sum(-1) / keys.clamp(min=1)
        return torch.where(allowed, values - mean[..., None], 0)

    weights = logits.softmax(-1).nan_to_num(0)
    middle = centred(logits)
    variance = middle.square().sum(-1) / least
    found = {
        "rows": total(torch.ones_like(variance)),
        "keys": total(keys.float()),
        "log keys": total(keys.clamp(min=1).float().log()),
        "variance": total(variance),
        "concentration": total(keys * weights.square().sum(-1)),
        "largest": total(weights.amax(-1)),
    }
    if q is not None and k is not None:
        batch, heads = logits.shape[:2]
        # Keys that do not belong to the query: another head's, else another sequence's.
        others = k.roll(1, 1) if k.shape[1] > 1 else k.roll(1, 0)
        has_others = k.shape[0] * k.shape[1] > 1
        q, k, others = (_shared(t.float(), batch, heads) for t in (q, k, others))
        score = centred(q @ k.transpose(-1, -2))
        stranger = centred(q @ others.transpose(-1, -2))
        even = variance / (stranger.square().sum(-1) / least).clamp(min=1e-30)
        null = (stranger * even.sqrt()[..., None]).masked_fill(~allowed, -math.inf)
        null = null.softmax(-1).nan_to_num(0) if has_others else torch.full_like(null, math.nan)

        # The keys of a row about their mean: their length, and their spread for any query.
        share = allowed / keys.clamp(min=1)[..., None]
        middle_key = share @ k
        unbiased = keys / least

        def about(metric: Tensor) -> Tensor:
            square = ((k @ metric) * k).sum(-1, keepdim=True)
            return unbiased * (
                (share @ square)[..., 0] - ((middle_key @ metric) * middle_key).sum(-1)
            )

        any_query = q.transpose(-1, -2) @ q / q.shape[2]
        found |= {
            "q": q.sum((0, 2)),
            "k": k.sum((0, 2)),
            "qq": (q.transpose(-1, -2) @ q).sum(0),
            "kk": (k.transpose(-1, -2) @ k).sum(0),
            "queries": q.new_full((heads, 1, 1), batch * q.shape[2]),
            "all keys": k.new_full((heads, 1, 1), batch * k.shape[2]),
            "logit logit": total(middle.square().sum(-1)),
            "logit score": total((middle * score).sum(-1)),
            "score score": total(score.square().sum(-1)),
            "q·q": total(q.square().sum(-1)),
            "k variance": total(about(torch.eye(q.shape[-1], device=q.device))) / q.shape[-1],
            "unpaired": total(about(any_query).clamp(min=0)),
            "lead": total((weights * score).sum(-1)),
            "null lead": total((null * stranger).sum(-1)),
        }
    sums.add(found)


# How it is watched -------------------------------------------------------------------------------

PRODUCTS = {"matmul", "__matmul__", "__rmatmul__", "bmm", "baddbmm", "einsum"}
TIMES = {"mul", "mul_", "__mul__", "__rmul__", "__imul__", "multiply"}
OVER = {"div", "div_", "__truediv__", "__itruediv__", "true_divide", "divide"}
# What leaves a factor, or what scores came from, as it is.
LEAVE = """__get__ view reshape transpose permute contiguous to float double half bfloat16 type
type_as clone unsqueeze squeeze expand repeat repeat_interleave flatten unflatten __getitem__ split
chunk unbind cat concat stack detach movedim swapaxes swapdims view_as expand_as reshape_as neg add
add_ __add__ __radd__ __iadd__ sub sub_ __sub__ __rsub__ __isub__ masked_fill masked_fill_ where
view_as_complex view_as_real tanh clamp clip dropout"""
KEEPS = TIMES | OVER | {*LEAVE.split()}
# Where a module says how many heads it has.
HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head", "nhead", "heads")


@dataclass
class Product:
    """Where scores come from: q and k as batch × heads × length × d."""

    q: Tensor
    k: Tensor
    factors: tuple[float, float]
    scale: float
    places: int


class Watcher(TorchFunctionMode):
    """Sees every function of PyTorch that is called while it is on, and passes it on unchanged."""

    def __init__(self, names: dict[nn.Module, str], rows: int) -> None:
        super().__init__()
        self.names, self.most = names, rows
        self.stack: list[nn.Module] = []
        self.called: dict[str, str] = {}  # attention modules that were called, and their class
        self.found: dict[tuple[str, int, int], Sums] = {}
        self.heads = 0  # of the nn.MultiheadAttention that is at work
        # By tensor: what it was multiplied by and in how many places; what scores come from.
        self.scaled: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self.products: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self.failed = ""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Call the function, and note what matters."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "multi_head_attention_forward":
            return self.inside(func, args, kwargs)
        if name in ("scaled_dot_product_attention", "softmax"):
            self.attempt(self.fused if name[1] == "c" else self.softmax, args, kwargs)
        result = func(*args, **kwargs)
        if name in PRODUCTS:
            self.attempt(self.product, (name, result, *args), kwargs)
        elif name in KEEPS:
            self.attempt(self.keep, (name, result, args), {})
        return result

    def inside(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run what would be passed on as a whole so that its parts are seen: a copy that asks no
        mode before it begins.
        """
        inner = dict(func.__globals__, has_torch_function=lambda _: False)
        copy = FunctionType(func.__code__, inner, func.__name__, func.__defaults__)
        copy.__kwdefaults__ = func.__kwdefaults__
        before, self.heads = self.heads, kwargs.get("num_heads") or args[4]
        try:
            with self:
                return copy(*args, **kwargs)
        finally:
            self.heads = before

    def attempt(self, note: Callable[..., None], args: Any, kwargs: Any) -> None:
        """Note something; the model goes on, whatever comes of it."""
        try:
            given = _flat([*args, *kwargs.values()])
            kind = next((a.device.type for a in given if isinstance(a, Tensor)), "cpu")
            # In the precision of the sums, whatever the model has chosen for itself.
            with torch.no_grad(), torch.autocast(kind, enabled=False):
                note(*args, **kwargs)
        except Exception as error:
            self.failed = f"In {self.place()[0]} a call was left out: {error}"

    def known(self, t: Tensor) -> tuple[float, int]:
        """Say what a tensor has been multiplied by, and in how many places."""
        found: tuple[float, int] = self.scaled.get(t, (1.0, 0))  # type: ignore[no-untyped-call]
        return found

    def keep(self, name: str, result: Any, args: Any) -> None:
        """Hand on what is known of a tensor to what is made from it, and note a factor."""
        given = [each for each in _flat(args) if isinstance(each, Tensor)]
        made = [each for each in _flat([result]) if isinstance(each, Tensor)]
        factor, places = next((self.scaled[t] for t in given if t in self.scaled), (1.0, 0))
        product = next((self.products[t] for t in given if t in self.products), None)
        if name in TIMES | OVER and len(args) == 2:
            number = next((float(a) for a in args[::-1] if _is_number(a)), None)
            if number and name in OVER:
                number = 1 / number if _is_number(args[1]) else None
            if number and number != 1:
                factor, places = factor * number, places + 1
        for each in made:
            if places and not product:
                self.scaled[each] = factor, places
            if product and each.numel() == product.q.shape[:3].numel() * product.k.shape[2]:
                if places and factor != 1:
                    self.scaled[each] = factor, places
                self.products[each] = product

    def product(self, name: str, result: Tensor, *args: Any, **kwargs: Any) -> None:
        """Note that scores may have been made, of rows of the first and columns of the second."""
        tensors = [t for t in _flat([*args, *kwargs.values()]) if isinstance(t, Tensor)]
        pair = tensors[1:3] if name == "baddbmm" else tensors[:2]
        if name == "__rmatmul__":
            pair.reverse()
        factors = [self.known(t) for t in pair]
        if name == "einsum":
            ordered = _ordered(args[0], pair)
            if ordered is None:
                return
            (q, k), is_swapped = ordered
            factors = factors[::-1] if is_swapped else factors
        elif min(t.ndim for t in pair) < 3:  # a product with a matrix, as in a linear layer
            return
        else:
            q, k = pair[0], pair[1].transpose(-1, -2)
        q, k = (self.in_heads(t.detach(), result.ndim) for t in (q, k))
        (of_q, in_q), (of_k, in_k) = factors
        scale = kwargs.get("alpha", 1.0)
        places = in_q + in_k + (scale != 1)
        self.products[result] = Product(q, k, (of_q, of_k), scale, places)

    def in_heads(self, t: Tensor, ndim: int) -> Tensor:
        """Bring … × length × d to batch × heads × length × d."""
        while t.ndim < max(ndim, 3):
            t = t.unsqueeze(0)
        if t.ndim > 4:
            return t.flatten(1, -3)
        if t.ndim == 4:
            return t
        heads = self.heads or self.place()[1]
        if heads and t.shape[0] % heads == 0:
            return t.reshape(-1, heads, *t.shape[1:])
        return t.unsqueeze(1)

    def place(self) -> tuple[str, int]:
        """Name the module at work, and say how many heads it says that it has."""
        for module in reversed(self.stack):
            if any(module.children()) or not isinstance(module, nn.Softmax | nn.Dropout):
                counts = (getattr(module, name, 0) for name in HEADS)
                heads = next((count for count in counts if isinstance(count, int) and count), 0)
                return self.names.get(module) or type(module).__name__, heads
        return "(outside of modules)", 0

    def sums(
        self, heads: int, d: int, factors: tuple[float, float], scale: float, places: int
    ) -> Sums:
        """Give the sums of the module at work."""
        sums = self.found.setdefault((self.place()[0], heads, d), Sums())
        sums.d, sums.width = d, heads * d
        sums.factors, sums.scale, sums.places = factors, scale, max(sums.places, places)
        return sums

    def fused(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
        **_: Any,
    ) -> None:
        """Note a call of scaled_dot_product_attention."""
        known = [self.known(t) for t in (query, key)]
        q, k = (self.in_heads(t.detach(), query.ndim) for t in (query, key))
        batch, heads, n, d = q.shape
        keys = k.shape[2]
        taken = _taken(n, self.few(q, keys), q.device)
        q = q[:, :, taken]
        used = d**-0.5 if scale is None else float(scale)
        each = k.float().repeat_interleave(heads // k.shape[1], 1)  # grouped heads
        logits = used * (q.float() @ each.transpose(-1, -2))
        allowed = torch.ones_like(logits, dtype=torch.bool)
        if is_causal:
            allowed &= torch.arange(keys, device=q.device) <= taken[:, None]
        if attn_mask is not None:
            mask = attn_mask.detach()
            mask = mask.unsqueeze(1) if mask.ndim == 3 == query.ndim else mask
            mask = mask.expand(*[1] * (4 - mask.ndim), *mask.shape) if mask.ndim < 4 else mask
            if mask.shape[0] == batch * heads and mask.shape[0] != batch:
                mask = mask.reshape(batch, heads, *mask.shape[-2:])
            mask = mask[:, :, taken] if mask.shape[2] > 1 else mask
            if mask.dtype == torch.bool:
                allowed = allowed & mask
            else:
                logits = logits + mask.float()
                allowed = allowed & (mask.float() > MASKED)
        places = known[0][1] + known[1][1] + 1
        sums = self.sums(heads, d, (known[0][0], known[1][0]), used, places)
        measure(sums, logits, allowed, q, k)

    def softmax(self, input: Tensor, dim: int | None = None, *_: Any, **__: Any) -> None:
        """Note softmax, if it is that of attention: of a product, or in a module of that name."""
        product: Product | None = self.products.get(input, None)  # type: ignore[no-untyped-call]
        last = dim in (-1, input.ndim - 1)
        attends = any(_is_attention(module) for module in self.stack)
        if input.ndim < 3 or not last or not (product or attends):
            return
        logits = self.in_heads(input.detach(), input.ndim)
        heads, n, keys = logits.shape[1:]
        if product and (product.q.shape[2], product.k.shape[2]) != (n, keys):
            product = None
        taken = _taken(n, self.few(logits, keys), logits.device)
        logits = logits[:, :, taken]
        if product is None:
            measure(self.sums(heads, 0, (1, 1), 1, 0), logits, logits > MASKED, None, None)
            return
        d = product.q.shape[-1]
        factor, places = self.known(input)
        scale, places = product.scale * factor, product.places + places
        sums = self.sums(heads, d, product.factors, scale, places)
        q, k = product.q, product.k
        if q.shape[:2] != logits.shape[:2]:  # batch and heads were told apart since, or merged
            k = _shared(k, *q.shape[:2])
            q, k = (t.reshape(*logits.shape[:2], *t.shape[2:]) for t in (q, k))
        measure(sums, logits, logits.float() > MASKED, q[:, :, taken], k)
        if input in self.products:
            del self.products[input]

    def few(self, like: Tensor, keys: int) -> int:
        """Say how many rows can be held at once."""
        return min(self.most, max(2, ENTRIES // (like.shape[0] * like.shape[1] * keys)))

    def enter(self, module: nn.Module, _: Any) -> None:
        """Note that a module begins."""
        self.stack.append(module)
        if _is_attention(module) and module in self.names:
            self.called[self.names[module]] = type(module).__name__

    def leave(self, module: nn.Module, *_: Any) -> None:
        """Note that a module ends, also by an exception."""
        if module in self.stack:
            while self.stack.pop() is not module:
                pass


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        else:
            yield value


def _shared(t: Tensor, batch: int, heads: int) -> Tensor:
    """Repeat what heads or sequences share, for each of them."""
    return t.repeat_interleave(heads // t.shape[1], 1).expand(batch, -1, -1, -1)


def _is_number(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.numel() == 1 and value.dtype.is_floating_point
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_attention(module: nn.Module) -> bool:
    return any(word in type(module).__name__.lower() for word in ("attention", "attn"))


def _ordered(equation: Any, pair: list[Tensor]) -> tuple[list[Tensor], bool] | None:
    """Bring what einsum multiplies to the order of its result, then length and d.

    Gives q and k, and whether they stood the other way round; nothing, if it makes no scores.
    """
    if not isinstance(equation, str) or equation.count(",") != 1 or "." in equation:
        return None
    sides, _, out = equation.replace(" ", "").partition("->")
    letters = sides.split(",")
    summed = (set(letters[0]) & set(letters[1])) - set(out)
    if len(summed) != 1 or len(out) < 3:
        return None
    is_swapped = out[-1] in letters[0]
    if is_swapped:
        letters, pair = letters[::-1], pair[::-1]
    if out[-1] in letters[0] or out[-2] in letters[1]:
        return None

    def ordered(tensor: Tensor, have: str, length: str) -> Tensor:
        want = [*out[:-2], length, *summed]
        tensor = tensor.permute([have.index(letter) for letter in want if letter in have])
        for at, letter in enumerate(want):
            if letter not in have:
                tensor = tensor.unsqueeze(at)
        return tensor

    ends = zip(pair, letters, out[-2:], strict=True)
    return [ordered(*each) for each in ends], is_swapped


@contextmanager
def watch(model: nn.Module, rows: int = ROWS) -> Iterator[Report]:
    """Watch the attention of a model while it is called; the report is filled when this ends.

    Args:
        model: any module, in whatever mode and precision it is
        rows: how many queries of each sequence are looked at, evenly spaced

    Raises:
        CheckError: it is no module, or one that cannot be watched.
    """
    if not isinstance(model, nn.Module):
        raise CheckError(f"the model is a {type(model).__name__}, and has to be a torch.nn.Module")
    model = _plain(model)
    if isinstance(model, torch.jit.ScriptModule):
        raise CheckError("a TorchScript module runs outside of Python: give the module behind it")
    names = {module: name or type(module).__name__ for name, module in model.named_modules()}
    report, watcher = Report(), Watcher(names, rows)
    before = nn.modules.module.register_module_forward_pre_hook(watcher.enter)
    after = nn.modules.module.register_module_forward_hook(watcher.leave, always_call=True)
    try:
        with watcher, _eager():
            yield report
    finally:
        before.remove()
        after.remove()
        for (layer, _, _), sums in watcher.found.items():
            if sums.sums:  # else each of its calls was left out
                report.rows += sums.rows(layer)
        seen = {row.layer for row in report.rows}
        report.unseen = [
            f"{name} ({kind}); nothing that it called looked like attention"
            for name, kind in watcher.called.items()
            if not any(layer == name or layer.startswith(f"{name}.") for layer in seen)
        ]
        if watcher.failed:
            report.notes.append(watcher.failed)


def _plain(model: Any) -> Any:
    """Give the module that torch.compile stands around."""
    return getattr(model, "_orig_mod", model)


def _eager() -> Any:
    """Have compiled functions run as they are written, where there can be any."""
    if "torch._dynamo" in sys.modules and hasattr(torch.compiler, "set_stance"):
        return torch.compiler.set_stance("force_eager")
    return nullcontext()


def check(
    model: nn.Module,
    batches: Iterable[Any],
    forward: Callable[[nn.Module, Any], Any] | None = None,
    rows: int = ROWS,
    show: bool = True,
) -> Report:
    """Run a model on a few batches, without gradients, and report on its attention.

    Buffers and random numbers are put back as they were.

    Args:
        model: any module, in the mode, precision and place that you want to know about
        batches: each a mapping of keyword arguments, a sequence of arguments, or the one argument
        forward: how to call the model with a batch, if not so
        rows: how many queries of each sequence are looked at, evenly spaced
        show: print the report

    Raises:
        CheckError: a wrong input, or no attention was seen.
    """
    call, model = forward or _call, _plain(model)
    if isinstance(batches, Tensor | Mapping | str) or not isinstance(batches, Iterable):
        raise CheckError("batches has to be a list of batches; for a single one write [batch]")
    if rows < 1:
        raise CheckError(f"rows is {rows}, and has to be 1 or more")
    with watch(model, rows) as report, torch.no_grad(), _restored(model):
        count = 0
        for batch in batches:
            count += 1
            try:
                call(model, batch)
            except TypeError as error:
                if forward or (misfit := _misfit(model, batch)) is None:
                    raise  # the model's own
                raise CheckError(
                    f"batch {count} does not fit the model: {misfit}. Say how to call it, such as "
                    "forward=lambda model, batch: model(batch[0]); make() may return this third"
                ) from error
    if not count:
        raise CheckError("there are no batches")
    if not report.rows:
        unseen = "; ".join([*report.unseen, *report.notes])
        raise CheckError(f"no attention was seen. {unseen or 'Has the model any?'}")
    if show:
        print(report)
    return report


def _arguments(batch: Any) -> tuple[Iterable[Any], Mapping[str, Any]]:
    if isinstance(batch, Mapping):
        return (), batch
    return batch if isinstance(batch, list | tuple) else (batch,), {}


def _call(model: nn.Module, batch: Any) -> Any:
    positional, named = _arguments(batch)
    return model(*positional, **named)


def _misfit(model: nn.Module, batch: Any) -> str | None:
    """Say why a batch cannot be the model's arguments; nothing, if it can."""
    positional, named = _arguments(batch)
    try:
        inspect.signature(model.forward).bind(*positional, **named)
    except TypeError as error:
        return str(error)
    return None


@contextmanager
def _restored(model: nn.Module) -> Iterator[None]:
    """Put buffers and random numbers back as they were."""
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    begun = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    devices = range(torch.cuda.device_count() if begun else 0)
    with torch.random.fork_rng(devices=list(devices)):
        try:
            yield
        finally:
            with torch.no_grad():
                for buffer, old in buffers:
                    buffer.copy_(old)


# A small model to try it on ----------------------------------------------------------------------

# By name: what q is multiplied by, and what q·k is, as powers of d and of the width.
FAULTS = {
    "none": ((0.0, 0.0), (-0.5, 0.0)),
    "forgotten": ((0.0, 0.0), (0.0, 0.0)),
    "width": ((0.0, 0.0), (0.0, -0.5)),
    "twice": ((-0.5, 0.0), (-0.5, 0.0)),
}


class DemoAttention(nn.Module):
    """Causal self-attention; q is multiplied by one factor, q·k by another."""

    def __init__(self, heads: int, d: int, fault: str) -> None:
        super().__init__()
        width = heads * d
        self.heads = heads
        self.before, self.scale = (d**one * width**other for one, other in FAULTS[fault])
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        for linear in (self.q, self.k, self.v, self.out):
            nn.init.normal_(linear.weight, std=width**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        """Give a tensor like the input, batch × length × width."""
        q, k, v = (
            linear(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for linear in (self.q, self.k, self.v)
        )
        if self.before != 1:
            q = q * self.before
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=self.scale)
        out: Tensor = self.out(mixed.transpose(1, 2).flatten(-2))
        return out


class Demo(nn.Module):
    """A transformer of two layers at the start of training, with queries and keys of variance 1."""

    def __init__(self, fault: str = "none", heads: int = 4, d: int = 64, layers: int = 2) -> None:
        super().__init__()
        width = heads * d
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.attention = nn.ModuleList(DemoAttention(heads, d, fault) for _ in range(layers))

    def forward(self, x: Tensor) -> Tensor:
        """Give a tensor like the input, batch × length × width."""
        for norm, attention in zip(self.norms, self.attention, strict=True):
            x = x + attention(norm(x))
        return x


def demo(fault: str = "none", seed: int = 0) -> tuple[nn.Module, list[Tensor]]:
    """Give a small model with one of FAULTS, and two batches of random tokens."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Demo(fault)
        return model, [torch.randn(4, 128, 256) for _ in range(2)]


# The command -------------------------------------------------------------------------------------


def _made(target: str) -> tuple[Any, ...]:
    """Call the function that `module:function` names."""
    module, _, name = target.partition(":")
    if not name:
        raise CheckError(f"'{target}' names no function: write package.module:function")
    sys.path.insert(0, "")
    try:
        make = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise CheckError(f"'{module}' cannot be imported: {error}") from error
    if not callable(make):
        raise CheckError(f"there is no function '{name}' in {module}")
    made = make()
    if not isinstance(made, tuple) or len(made) not in (2, 3):
        raise CheckError(
            f"{target} has to return two things, the model and its batches, or a third, a function "
            "of both that calls the model"
        )
    return made


def main(arguments: list[str] | None = None) -> int:
    """Run the command; give its exit status: 2 for a wrong input."""
    parser = argparse.ArgumentParser(
        prog="check_attention.py",
        description="Watch the attention of a PyTorch model, and say whether its scale is right.",
    )
    parser.add_argument(
        "make",
        nargs="?",
        help="package.module:function, which returns the model, its "
        "batches and, if need be, a function of both that calls the model",
    )
    parser.add_argument("--demo", choices=FAULTS, help="try it on a small model with this fault")
    parser.add_argument(
        "--rows", type=int, default=ROWS, help="queries of each sequence to look at"
    )
    parser.add_argument("--csv", default="attention.csv", help="where the numbers go")
    parser.add_argument("--figure", default="attention.png", help="where the figure goes")
    chosen = parser.parse_args(arguments)
    try:
        if (chosen.make is None) == (chosen.demo is None):
            raise CheckError("say what to check: package.module:function, or --demo none")
        model, batches, *how = demo(chosen.demo) if chosen.demo else _made(chosen.make)
        report = check(model, batches, *how, rows=chosen.rows)
    except CheckError as error:
        print(f"check_attention: {error}", file=sys.stderr)
        return 2
    try:
        report.to_csv(chosen.csv)
        print(f"Numbers: {chosen.csv}")
        report.figure(chosen.figure)
        print(f"Figure: {chosen.figure}")
    except ImportError:
        print("No figure: that needs matplotlib.")
    except OSError as error:
        print(f"check_attention: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
