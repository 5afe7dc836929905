"""Make the site's fonts: those of the wheels in requirements.txt, cut down to the signs in use."""

import hashlib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font


def _shipped(package: str, folder: str, name: str) -> Path:
    """Find a font in an installed package, without importing the package."""
    return Path(str(distribution(package).locate_file(f"{folder}/{name}.ttf")))


SANS = {
    name: _shipped("font-source-sans-pro", "font_source_sans_pro/files", file)
    for name, file in {
        "sans": "SourceSansPro-Regular",
        "sans-italic": "SourceSansPro-It",
        "sans-semibold": "SourceSansPro-Semibold",
    }.items()
}
SERIF = {
    name: _shipped("font-source-serif-pro", "font_source_serif_pro/files", file)
    for name, file in {
        "serif": "SourceSerifPro-Regular",
        "serif-italic": "SourceSerifPro-It",
        "serif-semibold": "SourceSerifPro-Semibold",
    }.items()
}
MATH = {"math": _shipped("ziamath", "ziamath/fonts", "STIXTwoMath-Regular")}

# Signs that the theme itself writes, whatever the pages say.
ALWAYS = "".join(map(chr, range(0x20, 0x7F))) + "  ©·×–—‘’“”…−√§"


def make(folder: Path, signs: Iterable[str]) -> None:
    """Write every font to `folder` as WOFF2, unless it is there for the same signs already.

    Args:
        folder: where the stylesheet looks for them.
        signs: all characters of the pages and of their formulas.
    """
    used = "".join(sorted({*signs, *ALWAYS}))
    folder.mkdir(parents=True, exist_ok=True)
    stamp = folder / ".signs"
    key = hashlib.sha256((used + Path(__file__).read_text("utf-8")).encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == key:
        return
    for name, source in (SANS | SERIF | MATH).items():
        subset(source, folder / f"{name}.woff2", used)
    stamp.write_text(key)


def subset(source: Path, target: Path, signs: str) -> None:
    """Cut one font down to `signs`, keeping its layout features and its mathematics.

    The licence (OFL) reserves the name "Source": a changed font must not carry it, so only the
    copyright and licence entries of the name table stay.
    """
    options = Options(
        flavor="woff2", layout_features=["*"], name_IDs=[0, 13, 14], notdef_outline=True
    )
    font = load_font(str(source), options)
    cutter = Subsetter(options)
    cutter.populate(text=signs)
    cutter.subset(font)
    save_font(font, str(target), options)
