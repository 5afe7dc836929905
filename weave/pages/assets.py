"""The site's own scripts and styles, without comments and indentation."""

import re

from rcssmin import cssmin
from rjsmin import jsmin

# A space before a colon stands in selectors alone, as biome writes styles.
DESCENDANT = re.compile(r" (?=::?[a-z-])")


def minified_script(code: str) -> str:
    """Give a script without what only its authors need."""
    return str(jsmin(code))


def minified_sheet(rules: str) -> str:
    """Give a style sheet without what only its authors need.

    Within `@container` and `@layer`, rcssmin takes `.keys :hover` for a declaration and makes
    `.keys:hover` of it. `.keys *:hover` means what was written, and stays so.
    """
    return str(cssmin(DESCENDANT.sub(" *", rules)))
