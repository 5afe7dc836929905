"""Claims of the sources: their table, and how a page refers to one.

`[@000-16]` on a page links to the claim's row in docs/claims.md, where `::: claims note` lists what
each claim says, the verdict, what was found, and the check: all that the ledger says, which
snippets/claims/note.py leaves behind as `claims`.
"""

import re
from collections.abc import Iterator, Mapping
from re import Match
from typing import Any

from weave.embed import Context, Embed
from weave.errors import WeaveError, did_you_mean
from weave.mentions import ELSEWHERE, Mention, links_back
from weave.project import Project, looks_up
from weave.results import Results

PAGE = "claims.md"
KEY = re.compile(r"[\w-]+")
CITED = re.compile(r"\[@([^\]]+)\]")
# How a verdict looks. The words are the ledger's, in snippets/claims/ledger.py.
TONES = {
    "true": "true",
    "true if": "partly",
    "wrong": "false",
    "vague": "open",
    "history": "open",
    "opinion": "open",
}
# What the ledger says of a claim in Markdown.
WORDS = ("quote", "place", "needs", "reading", "text")


@looks_up("ledgers")
def ledgers(project: Project, _: str) -> dict[str, dict[str, Any]]:
    """Give the claims of every source by their numbers, by the source's module."""
    found = {}
    for name in sorted(project.jobs.keys() - project.failed.keys()):
        if name.startswith("claims/") and "claims" in dir(results := Results(name, project.store)):
            found[name.removeprefix("claims/")] = results.claims
    return found


@looks_up("claim")
def claim(project: Project, key: str) -> Any:
    """Give what the ledger says of a claim, or nothing."""
    return next((c[key] for c in project.look_up("ledgers", "").values() if key in c), None)


@ELSEWHERE.append
def mentions(project: Project) -> Iterator[Mention]:
    """Yield the references in what the ledger says of each claim, where the row is the anchor."""
    for rows in project.look_up("ledgers", "").values():
        for key, row in rows.items():
            words = " ".join(row[part] for part in WORDS)
            cited = {work for mark in CITED.findall(words) for work in KEY.findall(mark)}
            for work in sorted(cited):
                yield Mention(work, PAGE, "Claims", key, key, in_table=True)


def refer(match: Match[str], context: Context) -> str:
    """Link to claims: in a table by verdict (a verdict again by number), in the text by number.

    In the text a verdict would seem to be about our own words, and numbers need a comma.
    """
    in_table = match.string[: match.start()].rpartition("\n")[2].startswith("|")
    shown, latest = [], ""
    for key in keys(match):
        row = context.look_up("claim", key)
        if row is None:
            known = [key for rows in context.look_up("ledgers").values() for key in rows]
            raise WeaveError(f"no claim is '{key}'{did_you_mean(key, known)}")
        verdict = row["verdict"]
        new = in_table and verdict != latest
        latest = verdict
        text, look = (verdict, f"verdict .{TONES[verdict]}") if new else (key, "claim")
        attributes = f'{context.anchor(match, key)} .{look} title="Claim {key}: {verdict}"'
        shown.append(f"[{text}]({context.to_root}{PAGE}#{key}){{ {attributes} }}")
    return (" " if in_table else ", ").join(shown)


def keys(match: Match[str]) -> list[str]:
    """Name the claims that are referred to."""
    return KEY.findall(match["marked"])


def listing(match: Match[str], context: Context) -> str:
    """Put in the table of a source's claims."""
    module = match["ledger"]
    name = f"claims/{module}"
    try:
        rows = context.results(name).claims
    except AttributeError as error:
        raise WeaveError(f"snippets/{name}.py: {error}") from None
    woven = {}
    for key, row in rows.items():
        prefix = f"snippets/{name}.py:{row['line']}: {key}: "
        woven[key] = row | {part: context.part(row[part], prefix, row["values"]) for part in WORDS}
        woven[key]["back"] = links_back(context, key, "Explained in", tables=False)
    return table(module, woven)


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


EMBEDS = [
    # The number of a claim, such as 000-16: a hyphen tells it from a work's key.
    Embed("claim", r"\[@(?P<marked>\w+-\d+(?:;\s*@?\w+-\d+)*)\]", refer, keys=keys),
    Embed("claims", r"^[ \t]*:::[ ]+claims[ ]+(?P<ledger>\S+)[ \t]*$", listing),
]
