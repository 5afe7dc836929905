"""What is checked on a page: a section's claims in one folded line, and all of a page's.

`::: settles 003-15 003-16` at a section's end opens to these claims, each a mark and its words.
`::: verdicts` lists what the page's marks settle: what is wrong, with what is right; what is true
only under an assumption, with that; and the rest folded, in its words alone. What no source says
is our own addition, and counts with none. What has no place in the text is named behind it:
`::: verdicts 002-28`. A mark leads to this list, out of which card.js fills the card that it shows:
so the claims weigh on a page but once.
"""

import re
from collections import Counter
from collections.abc import Iterable

from weave.embed import Context, block
from weave.embeds.claims import PAGE, SIGNS, TONES, found, look_up, mark, quoted, signs
from weave.errors import WeaveError
from weave.scan import mentions_in

KEY = re.compile(r"\w+-\d+")
FOLDED = {
    "Too vague to test as written": {"vague"},
    "Right as written": {"true"},
    "Questions, which claim nothing": {"question"},
    "What no code can settle": {"history", "opinion"},
}


def keys(match: re.Match[str]) -> list[str]:
    """Name the claims in a token."""
    return KEY.findall(match[0])


def settles(match: re.Match[str], context: Context) -> str:
    """Put in a section's claims, folded, in Markdown."""
    rows = {key: look_up(key, context) for key in keys(match)}
    count = Counter(row["verdict"] for row in rows.values())
    verdicts = ", ".join(f"{count[word]} {word}" for word in SIGNS if count[word])
    claims = "1 claim" if len(rows) == 1 else f"{len(rows)} claims"
    lines = [
        f"- {mark(key, match, context, beside=True)} {quoted(row)}" for key, row in rows.items()
    ]
    # Stashed, since within a fold Markdown reads no HTML as Markdown.
    summary = f"<summary>{claims} checked here: {verdicts}</summary>"
    begin, end = map(context.stash, (f'<details class="settles">{summary}', "</details>"))
    words = context.part("\n".join(lines))
    return f"\n{begin}\n\n{words}\n\n{end}\n"


def verdicts(match: re.Match[str], context: Context) -> str:
    """List all claims that the page refers to, by verdict, as HTML with Markdown in it."""
    named = dict.fromkeys(m.key for m in mentions_in(match.string, context.source))
    own = keys(match)  # of the others, those that no claim has are reported at their marks
    numbers = sorted(filter(KEY.fullmatch, named))
    if not numbers:
        raise WeaveError("this page refers to no claim")
    every = [key for key in numbers if key in own or context.look_up("claim", key)]
    rows = {key: look_up(key, context) for key in every}
    ours = [key for key in every if not rows[key]["place"]]
    theirs = {key: row for key, row in rows.items() if row["place"]}
    worst_first = ("wrong", "true if")
    shown = [key for word in worst_first for key in theirs if theirs[key]["verdict"] == word]
    parts = [listing(shown, match, context)]
    folds = {
        summary: [key for key in theirs if theirs[key]["verdict"] in words]
        for summary, words in FOLDED.items()
    }
    for summary, folded in (folds | {"Our own addition, in no source": ours}).items():
        if folded:
            parts.append(
                f'<details class="depth" markdown="block"><summary>{summary}: {len(folded)}'
                f"</summary>\n\n{listing(folded, match, context)}\n</details>\n"
            )
    return "\n" + "\n".join(parts)


def listing(every: Iterable[str], match: re.Match[str], context: Context) -> str:
    """List claims: each in its source's words, with its place, its verdict and what is found."""
    items = ""
    for key in every:
        row = look_up(key, context)
        claim = context.results(row["ledger"]).claims[key]
        place = f"snippets/{row['ledger']}.py:{claim['line']}: {key}"
        said = context.part(quoted(row), place)
        short = claim | {"text": ""} if row["needs"] or row["reading"] else claim
        finding = "" if row["verdict"] == "true" else found(short)
        finding = context.part(finding, place, claim["values"])
        source = f"{row['source']}, {claim['place']}" if claim["place"] else "our own addition"
        source = context.part(source, place)
        anchor, to_text = context.anchor(match, key), ""
        if (match.start(), key) not in context.anchors:  # the text refers to it
            to_text = f"[in the text](#mark-{key}){{ .to-text }}"
        tone = TONES[row["verdict"]]
        items += (
            f'<li id="verdict-{key}" markdown="block">\n\n'
            f"*{SIGNS[row['verdict']]} {row['verdict']}*{{ .verdict .{tone} {anchor} }} {said}\n\n"
            f"{source} · [{key}]({context.to_root}{PAGE}#{key}){{ .claim }} {to_text}"
            f"\n{{ .place }}\n\n{finding}\n\n</li>\n"
        )
    return f'<ul class="checked" markdown="block">\n{items}</ul>\n'


NAMED = r"(?:[ ]+\w+-\d+)"
EMBEDS = [
    block(
        "settles",
        rf"settles{NAMED}+",
        settles,
        misspelt=(r"^[ \t]*:::[ ]+settles\b", "name the claims: ::: settles 003-15 003-16"),
        keys=keys,
        signs=signs,
    ),
    block("verdicts", rf"verdicts{NAMED}*", verdicts, keys=keys, signs=signs),
]
