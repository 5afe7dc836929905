"""The tables of claims: `::: claims note` lists those of a source, `::: settled` those of pages.

A row says what the claim says, the verdict, what was found, the section that settles it, and the
check: all that the ledger says, which snippets/claims/note.py leaves behind as `claims`. `settled`
lists by page and verdict the claims that a page settles: `claims.md#of-variance` leads to a page's.

`::: claims ours` lists what pages say of our own runs, with a heading for each page: a finding has
an `arm`, the one that would have refuted it. Pages come in the order of the contents.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import Any

from weave.embeds.embed import Context, block
from weave.embeds.figure import code_block
from weave.project import Project, is_ledger, looks_up
from weave.run.results import Results

# How a verdict looks. The words are the ledger's, in snippets/claims/ledger.py.
TONES = {
    "true": "true",
    "true if": "partly",
    "wrong": "false",
    "vague": "open",
    "question": "open",
    "withdrawn": "open",
    "history": "open",
    "opinion": "open",
    "holds": "true",
    "holds if": "partly",
    "one rate": "partly",
    "suggested": "open",
    "refuted": "false",
}
# What the ledger says of a claim in Markdown; the last three of a finding of our own.
WORDS = ("said", "place", "needs", "reading", "text", "runs", "arm", "otherwise")
CITATION = re.compile(r"\[@([^\]]+)\]")
NAV = re.compile(r"^nav:.*?(?=^[^\s#]|\Z)", re.MULTILINE | re.DOTALL)

Claim = dict[str, Any]  # what a ledger says of a claim


@looks_up("claims")
def claims_by_number(project: Project, _: str) -> dict[str, Claim]:
    """Give by its number each claim's verdict and place, where it is settled, what it cites.

    Raises:
        PendingError: a ledger has not been run yet.
    """
    found: dict[str, Claim] = {}
    for name in project.pending:
        if is_ledger(name):
            project.run_of(name)
    for name, run in sorted(project.runs.items()):
        if not is_ledger(name):
            continue
        claims: dict[str, Claim] = getattr(Results(run), "claims", {})
        for key, claim in claims.items():
            words = " ".join(claim.get(part, "") for part in WORDS)
            found[key] = {
                "verdict": claim["verdict"],
                "place": claim["place"],
                "settled": claim["settled"],
                "cites": CITATION.findall(words),
                "is_ours": "arm" in claim,
            }
    return found


@looks_up("contents")
def contents(project: Project, _: str) -> list[str]:
    """List the pages of the nav in mkdocs.yml, by their stems, in its order."""
    config = project.root / "mkdocs.yml"
    text = config.read_text("utf-8", errors="replace") if config.is_file() else ""
    nav = NAV.search(text)
    return re.findall(r"([\w-]+)\.md\b", nav[0]) if nav else []


def in_order(pages: Iterable[str], context: Context) -> list[str]:
    """Sort pages as the contents list them; what those lack comes last."""
    listed = context.look_up("contents")

    def place(page: str) -> tuple[int, str]:
        return listed.index(page) if page in listed else len(listed), page

    return sorted(set(pages), key=place)


def weave_table(match: re.Match[str], context: Context) -> str:
    """Give the table of a source's claims, in HTML with Markdown in its cells.

    Our own findings have one for each page, below a heading.
    """
    source = match["ledger"]
    claims: dict[str, Claim] = context.results(f"claims/{source}").claims
    if not any("arm" in claim for claim in claims.values()):
        return table(source, claims, ("Claim", "What we find"), context)
    parts = ""
    for page in in_order(map(page_of, claims.values()), context):
        title, _ = context.look_up("section", f"{page}.md")
        found = {key: claim for key, claim in claims.items() if page_of(claim) == page}
        columns = ("What we say", "What would refute it")
        parts += f"\n## {title} {{#{page}}}\n{table(source, found, columns, context)}"
    return parts


def table(source: str, claims: dict[str, Claim], columns: tuple[str, str], context: Context) -> str:
    """Give a table of claims.

    Args:
        source: the ledger's name.
        claims: what it says of those that are to be listed, by number.
        columns: what the claim's column is headed, and what is found.
        context: the page.
    """
    file = f"snippets/claims/{source}.py"
    rows = ""
    for key, claim in claims.items():
        place = f"{file}:{claim['line']}: {key}"
        woven = dict(claim)
        for part in WORDS:
            if part in claim:
                woven[part] = context.weave_part(claim[part], place, claim["values"])
        if "arm" in claim and claim["said"][0].islower():  # a part of a sentence
            woven["said"] = f"… {woven['said']}"
        rows += table_row(key, woven, file, context)
    head = f"<tr markdown><th>{columns[0]}</th><th>Verdict</th><th>{columns[1]}</th></tr>"
    return (
        f'\n<div class="listing" markdown>\n<table data-source="{source}" markdown>\n'
        f"<thead markdown>\n{head}\n</thead>\n<tbody markdown>\n{rows}</tbody>\n</table>\n</div>\n"
    )


def page_of(claim: Claim) -> str:
    """Name the page that settles a claim."""
    page: str = claim["settled"].partition(".md")[0]
    return page


def table_row(key: str, claim: Claim, file: str, context: Context) -> str:
    """Give the row of a claim.

    Args:
        key: its number.
        claim: what the ledger says of it, woven.
        file: the ledger's script.
        context: the page.
    """
    said, verdict, place, section = (claim[n] for n in ("said", "verdict", "place", "settled"))
    title, heading = context.look_up("section", section)
    link = context.weave_part(f"*{title}*: [{heading}]({context.to_root}{section})")
    leads = "Stands in" if "arm" in claim else "Explained in"
    if verdict == "refuted":
        leads = "Stood in"
    named = "" if "arm" in claim else f" {place or 'our own addition'}"
    return (
        f'<tr id="{key}" data-verdict="{verdict}" markdown>\n'
        f'<td markdown="block">\n\n{said}\n\n'
        f"[{key}](#{key}){{ .claim }}{named}\n{{ .place }}\n\n</td>\n"
        f'<td markdown="span">*{verdict}*{{.verdict .{TONES[verdict]}}}</td>\n'
        f'<td markdown="block">\n\n{what_is_found(claim)}\n\n'
        f"{leads} {link}\n{{ .back }}\n\n{folded_check(claim, file, context)}\n\n</td>\n"
        "</tr>\n"
    )


def what_is_found(claim: Claim) -> str:
    """Say what is found, after the assumption or the reading that it depends on.

    Of a finding of our own: the arm and what it gave, what else fits, and the runs.
    """
    needs, reading, text = claim["needs"], claim["reading"], claim["text"]
    if "arm" in claim:
        condition = f"\n\n**Holds if {needs}.**" if needs else ""
        return (
            f"**{claim['arm']}** {text}{condition}\n\n"
            f"*Fits as well:* {claim['otherwise']}\n\n{claim['runs']}\n{{ .place }}"
        )
    if reading:
        outcome = claim["outcome"].removesuffix(" if")
        condition = f" if {needs}" if needs else ""
        return f"**Read as: {reading}.** So read, it is {outcome}{condition}. {text}"
    if needs:
        return f"**If {needs}.** {text}"
    return str(text)


def folded_check(claim: Claim, file: str, context: Context) -> str:
    """Say how strict the check is, and show it, folded, with how many alterations it caught."""
    if "says" not in claim:
        return ""
    alterations = "There is nothing in a comparison to alter."
    if claim["altered"]:
        caught = sum(claim["altered"].values())
        what = "what is right" if claim["rather"] else "the claim"
        alterations = f"It caught {caught} of {len(claim['altered'])} alterations of {what}."
    strictness = claim["strictness"]
    if claim.get("theorem"):
        strictness = f"A theorem, which no case could refute: {claim['theorem']}. {strictness}"
    code = f'claimed = "{claim["says"]}"\n'
    if claim["rather"]:
        code += f'right = "{claim["rather"]}"\n'
    code += f"\n{claim['code']}"
    # Not <code>, each of which the theme would give a button to copy it.
    shown = context.stash(f"<pre><samp>{escape(code, quote=False)}</samp></pre>", code_block(code))
    return (
        f"{strictness}\n{{ .place }}\n\n"
        '<details markdown="block"><summary>The check</summary>\n\n'
        f"{shown}\n\n"
        f"{alterations} From [{file}]({file}).\n\n</details>"
    )


def weave_settled(match: re.Match[str], context: Context) -> str:
    """List by page the claims that it settles, by their verdicts, in Markdown."""
    items = ""
    for page, verdicts in claims_of_pages(context).items():
        title, _ = context.look_up("section", f"{page}.md")
        count = sum(len(keys) for keys in verdicts.values())
        items += f'<li id="of-{page}" markdown="block">\n\n[{title}]({page}.md): {count} claims.'
        for verdict, tone in TONES.items():
            if verdict in verdicts:
                links = ", ".join(f"[{key}](#{key}){{ .claim }}" for key in verdicts[verdict])
                items += f" *{verdict}*{{ .verdict .{tone} }} {links}"
        items += "\n\n</li>\n"
    return context.weave_part(f'\n<ul class="settled" markdown="block">\n{items}</ul>\n')


def claims_of_pages(context: Context) -> dict[str, dict[str, list[str]]]:
    """Give by page and verdict the numbers of the claims that the page settles.

    What no source says is our own addition, and our own findings have a table of their own.
    """
    claims: dict[str, Claim] = context.look_up("claims")
    counted = {k: claim for k, claim in claims.items() if claim["place"] and not claim["is_ours"]}
    pages = in_order(map(page_of, counted.values()), context)
    found: dict[str, dict[str, list[str]]] = {page: {} for page in pages}
    for key, claim in sorted(counted.items()):
        found[page_of(claim)].setdefault(claim["verdict"], []).append(key)
    return found


EMBEDS = [
    block("settled", "settled", weave_settled),
    block("claims", r"claims[ ]+(?P<ledger>\S+)", weave_table),
]
