"""Computed values: `{= spread.std[64] :.1f }` becomes the number, and says where it comes from.

A number is a link to its snippet's line in a folded list at the page's end, which card.js shows in
a card beside it. So it answers a finger and a mouse, with scripts and without; but no stop of the
Tab key, of which a page would have a hundred: the keyboard has the list.
"""

import ast
import builtins
import re
from collections.abc import Iterable, Mapping
from html import escape
from itertools import pairwise
from math import isfinite
from numbers import Integral, Real
from typing import Any

from weave.embed import Context, Embed
from weave.embeds.figure import figure_id
from weave.errors import WeaveError, did_you_mean
from weave.run.results import Results


def every(cases: Iterable[Any]) -> bool:
    """Tell whether all cases hold; of none, nothing can be said."""
    known = [*cases]
    if not known:
        raise WeaveError("all() of no cases holds whatever the numbers are")
    return all(known)


def listed(numbers: Any) -> list[Any]:
    """Give numbers, or the values of a dict."""
    return [*(numbers.values() if isinstance(numbers, Mapping) else numbers)]


def rises(numbers: Any) -> bool:
    """Tell whether each number, or each value of a dict, is larger than the one before."""
    return every(one < other for one, other in pairwise(listed(numbers)))


def falls(numbers: Any) -> bool:
    """Tell whether each number, or each value of a dict, is smaller than the one before."""
    return rises([-number for number in listed(numbers)])


# An expression may use these beside the results.
USABLE = ("abs", "len", "max", "min", "range", "round", "set", "sorted", "sum", "zip")
FUNCTIONS = {name: getattr(builtins, name) for name in USABLE}
FUNCTIONS |= {"all": every, "rises": rises, "falls": falls}

# A snippet of another chapter: `your-model/weights.largest`, but not the quotient `a.x/b.y`. The
# hyphen of a name has no spaces around it; a minus before a name has.
OTHER_CHAPTER = re.compile(r"(?<![\w.\])/])([a-z]\w*(?:-[a-z]\w*)*)/([a-z]\w*)(?=\.)")
EXPONENT = re.compile(r"(?<=\d)e([+-]\d+)\b")
MINUS = re.compile(r"(?<!\w)-(?=\d)")


def weave(match: re.Match[str], context: Context) -> str:
    """Put in a computed number, marked with the snippets that it comes from."""
    printed, snippets = evaluate(match["value_text"], context)
    context.quoted.update(dict.fromkeys(snippets))
    power = EXPONENT.sub(lambda m: f" × 10<sup>{int(m[1])}</sup>", escape(printed))
    number = MINUS.sub("−", power)
    if not snippets or not context.chapter:  # its check has it, or no page
        return context.stash(f'<data class="computed" value="{escape(printed)}">{number}</data>')
    written = escape(match["value_text"].partition(" :")[0].strip())
    link = f'href="#{anchor(snippets[0])}" tabindex="-1" data-value="{written}"'
    return context.stash(f'<a class="computed" {link}>{number}</a>')


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
    printed, snippets = evaluate(match["value_in_formula"], context)
    context.quoted.update(dict.fromkeys(snippets))
    power = EXPONENT.sub(lambda m: rf"\times 10^{{{int(m[1])}}}", printed)
    return power.replace(",", "{,}").replace("%", r"\%")


def evaluate(text: str, context: Context) -> tuple[str, list[str]]:
    """Evaluate what stands between `{=` and `}`; give it as printed, and whose results it used.

    Raises:
        WeaveError: no expression, an unknown result or key, or a format that does not fit.
    """
    written, _, spec = (part.strip() for part in text.partition(" :"))
    value, snippets = compute(written, context)
    try:
        if isinstance(value, str | Integral):
            return format(value, spec), snippets
        if isinstance(value, Real) and isfinite(value):
            return format(value, spec or ".3g"), snippets
    except ValueError as error:
        raise WeaveError(f"'{written}': {error}") from None
    kind = value if isinstance(value, Real) else f"a {type(value).__name__}"
    raise WeaveError(f"'{written}' is {kind}; a page prints a finite number or text")


def to_python(written: str) -> str:
    """Write an expression with names that Python takes for the snippets of other chapters."""
    return OTHER_CHAPTER.sub(lambda m: f"{m[1].replace('-', 'ˍ')}__{m[2]}", written)


def as_written(python: str) -> str:
    """Undo `to_python`: of all signs that Python allows in a name, no key of ours has this one."""
    return python.replace("__", "/").replace("ˍ", "-")


def compute(written: str, context: Context) -> tuple[Any, list[str]]:
    """Give what an expression of results amounts to, and whose results it used.

    Raises:
        WeaveError: no expression, an unknown result or key.
    """
    scope: dict[str, Any] = FUNCTIONS | dict(context.own)
    snippets: dict[str, Results] = {}
    try:
        tree = ast.parse(to_python(written), mode="eval")
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        bound = {name.id for name in names if isinstance(name.ctx, ast.Store)}  # by `for`
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        called = {node.id for node in calls if isinstance(node, ast.Name)}
        for name in sorted({name.id for name in names} - bound - scope.keys()):
            if name in called | {"np", "numpy", "math"}:
                raise WeaveError(
                    f"'{name}': there is {', '.join(FUNCTIONS)}; compute the rest in a snippet"
                )
            if not context.chapter and "__" not in name:
                raise WeaveError(f"'{name}': outside a site, write {{= chapter/{name}… }}")
            snippet = as_written(name) if "__" in name else f"{context.chapter}/{name}"
            scope[name] = snippets[snippet] = context.results(snippet)
        scope["__builtins__"] = {"__import__": __import__}  # arrays ask for it: `x.max()`
        return eval(compile(tree, "<value>", "eval"), scope), [*snippets]
    except WeaveError:
        raise
    except SyntaxError:
        hint = (
            "write {= snippet.result }, or {= snippet.result :.2f } with a space before the colon"
        )
        raise WeaveError(f"'{written}' is no expression; {hint}") from None
    except KeyError as error:
        read = [scope, *map(vars, snippets.values())]
        known = [value for names in read for value in names.values() if isinstance(value, Mapping)]
        near = did_you_mean(error.args[0], [key for mapping in known for key in mapping])
        raise WeaveError(f"'{written}': no key {error}{near}") from None
    except Exception as error:
        raise WeaveError(f"'{written}': {error}") from None


MISSPELT = "a value is written {= snippet.result } or {= snippet.result :.2f }, with the spaces"
EMBEDS = [
    Embed(
        "value", r"\{=[ ](?P<value_text>[^{}]+)\}(?!\})", weave, misspelt=(r"\{=(?!\})", MISSPELT)
    ),
    # A number and its error stay on one line.
    Embed("error", r"[ ]±[ ](?=\{=[ ])", lambda *_: "\u00a0±\u00a0"),
    Embed("tex", r"\{=[ ](?P<value_in_formula>[^{}]+)\}", as_tex, in_formula=True),
]
