r"""Formulas: `$d_k$`, and `$$…$$` on lines of their own, become MathML when the page is made.

`$$ \label{name} … $$` names a result: it can be linked to, and the tests read what it says.
"""

import re
from html import escape, unescape
from unicodedata import normalize
from xml.etree import ElementTree

from math_core import LatexError, LatexToMathML

from weave.embed import Context, Embed
from weave.errors import WeaveError

LABEL = re.compile(r"\\label\{([\w-]+)\}")
CONVERTER = LatexToMathML(fancy_error=False)
ENTITY = re.compile(r"&(?!lt;|gt;|amp;|quot;)\w+;")
# The italic form that a browser takes for a variable. Unicode had ℎ before the others.
ITALIC = {
    normalize("NFKC", sign): sign
    for sign in map(chr, [0x210E, *range(0x1D434, 0x1D468), *range(0x1D6FC, 0x1D715)])
}


def weave(match: re.Match[str], context: Context) -> str:
    """Put in a formula, with the computed numbers in it put in first."""
    if inline := match["inline"]:
        mathml = to_mathml(context.tex(inline), display=False)
        stop = match["stop"]  # must not begin the next line
        return context.stash(f'<span class="formula">{mathml}{stop}</span>' if stop else mathml)
    indent = match.string[: match.start()].rpartition("\n")[2]
    if indent.strip() or match.string[match.end() :].partition("\n")[0].strip():
        raise WeaveError("$$…$$ shares a line with text; give it lines of its own, or use $…$")
    mathml = to_mathml(context.tex(match["display"]), display=True)
    anchor = f' id="formula-{label[1]}"' if (label := LABEL.search(match["display"])) else ""
    # A paragraph of its own, whatever stands around it, and a box that scrolls on a phone.
    box = f'<div class="formula"{anchor}>{mathml}</div>'
    return "\n\n" + indent + context.stash(box) + "\n\n"


def to_mathml(tex: str, display: bool) -> str:
    """Convert a formula; its TeX stays readable in the attribute `alttext`.

    Raises:
        WeaveError: the converter does not know something in it; gives the line within `tex`.
    """
    tex = LABEL.sub("", tex)
    written = " ".join(tex.split())
    try:
        mathml = CONVERTER.convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        position, _, reason = str(error).partition(": ")  # `12: Unknown command "\bad".`
        line = tex.count("\n", 0, int(position))
        raise WeaveError(f"formula '{written}': {reason}", line) from None
    return mathml.replace("<math", f'<math alttext="{escape(written)}"', 1)


def in_words(mathml: str) -> str:
    """Write a formula as a line of text: √d_k, (a+b)/c, x^2."""
    xml = ENTITY.sub(lambda entity: unescape(entity[0]), mathml)  # XML has no names for signs
    return words(ElementTree.fromstring(xml))


def words(element: ElementTree.Element) -> str:
    """Write an element of MathML, and what it holds, as a line of text."""
    inner = [words(child) for child in element]
    match element.tag:
        case "msqrt":
            return f"√{grouped(''.join(inner))}"
        case "mfrac":
            return f"{grouped(inner[0])}/{grouped(inner[1])}"
        case "msub" | "munder":
            return f"{inner[0]}_{grouped(inner[1])}"
        case "msup":
            return f"{inner[0]}^{grouped(inner[1])}"
        case "msubsup" | "munderover":
            return f"{inner[0]}_{grouped(inner[1])}^{grouped(inner[2])}"
    return (element.text or "").strip() + "".join(inner)


def grouped(text: str) -> str:
    """Put what is more than one word in brackets."""
    return text if re.fullmatch(r"[\w.]*|\(.*\)", text) else f"({text})"


def signs(match: re.Match[str]) -> set[str]:
    """Give the signs in a formula, and their italic forms."""
    try:
        mathml = to_mathml(match["display"] or match["inline"], display=False)
    except WeaveError:
        return set()  # reported when the page is woven
    found = set(re.sub(r"<[^>]*>", "", mathml))
    return found | {ITALIC.get(sign, sign) for sign in found}


MISSPELT = "a formula on lines of its own begins and ends with $$, and holds no $ of its own"
EMBEDS = [
    Embed(
        "formula",
        r"""
          \$\$(?P<display>(?:[^$\\]|\\.)+?)\$\$
        | \$(?![\s$])(?P<inline>(?:[^$\\\n]|\\.|\n(?!\s*\n))+?)(?<!\s)\$(?!\d)
          (?P<stop>[,.;:!?)’”]*)
        """,
        weave,
        misspelt=(r"\$\$", MISSPELT),
        signs=signs,
    )
]
