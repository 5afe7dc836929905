"""The picture that stands beside a link elsewhere: the site's, and one for each chapter."""

import re

import pytest
from mkdocs.config import load_config
from PIL import Image

from editions.card import CARD, CARDS, chapters, meta
from tests.site.browser import BASE, ROOT

IMAGE = re.compile(r'<meta property="og:image" content="([^"]*)">')


def says(card, title, words) -> bool:
    """Tell whether a card was drawn with a title and words."""
    with Image.open(card) as picture:
        return (picture.text["Title"], picture.text["Description"]) == (title, words)


def test_the_card_has_the_site_s_name_and_words(site):
    config = load_config(str(ROOT / "mkdocs.yml"))
    assert says(CARD, config.site_name, config.site_description)
    assert not says(CARD, "Why d?", config.site_description)
    assert (site / "assets/card.png").read_bytes() == CARD.read_bytes()
    assert IMAGE.findall((site / "index.html").read_text("utf-8")) == [
        f"http://127.0.0.1{BASE}assets/card.png"
    ]


@pytest.mark.parametrize("chapter", chapters())
def test_each_chapter_has_its_own(site, chapter):
    """It is drawn with the title and the words that the page has now."""
    card, said = CARDS / f"{chapter}.png", meta(chapter)
    assert says(card, said["title"], said["description"])
    with Image.open(card) as picture:
        assert picture.size == (1200, 630)
        edges = [
            picture.convert("RGB").crop(box) for box in ((1160, 0, 1200, 630), (0, 0, 40, 630))
        ]
    assert all(len(edge.getcolors()) == 1 for edge in edges), "nothing reaches over the margin"
    page = (site / chapter / "index.html").read_text("utf-8")
    assert IMAGE.findall(page) == [f"http://127.0.0.1{BASE}assets/cards/{chapter}.png"]
    assert (site / f"assets/cards/{chapter}.png").read_bytes() == card.read_bytes()
    alt = re.search(r'<meta property="og:image:alt" content="([^"]*)">', page)[1]
    assert alt.startswith(said["title"])


def test_no_two_are_the_same_and_none_is_left_over():
    cards = [*CARDS.iterdir()]
    assert {card.stem for card in cards} == {*chapters()}
    assert len({card.read_bytes() for card in cards}) == len(cards) == 9


def test_a_site_that_does_not_know_its_address_names_no_picture():
    """A card needs an absolute address."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    template = config.theme.get_env().get_template("partials/card.html")
    heads = []
    for config.site_url in ("", "https://example.org/why/"):
        heads.append(template.render(config=config, page=None))
    assert "og:image" not in heads[0]
    assert IMAGE.findall(heads[1]) == ["https://example.org/why/assets/card.png"]
