"""What is folded, kept out of a browser's work until somebody looks into it.

Two thirds of a chapter lie in folds. As elements they would keep a phone busy for a second, so a
built page has them within `<noscript>`: one piece of text, which `unfold.js` makes into elements
once the reader does something. Without scripts they stand in the page as they always did.
"""

import re
from collections.abc import Iterator
from itertools import count

TAG = re.compile(r"<details\b|</summary>|</details>")

# What Material's script adds as a page loads, and not to what comes later.
CODE = re.compile(r"<pre>(?=<span></span><code>)")
COPIED = (
    '<pre id="folded-{0}"><nav class="md-code__nav"><button class="md-code__button" type="button" '
    'title="Copy to clipboard" data-clipboard-target="#folded-{0} > code" data-md-type="copy">'
    "</button></nav>"
)


def kept_back(html: str) -> str:
    """Give a page with the inside of each fold, of the outermost if they are nested, as text."""
    parts, done, number = [], 0, count()
    for start, end in folds(html):
        inside = CODE.sub(lambda _: COPIED.format(next(number)), html[start:end])
        parts += [html[done:start], "<noscript>", inside, "</noscript>"]
        done = end
    return "".join([*parts, html[done:]])


def folds(html: str) -> Iterator[tuple[int, int]]:
    """Find where the inside of each outermost fold begins and ends."""
    depth = start = 0
    for tag in TAG.finditer(html):
        if tag[0] == "</summary>":
            start = tag.end() if depth == 1 else start
        elif tag[0] == "</details>":
            depth -= 1
            if not depth:
                yield start, tag.start()
        else:
            depth += 1
