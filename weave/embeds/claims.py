"""Claims of the sources: what the ledger says of each, for `claims_table` and the bibliography."""

import re
from collections.abc import Iterator
from functools import partial

from weave.basics.errors import WeaveError, did_you_mean
from weave.embeds.crossrefs import ELSEWHERE, Mention
from weave.embeds.embed import Context, keys
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


def look_up(key: str, context: Context) -> dict[str, str]:
    """Give what is said of a claim; a WeaveError says that none has the number, or why."""
    row: dict[str, str] | None = context.look_up("claim", key)
    if row is None:
        for name in sorted(context.project.failed):
            if name.startswith("claims/"):  # it may be one of its claims
                context.project.check(name)
        raise WeaveError(f"no claim is '{key}'{did_you_mean(key, context.look_up('claims'))}")
    return row
