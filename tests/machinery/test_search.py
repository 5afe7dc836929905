"""What search lists of a page: its sections, with the words of each."""

import pytest

from weave.pages.search import sections

pytestmark = pytest.mark.alone
FOLD = "<details class='depth'><summary>More</summary>{}</details>"


def test_a_page_is_divided_at_its_headings_and_its_title_begins_it():
    page = "<h1 id='t'>Title</h1><p>One.</p><h2 id='a'>A</h2><p>Two,\nthree.</p><p>Four.</p>"
    assert sections(page) == [("", "Title", "One."), ("a", "A", "Two, three. Four.")]


def test_what_stands_above_the_title_is_a_section_without_one():
    page = "<p>Zero.</p><h1 id='t'>Title</h1><p>One.</p>"
    assert sections(page) == [("", "", "Zero."), ("t", "Title", "One.")]


def test_a_section_within_a_fold_ends_with_it():
    inner = FOLD.format("<h3 id='b'>B</h3><p>Deep.</p><h3 id='c'>C</h3><p>Deeper.</p>")
    page = f"<h1 id='t'>T</h1><h2 id='a'>A</h2><p>One.</p>{inner}<p>Two.</p><h2 id='d'>D</h2>"
    assert sections(page) == [
        ("", "T", ""),
        ("a", "A", "One. More. Two."),
        ("b", "B", "Deep."),
        ("c", "C", "Deeper."),
        ("d", "D", ""),
    ]


def test_words_are_read_and_no_drawings_code_solutions_or_signs():
    page = (
        "<h1 id='t'>T <a class='headerlink'>§</a></h1>".replace("'", '"')
        + '<p>See <math alttext="d_k" aria-label="d_k"><mi>d</mi></math> &lt; <em>4</em>.<br></p>'
        + "<svg><text>drawn</text></svg><pre>code</pre>"
        + '<details class="fold"><summary>Solution</summary>secret</details>'
        + '<details class="numbers"><summary>Where</summary>listed</details>'
    )
    assert sections(page) == [("", "T", "See d_k < 4.")]


def test_what_stands_apart_is_not_run_together():
    """Cells, rows, items and titles of folds end; what ends by itself does not end twice."""
    rows = "<tr><th>Keys</th><th>rms</th></tr><tr><td>3</td><td>.4</td></tr>"
    page = (
        f"<h1 id='t'>T</h1><p>In short:</p><table>{rows}</table><ul><li>One</li><li><p>Two?</p>"
        "</li></ul><p>Use <code>nn.Linear</code>, <code>self.scale</code>.</p><p>So .5 (<em>he</em>"
        " said “no.”)</p>"
    )
    assert sections(page)[0].text == (
        "In short: Keys: rms. 3: .4. One. Two? Use nn.Linear, self.scale. So .5 (he said “no.”)"
    )
