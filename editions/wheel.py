"""The script that watches attention as a package: a wheel of that one file, with a command."""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

PROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "check-attention"
description = "Is the scale of your model's attention right? Watch it at work, head by head"
version = "{version}"
requires-python = ">=3.10"
license = "MIT"
dependencies = ["torch>=2.1"]
optional-dependencies = {{ figure = ["matplotlib"] }}
scripts = {{ check-attention = "check_attention:main" }}

[tool.setuptools]
packages = ["check_attention"]
package-data = {{ check_attention = ["py.typed"] }}
"""
MAIN = "import sys\n\nfrom check_attention import main\n\nsys.exit(main())\n"


def write_wheel(script: Path, out: Path) -> Path:
    """Build the wheel into a folder; its code is the script as it is.

    Raises:
        subprocess.CalledProcessError: the build failed.
    """
    code = script.read_text("utf-8")
    version = re.search(r'^__version__ = "(.+)"$', code, re.MULTILINE)
    if version is None:
        raise ValueError(f"{script} has no __version__")
    with TemporaryDirectory() as folder:
        package = Path(folder, "check_attention")
        package.mkdir()
        (package / "__init__.py").write_text(code, "utf-8")
        (package / "__main__.py").write_text(MAIN, "utf-8")
        (package / "py.typed").touch()
        Path(folder, "pyproject.toml").write_text(PROJECT.format(version=version[1]), "utf-8")
        build = ["-m", "uv", "build", "--quiet", "--wheel", "--no-build-isolation"]
        python = ["--python", sys.executable]
        subprocess.run([sys.executable, *build, *python, "--out-dir", out, folder], check=True)
    return out / f"check_attention-{version[1]}-py3-none-any.whl"
