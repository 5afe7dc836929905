"""`make format` mends all that a program can mend, whatever is left, and then says what that is."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A name that nothing defines, which no program mends; and quotation marks and a blank too many.
UNMENDED = "first = 'one'\nprint( first, second )\n"


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_every_step_runs_and_what_is_left_is_said_last(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.ruff.lint]\nselect = ["F", "I"]\n')
    (tmp_path / "script.py").write_text(f"import os\n\n{UNMENDED}")
    (tmp_path / "style.css").write_text("a{color:red}\n")
    (tmp_path / "biome.json").write_text("{}\n")
    environment = Path(sys.executable).parents[1]
    installed = f"{environment}/tests-installed"  # as it is: nothing is installed here
    command = ["make", "-f", ROOT / "Makefile", f"VENV={environment}", "-o", installed, "format"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "Undefined name `second`" in done.stdout
    assert (tmp_path / "script.py").read_text() == 'first = "one"\nprint(first, second)\n'
    if (environment / "bin/biome").exists():
        assert (tmp_path / "style.css").read_text() == "a {\n\tcolor: red;\n}\n"
        assert done.stdout.index("Fixed") < done.stdout.index("Undefined name")
    (tmp_path / "script.py").write_text(UNMENDED.replace("second", "first"))
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
