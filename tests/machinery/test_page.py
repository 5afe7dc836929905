"""A page's figures, values and formulas; code left alone; mistakes named by page and line."""

import re
from html import escape

import pytest

from weave.engines.serving import UnreadableError


def test_a_figure_comes_with_caption_alternative_and_code(project):
    project.snippet()
    html = project.convert("::: chapter/line")
    assert '<figure id="figure-chapter-line">' in html
    assert re.search(r"<figcaption>\s*<p>A line through the origin.</p>", html)
    named = (
        'role="img" aria-labelledby="chapter-line-alternative"><desc id="chapter-line-alternative">'
    )
    assert f"{named}One straight line" in html
    shown, folded = html.split("<details>")
    assert "highlight" not in shown
    assert folded.startswith("<summary>The code, and files to take away</summary>")
    assert folded.index("slope") < folded.index("plt")
    assert 'href="snippets/chapter/line.py"' in folded


def test_a_figure_stands_in_a_list_or_an_admonition(project):
    project.snippet()
    html = project.build("# C\n\n!!! note\n    Look:\n\n    ::: chapter/line\n\n    After.\n").html
    note = html[html.index("admonition note") :]
    assert note.index("<figure") < note.index("After.") < note.index("</div>\n</div>\n")


def test_in_plain_text_a_figure_is_words_and_braces_and_code_stay(project):
    project.snippet("slope = 1  # a --> b")
    project.build("# T\n\n::: chapter/line\n\nOf {1, 2} it is `<!-- a -->`.<!-- b -->\n")
    text = (project.root / "site/chapter.md").read_text()
    assert "**What it shows.** One straight line" in text
    assert text.endswith("Of {1, 2} it is `<!-- a -->`.\n")
    assert "slope" not in text


@pytest.mark.parametrize(
    ("value", "html"),
    [
        ("line.std[64]", ">8</a>"),
        ("line.std[64] :.2f", ">8.00</a>"),
        ("line.both :.2f", ">8.00\u00a0±\u00a00.25</a>"),
        ("line.arrays['a'][-1] :.1f", ">3.0</a>"),
        ("line.pairs['a', 4] :.1f", ">5.0</a>"),
        ("chapter/line.std[64] :.1f", ">8.0</a>"),
        ("line.small :.1e", ">1.8 × 10<sup>-11</sup></a>"),
        ("line.below :.1f", ">−2.0</a>"),
    ],
)
def test_a_value_is_computed_and_says_where(project, value, html):
    project.snippet(
        "import numpy as np\n\nstd = {4: 2.0, 64: 8.0}\nsmall, below = 1.8e-11, -2.0\n"
        "both = 8.0, 0.25\narrays, pairs = {'a': np.array([2.0, 3])}, {('a', 4): 5.0}"
    )
    page = project.build(f"It is {{= {value} }} now.").html
    assert html.replace("-11", "−11") in page
    assert (
        'href="#numbers-chapter-line" tabindex="-1" data-value="' + escape(value.partition(" :")[0])
        in page
    )
    assert '<em id="numbers-chapter-line">chapter/line</em>' in page  # at the page's end
    assert 'href="../snippets/chapter/line.py">the script</a>' in page


def test_what_can_be_shown_can_be_quoted_and_named_in_its_caption(project):
    project.snippet("share = 0.5", name="chapter/my-coins")
    script = project.root / "snippets/chapter/my-coins.py"
    script.write_text(script.read_text().replace("the origin", "{= share }"))
    page = project.build("# C\n\n::: chapter/my-coins\n\nIt is {= my-coins.share :.2f }.")
    assert page.warnings == []
    assert "A line through <data" in page.html
    assert 'data-value="my-coins.share">0.50</a>' in page.html


def test_numbers_name_the_tables_that_were_measured_beforehand(project):
    project.file("snippets/chapter/heights.csv", "1,2\n")
    table = "Path(__file__).with_name('heights.csv')"
    project.snippet(
        f"from pathlib import Path\n\nhigh = len({table}.read_text())", name="chapter/tall"
    )
    project.snippet("std = 2.0")
    page = project.build("They are {= tall.high } and {= line.std }.").html
    tall, line = page.partition('<em id="numbers-chapter-tall">')[2].split("</li>")[:2]
    assert tall.endswith(
        'from <a href="../snippets/chapter/heights.csv">heights.csv</a>, measured beforehand'
    )
    assert "measured" not in line


def test_a_value_in_the_words_of_a_link_is_none_itself(project):
    project.snippet("std = 2.5")
    html = project.build("# T\n\n[With {= line.std }](#t), {= line.std } and [no more](#t).").html
    assert re.search('<a href="#t">With <data [^>]*>2.5</data></a>, <a class="computed"', html)


def test_values_stand_in_tables_and_formulas(project):
    project.snippet("std = 2.5\nmany = 4096\nsmall = 2e-9")
    html = project.convert(
        "| a | b |\n|---|---|\n| $|x|$ | {= line.std } |\n\n"
        "$x = {= line.many :, }$ and $y={= line.small :.0e }$".replace("= line", "= chapter/line")
    )
    assert html.count("<td>") == 2
    assert "2.5</data>" in html
    assert "<mn>4,096</mn>" in re.sub("</mn><mo[^>]*>,</mo><mn>", ",", html)
    assert "<mn>10</mn>" in html


@pytest.mark.parametrize(
    "code",
    [
        "`{= line.slope } $x$ ::: chapter/line`",
        "``a ` {= line.slope }``",
        "```python\nprint('{= line.slope } $x$')\n\n::: chapter/line\n```",
        "~~~\n$x$ {= line.slope }\n~~~",
        "<!-- {= line.slope } $x$ -->",
        "<pre>\n$x$ {= line.slope }\n</pre>",
    ],
)
def test_code_is_left_alone(project, code):
    html = project.convert(f"Before\n\n{code}\n\nAfter")
    assert "<math" not in html
    assert "<data" not in html
    assert "<figure" not in html
    assert "weave-error" not in html


def test_money_is_no_formula(project):
    html = project.convert(r"It costs $5 and $6, or \$7 and \$8.")
    assert "<math" not in html
    assert "$7 and $8" in html


def test_a_full_stop_stays_with_its_formula(project):
    assert re.search(r'<span class="formula"><math.*</math>\.</span>', project.convert("See $x$."))


def test_a_result_has_a_name_to_link_to_and_shows_none(project):
    html = project.convert("$$\n\\label{the-root}\n\\sqrt{d_k}\n$$")
    assert '<div class="formula" id="formula-the-root"><math alttext="\\sqrt{d_k}"' in html
    assert "the-root" not in html.split("<math")[1]
    html = project.convert("$$\n\\label{the-root}\n\\bad\n$$")
    assert "page:3" in html


MISTAKES = {
    "::: chapter/lime": "no snippet 'chapter/lime'; did you mean 'chapter/line'?",
    "{= lime.slope }": "no snippet 'chapter/lime'; did you mean 'chapter/line'?",
    "{= line.slop }": "'chapter/line' has no result 'slop'; did you mean 'slope'?",
    "{= line.std[65] }": "no key 65; did you mean '64'?",
    "{= line.slope :.1q }": "Unknown format code 'q'",
    "{= line. }": "'line.' is no name of a result",
    "{= line.std }": "'{= line.std }': TypeError: this is a dict; a page prints a finite number",
    "{= line.never }": "'{= line.never }': TypeError: this is nan; a page prints a finite number",
    "{= 3.7 }": "'3.7' is no name of a result; what is computed has a name",
    "{= line.slope / 2 }": "'line.slope / 2' is no name of a result",
    "{= line.falling[:2] }": "'{= line.falling[:2] }': SyntaxError: invalid syntax",
    "{= line.falling[3] }": "'{= line.falling[3] }': IndexError: index 3 is out of bounds",
    "{= line.three }": "'{= line.three }': ValueError: too many values to unpack",
    "| {= d } | {for d in line.stds} |": "'d' is no name of a result",
    "| {= d } | {for d in line.stds}": "'chapter/line' has no result 'stds'; did you mean 'std'?",
    "| {= d } | {for d in line.slope}": "'line.slope' is one value: rows take a list or a dict",
    "| {= a } | {for a, b in line.three}": "'1' is no 2 values: a, b",
    "| {= a } | {for a in (1, x)}": "'| {= a } | {for a in (1, x)}': ValueError: malformed",
    "{= line.large :.2f }": "OverflowError: int too large",
    "{= line.longest }": "'longest' of 'chapter/line' Exceeds the limit",
    "{= line.function }": "'function' of 'chapter/line' is no result",
    "{=line.slope}": "a value is written {= snippet.result }",
    "{= line.slope": "a value is written {= snippet.result }",
    ":::chapter/line": "this stands alone on its line",
    "::: chapter/line {.wide}": "this stands alone on its line",
    "- ::: chapter/line": "this stands alone on its line",
    r"$$ a \text{ if $x$ } b $$": "this $ has no partner",
    "{= open('x').name }": "'open('x').name' is no name of a result",
    r"$\bad{x}$": r"formula '\bad{x}': Unknown command",
    "Text $$x$$": "$$…$$ shares a line with text",
    "$$\nx\n$$": None,
}


def of_line(warnings: list[str], line: int) -> str:
    """Join what is said of a line of the chapter; of several lines it may be said at once."""
    at = f"docs/chapter.md:{line}"
    return "\n".join(said for said in warnings if at in said.partition(": ")[0].split(", "))


@pytest.mark.parametrize("front_matter", ["", "---\ntitle: T\n---\n\n"])
def test_a_mistake_names_page_and_line(project, front_matter):
    """All on one page, so that none may hide another or what stands between them."""
    project.snippet(
        "import numpy as np\nslope = 1.0\nstd = {64: 8.0}\nfalling = np.array([3, 2, 1])\n"
        "large, longest = 10**400, 10**5000\n"
        "never = float('nan')\nfunction = len\nthree = (1, 2, 3)\nnames = ['x|y']"
    )
    page, lines = f"{front_matter}# Title\n\n```python\n$x$\n```\n\n", {}
    for mistake in MISTAKES:
        lines[mistake] = page.count("\n") + 1
        page += f"{mistake}\n\nAfter line {lines[mistake]}.\n\n"
    built = project.build(page)
    said = {mistake: of_line(built.warnings, line) for mistake, line in lines.items()}
    assert {m: said[m] for m, message in MISTAKES.items() if (message or "") not in said[m]} == {}
    for mistake, line in lines.items():
        assert bool(said[mistake]) == (MISTAKES[mistake] is not None), mistake
        boxed = f'class="weave-error"><b>docs/chapter.md:{line}</b>' in built.html
        assert boxed == bool(said[mistake]), mistake
        assert f"After line {line}." in built.html, mistake


def test_a_mistake_inside_a_long_formula_has_its_own_line(project):
    built = project.build("# T\n\n$$\nx \\\\\ny + \\nope\n$$\n")
    assert built.warnings[0].startswith("docs/chapter.md:5: formula")


def test_a_display_formula_right_below_text_is_a_paragraph_of_its_own(project):
    html = project.convert("Text:\n$$\nx\n$$\nmore")
    assert re.search(r"<p>Text:</p>\s*<div class=\"formula\">.*</div>\s*<p>more</p>", html)


def test_the_same_figure_twice_is_a_mistake(project):
    project.snippet()
    built = project.build("# T\n\n::: chapter/line\n\n::: chapter/line\n")
    [warning] = built.warnings
    assert warning.startswith("docs/chapter.md:5: figure 'chapter/line' stands on this page")


def test_a_mistake_in_a_caption_names_the_snippet(project):
    project.snippet()
    script = project.root / "snippets/chapter/line.py"
    script.write_text(script.read_text().replace('"""A line', r'r"""A $\bad$ line'))
    built = project.build("# T\n\n::: chapter/line\n")
    assert built.warnings[0].startswith("docs/chapter.md:3: snippets/chapter/line.py:1: formula")


def test_a_chapter_with_a_hyphen_is_quoted_elsewhere(project):
    project.snippet("slope = 2.5")
    project.snippet("slope = 7.0", name="my-model/line")
    page = project.build("{= my-model/line.slope } {= my-modal/line.slope }.\n")
    assert page.warnings == [
        "docs/chapter.md:1: no snippet 'my-modal/line'; did you mean 'my-model/line'?"
    ]
    assert ">7</a> <" in page.html


def test_a_mistake_that_stands_again_is_named_again_and_nothing_that_follows_from_it(project):
    """At first with what is near in the chapter; and 64 is no mistake of the author's."""
    project.snippet()
    text = (
        "At 64 it is {= lime.slope }.\n\nIt is {= line.slope }.\n\n{= lime.slope } {= lime.std }\n"
    )
    missing = "no snippet 'chapter/lime'; did you mean 'chapter/line'?"
    assert project.build(text).warnings == [
        f"docs/chapter.md:1: {missing}",
        f"docs/chapter.md:5: the same again: {missing}",
    ]
    assert "docs/chapter.md:1: no code knows 64" in "".join(
        project.build(text.replace("lime", "line")).warnings
    )


def test_a_number_beside_a_key_that_looks_like_a_result_is_checked(project):
    project.snippet('spread = {"nn.Linear": 0.5}')
    (warning,) = project.build("At 64 it is {= line.spread['nn.Linear'] }.\n").warnings
    assert warning.startswith("docs/chapter.md:1: no code knows 64")


def test_what_is_near_is_near_within_its_chapter(project):
    project.snippet(name="chapter/bias")
    project.snippet(name="other/tails")
    warnings = project.build("::: chapter/tails\n\n::: chapter/slow\n").warnings
    assert warnings == [
        "docs/chapter.md:1: no snippet 'chapter/tails'; did you mean 'other/tails'?",
        "docs/chapter.md:3: no snippet 'chapter/slow'; there are bias",
    ]


def test_a_template_with_a_merge_that_is_not_finished_stops_the_build(project):
    project.more = "theme: {name: mkdocs, custom_dir: overrides}\n"
    project.file("overrides/part.html", "<p>one</p>\n")
    project.build("# T\n")
    project.file(
        "overrides/part.html", "<<<<<<< HEAD\n<p>one</p>\n=======\n<p>two</p>\n>>>>>>> b\n"
    )
    with pytest.raises(UnreadableError, match=r"^overrides/part\.html:1: '<<<<<<<' is left"):
        project.build("# T\n")


def test_a_link_into_a_page_with_a_mistake_is_not_called_wrong(project):
    project.more = "validation: {anchors: warn}\n"
    project.snippet()
    project.file("docs/other.md", "# Other\n\n[The line](chapter.md#figure-line)\n")
    assert len(project.build("# T\n\n::: chapter/lime\n").warnings) == 1
    assert project.build("# T\n\n::: chapter/line\n").warnings == []
    (anchor,) = project.build("# T\n").warnings
    assert "'chapter.md#figure-line'" in anchor


def test_a_link_that_leads_nowhere_has_a_box_behind_it(project):
    project.more = "validation: {anchors: warn}\n"
    project.file("docs/other.md", "# Other\n\n## There\n")
    anchors, files = "[one](#two), [two](other.md#her)", "[three](three.md), ![four](four.png)"
    for text, count in ((f"{anchors}, {files}", 4), (anchors, 2), (anchors, 2)):  # which is kept
        built = project.build(f"# T\n\n{text}.\n")
        assert len(built.warnings) == count
        boxes = re.findall(r'(?:</a>|/>) <span class="weave-error"><b>([^<]+)', built.html)
        assert boxes == count * ["docs/chapter.md:3"]
        [two] = [said for said in built.warnings if "other.md#her" in said]
        assert two.endswith(": docs/other.md has no '#her'; did you mean '#there'?")


def test_one_line_stands_for_the_rows_of_a_table(project):
    project.snippet(
        "std = {4: 2.0, 64: 8.0}\nrows = [('at $d$', (1.5, 0.1)), ('*none*', (2, 0.2))]"
    )
    above = "| a | b |\n|---|---|\n"
    html = project.build(
        f"{above}| {{= d :03d }} | {{= line.std[d] :.1f }} | {{for d in line.std}}\n"
    ).html
    rows = re.findall(r"<tr>\s*<td>(.*?)</td>\s*<td>(.*?)</td>\s*</tr>", html)
    assert [re.sub("<[^>]*>", "", " ".join(row)) for row in rows] == ["004 2.0", "064 8.0"]
    html = project.build(
        f"{above}| {{= name }} | {{= it :.1f }} | {{for name, it in line.rows}}\n\nAfter $x$.\n"
    ).html
    first, second = re.findall(r"<tr>\s*<td>(.*?)</td>\s*<td>(.*?)</td>\s*</tr>", html)
    assert "<math" in first[0]
    assert second[0] == "<em>none</em>"
    assert ">2.0\u00a0±\u00a00.2</data>" in second[1]
