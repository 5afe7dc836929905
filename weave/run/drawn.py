"""The numbers that a figure shows, as a table: what a reader takes who wants to draw it anew."""

import csv
import io
from collections.abc import Iterable, Iterator
from textwrap import shorten

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection, PathCollection
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from weave.basics.errors import WeaveError

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


def require_marks(figure: Figure, place: str, alternative: str) -> None:
    """Refuse a figure in which nothing is drawn, or nothing in one of its panels.

    Axes that are switched off leave a place free, and others lie on a panel for a second scale.

    Args:
        figure: of matplotlib's.
        place: where it is drawn, for the error.
        alternative: the figure in words.

    Raises:
        WeaveError: that, beside the words.
    """
    panels = {axes.get_position().bounds for axes in figure.axes if has_marks(axes)}
    empty = ""
    for number, axes in enumerate(figure.axes, 1):
        is_seen = axes.get_visible() and axes.axison
        if is_seen and axes.get_position().bounds not in panels:
            empty = f"panel {number} has" if len(figure.axes) > 1 else "the axes have"
            break
    if len(figure.get_children()) == 1:  # its background
        empty = "the figure has"
    if empty:
        said = shorten(alternative, 120, placeholder=" …")
        mend = "draw it, or take the axes away"
        flaw = f"the alternative says '{said}', and {empty} no mark: {mend}"
        raise WeaveError(flaw, place=place)


def has_marks(axes: Axes) -> bool:
    """Tell whether anything is drawn in a panel; of lines and points, any that has a place."""
    if axes.texts or axes.images or axes.patches or axes.tables or axes.artists or axes.child_axes:
        return True
    return any(has_place(artist) for artist in (*axes.lines, *axes.collections))


def has_place(artist: Artist) -> bool:
    """Tell whether a line, or a group of points, has any point; all else that is drawn has."""
    if not isinstance(artist, Line2D | PathCollection):
        return True
    found = points_of(artist)
    return found is not None and any(np.isfinite([*point]).all() for point in found[1])


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
