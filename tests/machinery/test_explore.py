"""A figure to drag is the figure, with an element around it; a picture is the drawing alone."""

import json
from html import unescape

import pytest


def attribute(html: str, name: str) -> str:
    return unescape(html.partition(f'{name}="')[2].partition('"')[0])


@pytest.fixture
def line(project):
    compute = "import numpy as np\n\nslope = 1.0\nexplore = {'g': np.array([1, 2]), 's': 'a\"b'}"
    project.snippet(compute)
    project.file("docs/assets/javascripts/why-line.js", "")


def test_it_stands_around_its_figure_and_holds_the_data(project, line):
    html = project.convert("::: explore chapter/line")
    element, figure = html.index("<why-line "), html.index("<figure")
    assert element < figure < html.index("</why-line>")
    assert json.loads(attribute(html, "data-explore")) == {"g": [1, 2], "s": 'a"b'}
    assert "<p><why-line" not in html


def test_a_picture_is_a_drawing_without_words(project, line):
    html = project.convert("1. words\n\n    ::: picture chapter/line")
    assert '<div class="picture"><svg' in html
    assert 'aria-hidden="true"' in html
    assert "<figcaption" not in html


def test_data_that_no_browser_reads_are_a_mistake(project, line):
    project.snippet("explore = {'a': float('nan')}")
    assert "not JSON compliant" in project.convert("::: explore chapter/line")


def test_an_unknown_snippet_is_named(project, line):
    project.convert("words\n\n::: explore chapter/lime")
    assert "no snippet 'chapter/lime'; did you mean 'chapter/line'?" in project.log.text


def test_one_that_nothing_moves_is_a_mistake_until_its_script_is_there(project, line):
    """Else the strict build would publish something to drag that does not move."""
    project.snippet(name="chapter/lines")
    page = "words\n\n::: explore chapter/lines"
    project.build(page)
    script = "docs/assets/javascripts/why-lines.js"
    said = f"docs/chapter.md:3: nothing moves 'chapter/lines': write {script}, or show the figure"
    assert said in project.log.text
    assert "did you mean 'line'?" in project.log.text
    project.file(script, "")
    assert "<why-lines " in project.build(page).html
    assert not project.log.text
