"""A lab's checks accept its own solutions, reject typical mistakes, and are kind to no answer.

A notebook's code runs here by the function that runs it for the site, in this process.
Wrong answers lie beside this file, in a module of the lab's name.
"""

import ast
import importlib
import json
import re
import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from tests.imports import imports
from tests.labs.clear import cleared
from weave.embeds.embed import any_token
from weave.pages.lab import to_script
from weave.run.notebook import Cell
from weave.run.worker import run_lab

mpl.use("agg")

ROOT = Path(__file__).parents[2]
LABS = sorted((ROOT / "docs/labs").glob("*.ipynb"))
MAY_IMPORT = {"numpy", "scipy", "matplotlib", *sys.stdlib_module_names}
# What a skeleton gives before there is an answer: `return None`, or `answer = None`.
NOTHING = re.compile(r"^(\s+return |\w+ = )None\b", re.MULTILINE)
SOLUTION = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def cells_of(path: Path) -> dict[str, dict]:
    """Give a notebook's cells by their ids."""
    return {
        cell.get("id", f"#{number}"): cell | {"source": "".join(cell["source"])}
        for number, cell in enumerate(json.loads(path.read_text("utf-8"))["cells"])
    }


def exercises(cells: dict[str, dict]) -> list[int]:
    """Number the exercises, as their cells do."""
    return [int(name.removeprefix("exercise-")) for name in cells if name.startswith("exercise-")]


def solution(cells: dict[str, dict], number: int) -> str:
    """Give the code that a solution shows."""
    (code,) = SOLUTION.findall(cells[f"solution-{number}"]["source"])
    return code


def wrong_answers(stem: str) -> dict[int, dict[str, str]]:
    """Give a lab's wrong answers: by exercise, from code to part of what its check says."""
    return importlib.import_module(f"tests.labs.{stem}").WRONG


def unusual_answers(stem: str) -> list[tuple[int, str, str]]:
    """Give a lab's answers that are right and not like its solutions.

    Each comes with its exercise, and with part of what its check says, if that is written down.
    """
    right = importlib.import_module(f"tests.labs.{stem}").RIGHT
    return [
        (number, answer, answers[answer] if isinstance(answers, dict) else "")
        for number, answers in right.items()
        for answer in answers
    ]


def whole(answer: str, cells: dict[str, dict], number: int) -> str:
    """Give an answer that replaces a skeleton, of one that is a function's body alone."""
    if answer.lstrip().startswith("def ") or "return" not in answer:
        return answer
    body = answer.replace("\n", "\n    ")
    return cells[f"exercise-{number}"]["source"].replace("return None", body)


def run(cells: dict[str, dict], answers: dict[int, str]) -> dict[int, str]:
    """Run a notebook as the site does, answers in place of skeletons; give what checks print."""
    filled = {name: cell["source"] for name, cell in cells.items()}
    filled |= {f"exercise-{number}": answer for number, answer in answers.items()}
    plt.close("all")  # what another test in this process has left
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Creating legend")  # where the machine is busy
        code = [
            Cell(name, cell["cell_type"] == "code", filled[name]) for name, cell in cells.items()
        ]
        gave = run_lab(code, ROOT / "docs/labs/lab.ipynb")
    checks = {n: gave.get(Cell(f"check-{n}", True, "").place) for n in exercises(cells)}
    return {number: said["printed"] for number, said in checks.items() if said}


def only(cells: dict[str, dict], number: int) -> dict[str, dict]:
    """Leave out the checks of the other exercises, which take time, and the drawings."""
    wanted = {f"exercise-{number}", f"check-{number}"}
    return {
        name: cell
        for name, cell in cells.items()
        if name in wanted or not re.match("exercise|check|figure", name)
    }


EACH_LAB = pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
EACH_EXERCISE = pytest.mark.parametrize(
    ("path", "number"),
    [
        pytest.param(path, number, id=f"{path.stem}-{number}")
        for path in LABS
        for number in exercises(cells_of(path))
    ],
)


# --- the checks ------------------------------------------------------------------------------


@EACH_LAB
def test_a_lab_as_it_is_asks_for_answers(path):
    cells = cells_of(path)
    said = run(cells, {})
    assert said == {n: f"Exercise {n}: no answer yet." for n in exercises(cells)}


@EACH_LAB
def test_a_lab_accepts_its_own_solutions(path):
    cells = cells_of(path)
    said = run(cells, {n: solution(cells, n) for n in exercises(cells)})
    assert list(said) == exercises(cells)
    for number, message in said.items():
        assert message.startswith(f"Exercise {number}: right"), message


@EACH_LAB
def test_a_check_accepts_an_unusual_answer(path):
    cells = cells_of(path)
    for number, answer, part in unusual_answers(path.stem):
        said = run(only(cells, number), {number: whole(answer, cells, number)})[number]
        assert said.startswith(f"Exercise {number}: right"), f"{answer}\n{said}"
        assert part in said, f"{answer}\n{said}"
        # A check may compute more with a right answer, and must not spoil its arrays.
        assert not re.search(r"\bnan\b", said), f"{answer}\n{said}"


@EACH_EXERCISE
def test_a_check_rejects_typical_mistakes(path, number):
    cells = cells_of(path)
    wrong = wrong_answers(path.stem).get(number)
    assert wrong, f"tests/labs/{path.stem}.py has no wrong answer to exercise {number}"
    for answer, reason in wrong.items():
        said = run(only(cells, number), {number: whole(answer, cells, number)})[number]
        assert not said.startswith(f"Exercise {number}: right"), f"accepted:\n{answer}\n{said}"
        assert reason in said, f"{answer}\n{said}"


@EACH_EXERCISE
@pytest.mark.parametrize(
    "value",
    [
        'float("nan")',
        '"one"',
        *(
            pytest.param(value, marks=pytest.mark.long)
            for value in ("...", "[]", "(1.0, 1e-9)", "len")
        ),
    ],
)
def test_a_check_says_what_it_cannot_take(path, number, value):
    cells = cells_of(path)
    answer = NOTHING.sub(rf"\1{value}", cells[f"exercise-{number}"]["source"])
    said = run(only(cells, number), {number: answer})[number]
    assert said.startswith(f"Exercise {number}: not yet;"), (
        f"to the answer {value} the check has to print 'Exercise {number}: not yet; …', and a "
        f"reason, as to whatever it cannot take (NaN is never larger than a tolerance: ask "
        f"'if not error <= tolerance'); it prints: {said}"
    )


# --- the notebooks ---------------------------------------------------------------------------


def flaws(path: Path) -> list[str]:
    """List what keeps a notebook from being a lab."""
    written = path.read_text("utf-8")
    found = []
    if cleared(written) != written:
        found.append("outputs, counts or metadata are not cleared: make labs")
    ids = [cell.get("id", "") for cell in json.loads(written)["cells"]]
    for number, name in enumerate(ids, start=1):
        if not re.fullmatch(r"[a-z]+(-\d+[a-z]?)?", name):
            found.append(f"cell {number} has the id '{name}', which does not say what it is")
    cells = cells_of(path)
    if len(cells) < len(ids):
        found.append("two cells have the same id")
    if not next(iter(cells.values()))["source"].startswith("# "):
        found.append("the first cell is no heading")

    numbers = exercises(cells)
    if not 4 <= len(numbers) <= 7 or numbers != list(range(1, len(numbers) + 1)):
        found.append(f"four to seven exercises are needed, numbered from 1, and here is {numbers}")
    order = [name for name in cells if re.fullmatch(r"[a-z]+-\d+", name)]
    for number in numbers:
        parts = [f"{kind}-{number}" for kind in ("task", "exercise", "check", "hint", "solution")]
        here = [name for name in order if name in parts]
        if here != parts:
            found.append(f"exercise {number} is {here}, not {parts}")
            continue
        if not cells[parts[0]]["source"].startswith(f"## {number}. "):
            found.append(f"{parts[0]} does not begin with '## {number}. '")
        if not NOTHING.search(cells[parts[1]]["source"]):
            found.append(f"{parts[1]} gives an answer: write 'return None', or 'answer = None'")
        if len(SOLUTION.findall(cells[parts[-1]]["source"])) != 1:
            found.append(f"{parts[-1]} needs one ```python block, no more")
    for name, cell in cells.items():
        text = cell["source"]
        if any(len(line) > 80 for line in text.splitlines()) and cell["cell_type"] == "code":
            found.append(f"{name}: a line has more than 80 characters")
        if cell["cell_type"] == "code":
            used = {module.partition(".")[0] for _, module in imports(text)}
            found += [f"{name}: imports {module}" for module in sorted(used - MAY_IMPORT)]
            continue
        if name.startswith(("hint", "solution")) and not (
            re.match(r"<details>\n<summary>[^\n]+</summary>\n\n", text)
            and text.endswith("\n\n</details>")
        ):
            found.append(f"{name}: write <details>, <summary>…</summary> and </details> on lines")
        if any(found.lastgroup in {"figure", "value"} for found in any_token().finditer(text)):
            found.append(f"{name}: Jupyter knows no '::: figure' and no '{{= value }}'")
        if re.search(r"\]\((?!https?:|#)", text):
            found.append(f"{name}: a link that leads nowhere from a download: begin with https://")
    return found


@EACH_LAB
def test_a_notebook_is_a_lab(path):
    found = flaws(path)
    assert not found, "\n".join(found)


@EACH_LAB
def test_a_lab_has_wrong_answers_and_a_chapter_that_links_to_it(path):
    assert Path(__file__).with_name(f"{path.stem}.py").is_file(), "it holds RIGHT and WRONG"
    link = f"(labs/{path.name})"
    assert link in (ROOT / f"docs/{path.stem}.md").read_text("utf-8"), f"no link {link}"


def test_each_module_of_answers_is_of_a_lab():
    modules = {file.stem for file in Path(__file__).parent.glob("*.py")}
    assert modules - {"test_labs", "clear"} == {path.stem for path in LABS}


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    [
        ('"id": "hint-1"', '"id": "hint-2"', "same id"),
        (
            '"outputs": []',
            '"outputs": [{"output_type": "stream", "name": "a", "text": "b"}]',
            "make",
        ),
        ('"execution_count": null', '"execution_count": 3', "make labs"),
        ('"name": "python"\n', '"name": "python", "version": "3.11.5"\n', "make labs"),
        ('"Python 3"', '"Python 3 (ipykernel)"', "make labs"),
        ("return None", "return 1", "exercise-1 gives an answer"),
        ('"id": "hint-1"', '"id": "a1b2c3d4"', "which does not say what it is"),
        ("import numpy as np", "import weave", "imports weave"),
        ("<details>", "<details open>", "on lines"),
        ("$d_k$", "{= spread.std }", "Jupyter knows"),
        ("$d_k$", "[chapter](../variance.md)", "leads nowhere"),
        ('"id": "exercise-6"', '"id": "exercise-7"', "numbered from 1"),
    ],
)
def test_a_flaw_is_found(tmp_path, old, new, flaw):
    text = (ROOT / "docs/labs/variance.ipynb").read_text("utf-8")
    bad = tmp_path / "variance.ipynb"
    bad.write_text(text.replace(old, new, 1), "utf-8")
    assert any(flaw in problem for problem in flaws(bad)), flaws(bad)


def test_make_labs_clears_what_jupyter_leaves_and_nothing_else():
    text = (ROOT / "docs/labs/variance.ipynb").read_text("utf-8")
    left = text.replace('"execution_count": null', '"execution_count": 3')
    left = left.replace('"Python 3"', '"Python 3 (ipykernel)"')
    left = left.replace('"metadata": {}', '"metadata": {"trusted": true}')
    assert left.count("ipykernel") == 1
    assert cleared(left) == text


# --- the scripts -----------------------------------------------------------------------------


def differs(script: str, cells: dict[str, dict]) -> bool:
    """Tell whether a script does anything else than a notebook's code."""
    code = [cell["source"] for cell in cells.values() if cell["cell_type"] == "code"]
    return ast.dump(ast.parse(script)) != ast.dump(ast.parse("\n".join(code)))


@EACH_LAB
def test_the_script_does_what_the_notebook_does(path):
    """So what is tested above, cell by cell, holds of the script."""
    cells = cells_of(path)
    script = to_script(path)
    assert not differs(script, cells)
    assert differs(NOTHING.sub(r"\g<1>0", script, count=1), cells)
