"""The first use of a word on a page links to its meaning; headings, links and code do not."""

import re

import pytest

from weave.embeds import glossary

WORDS = """# Words

Query
:   What a token looks for. See [the chapter](chapter.md).

Covariance
:   How two numbers
    vary together.

Cross-covariance
:   A table of covariances. See [the chapter](chapter.md).

RoPE
Rotary embedding
:   Turns "pairs" & more.
"""


@pytest.fixture
def marked(project):
    """Build a chapter with a glossary; give its HTML and the words that are marked on it."""

    def build(text, words=WORDS, **options):
        project.file("docs/glossary.md", words)
        built = project.build(text, **options)
        built.words = re.findall(r'<a class="term"[^>]*>([^<]*)</a>', built.html)
        built.glossary = (project.root / "site/glossary/index.html").read_text()
        return built

    return build


def test_the_first_use_links_to_the_meaning_and_shows_it(marked):
    html = marked("# T\n\nA query, and another query.\n", strict=True).html
    link = '<a class="term" href="../glossary/#query" title="Query: What a token looks for.">'
    assert f"A {link}query</a>, and another query." in html


def test_the_link_has_somewhere_to_lead(marked):
    built = marked("# T\n\nA query.\n", strict=True)
    assert '<dt id="query">Query</dt>' in built.glossary
    assert '<dt id="rope">RoPE</dt>' in built.glossary
    assert 'class="term"' not in built.glossary


def test_plurals_and_capitals_are_the_same_word(marked):
    built = marked("# T\n\nQueries have a query, and covariances.\n")
    assert built.words == ["Queries", "covariances"]
    assert 'title="Covariance: How two numbers vary together."' in built.html


@pytest.mark.parametrize("word", ["key", "keys", "Keys"])
def test_a_vowel_before_the_y_keeps_it(word):
    assert re.fullmatch(glossary.Term("Key", "", "").pattern, word)


def test_two_names_of_one_entry_are_one_word(marked):
    built = marked("# T\n\nRotary\nembeddings, or RoPE.\n")
    assert built.words == ["Rotary\nembeddings"]
    assert "glossary/#rope" in built.html
    assert "Turns &quot;pairs&quot; &amp; more." in built.html


def test_a_longer_word_is_not_taken_for_a_shorter(marked):
    assert marked("# T\n\nThe cross-covariance.\n").words == ["cross-covariance"]
    assert marked("# T\n\nThe requery, queryable, covariance-like.\n").words == []


@pytest.mark.parametrize(
    "text",
    [
        "## A query",
        "[a query](index.md)",
        "`query`",
        "```text\nquery\n```",
        "The short answer: query.\n{ .answer }",
        '!!! note "A query"\n    Text.',
    ],
)
def test_where_a_word_is_left_alone(marked, text):
    built = marked(f"# T\n\n{text}\n\nThen a covariance. And a query.\n", strict=True)
    assert built.words == ["covariance", "query"]
    assert "And a <a" in built.html


def test_words_are_marked_in_the_order_of_reading(marked):
    text = "# T\n\n*A covariance* and **RoPE** and a query; query, RoPE.\n\n- query\n"
    built = marked(text)
    assert built.words == ["covariance", "RoPE", "query"]
    assert re.search(r"<em>A <a [^>]*>covariance</a></em> and <strong><a", built.html)
    assert "query</a>; query, RoPE.</p>" in built.html


def test_a_site_without_a_glossary_is_a_site(project):
    assert 'class="term"' not in project.build("# T\n\nA query.\n", strict=True).html
