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
    that the page can make it darker or lighter. Ids begin with the name (of the snippet, say), so
    that two figures on a page do not meet.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    prefix = name.replace("/", "-")
    root = ElementTree.fromstring(buffer.getvalue())
    referred = dict.fromkeys(re.findall(r"(?:url\(|href=\")#([^)\"]+)", buffer.getvalue()))
    ids = {known: f"{prefix}-{number}" for number, known in enumerate(referred)}
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # a page needs no namespace
        shown = element.tag in LETTERS and "\n" not in (element.text or "\n")
        element.text = element.text if shown else None
        element.tail = None
        element.attrib = attributes(element, ids)
    flatten(root)
    drawn = {element.get("id"): element for element in root.iter() if element.get("id")}
    for use in root.iter("use"):  # what the stroke says of itself outweighs what its use says
        stroke = drawn[use.attrib["href"].removeprefix("#")]
        use.attrib = {key: said for key, said in use.items() if key not in stroke.attrib}

    width, height = figure.get_size_inches()
    root.attrib = {
        "viewBox": f"0 0 {width * 72:g} {height * 72:g}",
        "width": f"{width * 96:.0f}",
        "height": f"{height * 96:.0f}",
        "fill": "currentColor",
        "stroke-linejoin": "round",  # matplotlib says it in a <style>, which flatten() removed
        "role": "img",
        "aria-labelledby": f"{prefix}-alternative",
    }
    return ElementTree.tostring(root, encoding="unicode")


def attributes(element: Element, ids: dict[str, str]) -> dict[str, str]:
    """Rewrite an element's attributes: no style, no id that nothing refers to, short numbers."""
    given = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    rules = [rule.strip() for rule in given.pop("style", "").split(";")]
    given |= dict(rule.split(": ", 1) for rule in rules if rule not in IDLE)
    if element.tag in LETTERS:
        family, colour = given.pop("font-family", ""), given.get("fill", "").lower().lstrip("#")
        series = [entry["color"].lstrip("#") for entry in mpl.rcParams["axes.prop_cycle"]]
        classes = [f"C{number}" for number, known in enumerate(series) if known == colour]
        given["class"] = " ".join([*classes, *(FAMILIES[n] for n in FAMILIES if n in family)])
    found = {key: tidy(key, value, ids) for key, value in given.items()}
    return {key: value for key, value in found.items() if value}


def tidy(key: str, value: str, ids: dict[str, str]) -> str:
    """Rewrite one attribute: ink, ids and references to them, long numbers."""
    if key == "id":
        return ids.get(value, "")
    if key == "href":  # else an image, or a link
        return f"#{ids[value[1:]]}" if value.startswith("#") else value
    if key == "fill" and value == INK:
        return ""  # as the whole drawing
    if key not in COORDINATES:
        value = value.replace(INK, "currentColor")
        return re.sub(r"(?<=url\(#)[^)]+", lambda known: ids[known[0]], value)
    if key == "d":
        return in_steps(value)
    # 0 is added to make 0 of -0.
    value = NUMBER.sub(lambda number: f"{round(float(number[0]), 1) + 0:g}", value)
    return "" if value.startswith(("rotate(0 ", "rotate(-0 ")) else " ".join(value.split())


def in_steps(path: str) -> str:
    """Write a path (of absolute M, L, Q, C and z) with steps from point to point: 20 KB a page."""
    steps: list[str] = []
    here = start = (0, 0)  # in whole tenths, so that the roundings of steps do not add up
    for letter, numbers in SEGMENT.findall(path):
        places = [round(10 * float(number)) for number in numbers.split()]
        by = [(place - here[axis % 2]) / 10 for axis, place in enumerate(places)]
        steps.append(letter.lower() + " ".join(f"{step:g}" for step in by))
        here = (places[-2], places[-1]) if places else start
        start = here if letter == "M" else start
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
