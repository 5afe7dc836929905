"""The fonts hold the characters of the pages, and no more than they need."""

import io

import pytest
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._g_l_y_f import USE_MY_METRICS

from weave.embeds.formula import to_mathml
from weave.pages import web_fonts
from weave.pages.web_fonts import write_fonts
from weave.project import Project as Woven
from weave.run import fonts


@pytest.fixture(scope="module")
def made():
    return {name: web_fonts.subset(fonts.shipped(name), "é𝑑ℎ") for name in fonts.FONTS}


def font(made, name) -> TTFont:
    return TTFont(io.BytesIO(made[name]))


def characters(made, name) -> set[str]:
    return set(map(chr, font(made, name).getBestCmap()))


def test_a_sign_in_use_is_there_and_another_is_not(made):
    assert "é" in characters(made, "serif")
    assert "è" not in characters(made, "serif")
    assert set("abcXYZ019") <= characters(made, "sans")


def test_letters_of_a_formula_come_in_the_italic_that_browsers_take(tmp_path, monkeypatch):
    monkeypatch.setattr(web_fonts, "ON_THE_SITE", ("math",))
    page = to_mathml(r"\sum_i \sqrt{d_k} h \alpha", display=False)
    (tmp_path / "index.html").write_text(page, "utf-8")
    write_fonts(Woven(tmp_path), tmp_path)
    math = TTFont(tmp_path / "assets/fonts/math.woff2")
    assert set("𝑑𝑘ℎ𝛼∑√") <= set(map(chr, math.getBestCmap()))
    assert "𝑞" not in set(map(chr, math.getBestCmap()))


def narrowed(font: TTFont) -> list[str]:
    """Name the glyphs that have the width of a part of theirs, and another of their own."""
    glyphs = {name: font["glyf"][name] for name in font.getGlyphOrder()}
    return [
        name
        for name, glyph in glyphs.items()
        for part in (glyph.components if glyph.isComposite() else [])
        if part.flags & USE_MY_METRICS and font["hmtx"][part.glyphName] != font["hmtx"][name]
    ]


def test_a_sign_made_of_parts_keeps_its_own_width(made):
    assert "percent" in narrowed(TTFont(fonts.shipped("serif")))
    assert not [glyph for name in made for glyph in narrowed(font(made, name))]


def test_a_changed_font_does_not_carry_the_reserved_name(made):
    for name in made:
        kept = {entry.nameID for entry in font(made, name)["name"].names}
        assert {0, 13} <= kept
        assert not kept & {1, 3, 4, 6, 16, 18, 20, 21}


def test_fonts_are_made_once_for_the_same_signs(tmp_path, monkeypatch):
    """Which characters there are is asked at each build; cutting takes a second."""
    made = []
    monkeypatch.setattr(web_fonts, "ON_THE_SITE", ("sans",))
    monkeypatch.setattr(
        web_fonts, "subset", lambda _, characters: made.append(characters) or b"font"
    )
    for text in ("Café.", "fa.Caéf", "Cafè.", "Cafè."):
        (tmp_path / "index.html").write_text(text)
        write_fonts(Woven(tmp_path), tmp_path)
        assert (tmp_path / "assets/fonts/sans.woff2").read_bytes() == b"font"
    assert [set("éè").intersection(characters) for characters in made] == [{"é"}, {"è"}]
