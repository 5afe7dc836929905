"""Labs: run a notebook of exercises.

A lab is a plain Jupyter notebook with no outputs and a readable id on each cell. Its code runs in a
Jupyter kernel, and its figures are drawn in the site's style. `lab_page` makes a page of it, and
`lab_hook` brings both to MkDocs.
"""

import contextlib
import hashlib
import os
import platform
import queue
import re
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from weave.errors import WeaveError
from weave.runner import MACHINERY, PACKAGES

PACKAGE = Path(__file__).parent
IMAGE = "image/svg+xml"
# What the kernel runs before the lab: figures as for the chapters, and one SVG for each plt.show().
PREPARE = "from weave.lab import prepare; prepare({!r}); del prepare"
TERMINAL_COLOUR = re.compile(r"\x1b\[[\d;]*m")


def run_all(labs: Iterable[Path], cache: Path, time_limit: float = 60) -> dict[Path, Any]:
    """Run notebooks at the same time, those that have not changed since the last time not at all.

    Args:
        labs: the notebooks' files.
        cache: the folder that keeps what they print and draw.
        time_limit: seconds that one cell may take.

    Returns:
        For each file its notebook with outputs, or the WeaveError that says which cell failed.
    """

    def attempt(lab: Path) -> Any:
        try:
            return run(lab, cache, time_limit)
        except WeaveError as error:
            return error

    labs = list(labs)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(labs, pool.map(attempt, labs), strict=True))


def run(lab: Path, cache: Path, time_limit: float = 60) -> Any:
    """Run one notebook, or give what is kept of its last run; a failure is never kept.

    Raises:
        WeaveError: a cell failed or took too long, or the file is no notebook.
    """
    import nbformat

    kept = cache / f"{lab.stem}.{fingerprint(lab)}.ipynb"
    if kept.is_file():
        return nbformat.read(kept, as_version=4)
    notebook = execute(lab, time_limit)
    cache.mkdir(parents=True, exist_ok=True)
    for old in cache.glob(f"{lab.stem}.*.ipynb"):
        old.unlink(missing_ok=True)
    part = kept.with_suffix(f".{os.getpid()}")  # two builds at once never read half a file
    nbformat.write(notebook, part)
    part.replace(kept)
    return notebook


def fingerprint(lab: Path) -> str:
    """Hash what the outputs depend on. A lab imports nothing of ours, but the style is ours."""
    digest = hashlib.sha256(platform.python_version().encode())
    for package in (*PACKAGES, "ipykernel", "nbclient"):
        digest.update(version(package).encode())
    for path in (lab, Path(__file__), *MACHINERY):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def read(lab: Path) -> Any:
    """Read a notebook.

    Raises:
        WeaveError: it is none.
    """
    import nbformat

    try:
        return nbformat.read(lab, as_version=4)
    except Exception as error:  # whatever JSON and its schema find
        raise WeaveError(f"no notebook: {error}") from None


def execute(lab: Path, time_limit: float) -> Any:
    """Run every cell in a kernel that knows nothing of the user's settings, in an empty folder."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    from traitlets.config import Config

    notebook = read(lab)
    first = nbformat.v4.new_code_cell(PREPARE.format(lab.stem), id="prepare")
    notebook.cells.insert(0, first)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=time_limit,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
            config=Config({"KernelManager": connection(folder)}),
        )
        environment = os.environ | {
            "IPYTHONDIR": folder,
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(
                filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")])
            ),
        }
        with contextlib.ExitStack() as kernel:
            try:
                kernel.enter_context(client.setup_kernel(env=environment))
            except RuntimeError as error:
                raise WeaveError(f"no kernel: {error}") from None
            for number, cell in enumerate(notebook.cells):
                if cell.cell_type != "code":
                    continue
                try:
                    client.execute_cell(cell, number)
                except CellExecutionError as error:
                    message = f"{error.ename}: {error.evalue}"
                    raise WeaveError(at(cell, f"{message}{failed_line(cell)}")) from None
                except (CellTimeoutError, TimeoutError, queue.Empty):
                    raise WeaveError(at(cell, f"stopped after {time_limit:g} s")) from None
                except DeadKernelError:
                    raise WeaveError(at(cell, "its kernel died with no message")) from None
                for output in cell.outputs:
                    if output.get("name") == "stderr":
                        last = output.text.strip().splitlines()[-1]
                        raise WeaveError(at(cell, f"writes a warning or an error: {last}"))
    del notebook.cells[0]
    return notebook


def connection(folder: str) -> dict[str, str]:
    """Have the kernel listen in the folder, not on the network, where the system can do this."""
    return {"transport": "ipc", "ip": f"{folder}/kernel"} if os.name == "posix" else {}


def at(cell: Any, message: str) -> str:
    """Say in which cell something is wrong."""
    return f"cell '{cell.id}': {message}"


def failed_line(cell: Any) -> str:
    """Quote the cell's line that IPython's traceback points to."""
    for output in cell.outputs:
        text = TERMINAL_COLOUR.sub("", "\n".join(output.get("traceback", [])))
        arrows = re.findall(r"^-+> *\d+ (.*)$", text, re.MULTILINE)
        if arrows:
            return f"\n    {arrows[0].strip()}"
    return ""


def prepare(stem: str) -> None:
    """Set up the kernel, in the kernel: the site's style, and SVG that stands inside a page."""
    import matplotlib.pyplot as plt
    from IPython.display import display

    from weave import worker  # noqa: F401 (sets fonts and style)
    from weave.figure import to_svg

    drawn = 0

    def show(*_: Any, **__: Any) -> None:
        nonlocal drawn
        for number in plt.get_fignums():
            drawn += 1
            display({IMAGE: to_svg(plt.figure(number), f"{stem}-{drawn}")}, raw=True)
        plt.close("all")

    plt.show = show
