"""A box around each table, in which it scrolls by itself where it is wider than a page.

Material's script would put it there as a page loads, which has a phone lay out all of a chapter
once more, for a tenth of a second; and not where there are no scripts, nor in what is folded.
"""

import re

TABLE = re.compile(r"<table(?![^>]* class=)([^>]*>.*?</table>)", re.DOTALL)
BOXED = (
    '<div class="md-typeset__scrollwrap"><div class="md-typeset__table">'
    r'<table class="boxed"\1</div></div>'
)
# A table that has a class is left alone, by the script and by the theme's rules for tables.
PLAIN, HERE = "table:not([class])", "table.boxed"


def boxed(html: str) -> str:
    """Give a page with its tables in boxes."""
    return TABLE.sub(BOXED, html)


def styled(rules: str) -> str:
    """Give a stylesheet's rules for tables to those in boxes."""
    return rules.replace(PLAIN, HERE)
