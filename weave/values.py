"""Evaluate and print a computed value: `{= spread.std[64] :.1f }`."""

import ast
import builtins
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from weave.errors import WeaveError, did_you_mean

# An expression may use these beside the results.
FUNCTIONS = {name: getattr(builtins, name) for name in ("abs", "len", "max", "min", "round", "sum")}

# A snippet of another chapter: `saturation/weights.largest`, but not the quotient `a.x/b.y`.
OTHER_CHAPTER = re.compile(r"(?<![\w.\])/])([a-z]\w*)/([a-z]\w*)(?=\.)")
EXPONENT = re.compile(r"(?<=\d)e([+-]\d+)\b")
MINUS = re.compile(r"(?<!\w)-(?=\d)")


@dataclass(frozen=True)
class Value:
    """An expression over results, and how to print it.

    Attributes:
        text: the expression as the author wrote it.
        code: the same as Python, `saturation/weights` written `saturation__weights`.
        spec: a format specification, such as `.1f`; empty where none is given.
        snippets: the snippets in it, by the name that `code` uses.
    """

    text: str
    code: ast.Expression
    spec: str
    snippets: dict[str, str]

    def print(self, results: Mapping[str, Any], own: Mapping[str, Any] | None = None) -> str:
        """Evaluate against the results by snippet name, and values by their own, and format.

        Raises:
            WeaveError: an unknown result or key, or a format that does not fit.
        """
        scope = {code: results[name] for code, name in self.snippets.items()} | dict(own or {})
        try:
            value = eval(compile(self.code, self.text, "eval"), {"__builtins__": FUNCTIONS}, scope)
            if isinstance(value, str | int | np.integer):
                return format(value, self.spec)
            if isinstance(value, float | np.floating) and np.isfinite(value):
                return format(value, self.spec or ".3g")
        except KeyError as error:
            raise WeaveError(f"'{self.text}': no key {error}{self._keys(error, scope)}") from None
        except Exception as error:
            raise WeaveError(f"'{self.text}': {error}") from None
        kind = value if isinstance(value, float | np.floating) else f"a {type(value).__name__}"
        raise WeaveError(f"'{self.text}' is {kind}; a page prints a finite number or text")

    def _keys(self, error: KeyError, scope: Mapping[str, Any]) -> str:
        """Say which keys there are, where the mapping in question can be found."""
        for node in ast.walk(self.code):
            if isinstance(node, ast.Subscript):
                inner = compile(ast.Expression(node.value), self.text, "eval")
                try:
                    mapping = eval(inner, {"__builtins__": FUNCTIONS}, scope)
                except KeyError:
                    continue
                if isinstance(mapping, Mapping) and error.args[0] not in mapping:
                    return did_you_mean(error.args[0], mapping)
        return ""


def parse(text: str, chapter: str, own: Collection[str] = ()) -> Value:
    """Read what stands between `{=` and `}` on a page of `chapter`.

    Args:
        text: the expression and its format.
        chapter: where a snippet's name without a folder is looked for.
        own: names that are values already, not snippets.

    Raises:
        WeaveError: not an expression, or a snippet without its chapter where there is no page.
    """
    expression, _, spec = text.partition(" :")
    written = expression.strip()
    code = OTHER_CHAPTER.sub(r"\1__\2", written)
    try:
        tree = ast.parse(code, mode="eval")
    except SyntaxError:
        raise WeaveError(f"'{written}' is no expression; write {{= snippet.result }}") from None
    roots = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - FUNCTIONS.keys() - {*own}
    if not chapter and any("__" not in root for root in roots):
        raise WeaveError(f"'{written}': outside a site, write {{= chapter/{written} }}")
    snippets = {
        root: root.replace("__", "/") if "__" in root else f"{chapter}/{root}" for root in roots
    }
    return Value(written, tree, spec.strip(), snippets)


def as_html(text: str) -> str:
    """Typeset a printed value for prose: a true minus sign, a power of ten."""
    power = EXPONENT.sub(lambda m: f" × 10<sup>{int(m[1])}</sup>", escape(text))
    return MINUS.sub("−", power)


def as_tex(text: str) -> str:
    """Typeset a printed number for a formula."""
    text = EXPONENT.sub(lambda m: rf"\times 10^{{{int(m[1])}}}", text)
    return text.replace(",", "{,}").replace("%", r"\%")
