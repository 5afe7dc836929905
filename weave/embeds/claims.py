"""Claims of the sources, and how a page refers to one.

`[@000-16]` on a page becomes a small sign of the verdict, whose spoken name is the claim. It links
to the claim's row in docs/claims.md (see `claims_table`).
"""

import re
from collections.abc import Iterator
from functools import partial
from xml.etree.ElementTree import Element

from weave.basics.errors import WeaveError, did_you_mean
from weave.embeds.crossrefs import ELSEWHERE, Mention
from weave.embeds.embed import Context, Embed, keys
from weave.embeds.formula import in_words, to_mathml
from weave.project import Project, looks_up
from weave.run.results import Results

PAGE = "claims.md"
REFERENCE = re.compile(r"\[@[^\]]+\]")
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
}
# What stands for a verdict in the text: signs, so that it is not told by colour alone.
SIGNS = {"true": "✓", "true if": "≈", "wrong": "×", "vague": "?"}
SIGNS |= dict.fromkeys(("question", "withdrawn", "history", "opinion"), "–")
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


def signs(_: re.Match[str]) -> Iterator[str]:
    """Give the signs of verdicts, whichever the ledger's will be."""
    return iter(SIGNS.values())


EMBEDS = [
    # The number of a claim, such as 000-16: a hyphen tells it from a work's key.
    Embed("claim", r"\[@\w+-\d+(?:;\s*@?\w+-\d+)*\]", refer, signs=signs, mark_tree=mark_tree),
]
