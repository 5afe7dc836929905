"""Keep from search what it cannot read: drawings and code; and let it read formulas as text."""

import re
from html import escape

from weave.embeds.formula import in_words

# What is marked as excluded Material's own search would read on from its first paragraph's end.
HEAVY = re.compile(
    r"<(svg|math|pre)\b.*?</\1> | <details\b[^>]*\bdata-search-exclude.*?</details>",
    re.DOTALL | re.VERBOSE,
)
MARK = re.compile(r"\s*\bdata-search-exclude(=\"[^\"]*\")?")
HIDDEN = re.compile(r"<!--(\d+)-->.*?<!--/-->", re.DOTALL)


def hide(html: str) -> tuple[str, list[str]]:
    """Take drawings, formulas and code out of a page.

    Returns:
        The page with words in the place of each formula, and nothing in that of the others; and
        what was taken out.
    """
    taken: list[str] = []

    def take(match: re.Match[str]) -> str:
        taken.append(MARK.sub("", match[0], count=1))
        words = escape(in_words(match[0])) if match[1] == "math" else ""
        return f"<!--{len(taken) - 1}-->{words}<!--/-->"

    return HEAVY.sub(take, html), taken


def show(html: str, taken: list[str]) -> str:
    """Put back what `hide` took out."""
    return HIDDEN.sub(lambda match: taken[int(match[1])], html)
