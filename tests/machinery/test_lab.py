"""A lab becomes a page like any other; what is wrong with it is named, with its cell."""

import logging
import re
from contextlib import suppress
from types import SimpleNamespace

import nbformat
import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from weave.pages import lab

TITLE = "# Lab: a law\n\nOf $d_k$."
DRAW = "import matplotlib.pyplot as plt\n\nplt.plot([0, 1])\nplt.show()"
DRAWN = f'"""A line.\n\nIt rises.\n"""\n\n{DRAW}'
EXERCISE = {
    "title": TITLE,
    "task-1": "## 1. First",
    "exercise-1": "answer = None",
    "check-1": "print('Exercise 1: no answer yet.')",
    "hint-1": "<details>\n<summary>Hint</summary>\n\nTry $x^2$.\n\n</details>",
}
MARKDOWN = ("title", "task", "hint", "solution")


def write(folder, cells: dict[str, str]):
    """Write a notebook from the text of its cells, by id, and give its path."""
    made = nbformat.v4.new_notebook()
    for name, text in cells.items():
        markdown = name.startswith(MARKDOWN)
        new = nbformat.v4.new_markdown_cell if markdown else nbformat.v4.new_code_cell
        made.cells.append(new(text, id=name))
    path = folder / "law.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, path)
    return path


@pytest.fixture
def site(project):
    """Build a small site with a lab, as mkdocs.yml does."""

    def make(cells: dict[str, str], strict=False) -> SimpleNamespace:
        project.file("docs/index.md", "# Home\n")
        project.file("docs/law.md", "---\ntitle: The law\n---\n\n# L\n\n[lab](labs/law.ipynb)\n")
        write(project.root / "docs/labs", cells)
        project.file(
            "mkdocs.yml",
            "site_name: test\n"
            "plugins:\n  - weave\n"
            "  - mkdocs-jupyter: {include: ['labs/*.ipynb'], include_source: false}\n"
            "markdown_extensions:\n  - pymdownx.superfences\n  - md_in_html\n  - attr_list\n"
            "  - weave\n",
        )
        project.log.clear()
        project.log.set_level(logging.WARNING)
        build(load_config(str(project.root / "mkdocs.yml"), strict=strict))
        folder = project.root / "site/labs/law"
        return SimpleNamespace(
            folder=folder,
            html=(folder / "index.html").read_text("utf-8"),
            warnings=[record.getMessage() for record in project.log.records],
        )

    return make


def test_a_lab_is_run_and_rendered_as_pages_are(site, project):
    made = site(EXERCISE | {"figure-1": DRAWN}, strict=True)
    html = made.html
    assert html.count("Exercise 1: no answer yet.") == 2  # the code, and what it prints
    assert html.count("<math") == 2
    assert '<desc id="figure-1-alternative">It rises.</desc>' in html
    assert re.search(r"<figcaption>\s*<p>A line.</p>\s*</figcaption>", html)
    assert "currentColor" in html
    assert re.search(r"<details[^>]*>\s*<summary>Hint</summary>\s*(?:<noscript>\s*)?<p>Try <", html)
    assert html.count("highlight") >= 3
    assert "jp-" not in html
    assert "cell exercise-1" not in html
    assert '<a href="../../law/">The law</a>' in html
    source = project.root / "docs/labs/law.ipynb"
    assert (made.folder / "law.ipynb").read_bytes() == source.read_bytes()
    assert "# %%" in (made.folder / "law.py").read_text("utf-8")


def test_a_lab_is_run_again_only_when_it_has_changed(site):
    clock = EXERCISE | {"clock": "import time\nprint(time.time())"}
    first, again, changed = (
        re.findall(r"\d{10}\.\d+", site(cells, strict=True).html)
        for cells in (clock, clock, clock | {"hint-1": "Changed."})
    )
    assert first == again != changed


def said_of(cells: dict[str, str], site, project) -> str:
    """Build a lab with a mistake, which may end the build; give the warning."""
    with suppress(Abort):
        site(cells)
    (warning,) = [record.getMessage() for record in project.log.records]
    return warning


def test_a_lab_that_fails_ends_a_plain_build_too_and_what_was_good_stays(site, project):
    good = site(EXERCISE).html
    with pytest.raises(Abort, match="A lab failed"):
        site(EXERCISE | {"check-1": "1 / 0"})
    (warning,) = [record.getMessage() for record in project.log.records]
    assert "law.ipynb, cell 'check-1', line 1: ZeroDivisionError" in warning
    assert (project.root / "site/labs/law/index.html").read_text("utf-8") == good


def test_where_pages_are_only_served_a_lab_that_fails_is_shown(site, project, monkeypatch):
    site(EXERCISE)
    plugin = load_config(str(project.root / "mkdocs.yml")).plugins["weave"]  # kept by MkDocs
    monkeypatch.setattr(plugin, "in_place", True)
    monkeypatch.setattr(plugin, "site", None)
    assert "ZeroDivisionError" in site(EXERCISE | {"check-1": "1 / 0"}).html


def test_an_error_in_a_function_names_its_cell_too(site, project):
    cells = {"exercise-1": "def answer(n):\n    return answer(n - 1) if n else 1 / 0"}
    warning = said_of(EXERCISE | cells | {"check-1": "answer(9)"}, site, project)
    assert "law.ipynb, cell 'exercise-1', line 2, in cell 'check-1', line 1: Zero" in warning
    assert "1 / 0" in warning


def test_a_mistake_in_a_formula_names_its_cell_and_line(site):
    made = site(EXERCISE | {"hint-1": "A line.\n\nThen $\\bad{x}$."})
    (warning,) = made.warnings
    assert "docs/labs/law.ipynb, cell 'hint-1', line 3: " in warning


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("check-1", "import warnings\nwarnings.warn('careful')", "UserWarning: careful"),
        ("check-1", "import os\nos.kill(os.getpid(), 9)", "its process died with exit code -9"),
        ("figure-1", DRAW, "begin it with"),
        ("figure-1", f'"""Only a caption."""\n{DRAW}', "begin it with"),
        ("figure-1", f"{DRAWN}\nplt.plot([1])\nplt.show()", "shows one figure"),
        ("figure-1", f"{DRAWN}\nprint(1)", "and prints nothing"),
    ],
)
def test_what_else_a_cell_must_not_do(site, project, name, code, says):
    warning = said_of(EXERCISE | {name: code}, site, project)
    where = ": labs/law:" if "died" in says else f", cell '{name}'"
    assert warning.startswith(f"docs/labs/law.ipynb{where}")
    assert says in warning


def test_colab_is_offered_for_what_is_on_github():
    address = "https://github.com/someone/why/edit/trunk/docs/labs/law.ipynb"
    colab = "https://colab.research.google.com/github/someone/why/blob/trunk/docs/labs/law.ipynb"
    assert f'href="{colab}"' in lab.links("law", "The law", address)
    for other in ("", address.replace("github", "gitlab")):
        assert "colab" not in lab.links("law", "The law", other)
