"""Claims of the sources: their table, and how a page refers to one.

`[@000-16]` on a page becomes a small sign of the verdict, whose spoken name is the claim. It links
to the claim's row in docs/claims.md. There `::: claims note` lists what each claim says, the
verdict, what was found, the section that settles it, and the check: all that the ledger says, which
snippets/claims/note.py leaves behind as `claims`. `::: settled variance theorem` lists the claims
of these pages by their verdicts, for a page to link to: `claims.md#of-variance`.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from html import escape
from typing import Any
from xml.etree.ElementTree import Element

from markdown.extensions.toc import slugify

from weave.embed import Context, Embed, block, keys
from weave.embeds.figure import code_block
from weave.embeds.formula import in_words, to_mathml
from weave.errors import WeaveError, did_you_mean
from weave.project import Project, looks_up
from weave.run.results import Results
from weave.scan import ELSEWHERE, HEADING, Mention, title_of

PAGE = "claims.md"
REFERENCE = re.compile(r"\[@[^\]]+\]")
# How a verdict looks. The words are the ledger's, in snippets/claims/ledger.py.
TONES = {
    "true": "true",
    "true if": "partly",
    "wrong": "false",
    "vague": "open",
    "question": "open",
    "history": "open",
    "opinion": "open",
}
# What stands for a verdict in the text: signs, so that it is not told by colour alone.
SIGNS = {"true": "✓", "true if": "≈", "wrong": "×", "vague": "?"}
SIGNS |= dict.fromkeys(("question", "history", "opinion"), "–")
# What the ledger says of a claim in Markdown.
WORDS = ("quote", "place", "needs", "reading", "text")


@looks_up("claims", entry="claim")
def claims(project: Project, _: str) -> dict[str, dict[str, str]]:
    """Give by its number each claim's verdict, its source, and what the ledger says of it."""
    found = {}
    for name in sorted(project.jobs.keys() - project.failed.keys()):
        if name.startswith("claims/"):
            read = partial(stated, name, Results(name, project.store))
            found.update(project.keep("claims", f"run {name}", read))
    return found


def stated(name: str, results: Results) -> dict[str, dict[str, str]]:
    """Give what is said of the claims of a source, without the computed values."""
    parts = ("verdict", "settled", *WORDS)
    claims = getattr(results, "claims", {})  # a module that sources share has none
    of = {"ledger": name, "source": getattr(results, "source", "")}
    return {key: {part: row[part] for part in parts} | of for key, row in claims.items()}


@ELSEWHERE.append
def mentions(project: Project) -> Iterator[Mention]:
    """Yield the references in what the ledger says of each claim, where the row is the anchor."""
    for key, row in project.look_up("claims").items():
        found = REFERENCE.finditer(" ".join(row[part] for part in WORDS))
        for work in sorted({work for match in found for work in keys(match)}):
            yield Mention(work, PAGE, "Claims", key, key, in_table=True)


def refer(match: re.Match[str], context: Context) -> str:
    """Put in a mark for each claim that is named."""
    return "".join(mark(key, context) for key in keys(match))


def mark(key: str, context: Context) -> str:
    """Give the sign of a claim's verdict, as a link to what is said of it.

    Its spoken name is the claim's number, verdict and words. `mark_tree` adds the words, which
    attributes in Markdown could not hold.
    """
    verdict = look_up(key, context)["verdict"]
    name = f'aria-label="claim {key}, {verdict}" words="{key}"'
    look = f".claim .{TONES[verdict]} {name}"
    return f"[{SIGNS[verdict]}]({context.to_root}{PAGE}#{key}){{ {look} }}"


def mark_tree(root: Element, context: Context) -> None:
    """Add a claim's words to the spoken name of its mark."""
    for link in root.iter("a"):
        if key := link.attrib.pop("words", ""):
            words = spoken(look_up(key, context)["quote"])
            link.set("aria-label", f"{link.get('aria-label')}: {words}")


def spoken(text: str) -> str:
    """Write a line of Markdown as it is read aloud, with its formulas in words."""
    plain = re.sub(r"\$([^$]+)\$", lambda match: in_words(to_mathml(match[1], False)), text)
    return re.sub(r"\]\([^)]*\)|[\[\]*`\\]", "", " ".join(plain.split()))


def look_up(key: str, context: Context) -> dict[str, str]:
    """Give what is said of a claim; a WeaveError says that none has the number, or why."""
    row: dict[str, str] | None = context.look_up("claim", key)
    if row is None:
        for name in sorted(context.project.failed):
            if name.startswith("claims/"):  # it may be one of its claims
                context.project.check(name)
        raise WeaveError(f"no claim is '{key}'{did_you_mean(key, context.look_up('claims'))}")
    return row


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


@looks_up("section")
def section(project: Project, place: str) -> list[str]:
    """Give the title of a page and a heading on it; without one, the title again."""
    page, _, anchor = place.partition("#")
    path = project.root / "docs" / page
    if not path.is_file():
        return []
    text = path.read_text("utf-8", errors="replace")
    headings = {
        found["id"] or slugify(found["heading"], "-"): found["heading"]
        for found in HEADING.finditer(text)
    }
    title = title_of(text, page)
    return [title, headings.get(anchor, title)]


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


def signs(_: re.Match[str]) -> Iterator[str]:
    """Give the signs of verdicts, whichever the ledger's will be."""
    return iter(SIGNS.values())


EMBEDS = [
    # The number of a claim, such as 000-16: a hyphen tells it from a work's key.
    Embed("claim", r"\[@\w+-\d+(?:;\s*@?\w+-\d+)*\]", refer, signs=signs),
    block("settled", r"settled(?P<settling>(?:[ ]+[\w-]+)+)", settled),
    block("claims", r"claims[ ]+(?P<ledger>\S+)", listing),
]
