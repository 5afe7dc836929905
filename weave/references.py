"""What a page refers to by `[@key]`, a work or a claim of a source, and the links back from there.

The works stand in docs/references.bib (see `bibliography`), the claims in snippets/claims/ (see
`claims`). Each is listed on a page of its own, with links to wherever it is referred to.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from weave import claims
from weave.site import Place, stamped
from weave.tokens import KEY, MARKS, TOKEN, in_table

HEADING = re.compile(r"^#+[ ]+(?P<heading>.+?)(?:[ ]+\{[^}]*\})?[ ]*$", re.MULTILINE)
TITLE = re.compile(r"\A---\n.*?^title:[ ]*(?P<title>.+?)[ ]*$", re.MULTILINE | re.DOTALL)


class Mention(NamedTuple):
    """A place that refers to an entry.

    Attributes:
        page: its path below docs/.
        title: the page's title.
        section: the heading above it.
        anchor: where on the page.
        in_table: whether it stands in a table's row, and not in the text.
    """

    page: str
    title: str
    section: str
    anchor: str
    in_table: bool = False


def mentions(root: Path) -> dict[str, list[Mention]]:
    """Find every place that refers to an entry, in the order of pages and lines, by key."""
    files = sorted([*root.glob("docs/**/*.md"), *root.glob("snippets/claims/*.py")])
    return _mentions(root / "docs", stamped(files))


@lru_cache(maxsize=1)
def _mentions(docs: Path, files: tuple[tuple[Path, int], ...]) -> dict[str, list[Mention]]:
    found: dict[str, list[Mention]] = {}
    for file, _ in files:
        text = file.read_text("utf-8")
        if file.suffix == ".md":
            mentioned = mentions_in_page(text, file.relative_to(docs).as_posix())
        else:
            mentioned = mentions_in_claims(text)
        for key, mention in mentioned:
            found.setdefault(key, []).append(mention)
    return found


def mentions_in_page(text: str, page: str) -> Iterator[tuple[str, Mention]]:
    """Yield the references on a page, with the anchors that the page will give them."""
    tokens = list(TOKEN.finditer(text))
    code = [range(*token.span()) for token in tokens if token["fence"]]  # has comments with a #
    headings = [
        heading
        for heading in HEADING.finditer(text)
        if not any(heading.start() in lines for lines in code)
    ]
    named = TITLE.match(text)
    title = named["title"] if named else headings[0]["heading"] if headings else page
    seen: Counter[str] = Counter()
    for token in tokens:
        if not token["marks"]:
            continue
        above = [heading["heading"] for heading in headings if heading.start() < token.start()]
        section = [title, *above][-1]
        for key in KEY.findall(token["marks"]):
            seen[key] += 1
            yield key, Mention(page, title, section, anchor(key, seen[key]), in_table(token))


def mentions_in_claims(text: str) -> Iterator[tuple[str, Mention]]:
    """Yield the references in what claims.md says of each claim, where the claim is the anchor."""
    entries = [*claims.ENTERED.finditer(text)]
    ends = [*(entry.start() for entry in entries[1:]), len(text)]
    for entry, end in zip(entries, ends, strict=False):
        keys = {
            key
            for token in MARKS.finditer(text, entry.end(), end)
            for key in KEY.findall(token["marks"])
        }
        for key in sorted(keys):
            yield key, Mention(claims.PAGE, "Claims", entry["key"], entry["key"])


def anchor(key: str, time: int) -> str:
    """Name the place of a page's first, second, … reference to an entry."""
    return f"mark-{key}" if time == 1 else f"mark-{key}-{time}"


def links_back(places: list[Mention], place: Place, words: str, tables: bool = True) -> str:
    """Link to the places that refer to an entry, one link for each section, in Markdown.

    The pages are named as well, because sections of several pages may share a name. Where a page's
    text refers to the entry, its tables are left out.

    Args:
        places: those that refer to it.
        place: of the page with the links.
        words: that stand before them.
        tables: whether to count other pages' tables then; those of claims state and do not explain.
    """
    pages: dict[str, dict[str, str]] = {}
    in_text = {mention.page for mention in places if not mention.in_table} - {claims.PAGE}
    for mention in places:
        if mention.in_table and (mention.page in in_text or (in_text and not tables)):
            continue
        link = f"[{mention.section}]({place.to_root}{mention.page}#{mention.anchor})"
        pages.setdefault(mention.title, {}).setdefault(mention.section, link)
    named = [f"*{title}*: {', '.join(links.values())}" for title, links in pages.items()]
    return f"{words} {'; '.join(named)}\n{{ .back }}" if named else ""
