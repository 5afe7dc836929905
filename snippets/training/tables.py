"""Write tables that grow a run at a time, for the scripts that measure."""

import platform

import torch


def about(script, seeds):
    """Return the lines above a table: where it comes from."""
    system = f"{platform.system()} {platform.machine()}, a processor"
    return (
        f"# package: torch {torch.__version__}\n"
        f"# seeds: {seeds}\n"
        f"# command: make measure ARGS=snippets/training/{script}\n"
        f"# machine: {system}\n"
    )


def line(at, found):
    """Return a line of a table, with four digits."""
    words = (x if isinstance(x, str) else f"{x:.4g}" for x in found)
    return ",".join([*map(str, at), *words]) + "\n"


def fill(path, head, above, grid, measure):
    """Make each run of a grid that the table does not have, and write it down.

    `grid` lists runs as tuples, which begin a row; `measure` takes the parts of
    one and returns what follows in each of its rows. A run is written when it
    has ended, so a script that was stopped goes on where it was.
    """
    torch.set_num_threads(1)
    if not path.exists():
        path.write_text(above + line(head, []), encoding="utf-8")
    size = len(grid[0])
    lines = path.read_text("utf-8").splitlines()
    done = {tuple(row.split(",")[:size]) for row in lines}
    for at in grid:
        if tuple(map(str, at)) not in done:
            rows = measure(*at)
            with path.open("a", encoding="utf-8") as file:
                file.writelines(line(at, row) for row in rows)
            print(line(at, rows[-1]), end="", flush=True)
