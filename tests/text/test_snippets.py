"""A snippet is a plain script: copied out of the site, it runs and draws, with nothing of ours.

The site's build runs every snippet, where weave is at hand. So that none needs it, what they import
is read here; that a published one runs as a reader would run it: tests/machinery/test_published.py.
"""

import sys
from pathlib import Path

import pytest

from tests.imports import imports

SNIPPETS = Path(__file__).parents[2] / "snippets"
MAY_IMPORT = {"numpy", "scipy", "matplotlib", *sys.stdlib_module_names}
# In a chapter that measures, what draws nothing may ask for more: `make measure` runs it.
MAY_MEASURE = {"torch", "gguf"}


def flaws(folder: Path) -> list[str]:
    """List what keeps the scripts of a project from running alone."""
    found = []
    for script in sorted(folder.glob("*/*.py")):
        name = script.relative_to(folder).as_posix()
        code = script.read_text("utf-8")
        folders = (script.parent, folder / "common")
        beside = {path.stem for each in folders for path in each.glob("*.py")}
        if any(script.parent.glob("measure*.py")) and "\n# %%" not in code:
            beside |= MAY_MEASURE | {"check_attention"}  # the repository's own
        for line, module in imports(code):
            if module.partition(".")[0] not in MAY_IMPORT | beside:
                found.append(f"{name}:{line}: imports {module}")
    return found


def test_every_snippet_imports_what_a_reader_has():
    assert len([*SNIPPETS.glob("*/*.py")]) > 50
    assert flaws(SNIPPETS) == []


def unnamed_axes(folder: Path) -> list[str]:
    """List the scripts that draw axes with numbers on them and say of none what it shows."""
    found = []
    for script in sorted(folder.glob("*/*.py")):
        code = script.read_text("utf-8")
        for _, module in imports(code):  # which may draw for it
            beside = script.with_name(f"{module}.py")
            code += beside.read_text("utf-8") if beside.is_file() else ""
        says = ("label(", "label=", '.axis("off")', "yticks=[]")
        if "\nplt.show()" in code and not any(word in code for word in says):
            found.append(script.relative_to(folder).as_posix())
    return found


def test_every_figure_says_what_its_axes_show(tmp_path):
    assert unnamed_axes(SNIPPETS) == []
    (tmp_path / "chapter").mkdir()
    (tmp_path / "chapter/script.py").write_text(WHOLE)
    assert unnamed_axes(tmp_path) == ["chapter/script.py"]


WHOLE = '''"""Words."""

# %%
import numpy as np
import shared

# %%
import matplotlib.pyplot as plt

plt.show()
'''


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    [
        ("plt.show()", "plt.show()\n\n# %% says\nassert np", None),
        (
            "import shared",
            "from weave.figure import to_svg",
            "chapter/script.py:5: imports weave",
        ),
        ("import shared", "if True:\n    import torch", "chapter/script.py:6: imports torch"),
        ("import shared", "from . import shared", "chapter/script.py:5: imports ."),
    ],
)
def test_a_script_that_would_not_run_alone_is_named(tmp_path, old, new, flaw):
    (tmp_path / "chapter").mkdir()
    (tmp_path / "chapter/shared.py").write_text("import math\n")
    (tmp_path / "chapter/script.py").write_text(WHOLE.replace(old, new))
    found = flaws(tmp_path)
    assert (len(found) == 1 and found[0].startswith(flaw)) if flaw else found == []
