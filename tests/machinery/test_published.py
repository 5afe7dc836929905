"""What lies beside the pages: the scripts that they link to. (Fonts: test_fonts.py.)"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.conftest import PROJECT
from weave.pages.published import published


@cache
def downloads() -> dict[str, bytes]:
    """Give what this site offers."""
    PROJECT.refresh()
    return published(PROJECT)


def run(code: bytes, folder: Path) -> str:
    """Run a script in an empty folder, and give what it says of its failure."""
    (folder / "script.py").write_bytes(code)
    env = {"MPLBACKEND": "agg", "HOME": str(folder), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-W", "ignore", "script.py"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert [path.name for path in folder.glob("*.py")] == ["script.py"]
    return done.stderr if done.returncode else ""


# Every way to import a module of ours, and every module that figures share, at least once.
SCRIPTS = ["index/learning", "scales/floats", "trained/shares", "variance/spread"]
MORE = [
    *("claims/verdicts", "saturation/assumed", "saturation/logits", "scales/spread", "theorem/law"),
    *("theorem/quarter_turn", "training/first_step", "variance/experiment", "variance/puzzle"),
]


@pytest.mark.parametrize(
    "name", [*SCRIPTS, *(pytest.param(name, marks=pytest.mark.long) for name in MORE)]
)
def test_a_script_runs_alone(name, tmp_path):
    assert run(downloads()[f"snippets/{name}.py"], tmp_path) == ""


def test_as_it_stands_in_the_repository_it_does_not(tmp_path):
    script = PROJECT.root / "snippets/variance/spread.py"
    assert "No module named 'dot_product'" in run(script.read_bytes(), tmp_path)


def test_a_site_that_knows_no_address_lists_none(project, monkeypatch):
    project.file("site/.git/config", "a checkout's")
    project.build("# T\n")
    assert (project.root / "site/.git/config").is_file()
    assert not [*(project.root / "site").glob("sitemap.xml*")]
    config = (project.root / "mkdocs.yml").read_text()
    project.file("mkdocs.yml", f"site_url: https://example.org/\n{config}")
    build(load_config(str(project.root / "mkdocs.yml")))
    assert "https://example.org/chapter/" in (project.root / "site/sitemap.xml").read_text()
