"""The site's fonts: those of the wheels in requirements.txt, cut down to the characters in use."""

import io
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

# The name on the site, and the file in the installed package, whose name the first folder bears.
FONTS = {
    "sans": "font_source_sans_pro/files/SourceSansPro-Regular.ttf",
    "sans-semibold": "font_source_sans_pro/files/SourceSansPro-Semibold.ttf",
    "serif": "font_source_serif_pro/files/SourceSerifPro-Regular.ttf",
    "serif-italic": "font_source_serif_pro/files/SourceSerifPro-It.ttf",
    "math": "ziamath/fonts/STIXTwoMath-Regular.ttf",
}

# What browsers apply by themselves. (STIX's own smaller exponents, `ssty`, are half its weight, and
# Chromium does not use them. A formula is laid out by the table MATH, and by no feature.)
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl"]

# TeX has these for bases of several letters alone, Chromium for single letters too: with STIX's own
# (160 and 230) the index of q would hang below that of k, and the square of d in a root touch its
# bar. With these no letter's depth or height moves a script.
SCRIPTS = {"SubscriptBaselineDropMin": -15, "SuperscriptBaselineDropMax": 470}

# Characters that the theme itself writes, whatever the pages say.
ALWAYS = "".join(map(chr, range(0x20, 0x7F))) + "  ©·×–—‘’“”…−√§"


def shipped(name: str) -> Path:
    """Find a font of the site in its installed package, without importing the package."""
    file = FONTS[name]
    return Path(str(distribution(file.partition("/")[0]).locate_file(file)))


def subset(source: Path, characters: str) -> bytes:
    """Cut a font down to some characters, with kerning, marks and mathematics: WOFF2, unhinted.

    The licence (OFL) reserves the name "Source": a changed font must not carry it, so only the
    copyright and licence entries of the name table stay.
    """
    # A tenth of a second to import, and needed only when a page brings a new character.
    from fontTools.subset import Options, Subsetter, load_font, save_font

    options = Options(
        flavor="woff2",
        layout_features=[] if "Math" in source.name else FEATURES,
        name_IDs=[0, 13, 14],
        notdef_outline=True,
        hinting=False,
    )
    font = load_font(str(source), options)
    cutter = Subsetter(options)
    cutter.populate(text=characters + ALWAYS)
    cutter.subset(font)
    keep_widths(font)
    if "MATH" in font:
        for constant, value in SCRIPTS.items():
            getattr(font["MATH"].table.MathConstants, constant).Value = value
    file = io.BytesIO()
    save_font(font, file, options)
    return file.getvalue()


def keep_widths(font: Any) -> None:
    """Have no glyph take its width from a part: where FreeType hints, “ would be half as wide."""
    from fontTools.ttLib.tables._g_l_y_f import USE_MY_METRICS

    glyphs = font["glyf"]
    for name in font.getGlyphOrder():
        for part in glyphs[name].components if glyphs[name].isComposite() else ():
            part.flags &= ~USE_MY_METRICS
