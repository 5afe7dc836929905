"""A snippet is a plain script: copied out of the site, it runs and draws, with nothing of ours."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from weave.run.snippet import find, names

ROOT = Path(__file__).parents[1]

# Run the script as `python script.py` does, and count the figures that it shows.
SHOW = """
import runpy, sys
import matplotlib.pyplot as plt
plt.show = lambda: print("figures:", *plt.get_fignums())
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def run_alone(script: Path) -> subprocess.CompletedProcess:
    """Run a script in a fresh Python that knows neither weave nor the site's style."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules['weave'] = None\n{SHOW}", str(script)],
        env=os.environ | {"MPLBACKEND": "agg", "OPENBLAS_NUM_THREADS": "1"},  # as weave does
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def runs() -> dict[str, subprocess.CompletedProcess]:
    """Run every snippet, as many at a time as there are cores."""
    wanted = list(names(ROOT / "snippets"))
    scripts = [ROOT / "snippets" / f"{name}.py" for name in wanted]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(wanted, pool.map(run_alone, scripts), strict=True))


@pytest.mark.parametrize("name", list(names(ROOT / "snippets")))
def test_a_snippet_runs_alone_and_shows_its_figure(runs, name):
    assert runs[name].returncode == 0, runs[name].stderr
    draws = find(ROOT / "snippets", name).draw
    assert runs[name].stdout.split() == (["figures:", "1"] if draws else [])


def test_a_script_that_needs_weave_would_fail(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import weave\n")
    assert "ModuleNotFoundError" in run_alone(script).stderr
