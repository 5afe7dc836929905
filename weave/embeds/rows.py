"""Rows of a table: a line that stands for as many as there are results.

    | {= d } | {= square.total[d] :, } | {for d in square.dims}

Of a dict it takes the keys. Several names take a pair apart: `{for name, row in controls.rows}`.
"""

import re
from collections.abc import Iterable

from weave.basics.errors import WeaveError
from weave.embeds.embed import Context, Embed
from weave.embeds.value import read

ALONE = re.compile(r"\{=[ ](?P<name>\w+)(?:[ ]:(?P<spec>[^{}]+?))?[ ]\}")


def weave(match: re.Match[str], context: Context) -> str:
    """Put in the rows, as Markdown."""
    cases, _ = read(match["cases"].strip(), context)
    if not isinstance(cases, Iterable) or isinstance(cases, str):
        raise WeaveError(f"'{match['cases'].strip()}' is one value: rows take a list or a dict")
    names, rows = [name.strip() for name in match["names"].split(",")], []
    for case in cases:
        try:
            own = dict(zip(names, case if len(names) > 1 else [case], strict=True))
        except (TypeError, ValueError):
            raise WeaveError(f"'{case}' is no {len(names)} values: {', '.join(names)}") from None

        def label(found: re.Match[str], own: dict[str, object] = own) -> str:
            text = own.get(found["name"])  # a label may hold formulas and links
            if not isinstance(text, str):
                return found[0]
            if found["spec"]:
                raise WeaveError(
                    f"'{text}' is a text: write {{= {found['name']} }}, with no format"
                )
            return text.replace("|", r"\|")

        row = context.part(ALONE.sub(label, match["row"]), own={**context.own, **own})
        rows.append(row)
    return "\n".join(rows)


MISSPELT = "rows are written | {= d } | {= snippet.result[d] } | {for d in snippet.dims}"
EMBEDS = [
    Embed(
        "rows",
        r"^(?P<row>[ \t]*\|[^\n]*\|)[ ]*\{for[ ]+(?P<names>\w+(?:,[ ]*\w+)*)[ ]+in[ ]+"
        r"(?P<cases>[^{}\n]+)\}[ ]*$",
        weave,
        misspelt=(r"\{for\b", MISSPELT),
    )
]
