"""Computed values: `{= spread.std[64] :.1f }` becomes the number, and says where it comes from.

It is a name and a format: what is computed is computed in the snippet. A result of two numbers, a
value and its error, prints as value ± error. A number is a link to its snippet's line in a folded
list at the page's end, which card.js shows in a card beside it. So it answers a finger and a mouse,
with scripts and without; but no stop of the Tab key, of which a page would have a hundred: the
keyboard has the list.
"""

import ast
import re
from collections.abc import Iterable, Mapping
from html import escape
from math import isfinite
from numbers import Integral, Real
from typing import Any

from weave.basics.errors import PendingError, WeaveError, did_you_mean
from weave.embeds.embed import Context, Embed, being_run, mistake_at

# `your-model/weights.largest['keys']`: another chapter, a snippet, its result, keys.
# A snippet's name is that of its file, which may have a hyphen.
NAME = re.compile(
    r"""
      (?:(?P<chapter>[a-z][\w-]*)/)? (?P<first>[\w-]+) (?:\.(?P<result>[^\W\d]\w*))?
      (?P<keys>(?:\[[^\[\]]+\])*)
    """,
    re.VERBOSE,
)
KEY = re.compile(r"\[([^\[\]]+)\]")
EXPONENT = re.compile(r"(?<=\d)e([+-]\d+)\b")
MINUS = re.compile(r"(?<!\w)-(?=\d)|(?<=\^)-")
LINKED = re.compile(r"[^\[\]\n]*\]\(")
POWER = re.compile(r"\^(−?\d+)")
FORM = (
    "what is computed has a name in the snippet: write {= snippet.result }, or "
    "{= snippet.result[key] :.2f } with a space before the colon"
)


def weave_value(match: re.Match[str], context: Context) -> str:
    """Put in a computed number, marked with the snippet that it comes from."""
    printed, snippet = evaluate(match["value_text"], context)
    plain = in_plain_text(printed)
    number = POWER.sub(r"<sup>\1</sup>", escape(plain))
    is_in_list = snippet and snippet != context.captioned  # else a ledger's, or of the figure above
    is_in_link = LINKED.match(match.string, match.end())
    if not is_in_list or is_in_link or not context.chapter:
        data = f'<data class="computed" value="{escape(printed)}">{number}</data>'
        return context.stash(data, plain)
    name = escape(match["value_text"].partition(" :")[0].strip())
    link = f'<a class="computed" href="#{source_id(snippet)}" tabindex="-1" data-value="{name}">'
    return context.stash(f"{link}{number}</a>", plain)


def in_plain_text(printed: str) -> str:
    """Give a printed number with a true minus sign, and with a power of ten in place of an e."""
    return MINUS.sub("−", EXPONENT.sub(lambda m: f" × 10^{int(m[1])}", printed))


def fill_in(text: str, context: Context) -> str:
    """Put the computed numbers into plain text: a text alternative, or a script's docstring.

    What has not been run yet is an ellipsis.

    Raises:
        WeaveError: what is quoted is no result. It has the line within the text, counted from 0.
    """

    def number(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.start())
        try:
            printed, _ = evaluate(match["value_text"], context)
        except PendingError:
            return "…"
        except Exception as error:
            raise WeaveError(str(mistake_at(match[0], error)), line) from None
        return in_plain_text(printed)

    return re.sub(VALUE, number, text)


def source_id(snippet: str) -> str:
    """Name the place of a snippet in the list of those whose numbers the page quotes."""
    return f"numbers-{snippet.replace('/', '-')}"


def list_sources(context: Context) -> str:
    """List the snippets whose numbers the page quotes, folded, in Markdown."""
    if not context.quoted or not context.chapter:
        return ""
    entries = "\n".join(source_of(snippet, context) for snippet in context.quoted)
    return (
        '\n\n<details class="numbers" markdown="block">'
        "<summary>Where the numbers on this page come from</summary>\n\n"
        f"Code computed them when the page was made:\n\n{entries}\n\n</details>\n"
    )


def source_of(snippet: str, context: Context) -> str:
    """Give the list's entry of a snippet: its figure, its script, and the tables that it read."""
    entry = f"- *{snippet}*{{ #{source_id(snippet)} }}: "
    if snippet in context.shown:
        entry += context.stash(f'<a href="#{context.figure_id(snippet)}">the figure</a>, ')
    entry += f"[the script]({context.to_root}snippets/{snippet}.py){{ download }}"
    tables = []
    for file in context.look_up("files_read", snippet):
        name = file.rpartition("/")[2]
        if name.endswith(".csv"):
            tables.append(f"[{name}]({context.to_root}{file})")
    if tables:
        entry += f", from {' and '.join(tables)}, measured beforehand"
    return entry


def as_tex(tex: str, context: Context) -> str:
    """Put the computed numbers into a formula; what has not been run yet is an empty box."""

    def typeset(match: re.Match[str]) -> str:
        try:
            printed, _ = evaluate(match[1], context)
        except PendingError:
            return r"\square "
        power = EXPONENT.sub(lambda m: rf"\times 10^{{{int(m[1])}}}", printed)
        return power.replace(",", "{,}").replace("%", r"\%").replace("±", r"\pm")

    return re.sub(r"\{=[ ]([^{}]+)\}", typeset, tex)


def evaluate(text: str, context: Context) -> tuple[str, str]:
    """Evaluate what stands between `{=` and `}`.

    Returns:
        The number as printed, and the snippet whose result it is, if it is one's.

    Raises:
        WeaveError: there is no such result.
        Exception: Python's own, say of a key that is no literal, or a format that is none.
    """
    written, _, spec = (part.strip() for part in text.partition(" :"))
    value, snippet = result_named(written, context)
    if snippet and snippet != context.captioned:
        context.quoted[snippet] = None
    is_pair = isinstance(value, list | tuple) or getattr(value, "shape", ()) == (2,)
    if not is_pair:
        return formatted(value, spec), snippet
    number, error = value
    return f"{formatted(number, spec)}\u00a0±\u00a0{formatted(error, spec)}", snippet


def formatted(value: Any, spec: str) -> str:
    """Format a number or a text."""
    if isinstance(value, str | Integral):
        return format(value, spec)
    if isinstance(value, Real) and isfinite(value):
        return format(value, spec or ".3g")
    kind = value if isinstance(value, Real) else f"a {type(value).__name__}"
    raise TypeError(f"this is {kind}; a page prints a finite number, a text, or value and error")


def result_named(written: str, context: Context) -> tuple[Any, str]:
    """Give what a name such as `spread.std[64]` stands for, and its snippet, if it has one.

    In a caption a name alone is a result of the snippet there; in a row of a table, and in a
    ledger's words, it may be one of `context.own`.
    """
    name = NAME.fullmatch(written)
    if not name:
        raise WeaveError(f"'{written}' is no name of a result; {FORM}")
    first = name["first"]
    snippet = ""
    if name["result"]:
        snippet = f"{name['chapter'] or context.chapter}/{first}"
        value = context.result(snippet, name["result"])
    elif first in context.own and not name["chapter"]:
        value = context.own[first]
    elif first.isidentifier() and context.captioned and not name["chapter"]:
        snippet = context.captioned
        value = context.result(snippet, first)
    else:
        raise WeaveError(f"'{written}' is no name of a result; {FORM}")
    for each in KEY.findall(name["keys"]):
        key = key_of(each, context.own)
        if isinstance(value, Mapping) and key not in value:
            raise WeaveError(f"'{written}': no key {key!r}{did_you_mean(key, value)}")
        value = value[key]
    return value, snippet


def key_of(written: str, own: Mapping[str, Any]) -> Any:
    """Give a key, or a tuple of them: what is written, or in a row of a table what a name means."""
    node = ast.parse(written.strip(), mode="eval").body
    if isinstance(node, ast.Name) and node.id in own:
        return own[node.id]
    if isinstance(node, ast.Tuple):
        return tuple(key_of(ast.unparse(part), own) for part in node.elts)
    return ast.literal_eval(node)


def weave_rows(match: re.Match[str], context: Context) -> str:
    """Put in as many rows of a table as there are results, for a line that stands for them.

        | {= d } | {= square.total[d] :, } | {for d in square.dims}

    Of a dict it takes the keys. Several names take a pair apart: `{for name, row in a.rows}`.
    """
    names = re.findall(r"\w+", match["names"])
    rows = []
    try:
        cases = cases_of(match["cases"].strip(), context)
    except PendingError as error:
        columns = re.sub(r"\{=.*?\}|\\\|", "", match["row"]).count("|") - 1
        return f"| {context.stash(being_run(error.name), '…')} |{' |' * (columns - 1)}"
    for case in cases:
        values = case if len(names) > 1 else [case]
        try:
            own = dict(zip(names, values, strict=True))
        except (TypeError, ValueError):
            raise WeaveError(f"'{case}' is no {len(names)} values: {', '.join(names)}") from None
        row = match["row"]
        for name, text in own.items():
            if isinstance(text, str):  # it may hold formulas and links
                row = row.replace(f"{{= {name} }}", text.replace("|", r"\|"))
        rows.append(context.weave_part(row, own={**context.own, **own}))
    return "\n".join(rows)


def cases_of(written: str, context: Context) -> Iterable[Any]:
    """Give what rows are made of: a tuple that is written out, or a result."""
    if written.startswith("("):
        cases = ast.literal_eval(written)
    else:
        cases, _ = result_named(written, context)
    if isinstance(cases, str) or not isinstance(cases, Iterable):
        raise WeaveError(f"'{written}' is one value: rows take a list or a dict")
    return cases


VALUE = r"\{=[ ](?P<value_text>[^{}]+)\}(?!\})"
MISSPELT = "a value is written {= snippet.result } or {= snippet.result :.2f }, with the spaces"
ROWS = "rows are written | {= d } | {= snippet.result[d] } | {for d in snippet.dims}"
EMBEDS = [
    Embed(
        "rows",
        r"^(?P<row>[ \t]*\|[^\n]*\|)[ ]*\{for[ ]+(?P<names>\w+(?:,[ ]*\w+)*)[ ]+in[ ]+"
        r"(?P<cases>[^{}\n]+)\}[ ]*$",
        weave_rows,
        misspelt=(r"\{for\b", ROWS),
    ),
    Embed("value", VALUE, weave_value, misspelt=(r"\{=(?!\})", MISSPELT), at_end=list_sources),
]
