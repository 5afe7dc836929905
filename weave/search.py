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


def readable(html: str) -> str:
    """Give a page with words in place of each formula, and without drawings and code."""
    return HEAVY.sub(lambda match: escape(in_words(match[0])) if match[1] == "math" else "", html)


def unmarked(html: str) -> str:
    """Give a page without the marks that were for search."""
    return HEAVY.sub(lambda match: MARK.sub("", match[0], count=1), html)
