"""Explorables alone: `embed/index/mechanism/` is a page to be shown in a frame of another site.

It has no header and no search, follows the reader's own choice between light and dark, and links to
where the explorable stands. Whether another site may frame a page is for the server to say (the
header `frame-ancestors`); a page cannot.
"""

import re
from collections.abc import Iterable
from html import escape

from weave.pages.themed import Themed

# The page's scripts for explorables: what all share, and each one's own.
OWN_SCRIPT = re.compile(
    r'<script defer src="[^"]*/(?:explorable|number|why-([\w-]+))\.js"></script>'
)
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)  # the code
BARE = """\
<!doctype html>
<html lang="en" class="js">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
<base target="_top">
{sheets}
</head>
<body dir="ltr" class="bare" data-md-color-scheme="default" data-md-color-primary="custom">
<script>
{{
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {{
    document.body.dataset.mdColorScheme = dark.matches ? "slate" : "default";
  }};
  dark.addEventListener("change", follow);
  follow();
}}
</script>
<div class="md-content"><article class="md-content__inner md-typeset">
{element}
</article></div>
{scripts}
</body>
</html>
"""
FROM = '<p class="from">From <a href="#{name}">{source}</a>, CC BY 4.0</p>'


def bare_pages(page: Themed, explorables: Iterable[str]) -> dict[str, str]:
    """Give a page of its own for each explorable of a page.

    Args:
        page: has them.
        explorables: their names, such as `variance/puzzle`.

    Returns:
        The pages, by their paths: `embed/variance/puzzle/index.html`.
    """
    found = {}
    source = escape(page.site if page.title == page.site else f"{page.site} {page.title}")
    for explored in explorables:
        embed, name = f"embed/{explored}/", explored.partition("/")[2]
        element = page.find(rf"<why-{name}(?=[\s>]).*?</why-{name}>", f"'{explored}'")
        scripts = [
            script[0] for script in OWN_SCRIPT.finditer(page.html) if script[1] in {None, name}
        ]
        shown = FOLD.sub("", element[0]) + FROM.format(name=name, source=source)
        found[f"{embed}index.html"] = BARE.format(
            title=escape(page.title),
            sheets=page.sheets(embed),
            element=page.from_folder(shown, embed),
            scripts=page.from_folder("\n".join(scripts), embed),
        )
    return found
