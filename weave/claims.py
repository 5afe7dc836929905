"""Claims of the sources: their table, and how a page refers to one.

`[@000-16]` on a page links to the claim's row in docs/claims.md, where `::: claims note` lists what
each claim says, the verdict, what was found, and the check.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from weave.site import stamped

PAGE = "claims.md"
ENTERED = re.compile(r"^@\w+(?:\.\w+)?\(\s*\"(?P<key>[\w-]+)\"", re.MULTILINE)
# How a verdict looks. The words are the ledger's, in snippets/claims/ledger.py.
TONES = {
    "true": "true",
    "true if": "partly",
    "wrong": "false",
    "vague": "open",
    "history": "open",
    "opinion": "open",
}


def modules(root: Path) -> dict[str, str]:
    """Give the module under snippets/claims/ that holds each claim, by the claim's number."""
    return _modules(stamped(sorted((root / "snippets" / "claims").glob("*.py"))))


@lru_cache(maxsize=1)
def _modules(files: tuple[tuple[Path, int], ...]) -> dict[str, str]:
    return {
        entry["key"]: f"claims/{file.stem}"
        for file, _ in files
        for entry in ENTERED.finditer(file.read_text("utf-8"))
    }


def refer(
    places: Mapping[str, str], verdicts: Mapping[str, str], to_root: str, in_table: bool
) -> str:
    """Link to claims: in a table by verdict (a verdict again by number), in the text by number.

    In the text a verdict would seem to be about our own words, and numbers need a comma.

    Args:
        places: by number the link's id, as `#mark-000-16`, or nothing.
        verdicts: by number.
        to_root: the way from the page up to docs/.
        in_table: whether it stands in a table's row.
    """
    shown, latest = [], ""
    for key, place in places.items():
        verdict = verdicts[key]
        new = in_table and verdict != latest
        latest = verdict
        text, look = (verdict, f"verdict .{TONES[verdict]}") if new else (key, "claim")
        title = f'title="Claim {key}: {verdict}"'
        shown.append(f"[{text}]({to_root}{PAGE}#{key}){{ {place} .{look} {title} }}")
    return (" " if in_table else ", ").join(shown)


def table(module: str, rows: Mapping[str, Any]) -> str:
    """Give the table, in HTML with Markdown in its cells.

    Args:
        module: the stem of the module under snippets/claims/.
        rows: what the ledger says of each claim, by its number (see Ledger.judge there), and
            links `back` to the places that refer to it.
    """
    parts = [
        f'\n<table data-source="{module}" markdown>',
        "<thead markdown>",
        "<tr markdown><th>Claim</th><th>Verdict</th><th>What we find</th></tr>",
        "</thead>",
        "<tbody markdown>",
    ]
    for key, claim in rows.items():
        verdict = claim["verdict"]
        quoted = f"“{claim['quote']}”" if claim["place"] else claim["quote"]
        place = claim["place"] or "our own addition"
        parts += [
            f'<tr id="{key}" data-verdict="{verdict}" markdown>',
            f'<td markdown="block">\n\n{quoted}\n\n'
            f"[{key}](#{key}){{ .claim }} {place}\n{{ .place }}\n\n</td>",
            f'<td markdown="span">*{verdict}*{{.verdict .{TONES[verdict]}}}</td>',
            f'<td markdown="block">\n\n{found(claim)}\n\n'
            f"{claim['back']}\n\n"
            f"{check(claim, module)}\n\n</td>",
            "</tr>",
        ]
    return "\n".join([*parts, "</tbody>", "</table>\n"])


def found(claim: Mapping[str, Any]) -> str:
    """Say what is found, after the assumption or the reading that it depends on."""
    if claim["needs"]:
        return f"**If {claim['needs']}.** {claim['text']}"
    if claim["reading"]:
        read = f"**Read as: {claim['reading']}.** So read, it is {claim['outcome']}."
        return f"{read} {claim['text']}"
    return str(claim["text"])


def check(claim: Mapping[str, Any], module: str) -> str:
    """Show the check, folded, and how many alterations of the claim it caught."""
    if "says" not in claim:
        return ""
    claimed = f'claimed = "{claim["says"]}"\n'
    right = f'right = "{claim["rather"]}"\n' if claim["rather"] else ""
    file = f"snippets/claims/{module}.py"
    caught, tried = sum(claim["altered"].values()), len(claim["altered"])
    return (
        f'<details data-search-exclude markdown="block"><summary>The check</summary>\n\n'
        f"```python\n{claimed}{right}\n{claim['code']}\n```\n\n"
        f"It caught {caught} of {tried} alterations of the claim. "
        f"From [{file}]({file}).\n\n</details>"
    )
