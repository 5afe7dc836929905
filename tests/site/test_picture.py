"""The picture that stands beside a link to the site elsewhere says what the site is called."""

from mkdocs.config import load_config
from PIL import Image

from editions.card import CARD
from tests.site.browser import ROOT


def says(card, config) -> bool:
    """Tell whether a card was drawn with the site's name and words."""
    with Image.open(card) as picture:
        words = config.site_name, config.site_description
        return (picture.text["Title"], picture.text["Description"]) == words


def test_the_card_has_the_site_s_name_and_words(site):
    config = load_config(str(ROOT / "mkdocs.yml"))
    assert says(CARD, config)
    config.site_name = "Why d?"
    assert not says(CARD, config)
    assert (site / "assets/card.png").read_bytes() == CARD.read_bytes()
    assert 'og:image" content="http' in (site / "index.html").read_text("utf-8")
