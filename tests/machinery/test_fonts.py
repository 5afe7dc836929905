"""The fonts hold the signs of the pages, and no more than they need."""

import io

import pytest
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._g_l_y_f import USE_MY_METRICS

from weave.embeds.crossrefs import signs_in
from weave.pages.published import published
from weave.project import Project as Woven
from weave.run import fonts


@pytest.fixture(scope="module")
def made():
    signs = "".join({"é", *signs_in(r"$\sum_i \sqrt{d_k} h \alpha$")})
    return {name: fonts.subset(fonts.shipped(name), signs) for name in fonts.FONTS}


def font(made, name) -> TTFont:
    return TTFont(io.BytesIO(made[name]))


def signs(made, name) -> set[str]:
    return set(map(chr, font(made, name).getBestCmap()))


def test_a_sign_in_use_is_there_and_another_is_not(made):
    assert "é" in signs(made, "serif")
    assert "è" not in signs(made, "serif")
    assert set("abcXYZ019") <= signs(made, "sans")


def test_letters_of_a_formula_come_in_the_italic_that_browsers_take(made):
    assert set("𝑑𝑘ℎ𝛼∑√") <= signs(made, "math")
    assert "𝑞" not in signs(made, "math")


def narrowed(font: TTFont) -> list[str]:
    """Name the signs that have the width of a part of theirs, and another of their own."""
    glyphs = {name: font["glyf"][name] for name in font.getGlyphOrder()}
    return [
        name
        for name, glyph in glyphs.items()
        for part in (glyph.components if glyph.isComposite() else [])
        if part.flags & USE_MY_METRICS and font["hmtx"][part.glyphName] != font["hmtx"][name]
    ]


def test_a_sign_made_of_parts_keeps_its_own_width(made):
    assert "percent" in narrowed(TTFont(fonts.shipped("serif")))
    assert not [sign for name in made for sign in narrowed(font(made, name))]


def test_mathematics_keeps_its_table(made):
    assert "MATH" in font(made, "math")


def test_a_changed_font_does_not_carry_the_reserved_name(made):
    for name in made:
        kept = {entry.nameID for entry in font(made, name)["name"].names}
        assert {0, 13} <= kept
        assert not kept & {1, 3, 4, 6, 16, 18, 20, 21}


def test_fonts_are_made_once_for_the_same_signs(tmp_path, monkeypatch):
    """Which signs there are is asked at each build; cutting takes a second."""
    made = []
    monkeypatch.setattr(fonts, "FONTS", {"sans": fonts.FONTS["sans"]})
    monkeypatch.setattr(fonts, "subset", lambda _, signs: made.append(signs) or b"font")
    (tmp_path / "docs").mkdir()
    for text in ("Café.", "A café, éa.", "Cafè.", "Cafè."):
        (tmp_path / "docs/index.md").write_text(text)
        assert published(Woven(tmp_path)) == {"assets/fonts/sans.woff2": b"font"}
    assert [set("éè").intersection(signs) for signs in made] == [{"é"}, {"é"}, {"è"}]


def test_fonts_are_small(made):
    assert sum(map(len, made.values())) < 200_000
