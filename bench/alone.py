"""Run one snippet or lab alone, and print the seconds of CPU time that it takes by itself.

The three libraries are loaded before the clock starts: the build loads them once, not for each.
So are the ledgers that a script of claims reads, since the build hands it what they have found.
Its figures are drawn as plain SVG: a figure that nobody draws is none.
"""

import importlib
import io
import json
import runpy
import sys
import tempfile
import time
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy  # noqa: F401
import scipy.stats  # noqa: F401

from weave.project import IMPORTED

matplotlib.use("svg")


def show(*_: object, **__: object) -> None:
    """Draw what has been plotted, and let go of it."""
    for number in plt.get_fignums():
        plt.figure(number).savefig(io.BytesIO())
    plt.close("all")


plt.show = show
path = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(path.parent))  # a snippet imports modules that lie beside it
if path.parent.name == "claims":
    for module in IMPORTED.findall(path.read_text("utf-8")):
        importlib.import_module(module)
with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as script:
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text("utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        script.write("\n\n".join(code))
        script.flush()
        path = Path(script.name)
    start = time.process_time()
    runpy.run_path(str(path), run_name="__main__")
    seconds = time.process_time() - start
print(f"\n{seconds:.4f}")  # last: a lab prints as well
