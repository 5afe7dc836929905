"""The tables of claims: `::: claims note` lists those of a source, `::: settled variance` a page's.

A row says what the claim says, the verdict, what was found, the section that settles it, and the
check: all that the ledger says, which snippets/claims/note.py leaves behind as `claims`. `settled`
lists the claims of some pages by their verdicts, for a page to link to: `claims.md#of-variance`.
"""

import re
from collections import defaultdict
from html import escape
from typing import Any

from weave.basics.errors import WeaveError
from weave.embeds.embed import Context, block
from weave.embeds.figure import code_block
from weave.project import Project, looks_up
from weave.run.results import Results

# How a verdict looks. The words are the ledger's, in snippets/claims/ledger.py.
TONES = {"true": "true", "true if": "partly", "wrong": "false"} | dict.fromkeys(
    ("vague", "question", "withdrawn", "history", "opinion"), "open"
)
# What the ledger says of a claim in Markdown.
WORDS = ("quote", "place", "needs", "reading", "text")


@looks_up("claims")
def claims(project: Project, _: str) -> dict[str, dict[str, Any]]:
    """Give by its number each claim's verdict and place, where it is settled, what it cites."""
    found = {}
    for name, run in sorted(project.runs.items()):
        if name.startswith("claims/"):
            claims = getattr(Results(run), "claims", {})
            for key, row in claims.items():
                found[key] = {part: row[part] for part in ("verdict", "place", "settled")}
                words = " ".join(row[part] for part in WORDS)
                found[key]["cites"] = re.findall(r"\[@([^\]]+)\]", words)
    return found


def listing(match: re.Match[str], context: Context) -> str:
    """Give the table of a source's claims, in HTML with Markdown in its cells."""
    source = match["ledger"]
    file = f"snippets/claims/{source}.py"
    claims = context.results(f"claims/{source}").claims
    rows = ""
    for key, claim in claims.items():
        place = f"{file}:{claim['line']}: {key}"
        words = {part: context.weave_part(claim[part], place, claim["values"]) for part in WORDS}
        rows += table_row(key, claim | words, file, context)
    head = "<tr markdown><th>Claim</th><th>Verdict</th><th>What we find</th></tr>"
    return (
        f'\n<div class="listing" markdown>\n<table data-source="{source}" markdown>\n'
        f"<thead markdown>\n{head}\n</thead>\n<tbody markdown>\n{rows}</tbody>\n</table>\n</div>\n"
    )


def table_row(key: str, claim: dict[str, Any], file: str, context: Context) -> str:
    """Give the row of a claim."""
    verdict, place = claim["verdict"], claim["place"]
    quoted = f"“{claim['quote']}”" if place else claim["quote"]  # what no source says is ours
    title, section = context.look_up("section", to := claim["settled"])
    link = context.weave_part(f"*{title}*: [{section}]({context.to_root}{to})")
    return (
        f'<tr id="{key}" data-verdict="{verdict}" markdown>\n'
        f'<td markdown="block">\n\n{quoted}\n\n'
        f"[{key}](#{key}){{ .claim }} {place or 'our own addition'}\n{{ .place }}\n\n</td>\n"
        f'<td markdown="span">*{verdict}*{{.verdict .{TONES[verdict]}}}</td>\n'
        f'<td markdown="block">\n\n{found(claim)}\n\n'
        f"Explained in {link}\n{{ .back }}\n\n{check(claim, file, context)}\n\n</td>\n"
        "</tr>\n"
    )


def found(claim: dict[str, Any]) -> str:
    """Say what is found, after the assumption or the reading that it depends on."""
    before = f"**If {claim['needs']}.** " if claim["needs"] else ""
    if claim["reading"]:
        condition = f" if {claim['needs']}" if claim["needs"] else ""
        so = claim["outcome"].removesuffix(" if") + condition
        before = f"**Read as: {claim['reading']}.** So read, it is {so}. "
    return f"{before}{claim['text']}"


def check(claim: dict[str, Any], file: str, context: Context) -> str:
    """Say how strict the check is, and show it, folded, with how many alterations it caught."""
    if "says" not in claim:
        return ""
    alterations = "There is nothing in a comparison to alter."
    if claim["altered"]:
        caught = sum(claim["altered"].values())
        alterations = f"It caught {caught} of {len(claim['altered'])} alterations of the claim."
    right = f'right = "{claim["rather"]}"\n' if claim["rather"] else ""
    code = f'claimed = "{claim["says"]}"\n{right}\n{claim["code"]}'
    # Not <code>, each of which the theme would give a button to copy it.
    shown = context.stash(f"<pre><samp>{escape(code, quote=False)}</samp></pre>", code_block(code))
    return (
        f"{claim['strictness']}\n{{ .place }}\n\n"
        '<details markdown="block"><summary>The check</summary>\n\n'
        f"{shown}\n\n"
        f"{alterations} From [{file}]({file}).\n\n</details>"
    )


def settled(match: re.Match[str], context: Context) -> str:
    """List by page the claims that it settles, by their verdicts, in Markdown."""
    by_page = {page: defaultdict[str, list[str]](list) for page in match["settling"].split()}
    for key, row in sorted(context.look_up("claims").items()):
        page = row["settled"].partition(".md")[0]
        if page not in by_page:
            raise WeaveError(f"claim {key} is settled on '{page}', which is not listed here")
        if row["place"]:  # what no source says is our own addition
            by_page[page][row["verdict"]].append(key)
    items = ""
    for page, verdicts in by_page.items():
        count = sum(map(len, verdicts.values()))
        items += f'<li id="of-{page}" markdown="block">\n\n'
        items += f"[{context.look_up('section', f'{page}.md')[0]}]({page}.md): {count} claims."
        for verdict in [word for word in TONES if word in verdicts]:
            links = ", ".join(f"[{key}](#{key}){{ .claim }}" for key in verdicts[verdict])
            items += f" *{verdict}*{{ .verdict .{TONES[verdict]} }} {links}"
        items += "\n\n</li>\n"
    return context.weave_part(f'\n<ul class="settled" markdown="block">\n{items}</ul>\n')


EMBEDS = [
    block("settled", r"settled(?P<settling>(?:[ ]+[\w-]+)+)", settled),
    block("claims", r"claims[ ]+(?P<ledger>\S+)", listing),
]
