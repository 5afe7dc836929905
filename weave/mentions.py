"""Places that refer to an entry, a work or a claim, and the links back to them from there."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from weave.embed import Context
from weave.project import Project


class Mention(NamedTuple):
    """A place that refers to an entry.

    Attributes:
        key: the entry's.
        page: its path below docs/.
        title: the page's title.
        section: the heading above it.
        anchor: where on the page.
        in_table: whether it stands in a table's row, and not in the text.
        position: of its token, in the page's text.
    """

    key: str
    page: str
    title: str
    section: str
    anchor: str
    in_table: bool = False
    position: int = 0


# Mentions that stand in no page's Markdown but in what an embed shows: each kind may enter some.
ELSEWHERE: list[Callable[[Project], Iterable[Mention]]] = []


def links_back(context: Context, key: str, words: str, tables: bool = True) -> str:
    """Link to the places that refer to an entry, one link for each section.

    The pages are named as well, because sections of several pages may share a name. Where a page's
    text refers to the entry, its tables are left out.

    Args:
        context: the page with the links.
        key: the entry's.
        words: that stand before them.
        tables: whether to count other pages' tables then; those of claims state and do not explain.
    """
    places: list[Mention] = context.look_up("mentions", key)
    pages: dict[str, dict[str, str]] = {}
    in_text = {mention.page for mention in places if not mention.in_table}
    for mention in places:
        if mention.in_table and (mention.page in in_text or (in_text and not tables)):
            continue
        link = f"[{mention.section}]({context.to_root}{mention.page}#{mention.anchor})"
        pages.setdefault(mention.title, {}).setdefault(mention.section, link)
    named = [f"*{title}*: {', '.join(links.values())}" for title, links in pages.items()]
    return context.part(f"{words} {'; '.join(named)}\n{{ .back }}") if named else ""
