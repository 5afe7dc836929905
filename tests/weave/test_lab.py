"""A lab becomes a page like any other; what is wrong with it is named, with its cell."""

import logging
import re
from types import SimpleNamespace

import nbformat
import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from weave import lab, lab_page
from weave.errors import WeaveError
from weave.runner import ROOT
from weave.site import text_of_notebook

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


def notebook(cells: dict[str, str], outputs: dict | None = None):
    """Make a notebook from the text of its cells, by id."""
    made = nbformat.v4.new_notebook()
    for name, text in cells.items():
        if name.startswith(MARKDOWN):
            made.cells.append(nbformat.v4.new_markdown_cell(text, id=name))
        else:
            shown = (outputs or {}).get(name, [])
            made.cells.append(
                nbformat.v4.new_code_cell(text, id=name, outputs=[*map(nbformat.from_dict, shown)])
            )
    return made


def write(folder, cells: dict[str, str]):
    """Write a notebook, and give its path."""
    path = folder / "law.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook(cells), path)
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
            "plugins:\n  - mkdocs-jupyter: {include: ['labs/*.ipynb'], include_source: true}\n"
            f"hooks: ['{ROOT / 'weave/lab_hook.py'}']\n"
            "markdown_extensions:\n  - pymdownx.superfences\n  - md_in_html\n  - attr_list\n"
            f"  - weave: {{root: '{project.root}'}}\n",
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


def test_a_lab_is_run_and_rendered_as_pages_are(site, project, monkeypatch):
    made = site(EXERCISE | {"figure-1": DRAWN}, strict=True)
    html = made.html
    assert html.count("Exercise 1: no answer yet.") == 2  # the code, and what it prints
    assert html.count("<math") == 2
    assert '<desc id="law-1-alternative">It rises.</desc>' in html
    assert re.search(r"<figcaption>\s*<p>A line.</p>\s*</figcaption>", html)
    assert "currentColor" in html
    assert re.search(r"<details[^>]*>\s*<summary>Hint</summary>\s*<p>Try <", html)
    assert html.count("highlight") >= 3
    assert "jp-" not in html
    assert "cell exercise-1" not in html
    assert '<a href="../../law/">The law</a>' in html
    source = project.root / "docs/labs/law.ipynb"
    assert (made.folder / "law.ipynb").read_bytes() == source.read_bytes()
    assert "# %%" in (made.folder / "law.py").read_text("utf-8")

    # Neither run again nor different, as long as nothing has changed.
    monkeypatch.setattr(lab, "execute", None)
    assert site(EXERCISE | {"figure-1": DRAWN}, strict=True).html == html
    with pytest.raises(TypeError):
        site(EXERCISE | {"figure-1": DRAWN + "  # changed"})


def test_an_error_fails_a_strict_build_and_names_notebook_and_cell(site, project):
    broken = EXERCISE | {"check-1": "number = 0\n1 / number"}
    with pytest.raises(Abort):
        site(broken, strict=True)
    wanted = "docs/labs/law.ipynb, cell 'check-1': ZeroDivisionError: division by zero"
    assert any(
        record.getMessage().startswith(wanted) and "1 / number" in record.getMessage()
        for record in project.log.records
    )
    assert "weave-error" in site(broken).html  # serving goes on, and shows it


def test_a_mistake_in_a_formula_names_its_cell_and_line(site):
    made = site(EXERCISE | {"hint-1": "A line.\n\nThen $\\bad{x}$."})
    (warning,) = made.warnings
    assert "docs/labs/law.ipynb, cell 'hint-1', line 3: " in warning


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import warnings\nwarnings.warn('careful')", "writes a warning or an error"),
        ("import time\ntime.sleep(30)", "stopped after 5 s"),
        ("import os\nos._exit(1)", "died"),
    ],
)
def test_what_else_a_cell_must_not_do(tmp_path, code, says):
    path = write(tmp_path, EXERCISE | {"check-1": code})
    with pytest.raises(WeaveError, match=f"cell 'check-1': .*{says}"):
        lab.run(path, tmp_path / "cache", time_limit=5)
    assert not (tmp_path / "cache").exists()


def test_a_file_that_is_no_notebook_is_named(tmp_path):
    path = tmp_path / "law.ipynb"
    path.write_text("{")
    with pytest.raises(WeaveError, match="no notebook"):
        lab.run(path, tmp_path)


SVG = {
    "output_type": "display_data",
    "data": {lab.IMAGE: '<svg aria-labelledby="a"></svg>'},
    "metadata": {},
}
TEXT = {"output_type": "stream", "name": "stdout", "text": "1"}
PNG = {"output_type": "display_data", "data": {"image/png": "…"}, "metadata": {}}


@pytest.mark.parametrize(
    ("code", "outputs", "says"),
    [
        ("plt.show()", [SVG], "begin it with"),
        ('"""Only a caption."""\nplt.show()', [SVG], "begin it with"),
        (DRAWN, [SVG, SVG], "shows 2"),
        (DRAWN, [PNG], "cannot show"),
        (DRAWN, [TEXT, SVG], "two cells"),
    ],
)
def test_a_figure_needs_its_words_and_stands_alone(code, outputs, says):
    made = notebook({"title": TITLE, "figure-1": code}, {"figure-1": outputs})
    with pytest.raises(WeaveError, match=f"cell 'figure-1': .*{says}"):
        lab_page.to_markdown(made)


@pytest.mark.parametrize(
    ("repository", "colab"),
    [
        ("https://github.com/someone/why", True),
        ("https://github.com/someone/why.git", True),
        ("https://gitlab.com/someone/why", False),
        ("", False),
    ],
)
def test_colab_is_offered_where_the_repository_is_known(repository, colab):
    text = lab_page.links("law", "The law", repository, "edit/trunk/docs/")
    address = "https://colab.research.google.com/github/someone/why/blob/trunk/docs/labs/law.ipynb"
    assert (f'href="{address}"' in text) == colab
    assert ("colab" in text) == colab


def test_the_fonts_hold_a_notebook_s_signs():
    assert text_of_notebook(nbformat.writes(notebook({"title": "$\\frac{1}{2}$ ⅔"}))) == (
        "$\\frac{1}{2}$ ⅔"
    )
    assert text_of_notebook("{") == ""
