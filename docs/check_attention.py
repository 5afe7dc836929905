"""Is the scale of your model's attention right? Watch it at work, head by head.

    python check_attention.py mypackage.mymodule:make      # make() returns model, batches
    python check_attention.py path/to/file.py:make         # or model, batches, forward
    python check_attention.py --demo forgotten             # a small model with a fault

In a notebook: `report = check(model, batches)`, or `with watch(model) as report:` around whatever
calls the model. In a run: `Monitor`. In pytest: `assert_attention`. Over widths: `width_sweep`.
PyTorch 2.1 or newer; matplotlib for the figure.

It sees each call of `scaled_dot_product_attention`, `nn.MultiheadAttention` with and without
weights, and attention written out as a product, softmax and what stands between. Of flash-attn,
xFormers and FlexAttention it reads q, k and the scale where their functions are called. It does not
see TorchScript, exported graphs and other threads: a module that is called an attention and of
which nothing was seen is named.

The outputs of the model, its gradients, buffers and random numbers stay as they are. Of long inputs
some rows are taken, evenly spaced. License: MIT.
"""

import argparse
import csv
import importlib
import importlib.util
import inspect
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from functools import wraps
from pathlib import Path
from statistics import median
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
    raise ImportError(f"check_attention needs PyTorch 2.1 or newer: {error}") from error

__version__ = "1.1"
SITE = ""  # the address of the site that this file comes from
ROWS = 64  # queries of each sequence that are looked at, evenly spaced
ENTRIES = 2**24  # logits that are held at once; fewer rows where there would be more
MASKED = -5e3  # a logit below counts as no key: masks of −10⁴ are added to logits that may be large
GAP = 50.0  # so does one that a mask puts so far below the rest: e^(−50) is no weight
CLOSE = 0.02  # two scales that differ by less are the same: bf16 has 8 binary digits
FLAT = 0.95  # this share of the keys: e^(−σ²) is there at σ = 0.23, nn.Linear starts at 0.33


class CheckError(ValueError):
    """What was given cannot be checked; says why in a sentence."""


# What is found -----------------------------------------------------------------------------------

ROOT = "scales/#which-dimension-goes-under-the-root"
BLIND = "your-model/#what-it-cannot-see"
SEEN = "your-model/#verdicts"
# A verdict, the section that explains it, and the words. They may use the fields of a row.
SCALES = {
    "root": ("variance/#from-the-variance-to-the-divisor", "Scale 1/√d, as expected"),
    "stated": (SEEN, "Scale as stated: {scale:.3g}, by {source}"),
    "contrary": (
        SEEN,
        "Not the scale that is stated: {scale:.3g}, where {source} says {stated:.3g}",
    ),
    "forgotten": (
        "scales/#t5-which-has-no-divisor",
        "Scale forgotten: scores are not divided, so they are √d = {root:.3g} times as large as "
        "with 1/√d. Right only if the weights or a norm make up for it",
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
        "Cosine: q and k are brought to length 1, and the factor is {scale:.3g}. √d = {root:.3g} "
        "gives random directions a spread of 1",
    ),
    "other": ("scales/#what-to-hold-constant", "Scale {scale:.3g}, {times:.3g} times 1/√d"),
    "channels": (
        BLIND,
        "Attention over channels: q·k sums over tokens, so 1/√d is no yardstick",
    ),
    "unknown": (BLIND, "Its q and k were not seen, so nothing about the scale"),
}
SOFTMAX = {
    "nan": (
        SEEN,
        "Not finite: {not_finite} logits are NaN or infinite. The other numbers leave out "
        "their rows",
    ),
    "frozen": (
        "saturation/#why-there-a-phase-transition",
        "Frozen: a few keys take nearly all, as fewer than √(2 ln n) take part. A trained "
        "head may mean it, or rest on one key; at the start it is chance",
    ),
    "bias": (
        SEEN,
        "Local by its bias: what is added to q·k, and not q·k, gives a few keys nearly all",
    ),
    "flat": (
        "scales/#what-softmax-does-with-them",
        "Flat: more than 95 % of the keys take part, close to an average. Usual at the "
        "start with small weights",
    ),
    "no tokens": (BLIND, "Its softmax shares channels out, and says nothing of tokens"),
    "between": ("saturation/#how-saturated-is-it-really", "Neither frozen nor flat"),
    "unseen": (BLIND, "No row had two keys or more"),
}
LAYOUT = {
    "exchanged": (
        SEEN,
        "Heads and tokens exchanged: {heads} heads of {said} tokens were found, where the module "
        "has {said} heads. It looks as if a transpose(1, 2) were forgotten",
    ),
    "other number": (
        SEEN,
        "Heads not told apart: {heads} found, and the module says {said}. The numbers are of those "
        "found",
    ),
}
# No fault, as far as one can know.
RIGHT = ("root", "stated", "cosine", "8/d", "channels", "unknown")
FAULTS: dict[str, Any] = {  # what --fail-on may name
    "scale": lambda row: row.scale_verdict not in RIGHT,
    "frozen": lambda row: row.softmax_verdict == "frozen",
    "flat": lambda row: row.softmax_verdict == "flat",
    "nan": lambda row: row.not_finite > 0,
    "heads": lambda row: row.layout_verdict == "exchanged",
    "unknown": lambda row: row.scale_verdict == "unknown",
}
NEVER_MEANT = ("scale", "nan", "heads")  # what makes a report not ok
INDENT: Any = {"initial_indent": "  ", "subsequent_indent": "    "}
LAYER_COLUMNS = """\
keys: that a row may see, on average; spread: standard deviation of the logits in a row;
freezes: √(2 ln n), with ln n averaged over rows; q·k, bias: spread of what is scaled, and
of what is added; |logit|: the largest; entropy: in nats; share: 1/Σp² over the keys.
Medians over heads, but for |logit|."""
HEAD_COLUMNS = """\
spread: standard deviation of the logits in a row; unpaired: the same for pairs at
random; |logit|: the largest; entropy: in nats; share: 1/Σp² over the keys; largest: the
mean largest weight; ‖q‖, ‖k‖: lengths; mean: the share of (q·k)² that comes from the
means of q and k; aligned: cosine of attended pairs, beyond that of all; null: the same
for strangers."""


@dataclass
class Row:
    """What one head did; lengths are relative to √d, so that 1 is a vector of variance 1.

    Of every row of logits only the keys that its mask allows count, and of rows only those with two
    keys or more. Spread is the standard deviation within a row.
    """

    layer: str
    head: int
    d: int  # size of the head; 0 if it is not known
    width: int  # size of all heads together
    heads: int  # that were found
    said: int  # heads that the module says it has; 0 if it says nothing
    rows: int  # rows of logits that were looked at
    keys: float  # that a row may see, on average
    scale: float  # what q·k was multiplied by, in all places together
    stated: float  # what it should be by the configuration, or by what was asked for
    source: str  # who states that
    places: int  # in how many places q·k was multiplied
    spread: float  # of the logits
    spread_qk: float  # of scale·q·k
    spread_bias: float  # of what is added to it, or of what a cap takes away
    max_spread: float  # of a single row
    unpaired: float  # the spread that the same q and k would have, paired at random
    freezes: float  # √(2 ln n): Gaussian logits of this spread freeze, and then about as many share
    sharing: float  # the number of keys that take part, 1/Σp²
    sharing_qk: float  # the same for scale·q·k alone
    share: float  # the same as a share of the keys
    largest: float  # weight, on average
    sink: float  # the weight that goes to no key
    entropy: float  # of the weights, in nats, on average
    min_entropy: float  # of a single row
    max_logit: float  # the largest |logit| that softmax was given
    max_qk: float  # the largest |scale·q·k|
    not_finite: int  # logits that are NaN or infinite
    q_norm: float
    k_norm: float
    mean: float  # share of the mean square of unpaired q·k that comes from the means of q and k
    aligned: float  # cosine of attended pairs, beyond that of all pairs in the row
    null: float  # the same for keys that do not belong to the query, at the same spread
    is_unit: bool = False  # q and k were divided by their lengths
    is_mixed: bool = False  # the logits of all heads were mixed before softmax
    rows_are_heads: bool = False  # as many rows and keys as the module has heads
    is_over_channels: bool = False  # rows and keys are channels, and d is a number of tokens
    scale_verdict: str = ""
    softmax_verdict: str = ""
    layout_verdict: str = ""
    verdict: str = ""
    link: str = ""

    def judge(self) -> None:
        """Decide on the scale, on softmax and on the heads; the first that holds counts."""
        root, fits = math.sqrt(self.d) or math.nan, self.fits

        def near(scale: float) -> bool:
            return abs(self.scale / scale - 1) < CLOSE

        def units() -> bool:
            return all(abs(norm * root - 1) < CLOSE for norm in (self.q_norm, self.k_norm))

        found = {
            "unknown": math.isnan(self.scale),
            "channels": self.is_over_channels and not self.stated > 0,
            "root": near(1 / root) and not units() and not self.stated > 0,
            "stated": self.stated > 0 and near(self.stated),
            "contrary": self.stated > 0,
            "cosine": units() or (self.is_unit and self.q_norm * self.k_norm * root < 1),
            "twice": near(root**-2) and self.places > 1,
            "by d": near(root**-2),
            "forgotten": near(1),
            "8/d": near(8 * root**-2),
            "width": self.width > 0 and near(self.width**-0.5),
            "other head": fits > 4 and abs(fits / 8 - round(fits / 8)) < CLOSE / 8,
            "other": True,
        }
        self.scale_verdict = next(name for name, holds in found.items() if holds)
        if self.scale_verdict == "stated" and near(1 / root):
            self.scale_verdict = "root"
        regimes = {
            "nan": self.not_finite > 0,
            "unseen": not self.rows,
            "no tokens": self.is_over_channels,
            "bias": self.sharing < self.freezes <= self.sharing_qk,
            "frozen": self.sharing < self.freezes,
            "flat": self.share > FLAT,
            "between": True,
        }
        self.softmax_verdict = next(name for name, holds in regimes.items() if holds)
        differs = self.said > 0 and self.heads != self.said
        kind = "exchanged" if self.rows_are_heads else "other number"
        self.layout_verdict = kind if differs else ""
        self.explain()

    def explain(self) -> None:
        """Put the verdicts into a sentence, with a link to what explains them."""
        names = self.numbers
        scale, regime = SCALES[self.scale_verdict], SOFTMAX[self.softmax_verdict]
        parts = [scale, regime]
        if self.layout_verdict:
            parts.insert(0, LAYOUT[self.layout_verdict])
        if self.not_finite:  # nothing else matters before
            parts.sort(key=lambda part: part is not regime)
        words = [text.format(**names) for _, text in parts]
        if self.scale_verdict == "by d" and self.width == self.d**2:
            words.insert(1, "It is the root of the width of all heads, too")
        if self.is_mixed:
            words.append("The logits of its heads are mixed before softmax")
        grown = self.q_norm * self.k_norm
        if self.softmax_verdict == "frozen" and self.scale_verdict == "root" and grown > 2:
            words.append(f"The vectors are long: ‖q‖‖k‖ is {grown:.1f} times d")
        self.verdict = ". ".join(words) + "."
        quiet = parts[0] is scale and self.scale_verdict in ("root", "unknown")
        self.link = SITE and SITE + parts[quiet][0]

    @property
    def fits(self) -> float:
        """The size of heads that the scale would be right for."""
        return self.scale**-2 if self.scale > 0 else math.nan

    @property
    def numbers(self) -> dict[str, Any]:
        """What the words of a verdict may use."""
        root = math.sqrt(self.d)
        return asdict(self) | {"root": root, "fits": self.fits, "times": self.scale * root}

    @property
    def verdicts(self) -> str:
        """The names of all verdicts."""
        return f"{self.layout_verdict} {self.scale_verdict} {self.softmax_verdict}"

    @property
    def scale_name(self) -> str:
        """The verdict on the scale in a few words, the same for all scales that have no name."""
        if self.scale_verdict == "other":
            return "Another scale"
        return SCALES[self.scale_verdict][1].format(**self.numbers).partition(":")[0]


@dataclass
class Report:
    """What all heads did. `rows` has them once the watching is over."""

    rows: list[Row] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)  # attention modules that showed nothing
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no scale is wrong, all logits are finite, and the heads are as said."""
        return not self.faults(*NEVER_MEANT)

    def faults(self, *kinds: str) -> list[str]:
        """Give a sentence for each kind of FAULTS that some head has, with the heads."""
        found = []
        for kind in kinds:
            if kind not in FAULTS:
                raise CheckError(f"'{kind}' is no fault; there are {', '.join(FAULTS)}")
            if rows := [row for row in self.rows if FAULTS[kind](row)]:
                found.append(f"{kind}: {self.where(rows)}. {rows[0].verdict}")
        return found

    def __str__(self) -> str:
        """Give a line for each layer, each verdict once, and at the end a summary."""
        return self.text()

    def text(self, heads: bool = False) -> str:
        """Give the report, with a line for each head if asked for."""
        layers = _grouped(self.rows, lambda row: row.layer).values()
        if heads:
            lines = [*_table([_of_head(row) for row in self.rows]), "", HEAD_COLUMNS, ""]
        else:
            lines = [*_table([_of_layer(rows) for rows in layers]), "", LAYER_COLUMNS, ""]
        for same in _grouped(self.rows, lambda row: row.verdicts).values():
            differ = len({row.verdict for row in same}) > 1
            words = same[0].verdict + " These numbers are of the first head." * differ
            lines += [fill(words, 88), fill(self.where(same), 88, **INDENT)]
            lines += [f"  {same[0].link}"] * bool(same[0].link)
        lines += [f"Not seen: {name}" for name in self.unseen] + self.notes
        return "\n".join([*lines, "", self.summary()])

    def summary(self) -> str:
        """Count the heads that are as expected, and name those that are not."""
        counts = Counter(row.softmax_verdict for row in self.rows)
        broken = [row for row in self.rows if row.not_finite]
        lines = []
        if broken:
            total = sum(row.not_finite for row in broken)
            words = f"Not finite, {_heads(len(broken))}, {total} logits: {self.where(broken)}"
            lines.append(fill(words, 80))
        right = sum(row.scale_verdict == "root" for row in self.rows)
        stated = sum(row.scale_verdict == "stated" for row in self.rows)
        lines.append(
            f"Scale 1/√d in {right} of {_heads(len(self.rows))}"
            + f", as stated in {stated}" * (stated > 0)
            + f"; {counts['frozen']} frozen, {counts['flat']} flat."
        )
        others = [row for row in self.rows if row.scale_verdict not in ("root", "stated")]
        named = _grouped(others, lambda row: row.scale_name)
        for name, (_, words) in (LAYOUT | SOFTMAX).items():
            if name in (*LAYOUT, "frozen", "bias", "flat"):
                same = [
                    row for row in self.rows if name in (row.layout_verdict, row.softmax_verdict)
                ]
                named[words.partition(":")[0]] = same
        for name, rows in named.items():
            if rows:
                words = f"{name}, {_heads(len(rows))}: {self.where(rows)}"
                lines.append(fill(words, 80, **INDENT))
        return "\n".join(lines)

    def where(self, rows: list[Row]) -> str:
        """Name the layers of some heads, and the heads where they are not all of a layer."""
        sizes = Counter(row.layer for row in self.rows)
        if len(rows) == len(self.rows) > sizes[rows[0].layer]:
            return f"all {len(sizes)} layers"
        return "; ".join(
            layer + f" {_ranges([row.head for row in same])}" * (len(same) < sizes[layer])
            for layer, same in _grouped(rows, lambda row: row.layer).items()
        )

    def metrics(self, prefix: str = "attn") -> dict[str, float]:
        """Give a flat dict of numbers for each layer, such as `attn/layers.0/max_logit`.

        Over the heads of a layer: the largest logit and spread, the mean entropy, share and scale,
        the least entropy, the number of frozen heads and of logits that are not finite.
        """
        found: dict[str, float] = {}
        for layer, rows in _grouped(self.rows, lambda row: row.layer).items():
            column = {each.name: [getattr(row, each.name) for row in rows] for each in fields(Row)}
            numbers = {name: max(column[name]) for name in ("max_logit", "max_qk", "max_spread")}
            for name in ("spread", "entropy", "share", "scale"):
                numbers[name] = sum(column[name]) / len(rows)
            numbers["min_entropy"] = min(column["min_entropy"])
            numbers["frozen"] = column["softmax_verdict"].count("frozen")
            numbers["not_finite"] = sum(column["not_finite"])
            found |= {f"{prefix}/{layer}/{name}": value for name, value in numbers.items()}
        return found

    def changes(self, old: "Report", spread: float = 1.25) -> list[str]:
        """Say in sentences what is worse than in an older report, or differs in kind.

        A head that is missing or new, another verdict on the scale or on softmax, a scale that
        differs by more than 2 %, a spread that differs by more than the factor given.
        """
        before, now = (
            {f"{row.layer} head {row.head}": row for row in report.rows} for report in (old, self)
        )
        found = [f"{place} is missing" for place in before if place not in now]
        found += [f"{place} is new" for place in now if place not in before]
        for place in before.keys() & now.keys():
            was, row = before[place], now[place]
            if was.verdicts != row.verdicts:
                found.append(f"{place}: '{row.verdicts.strip()}' was '{was.verdicts.strip()}'")
            for name, factor in (("scale", 1 + CLOSE), ("spread", spread)):
                one, other = getattr(was, name), getattr(row, name)
                if one > 0 < other and abs(math.log(other / one)) > math.log(factor):
                    found.append(f"{place}: {name} {other:.4g} was {one:.4g}")
        return sorted(found)

    def to_json(self) -> str:
        """Give all of it as JSON; numbers that are not finite are null."""
        rows = [
            {name: None if _is_odd(value) else value for name, value in asdict(row).items()}
            for row in self.rows
        ]
        told = {"version": __version__, "ok": self.ok, "summary": self.summary(), "rows": rows}
        told |= {"unseen": self.unseen, "notes": self.notes}
        return json.dumps(told, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """Read what `to_json` wrote.

        Raises:
            CheckError: it is something else.
        """
        try:
            data = json.loads(text)
            nan: Any = math.nan
            rows = [
                Row(**{name: nan if value is None else value for name, value in row.items()})
                for row in data["rows"]
            ]
            return cls(rows, data["unseen"], data["notes"])
        except (ValueError, TypeError, KeyError) as error:
            raise CheckError(
                f"this is no report of check_attention {__version__}: {error}"
            ) from None

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
        below.set(ylim=(0, 1.02), ylabel="share of the keys\nthat take part")
        below.set_xticks(range(len(layers)), layers, rotation=60, ha="right", fontsize=7)
        try:
            if path:
                fig.savefig(path, dpi=150)
        except ValueError as error:
            raise CheckError(f"no figure: {error}") from error
        return fig


def _grouped(rows: list[Row], by: Callable[[Row], str]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(by(row), []).append(row)
    return groups


def _table(lines: list[dict[str, str]]) -> list[str]:
    """Write cells below their names, the first column to the left."""
    columns = [[name, *(line[name] for line in lines)] for name in (lines or [{}])[0]]
    widths = [max(map(len, column)) for column in columns]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        for cells in zip(*columns, strict=True)
    ]


def _of_layer(rows: list[Row]) -> dict[str, str]:
    def middle(name: str, form: str) -> str:
        values = [value for row in rows if not math.isnan(value := getattr(row, name))]
        return f"{median(values):{form}}" if values else "–"

    spreads = [f"{each(row.spread for row in rows):.2f}" for each in (min, max)]
    return {
        "layer": rows[0].layer,
        "heads": str(len(rows)),
        "d": str(rows[0].d or "?"),
        "keys": middle("keys", ".0f"),
        "scale": middle("scale", ".4g"),
        "spread": "–".join(dict.fromkeys(spreads)),
        "freezes": middle("freezes", ".2f"),
        "q·k": middle("spread_qk", ".2f"),
        "bias": middle("spread_bias", ".2f"),
        "|logit|": f"{max(row.max_logit for row in rows):.3g}",
        "entropy": middle("entropy", ".2f"),
        "share": middle("share", ".0%"),
    }


def _of_head(row: Row) -> dict[str, str]:
    names = "scale spread unpaired max_logit entropy share largest q_norm k_norm mean aligned null"
    titles = {"max_logit": "|logit|", "q_norm": "‖q‖/√d", "k_norm": "‖k‖/√d"}
    place = {"layer": row.layer, "head": str(row.head)}
    return place | {titles.get(name, name): f"{getattr(row, name):.3g}" for name in names.split()}


def _heads(count: int) -> str:
    return f"{count} head{'s' * (count != 1)}"


def _is_odd(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


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


@dataclass
class Scores:
    """Where logits come from: q and k as batch × heads × length × d, and a factor for each head."""

    q: Tensor
    k: Tensor
    scale: Tensor  # what q·k was multiplied by since
    factors: tuple[Tensor, Tensor]  # what q and k had been multiplied by before
    is_sum: bool = True  # logits are scale·q·k and what was added: no cap, no mixing of heads


class Sums:
    """Sums over the calls of one layer, a number or a matrix for each head, in double precision."""

    def __init__(self, **about: Any) -> None:
        self.sums: dict[str, Tensor] = {}
        self.about = about  # the fields of a row that are the same for all heads

    def add(self, found: dict[str, Tensor]) -> None:
        """Add what was found in one call, all of it or nothing; keep the largest of each max."""
        found = {name: value.cpu().double() for name, value in found.items()}
        for name, value in found.items():
            join = torch.maximum if name.startswith("max ") else torch.add
            self.sums[name] = join(self.sums[name], value) if name in self.sums else value

    def rows(self, layer: str) -> Iterator[Row]:
        """Yield what each head did."""
        s = self.sums
        nothing = torch.full_like(s["rows"], math.nan)
        count = torch.where(s["rows"] > 0, s["rows"], math.nan)

        def mean(name: str) -> Tensor:
            return s[name] / count if name in s else nothing

        share = 1 / mean("concentration")
        columns = {
            "rows": s["rows"],
            "not_finite": s["not finite"],
            "keys": mean("keys"),
            "spread": mean("variance").sqrt(),
            "spread_qk": mean("variance of q·k").sqrt(),
            "spread_bias": mean("variance of bias").sqrt(),
            "max_spread": s["max variance"].sqrt(),
            "freezes": (2 * mean("log keys")).sqrt(),
            "sharing": share * mean("keys"),
            "sharing_qk": mean("keys") / mean("concentration of q·k"),
            "share": share,
            "largest": mean("largest"),
            "sink": mean("sink"),
            "entropy": mean("entropy"),
            "min_entropy": -s["max order"],
            "max_logit": s["max logit"],
            "max_qk": s.get("max q·k", nothing),
        }
        names = ("scale", "unpaired", "q_norm", "k_norm", "mean", "aligned", "null")
        columns |= dict.fromkeys(names, nothing)
        if "q·q" in s:
            scale, of_q, of_k = (s[name] / s["calls"] for name in ("scale", "of q", "of k"))
            second_q, second_k = s["qq"] / s["queries"], s["kk"] / s["all keys"]
            mean_q, mean_k = s["q"] / s["queries"][..., 0], s["k"] / s["all keys"][..., 0]
            spread_q = second_q - mean_q[:, :, None] * mean_q[:, None]
            spread_k = second_k - mean_k[:, :, None] * mean_k[:, None]
            square = (second_q * second_k).sum((1, 2))
            length = (mean("q·q") * mean("k variance") * self.about["d"]).sqrt()
            columns |= {
                "scale": scale * of_q * of_k,
                "unpaired": scale.abs() * mean("unpaired").sqrt(),
                "q_norm": second_q.diagonal(dim1=1, dim2=2).mean(1).sqrt() / of_q.abs(),
                "k_norm": second_k.diagonal(dim1=1, dim2=2).mean(1).sqrt() / of_k.abs(),
                "mean": 1 - (spread_q * spread_k).sum((1, 2)) / square,
                "aligned": mean("lead") / length,
                "null": mean("null lead") / length,
            }
        for name in ("max_spread", "min_entropy", "max_logit", "max_qk"):
            columns[name] = columns[name].where(s["rows"] > 0, math.nan)
        for head in range(len(count)):
            numbers: Any = {name: float(column[head]) for name, column in columns.items()}
            for name in ("rows", "not_finite"):
                numbers[name] = int(numbers[name])
            row = Row(layer, head, **self.about, **numbers)
            row.judge()
            yield row


def _taken(count: int, wanted: int, bad: Tensor) -> Tensor:
    """Give some of `count` places, evenly spaced, with the first and the last, and bad ones."""
    wanted = max(1, min(count, wanted))
    even = torch.linspace(0, count - 1, wanted, device=bad.device).round().long()
    return torch.unique(torch.cat([even, bad.nonzero()[:wanted, 0]]))  # type: ignore[no-any-return]


def _above_gap(level: Tensor, allowed: Tensor, gap: float) -> Tensor:
    """Leave out the keys that a mask puts far below the others of their row, as −100 does.

    A bias that falls with the distance has no gap, however low it gets.
    """
    low, high = (level.masked_fill(~allowed, far) for far in (math.inf, -math.inf))
    wide = high.amax(-1) - low.amin(-1) > gap
    if not wide.any():
        return allowed
    some = high[wide]
    ordered = some.sort(-1, descending=True).values
    is_gap = ordered[:, :-1] - ordered[:, 1:] > gap
    edge = ordered.gather(-1, is_gap.int().argmax(-1, keepdim=True))
    allowed = allowed.clone()
    allowed[wide] &= (some >= edge) | ~is_gap.any(-1, keepdim=True)
    return allowed


def measure(
    sums: Sums,
    logits: Tensor,
    allowed: Tensor,
    scores: Scores | None = None,
    sink: Tensor | None = None,
) -> None:
    """Add some rows of one call.

    Args:
        sums: what they are added to
        logits: what softmax sees, batch × heads × rows × keys
        allowed: the keys that take part, of the same shape, as far as is known apart from logits
        scores: where they come from, if that is known
        sink: logits of what takes weight and is no key, batch × heads × rows × any number
    """
    logits = logits.float()
    batch, heads = logits.shape[:2]
    allowed = allowed & ~(logits <= MASKED)
    score, level = None, logits
    if scores:
        q, k = scores.q.float(), scores.k.float()
        score = q @ k.transpose(-1, -2)
        part = scores.scale[:, None, None] * score
        level = logits - part if scores.is_sum else logits
    allowed = _above_gap(level, allowed, GAP if scores and scores.is_sum else 2 * GAP)
    broken = allowed & (logits.isnan() | (logits == math.inf))
    keys = allowed.sum(-1)
    counts = (keys > 1) & ~broken.any(-1)
    least = (keys - 1).clamp(min=1)
    logits = logits.masked_fill(~allowed, -math.inf)

    def total(values: Tensor) -> Tensor:
        return torch.where(counts, values, 0).sum((0, 2))

    def largest(values: Tensor) -> Tensor:
        return torch.where(counts, values, -math.inf).amax((0, 2))

    def centred(values: Tensor) -> Tensor:
        mean = torch.where(allowed, values, 0).sum(-1) / keys.clamp(min=1)
        return torch.where(allowed, values - mean[..., None], 0)

    def size(values: Tensor) -> Tensor:
        return torch.where(allowed, values, 0).abs().amax(-1)

    weights = logits.softmax(-1).nan_to_num(0)
    middle = centred(logits)
    variance = middle.square().sum(-1) / least
    entropy = torch.special.entr(weights).sum(-1)
    found = {
        "rows": total(torch.ones_like(variance)),
        "not finite": broken.sum((0, 2, 3)),
        "keys": total(keys.float()),
        "log keys": total(keys.clamp(min=1).float().log()),
        "variance": total(variance),
        "max variance": largest(variance),
        "concentration": total(keys * weights.square().sum(-1)),
        "largest": total(weights.amax(-1)),
        "entropy": total(entropy),
        "max order": largest(-entropy),
        "max logit": largest(size(logits)),
    }
    if sink is not None:
        lost = sink.float().logsumexp(-1) - logits.logsumexp(-1)
        found["sink"] = total(lost.sigmoid())
    if scores and score is not None:
        if broken.any():  # what is sums over all queries or keys would be lost with one
            q, k = q.nan_to_num(0, 0, 0), k.nan_to_num(0, 0, 0)
            score = q @ k.transpose(-1, -2)
        scale = scores.scale[:, None]
        of_q, of_k = scores.factors
        # Keys that do not belong to the query: of another head that has its own, else another
        # sequence's.
        differs = (k[:, :, :1] != k[:, :1, :1]).flatten(2).any(-1).any(0)
        has_others = bool(differs.any()) or batch > 1
        others = k.roll(int(differs.int().argmax()), 1) if differs.any() else k.roll(1, 0)
        score = centred(score)
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
            "calls": torch.ones(heads),
            "scale": scores.scale,
            "of q": of_q,
            "of k": of_k,
            "q": q.sum((0, 2)),
            "k": k.sum((0, 2)),
            "qq": (q.transpose(-1, -2) @ q).sum(0),
            "kk": (k.transpose(-1, -2) @ k).sum(0),
            "queries": q.new_full((heads, 1, 1), batch * q.shape[2]),
            "all keys": k.new_full((heads, 1, 1), batch * k.shape[2]),
            "max q·k": largest(size(part)),
            "q·q": total(q.square().sum(-1)),
            "k variance": total(about(torch.eye(q.shape[-1], device=q.device))) / q.shape[-1],
            "unpaired": total(about(any_query).clamp(min=0)),
            "lead": total((weights * score).sum(-1)),
            "null lead": total((null * stranger).sum(-1)),
        }
        if not sums.about["is_mixed"]:
            alone = part.masked_fill(~allowed, -math.inf).softmax(-1)
            found["concentration of q·k"] = total(keys * alone.square().sum(-1))
            found["variance of q·k"] = total(scale.square() * score.square().sum(-1) / least)
        if scores.is_sum:
            added = middle - scale[..., None] * score
            found["variance of bias"] = total(added.square().sum(-1) / least)
    sums.add(found)


# How it is watched -------------------------------------------------------------------------------

PRODUCTS = {"matmul", "__matmul__", "__rmatmul__", "bmm", "baddbmm", "einsum"}
TIMES = {"mul", "mul_", "__mul__", "__rmul__", "__imul__", "multiply"}
OVER = {"div", "div_", "__truediv__", "__itruediv__", "true_divide", "divide"}
PLUS = {"add", "add_", "__add__", "__radd__", "__iadd__"}
MIXES = {"linear", "conv2d"}  # of scores: talking heads
WIDENS = {"cat", "concat", "concatenate", "pad"}  # scores by a sink
MOVES = {"permute", "transpose", "movedim", "swapaxes", "swapdims"}
# What leaves a factor, or what scores came from, as it is.
LEAVE = """__get__ view reshape contiguous to float double half bfloat16 type type_as clone
unsqueeze squeeze expand repeat repeat_interleave flatten unflatten __getitem__ split chunk unbind
stack detach view_as expand_as reshape_as sub sub_ __sub__ __rsub__ __isub__ masked_fill
masked_fill_ where view_as_complex view_as_real clamp clip dropout nan_to_num neg tanh normalize"""
KEEPS = TIMES | OVER | PLUS | MIXES | WIDENS | MOVES | {*LEAVE.split()}
# What may be an attention that is written in another way; named if nothing was seen.
SIMILAR = {"softmax", "log_softmax", "exp", "sigmoid", "logsumexp"}
# Where a module or its configuration says how many heads it has.
HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head", "nhead", "heads")
# Numbers by which a configuration states the scale: it follows from the number, and from 1/√d.
STATED: dict[str, Callable[[float, float], float]] = {
    "query_pre_attn_scalar": lambda number, _: number**-0.5,
    "attention_multiplier": lambda number, _: number,
    "softmax_scale": lambda number, _: number,
    "key_multiplier": lambda number, base: base * number,
}
# Models of transformers that mean to leave out the divisor: weights or norms make up for it.
UNSCALED = """t5 mt5 umt5 longt5 switch_transformers pop2piano pix2struct_text_model udop gpt_neo
gemma3n_text gemma4_text dia_encoder dia_decoder"""


@dataclass(frozen=True)
class Known:
    """What a tensor that may become q or k was multiplied by: a number, or one for each head."""

    factor: Any = 1.0
    places: int = 0
    is_unit: bool = False  # it was divided by its length

    def times(self, factor: Any) -> "Known":
        """Multiply it."""
        is_one = isinstance(factor, float) and factor == 1
        return replace(self, factor=self.factor * factor, places=self.places + (not is_one))


NOTHING = Known()


@dataclass(frozen=True)
class Product:
    """What is known of scores: q as … × rows × d and k as … × keys × d, where … may be shared."""

    q: Tensor
    k: Tensor
    of_q: Known
    of_k: Known
    scale: Any = 1.0  # what they were multiplied by since; a tensor has 1 for rows and for keys
    places: int = 0
    order: tuple[int, ...] = ()  # of the axes of scores, if it is not … × rows × keys
    shape: tuple[int, ...] = ()  # of such scores
    sinks: tuple[int, int] = (0, 0)  # columns before and after the keys
    is_capped: bool = False
    is_mixed: bool = False

    @property
    def lead(self) -> torch.Size:
        """The sizes of all axes but rows and keys."""
        return _shape_of(self.q.shape[:-2], self.k.shape[:-2])

    @property
    def count(self) -> int:
        """How many scores there are."""
        return self.lead.numel() * self.q.shape[-2] * (self.k.shape[-2] + sum(self.sinks))

    def times(self, factor: Any) -> "Product":
        """Multiply it."""
        is_one = isinstance(factor, float) and factor == 1
        return replace(self, scale=self.scale * factor, places=self.places + (not is_one))

    def turned(self) -> "Product":
        """Exchange rows and keys."""
        return replace(self, q=self.k, k=self.q, of_q=self.of_k, of_k=self.of_q, sinks=(0, 0))


class Watcher(TorchFunctionMode):
    """Sees every function of PyTorch that is called while it is on, and passes it on unchanged."""

    def __init__(self, model: nn.Module, rows: int, scale: float | None) -> None:
        super().__init__()
        self.names = {
            module: name or type(module).__name__ for name, module in model.named_modules()
        }
        self.most, self.asked = rows, scale
        scalings = {getattr(module, "attention_scaling", 1.0) for module in model.modules()} - {1.0}
        self.rotary = scalings.pop() if len(scalings) == 1 else 1.0
        self.stack: list[nn.Module] = []
        self.watched = 0  # modules of the stack that belong to the model
        self.is_paused = False  # inside a kernel that was noted as a whole
        self.called: dict[str, str] = {}  # attention modules that were called, and their class
        self.found: dict[tuple[str, int, int], Sums] = {}
        self.similar: Counter[str] = Counter()
        self.heads = 0  # of the nn.MultiheadAttention that is at work
        # By tensor: what it was multiplied by; what scores come from.
        self.scaled: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self.products: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self.notes: list[str] = []

    @property
    def is_idle(self) -> bool:
        """Whether what runs is none of the model, or was noted already."""
        return self.is_paused or bool(self.stack and not self.watched)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Call the function, and note what matters."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if self.is_idle:
            return func(*args, **kwargs)
        if name == "multi_head_attention_forward":
            return self.inside(func, args, kwargs)
        if name == "scaled_dot_product_attention":
            self.attempt(self.fused, args, kwargs)
        elif name in SIMILAR:
            self.attempt(self.softmax, (name, *args), kwargs)
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
            self.say(f"In {self.place()} a call was left out: {error}")

    def say(self, note: str) -> None:
        """Add a note to the report, once."""
        if note not in self.notes:
            self.notes.append(note)

    # What tensors were multiplied by, up to softmax

    def known(self, t: Any) -> Known:
        """Say what a tensor has been multiplied by."""
        found: Known = self.scaled.get(t, NOTHING)  # type: ignore[no-untyped-call]
        return found

    def keep(self, name: str, result: Any, args: Any) -> None:
        """Hand on what is known of a tensor to what is made from it, and note a factor."""
        given = [each for each in _flat(args) if isinstance(each, Tensor)]
        made = [each for each in _flat([result]) if isinstance(each, Tensor)]
        scores = [each for each in given if each in self.products]
        if scores:
            product = self.kept(name, scores, result, args)
            for each in made:
                if product and each.numel() == product.count:
                    self.products[each] = product
            return
        all_known = {id(t): self.scaled[t] for t in given if t in self.scaled}.values()
        known = next(iter(all_known), NOTHING)
        if name in TIMES | OVER and len(args) == 2:
            known = self.multiplied(name, *args)
        elif any(
            other is not known and other.factor is not known.factor and other != known
            for other in all_known
        ):
            known = NOTHING
        elif name == "normalize":
            known = Known(is_unit=True)
        elif name in MIXES:
            known = NOTHING  # q and k are made anew
        if known != NOTHING:
            for each in made:
                self.scaled[each] = known

    def multiplied(self, name: str, one: Any, other: Any) -> Known:
        """Say what a product or quotient of two has been multiplied by.

        A gain that differs along the vector belongs to it, and so does all that came before: only
        what follows a norm is a scale. One that is the same everywhere is a number.
        """
        if not isinstance(one, Tensor) or _is_number(one):
            one, other = other, one
            if name in OVER or not isinstance(one, Tensor) or _is_number(one):
                return NOTHING  # a number over a tensor, or of numbers alone
        if _is_number(other):
            number = float(other)
            if name in OVER:
                number = 1 / number if number else 1.0
            return self.known(one).times(number or 1.0)
        if not isinstance(other, Tensor) or not other.is_floating_point():
            return self.known(one)
        if name in TIMES and other.numel() > one.numel():
            one, other = other, one
        known, also = self.known(one), self.known(other)
        if other.numel() > 1 and other.shape == (*one.shape[:-1], 1):
            return Known(is_unit=name in OVER)  # a norm
        is_row = 1 < other.numel() == other.shape[-1]
        if is_row or isinstance(other, nn.Parameter):
            gain = other.detach().float()
            gain = 1 / gain if name in OVER else gain
            first = float(gain.flatten()[0])
            if bool(((gain - first).abs() <= 1e-6 * abs(first)).all()):
                return known.times(first)
            if gain.ndim > 2 and gain.shape[-2:] == (1, 1):
                return known.times(gain.flatten())  # one for each head
            if also.places:  # numbers made it: a scale that is learned for each coordinate
                return known.times(float(gain.square().mean().sqrt()))
            return Known(is_unit=known.is_unit)
        factor = also.factor if isinstance(also.factor, float) else 1.0
        return known.times(1 / factor if name in OVER else factor)

    def kept(self, name: str, scores: list[Tensor], result: Any, args: Any) -> Product | None:
        """Say what is known of what is made from scores."""
        product: Product = self.products[scores[0]]
        if name in TIMES | OVER and len(args) == 2:
            is_first = args[0] is scores[0]
            if name in OVER and not is_first:
                return None
            return product.times(_gain(scores[0], args[is_first], name in OVER, product))
        if name in PLUS and len(scores) == 2:
            other: Product = self.products[scores[1]]
            joined = None if product.is_mixed or other.is_mixed else _joined(product, other, result)
            return joined or replace(product, is_mixed=product.is_mixed or other.is_mixed)
        if name == "neg":
            return product.times(-1.0)
        if name == "tanh":
            return replace(product, is_capped=True)
        if name in MIXES:
            is_square = args[1].numel() == max(product.lead[-1:] or (0,)) ** 2
            return replace(product, is_mixed=True) if is_square else None
        if name in MOVES and product.order:
            return replace(product, order=(), shape=())
        if name in WIDENS:
            width = scores[0].shape[-1]
            more = result.shape[-1] - width
            if more <= 0 or result.shape[:-1] != scores[0].shape[:-1] or sum(product.sinks):
                return None
            first = args[0][0] is not scores[0] if name != "pad" else args[1][0] > 0
            return replace(product, sinks=(more, 0) if first else (0, more))
        return product

    def product(self, name: str, result: Tensor, *args: Any, **kwargs: Any) -> None:
        """Note that scores may have been made, of rows of the first and columns of the second."""
        tensors = [t for t in _flat([*args, *kwargs.values()]) if isinstance(t, Tensor)]
        pair = tensors[1:3] if name == "baddbmm" else tensors[:2]
        if name == "__rmatmul__":
            pair.reverse()
        order: tuple[int, ...] = ()
        mixed = next((self.products[t] for t in pair if t in self.products), None)
        if name == "einsum":
            if mixed and result.numel() == mixed.count:
                self.products[result] = replace(mixed, is_mixed=True)
                return
            ordered = _ordered(args[0], pair, self.said()[0])
            if ordered is None:
                return
            (q, k), order, is_swapped = ordered
            pair = pair[::-1] if is_swapped else pair
        elif min(t.ndim for t in pair) < 3:  # a product with a matrix, as in a linear layer
            return
        else:
            q, k = pair[0], pair[1].transpose(-1, -2)
        of_q, of_k = (self.known(t) for t in pair)
        scale = float(kwargs.get("alpha", 1.0))
        made = Product(q.detach(), k.detach(), of_q, of_k).times(scale)
        if order != tuple(range(result.ndim)):
            made = replace(made, order=order, shape=tuple(result.shape) if order else ())
        self.products[result] = made

    # Which module is at work, and what it says of itself

    def module(self) -> nn.Module | None:
        """Give the module at work; of softmax and dropout, the one that they are part of."""
        for module in reversed(self.stack):
            if any(module.children()) or not isinstance(module, nn.Softmax | nn.Dropout):
                return module
        return None

    def place(self) -> str:
        """Name the module at work."""
        module = self.module()
        if module is None:
            return "(outside of modules)"
        return self.names.get(module) or type(module).__name__

    def said(self) -> tuple[int, int]:
        """Say how many heads there are by the module at work, and by those around it too."""
        here = self.module()
        own = self.heads or _heads_of(here) or _heads_of(getattr(here, "config", None))
        around = (
            _heads_of(module) or _heads_of(getattr(module, "config", None))
            for module in reversed(self.stack)
        )
        return own, own or next((heads for heads in around if heads), 0)

    def sums(self, heads: int, d: int, rows: int, keys: int, **more: Any) -> Sums:
        """Give the sums of the module at work."""
        place = self.place()
        if (sums := self.found.get((place, heads, d))) is None:
            stated, source = self.stated(d)
            said = (self.heads or _heads_of(self.module())) if d else 0
            about: dict[str, Any] = {"d": d, "width": heads * d, "heads": heads, "said": said}
            about |= {"stated": stated, "source": source, "is_unit": False, "is_mixed": False}
            about["rows_are_heads"] = 1 < rows == keys == said
            about["is_over_channels"] = rows == keys and self.is_over_channels(d, rows)
            sums = self.found[place, heads, d] = Sums(places=0, **about)
        sums.about |= more | {"places": max(sums.about["places"], more.get("places", 0))}
        return sums

    def is_over_channels(self, d: int, rows: int) -> bool:
        """Say whether rows are the channels of a head, by the layers of the module at work.

        The width of its layers is that of all heads. Here heads times rows is one, and heads times
        d is none.
        """
        heads, module = self.said()[0], self.module()
        sizes = ("in_features", "out_features", "in_channels", "out_channels")
        widths = {
            getattr(layer, size, 0)
            for layer in (module.modules() if module else ())
            for size in sizes
        }
        return heads * rows in widths and heads * d not in widths and heads * d > 0

    def stated(self, d: int) -> tuple[float, str]:
        """Say what the scale should be by the configuration, and where that stands."""
        if self.asked:
            return self.asked, "what was asked for"
        configs = (getattr(module, "config", None) for module in reversed(self.stack))
        config: Any = next((each for each in configs if each), None)
        module, inner = self.module(), getattr(config, "attn_config", None)

        def says(name: str, *places: Any) -> float:
            values: Any = [getattr(place, name, None) for place in places]
            return next((float(v) for v in values if _is_number(v) and float(v) > 0), 0.0)

        base = d**-0.5 if d else 0.0
        found, source = 0.0, ""
        parts = ("qk_nope_head_dim", "qk_rope_head_dim")
        whole = says("qk_head_dim", module, config)
        whole = whole or sum(says(part, module, config) for part in parts)
        if whole and d and whole != d:
            found = base = whole**-0.5
            source = f"qk_head_dim = {whole:g}"
        kinds = [k for k in ("c2p", "p2c") if k in (getattr(config, "pos_att_type", None) or ())]
        number, name = next(
            ((value, name) for name in STATED if (value := says(name, config, inner))), (0.0, "")
        )
        if number:
            found, source = STATED[name](number, base), f"{name} = {number:g}"
        elif kinds and getattr(config, "relative_attention", True):
            found = base / math.sqrt(1 + len(kinds))
            source = f"pos_att_type = {kinds}, which makes it 1/√({1 + len(kinds)}d)"
        elif getattr(config, "scale_attn_weights", True) is False:
            found, source = 1.0, "scale_attn_weights = False"
        elif getattr(config, "model_type", None) in UNSCALED.split():
            found, source = 1.0, f"model_type = {config.model_type}, which has no divisor"
        if getattr(config, "scale_attn_by_inverse_layer_idx", False):
            layer = says("layer_idx", module)
            found = (found or base) / (layer + 1)
            source = f"scale_attn_by_inverse_layer_idx in layer {layer:g}"
        rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None)
        if isinstance(rope, Mapping) and rope.get("mscale_all_dim") and rope.get("factor", 1) > 1:
            more = 0.1 * rope["mscale_all_dim"] * math.log(rope["factor"]) + 1
            found, source = (found or base) * more**2, f"mscale_all_dim = {rope['mscale_all_dim']}"
        if self.rotary != 1:
            found = (found or base) * self.rotary**2
            source = " and ".join(
                [source] * bool(source) + [f"attention_scaling = {self.rotary:g}"]
            )
        return (found, source) if found and d else (math.nan, "")

    # Attention

    def in_heads(self, t: Tensor) -> Tensor:
        """Bring … × rows × d, or keys, to batch × heads × rows × d."""
        own, said = self.said()
        lead = t.shape[:-2]
        if len(lead) < 2:
            heads = own if lead and own and lead[0] % own == 0 else 1
            return t.reshape(-1, heads, *t.shape[-2:])
        if len(lead) == 2:
            return t
        # Windows and groups stand beside heads: those axes that make the number said are heads.
        for stop in range(len(lead), 1, -1):
            for start in range(stop - 1, 0, -1):
                if lead[start:stop].numel() == said:
                    t = t.movedim(tuple(range(start, stop)), tuple(range(-2 - stop + start, -2)))
                    return t.reshape(-1, said, *t.shape[-2:])
        return t.flatten(1, -3)

    def few(self, lead: torch.Size, keys: int) -> int:
        """Say how many rows can be held at once."""
        return min(self.most, max(2, ENTRIES // max(1, lead.numel() * keys)))

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

        def masked(logits: Tensor, taken: Tensor) -> tuple[Tensor, Tensor]:
            allowed = torch.ones_like(logits, dtype=torch.bool)
            keys = logits.shape[-1]
            if is_causal:
                allowed &= torch.arange(keys, device=logits.device) <= taken[:, None]
            if attn_mask is not None:
                mask = attn_mask.detach()
                mask = mask.expand(*logits.shape[:-2], query.shape[-2], keys)[..., taken, :]
                if mask.dtype == torch.bool:
                    return logits, allowed & mask
                logits = logits + mask.float()
            return logits, allowed

        self.attention(query, key, scale, masked)

    def attention(
        self,
        query: Tensor,
        key: Tensor,
        scale: float | None,
        masked: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
        is_sum: bool = True,
    ) -> None:
        """Note a call of a kernel, with q as … × rows × d and k as … × keys × d.

        `masked` is given some rows of scale·q·k, and which; it gives the logits, and what of them
        takes part.
        """
        of_q, of_k = self.known(query), self.known(key)
        q, k = query.detach(), key.detach()
        if q.ndim > 2 and q.shape[-3] != k.shape[-3] > 1:  # grouped heads
            k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
        lead = _shape_of(q.shape[:-2], k.shape[:-2])
        n, d = q.shape[-2:]
        bad = ~q.isfinite().all(-1).flatten(0, -2).all(0)
        taken = _taken(n, self.few(lead, k.shape[-2]), bad)
        q = q[..., taken, :]
        used = d**-0.5 if scale is None else float(scale)
        logits, allowed = masked(used * (q.float() @ k.float().transpose(-1, -2)), taken)
        q, k = (t.expand(*lead, *t.shape[-2:]) for t in (q, k))
        q, k, logits, allowed = (self.in_heads(t) for t in (q, k, logits, allowed))
        product = Product(q, k, of_q, of_k, used, places=1, is_capped=not is_sum)
        self.add(product, n, logits, allowed)

    def add(
        self,
        product: Product,
        rows: int,
        logits: Tensor,
        allowed: Tensor,
        sink: Tensor | None = None,
    ) -> None:
        """Measure some of the rows of a call; all tensors are batch × heads × rows or keys × …."""
        q, k, of_q, of_k = product.q, product.k, product.of_q, product.of_k
        heads, d = q.shape[1], q.shape[-1]
        sums = self.sums(
            heads, d, rows, k.shape[-2],
            places=product.places + of_q.places + of_k.places,
            is_unit=of_q.is_unit and of_k.is_unit,
            is_mixed=product.is_mixed,
        )  # fmt: skip
        factors = (_each(of_q.factor, heads), _each(of_k.factor, heads))
        is_sum = not (product.is_capped or product.is_mixed)
        scores = Scores(q, k, _each(product.scale, heads, q), factors, is_sum)
        measure(sums, logits, allowed, scores, sink)

    def softmax(self, name: str, input: Tensor, dim: int | None = None, *_: Any, **__: Any) -> None:
        """Note softmax, if it is that of attention: of a product, or in a module of that name."""
        product: Product | None = self.products.get(input, None)  # type: ignore[no-untyped-call]
        axis = dim % input.ndim if isinstance(dim, int) and input.ndim else None
        logits = input.detach()
        if product and product.order and product.shape == logits.shape and axis is not None:
            logits, axis = logits.permute(product.order), product.order.index(axis)
        is_turned = product is not None and axis == input.ndim - 2
        attends = product or any(_is_attention(module) for module in self.stack)
        is_last = axis == input.ndim - 1
        if input.ndim < 3 or "softmax" not in name or not (is_turned or (attends and is_last)):
            if input.ndim > 1:
                over = f" over dim {dim}" if dim is not None else ""
                self.similar[f"{name}{over} of {tuple(input.shape)} in {self.place()}"] += 1
            return
        if product and is_turned:
            logits, product = logits.transpose(-1, -2), product.turned()
            self.say(
                f"In {self.place()} softmax runs over what the product calls rows: it says how "
                "queries share a key, and not how a query shares keys"
            )
        n, columns = logits.shape[-2:]
        said = self.said()[1]
        if product is None and logits.ndim == 4 and logits.shape[1] != said == n:
            logits = logits.transpose(1, 2)  # batch × rows × heads × keys
            n = logits.shape[-2]
        before, after = product.sinks if product else (0, 0)
        keys = columns - before - after
        if product and (product.q.shape[-2], product.k.shape[-2]) != (n, keys):
            product, before, after, keys = None, 0, 0, columns
        peak = logits.amax(-1).flatten(0, -2)
        lead = logits.shape[:-2]
        taken = _taken(n, self.few(lead, columns), (peak.isnan() | (peak == math.inf)).any(0))
        logits = self.in_heads(logits[..., taken, :])
        heads = logits.shape[1]
        shown = logits[..., before : before + keys]
        sink = torch.cat([logits[..., :before], logits[..., before + keys :]], -1)
        every = torch.ones_like(shown, dtype=torch.bool)
        if product is None:
            measure(self.sums(heads, 0, n, keys), shown, every)
            return
        q, k = product.q[..., taken, :], product.k
        # Batch and heads may have been told apart since, or merged.
        q, k = (t.expand(*product.lead, *t.shape[-2:]) for t in (q, k))
        q, k = (self.in_heads(t.reshape(*lead, *t.shape[-2:])) for t in (q, k))
        scale = product.scale
        if isinstance(scale, Tensor):
            try:
                scale = self.in_heads(scale.expand(*lead, 1, 1)).mean((0, 2, 3))
            except RuntimeError:
                scale = float(scale.mean())
        product = replace(product, q=q, k=k, scale=scale)
        self.add(product, n, shown, every, sink if sum(product.sinks) else None)
        if input in self.products:
            del self.products[input]

    def enter(self, module: nn.Module, _: Any) -> None:
        """Note that a module begins."""
        self.stack.append(module)
        self.watched += module in self.names
        if _is_attention(module) and module in self.names:
            self.called[self.names[module]] = type(module).__name__

    def leave(self, module: nn.Module, *_: Any) -> None:
        """Note that a module ends, also by an exception."""
        while module in self.stack:
            last = self.stack.pop()
            self.watched -= last in self.names
            if last is module:
                return

    # Kernels of other packages, where they are called

    def flash(self, **given: Any) -> None:
        """Note a call of flash-attn: q as batch × rows × heads × d, or all sequences in a row."""
        if "qkv" in given:
            q, k, _ = given["qkv"].unbind(-3)
        elif "kv" in given:
            q, (k, _) = given["q"], given["kv"].unbind(-3)
        else:
            q, k = given["q"], given["k"]
        first, second = (given.get(f"cu_seqlens{side}") for side in ("_q", "_k"))
        ends_q: Any = given.get("cu_seqlens") if first is None else first
        ends_k: Any = ends_q if second is None else second
        left, right = given.get("window_size") or (-1, -1)
        right = 0 if given.get("causal") else right
        slopes, cap = given.get("alibi_slopes"), given.get("softcap") or 0.0
        n, keys = q.shape[-3], k.shape[-3]

        def masked(logits: Tensor, taken: Tensor) -> tuple[Tensor, Tensor]:
            i, j = taken[:, None], torch.arange(keys, device=logits.device)
            allowed = torch.ones(len(taken), keys, dtype=torch.bool, device=logits.device)
            if ends_q is None:
                i = i + keys - n  # the last query sees the last key
            else:
                in_q, in_k = (
                    torch.bucketize(at, ends[1:], right=True)
                    for at, ends in ((i, ends_q), (j, ends_k))
                )
                allowed = allowed & (in_q == in_k)
                i = i - ends_q[in_q + 1] + ends_k[in_q + 1]
            if left is not None and left >= 0:
                allowed = allowed & (j >= i - left)
            if right is not None and right >= 0:
                allowed = allowed & (j <= i + right)
            logits = cap * torch.tanh(logits / cap) if cap else logits
            if slopes is not None:
                each = slopes.reshape(*slopes.shape, 1, 1).float()
                logits = logits - each * (i - j).abs()
            return logits, allowed.expand(logits.shape)

        self.attention(self.moved(q), self.moved(k), given.get("softmax_scale"), masked, not cap)

    def moved(self, t: Tensor) -> Tensor:
        """Bring … × rows × heads × d to batch × heads × rows × d, with what is known of it."""
        there = t.transpose(-3, -2)
        there = there if there.ndim > 3 else there[None]
        if t in self.scaled:
            self.scaled[there] = self.scaled[t]
        return there

    def xformers(self, **given: Any) -> None:
        """Note a call of xFormers."""
        bias = given.get("attn_bias")
        kind = type(bias).__name__
        if bias is not None and not isinstance(bias, Tensor) and kind != "LowerTriangularMask":
            self.say(f"In {self.place()} the {kind} of xFormers is not known, and was left out")
        q, k = (
            self.moved(t if t.ndim > 3 else t.unsqueeze(-2)) for t in (given["query"], given["key"])
        )
        mask = bias if isinstance(bias, Tensor) else None
        causal = kind == "LowerTriangularMask"
        self.fused(q, k, k, mask, is_causal=causal, scale=given.get("scale"))

    def flex(self, **given: Any) -> None:
        """Note a call of FlexAttention; what it is given for scores and masks is asked for rows."""
        given |= given.pop("kwargs", {})
        change, block = given.get("score_mod"), given.get("block_mask")

        def masked(logits: Tensor, taken: Tensor) -> tuple[Tensor, Tensor]:
            ends = [torch.arange(size, device=logits.device) for size in logits.shape]
            ends[2] = taken
            at = [end.reshape([-1] + [1] * (3 - axis)) for axis, end in enumerate(ends)]
            allowed = torch.ones_like(logits, dtype=torch.bool)
            try:
                if block is not None:
                    allowed = allowed & block.mask_mod(*at)
                if change is not None:
                    logits = change(logits, *at)
            except Exception as error:
                self.say(f"In {self.place()} a score_mod or mask_mod was left out: {error}")
            return logits, allowed.expand(logits.shape)

        q, k = given["query"], given["key"]
        self.attention(q, k, given.get("scale"), masked, is_sum=change is None)


KERNELS: dict[str, Callable[..., None]] = {
    "flash_attn_func": Watcher.flash,
    "flash_attn_qkvpacked_func": Watcher.flash,
    "flash_attn_kvpacked_func": Watcher.flash,
    "flash_attn_varlen_func": Watcher.flash,
    "flash_attn_varlen_qkvpacked_func": Watcher.flash,
    "flash_attn_varlen_kvpacked_func": Watcher.flash,
    "memory_efficient_attention": Watcher.xformers,
    "flex_attention": Watcher.flex,
    "compile_friendly_flex_attention": Watcher.flex,  # of transformers
}


@contextmanager
def _kernels(watcher: Watcher) -> Iterator[None]:
    """Stand before the functions of other packages, in every module that has them by name."""
    replaced = []
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            kind = value.__name__ if type(value) is FunctionType else ""
            if kind in KERNELS and any(
                package in (value.__module__ or "")
                for package in ("flash_attn", "xformers", "flex_attention")
            ):
                replaced.append((module, name, value))
                setattr(module, name, _noted(watcher, kind, value))
    try:
        yield
    finally:
        for module, name, value in replaced:
            setattr(module, name, value)


def _noted(watcher: Watcher, kind: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Have a kernel noted before it runs, and nothing of what it is made of."""

    @wraps(kernel)
    def noted(*args: Any, **kwargs: Any) -> Any:
        if watcher.is_idle:
            return kernel(*args, **kwargs)
        bound = inspect.signature(kernel).bind(*args, **kwargs)
        watcher.is_paused = True
        try:
            watcher.attempt(KERNELS[kind], (watcher,), bound.arguments)
            return kernel(*args, **kwargs)
        finally:
            watcher.is_paused = False

    return noted


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        else:
            yield value


def _shape_of(*shapes: torch.Size) -> torch.Size:
    """Give the shape that shapes have in common."""
    return torch.broadcast_shapes(*shapes)  # type: ignore[no-any-return, no-untyped-call]


def _each(value: Any, heads: int, like: Tensor | None = None) -> Tensor:
    """Give a number for each head; what is one for each of something else is no factor."""
    if isinstance(value, Tensor):
        given = value.detach().float()
        value = given if given.numel() == heads else 1.0
    made = value if isinstance(value, Tensor) else torch.full((heads,), value)
    return made.to(like.device) if like is not None else made


def _gain(scores: Tensor, other: Any, is_over: bool, product: Product) -> Any:
    """Say what scores are multiplied by: a number, or one for each head as a tensor.

    What differs between rows or keys counts by its mean. A mask of zeros and ones is no factor.
    """
    if not isinstance(other, Tensor) or _is_number(other):
        number = float(other)
        return (1 / number if is_over else number) if number else 1.0
    gain = other.detach().float()
    if gain.ndim > scores.ndim or bool(((gain == 0) | (gain == 1)).all()):
        return 1.0
    gain = (1 / gain if is_over else gain)[(None,) * (scores.ndim - gain.ndim)]
    counts = (gain != 0) & gain.isfinite()
    axes = tuple(range(gain.ndim)) if product.order else (-2, -1)
    total = torch.where(counts, gain, 0).sum(axes, keepdim=True)
    mean = total / counts.sum(axes, keepdim=True).clamp(min=1)
    return float(mean) if mean.numel() == 1 else mean


def _joined(one: Product, other: Product, result: Tensor) -> Product | None:
    """Give the product that a sum of two is, if it is one: longer q and k."""
    same = (one.lead, one.q.shape[-2], one.k.shape[-2], one.order, one.sinks)
    factors = [(p.of_q.factor, p.of_k.factor) for p in (one, other)]
    if any(isinstance(f, Tensor) for f in (*factors[0], *factors[1], one.scale, other.scale)):
        return None
    if same != (other.lead, other.q.shape[-2], other.k.shape[-2], other.order, other.sinks):
        return None
    if factors[0] != factors[1]:
        return None
    q, k = (
        torch.cat([t.expand(*one.lead, *t.shape[-2:]).float() for t in pair], -1)
        for pair in ((one.q, other.q * (other.scale / one.scale)), (one.k, other.k))
    )
    made = replace(one, q=q, k=k)
    few = slice(0, 4)
    sums = result.detach().permute(one.order) if one.order else result.detach()
    if sums.shape[:-2] != one.lead or any(one.sinks):
        return None
    expected = one.scale * (q[..., few, :] @ k.transpose(-1, -2))
    error = (sums[..., few, :].float() - expected).norm() / expected.norm()
    return made if float(error) < CLOSE else None


def _is_number(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.numel() == 1 and value.dtype.is_floating_point
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_attention(module: nn.Module) -> bool:
    return any(word in type(module).__name__.lower() for word in ("attention", "attn"))


def _heads_of(where: Any) -> int:
    """Say how many heads there are by a module or a configuration, or 0."""
    counts = (getattr(where, name, 0) for name in HEADS)
    return next((n for n in counts if isinstance(n, int) and not isinstance(n, bool) and n > 0), 0)


def _ordered(
    equation: Any, pair: list[Tensor], said: int
) -> tuple[list[Tensor], tuple[int, ...], bool] | None:
    """Bring what einsum multiplies to … × length × d, with … the other axes of its result.

    Gives q and k, the order that brings the result to … × rows × keys, and whether q and k stood
    the other way round; nothing, if it makes no scores.
    """
    if not isinstance(equation, str) or equation.count(",") != 1 or "->" not in equation:
        return None
    sides, _, out = equation.replace(" ", "").partition("->")
    letters = sides.split(",")
    spare = [letter for letter in "ABCDEFGH" if letter not in equation]
    for at, (side, tensor) in enumerate(zip(letters, pair, strict=True)):
        more = tensor.ndim - len(side.replace("...", ""))
        letters[at] = side.replace("...", "".join(spare[len(spare) - more :]))
    most = max(pair[at].ndim - len(sides.split(",")[at].replace("...", "")) for at in (0, 1))
    out = out.replace("...", "".join(spare[len(spare) - most :]))
    summed = (set(letters[0]) & set(letters[1])) - set(out)
    ends = [letter for letter in out if (letter in letters[0]) != (letter in letters[1])]
    if len(summed) != 1 or len(out) < 3 or len({letter in letters[0] for letter in ends}) != 2:
        return None
    key = ends[-1]
    is_swapped = key in letters[0]
    if is_swapped:
        letters, pair = letters[::-1], pair[::-1]
    sizes = {
        letter: n
        for side, t in zip(letters, pair, strict=True)
        for letter, n in zip(side, t.shape, strict=True)
    }
    rows = [letter for letter in ends if letter in letters[0]]
    if len(rows) > 1 and sizes[rows[-1]] == said:  # keys that heads share: this one is heads
        rows.pop()
    lead = [letter for letter in out if letter not in (rows[-1], key)]

    def ordered(tensor: Tensor, have: str, length: str) -> Tensor:
        want = [*lead, length, *summed]
        tensor = tensor.permute([have.index(letter) for letter in want if letter in have])
        for at, letter in enumerate(want):
            if letter not in have:
                tensor = tensor.unsqueeze(at)
        return tensor

    made = [ordered(*each) for each in zip(pair, letters, (rows[-1], key), strict=True)]
    return made, tuple(out.index(letter) for letter in [*lead, rows[-1], key]), is_swapped


# What one calls ----------------------------------------------------------------------------------


@contextmanager
def watch(model: nn.Module, rows: int = ROWS, scale: float | None = None) -> Iterator[Report]:
    """Watch the attention of a model while it is called; the report is filled when this ends.

    Args:
        model: any module, in whatever mode and precision it is; of a part, only that is watched
        rows: how many queries of each sequence are looked at, evenly spaced
        scale: what q·k should be multiplied by, if it is not 1/√d and no configuration says so

    Raises:
        CheckError: it is no module, or one that cannot be watched.
    """
    if not isinstance(model, nn.Module):
        raise CheckError(f"the model is a {type(model).__name__}, and has to be a torch.nn.Module")
    if rows < 1:
        raise CheckError(f"rows is {rows}, and has to be 1 or more")
    model = _plain(model)
    if isinstance(model, torch.jit.ScriptModule):
        raise CheckError("a TorchScript module runs outside of Python: give the module behind it")
    report, watcher = Report(), Watcher(model, rows, scale)
    before = nn.modules.module.register_module_forward_pre_hook(watcher.enter)
    after = nn.modules.module.register_module_forward_hook(watcher.leave, always_call=True)
    try:
        with watcher, _eager(), _kernels(watcher):
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
        if report.unseen or not report.rows:
            similar = list(watcher.similar)
            report.unseen += [f"{each}, in a form that is not known" for each in similar[:8]]
        report.notes += watcher.notes


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
    scale: float | None = None,
) -> Report:
    """Run a model on a few batches, without gradients, and report on its attention.

    Buffers and random numbers are put back as they were.

    Args:
        model: any module, in the mode, precision and place that you want to know about
        batches: each a mapping of keyword arguments, a sequence of arguments, or the one argument
        forward: how to call the model with a batch, if not so
        rows: how many queries of each sequence are looked at, evenly spaced
        show: print the report
        scale: what q·k should be multiplied by, if it is not 1/√d and no configuration says so

    Raises:
        CheckError: a wrong input, or no attention was seen.
    """
    call, model = forward or _call, _plain(model)
    if isinstance(batches, Tensor | Mapping | str) or not isinstance(batches, Iterable):
        raise CheckError("batches has to be a list of batches; for a single one write [batch]")
    with watch(model, rows, scale) as report, torch.no_grad(), _restored(model):
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


def assert_attention(
    model: nn.Module,
    batches: Iterable[Any],
    forward: Callable[[nn.Module, Any], Any] | None = None,
    fail_on: Iterable[str] = NEVER_MEANT,
    spread: tuple[float, float] | None = None,
    **options: Any,
) -> Report:
    """Check a model in a test: raise an AssertionError that says which heads are at fault.

    Args:
        model: as for `check`, like batches, forward and options
        batches: as for `check`
        forward: as for `check`
        fail_on: which of FAULTS
        spread: the least and the largest spread that a head may have
        options: as for `check`
    """
    report = check(model, batches, forward, show=False, **options)
    found = report.faults(*fail_on)
    if spread:
        out = [row for row in report.rows if not spread[0] <= row.spread <= spread[1]]
        found += [f"spread {row.spread:.3g}: {report.where([row])}" for row in out]
    if found:
        raise AssertionError("\n".join(found))
    return report


class Monitor:
    """Watches one step of training in many, and gives numbers that any logger takes.

    Between those steps nothing is left in the model or in PyTorch, so it costs nothing there.

        monitor = Monitor(model, every=500)
        for step, batch in enumerate(batches):
            with monitor(step):
                loss = model(batch)
            if monitor.metrics:
                log(monitor.metrics, step)

    Each process watches its own batches. Compiled code runs as it is written in a step that is
    watched.
    """

    def __init__(
        self, model: nn.Module, every: int = 500, rows: int = 16, prefix: str = "attn"
    ) -> None:
        if every < 1:
            raise CheckError(f"every is {every}, and has to be 1 or more")
        self.model, self.every, self.rows, self.prefix = model, every, rows, prefix
        self.watching: AbstractContextManager[Report] | None = None
        self.reset()

    def reset(self) -> None:
        """Forget what was seen, and stop watching."""
        if self.watching:
            self.stop()
        self.report, self.metrics = Report(), dict[str, float]()

    def start(self, step: int) -> None:
        """Begin to watch, if it is this step's turn; the metrics of an earlier step are gone."""
        self.reset()
        if step % self.every == 0:
            self.watching = watch(self.model, self.rows)
            self.report = self.watching.__enter__()

    def stop(self) -> dict[str, float]:
        """Stop watching; give the metrics of this step, or nothing if it was not watched."""
        if self.watching:
            watching, self.watching = self.watching, None
            watching.__exit__(None, None, None)
            self.metrics = self.report.metrics(self.prefix)
        return self.metrics

    @contextmanager
    def __call__(self, step: int) -> Iterator[None]:
        """Watch what runs inside, if it is this step's turn."""
        self.start(step)
        try:
            yield
        finally:
            self.stop()


@dataclass
class Sweep:
    """How attention depends on the width. A point has width, d, seed, when, spread, max_logit."""

    points: list[dict[str, Any]] = field(default_factory=list)

    def exponent(self, what: str, when: str = "start") -> tuple[float, float]:
        """Fit what ∝ d^exponent, or to the width if d is the same; give it with its standard error.

        Raises:
            CheckError: fewer than three points, or fewer than two widths.
        """
        points = [point for point in self.points if point["when"] == when]
        by = "d" if len({point["d"] for point in points}) > 1 else "width"
        x, y = (torch.tensor([point[key] for point in points]).double().log() for key in (by, what))
        if len(points) < 3 or not float(x.var()) > 0:
            raise CheckError("an exponent and its error need two widths, and three points")
        x, y = x - x.mean(), y - y.mean()
        slope = float(x @ y / (x @ x))
        rest = float((y - slope * x).square().sum())
        return slope, math.sqrt(rest / (len(points) - 2) / float(x @ x))

    def __str__(self) -> str:
        """Give a table: a line for each time and number, a column for each width."""
        widths = sorted({point["width"] for point in self.points})
        lines = ["                 width" + "".join(f"{w:9d}" for w in widths) + "   exponent"]
        for when in dict.fromkeys(point["when"] for point in self.points):
            for what in ("spread", "max_logit"):
                means = []
                for width in widths:
                    same = [p for p in self.points if (p["width"], p["when"]) == (width, when)]
                    means.append(sum(p[what] for p in same) / len(same))
                slope, error = self.exponent(what, when)
                flat = abs(slope) < max(3 * error, 0.1)
                words = "does not depend on d" if flat else "grows" if slope > 0 else "falls"
                cells = "".join(f"{mean:9.3g}" for mean in means)
                lines.append(f"{when:12} {what:9}{cells}   {slope:5.2f} ± {error:.2f}, {words}")
        return "\n".join(lines)


def width_sweep(
    make: Callable[[int], Any],
    widths: Iterable[int],
    train: Callable[[nn.Module, Any], Any] | None = None,
    seeds: int = 3,
    rows: int = ROWS,
) -> Sweep:
    """Measure how the spread and the largest logit depend on d: a coordinate check for attention.

    With 1/√d the spread at the start does not depend on d, with 1/d or μP's 8/d it falls as d^−½,
    and with no scale it grows as d^½. After training what should not depend on d is your choice.

    Args:
        make: given a width, returns model, batches or model, batches, forward
        widths: what it is given
        train: given the model and its batches, takes a few steps; then it is measured again
        seeds: how many models of each width
        rows: how many queries of each sequence are looked at
    """
    sweep = Sweep()
    for width in widths:
        for seed in range(seeds):
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                model, batches, *how = make(width)
                for when in ("start", "trained")[: 1 + (train is not None)]:
                    if when == "trained" and train:
                        train(model, batches)
                    found = check(model, batches, how[0] if how else None, rows, False).rows
                    spread = math.sqrt(sum(row.spread**2 for row in found) / len(found))
                    point = {"width": width, "d": found[0].d, "seed": seed, "when": when}
                    largest = max(row.max_logit for row in found)
                    sweep.points.append(point | {"spread": spread, "max_logit": largest})
    return sweep


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
DEMOS = {
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
        self.before, self.scale = (d**one * width**other for one, other in DEMOS[fault])
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


def demo(fault: str = "none", seed: int = 0, d: int = 64) -> tuple[nn.Module, list[Tensor]]:
    """Give a small model with one of DEMOS, and two batches of random tokens."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Demo(fault, d=d)
        return model, [torch.randn(4, 128, 4 * d) for _ in range(2)]


# The command -------------------------------------------------------------------------------------


def _function(target: str) -> Callable[..., Any]:
    """Find the function that `module:function` or `file.py:function` names."""
    source, _, name = target.rpartition(":")
    if not source or not name.isidentifier():
        raise CheckError(
            f"'{target}' names no function: write package.module:function or file.py:function"
        )
    path = Path(source)
    sys.path.insert(0, str(path.parent) if path.suffix == ".py" else "")
    try:
        module = importlib.import_module(path.stem if path.suffix == ".py" else source)
    except (ImportError, TypeError, ValueError) as error:
        raise CheckError(f"'{source}' cannot be imported: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise CheckError(f"there is no function '{name}' in {source}")
    return function  # type: ignore[no-any-return]


def _made(chosen: argparse.Namespace, *width: int) -> tuple[nn.Module, Any, Any]:
    """Call the function that was named, or make a demo; give model, batches and forward or None."""
    if chosen.demo:
        return *demo(chosen.demo, torch.initial_seed() * len(width), *width), None
    make = _function(chosen.make)
    try:
        inspect.signature(make).bind(*width)
    except TypeError as error:
        given = "--widths gives it a width" if width else "it is called without any"
        raise CheckError(f"{chosen.make} does not fit: {error}; {given}") from None
    made = make(*width)
    if not isinstance(made, tuple | list) or len(made) not in (2, 3):
        raise CheckError(
            f"{chosen.make} has to return two things, the model and its batches, or a third, a "
            "function of both that calls the model"
        )
    model, batches, *how = made
    return model, batches, how[0] if how else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="check_attention",
        description="Watch the attention of a PyTorch model, and say whether its scale is right.",
        epilog="Exit status: 0 if nothing is wrong, 1 if what --fail-on names was found or "
        "something differs from --baseline, 2 for a wrong input.",
    )
    add = parser.add_argument
    add(
        "make",
        nargs="?",
        help="package.module:function or file.py:function, which returns the model, its batches "
        "and, if need be, a function of both that calls the model",
    )
    add("--demo", choices=DEMOS, help="try it on a small model with this fault")
    add("--rows", type=int, default=ROWS, help="queries of each sequence to look at")
    add("--scale", type=float, help="what q·k should be multiplied by, if not by 1/√d")
    add("--heads", action="store_true", help="a line for each head, not for each layer")
    add("--quiet", action="store_true", help="print the summary alone")
    add("--json", metavar="FILE", help="write everything there; - prints it, and nothing else")
    add("--csv", metavar="FILE", help="write a line for each head")
    add("--figure", metavar="FILE", help="draw spread and share (needs matplotlib)")
    add("--fail-on", metavar="LIST", default="", help=f"of {','.join(FAULTS)}")
    add("--baseline", metavar="FILE", help="an older --json; differences are listed")
    add("--widths", metavar="LIST", help="call the function with each width, and fit exponents")
    add("--train", metavar="FUNCTION", help="with --widths: trains a model on its batches")
    add("--version", action="version", version=f"%(prog)s {__version__}")
    return parser


def _run(chosen: argparse.Namespace) -> int:
    """Do what the command was asked for."""
    kinds = [kind.strip() for kind in chosen.fail_on.split(",") if kind.strip()]
    Report().faults(*kinds)  # names that do not exist are told before the model runs
    if (chosen.make is None) == (chosen.demo is None):
        raise CheckError("say what to check: package.module:function, or --demo none")
    if chosen.train and not chosen.widths:
        raise CheckError("--train goes with --widths")
    if chosen.widths:
        files = (chosen.json, chosen.csv, chosen.figure, chosen.baseline, chosen.scale)
        if any(files) or kinds or chosen.heads or chosen.quiet:
            raise CheckError("--widths prints a table, and takes --rows and --train alone")
        try:
            widths = [int(width) for width in chosen.widths.split(",")]
        except ValueError:
            raise CheckError(f"'{chosen.widths}' is no list of widths: write 16,32,64") from None
        train = _function(chosen.train) if chosen.train else None
        print(width_sweep(lambda width: _made(chosen, width), widths, train, rows=chosen.rows))
        return 0
    model, batches, how = _made(chosen)
    old = Report.from_json(Path(chosen.baseline).read_text("utf-8")) if chosen.baseline else None
    report = check(model, batches, how, chosen.rows, False, chosen.scale)
    if chosen.json == "-":
        print(report.to_json())
    else:
        print(report.summary() if chosen.quiet else report.text(chosen.heads))
    if chosen.json not in (None, "-"):
        Path(chosen.json).write_text(report.to_json(), "utf-8")
    if chosen.csv:
        report.to_csv(chosen.csv)
    if chosen.figure:
        report.figure(chosen.figure)
    wrong = report.faults(*kinds)
    if old:
        wrong += [f"differs: {change}" for change in report.changes(old)]
    for words in wrong:
        print(words, file=sys.stderr)
    return int(bool(wrong))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; give its exit status."""
    parser = _parser()
    try:
        return _run(parser.parse_args(arguments))
    except (CheckError, OSError) as error:
        print(f"check_attention: {error}", file=sys.stderr)
    except ImportError as error:
        print(f"check_attention: the figure needs matplotlib: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
