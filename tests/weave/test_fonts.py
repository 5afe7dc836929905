"""The fonts hold the signs of the pages, and no more than they need."""

import pytest
from fontTools.ttLib import TTFont

from weave import fonts
from weave.site import signs_of


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fonts")
    fonts.make(folder, {"é", *signs_of(r"\sum_i \sqrt{d_k} h \alpha")})
    return folder


def signs(folder, name) -> set[str]:
    return set(map(chr, TTFont(folder / f"{name}.woff2").getBestCmap()))


def test_a_sign_in_use_is_there_and_another_is_not(made):
    assert "é" in signs(made, "serif")
    assert "è" not in signs(made, "serif")
    assert set("abcXYZ019") <= signs(made, "sans")


def test_letters_of_a_formula_come_in_the_italic_that_browsers_take(made):
    assert set("𝑑𝑘ℎ𝛼∑√") <= signs(made, "math")
    assert "𝑞" not in signs(made, "math")


def test_mathematics_keeps_its_table(made):
    assert "MATH" in TTFont(made / "math.woff2")


def test_a_changed_font_does_not_carry_the_reserved_name(made):
    for file in made.glob("*.woff2"):
        kept = {entry.nameID for entry in TTFont(file)["name"].names}
        assert {0, 13} <= kept
        assert not kept & {1, 3, 4, 6, 16, 18, 20, 21}


def test_fonts_are_made_once_for_the_same_signs(made):
    before = (made / "serif.woff2").stat().st_mtime_ns
    fonts.make(made, {"é", *signs_of(r"\sum_i \sqrt{d_k} h \alpha")})
    assert (made / "serif.woff2").stat().st_mtime_ns == before
    fonts.make(made, {"è"})
    assert "è" in signs(made, "serif")


def test_fonts_are_small(made):
    assert sum(file.stat().st_size for file in made.glob("*.woff2")) < 200_000
