"""A figure as a file of its own, which any program draws alike: its letters are outlines.

On a page a figure's letters are text in the page's fonts. A drawing program knows neither the page
nor its fonts.
"""

from functools import cache
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from weave.run.fonts import shipped

INK = "#101112"


def figure_file(svg: str, caption: str, source: str) -> str:
    """Give a figure that stands in a page as a file, in the colours of the light palette.

    Args:
        svg: as `weave.run.svg` has made it.
        caption: the finding, in plain text.
        source: where it comes from, and under which licence it may be used.
    """
    root = ElementTree.fromstring(svg)
    outlines: dict[str, str] = {}
    for parent in list(root.iter()):
        for place, child in enumerate(list(parent)):
            if child.tag == "text":
                parent[place] = outlined(child, outlines)
            elif child.tag == "desc":
                parent.remove(child)
    definitions = Element("defs")
    for name, outline in outlines.items():
        SubElement(definitions, "path", {"id": name, "d": outline})
    root.insert(0, definitions)
    for element in root.iter():
        for key, value in element.attrib.items():
            element.set(key, value.replace("currentColor", INK))
        element.attrib.pop("class", None)
    root.set("role", "img")
    root.set("xmlns", "http://www.w3.org/2000/svg")
    root.set("xmlns:xlink", "http://www.w3.org/1999/xlink")
    for use in root.iter("use"):  # what drawing programs of long ago read
        use.set("xlink:href", use.attrib["href"])
    for place, (tag, words) in enumerate({"title": caption, "desc": source}.items()):
        element = Element(tag)
        element.text = words
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode")


def outlined(text: Element, outlines: dict[str, str]) -> Element:
    """Give a text as a group of letters, each a use of its outline, which is noted by its name."""
    group = Element("g")
    for key in ("transform", "fill"):
        if key in text.attrib:
            group.set(key, text.attrib[key])
    for run in [text, *text]:
        if run.text:
            letters(run, {**text.attrib, **run.attrib}, group, outlines)
    return group


def letters(run: Element, given: dict[str, str], group: Element, outlines: dict[str, str]) -> None:
    """Add the letters of a text, or of a part of one, that stand on one line."""
    face = face_of(given.get("class", ""), given.get("font-style", ""))
    size = float(given["font-size"].removesuffix("px"))
    x, y = float(given.get("x", "0").split()[0]), float(given.get("y", "0").split()[0])
    text = run.text or ""
    shapes = [glyph(face, letter) for letter in text]
    width = sum(advance for _, advance in shapes) * size
    x -= {"middle": width / 2, "end": width}.get(given.get("text-anchor", ""), 0)
    for letter, (outline, advance) in zip(text, shapes, strict=True):
        if outline:
            name = f"{face}-{ord(letter)}"
            outlines[name] = outline
            place = f"translate({x:.2f} {y:.2f}) scale({size:.4g} {-size:.4g})"
            element = SubElement(group, "use", {"href": f"#{name}", "transform": place})
            if "fill" in run.attrib:
                element.set("fill", run.attrib["fill"])
        x += advance * size


def face_of(classes: str, style: str) -> str:
    """Name the font of some letters, by what `weave.run.svg` says of them."""
    if "math" in classes:
        return "math"
    if "serif" in classes:
        return "serif-italic" if style == "italic" else "serif"
    return "sans"


@cache
def glyph(face: str, letter: str) -> tuple[str, float]:
    """Give a letter's outline and width, in units of the size of the letters.

    A letter that a font has not is taken from the font of formulas, which has most.
    """
    from fontTools.pens.svgPathPen import SVGPathPen
    from fontTools.pens.transformPen import TransformPen

    font, glyphs, names = opened(face)
    if ord(letter) not in names and face != "math":
        return glyph("math", letter)
    name = names.get(ord(letter), ".notdef")
    unit = 1 / font["head"].unitsPerEm
    pen = SVGPathPen(glyphs, ntos=lambda number: f"{number:.4g}")
    glyphs[name].draw(TransformPen(pen, (unit, 0, 0, unit, 0, 0)))
    return pen.getCommands(), glyphs[name].width * unit


@cache
def opened(face: str) -> tuple[Any, Any, dict[int, str]]:
    """Open a font: the font, its letters' shapes, and their names by their code points."""
    from fontTools.ttLib import TTFont

    font = TTFont(shipped(face))
    return font, font.getGlyphSet(), font.getBestCmap()
