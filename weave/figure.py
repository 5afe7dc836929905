"""Make one SVG of a figure that serves both palettes and can stand inside any page."""

import io
import re

import matplotlib as mpl
from matplotlib.figure import Figure

INK = "#101112"  # the colour of text and axes in figure.mplstyle

# What a number in path data needs to place a stroke within a hundredth of a point.
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
PATH_DATA = re.compile(r' (?:d|x|y|points)="[^"]*"')


def to_svg(figure: Figure, name: str) -> str:
    """Draw a figure as inline SVG, the same to the byte every time.

    Ink becomes `currentColor`. Glyphs are paths, so no font is needed. Ids begin with the snippet's
    name, so that two figures on a page do not meet.

    Args:
        figure: what the snippet drew.
        name: the snippet's name, such as `variance/spread`.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    # In a page this rule would reach every element of it, so it becomes attributes of the root.
    svg = re.sub(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace(INK, "currentColor")
    svg = re.sub(r'<g id="[^"]*">', "<g>", svg)
    prefix = name.replace("/", "-")
    svg = re.sub(r' id="', f' id="{prefix}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    svg = PATH_DATA.sub(lambda data: LONG_NUMBER.sub(shorten, data[0]), svg)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL).replace("xlink:href", "href")
    svg = re.sub(r"\s*\n\s*", " ", svg).replace("> <", ">\n<")
    inches = figure.get_size_inches()
    return re.sub(
        r"<svg[^>]*>",
        f'<svg viewBox="0 0 {inches[0] * 72:g} {inches[1] * 72:g}" '
        f'width="{inches[0] * 96:.0f}" height="{inches[1] * 96:.0f}" '
        f'stroke-linejoin="round" role="img" aria-labelledby="{prefix}-alternative">',
        svg,
        count=1,
    ).strip()


def shorten(number: re.Match[str]) -> str:
    """Round to hundredths and drop what says nothing."""
    text = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
