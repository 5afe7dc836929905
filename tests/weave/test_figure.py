"""One SVG for both palettes: ink follows the text, series colours keep their contrast."""

import re
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from weave.errors import WeaveError
from weave.run.svg import INK
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


@pytest.mark.parametrize("colour", ["#000080", "#bcbd22"])
def test_navy_and_olive_would_not(colour):
    assert min(contrast(colour, background) for background in BACKGROUNDS) < 3


def test_the_stylesheet_has_these_backgrounds(pytestconfig):
    css = "".join(
        file.read_text() for file in pytestconfig.rootpath.glob("docs/assets/stylesheets/*.css")
    )
    assert all(background in css for background in BACKGROUNDS)


@pytest.fixture
def svg(project) -> str:
    project.snippet(
        draw="import matplotlib.pyplot as plt\n\nplt.plot([0, 1.23456], label='√d and $d_k$')\n"
        "plt.scatter([0.5], [0.5])\nplt.xlabel('d')\nplt.legend()\nplt.show()"
    )
    return project.run("chapter/line").svg


def test_ink_takes_the_colour_of_the_page(svg):
    assert "currentColor" in svg
    assert INK not in svg
    assert "#000000" not in svg
    assert SERIES[0].lstrip("#") in svg


def test_it_is_well_formed_and_names_its_alternative(svg):
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "chapter-line-alternative"
    assert root.get("viewBox") == "0 0 460.8 259.2"


def test_every_reference_stays_inside_the_figure(svg):
    ids = set(re.findall(r' id="([^"]+)"', svg))
    references = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    assert references
    assert references <= ids
    assert all(name.startswith("chapter-line-") for name in ids)


def test_it_needs_no_font_and_styles_nothing_outside(svg):
    assert "<text" not in svg
    assert "font-family" not in svg
    assert "<style" not in svg


def test_it_is_the_same_every_time(project, svg):
    project.forget()
    assert project.run("chapter/line").svg == svg


@pytest.mark.parametrize(
    ("draw", "count"),
    [("x = 1", 0), ("import matplotlib.pyplot as plt\n\nplt.figure()\nplt.figure()", 2)],
)
def test_no_figure_and_two_figures_are_refused(project, draw, count):
    project.snippet(draw=draw)
    with pytest.raises(WeaveError, match=f"line.py:10: one figure is needed; .* left {count}"):
        project.run("chapter/line")


def test_a_sign_that_the_font_lacks_is_refused(project):
    draw = "import matplotlib.pyplot as plt\n\nplt.title('\\u6f22')\nplt.show()"
    project.snippet(draw=draw)
    with pytest.raises(WeaveError, match=r"chapter/line\.py:1: UserWarning: Glyph 28450"):
        project.run("chapter/line")
