"""The command: what it prints, writes and returns, and what it says of a wrong input."""

import ast
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.check_attention.script import (  # isort: skip
    PAGE, ROOT, SCRIPT, Attention, K, Q, fused, nn, one_file, ours, torch,
)  # fmt: skip
from weave.basics.errors import WeaveError


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("not a model", [Q]), "torch.nn.Module"),
        ((Attention(fused()), Q), "write \\[batch\\]"),
        ((Attention(fused()), []), "no batches"),
        ((nn.Linear(8, 8), [Q]), "no attention was seen"),
        ((nn.Identity(), [(Q, K)]), "batch 1 does not fit .* the 2 things in the batch.* forward="),
        ((nn.Bilinear(8, 8, 8), [Q]), "'input2'. The batch is one thing.* list of tuples"),
        ((nn.Identity(), [{"q": Q}]), "called with the names q"),
        ((Attention(fused()), [(Q, K, K)], None, 0), "rows is 0"),
    ],
)
def test_a_wrong_input_gets_a_sentence(arguments, sentence):
    with pytest.raises(ours.CheckError, match=sentence):
        ours.check(*arguments)


def test_a_type_error_of_the_model_itself_is_its_own():
    with pytest.raises(TypeError, match="missing 1 required"):
        ours.check(Attention(fused()), [(Q, K)], show=False)
    with pytest.raises(TypeError, match="missing 1 required"):
        ours.check(nn.Identity(), [Q], lambda model, batch: fused()(batch, batch), show=False)


def test_a_report_says_what_the_batches_could_not_show():
    model = nn.TransformerEncoderLayer(64, 4, 64, batch_first=True)
    one, several = torch.randn(1, 9, 64), torch.randn(3, 9, 64)
    padded = (torch.arange(9) >= torch.tensor([[5], [7], [9]]), several)

    def untried(batch, forward=None):
        report = ours.check(model, [batch], forward, show=False)
        assert report.untried == ours.Report.from_json(report.to_json()).untried
        assert ("Not tried" in report.summary()) == bool(report.untried)
        return report.untried

    assert len(untried(one)) == 2
    assert len(untried(several)) == 1
    with_mask = {"src": several, "src_key_padding_mask": padded[0]}
    assert untried(with_mask) == []


def test_an_import_that_fails_is_told_with_its_line(tmp_path, capsys):
    Path(tmp_path, "mine.py").write_text("import math\nimport nowhere_to_be_found\n", "utf-8")
    assert ours.main([f"{tmp_path}/mine.py:make"]) == 2
    assert "mine.py, line 2)" in capsys.readouterr().err


def test_a_line_in_a_notebook_is_named_by_its_cell(monkeypatch):
    kernel = SimpleNamespace(compile=SimpleNamespace(_filename_map={"/tmp/ipykernel_7/12.py": 3}))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: kernel))
    assert ours._named(Path("/tmp/ipykernel_7/12.py"), 8) == "cell [3], line 8"
    assert ours._named(Path("/tmp/ipykernel_7/13.py"), 8) == "a cell's line 8"
    assert ours._named(Path("/home/me/model.py"), 8) == "model.py:8"
    assert ours._named(Path("/bin/check-attention"), 8) == ""


MINE = """
import check_attention

def make():
    model, batches = check_attention.demo('width')
    return [model, [(x, 'a label') for x in batches], lambda m, b: m(b[0])]
"""


TWO = """
import check_attention

def right():
    return check_attention.demo("none")

def wrong():
    return check_attention.demo("width", seed=1)
"""


def test_it_writes_what_it_is_asked_for_and_nothing_else(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    shutil.copy(SCRIPT, tmp_path)
    files = {"--csv": "a.csv", "--figure": "a.png", "--json": "a.json"}
    options = [word for pair in files.items() for word in pair]
    done = subprocess.run(
        [sys.executable, "check_attention.py", "./mine.py:make", *options, "--fail-on", "scale"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Wrong root: divided by √256" in done.stdout
    assert done.stderr == "found: scale\n"
    given = {"mine.py", "check_attention.py"}
    assert {path.name for path in tmp_path.iterdir()} - given == {*files.values()}
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 8
    assert {row["scale_verdict"] for row in table} == {"width"}
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert not json.loads((tmp_path / "a.json").read_text("utf-8"))["ok"]


@pytest.mark.parametrize(
    ("fault", "kinds", "status"),
    [
        ("none", "scale,frozen,nan", 0),
        ("forgotten", "frozen", 1),
        ("twice", "flat", 1),
    ],
)
def test_the_exit_status(capsys, fault, kinds, status):
    assert ours.main(["--demo", fault, "--quiet", "--fail-on", kinds]) == status
    assert bool(capsys.readouterr().err) == bool(status)


def test_an_older_report_is_a_baseline(tmp_path, capsys):
    path = str(tmp_path / "old.json")
    assert ours.main(["--demo", "none", "--json", path]) == 0
    assert ours.main(["--demo", "none", "--baseline", path]) == 0
    assert ours.main(["--demo", "width", "--baseline", path]) == 1
    assert "attention.0: scale 0.0625 was 0.125" in capsys.readouterr().err
    (tmp_path / "old.json").write_text("{}")
    assert ours.main(["--demo", "none", "--baseline", path]) == 2
    assert "no report of check_attention" in capsys.readouterr().err


BROKEN = """
from check_attention import demo
from torch import nn

class Model(nn.Module):
    def forward(self, x):
        return x[:, self.missing]

def missing():
    import mypackge

def raising():
    return Model(), demo()[1]

def by_itself():
    raise OSError("no such data")
"""


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("missing", "No module named 'mypackge'"),
        ("raising", "AttributeError: 'Model' object has no attribute 'missing'"),
        ("by_itself", "no such data"),
    ],
)
def test_what_the_model_raises_is_no_fault_that_was_found(tmp_path, capsys, function, words):
    (tmp_path / "broken.py").write_text(BROKEN)
    assert ours.main([f"{tmp_path / 'broken.py'}:{function}"]) == 2
    told = capsys.readouterr().err
    assert words in told.splitlines()[-1]
    assert "matplotlib" not in told
    lines = [line for line in told.splitlines() if line.startswith("  File ")]
    assert lines
    assert all("broken.py" in line for line in lines), "no lines of ours between"


def test_a_figure_without_matplotlib(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert ours.main(["--demo", "none", "--figure", "one.png"]) == 2
    assert "check_attention: a figure needs matplotlib" in capsys.readouterr().err


def test_each_verdict_is_said_once(capsys):
    assert ours.main(["--demo", "width"]) == 1
    out, err = capsys.readouterr()
    assert out.count("Wrong root: ") == 1
    assert err == "found: scale\n"
    assert ours.main(["--demo", "width", "--quiet"]) == 1
    out, err = capsys.readouterr()
    assert out.count("Wrong root: ") + err.count("Wrong root: ") == 1


def test_json_alone_is_printed(capsys):
    ours.main(["--demo", "none", "--json", "-"])
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert told["ok"]
    assert told["version"] == ours.__version__
    assert len(told["rows"]) == 8


def test_an_assertion_for_a_test():
    assert ours.assert_attention(*ours.demo("none"), spread=(0.9, 1.1)).ok
    with pytest.raises(AssertionError, match="Wrong root"):
        ours.assert_attention(*ours.demo("width"))
    with pytest.raises(AssertionError, match=r"spread 0\.5"):
        ours.assert_attention(*ours.demo("width"), fail_on=(), spread=(0.9, 1.1))
    ours.assert_attention(*ours.demo("width"), scale=1 / 16)
    with pytest.raises(AssertionError, match="Not the scale that is stated"):
        ours.assert_attention(*ours.demo("none"), scale=1 / 16)
    with pytest.raises(ours.CheckError, match="'speed' is no fault"):
        ours.assert_attention(*ours.demo("width"), fail_on=["speed"])


def test_widths_on_the_command_line(capsys):
    assert ours.main(["--demo", "forgotten", "--widths", "8,16,32", "--rows", "16"]) == 0
    assert re.search(r"start +spread .* 0\.\d+ ± 0\.\d+, grows", capsys.readouterr().out)


def test_widths_as_json_and_as_a_figure(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    files = [str(tmp_path / name) for name in ("widths.json", "widths.png")]
    options = ["--rows", "8", "--json", files[0], "--figure", files[1]]
    assert ours.main(["--demo", "none", "--widths", "8,16", *options]) == 0
    told = json.loads((tmp_path / "widths.json").read_text("utf-8"))
    assert [each["what"] for each in told["exponents"]] == ["spread", "max_logit"]
    assert len(told["points"]) == 6
    assert (tmp_path / "widths.png").read_bytes()[:4] == b"\x89PNG"


def test_without_pytorch_it_raises_an_import_error(tmp_path):
    code = """
import sys
from pathlib import Path
from types import SimpleNamespace
sys.modules["torch"] = None
try:
    import check_attention
except ImportError as error:
    print("went on:", error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SCRIPT.parent, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert "went on: check_attention needs PyTorch 2.4" in done.stdout


def test_an_older_pytorch_is_refused_and_told():
    code = """
import torch
torch.__version__ = type(torch.__version__)("2.3.1+cu121")
try:
    import check_attention
except ImportError as error:
    print("went on:", error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SCRIPT.parent, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert "needs PyTorch 2.4 or newer: this is PyTorch 2.3.1" in done.stdout


def test_the_download_and_its_modules_are_one():
    """Each module stands in it word for word, but for what it imports of the others."""
    text = SCRIPT.read_text("utf-8")
    for path in (ROOT / "check_attention").glob("*.py"):
        if path.stem in ("__init__", "__main__"):
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            is_own = isinstance(node, ast.ImportFrom) and node.module.startswith("check_attention.")
            source = ast.get_source_segment(path.read_text("utf-8"), node)
            assert is_own or source in text, f"{path.name}:{node.lineno}"
    tree = ast.parse((ROOT / "check_attention/__init__.py").read_text("utf-8"))
    (public,) = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    assert [name for name in ast.literal_eval(public) if not hasattr(ours, name)] == []


def test_two_modules_may_not_define_the_same_name(tmp_path):
    for name, text in {"__init__": "", "one": "ROWS = 1\n", "two": "ROWS = 2\n"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    with pytest.raises(WeaveError, match=r"two\.py: ROWS is in one\.py, too"):
        one_file(tmp_path)


@pytest.mark.parametrize("name", ["random.py", "copy.py", "my_model.v2.py"])
def test_a_file_is_loaded_from_its_path_whatever_its_name(tmp_path, name):
    (tmp_path / name).write_text(MINE)
    assert ours.main([f"{tmp_path / name}:make", "--quiet"]) == 1


def test_a_report_in_a_notebook_is_its_text():
    report = ours.check(*ours.demo(), show=False)
    assert repr(report) == str(report)
    assert len(repr(report)) < 2000


def test_a_report_that_was_printed_is_not_printed_again(capsys):
    report = ours.check(*ours.demo("width"))
    assert capsys.readouterr().out == f"{report}\n"
    assert repr(report) == "<Report, ok=False, shown above; print(report) shows it again>"


def test_without_an_option_a_fault_fails(capsys):
    assert ours.main(["--demo", "forgotten", "--quiet"]) == 1
    assert ours.main(["--demo", "forgotten", "--quiet", "--fail-on", "none"]) == 0
    assert ours.main(["--demo", "none", "--quiet"]) == 0


def test_a_second_model_on_the_command_line(tmp_path, capsys):
    (tmp_path / "two.py").write_text(TWO)
    make = f"{tmp_path / 'two.py'}:"
    assert ours.main([f"{make}right", "--against", f"{make}right"]) == 0
    assert ours.main([f"{make}right", "--against", f"{make}wrong"]) == 1
    assert "attention.0. Factor: q·k is multiplied by 0.125" in capsys.readouterr().out


@pytest.mark.long
def test_its_types_hold():
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_page_shows_what_it_prints():
    """Word for word but for what the columns mean, and number for number up to rounding."""
    shown = re.search(r"```text\n(layer .*?)```", PAGE, re.DOTALL)[1].strip()
    done = subprocess.run(
        [sys.executable, SCRIPT, "--demo", "width"], capture_output=True, text=True, check=False
    )
    table, columns, *rest = done.stdout.strip().split("\n\n")
    assert columns == ours.LAYER_COLUMNS
    assert (len(rest), done.returncode) == (2, 1), done.stderr
    said = "\n\n".join([table, *rest])
    number = r"\d+\.\d+"
    assert re.sub(number, "x", shown) == re.sub(number, "x", said)
    pairs = zip(re.findall(number, shown), re.findall(number, said), strict=True)
    assert all(abs(float(one) - float(other)) < 0.0151 for one, other in pairs)


def test_the_page_names_every_option():
    named = {*re.findall(r"`(?:--[\w-]+)", PAGE)} | {*re.findall(r"\.py .*?(--[\w-]+)", PAGE)}
    options = re.findall(r"--[\w-]+", ours._parser().format_usage())
    for option in {*options} - {"--version", "--help"}:
        assert option in PAGE, option
    assert {word.strip("`") for word in named} <= {*options}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "say what to check"),
        (["./nowhere.py:make"], "cannot be imported"),
        (["json:dumps"], "it is called without any"),
        (["copy:_keep_alive", "--widths", "16,32"], "--widths gives it a width"),
        (["--demo", "none", "--train", "json:dumps"], "goes with --widths"),
        (["json:JSONDecoder"], "has to return two things"),
        (["--demo", "none", "--figure", "one.xyz"], "xyz"),
        (["--demo", "none", "--fail-on", "speed"], "'speed' is no fault"),
        (["--demo", "none", "--widths", "wide"], "no list of widths"),
    ],
)
def test_the_command_says_what_is_wrong(capsys, arguments, sentence):
    assert ours.main(arguments) == 2
    assert sentence in capsys.readouterr().err
