"""A word that is turned round and a number that is altered are noticed, nearly always."""

import pytest

from tests.text.altered import TURNED, Site, tried
from weave.text.prose import Texts
from weave.text.sentences import Text, sentences


@pytest.fixture(scope="module")
def site():
    return Site()


def share(found):
    """Give the share that is noticed, and what is not."""
    missed = [str(each) for each, notices in found if not notices]
    return 1 - len(missed) / len(found), missed


def test_most_alterations_are_noticed(site):
    found = tried(site, count=60, seed=0)
    assert {len(each) for each in found.values()} == {60}
    words, missed = share(found["words"])
    assert words >= 0.6, missed
    for kind in ("numbers", "numbers, in messages too"):
        numbers, missed = share(found[kind])
        assert numbers >= 0.95, (kind, missed)


def test_where_no_assertion_has_the_words_nothing_is_noticed(site):
    site = Site()
    site.texts.assertions = {}
    site.before = site.mistakes(site.texts)
    assert share(tried(site, count=20, seed=0)["words"])[0] == 0


def test_a_word_is_altered_in_its_sentence_alone(site):
    source = "It rises and $d$ grows.\n\nIt rises: {= rows.n }.\n"
    text = Text("docs/saturation.md", source, [*sentences(source)])
    site.texts = Texts(pages={"saturation": text})
    [alteration] = site.words()
    assert alteration.applied().source == "It rises and $d$ grows.\n\nIt falls: {= rows.n }.\n"
    assert "It falls" in alteration.applied().sentences[1].text
    assert TURNED["falls"] == "rises"
