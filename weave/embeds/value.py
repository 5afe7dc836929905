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

from weave.basics.errors import WeaveError, did_you_mean
from weave.embeds.embed import Context, Embed

# `your-model/weights.largest['keys']`: another chapter, a snippet, its result, keys.
NAME = re.compile(r"(?:([a-z][\w-]*)/)?([^\W\d]\w*)(?:\.([^\W\d]\w*))?((?:\[[^\[\]]+\])*)")
EXPONENT = re.compile(r"(?<=\d)e([+-]\d+)\b")
MINUS = re.compile(r"(?<!\w)-(?=\d)|(?<=\^)-")
LINKED = re.compile(r"[^\[\]\n]*\]\(")
POWER = re.compile(r"\^(−?\d+)")
FORM = (
    "what is computed has a name in the snippet: write {= snippet.result }, or "
    "{= snippet.result[key] :.2f } with a space before the colon"
)


def weave(match: re.Match[str], context: Context) -> str:
    """Put in a computed number, marked with the snippet that it comes from."""
    printed, snippet = evaluate(match["value_text"], context)
    plain = in_plain_text(printed)
    number = POWER.sub(r"<sup>\1</sup>", escape(plain))
    # A ledger has it, or no page; its figure stands above; or it stands in the words of a link.
    of_own_figure = snippet == context.captioned
    if (
        not snippet
        or not context.chapter
        or of_own_figure
        or LINKED.match(match.string, match.end())
    ):
        data = f'<data class="computed" value="{escape(printed)}">{number}</data>'
        return context.stash(data, plain)
    written = escape(match["value_text"].partition(" :")[0].strip())
    link = f'href="#{anchor(snippet)}" tabindex="-1" data-value="{written}"'
    return context.stash(f'<a class="computed" {link}>{number}</a>', plain)


def in_plain_text(printed: str) -> str:
    """Give a printed number with a true minus sign, and with a power of ten in place of an e."""
    return MINUS.sub("−", EXPONENT.sub(lambda m: f" × 10^{int(m[1])}", printed))


def fill_in(text: str, context: Context) -> str:
    """Put the computed numbers into plain text: a text alternative, or a script's docstring.

    Raises:
        WeaveError: what is quoted is no result. It has the line within the text, counted from 0.
    """

    def number(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.start())
        try:
            printed, _ = evaluate(match["value_text"], context)
        except WeaveError as error:
            raise WeaveError(str(error), line) from None
        except Exception as error:  # Python's own, say of a key that is no literal
            flaw = f"'{match[0]}': {type(error).__name__}: {error}"
            raise WeaveError(flaw, line) from None
        return in_plain_text(printed)

    return re.sub(VALUE, number, text)


def anchor(snippet: str) -> str:
    """Name the place of a snippet in the list of those whose numbers the page quotes."""
    return f"numbers-{snippet.replace('/', '-')}"


def at_end(context: Context) -> str:
    """List the snippets whose numbers the page quotes, folded, in Markdown."""
    if not context.quoted or not context.chapter:
        return ""
    lines = []
    for name in context.quoted:
        figure = context.stash(f'<a href="#{context.figure_id(name)}">the figure</a>, ')
        script = f"[the script]({context.to_root}snippets/{name}.py){{ download }}"
        drawn = figure if name in context.shown else ""
        files = [each for each in context.look_up("files_read", name) if each.endswith(".csv")]
        links = [f"[{file.rpartition('/')[2]}]({context.to_root}{file})" for file in files]
        read = f", from {' and '.join(links)}, measured beforehand" if links else ""
        lines.append(f"- *{name}*{{ #{anchor(name)} }}: {drawn}{script}{read}")
    return (
        '\n\n<details class="numbers" markdown="block">'
        "<summary>Where the numbers on this page come from</summary>\n\n"
        "Code computed them when the page was made:\n\n" + "\n".join(lines) + "\n\n</details>\n"
    )


def as_tex(tex: str, context: Context) -> str:
    """Put the computed numbers into a formula."""

    def typeset(match: re.Match[str]) -> str:
        printed, _ = evaluate(match[1], context)
        power = EXPONENT.sub(lambda m: rf"\times 10^{{{int(m[1])}}}", printed)
        return power.replace(",", "{,}").replace("%", r"\%").replace("±", r"\pm")

    return re.sub(r"\{=[ ]([^{}]+)\}", typeset, tex)


def evaluate(text: str, context: Context) -> tuple[str, str]:
    """Evaluate what stands between `{=` and `}`; give it as printed, and whose result it is."""
    written, _, spec = (part.strip() for part in text.partition(" :"))
    value, snippet = read(written, context)
    if snippet and snippet != context.captioned:
        context.quoted[snippet] = None
    if isinstance(value, list | tuple) or getattr(value, "shape", ()) == (2,):
        number, error = value
        return f"{printed(number, spec)}\u00a0±\u00a0{printed(error, spec)}", snippet
    return printed(value, spec), snippet


def printed(value: Any, spec: str) -> str:
    """Format a number or a text."""
    if isinstance(value, str | Integral):
        return format(value, spec)
    if isinstance(value, Real) and isfinite(value):
        return format(value, spec or ".3g")
    kind = value if isinstance(value, Real) else f"a {type(value).__name__}"
    raise TypeError(f"this is {kind}; a page prints a finite number, a text, or value and error")


def read(written: str, context: Context) -> tuple[Any, str]:
    """Give what a name such as `spread.std[64]` stands for, and its snippet, if it has one."""
    found = NAME.fullmatch(written)
    chapter, name, result, keys = found.groups() if found else ("", "", "", "")
    if result:
        snippet = f"{chapter or context.chapter}/{name}"
    elif name in context.own and not chapter:
        snippet = ""
    elif name and context.captioned and not chapter:
        snippet, result = context.captioned, name
    else:
        raise WeaveError(f"'{written}' is no name of a result; {FORM}")
    value = getattr(context.results(snippet), result) if snippet else context.own[name]
    for each in re.findall(r"\[([^\[\]]+)\]", keys):
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


def rows(match: re.Match[str], context: Context) -> str:
    """Put in as many rows of a table as there are results, for a line that stands for them.

        | {= d } | {= square.total[d] :, } | {for d in square.dims}

    Of a dict it takes the keys. Several names take a pair apart: `{for name, row in a.rows}`.
    """
    written = match["cases"].strip()
    cases = ast.literal_eval(written) if written.startswith("(") else read(written, context)[0]
    if not isinstance(cases, Iterable) or isinstance(cases, str):
        raise WeaveError(f"'{written}' is one value: rows take a list or a dict")
    names, made = re.findall(r"\w+", match["names"]), []
    for case in cases:
        try:
            own = dict(zip(names, case if len(names) > 1 else [case], strict=True))
        except (TypeError, ValueError):
            raise WeaveError(f"'{case}' is no {len(names)} values: {', '.join(names)}") from None
        row = match["row"]
        for name, text in own.items():
            if isinstance(text, str):  # it may hold formulas and links
                row = row.replace(f"{{= {name} }}", text.replace("|", r"\|"))
        made.append(context.weave_part(row, own={**context.own, **own}))
    return "\n".join(made)


VALUE = r"\{=[ ](?P<value_text>[^{}]+)\}(?!\})"
MISSPELT = "a value is written {= snippet.result } or {= snippet.result :.2f }, with the spaces"
ROWS = "rows are written | {= d } | {= snippet.result[d] } | {for d in snippet.dims}"
EMBEDS = [
    Embed(
        "rows",
        r"^(?P<row>[ \t]*\|[^\n]*\|)[ ]*\{for[ ]+(?P<names>\w+(?:,[ ]*\w+)*)[ ]+in[ ]+"
        r"(?P<cases>[^{}\n]+)\}[ ]*$",
        rows,
        misspelt=(r"\{for\b", ROWS),
    ),
    Embed("value", VALUE, weave, misspelt=(r"\{=(?!\})", MISSPELT), at_end=at_end),
]
