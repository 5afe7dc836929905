"""One SVG for both palettes: ink follows the text, series colours keep their contrast."""

import re
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

from weave.basics.errors import WeaveError
from weave.run.drawn import require_marks
from weave.run.svg import INK, in_steps
from weave.run.worker import STYLE

SERIES = [entry["color"] for entry in mpl.rc_params_from_file(str(STYLE))["axes.prop_cycle"]]
# What the theme shows behind a figure in its two palettes; colour.css must say the same.
BACKGROUNDS = ["#fffdf8", "#14171c"]


def luminance(colour: str) -> float:
    """Give the relative luminance of WCAG 2.1 for a colour such as #2f7fc1."""
    channels = [int(colour.lstrip("#")[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("colour", SERIES)
def test_series_stand_out_on_both_backgrounds(colour, background):
    assert contrast(colour, background) >= 3


@pytest.mark.parametrize(("palette", "background"), [("light", 0), ("dark", 1)])
def test_text_in_the_colour_of_a_series_can_be_read(pytestconfig, palette, background):
    css = (pytestconfig.rootpath / "docs/assets/stylesheets/colour.css").read_text()
    colours = re.findall(r"--series-\d: light-dark\((#\w+), (#\w+)\);", css)
    assert len(colours) == len(SERIES)
    ours, lines = [pair[background] for pair in colours], [f"#{c.lstrip('#')}" for c in SERIES]
    assert min(contrast(colour, BACKGROUNDS[background]) for colour in ours) >= 4.5
    assert min(contrast(colour, BACKGROUNDS[background]) for colour in lines) < 4.5


@pytest.fixture
def svg(project) -> str:
    project.snippet(
        draw="import matplotlib.pyplot as plt\n\nplt.plot([0, 1.23456], label='√d and $d_k$')\n"
        "plt.scatter([0.5], [0.5])\nplt.text(0, 1, 'rises', color='C1')\n"
        "plt.xlabel('d')\nplt.legend()\nplt.show()"
    )
    return project.run("chapter/line").svg


def test_ink_takes_the_colour_of_the_page(svg):
    assert "currentColor" in svg
    assert INK not in svg
    assert "#000000" not in svg
    assert SERIES[0].lstrip("#") in svg


def test_it_is_well_formed_and_has_its_size(svg):
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") == "0 0 460.8 259.2"


def test_every_id_is_referred_to_and_stays_inside_the_figure(svg):
    ids = re.findall(r' id="([^"]+)"', svg)
    references = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    assert references
    assert references == set(ids)
    assert len(ids) == len(references)
    assert all(name.startswith("chapter-line-") for name in ids)


def letters(svg: str) -> list[str]:
    return ["".join(e.itertext()) for e in ElementTree.fromstring(svg).iter("text")]


def test_its_letters_are_text_that_can_be_found(svg):
    assert "d" in letters(svg)
    assert "√d and dk" in [text.replace("\xa0", " ") for text in letters(svg)]
    assert "<text x=" in svg
    assert re.search(r'<text [^>]*class="C1"[^>]*>rises</text>', svg)


def test_it_styles_nothing_and_a_strict_policy_lets_it_be(svg):
    for word in (" style=", "<style", "font-family", "<metadata", "<g>", "DejaVu"):
        assert word not in svg


def test_numbers_are_no_finer_than_the_eye(svg):
    places = re.findall(r' (?:d|x|y|transform|points)="([^"]+)"', svg)
    assert len(places) > 20
    assert not re.search(r"\d\.\d\d", " ".join(places))


def test_text_is_large_enough_on_a_phone():
    """The drawing is then as wide as a phone of 390 pixels, less the margins of the page."""
    style = mpl.rc_params_from_file(str(STYLE), use_default_template=False)
    scale = (390 - 2 * 12) / (style["figure.figsize"][0] * 72)
    sizes = [
        value
        for key, value in style.items()
        if key.endswith(("size", "fontsize"))
        and isinstance(value, float)
        and not key.startswith("lines")
    ]
    assert len(sizes) >= 5
    assert min(sizes) * scale >= 12
    assert 12.5 * scale < 12  # which it was


def test_a_sign_that_the_font_lacks_is_refused(project):
    draw = "import matplotlib.pyplot as plt\n\nplt.plot([1])\nplt.title('\\u6f22')\nplt.show()"
    project.snippet(draw=draw)
    with pytest.raises(WeaveError, match=r"chapter/line\.py:1: UserWarning: Glyph 28450"):
        project.run("chapter/line")


def with_marks(draw: str) -> Figure:
    """Draw a line in one of two panels, and something else."""
    figure, (one, two) = plt.subplots(1, 2)
    one.plot([1])
    exec(draw, {"figure": figure, "one": one, "two": two})
    plt.close(figure)
    return figure


@pytest.mark.parametrize(
    "draw",
    [
        "two.text(0, 0, 'words')",
        "two.table([['1']])",
        "two.bar([1], [2])",
        "figure.colorbar(two.pcolormesh([[1, 2], [3, 4]]))",
        "two.contour([[1, 2], [3, 4]])",
        "two.inset_axes([0, 0, 1, 1]).plot([1])",
        "two.axis('off')",  # a place that is left free
        "two.remove(), one.twinx().set_ylim(0, 2)",  # a second scale
        "one.remove(), two.remove(), figure.text(0, 0, 'words')",
    ],
)
def test_marks_of_all_kinds_are_known(draw):
    require_marks(with_marks(draw), "", "")


@pytest.mark.parametrize(
    ("draw", "flaw"),
    [
        ("two.plot([], [])", "panel 2 has"),
        ("two.scatter([float('nan')], [1]), two.set_title('words')", "panel 2 has"),
        ("one.remove()", "the axes have"),
        ("one.remove(), two.remove()", "the figure has"),
    ],
)
def test_a_panel_without_marks_is_refused_with_the_words_of_the_alternative(draw, flaw):
    with pytest.raises(WeaveError, match=f"line:1: the alternative says 'It rises', and {flaw} no"):
        require_marks(with_marks(draw), "line:1", "It rises")


def places(path: str) -> list[tuple[float, float]]:
    """Follow a path of steps, and give the points where it arrives."""
    x = y = 0.0
    found, start = [], (0.0, 0.0)
    for letter, numbers in re.findall(r"([mlcqz])([^a-z]*)", path):
        by = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", numbers)]
        if letter == "z":
            x, y = start
        else:
            x, y = x + by[-2], y + by[-1]
            found.append((round(x, 1), round(y, 1)))
            start = found[-1] if letter == "m" else start
    return found


def test_a_path_is_written_short_and_leads_to_the_same_places():
    path = "M 12.34 0.04 L 12.34 9 L 3 9 L -0.5 -0.25 z M 1 1 Q 2 2 3 1.5 C 4 4 5 5 10 20 z L 2 3"
    assert in_steps(path) == "m12.3 0l0 9l-9.3 0l-3.5-9.2zm-11.3 1q1 1 2 .5c1 2.5 2 3.5 7 18.5zl1 2"
    arrivals = [(12.3, 0), (12.3, 9), (3, 9), (-0.5, -0.2), (1, 1), (3, 1.5), (10, 20), (2, 3)]
    assert places(in_steps(path)) == arrivals
    assert places(in_steps(path.replace("10 20", "10 20.1"))) != arrivals


QUOTING = '''"""The slope is {= slope :.2f }.

It rises by {= std[64] :.0f }, from {= low :.0e } on:
{= other.slope :.1f } there, and {= pair :.1f }.
"""

# %%
slope, low, std, pair = 1.5, -2e-7, {64: 8.0}, (2.0, 0.5)

# %%
import matplotlib.pyplot as plt

plt.plot([0, 1])
plt.show()
'''


def test_caption_and_alternative_quote_results(project):
    project.snippet("slope = 3.0", name="chapter/other")
    project.file("snippets/chapter/line.py", QUOTING)
    built = project.build("# C\n\n::: chapter/line\n")
    assert built.warnings == []
    [words] = re.findall(r"<desc [^>]*>(.*?)</desc>", built.html)
    assert words == "It rises by 8, from −2 × 10^−7 on: 3.0 there, and 2.0\u00a0±\u00a00.5."
    assert re.search(r"<p>The slope is <data [^>]*>1.50</data>\.</p>", built.html)


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ("{= slope :.2f }", "{= slop :.2f }", ":1: 'chapter/line' has no result 'slop'"),
        ("{= low :.0e }", "{= slop }", ":3: 'chapter/line' has no result 'slop'"),
        ("{= pair :.1f }", "{= std[32] }", ":4: 'std[32]': no key 32; there are 64"),
        ("{= pair :.1f }", "{= std }", ":4: '{= std }': TypeError: this is a dict"),
    ],
)
def test_what_is_no_result_is_named_with_its_line_in_the_script(project, old, new, mistake):
    project.snippet("slope = 3.0", name="chapter/other")
    project.file("snippets/chapter/line.py", QUOTING.replace(old, new))
    built = project.build("# C\n\n::: chapter/line\n")
    [found] = built.warnings
    assert found.startswith(f"docs/chapter.md:3: snippets/chapter/line.py{mistake}")


def test_a_script_to_download_has_its_numbers_filled_in(project):
    project.snippet("slope = 3.0", name="chapter/other")
    project.file("snippets/chapter/line.py", QUOTING)
    project.build("# C\n\n::: chapter/line\n")
    script = (project.root / "site/snippets/chapter/line.py").read_text("utf-8")
    assert script.startswith('"""The slope is 1.50.\n\nIt rises by 8, from −2 × 10^')
    assert script.partition("# %%")[2] == QUOTING.partition("# %%")[2]
