"""A package as a wheel, as pip installs it, the same to the byte whenever it is built."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from weave.basics.errors import WeaveError

BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
FIRST_DAY = "315532800"  # the earliest that a zip can have, 1 January 1980: no date of a build


def build_wheel(files: dict[str, str]) -> tuple[str, bytes]:
    """Build a wheel by its own backend, setuptools, in a folder of its own.

    Args:
        files: what the project consists of, by name, its `pyproject.toml` among them.

    Returns:
        The name of the wheel, and what is in it.

    Raises:
        WeaveError: it cannot be built.
    """
    with TemporaryDirectory() as folder:
        source, out = Path(folder, "source"), Path(folder, "out")
        source.mkdir()
        out.mkdir()
        for name, text in files.items():
            (source / name).write_text(text, "utf-8", newline="\n")
            (source / name).chmod(0o644)  # as a wheel keeps it, whatever this machine's habit is
        done = subprocess.run(
            [sys.executable, "-c", BUILD, str(out)], cwd=source, capture_output=True, text=True,
            check=False, env=os.environ | {"SOURCE_DATE_EPOCH": FIRST_DAY},
        )  # fmt: skip
        made = [*out.glob("*.whl")]
        if done.returncode or not made:
            why = (done.stderr.strip().splitlines() or ["no wheel was made"])[-1]
            raise WeaveError(f"pyproject.toml: the wheel cannot be built: {why}")
        return made[0].name, made[0].read_bytes()
