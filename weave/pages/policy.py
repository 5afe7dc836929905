"""A strict Content-Security-Policy: a page runs and shows what the site itself brings, no more.

It stands in each page, with the digests of the scripts that are written there: those of the theme,
before its first paint. Formulas say in style attributes how they are aligned.
"""

import re
from base64 import b64encode
from hashlib import sha256

INLINE = re.compile(r"<script>(.+?)</script>", re.DOTALL)
CHARSET = re.compile(r'<meta charset="utf-8">')
# Icons are `data:` in the theme's stylesheet.
POLICY = (
    "default-src 'none'; script-src 'self'{}; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; base-uri 'self'; form-action 'self'"
)


def stated(html: str) -> str:
    """Give a page that states the policy."""
    allowed = "".join(f" 'sha256-{digest}'" for digest in digests(html))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(allowed)}">'
    return CHARSET.sub(lambda charset: f"{charset[0]}\n{meta}", html, count=1)


def digests(html: str) -> list[str]:
    """Give the digest of each script that is written in a page."""
    scripts = dict.fromkeys(INLINE.findall(html))
    return [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
