"""The numbers that a figure shows, as a table: what a reader takes who wants to draw it anew."""

import csv
import io
from collections.abc import Iterable, Iterator

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection, PathCollection
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

Points = Iterable[Iterable[float]]


def to_csv(figure: Figure) -> str:
    """Give what is drawn in a figure, a line for each point.

    The columns are the panel (counted from 1, with its title), what is drawn there (its label in
    the legend, or its kind and number), x and y as on the axes, and, in a map, the value there.

    Args:
        figure: of matplotlib's.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["panel", "drawn", "x", "y", "value"])
    for number, axes in enumerate(figure.axes, 1):
        title = axes.get_title(loc="left") or axes.get_title()
        panel = f"{number} {title}".strip()
        for name, points in drawn_in(axes):
            for point in points:
                values = [f"{value:.6g}" for value in point]
                table.writerow([panel, name, *values, *[""] * (3 - len(values))])
    return text.getvalue()


def drawn_in(axes: Axes) -> Iterator[tuple[str, Points]]:
    """Give all that is drawn in a panel: a name, and its points."""
    bars: list[tuple[float, float]] = []
    for number, artist in enumerate(axes.get_children(), 1):
        if isinstance(artist, Rectangle) and artist is not axes.patch:
            bars.append((artist.get_x() + artist.get_width() / 2, artist.get_height()))
        elif points := points_of(artist):
            kind, found = points
            label = str(artist.get_label())
            yield (f"{kind} {number}" if not label or label.startswith("_") else label), found
    if bars:
        yield "bars", bars


def points_of(artist: Artist) -> tuple[str, Points] | None:
    """Give the kind of what is drawn, and its points; nothing for letters, axes and frames."""
    if isinstance(artist, Line2D):
        x, y = (np.asarray(values, float) for values in artist.get_data(orig=False))
        return "line", zip(x, y, strict=True)
    if isinstance(artist, PathCollection):
        return "points", np.asarray(artist.get_offsets(), float)
    if isinstance(artist, Collection):
        return "outline", list(outlines(artist))
    return None


def outlines(collection: Collection) -> Iterator[list[float]]:
    """Give the corners of bands and areas; in a map, each with its least value."""
    values = [*collection.levels] if isinstance(collection, ContourSet) else None
    for number, path in enumerate(collection.get_paths()):
        value = [] if values is None else [float(values[number])]
        for x, y in np.asarray(path.vertices, float).tolist():
            yield [x, y, *value]
