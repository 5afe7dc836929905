"""Slides: `slides/variance/` shows a chapter's figures, one on each slide, for a lecturer.

On the screen one scrolls from slide to slide, or turns them by keys (slides.js); printed, each is a
page of 16:9.
"""

import re
from collections.abc import Collection
from html import escape

from weave.pages.themed import Themed

HEADING = re.compile(r"<h1\b[^>]*>(?P<title>.*?)</h1>", re.DOTALL)
ANSWER = re.compile(r'<p class="answer">(?P<answer>.*?)</p>', re.DOTALL)
SECTION = re.compile(r"<h2\b[^>]*>(?P<title>.*?)</h2>", re.DOTALL)
FIGURE = r'<figure\b[^>]*\bid="{}"[^>]*>(?P<inside>.*?)</figure>'
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
<figure>{figure}</figure>
<footer><a href="#{id}">{site}</a>, CC BY 4.0</footer></section>
"""


def address(url: str, figures: Collection[str]) -> str:
    """Give the address of a page's slides; nothing, if it has not enough figures for them.

    Args:
        url: the page's, relative to the site's root, as this one's.
        figures: the ids of those on it.
    """
    return f"slides/{url or 'front/'}" if len(figures) >= LEAST else ""


def slides(page: Themed, figures: Collection[str]) -> dict[str, str]:
    """Give the slides of a page that has some figures.

    Args:
        page: shows them.
        figures: their ids.

    Returns:
        One page by its path, `slides/variance/index.html`; nothing for a page without figures.
    """
    folder = address(page.url, figures)
    if not folder:
        return {}
    heading, answer = HEADING.search(page.html), ANSWER.search(page.html)
    site, found = escape(page.site), []
    for id in figures:
        figure = page.find(FIGURE.format(re.escape(id)), f"the figure '{id}'")
        section = title_above(figure.start(), page.html)
        found.append(SLIDE.format(section=section, figure=figure["inside"], id=id, site=site))
    first = FIRST.format(
        heading=PERMALINK.sub("", heading["title"]) if heading else escape(page.title),
        answer=answer["answer"] if answer else "",
        site=site,
    )
    return {
        f"{folder}index.html": SLIDES.format(
            title=escape(page.title),
            root="../" * folder.count("/"),
            sheets=page.sheets(folder),
            slides=page.from_folder("\n".join([first, *found]), folder),
        )
    }


def title_above(place: int, html: str) -> str:
    """Give the heading of the section in which something stands; above all of them, nothing."""
    above = html.rfind("<h2", 0, place)
    section = SECTION.match(html, above) if above >= 0 else None
    return PERMALINK.sub("", section["title"]) if section else ""
