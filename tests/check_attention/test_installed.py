"""As people install it: the wheel in an environment of its own, and the single file."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.check_attention.script import PAGE, ROOT, ours
from tests.conftest import PROJECT
from weave.basics.errors import WeaveError
from weave.pages.published import check_attention
from weave.pages.wheel import build_wheel

SITE = "https://example.org/why/"
MODEL = """
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 32)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)

    def forward(self, ids):
        return self.layer(self.embed(ids))
"""


@pytest.fixture(scope="module")
def offered():
    return check_attention(PROJECT, SITE)


@pytest.fixture(scope="module")
def installed(offered, tmp_path_factory):
    """An environment with the wheel alone; PyTorch is lent by the environment of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    (name,) = [name for name in offered if name.endswith(".whl")]
    (folder / name).write_bytes(offered[name])
    environment = folder / "venv"
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, environment], check=True)
    (python,) = [*environment.glob("bin/python"), *environment.glob("Scripts/python.exe")]
    install = [*uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python]
    subprocess.run([*install, folder / name], check=True)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    lent = Path(done.stdout.strip(), "lent.pth")
    lent.write_text(sysconfig.get_path("purelib"), "utf-8")
    (folder / "mypackage.py").write_text(MODEL, "utf-8")
    example = re.search(r"```python\n(# mymodel.*?)```", PAGE, re.DOTALL)[1]
    (folder / "mymodel.py").write_text(example, "utf-8")
    return folder, python


def said(installed, *command):
    """Run a program of the environment, or a module; the repository's own are out of its reach."""
    folder, python = installed
    begin = [python, *command[1:]] if command[0] == "python" else [python.parent / command[0]]
    rest = [] if command[0] == "python" else command[1:]
    alone = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [*begin, *rest], cwd=folder, capture_output=True, text=True, check=False, env=alone
    )


@pytest.mark.parametrize("command", [["check-attention"], ["python", "-m", "check_attention"]])
def test_the_first_example_of_the_page(installed, command):
    done = said(installed, *command, "mymodel.py:make")
    assert done.returncode == 0, done.stderr
    assert "Scale 1/√d in 4 of 4 heads" in done.stdout


def test_it_says_its_version_and_where_it_comes_from(installed, offered):
    stated = f"check_attention {ours.__version__}"
    assert said(installed, "check-attention", "--version").stdout == f"{stated}, from {SITE}\n"
    first = offered["check_attention.py"].decode().partition("\n")[0]
    assert first == f"# {stated} as one file, from {SITE}"


def test_what_is_installed_is_the_package(installed):
    code = "import check_attention as c; print(c.__file__, c.demo.__module__)"
    done = said(installed, "python", "-c", code)
    place, module = done.stdout.split()
    assert Path(place).is_relative_to(installed[0].resolve())
    assert module == "check_attention.demo"


def test_an_own_fault_is_none_of_the_model(installed):
    """A module that is missing, and an exception in the model: 2, for it could not be run."""
    folder, _ = installed
    (folder / "typo.py").write_text("def make():\n    import mypackge\n", "utf-8")
    done = said(installed, "check-attention", "typo.py:make")
    assert done.returncode == 2
    assert "No module named 'mypackge'" in done.stderr
    assert "matplotlib" not in done.stderr


def test_a_wheel_is_the_same_whenever_it_is_built():
    files = {"pyproject.toml": (ROOT / "check_attention/pyproject.toml").read_text("utf-8")}
    files |= dict.fromkeys(("__init__.py", "README.md", "LICENSE"), "")
    files["words.py"] = '__version__ = "9.1"\n'
    name, content = build_wheel(files)
    assert name == "check_attention-9.1-py3-none-any.whl"
    assert build_wheel(files) == (name, content)


def test_a_wheel_that_cannot_be_built_is_told():
    with pytest.raises(WeaveError, match="the wheel cannot be built"):
        build_wheel({"pyproject.toml": "[project]\nname = 3\n"})


def test_its_version_is_one(offered):
    """The page names the wheel that is there, and the first entry of what changed is its own."""
    wheels = {*re.findall(r"check_attention-[\w.-]+\.whl", PAGE)}
    assert wheels == {name for name in offered if name.endswith(".whl")}
    changes = (ROOT / "check_attention/CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## (.+)$", changes, re.MULTILINE)[1] == ours.__version__


def test_its_licence_is_that_of_the_repository():
    texts = [(ROOT / name).read_text("utf-8") for name in ("LICENSE", "check_attention/LICENSE")]
    assert texts[0] == texts[1]
