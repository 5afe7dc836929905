"""Make one SVG of a figure that serves both palettes and can stand inside any page."""

import io
import re
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.figure import Figure

INK = "#101112"  # the colour of text and axes in figure.mplstyle

# Numbers that place a stroke; a hundredth of a point is finer than any screen.
COORDINATES = {"d", "x", "y", "points"}
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")


def to_svg(figure: Figure, name: str) -> str:
    """Draw a figure as inline SVG, the same to the byte every time.

    Ink becomes `currentColor`. Glyphs are paths, so no font is needed. Ids begin with the name (of
    the snippet, say), so that two figures on a page do not meet.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    prefix = name.replace("/", "-")
    root = ElementTree.fromstring(buffer.getvalue())
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # a page needs no namespace
        element.text = element.tail = None
        element.attrib = {
            key.rpartition("}")[2]: tidy(key, value, prefix)
            for key, value in element.attrib.items()
            if not (element.tag == "g" and key == "id")  # nothing refers to a group
        }
    flatten(root)

    width, height = figure.get_size_inches()
    root.attrib = {
        "viewBox": f"0 0 {width * 72:g} {height * 72:g}",
        "width": f"{width * 96:.0f}",
        "height": f"{height * 96:.0f}",
        "stroke-linejoin": "round",  # matplotlib says it in a <style>, which flatten() removed
        "role": "img",
        "aria-labelledby": f"{prefix}-alternative",
    }
    return ElementTree.tostring(root, encoding="unicode")


def tidy(key: str, value: str, prefix: str) -> str:
    """Rewrite one attribute: ink, ids and references to them, long numbers."""
    if key == "id":
        return f"{prefix}-{value}"
    if key in COORDINATES:
        # To hundredths; 0 is added to make 0 of -0.
        short = LONG_NUMBER.sub(lambda n: f"{round(float(n[0]), 2) + 0:.9g}", value)
        return " ".join(short.split())
    return re.sub(r"^#(?=\D)|(?<=url\(#)", rf"\g<0>{prefix}-", value.replace(INK, "currentColor"))


def flatten(parent: ElementTree.Element) -> None:
    """Remove what draws nothing: metadata, rules for the whole page, groups without attributes."""
    children: list[ElementTree.Element] = []
    for child in parent:
        flatten(child)
        if child.tag == "g" and not child.attrib:
            children += child
        elif child.tag not in {"metadata", "style"} and (len(child) or child.attrib):
            children.append(child)
    parent[:] = children
