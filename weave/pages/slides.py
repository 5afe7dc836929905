"""Slides: `slides/variance/` shows a chapter's figures, one on each slide, for a lecturer.

On the screen one scrolls from slide to slide, or turns them by keys (slides.js); printed, each is a
page of 16:9.
"""

import re
from html import escape

from weave.pages.bare import SHEETS, from_folder

HEADING = re.compile(r"<h1\b[^>]*>(?P<title>.*?)</h1>", re.DOTALL)
ANSWER = re.compile(r'<p class="answer">(?P<answer>.*?)</p>', re.DOTALL)
# What comes one after another: a section's heading, and a figure with its caption.
SECTION_OR_FIGURE = re.compile(
    r"<h2\b[^>]*>(?P<section>.*?)</h2>"
    r'|<figure id="(?P<id>[^"]+)">(?P<drawing><div class="drawing">.*?</svg></div>)'
    r"<figcaption>(?P<caption>.*?)</figcaption>",
    re.DOTALL,
)
PERMALINK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)
LEAST = 3  # figures of a page that is worth a deck
SLIDES = """\
<!doctype html>
<html lang="en" class="js">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}: slides</title>
{sheets}
<link rel="stylesheet" href="{root}assets/stylesheets/slides.css">
<script defer src="{root}assets/javascripts/slides.js"></script>
</head>
<body dir="ltr" class="slides md-typeset" data-md-color-scheme="default" \
data-md-color-primary="custom">
{slides}
</body>
</html>
"""
FIRST = """\
<section class="slide first"><h1>{heading}</h1><p class="answer">{answer}</p>
<footer>From <a href="#">{site}</a>. Text and figures: CC BY 4.0. To keep the slides as a PDF, \
print this page.</footer></section>
"""
SLIDE = """\
<section class="slide"><h2>{section}</h2>
<figure>{drawing}<figcaption>{caption}</figcaption></figure>
<footer><a href="#{id}">{site}</a>, CC BY 4.0</footer></section>
"""


def slides(html: str, url: str, title: str, site: str) -> dict[str, str]:
    """Give the slides of a page that has some figures.

    Args:
        html: the page within the theme, before it is finished.
        url: the page's address, relative to the site's root: `variance/`.
        title: the page's.
        site: the site's name.

    Returns:
        One page by its path, `slides/variance/index.html`; nothing for a page without figures.
    """
    folder = f"slides/{url}" if url else "slides/front/"
    heading, answer = HEADING.search(html), ANSWER.search(html)
    found, section = [], ""
    for part in SECTION_OR_FIGURE.finditer(html):
        if part["id"] is None:
            section = PERMALINK.sub("", part["section"])
        else:
            words = part.groupdict() | {"section": section}
            found.append(SLIDE.format(site=escape(site), **words))
    if heading is None or len(found) < LEAST:
        return {}
    first = FIRST.format(
        heading=PERMALINK.sub("", heading["title"]),
        answer=answer["answer"] if answer else "",
        site=escape(site),
    )
    return {
        f"{folder}index.html": SLIDES.format(
            title=escape(title),
            root="../" * folder.count("/"),
            sheets=from_folder("\n".join(SHEETS.findall(html)), url, folder),
            slides=from_folder("\n".join([first, *found]), url, folder),
        )
    }
