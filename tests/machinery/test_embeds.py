"""A new kind of embed is one file, as weave/README.md shows."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import markdown
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^```text\n(?P<code>\"\"\"Shared code.*?)^```$", re.MULTILINE | re.DOTALL)
CONVERT = "import sys, markdown; print(markdown.markdown(sys.argv[1], extensions=['weave']))"


@pytest.fixture
def convert(project):
    """Convert a page with a copy of weave that has the example among its embeds."""
    shutil.copytree(ROOT / "weave", project.root / "copy/weave")
    code = EXAMPLE.search((ROOT / "weave/README.md").read_text("utf-8"))["code"]
    assert len(code.splitlines()) <= 30
    project.file("copy/weave/embeds/module.py", code)
    project.file("snippets/chapter/law.py", "x = '$x$'\n")

    def run(text: str, **options) -> str:
        done = subprocess.run(
            [sys.executable, "-c", CONVERT, text],
            cwd=project.root,
            env=os.environ | {"PYTHONPATH": str(project.root / "copy")},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout + done.stderr

    return run


def test_a_converter_that_converts_nothing_leaves_nothing_behind(tmp_path):
    with contextlib.chdir(tmp_path):
        markdown.Markdown(extensions=["weave"])
    assert not any(tmp_path.iterdir())


def test_the_example_is_woven_with_all_other_kinds(convert):
    html = convert("Of $x$:\n\n::: module chapter/law\n")
    assert "x = '$x$'" in html
    assert html.count("<math") == 1


def test_a_mistake_in_it_is_named(convert):
    html = convert("Look:\n\n::: module chapter/lore\n")
    assert "page:3: no module 'chapter/lore'" in html
    assert "weave-error" in html
