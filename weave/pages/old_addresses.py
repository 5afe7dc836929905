"""Old addresses: a page that has moved has one at each, which leads on to where it stands now.

By a script, which alone can keep what follows the `#`; without scripts to the page's beginning; and
where a browser does neither, there is a link.
"""

import posixpath
from collections.abc import Iterable
from html import escape

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>{title}</title>{canonical}
<noscript><meta http-equiv="refresh" content="0; url={to}"></noscript>
</head>
<body>
<p>This page has moved: <a href="{to}">{title}</a></p>
<script>
{{
  const {{ href }} = document.querySelector("a");
  location.replace(href + location.search + location.hash);
}}
</script>
</body>
</html>
"""
CANONICAL = '\n<link rel="canonical" href="{}">'


def old_addresses(
    names: Iterable[str], url: str, title: str, canonical: str | None
) -> dict[str, str]:
    """Give the pages that lead on to one that has moved.

    Args:
        names: what it was called, without an ending: `spread`, or `labs/spread`.
        url: its address, relative to the site's root: `variance/`.
        title: its title.
        canonical: its whole address, if that is known.

    Returns:
        The pages, by their paths: `spread/index.html`.
    """
    link = CANONICAL.format(escape(canonical)) if canonical else ""
    found = {}
    for name in names:
        to = posixpath.relpath(f"/{url}", f"/{name}")
        to += "" if url.endswith(".html") else "/"
        found[f"{name}/index.html"] = PAGE.format(title=escape(title), canonical=link, to=to)
    return found
