"""A small site that is whole and built, and builds of it in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machinery.faults import content, write

COMMAND = [sys.executable, "-m", "mkdocs", "build", "--strict"]
ENVIRONMENT = os.environ | {"SOURCE_DATE_EPOCH": "1", "NO_MKDOCS_2_WARNING": "1"}


def start(root: Path, before: tuple[str, ...] = (), **options) -> subprocess.Popen:
    """Start a build, as `make site` does."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    command = [*before, *COMMAND]
    return subprocess.Popen(command, cwd=root, env=ENVIRONMENT, **pipes | options)


def build(root: Path, **options) -> tuple[int, str]:
    """Build; give the exit status and what was said."""
    process = start(root, **options)
    said, _ = process.communicate(timeout=300)
    return process.returncode, said


def state(root: Path) -> dict[str, str]:
    """Tell what the published site is."""
    return content(root / "site")


@pytest.fixture
def good(tmp_path) -> Path:
    """A site that is built."""
    write(tmp_path)
    code, said = build(tmp_path)
    assert code == 0, said
    return tmp_path
