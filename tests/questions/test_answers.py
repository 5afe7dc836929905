"""The answers themselves: their form, and that each is found from the overview."""

import re

import pytest

from tests.conftest import PROJECT

OVERVIEW = PROJECT.root / "docs/questions.md"
PAGES = sorted(OVERVIEW.parent.glob("questions-*.md"))
HEADING = re.compile(r"^## (?P<words>.*) \{#(?P<id>[\w-]+)\}$", re.MULTILINE)


def lacks(entry):
    """Name what an answer should have and has not. An entry is what follows `## `."""
    parts = re.split(r"\n\n+", entry.strip())
    answer, more = parts[1], parts[-1]
    sentences = re.sub(r"\$[^$]*\$|\{=[^}]*\}|`[^`]*`", "x", answer)
    has = {
        "an anchor": re.search(r"\{#[\w-]+\}$", parts[0]),
        "two to six sentences": 2 <= len(re.findall(r"[.?](?=\s|$)", sentences)) <= 6,
        "a computed number": "{=" in "".join(parts[1:-1]),
        "a link to the argument": re.search(r"\]\([\w-]+\.md#", more),
        "a source": re.search(r"\[@|https://", more) or "have not found" in more,
    }
    return [name for name, found in has.items() if not found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_answer_is_short_computed_linked_and_cited(page):
    _, *entries = page.read_text("utf-8").split("\n## ")
    assert len(entries) > 5
    assert {entry.splitlines()[0]: lacks(entry) for entry in entries if lacks(entry)} == {}


def test_what_an_answer_lacks_is_found():
    assert lacks("Why?\n\nIt is so.\n\nNo link.\n") == [
        "an anchor",
        "two to six sentences",
        "a computed number",
        "a link to the argument",
        "a source",
    ]


def questions():
    """Give the title of each answer, by its page and its id."""
    return {
        f"{page.name}#{found['id']}": found["words"]
        for page in PAGES
        for found in HEADING.finditer(page.read_text("utf-8"))
    }


def test_the_overview_has_every_question_in_its_words_at_its_old_address():
    """What was `questions/#mup` is a link there with that id, to the page that has the answer."""
    entry = re.compile(r"^- \[(.*)\]\((.*\.md#([\w-]+))\)\{ #([\w-]+) \}$", re.MULTILINE)
    listed = entry.findall(OVERVIEW.read_text("utf-8"))
    assert all(leads_to == id for _, _, leads_to, id in listed)
    plain = {place: words.replace("*", "") for place, words in questions().items()}
    assert {place: words for words, place, *_ in listed} == plain
    assert len({id for *_, id in listed}) == len(listed) > 80


# Addresses that others may have linked to while all answers stood on one page.
OLD = (
    "absorb additive biases billions causal-mask channel clip common-mean constant correlated "
    "cosine-similarity cross-attention deberta dropout eight embeddings fixed-head-dimension "
    "fp8 gains gaussian gemma gpt-neo grouped-query half-precision heads-of-8 hopfield "
    "inference layer-index learned-scale linear-attention log2e longrope maximum measured mla "
    "mup not-1 number-of-heads number-of-keys one-hot order output-variance padded-head "
    "pytorch qk-norm quarter rope scale-the-query set-transformer shared-qk sigmoid "
    "small-dimension t5 temperature twice unit-variance vanishing-gradients variance-of-2x2 "
    "variance-or-standard-deviation which-dimension why-the-square-root why-they-grow "
    "without-scaling the-square-root measured-values with-the-divisor-and-without other-scales "
    "variants-of-attention models in-code "
)


def test_old_addresses_are_kept():
    kept = set(re.findall(r"#([\w-]+) ?\}", OVERVIEW.read_text("utf-8")))
    assert [id for id in OLD.split() if id not in kept] == []
