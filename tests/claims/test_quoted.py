"""No source is quoted at length: of none has the site more than a fifth of the words."""

import pytest

from tests.claims.quoted import ROOT, RUN, all_runs, runs, share, sources, texts


@pytest.fixture(scope="module")
def published():
    return all_runs(texts(ROOT))


@pytest.mark.parametrize("number", sources())
def test_at_most_a_fifth_of_a_source_is_quoted(published, number):
    assert share(sources()[number], published) <= 0.2


def test_a_text_that_is_copied_is_found():
    text = "one two three four five six seven eight nine ten"
    source = runs(text)
    assert len(source) == 10 - RUN + 1

    def quoted(*texts):
        return share(source, all_runs(texts))

    assert quoted("zero", text) == 1
    assert quoted(text.replace("five", "5")) == 0
    # Pieces of fewer than six words are no run; of six and more, they count whole.
    assert quoted("one two three four five. six", "nine ten") == 0.6
    assert quoted("Five, six: seven (eight) nine ten!") == 0.6
    assert quoted("one two three four five", "six seven eight nine ten") == 0


def test_words_of_a_script_are_joined_across_lines(tmp_path):
    (tmp_path / "snippets/a").mkdir(parents=True)
    script = 'said = (\n    "one two three "\n    r"four five six"\n)\n'
    (tmp_path / "snippets/a/b.py").write_text(script, "utf-8")
    assert share(runs("one two three four five six"), all_runs(texts(tmp_path))) == 1
