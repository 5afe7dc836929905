"""The numbers that a figure shows, as a table: what a reader takes who wants to draw it anew."""

import csv
import io
from collections.abc import Iterable, Iterator

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection, PathCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

Points = Iterable[Iterable[float]]


def to_csv(figure: Figure) -> str:
    """Give what is drawn in a figure, a line for each point.

    The columns are the panel (counted from 1, with its title), what is drawn there (its label in
    the legend, or its kind and number), x and y as on the axes, and, for a map, the value there.

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
    if isinstance(artist, QuadMesh):
        corners = artist.get_coordinates()
        middles = (corners[:-1, :-1] + corners[1:, 1:]) / 2
        values = np.asarray(artist.get_array(), float).reshape(middles.shape[:2])
        return "map", np.dstack([middles, values]).reshape(-1, 3)
    if isinstance(artist, AxesImage):
        return map_of_image(artist)
    if isinstance(artist, Collection):
        outlines = [path.vertices for path in artist.get_paths() if len(path.vertices)]
        return ("outline", np.concatenate(outlines)) if outlines else None
    return None


def map_of_image(image: AxesImage) -> tuple[str, Points] | None:
    """Give the values of an image and where they stand; nothing if it shows colours."""
    values = np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan)
    if values.ndim != 2:
        return None
    left, right, bottom, top = image.get_extent()
    if image.origin == "upper":
        bottom, top = top, bottom
    rows, columns = values.shape
    x = left + (np.arange(columns) + 0.5) * (right - left) / columns
    y = bottom + (np.arange(rows) + 0.5) * (top - bottom) / rows
    return "map", np.dstack([*np.meshgrid(x, y), values]).reshape(-1, 3)
