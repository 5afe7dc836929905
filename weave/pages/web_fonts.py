"""The fonts that a browser loads: those of the site, cut down to the characters in use.

While serving they are whole: nobody loads them from afar, and an author who types a new character
need not wait until they are cut again.
"""

import io
import re
from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

from weave.project import Project, digest
from weave.run import fonts

ON_THE_SITE = tuple(fonts.FONTS)
# What browsers apply by themselves. (STIX's own smaller exponents, `ssty`, are half its weight, and
# Chromium does not use them. A formula is laid out by the table MATH, and by no feature.)
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl"]

# TeX has these for bases of several letters alone, Chromium for single letters too: with STIX's own
# (160 and 230) the index of q would hang below that of k, and the square of d in a root touch its
# bar. With these no letter's depth or height moves a script.
SCRIPTS = {"SubscriptBaselineDropMin": -15, "SuperscriptBaselineDropMax": 470}

# Characters that the theme itself writes, whatever the pages say.
ALWAYS = "".join(map(chr, range(0x20, 0x7F))) + "  ©·×–—‘’“”…−√§"

VARIABLE = re.compile("<mi>(.)</mi>")
UNSEEN = re.compile(r' (?:alttext|aria-label)="[^"]*"')
# The italic form that a browser takes for a variable. Unicode had ℎ before the others.
ITALIC = {
    normalize("NFKC", italic): italic
    for italic in map(chr, [0x210E, *range(0x1D434, 0x1D468), *range(0x1D6FC, 0x1D715)])
}


def write_whole_fonts(site: Path) -> None:
    """Write the fonts of a site that is served."""
    for name in ON_THE_SITE:
        write(name, whole(name), site)


@cache
def whole(name: str) -> bytes:
    """Give a font as it is shipped, but that it sets formulas as the site wants them."""
    from fontTools.ttLib import TTFont

    font = TTFont(fonts.shipped(name), lazy=True, recalcBBoxes=False, recalcTimestamp=False)
    if "MATH" not in font:
        return fonts.shipped(name).read_bytes()
    mend_scripts(font)
    file = io.BytesIO()
    font.save(file, reorderTables=None)
    return file.getvalue()


def write_fonts(project: Project, site: Path) -> None:
    """Write the fonts of a built site, cut down to the characters that its pages show."""
    found: set[str] = set()
    for page in site.rglob("*.html"):
        text = UNSEEN.sub("", page.read_text("utf-8"))
        found.update(text, (ITALIC.get(letter, letter) for letter in VARIABLE.findall(text)))
    characters = "".join(sorted(found))

    def cut() -> dict[str, str]:
        made = {name: subset(fonts.shipped(name), characters) for name in ON_THE_SITE}
        return {name: b64encode(font).decode() for name, font in made.items()}

    made = project.keep("fonts", "machinery pages", cut, {"characters": digest(characters)})
    for name, font in made.items():
        write(name, b64decode(font), site)


def write(name: str, font: bytes, site: Path) -> None:
    """Write a font of a site."""
    file = site / f"assets/fonts/{name}.woff2"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(font)


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
        mend_scripts(font)
    file = io.BytesIO()
    save_font(font, file, options)
    return file.getvalue()


def mend_scripts(font: Any) -> None:
    """Have a font for formulas set indices and exponents as SCRIPTS says."""
    for constant, value in SCRIPTS.items():
        getattr(font["MATH"].table.MathConstants, constant).Value = value


def keep_widths(font: Any) -> None:
    """Have no glyph take its width from a part: where FreeType hints, “ would be half as wide."""
    from fontTools.ttLib.tables._g_l_y_f import USE_MY_METRICS

    glyphs = font["glyf"]
    for name in font.getGlyphOrder():
        for part in glyphs[name].components if glyphs[name].isComposite() else ():
            part.flags &= ~USE_MY_METRICS
