"""Explorables alone: `embed/index/mechanism/` is a page to be shown in a frame of another site.

It has no header and no search, follows the reader's own choice between light and dark, and links to
where the explorable stands. Whether another site may frame a page is for the server to say (the
header `frame-ancestors`); a page cannot.
"""

import posixpath
import re
from html import escape

ELEMENT = re.compile(
    r'<why-(?P<name>\w+) data-embed="(?P<embed>[\w/-]+)".*?</why-(?P=name)>', re.DOTALL
)
# The page's links to its style sheets and fonts, and its scripts for explorables.
SHEETS = re.compile(r"<link\b[^>]*\b(?:stylesheet|preload)\b[^>]*>")
OWN_SCRIPT = re.compile(r'<script defer src="[^"]*/(?:explorable|number|why-(\w+))\.js"></script>')
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)  # the code
# A relative link. What an SVG uses lies in it, and has no address.
LINK = re.compile(r'(?<=\s)(?<!<use )(?P<kind>href|src)="(?P<to>(?!/)[^":]*)"')
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


def bare_pages(html: str, url: str, title: str, site: str) -> dict[str, str]:
    """Give a page of its own for each explorable of a page.

    Args:
        html: the page within the theme, before it is finished.
        url: the page's address, relative to the site's root: `variance/`.
        title: the page's.
        site: the site's name.

    Returns:
        The pages, by their paths: `embed/variance/puzzle/index.html`.
    """
    found = {}
    for element in ELEMENT.finditer(html):
        embed = f"embed/{element['embed']}/"
        scripts = [
            script[0]
            for script in OWN_SCRIPT.finditer(html)
            if script[1] in {None, element["name"]}
        ]
        source = escape(site if title == site else f"{site} {title}")
        shown = FOLD.sub("", element[0]) + FROM.format(name=element["name"], source=source)
        found[f"{embed}index.html"] = BARE.format(
            title=escape(title),
            sheets=from_folder("\n".join(SHEETS.findall(html)), url, embed),
            element=from_folder(shown, url, embed),
            scripts=from_folder("\n".join(scripts), url, embed),
        )
    return found


def from_folder(html: str, url: str, new: str) -> str:
    """Write the relative links of a page as they have to be in another folder."""

    def rewritten(link: re.Match[str]) -> str:
        path, mark, place = link["to"].partition("#")
        target = posixpath.join(f"/{url}", path)
        relative = posixpath.relpath(target, f"/{new}")
        if target.endswith(("/", "/.", "/..")):  # a folder, and no file
            relative += "/"
        return f'{link["kind"]}="{relative}{mark}{place}"'

    return LINK.sub(rewritten, html)
