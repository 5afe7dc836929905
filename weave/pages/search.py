"""Let search read what a reader would: formulas as text, and no drawings, code or references."""

import re

from weave.embeds.formula import read_out

# What is marked as excluded Material's own search would read on from its first paragraph's end.
HEAVY = re.compile(
    r"<(svg|pre)\b.*?</\1> | <details\b[^>]*\bdata-search-exclude.*?</details>",
    re.DOTALL | re.VERBOSE,
)
# What names other sections, which would be found in their place, or claims by their numbers.
ELSEWHERE = re.compile(
    r"""<(p|div|ul|details)[ ]class="(?:back|settled|toc|checked)">.*?</\1>
    | ,?\s*<a[ ]class="claim"[ ]href="[^"#]+\#[^>]*>.*?</a>""",
    re.DOTALL | re.VERBOSE,
)
MARK = re.compile(r"\s*\bdata-search-exclude(=\"[^\"]*\")?")


def readable(html: str) -> str:
    """Give a page as search should read it."""
    html = ELSEWHERE.sub("", HEAVY.sub("", read_out(html)))
    html = html.replace("<sub>", "_")  # d_k, as people type it
    # With the sentence that leads to it, since an excerpt is made of paragraphs.
    return re.sub(r'</p>\s*<div class="formula">(.*?)</div>', r" \1</p>", html)


def unmarked(html: str) -> str:
    """Give a page without the marks that were for search."""
    return HEAVY.sub(lambda match: MARK.sub("", match[0], count=1), html)
