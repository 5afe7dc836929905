"""A page within the theme, of which others are made: its explorables, each alone, and its slides.

What these show of it they are handed by name, as the page was woven (`Pages.made`), and they take
its HTML as the theme has it. What should be there and is not found is an error: else they would be
gone, and no build would say so.
"""

import posixpath
import re
from typing import NamedTuple

from weave.basics.errors import WeaveError

# The page's links to its style sheets and fonts.
SHEETS = re.compile(r"<link\b[^>]*\b(?:stylesheet|preload)\b[^>]*>")
# A relative link. What an SVG uses lies in it, and has no address.
LINK = re.compile(r'(?<=\s)(?<!<use )(?P<kind>href|src)="(?P<to>(?!/)[^":]*)"')


class Themed(NamedTuple):
    """A page within the theme, before it is finished."""

    html: str
    url: str  # relative to the site's root: `variance/`
    title: str
    site: str  # its name

    def find(self, pattern: str, what: str) -> re.Match[str]:
        """Find something that the page has.

        Args:
            pattern: of the HTML; the dot matches line ends too.
            what: it is, for the error.

        Raises:
            WeaveError: it is not there.
        """
        if found := re.search(pattern, self.html, re.DOTALL):
            return found
        raise WeaveError(
            f"{self.url or 'the front page'}: {what} cannot be shown elsewhere, as its HTML is no "
            f"longer like {pattern}"
        )

    def sheets(self, folder: str) -> str:
        """Link to the page's style sheets and fonts from another folder."""
        return self.from_folder("\n".join(SHEETS.findall(self.html)), folder)

    def from_folder(self, html: str, new: str) -> str:
        """Write the relative links of a part of the page as they have to be in another folder."""

        def rewritten(link: re.Match[str]) -> str:
            path, mark, place = link["to"].partition("#")
            target = posixpath.join(f"/{self.url}", path)
            relative = posixpath.relpath(target, f"/{new}")
            if target.endswith(("/", "/.", "/..")):  # a folder, and no file
                relative += "/"
            return f'{link["kind"]}="{relative}{mark}{place}"'

        return LINK.sub(rewritten, html)
