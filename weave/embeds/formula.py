r"""Formulas: `$d_k$`, and `$$…$$` on lines of their own, become MathML when the page is made.

`$$ \label{name} … $$` names a result: it can be linked to, and the tests read what it says.
"""

import re
from html import escape, unescape
from itertools import pairwise
from unicodedata import normalize
from xml.etree import ElementTree

from markdown.util import HTML_PLACEHOLDER_RE
from math_core import LatexError, LatexToMathML

from weave.basics.errors import WeaveError
from weave.embeds.embed import Context, Embed
from weave.embeds.value import as_tex

LABEL = re.compile(r"\\label\{([\w-]+)\}")
CONVERTER = LatexToMathML(fancy_error=False)
ENTITY = re.compile(r"&(?!lt;|gt;|amp;|quot;)\w+;")
LARGE = re.compile(r"(<m(?:sub|sup|subsup)>)(<mo [^>]*minsize.*?</mo>)")
PRIMED = re.compile(r"<msup>(<mi>.</mi><mo>[′″]</mo>)</msup>")
BAR, BARS = re.compile(r"\\?\|"), {"|": r"\vert ", r"\|": r"\Vert "}
SPOKEN = re.compile(r'<math [^>]*aria-label="([^"]*)".*?</math>', re.DOTALL)
RELATIONS = {*"=<>≈≠≤≥≃→∈⟂"}
RAISED = str.maketrans("0123456789−⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᵀ")
# What needs no brackets under a root, as an index, above a fraction's line.
ATOM = r"[\d.,]+|√?[^\W\d_](?:_\w+)?[²³ᵀ]?|√\d+|√?\([^()]*\)|\|[^|]*\|"
WORD = r"\w+|\([^()]*\)"
PRODUCT = r"[\w.²³ᵀ√|‖∂]*|√?\([^()]*\)"


def weave(match: re.Match[str], context: Context) -> str:
    """Put in a formula, with the computed numbers in it put in first."""
    if inline := match["inline"]:
        mathml = to_mathml(tex := as_tex(inline, context), display=False)
        plain = f"${written(tex)}$"
        if match.string[: match.start()].rpartition("\n")[2].lstrip().startswith("|"):
            plain = BAR.sub(lambda bar: BARS[bar[0]], plain)  # a bar would end the cell
        if stop := match["stop"]:  # must not begin the next line
            mathml = f'<span class="formula">{mathml}{stop}</span>'
        return context.stash(mathml, plain + stop)
    indent = match.string[: match.start()].rpartition("\n")[2]
    if indent.strip() or match.string[match.end() :].partition("\n")[0].strip():
        raise WeaveError("$$…$$ shares a line with text; give it lines of its own, or use $…$")
    mathml = to_mathml(tex := as_tex(match["display"], context), display=True)
    anchor = f' id="formula-{label[1]}"' if (label := LABEL.search(match["display"])) else ""
    # A paragraph of its own, whatever stands around it, and a box that scrolls on a phone.
    box = f'<div class="formula"{anchor}>{mathml}</div>'
    return "\n\n" + indent + context.stash(box, f"$$ {written(tex)} $$") + "\n\n"


def written(tex: str) -> str:
    """Give a formula's TeX on one line, without its name."""
    return " ".join(LABEL.sub("", tex).split())


def to_mathml(tex: str, display: bool) -> str:
    """Convert a formula; its TeX stays readable in the attribute `alttext`.

    Browsers make no name of that, so the formula's words are its `aria-label`. A WeaveError says
    what the converter does not know, and gives the line within `tex`.
    """
    tex = LABEL.sub("", tex)
    try:
        mathml = CONVERTER.convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        position, _, reason = str(error).partition(": ")  # `12: Unknown command "\bad".`
        line = tex.count("\n", 0, int(position))
        raise WeaveError(f"formula '{written(tex)}': {reason}", line) from None
    # Chromium leaves a large bracket small that bears a script itself. A prime needs no raising.
    mathml = LARGE.sub(r"\1<mrow>\2</mrow>", mathml)
    mathml = PRIMED.sub(r"<mrow>\1</mrow>", mathml)
    spoken = f'<math alttext="{escape(written(tex))}" aria-label="{escape(in_words(mathml))}"'
    return mathml.replace("<math", spoken, 1)


def mark_tree(root: ElementTree.Element, context: Context) -> None:
    """Name headings by their words in lists of contents, which lose all that is no letter."""
    stashed = context.markdown.htmlStash.rawHtmlBlocks
    for heading in root.iter():
        if re.fullmatch("h[1-6]", str(heading.tag)):
            text = "".join(heading.itertext())
            label = HTML_PLACEHOLDER_RE.sub(lambda stash: read_out(stashed[int(stash[1])]), text)
            if label != text:
                heading.set("data-toc-label", label)


def read_out(html: str) -> str:
    """Put its words in place of each formula."""
    return SPOKEN.sub(r"\1", html)


def in_words(mathml: str) -> str:
    """Write a formula as a line of text: √d_k, (a+b)/c, softmax(QKᵀ/√d_k)V."""
    xml = ENTITY.sub(lambda entity: unescape(entity[0]), mathml)  # XML knows no such names
    line = normalize("NFC", words(ElementTree.fromstring(xml)))
    return " ".join(re.sub("\u2061(?![\\w√∑∫])|\u2063", "", line).replace("\u2061", " ").split())


def words(element: ElementTree.Element) -> str:
    """Write an element of MathML, and what it holds, as a line of text."""
    parts = [words(child) for child in element]
    match element.tag, parts:
        case "mo", _:
            operator = element.text or ""
            return f" {operator} " if operator in RELATIONS else operator
        case "mspace", _:
            return " " if element.get("width", "0")[0] != "0" else ""  # \quad, and not \,
        case "mi" | "mn" | "mtext" | "code", _:
            return (element.text or "") + "".join(parts)
        case "mfrac", [above, below]:
            return f"{bracketed(above, PRODUCT)}/{bracketed(below)}"
        case "msub" | "munder", [base, low]:
            return f"{base}_{bracketed(low, WORD)}"
        case "msup", [base, high]:
            return f"{base}{raised(high)}"
        case "msubsup" | "munderover", [base, low, high]:
            return f"{base}_{bracketed(low, WORD)}{raised(high)}"
        case "mover", [base, mark]:  # a mark that stands alone has a twin that joins its letter
            return base + normalize("NFKC", mark).strip()
        case "mtable" | "mtr", _:
            lines = {"mtable": "; ", "mtr": ", "}[element.tag].join(parts)
            return re.sub(r",\s+(?=[=≤≥≈])", " ", lines)
    tagged = zip(parts, (child.tag for child in element), strict=True)
    line = side_by_side([(part, tag) for part, tag in tagged if part])
    return f"√{bracketed(line)}" if element.tag == "msqrt" else line


def side_by_side(parts: list[tuple[str, str]]) -> str:
    """Join texts, each with its tag, so that they stay apart: 2dx, but 2 ln n and (2/π)d."""
    line, before = "", ""
    for (part, tag), (after, _) in pairwise([*parts, ("", "")]):
        if tag == "mfrac" and (re.search(r"[\w)]$", before) or re.match(r"[\w([√∑∫]", after)):
            part = f"({part})"
        touching = re.search(r"\w+$", before), re.match(r"\w+", part)
        names = [each and len(re.sub(r"[\d²³ᵀ]", "", each[0])) > 1 for each in touching]
        line += f" {part}" if all(touching) and (any(names) or "√" in before) else part
        before = part
    return line


def bracketed(text: str, whole: str = ATOM) -> str:
    """Put in brackets what would else fall apart."""
    return text if re.fullmatch(whole, text) else f"({text.strip()})"


def raised(text: str) -> str:
    """Write an exponent: raised characters where there are some, or ^."""
    if re.fullmatch(r"−?\d+|⊤|′+|″|∗", text):
        return text.translate(RAISED)
    return "^" + bracketed(text, r"[^\W\d_]|\d+|∞|\([^()]*\)")


MISSPELT = (
    "this $ has no partner: write $…$ in a line, $$…$$ on lines of its own with no $ within, "
    r"and \$ for money"
)
EMBEDS = [
    Embed(
        "formula",
        r"""
          \$\$(?P<display>(?:[^$\\]|\\.)+?)\$\$
        | \$(?![\s$])(?P<inline>(?:[^$\\\n]|\\.|\n(?!\s*\n))+?)(?<!\s)\$(?!\d)
          (?P<stop>[,.;:!?)’”]*)
        """,
        weave,
        misspelt=(r"\$", MISSPELT),
        mark_tree=mark_tree,
    )
]
