"""What all heads did: as text, numbers, JSON, a table and a figure."""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from fnmatch import fnmatch
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any

from check_attention.rows import Row, has_fault
from check_attention.words import (
    AXES,
    CLOSE,
    KINDS,
    LAYOUT,
    MASKS,
    NEVER_MEANT,
    SOFTMAX,
    CheckError,
    __version__,
)  # fmt: skip

INDENT: Any = {"initial_indent": "  ", "subsequent_indent": "    "}
LAYER_COLUMNS = """\
A row is one query and the keys that it may see. keys: how many, on average; scale: all that
multiplies q·k; spread: standard deviation of a row's logits; frozen at: the spread beyond
which a few keys take nearly all, √(2 ln n); q·k, bias: spread of scale·q·k, and of what is
added to it; |logit|: the largest of the rows looked at; entropy: of a row's weights, in
nats; share: of the keys that take part, 1/Σp² over their number. Medians over heads, but
for |logit|."""
HEAD_COLUMNS = """\
A row is one query and the keys that it may see. scale: all that multiplies q·k; spread:
standard deviation of a row's logits; |logit|: the largest of the rows looked at; entropy:
of a row's weights, in nats; share: of the keys that take part, 1/Σp² over their number;
largest: the mean largest weight; ‖q‖, ‖k‖: lengths."""


@dataclass(repr=False)
class Report:
    """What all heads did. `rows` has them once the watching is over."""

    rows: list[Row] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)  # attention modules that showed nothing
    notes: list[str] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)  # calls, and why
    calls: int = 0  # softmax calls that were attention
    understood: int = 0  # of them, those whose q, k and v were followed
    allow: list[str] = field(default_factory=list)  # layers that need not be understood
    untried: list[str] = field(default_factory=list)  # what the batches could not show
    is_shown: bool = False  # whether `check` has printed it

    @property
    def ok(self) -> bool:
        """Whether all attention was understood, and nothing of NEVER_MEANT was found."""
        return not self.faults(*NEVER_MEANT)

    def faults(self, *kinds: str) -> list[str]:
        """Give a sentence for each of KINDS that some head has, with the heads.

        Without kinds it is those that make a report not ok.
        """
        return self.faults_of(kinds or NEVER_MEANT)

    def faults_of(self, kinds: Iterable[str]) -> list[str]:
        """Give the same for some kinds, or for none.

        Raises:
            CheckError: one of them is none of KINDS.
        """
        found: list[str] = []
        told: dict[str, str] = {}  # a verdict, and the kind that it was given for
        for kind in kinds:
            if kind not in KINDS:
                raise CheckError(f"'{kind}' is no fault; there are {', '.join(KINDS)}")
            rows = [row for row in self.rows if has_fault(row, kind)]
            if kind == "unknown":
                rows = [row for row in rows if not self.is_allowed(row.layer)]
                found += [f"unknown: {each}" for each in self.open()]
            if rows and (before := told.get(rows[0].verdict)):
                found.append(f"{kind}: {self.where(rows)}. The verdict is that of {before}")
            elif rows:
                found.append(f"{kind}: {self.where(rows)}. {rows[0].verdict}")
                told[rows[0].verdict] = kind
        return found

    def is_allowed(self, layer: str) -> bool:
        """Say whether a layer need not be understood."""
        return any(fnmatch(layer, pattern) for pattern in self.allow)

    def open(self) -> list[str]:
        """Give what was not understood, but for what is allowed by name."""
        named = [each for each in self.unseen if not self.is_allowed(each.partition(" (")[0])]
        modules = [each for each in named if each.endswith("looked like attention")]
        calls = [
            each
            for each in self.not_understood
            if not self.is_allowed(each.removeprefix("In ").partition(" ")[0])
        ]
        return (named if modules or not self.rows else []) + calls

    def judge_together(self) -> None:
        """Compare layers of the same kind: keys that one alone sees are a fault."""
        kinds: dict[str, list[list[Row]]] = {}
        for layer, rows in grouped(self.rows, lambda row: row.layer).items():
            kinds.setdefault(re.sub(r"\d+", "#", layer), []).append(rows)
        for layers in kinds.values():
            if len(layers) < 2:
                continue
            seeing = [rows for rows in layers if rows[0].later > 0.5]
            blind = [rows for rows in layers if rows[0].later == 0]
            is_handed_on = any(rows[0].is_handed_on for rows in seeing)  # and its mask is not
            if blind and seeing and (len(blind) >= len(seeing) or is_handed_on):
                _see_later([row for rows in seeing for row in rows], blind[0][0].layer)
        self.judge_decoders()

    def judge_decoders(self) -> None:
        """Compare decoders with encoders: a causal mask may have come to the wrong one."""
        layers = grouped(self.rows, lambda row: row.layer)
        encoders = [n for n in layers if "encoder" in n and "decoder" not in n]
        decoders = [n for n in layers if "decoder" in n and "self" in n.rpartition("decoder")[2]]
        pairs = [(e, d) for e in encoders for d in decoders]
        # Parts of one model; and a mask fits both only if their sequences are as long.
        if not all(
            e.partition("encoder")[0] == d.partition("decoder")[0]
            and layers[e][0].positions == layers[d][0].positions
            for e, d in pairs
        ):
            return
        are_blind = bool(encoders) and all(layers[name][0].later == 0 for name in encoders)
        if not (are_blind and all(layers[name][0].later > 0.5 for name in decoders)):
            return
        more = ". A mask that is given by its place may be that of the encoder: give it by name"
        _see_later([row for name in decoders for row in layers[name]], encoders[0], more)

    def settle_doubts(self, other: "Report") -> bool:
        """Take over what another length has told; say whether it has told anything."""
        found = {(row.layer, row.head): row for row in other.rows}
        is_told = False
        for row in self.rows:
            again = found.get((row.layer, row.head))
            if again is None or not (row.is_doubtful or row.may_be_of_length):
                continue
            if row.may_be_of_length:
                if again.scale_verdict == "root" and again.positions != row.positions:
                    row.stated = row.scale
                    row.source = f"a factor of the length, which is 1 for {again.positions} tokens"
                    row.judge()
                continue
            if (again.positions, again.heads) == (row.positions, row.heads):
                continue
            is_told = True
            if again.layout_verdict and again.layout_verdict != "other number":
                row.layout_verdict, row.layout_detail = again.layout_verdict, again.layout_detail
                row.rows_are_heads, row.positions = again.rows_are_heads, again.positions
                row.heads = again.heads
                row.explain()
            elif row.scale > 0:
                row.by_length = float(abs(again.scale / row.scale - 1) > CLOSE)
                row.judge()
        return is_told

    def __repr__(self) -> str:
        """Give the report's own text, as a notebook shows what a cell ends with, but only once."""
        if self.is_shown:
            return f"<Report, ok={self.ok}, shown above; print(report) shows it again>"
        return self.text()

    def __str__(self) -> str:
        """Give a line for each layer, each verdict once, and at the end a summary."""
        return self.text()

    def text(self, heads: bool = False) -> str:
        """Give the report, with a line for each head if asked for."""
        layers = grouped(self.rows, lambda row: row.layer).values()
        if heads:
            lines = [*_table([_of_head(row) for row in self.rows]), "", HEAD_COLUMNS, ""]
        else:
            lines = [*_table([_of_layer(rows) for rows in layers]), "", LAYER_COLUMNS, ""]
        for same in grouped(self.rows, lambda row: row.verdicts).values():
            differ = len({row.verdict for row in same}) > 1
            first = f" These numbers are those of {same[0].layer}, head {same[0].head}."
            words = same[0].verdict + first * differ
            lines += [fill(words, 88), fill(self.where(same), 88, **INDENT)]
            lines += [f"  {same[0].link}"] * bool(same[0].link)
        lines += [f"Not seen: {name}" for name in self.unseen] + self.notes
        return "\n".join([*lines, "", self.summary()])

    def summary(self) -> str:
        """Count the heads that are as expected, and name those that are not."""
        counts = Counter(row.softmax_verdict for row in self.rows)
        lines = []
        if broken := [row for row in self.rows if row.softmax_verdict == "nan"]:
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
        named = grouped(others, lambda row: row.scale_name)
        for name, (_, words) in (LAYOUT | AXES | MASKS | SOFTMAX).items():
            if name in (*LAYOUT, *AXES, *MASKS, "frozen", "bias", "flat"):
                named[words.partition(":")[0]] = [
                    row
                    for row in self.rows
                    if name
                    in (row.layout_verdict, row.axis_verdict, row.mask_verdict, row.softmax_verdict)
                ]
        for name, rows in named.items():
            if rows:
                words = f"{name}, {_heads(len(rows))}: {self.where(rows)}"
                lines.append(fill(words, 80, **INDENT))
        if self.calls:
            lines.append(f"Understood {self.understood} of {self.calls} softmax calls.")
        lines += [fill(f"Not understood: {each}", 80, **INDENT) for each in self.open()[:8]]
        if self.untried:
            words = f"Not tried: {'; '.join(self.untried)}."
            lines.append(fill(words, 80, subsequent_indent="  "))
        kinds = [kind for kind in NEVER_MEANT if self.faults(kind)]
        lines.append(f"Not ok: {', '.join(kinds)}." if kinds else "ok")
        return "\n".join(lines)

    def where(self, rows: list[Row]) -> str:
        """Name the layers of some heads, and the heads where they are not all of a layer."""
        sizes = Counter(row.layer for row in self.rows)
        if len(rows) == len(self.rows) > sizes[rows[0].layer]:
            return f"all {len(sizes)} layers"
        return "; ".join(
            layer + f" {_ranges([row.head for row in same])}" * (len(same) < sizes[layer])
            for layer, same in grouped(rows, lambda row: row.layer).items()
        )

    def metrics(self, prefix: str = "attn") -> dict[str, float]:
        """Give a flat dict of numbers for each layer, such as `attn/layers.0/max_logit`.

        Over the heads of a layer: the largest logit and spread, the mean entropy, share and scale,
        the least entropy, the number of frozen heads and of logits that are not finite.
        """
        found: dict[str, float] = {}
        for layer, rows in grouped(self.rows, lambda row: row.layer).items():
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
        """Say in sentences what differs from an older report, heads of a layer together.

        A head that is missing or new, another verdict, and numbers that differ: the scale by 2 %,
        the keys and the share of them, the spread, its bias and the largest logit by the factor
        given, and what came out by 1 %. Notes are compared, too.
        """
        before, now = ({(row.layer, row.head): row for row in r.rows} for r in (old, self))
        found: dict[tuple[str, str], list[int]] = {}
        for layer, head in before.keys() - now.keys():
            found.setdefault((layer, "is missing"), []).append(head)
        for layer, head in now.keys() - before.keys():
            found.setdefault((layer, "is new"), []).append(head)
        for layer, head in sorted(before.keys() & now.keys()):
            for words in _differences(before[layer, head], now[layer, head], spread):
                found.setdefault((layer, words), []).append(head)
        sizes = Counter(layer for layer, _ in {**before, **now})
        told = []
        for (layer, words), heads in found.items():
            of = "" if len(heads) == sizes[layer] > 1 else f" {_ranges(sorted(heads))}"
            told.append(f"{layer}{of}{'' if words in ('is missing', 'is new') else ':'} {words}")
        for one, other, word in ((self, old, "new"), (old, self, "gone")):
            notes = [n for n in one.notes + one.unseen if n not in other.notes + other.unseen]
            told += [f"{word}: {note}" for note in notes]
        return sorted(told)

    def to_json(self) -> str:
        """Give all of it as JSON; numbers that are not finite are null."""
        rows = [
            {name: None if _is_odd(value) else value for name, value in asdict(row).items()}
            for row in self.rows
        ]
        told = {"version": __version__, "ok": self.ok, "summary": self.summary(), "rows": rows}
        told |= {"unseen": self.unseen, "notes": self.notes, "calls": self.calls}
        told |= {"understood": self.understood, "not_understood": self.not_understood}
        told |= {"allow": self.allow, "untried": self.untried}
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
            known = {each.name for each in fields(Row)}
            rows = [
                Row(
                    **{
                        name: nan if value is None else value
                        for name, value in row.items()
                        if name in known  # version 1 had more
                    }
                )
                for row in data["rows"]
            ]
            more = ("not_understood", "calls", "understood", "allow", "untried")
            given = {name: data[name] for name in more if name in data}
            return cls(rows, data["unseen"], data["notes"], **given)
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
        plt = pyplot()
        layers = list(grouped(self.rows, lambda row: row.layer))
        at = [layers.index(row.layer) for row in self.rows]
        size = (max(6.4, 0.3 * len(layers)), 5.6)
        fig, (above, below) = plt.subplots(2, 1, figsize=size, sharex=True, layout="constrained")
        above.scatter(at, [row.spread for row in self.rows], s=14, label="a head")
        above.scatter(at, [row.freezes for row in self.rows], marker="_", s=300, label="frozen at")
        above.axhline(1, linestyle="--", linewidth=1, color="gray", label="q and k of variance 1")
        above.set_yscale("log", base=2)
        above.yaxis.set_major_formatter("{x:g}")
        above.set(ylabel="spread of the logits", xlim=(-0.5, len(layers) - 0.5))
        above.legend()
        below.scatter(at, [row.share for row in self.rows], s=14)
        below.set(ylim=(0, 1.02), ylabel="share of the keys\nthat take part")
        below.set_xticks(range(len(layers)), layers, rotation=60, ha="right", fontsize=7)
        save_figure(fig, path)
        return fig


def pyplot() -> Any:
    """Give matplotlib's pyplot; CheckError, if it is not installed."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise CheckError(f"a figure needs matplotlib: {error}") from error
    return plt


def save_figure(fig: Any, path: str | Path | None) -> None:
    """Save a figure, if told where; CheckError if matplotlib knows no such kind of file."""
    try:
        if path:
            fig.savefig(path, dpi=150)
    except ValueError as error:
        raise CheckError(f"no figure: {error}") from error


def grouped(rows: list[Row], by: Callable[[Row], str]) -> dict[str, list[Row]]:
    """Give rows by what a function says of each, in the order in which that came first."""
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
        "frozen at": middle("freezes", ".2f"),
        "q·k": middle("spread_qk", ".2f"),
        "bias": middle("spread_bias", ".2f"),
        "|logit|": f"{max(row.max_logit for row in rows):.3g}",
        "entropy": middle("entropy", ".2f"),
        "share": middle("share", ".0%"),
    }


def _of_head(row: Row) -> dict[str, str]:
    names = "scale spread max_logit entropy share largest q_norm k_norm"
    titles = {"max_logit": "|logit|", "q_norm": "‖q‖/√d", "k_norm": "‖k‖/√d"}
    place = {"layer": row.layer, "head": str(row.head)}
    return place | {titles.get(name, name): f"{getattr(row, name):.3g}" for name in names.split()}


def _differences(was: Row, row: Row, factor: float) -> Iterator[str]:
    """Say in what a head differs from what it was."""
    if was.verdicts != row.verdicts:
        yield f"'{row.verdicts}' was '{was.verdicts}'"
    limits = {"scale": 1 + CLOSE, "keys": 1 + CLOSE, "output": 1 + CLOSE}
    limits |= dict.fromkeys(("spread", "share", "max_logit"), factor)
    for name, limit in limits.items():
        one, other = getattr(was, name), getattr(row, name)
        if one > 0 < other and abs(math.log(other / one)) > math.log(limit):
            yield f"{name} {other:.4g} was {one:.4g}"
    if abs(row.spread_bias - was.spread_bias) > (factor - 1) * max(was.spread_bias, 0.1):
        yield f"spread_bias {row.spread_bias:.4g} was {was.spread_bias:.4g}"
    if abs(row.digest - was.digest) > 0.01 * max(was.output, row.output):
        yield "what came out is another"


def _see_later(rows: list[Row], other: str, more: str = "") -> None:
    """Say of heads that they see later keys, and those of another layer do not."""
    for row in rows:
        if not row.mask_verdict:
            row.mask_verdict = "later"
            row.mask_detail = (
                f"queries see keys that come after them, and in {other} they do not{more}"
            )
            row.explain()


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
