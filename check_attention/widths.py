"""How attention depends on the width: a coordinate check."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from check_attention.calls import ROWS, check
from check_attention.report import pyplot, save_figure
from check_attention.words import CheckError, __version__


@dataclass(repr=False)
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

    def to_json(self) -> str:
        """Give all points, and the exponents that they fit, as JSON."""
        told: dict[str, Any] = {"version": __version__, "points": self.points, "exponents": []}
        for when in dict.fromkeys(point["when"] for point in self.points):
            for what in ("spread", "max_logit"):
                slope, error = self.exponent(what, when)
                told["exponents"].append(
                    {"when": when, "what": what, "exponent": slope, "error": error}
                )
        return json.dumps(told, indent=1)

    def figure(self, path: str | Path | None = None) -> Any:
        """Draw spread and largest logit against the width, a dot for each model; save it."""
        plt = pyplot()

        fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
        for axis, what in zip(axes, ("spread", "max_logit"), strict=True):
            for when in dict.fromkeys(point["when"] for point in self.points):
                points = [point for point in self.points if point["when"] == when]
                x, y = ([point[name] for point in points] for name in ("width", what))
                axis.scatter(
                    x, y, s=14, label=f"{when}: exponent {self.exponent(what, when)[0]:.2f}"
                )
            axis.set_xscale("log", base=2)
            axis.set_yscale("log", base=2)
            axis.xaxis.set_major_formatter("{x:g}")
            axis.yaxis.set_major_formatter("{x:g}")
            axis.set(xlabel="width", ylabel=what.replace("max_logit", "largest logit"))
            axis.legend()
        save_figure(fig, path)
        return fig

    def __repr__(self) -> str:
        """Give the table, as a notebook shows what a cell ends with."""
        return str(self)

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
