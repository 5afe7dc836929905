"""A word that is turned round and a number that is altered are noticed, nearly always."""

from dataclasses import replace

import pytest

from tests.conftest import PROJECT
from tests.text.altered import TURNED, Site, tried
from weave.run.snippet import read_snippet
from weave.text.numbers import settings_of
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
    assert [len(each) for each in found.values()] == [180, 60, 60]
    words, missed = share(found["words"])
    assert words >= 0.6, missed
    for kind in ("numbers", "numbers, in messages too"):
        numbers, missed = share(found[kind])
        assert numbers >= 0.95, (kind, missed)


def test_where_no_assertion_has_the_words_nothing_is_noticed(site):
    site = Site(replace(site.texts, assertions={}, findings=[]))
    assert share(tried(site, count=20, seed=0)["words"])[0] == 0


def test_a_word_is_altered_in_its_sentence_alone():
    source = "It rises and $d$ grows.\n\nIt rises: {= rows.n }.\n"
    text = Text("docs/saturation.md", source, [*sentences(source)])
    [alteration] = Site(Texts(pages={"saturation": text})).words()
    assert alteration.applied().source == "It rises and $d$ grows.\n\nIt falls: {= rows.n }.\n"
    assert "It falls" in alteration.applied().sentences[1].text
    assert TURNED["falls"] == "rises"


def test_a_wrong_number_in_a_caption_and_in_its_message_is_noticed(site):
    """A reviewer turned 50 to 150 into 50 to 400, in both, and the build passed."""
    name, quoted = "training/learning", "{= shortest } to {= longest }"
    caption = site.texts.captions[name]
    assert quoted in caption.source
    source = caption.source.replace(quoted, "50 to 400")
    captions = site.texts.captions | {name: Text(caption.name, source, [*sentences(source)])}
    words = "means of three seeds, stay above"
    of_words = [each for each in site.texts.assertions[name] if each.words.startswith(words)]
    assert len(of_words) == 1
    altered = of_words[0]._replace(words="stay above 2 for 50 to 400 steps")
    rest = [each for each in site.texts.assertions[name] if each not in of_words]
    assertions = site.texts.assertions | {name: [*rest, altered]}
    texts = replace(site.texts, captions=captions, assertions=assertions)
    found = site.mistakes(texts) - site.before
    assert any("no code knows 400" in mistake for _, _, mistake in found)


def test_a_setting_that_a_caption_still_has_is_noticed(site):
    """A list of dimensions ended at 128, and the caption spoke of 256."""
    name = "variance/spread"
    code = read_snippet(PROJECT.jobs[name]).compute.code
    assert "256]" in code
    settings = site.texts.settings | {name: settings_of(code.replace("256]", "128]"))}
    found = site.mistakes(replace(site.texts, settings=settings)) - site.before
    assert any("no code knows 256" in mistake for _, _, mistake in found)
