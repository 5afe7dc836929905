"""Slides, and explorables alone, have what their page has; else the build says so."""

import pytest

from weave.basics.errors import WeaveError
from weave.pages.bare import bare_pages
from weave.pages.slides import slides
from weave.pages.themed import Themed

FIGURE = '<figure class="new" id="{0}"><svg></svg><figcaption>Of {0}</figcaption></figure>'
HTML = f"""<h1>Chapter</h1>{FIGURE.format("a")}<h2 id="one">One</h2>{FIGURE.format("b")}
<why-c data-embed="chapter/c" data-explore="">{FIGURE.format("c")}</why-c>"""
PAGE = Themed(HTML, "chapter/", "Chapter", "Site")

pytestmark = pytest.mark.alone


def test_a_slide_for_each_figure_below_the_heading_of_its_section():
    (deck,) = slides(PAGE, ["a", "b", "c"]).values()
    assert [deck.count(f"<figcaption>Of {id}</figcaption>") for id in "abc"] == [1, 1, 1]
    assert deck.count("<h2>One</h2>") == 2
    assert slides(PAGE, ["a", "b"]) == {}


def test_what_is_no_longer_found_ends_the_build():
    with pytest.raises(WeaveError, match="chapter/: the figure 'd' cannot be shown elsewhere"):
        slides(PAGE, ["a", "b", "d"])
    assert [*bare_pages(PAGE, ["chapter/c"])] == ["embed/chapter/c/index.html"]
    with pytest.raises(WeaveError, match="'chapter/d' cannot be shown elsewhere"):
        bare_pages(PAGE, ["chapter/d"])
