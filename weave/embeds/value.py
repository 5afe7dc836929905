"""Computed values: `{= spread.std[64] :.1f }` becomes the number, and says where it comes from."""

import builtins
import re
from collections.abc import Mapping
from html import escape
from math import isfinite
from numbers import Integral, Real
from re import Match
from typing import Any

from weave.embed import Context, Embed
from weave.errors import WeaveError, did_you_mean
from weave.results import Results

# An expression may use these beside the results.
FUNCTIONS = {name: getattr(builtins, name) for name in ("abs", "len", "max", "min", "round", "sum")}

# A snippet of another chapter: `saturation/weights.largest`, but not the quotient `a.x/b.y`.
OTHER_CHAPTER = re.compile(r"(?<![\w.\])/])([a-z]\w*)/([a-z]\w*)(?=\.)")
EXPONENT = re.compile(r"(?<=\d)e([+-]\d+)\b")
MINUS = re.compile(r"(?<!\w)-(?=\d)")


class Scope(dict[str, Any]):
    """The names in an expression: values of the text's own, and snippets, found when met."""

    def __init__(self, context: Context) -> None:
        super().__init__(FUNCTIONS | dict(context.own))
        self.context = context
        self.snippets: dict[str, Results] = {}

    def __missing__(self, name: str) -> Results:
        """Give the results of a snippet."""
        chapter = self.context.chapter
        if not chapter and "__" not in name:
            raise WeaveError(f"'{name}': outside a site, write {{= chapter/{name}… }}")
        snippet = name.replace("__", "/") if "__" in name else f"{chapter}/{name}"
        self.snippets[snippet] = self.context.results(snippet)
        return self.snippets[snippet]


def weave(match: Match[str], context: Context) -> str:
    """Put in a computed number, marked with the snippet that it comes from."""
    scope = Scope(context)
    printed = evaluate(match["value_text"], scope)
    source = ", ".join(sorted(scope.snippets)) or "its check"
    title = escape(f"{match['value_text'].partition(' :')[0].strip()}, computed by {source}")
    data = f'<data class="computed" title="{title}" value="{escape(printed)}">'
    return context.stash(f"{data}{as_html(printed)}</data>")


def evaluate(text: str, scope: Scope) -> str:
    """Evaluate what stands between `{=` and `}`, and print it.

    Raises:
        WeaveError: no expression, an unknown result or key, or a format that does not fit.
    """
    written, _, spec = (part.strip() for part in text.partition(" :"))
    try:
        value = eval(OTHER_CHAPTER.sub(r"\1__\2", written), {"__builtins__": FUNCTIONS}, scope)
        if isinstance(value, str | Integral):
            return format(value, spec)
        if isinstance(value, Real) and isfinite(value):
            return format(value, spec or ".3g")
    except WeaveError:
        raise
    except SyntaxError:
        raise WeaveError(f"'{written}' is no expression; write {{= snippet.result }}") from None
    except KeyError as error:
        raise WeaveError(f"'{written}': no key {error}{keys_near(error, scope)}") from None
    except Exception as error:
        raise WeaveError(f"'{written}': {error}") from None
    kind = value if isinstance(value, Real) else f"a {type(value).__name__}"
    raise WeaveError(f"'{written}' is {kind}; a page prints a finite number or text")


def keys_near(error: KeyError, scope: Scope) -> str:
    """Say which keys there are, among the mappings that the expression has read."""
    read = [scope, *map(vars, scope.snippets.values())]
    values = [value for names in read for value in names.values()]
    keys = [key for value in values if isinstance(value, Mapping) for key in value]
    return did_you_mean(error.args[0], keys)


def as_html(text: str) -> str:
    """Typeset a printed value for prose: a true minus sign, a power of ten."""
    power = EXPONENT.sub(lambda m: f" × 10<sup>{int(m[1])}</sup>", escape(text))
    return MINUS.sub("−", power)


def as_tex(match: Match[str], context: Context) -> str:
    """Typeset a printed number for a formula."""
    printed = evaluate(match["value_text"], Scope(context))
    power = EXPONENT.sub(lambda m: rf"\times 10^{{{int(m[1])}}}", printed)
    return power.replace(",", "{,}").replace("%", r"\%")


MISSPELT = "a value is written {= snippet.result } or {= snippet.result :.2f }, with the spaces"
EMBEDS = [
    Embed(
        "value",
        r"\{=[ ](?P<value_text>[^{}]+)\}",
        weave,
        misspelt=(r"\{=(?!\})", MISSPELT),
        in_formula=as_tex,
    )
]
