"""The site's fonts: the wheels in requirements.txt whose letters figures and pages are set in."""

from importlib.metadata import distribution
from pathlib import Path

# The name on the site, and the file in the installed package, whose name the first folder bears.
FONTS = {
    "sans": "font_source_sans_pro/files/SourceSansPro-Regular.ttf",
    "sans-semibold": "font_source_sans_pro/files/SourceSansPro-Semibold.ttf",
    "serif": "font_source_serif_pro/files/SourceSerifPro-Regular.ttf",
    "serif-italic": "font_source_serif_pro/files/SourceSerifPro-It.ttf",
    "math": "ziamath/fonts/STIXTwoMath-Regular.ttf",
}


def shipped(name: str) -> Path:
    """Find a font of the site in its installed package, without importing the package."""
    file = FONTS[name]
    return Path(str(distribution(file.partition("/")[0]).locate_file(file)))
