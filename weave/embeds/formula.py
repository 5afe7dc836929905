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
BAR = re.compile(r"\\?\|")
BARS = {"|": r"\vert ", r"\|": r"\Vert "}
SPOKEN = re.compile(r'<math [^>]*aria-label="([^"]*)".*?</math>', re.DOTALL)
RELATIONS = set("=<>≈≠≤≥≃→∈⟂")
APPLIED, COMMA = "\u2061", "\u2063"  # invisible: between a function and its argument, and in lists
RAISED = str.maketrans("0123456789−⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᵀ")
# What needs no brackets under a root, as an index, above a fraction's line.
ATOM = r"[\d.,]+|√?[^\W\d_](?:_\w+)?[²³ᵀ]?|√\d+|√?\([^()]*\)|\|[^|]*\|"
WORD = r"\w+|\([^()]*\)"
PRODUCT = r"[\w.²³ᵀ√|‖∂]*|√?\([^()]*\)"


def weave_formula(match: re.Match[str], context: Context) -> str:
    """Put in a formula, with the computed numbers in it put in first."""
    text = match.string
    before = text[: match.start()].rpartition("\n")[2]  # on its line
    after = text[match.end() :].partition("\n")[0]
    if match["inline"]:
        return weave_inline(match, before, context)
    if before.strip() or after.strip():
        raise WeaveError("$$…$$ shares a line with text; give it lines of its own, or use $…$")
    tex = as_tex(match["display"], context)
    mathml = to_mathml(tex, display=True)
    label = LABEL.search(tex)
    anchor = f' id="formula-{label[1]}"' if label else ""
    # A paragraph of its own, whatever stands around it, and a box that scrolls on a phone.
    box = f'<div class="formula"{anchor}>{mathml}</div>'
    formula = context.stash(box, f"$$ {written(tex)} $$")
    return f"\n\n{before}{formula}\n\n"


def weave_inline(match: re.Match[str], before: str, context: Context) -> str:
    """Put in a formula within a line, and the stop behind it, if there is one."""
    tex = as_tex(match["inline"], context)
    html = to_mathml(tex, display=False)
    plain = f"${written(tex)}$"
    if before.lstrip().startswith("|"):  # a row, in which a bar would end the cell
        plain = BAR.sub(lambda bar: BARS[bar[0]], plain)
    stop = match["stop"]
    if stop:  # it must not begin the next line
        html = f'<span class="formula">{html}{stop}</span>'
    return context.stash(html, plain + stop)


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
    source = escape(written(tex))
    words = escape(formula_in_words(mathml))
    spoken = f'<math alttext="{source}" aria-label="{words}"'
    return mathml.replace("<math", spoken, 1)


def label_headings(root: ElementTree.Element, context: Context) -> None:
    """Name headings by their words in lists of contents, which lose all that is no letter."""
    stashed = context.markdown.htmlStash.rawHtmlBlocks

    def spoken(placeholder: re.Match[str]) -> str:
        return read_out(stashed[int(placeholder[1])])

    for element in root.iter():
        if re.fullmatch("h[1-6]", str(element.tag)):
            text = "".join(element.itertext())
            label = HTML_PLACEHOLDER_RE.sub(spoken, text)
            if label != text:
                element.set("data-toc-label", label)


def read_out(html: str) -> str:
    """Put its words in place of each formula."""
    return SPOKEN.sub(r"\1", html)


def formula_in_words(mathml: str) -> str:
    """Write a formula as a line of text: √d_k, (a+b)/c, softmax(QKᵀ/√d_k)V."""
    xml = ENTITY.sub(lambda entity: unescape(entity[0]), mathml)  # XML knows no such names
    line = normalize("NFC", element_in_words(ElementTree.fromstring(xml)))
    # What joins a function to its argument is seen as a space, and not before a bracket.
    line = re.sub(f"{APPLIED}(?![\\w√∑∫])|{COMMA}", "", line).replace(APPLIED, " ")
    return " ".join(line.split())


def element_in_words(element: ElementTree.Element) -> str:
    """Write an element of MathML, and what it holds, as a line of text."""
    parts = [element_in_words(child) for child in element]
    match element.tag, parts:
        case "mo", _:
            operator = element.text or ""
            return f" {operator} " if operator in RELATIONS else operator
        case "mspace", _:
            is_wide = element.get("width", "0")[0] != "0"  # \quad, and not \,
            return " " if is_wide else ""
        case "mi" | "mn" | "mtext" | "code", _:
            return (element.text or "") + "".join(parts)
        case "mfrac", [above, below]:
            return f"{bracketed(above, PRODUCT)}/{bracketed(below)}"
        case "msqrt", _:
            return f"√{bracketed(side_by_side(element, parts))}"
        case "msub" | "munder", [base, low]:
            return f"{base}_{bracketed(low, WORD)}"
        case "msup", [base, high]:
            return f"{base}{raised(high)}"
        case "msubsup" | "munderover", [base, low, high]:
            return f"{base}_{bracketed(low, WORD)}{raised(high)}"
        case "mover", [base, mark]:  # a mark that stands alone has a twin that joins its letter
            return base + normalize("NFKC", mark).strip()
        case "mtable", _:
            return without_comma_before_relation("; ".join(parts))
        case "mtr", _:
            return without_comma_before_relation(", ".join(parts))
    return side_by_side(element, parts)


def without_comma_before_relation(line: str) -> str:
    """Join the cells of an equation, which a table may set below each other at its relations."""
    return re.sub(r",\s+(?=[=≤≥≈])", " ", line)


def side_by_side(element: ElementTree.Element, parts: list[str]) -> str:
    """Join the words of an element's children so that they stay apart: 2dx, 2 ln n, (2/π)d."""
    children = [(part, child.tag) for part, child in zip(parts, element, strict=True) if part]
    line = ""
    before = ""
    for (part, tag), (after, _) in pairwise([*children, ("", "")]):
        if tag == "mfrac" and (re.search(r"[\w)]$", before) or re.match(r"[\w([√∑∫]", after)):
            part = f"({part})"
        line += f" {part}" if runs_together(before, part) else part
        before = part
    return line


def runs_together(before: str, after: str) -> bool:
    """Tell whether two texts, written without a space, would read as one word."""
    end = re.search(r"\w+$", before)
    start = re.match(r"\w+", after)
    if not end or not start:
        return False
    return "√" in before or is_name(end[0]) or is_name(start[0])


def is_name(word: str) -> bool:
    """Tell a word, such as ln, from a number and from a letter with its exponent."""
    return len(re.sub(r"[\d²³ᵀ]", "", word)) > 1


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
        weave_formula,
        misspelt=(r"\$", MISSPELT),
        mark_tree=label_headings,
    )
]
