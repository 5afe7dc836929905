"""Computed values: `{= spread.std[64] :.1f }` becomes the number, and says where it comes from.

It is a name and a format: what is computed is computed in the snippet. A result of two numbers, a
value and its error, prints as value ± error. A number is a link to its snippet's line in a folded
list at the page's end, which card.js shows in a card beside it. So it answers a finger and a mouse,
with scripts and without; but no stop of the Tab key, of which a page would have a hundred: the
keyboard has the list.
"""

import ast
import re
from collections.abc import Mapping
from html import escape
from math import isfinite
from numbers import Integral, Real
from typing import Any

from weave.basics.errors import WeaveError, did_you_mean
from weave.embeds.embed import Context, Embed
from weave.embeds.figure import figure_id
from weave.run.results import Results

OTHER_CHAPTER = re.compile(r"([a-z][\w-]*)/(?=[a-z])")  # `your-model/weights.largest`
EXPONENT = re.compile(r"(?<=\d)e([+-]\d+)\b")
MINUS = re.compile(r"(?<!\w)-(?=\d)|(?<=\^)-")
POWER = re.compile(r"\^(−?\d+)")
FORM = "write {= snippet.result }, or {= snippet.result[key] :.2f } with a space before the colon"


def weave(match: re.Match[str], context: Context) -> str:
    """Put in a computed number, marked with the snippet that it comes from."""
    printed, snippet = evaluate(match["value_text"], context)
    plain = MINUS.sub("−", EXPONENT.sub(lambda m: f" × 10^{int(m[1])}", printed))
    number = POWER.sub(r"<sup>\1</sup>", escape(plain))
    if not snippet or not context.chapter:  # its check has it, or no page
        return context.stash(
            f'<data class="computed" value="{escape(printed)}">{number}</data>', plain
        )
    written = escape(match["value_text"].partition(" :")[0].strip())
    link = f'href="#{anchor(snippet)}" tabindex="-1" data-value="{written}"'
    return context.stash(f'<a class="computed" {link}>{number}</a>', plain)


def anchor(snippet: str) -> str:
    """Name the place of a snippet in the list of those whose numbers the page quotes."""
    return f"numbers-{snippet.replace('/', '-')}"


def at_end(context: Context) -> str:
    """List the snippets whose numbers the page quotes, folded, in Markdown."""
    if not context.quoted or not context.chapter:
        return ""
    lines = []
    for name in context.quoted:
        figure = context.stash(f'<a href="#{figure_id(name, context)}">the figure</a>, ')
        script = f"[the script]({context.to_root}snippets/{name}.py){{ download }}"
        drawn = figure if name in context.shown else ""
        files = [each for each in context.look_up("brought", name) if each.endswith(".csv")]
        links = [f"[{file.rpartition('/')[2]}]({context.to_root}{file})" for file in files]
        read = f", from {' and '.join(links)}, measured beforehand" if links else ""
        lines.append(f"- *{name}*{{ #{anchor(name)} }}: {drawn}{script}{read}")
    return (
        '\n\n<details class="numbers" data-search-exclude markdown="block">'
        "<summary>Where the numbers on this page come from</summary>\n\n"
        "Code computed them when the page was made:\n\n" + "\n".join(lines) + "\n\n</details>\n"
    )


def as_tex(match: re.Match[str], context: Context) -> str:
    """Typeset a printed number for a formula."""
    printed, _ = evaluate(match["value_in_formula"], context)
    power = EXPONENT.sub(lambda m: rf"\times 10^{{{int(m[1])}}}", printed)
    return power.replace(",", "{,}").replace("%", r"\%").replace("±", r"\pm")


def evaluate(text: str, context: Context) -> tuple[str, str]:
    """Evaluate what stands between `{=` and `}`; give it as printed, and whose result it is.

    Raises:
        WeaveError: no name, an unknown result or key, or a format that does not fit.
    """
    written, _, spec = (part.strip() for part in text.partition(" :"))
    value, snippet = read(written, context)
    if snippet:
        context.quoted[snippet] = None
    try:
        if isinstance(value, list | tuple) or getattr(value, "shape", ()) == (2,):
            number, error = value
            return f"{printed(number, spec)}\u00a0±\u00a0{printed(error, spec)}", snippet
        return printed(value, spec), snippet
    except (TypeError, ValueError) as error:
        raise WeaveError(f"'{written}': {error}") from None


def printed(value: Any, spec: str) -> str:
    """Format a number or a text."""
    if isinstance(value, str | Integral):
        return format(value, spec)
    if isinstance(value, Real) and isfinite(value):
        return format(value, spec or ".3g")
    kind = value if isinstance(value, Real) else f"a {type(value).__name__}"
    raise TypeError(f"this is {kind}; a page prints a finite number, a text, or value and error")


def read(written: str, context: Context) -> tuple[Any, str]:
    """Give what a name such as `spread.std[64]` stands for, and its snippet, if it has one.

    Raises:
        WeaveError: it is no such name, or an unknown result or key.
    """
    other = OTHER_CHAPTER.match(written)
    try:
        tree = ast.parse(written[other.end() :] if other else written, mode="eval").body
    except SyntaxError:
        raise WeaveError(f"'{written}' is no name of a result; {FORM}") from None
    if isinstance(tree, ast.Constant | ast.UnaryOp):
        raise WeaveError(f"'{written}' is typed; name a result, and {FORM}")
    snippet = ""

    def value(node: ast.expr) -> Any:
        nonlocal snippet
        match node:
            case ast.Constant():
                return node.value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as number):
                return -value(number)
            case ast.Tuple():
                return tuple(map(value, node.elts))
            case ast.Name() if node.id in context.own and not other:
                return context.own[node.id]
            case ast.Subscript():
                held, key = value(node.value), value(node.slice)
                if isinstance(held, Mapping) and key not in held:
                    raise WeaveError(f"'{written}': no key {key!r}{did_you_mean(key, held)}")
                return held[key]
            case ast.Attribute(value=ast.Name() as name):
                if not context.chapter and not other:
                    raise WeaveError(
                        f"'{name.id}': outside a site, write {{= chapter/{name.id}… }}"
                    )
                snippet = f"{other[1] if other else context.chapter}/{name.id}"
                results: Results = context.results(snippet)
                return getattr(results, node.attr)
            case ast.Name():
                raise WeaveError(f"'{written}' is no result; {FORM}")
        raise WeaveError(f"'{written}' computes; name the number in the snippet, and {FORM}")

    try:
        return value(tree), snippet
    except (AttributeError, IndexError, TypeError) as error:
        raise WeaveError(f"'{written}': {error}") from None


MISSPELT = "a value is written {= snippet.result } or {= snippet.result :.2f }, with the spaces"
EMBEDS = [
    Embed(
        "value",
        r"\{=[ ](?P<value_text>[^{}]+)\}(?!\})",
        weave,
        misspelt=(r"\{=(?!\})", MISSPELT),
        at_end=at_end,
    ),
    # A number and its error stay on one line.
    Embed("error", r"[ ]±[ ](?=\{=[ ])", lambda *_: "\u00a0±\u00a0"),
    Embed("tex", r"\{=[ ](?P<value_in_formula>[^{}]+)\}", as_tex, in_formula=True),
]
