"""A snippet's form: what is read from it, and what is refused with the line and the mend."""

import pytest

from weave.basics.errors import WeaveError
from weave.run.snippet import read_snippet


def test_caption_alternative_and_cells_are_read(project):
    project.snippet("slope = 1.0", "draw()")
    line = read_snippet(project.root / "snippets/chapter/line.py")
    assert line.caption == "A line through the origin."
    assert line.alternative.startswith("One straight line")
    assert line.compute == ("slope = 1.0", 7)
    assert line.draw == ("draw()", 10)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("# %%\nx = 1\n# %%\n", 1, "no caption"),
        ('"""Caption."""\n# %%\nx = 1\n# %%\n', 1, "no text alternative"),
        ('"""Caption.\n\nAlternative."""\n', 1, "a snippet has one cell.*here are 0"),
        ('"""C.\n\nA."""\n# %%\n# %%\n# %%\n', 1, "a snippet has one cell.*here are 3"),
        ('"""C.\n\nA."""\n# %%\nx = (\n# %%\n', 5, "SyntaxError"),
        ('"""C.\n\nA."""\nx = 1\n# %%\n# %%\n', 4, "code above the first"),
    ],
)
def test_a_wrong_form_is_refused(project, text, line, problem):
    project.file("snippets/chapter/line.py", text)
    with pytest.raises(WeaveError, match=rf"snippets/chapter/line.py:{line}: .*{problem}"):
        read_snippet(project.root / "snippets/chapter/line.py")


def test_a_script_of_one_cell_has_results_and_no_figure(project):
    project.file("snippets/chapter/line.py", '"""Computes."""\n\n# %%\nslope = 2.0\n')
    result = project.run("chapter/line")
    assert (result.results.slope, result.svg) == (2.0, None)
    (warning,) = project.build("# C\n\n::: chapter/line\n").warnings
    assert "no figure to show" in warning
