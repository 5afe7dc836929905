"""What is stored, read by other code than the snippets'."""

from functools import partial

from tests.conftest import PROJECT, stored_rows

FOLDER = PROJECT.root / "snippets/trained"
PRINTED = 1e-3  # four digits are stored; and the order of sums differs between machines
# A wrong variant is off by more than ten times that.
rows = partial(stored_rows, "trained")


def column(name, what, **where):
    return [float(row[what]) for row in rows(name, **where)]


def head_names(name="heads.csv"):
    """Give the heads as the pages name them: layer and number, each from 0."""
    return [f"{float(row['layer']):.0f}.{float(row['head']):.0f}" for row in rows(name)]


def stated(name, what):
    """Give what stands above a table by its key."""
    (line,) = [
        line
        for line in (FOLDER / name).read_text("utf-8").splitlines()
        if line.startswith(f"# {what}: ")
    ]
    return line.partition(": ")[2]


def are_stored(page, name, kinds):
    """Tell whether a page's table has the stored medians, and the errors of its shares."""
    parts = ("size", "baseline", "means", "C")
    shown = [getattr(page, what)[kind] for kind in kinds for what in parts]
    found = [rows(name, pairs=kind, what=what)[0] for kind in kinds for what in parts]
    errors = [float(row["error"]) for row in found if row["what"] != "size"]
    return shown == [float(row["median"]) for row in found] and page.largest_error == max(errors)
