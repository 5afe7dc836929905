"""Make one SVG of a figure that serves both palettes and can stand inside any page.

Its letters are text, in the fonts of the page, by whose metrics matplotlib has placed them.
"""

import io
import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import matplotlib as mpl
from matplotlib.figure import Figure

INK = "#101112"  # the colour of text and axes in figure.mplstyle

# Numbers that place a stroke; a tenth of a point is as fine as the eye.
COORDINATES = {"d", "x", "y", "points", "transform", "width", "height"}
NUMBER = re.compile(r"-?\d+\.\d+")
SEGMENT = re.compile(r"([A-Zz])([^A-Zz]*)")
FAMILIES = {"Source Serif Pro": "serif", "STIX": "math"}  # beside the page's sans
LETTERS = {"text", "tspan"}
IDLE = {"", "text-anchor: start"}  # rules that say nothing


def to_svg(figure: Figure, name: str) -> str:
    """Draw a figure as inline SVG, the same to the byte every time.

    Ink becomes `currentColor`, and text in the colour of a series has the class of that series, so
    that the page can make it darker or lighter. What it is to who cannot see it, a page says.

    Args:
        figure: of matplotlib's.
        name: of the snippet, say. Ids begin with it, so that two figures on a page do not meet.
    """
    written = as_matplotlib_writes(figure, name)
    prefix = name.replace("/", "-")
    root = ElementTree.fromstring(written)
    ids = short_ids(written, prefix)
    for element in root.iter():
        clean(element, ids)
    flatten(root)
    leave_to_strokes(root)
    width, height = figure.get_size_inches()
    root.attrib = {
        "viewBox": f"0 0 {width * 72:g} {height * 72:g}",
        "width": f"{width * 96:.0f}",
        "height": f"{height * 96:.0f}",
        "fill": "currentColor",
        "stroke-linejoin": "round",  # matplotlib says it in a <style>, which flatten() removed
    }
    return ElementTree.tostring(root, encoding="unicode")


def as_matplotlib_writes(figure: Figure, name: str) -> str:
    """Give matplotlib's own SVG, without a date, its ids made of the name."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def short_ids(written: str, prefix: str) -> dict[str, str]:
    """Give a short id for each that something refers to, by what matplotlib calls it."""
    ids: dict[str, str] = {}
    for known in re.findall(r"(?:url\(|href=\")#([^)\"]+)", written):
        if known not in ids:
            ids[known] = f"{prefix}-{len(ids)}"
    return ids


def clean(element: Element, ids: dict[str, str]) -> None:
    """Leave of an element what a page needs: no namespace, no white space, short attributes."""
    element.tag = local_name(element.tag)
    is_shown = element.tag in LETTERS and element.text and "\n" not in element.text
    if not is_shown:
        element.text = None
    element.tail = None
    element.attrib = attributes(element, ids)


def local_name(name: str) -> str:
    """Give a name without its namespace, which stands before it in braces."""
    return name.rpartition("}")[2]


def attributes(element: Element, ids: dict[str, str]) -> dict[str, str]:
    """Rewrite an element's attributes: no style, no id that nothing refers to, short numbers."""
    given: dict[str, str] = {}
    for key, value in element.attrib.items():
        given[local_name(key)] = value
    for rule in given.pop("style", "").split(";"):
        rule = rule.strip()
        if rule not in IDLE:
            key, value = rule.split(": ", 1)
            given[key] = value
    if element.tag in LETTERS:
        given["class"] = classes(given.pop("font-family", ""), given.get("fill", ""))
    found: dict[str, str] = {}
    for key, value in given.items():
        written = tidy(key, value, ids)
        if written:
            found[key] = written
    return found


def classes(family: str, colour: str) -> str:
    """Name the series whose colour some letters have, and their font, if it is not the page's."""
    found = []
    for number, series in enumerate(mpl.rcParams["axes.prop_cycle"]):
        if series["color"].lstrip("#") == colour.lower().lstrip("#"):
            found.append(f"C{number}")
    for font, name in FAMILIES.items():
        if font in family:
            found.append(name)
    return " ".join(found)


def tidy(key: str, value: str, ids: dict[str, str]) -> str:
    """Rewrite one attribute: ink, ids and references to them, long numbers."""
    if key == "id":
        return ids.get(value, "")
    if key == "href":
        is_reference = value.startswith("#")  # else an image, or a link
        return f"#{ids[value[1:]]}" if is_reference else value
    if key == "fill" and value == INK:
        return ""  # as the whole drawing
    if key not in COORDINATES:
        value = value.replace(INK, "currentColor")
        return re.sub(r"(?<=url\(#)[^)]+", lambda known: ids[known[0]], value)
    if key == "d":
        return in_steps(value)
    value = NUMBER.sub(rounded, value)
    if value.startswith(("rotate(0 ", "rotate(-0 ")):
        return ""
    return " ".join(value.split())


def rounded(number: re.Match[str]) -> str:
    """Round a number to tenths."""
    return f"{round(float(number[0]), 1) + 0:g}"  # 0 is added to make 0 of -0


def in_steps(path: str) -> str:
    """Write a path (of absolute M, L, Q, C and z) with steps from point to point: 20 KB a page."""
    steps: list[str] = []
    here = start = (0, 0)  # in whole tenths, so that the roundings of steps do not add up
    for letter, numbers in SEGMENT.findall(path):
        places = [round(10 * float(number)) for number in numbers.split()]
        by = []
        for place, before in zip(places, here * (len(places) // 2), strict=True):
            by.append(f"{(place - before) / 10:g}")
        steps.append(letter.lower() + " ".join(by))
        here = (places[-2], places[-1]) if places else start
        if letter == "M":
            start = here
    # A minus parts two numbers as well as a space does, and a zero before the point says nothing.
    return re.sub(r" (?=-)|(?<![\d.])0(?=\.)", "", "".join(steps))


def flatten(parent: Element) -> None:
    """Remove what draws nothing."""
    children: list[Element] = []
    for child in parent:
        flatten(child)
        if child.tag == "g" and not child.attrib:
            children += child
        elif draws(child):
            children.append(child)
    parent[:] = children


def draws(element: Element) -> bool:
    """Tell whether an element shows anything, or is referred to."""
    if element.tag in {"metadata", "style"}:
        return False
    if element.tag == "path" and element.get("fill") == "none" and not element.get("stroke"):
        return "id" in element.attrib
    return bool(len(element) or element.attrib or element.text)


def leave_to_strokes(root: Element) -> None:
    """Take from each use of a stroke what the stroke says of itself, which outweighs it."""
    strokes = {}
    for element in root.iter():
        if element.get("id"):
            strokes[element.get("id")] = element
    for use in root.iter("use"):
        stroke = strokes[use.attrib["href"].removeprefix("#")]
        for key in stroke.attrib:
            use.attrib.pop(key, None)
