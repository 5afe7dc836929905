"""The tables of claims: `::: claims note` lists those of a source, `::: settled variance` a page's.

A row says what the claim says, the verdict, what was found, the section that settles it, and the
check: all that the ledger says, which snippets/claims/note.py leaves behind as `claims`. `settled`
lists the claims of some pages by their verdicts, for a page to link to: `claims.md#of-variance`.
"""

import re
from collections.abc import Mapping
from html import escape
from typing import Any

from weave.basics.errors import WeaveError
from weave.embeds.claims import TONES, WORDS, look_up
from weave.embeds.embed import Context, block
from weave.embeds.figure import code_block


def listing(match: re.Match[str], context: Context) -> str:
    """Give the table of a source's claims, in HTML with Markdown in its cells."""
    source = match["ledger"]
    file = f"snippets/claims/{source}.py"
    try:
        claims = context.results(f"claims/{source}").claims
    except AttributeError as error:
        raise WeaveError(f"{file}: {error}") from None
    rows = ""
    for key, claim in claims.items():
        place = f"{file}:{claim['line']}: {key}"
        words = {part: context.part(claim[part], place, claim["values"]) for part in WORDS}
        back = context.part(f"Explained in {link_to(claim['settled'], context)}\n{{ .back }}")
        rows += table_row(key, claim | words, back, file, context)
    head = "<tr markdown><th>Claim</th><th>Verdict</th><th>What we find</th></tr>"
    return (
        f'\n<div class="listing" markdown>\n<table data-source="{source}" markdown>\n'
        f"<thead markdown>\n{head}\n</thead>\n<tbody markdown>\n{rows}</tbody>\n</table>\n</div>\n"
    )


def link_to(place: str, context: Context) -> str:
    """Link to a section, such as `variance.md#puzzle`, by the words of its page and its heading."""
    found = context.look_up("section", place)
    if not found:
        raise WeaveError(f"no page is '{place}': a claim says which section settles it")
    title, section = found
    return f"*{title}*: [{section}]({context.to_root}{place})"


def settled(match: re.Match[str], context: Context) -> str:
    """List by page the claims that it settles, by their verdicts, in Markdown."""
    listed = match["settling"].split()
    by_page: dict[str, dict[str, list[str]]] = {page: {} for page in listed}
    for key in sorted(context.look_up("claims")):
        row = look_up(key, context)
        page = row["settled"].partition(".md")[0]
        if page not in by_page:
            raise WeaveError(f"claim {key} is settled on '{page}', which is not listed here")
        if row["place"]:  # what no source says is our own addition
            by_page[page].setdefault(row["verdict"], []).append(key)
    items = ""
    for page, verdicts in by_page.items():
        found = context.look_up("section", f"{page}.md")
        if not found:
            raise WeaveError(f"no page is '{page}.md'")
        count = sum(map(len, verdicts.values()))
        parts = []
        for verdict in [word for word in TONES if word in verdicts]:
            links = ", ".join(f"[{key}](#{key}){{ .claim }}" for key in verdicts[verdict])
            parts.append(f"*{verdict}*{{ .verdict .{TONES[verdict]} }} {links}")
        link = f"[{found[0]}]({page}.md): {count} claims."
        items += f'<li id="of-{page}" markdown="block">\n\n{link} {" ".join(parts)}\n\n</li>\n'
    return context.part(f'\n<ul class="settled" markdown="block">\n{items}</ul>\n')


def table_row(key: str, claim: Mapping[str, Any], back: str, file: str, context: Context) -> str:
    """Give the row of a claim, with links `back` to the places that refer to it."""
    verdict, place = claim["verdict"], claim["place"]
    said = f"{found(claim)}\n\n{back}\n\n{check(claim, file, context)}"
    return (
        f'<tr id="{key}" data-verdict="{verdict}" markdown>\n'
        f'<td markdown="block">\n\n{quoted(claim)}\n\n'
        f"[{key}](#{key}){{ .claim }} {place or 'our own addition'}\n{{ .place }}\n\n</td>\n"
        f'<td markdown="span">*{verdict}*{{.verdict .{TONES[verdict]}}}</td>\n'
        f'<td markdown="block">\n\n{said}\n\n</td>\n'
        "</tr>\n"
    )


def quoted(claim: Mapping[str, Any]) -> str:
    """Give a claim in its source's words, or in ours where no source says it."""
    return f"“{claim['quote']}”" if claim["place"] else claim["quote"]


def found(claim: Mapping[str, Any]) -> str:
    """Say what is found, after the assumption or the reading that it depends on."""
    before = f"**If {claim['needs']}.** " if claim["needs"] else ""
    if claim["reading"]:
        condition = f" if {claim['needs']}" if claim["needs"] else ""
        so = claim["outcome"].removesuffix(" if") + condition
        before = f"**Read as: {claim['reading']}.** So read, it is {so}. "
    return f"{before}{claim['text']}"


def check(claim: Mapping[str, Any], file: str, context: Context) -> str:
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
    html = f"<pre><samp>{escape(code, quote=False)}</samp></pre>"
    shown = context.stash(html, code_block(code))
    return (
        f"{claim['strictness']}\n{{ .place }}\n\n"
        '<details data-search-exclude markdown="block"><summary>The check</summary>\n\n'
        f"{shown}\n\n"
        f"{alterations} From [{file}]({file}).\n\n</details>"
    )


EMBEDS = [
    block("settled", r"settled(?P<settling>(?:[ ]+[\w-]+)+)", settled),
    block("claims", r"claims[ ]+(?P<ledger>\S+)", listing),
]
