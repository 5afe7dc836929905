"""A site is built beside the last one, whose place it takes once it is whole, right and finished.

What is folded stands within `<noscript>`, as one piece of text, which `unfold.js` makes elements of
once the reader does something: two thirds of a chapter lie in folds, and as elements they would
keep a phone busy for a second. Tables stand in boxes in which they scroll by themselves: Material's
script would put them there as a page loads, which has a phone lay out all of it once more, and not
what is folded. Each page states a Content-Security-Policy: it runs and shows what the site brings.
"""

import re
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from weave.basics.errors import WeaveError
from weave.basics.store import Store

TAG = re.compile(r"<details\b|</summary>|</details>")
# What Material's script adds as a page loads, and not to what comes later.
CODE = re.compile(r"<pre>(?=<span></span><code>)")
COPIED = (
    '<pre id="folded-{0}"><nav class="md-code__nav"><button class="md-code__button" type="button" '
    'title="Copy to clipboard" data-clipboard-target="#folded-{0} > code" data-md-type="copy">'
    "</button></nav>"
)

TABLE = re.compile(r"<table(?![^>]* class=)([^>]*>.*?</table>)", re.DOTALL)
BOXED = (
    '<div class="md-typeset__scrollwrap"><div class="md-typeset__table">'
    r'<table class="boxed"\1</div></div>'
)
COLOURS = re.compile(r'\s*<link [^>]*/palette\.\w+\.min\.css">')  # the theme's: colour.css has ours

INLINE = re.compile(r"<script>(.+?)</script>", re.DOTALL)  # the theme's, before its first paint
CHARSET = '<meta charset="utf-8">'
# Icons are `data:` in the theme's styles; formulas say in style attributes how they are aligned.
POLICY = (
    "default-src 'none'; script-src 'self'{}; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; base-uri 'self'; form-action 'self'"
)


class Site:
    """A folder that does not change before the new site is put up, all at once.

    Raises:
        WeaveError: no folder can be made beside it.
    """

    def __init__(self, place: Path) -> None:
        self.place = place = place.resolve()
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            self.clear_what_is_left()
            self.beside = TemporaryDirectory("", ".site-", place.parent, ignore_cleanup_errors=True)
        except OSError as error:
            raise WeaveError(f"{error}; the site can be built elsewhere: -d FOLDER") from None
        self.new = Path(self.beside.name, "site")

    def clear_what_is_left(self) -> None:
        """Take back what a build has moved that was killed, and remove what it has made."""
        for left in self.place.parent.glob(".site-*"):
            with suppress(FileNotFoundError):  # or is at its end
                self.take_back(left / "last")
                if time.time() - left.stat().st_mtime > 3600:  # seconds; no build takes as long
                    rmtree(left, ignore_errors=True)

    def publish(self, store: Store) -> Path:
        """Give the new site the place of the last: one build after the other.

        Args:
            store: the project's, of which one build at a time has hold.

        Returns:
            The folder in which the site is now.
        """
        last = Path(self.beside.name, "last")
        with store.transaction():
            try:
                if self.place.exists():
                    self.place.rename(last)
                self.new.rename(self.place)
            finally:
                self.take_back(last)
        self.beside.cleanup()
        return self.place

    def take_back(self, last: Path) -> None:
        """Keep a checkout's .git, say, as MkDocs does; and all, if there is no new site."""
        if last.exists() and not self.place.exists():
            last.rename(self.place)
        for hidden in last.glob(".*"):
            if not (self.place / hidden.name).exists():
                hidden.rename(self.place / hidden.name)


def page(html: str) -> str:
    """Finish a page.

    Args:
        html: all of it, within the theme.
    """
    html = TABLE.sub(BOXED, html)
    html = COLOURS.sub("", html)
    html = with_policy(html)
    return folds_as_text(html)


def sheet(rules: str) -> str:
    """Finish a style sheet: a table that has a class is left alone by the theme's own rules.

    Args:
        rules: all of it.
    """
    return rules.replace("table:not([class])", "table.boxed")


def with_policy(html: str) -> str:
    """Give a page that states the policy, with the digest of each script that is written in it.

    Raises:
        WeaveError: the page has no place for it, and would be published without.
    """
    if CHARSET not in html:
        flaw = f"a page of the theme has no {CHARSET}, below which it states its policy"
        raise WeaveError(flaw, place="weave/pages/finish.py")
    allowed = ""
    for script in dict.fromkeys(INLINE.findall(html)):  # each once
        digest = b64encode(sha256(script.encode()).digest()).decode()
        allowed += f" 'sha256-{digest}'"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(allowed)}">'
    return html.replace(CHARSET, f"{CHARSET}\n{meta}", 1)


def folds_as_text(html: str) -> str:
    """Give a page with the inside of each fold as text."""
    number = count()

    def with_button(_: re.Match[str]) -> str:
        return COPIED.format(next(number))

    parts: list[str] = []
    done = 0
    for start, end in insides_of_folds(html):
        inside = CODE.sub(with_button, html[start:end])
        parts += [html[done:start], "<noscript>", inside, "</noscript>"]
        done = end
    return "".join([*parts, html[done:]])


def insides_of_folds(html: str) -> Iterator[tuple[int, int]]:
    """Yield where the inside of each fold begins and ends; of nested ones, of the outermost."""
    depth, start = 0, 0
    for tag in TAG.finditer(html):
        if tag[0] == "<details":
            depth += 1
        elif tag[0] == "</summary>" and depth == 1:
            start = tag.end()
        elif tag[0] == "</details>" and depth > 0:  # else the page has an end too many
            depth -= 1
            if depth == 0:
                yield start, tag.start()
