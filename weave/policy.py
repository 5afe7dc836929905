"""A strict Content-Security-Policy: a page runs and shows what the site itself brings, no more.

It stands in each page, with the digests of the scripts that are written there (those of the theme,
before its first paint), and for hosts that read it in the file `_headers`, for all pages together.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

INLINE = re.compile(r"<script>(.+?)</script>", re.DOTALL)
CHARSET = re.compile(r'<meta charset="utf-8">')
# Icons are `data:` in the theme's stylesheet.
POLICY = (
    "default-src 'none'; script-src 'self'{}; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'self'"
)
HEADERS = """\
/*
  Content-Security-Policy: {}; frame-ancestors 'none'
  X-Content-Type-Options: nosniff
  Referrer-Policy: strict-origin-when-cross-origin
"""


def write(digests: Iterable[str], site: Path) -> None:
    """Write `_headers`, with the digests of the scripts of all pages."""
    (site / "_headers").write_text(HEADERS.format(policy(digests)), "utf-8")


def stated(html: str) -> str:
    """Give a page that states the policy."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(digests(html))}">'
    return CHARSET.sub(lambda charset: f"{charset[0]}\n{meta}", html, count=1)


def digests(html: str) -> list[str]:
    """Give the digest of each script that is written in a page."""
    scripts = dict.fromkeys(INLINE.findall(html))
    return [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]


def policy(digests: Iterable[str]) -> str:
    """Write the policy, with the digests of the scripts that it allows."""
    return POLICY.format("".join(f" 'sha256-{digest}'" for digest in digests))
