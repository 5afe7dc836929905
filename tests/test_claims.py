"""Every claim of the sources is judged by a check, and every check can tell true from false."""

import re

import numpy as np
import pytest

from tests.conftest import PROJECT
from weave.embeds.claims import TONES
from weave.scan import Mention, mentions_in

SOURCES = {"000": ("note", 39), "001": ("variance_thread", 36)}
SOURCES |= {"002": ("root_thread", 33), "003": ("article", 62)}
LISTED = [f"{source}-{n:02}" for source, (_, last) in SOURCES.items() for n in range(1, last + 1)]
ROOT = PROJECT.root
CHAPTERS = ["index.md", "variance.md", "saturation.md", "scales.md", "theorem.md", "training.md"]
# Code settles these, and yet there is nothing to argue, so their row leads to a table.
NOT_ARGUED = {"002-28": "two plurals lost in a quotation"}
NO_CODE = {"history", "opinion"}


@pytest.fixture(scope="module")
def claims(snippet):
    """Give what the ledgers say of every claim, by its number."""
    return {key: snippet(f"claims/{SOURCES[key[:3]][0]}").claims[key] for key in LISTED}


def unsettled(claim: dict) -> list[str]:
    """List the alterations of a claim that its check lets through, or what stands for a check."""
    if claim["verdict"] in NO_CODE:
        lacks = [] if len(claim["text"].split()) > 5 else ["say why no code can settle it"]
        if claim["verdict"] == "history" and "[@" not in claim["text"]:
            lacks.append("name a source for it")
        return lacks
    if not claim["altered"]:
        return ["nothing of it was altered"]
    return [
        f"{claim['says']!r} is as true as {text!r}"
        for text, caught in claim["altered"].items()
        if not caught
    ]


def test_every_check_catches_every_alteration_of_its_claim(claims):
    assert {key: unsettled(claim) for key, claim in claims.items() if unsettled(claim)} == {}


@pytest.mark.parametrize(
    ("claim", "problem"),
    [
        ({"verdict": "true", "says": "d", "altered": {"(d + 1)": False}}, ["'d' is as true as"]),
        ({"verdict": "true", "says": "d", "altered": {"(d + 1)": True}}, []),
        ({"verdict": "true", "says": "d", "altered": {}}, ["nothing of it"]),
        ({"verdict": "opinion", "text": "A matter of taste."}, ["say why"]),
        ({"verdict": "opinion", "text": "What is easy to read is a matter of taste."}, []),
        ({"verdict": "history", "text": "They wrote so themselves, in a note."}, ["a source"]),
        ({"verdict": "history", "text": "They wrote so themselves, in a note [@a]."}, []),
    ],
)
def test_a_claim_that_is_not_settled_is_named(claim, problem):
    found = unsettled(claim)
    assert len(found) == len(problem)
    assert all(word in text for word, text in zip(problem, found, strict=True))


def test_how_many_alterations_were_caught(claims, capsys):
    altered = [caught for claim in claims.values() for caught in claim["altered"].values()]
    with capsys.disabled():
        print(f" {sum(altered)} of {len(altered)} alterations of claims were caught ", end="")
    assert len(altered) > 2 * len(LISTED)


def test_every_claim_is_listed_once_and_in_order(snippet):
    for number, (module, _) in SOURCES.items():
        listed = list(snippet(f"claims/{module}").claims)
        assert listed == [key for key in LISTED if key.startswith(number)]
    assert sorted(PROJECT.look_up("claims")) == LISTED


def argued(places: list[Mention]) -> bool:
    """Tell whether a chapter's text refers to a claim, beside its table of verdicts."""
    return any(
        place.page in CHAPTERS
        and not place.in_table
        and not place.section.startswith("What the source")
        for place in places
    )


def test_a_chapter_refers_to_every_claim():
    places = PROJECT.look_up("mentions")
    pages = {key: {place.page for place in places.get(key, [])} for key in LISTED}
    assert [key for key in LISTED if not pages[key] & set(CHAPTERS)] == []


def test_every_row_leads_to_the_argument_that_settles_its_claim(claims):
    places = PROJECT.look_up("mentions")
    found = {key for key in LISTED if argued(places.get(key, []))}
    assert found & set(NOT_ARGUED) == set(), "take it off the list"
    settled_by_code = [key for key, claim in claims.items() if claim["verdict"] not in NO_CODE]
    assert [key for key in settled_by_code if key not in found | set(NOT_ARGUED)] == []


@pytest.mark.parametrize(
    ("text", "page", "found"),
    [
        ("## Sums\n\nIt is even [@a-1].\n", "variance.md", True),
        ("## Sums\n\n::: settles b-1 a-1\n", "variance.md", True),
        ("## Sums\n\n| it is even | [@a-1] |\n", "variance.md", False),
        ("## Sums\n\n::: verdicts a-1\n", "variance.md", False),
        ("## What the source says, and what we find\n\nMuch [@a-1].\n", "variance.md", False),
        ("## Sums\n\nIt is even [@a-1].\n", "questions.md", False),
    ],
)
def test_a_table_of_verdicts_is_no_argument(text, page, found):
    assert argued([place for place in mentions_in(text, page) if place.key == "a-1"]) is found


# Behind it a heading, or what is folded; or the fold in which it stands ends.
SETTLES = re.compile(
    r"^(?P<fold>[ ]*)::: settles(?: \d{3}-\d\d)+\n++(?=\Z|(?P=fold)(?:#|\?\?\?)|(?!(?P=fold)))",
    re.MULTILINE,
)
# A verdict on a claim that somebody typed: as such, in words beside a mark, or as a table's column.
TYPED = re.compile(
    r"\{ ?\.verdict|^\|.*\[@\d{3}-\d\d.*\||"
    r"(?<!othing )\b(?:is|are) (?:true|wrong|false|vague)\b[^.|]{0,20}\[@\d{3}-\d\d|^Settles claim",
    re.MULTILINE,
)
ENDS = re.compile(r"(?<=[.:?!])\s+")


@pytest.mark.parametrize("page", CHAPTERS)
def test_what_a_section_settles_stands_at_its_end(page):
    text = (ROOT / "docs" / page).read_text("utf-8")
    assert len(SETTLES.findall(text)) == text.count("::: settles")
    for fold in ("", "    "):
        assert not SETTLES.search(f"{fold}::: settles 003-15\n\n{fold}More of the section.\n")


@pytest.mark.parametrize("page", [*CHAPTERS, "questions.md"])
def test_no_verdict_is_typed(page):
    assert TYPED.findall((ROOT / "docs" / page).read_text("utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "| paper: it is small | *true if*{.verdict .partly} | but |",
        "| a thread: it is small | [@002-16] | not at usual sizes |",
        "That the size is $d$ is wrong [@002-16].",
        "Settles claims [@002-16].",
    ],
)
def test_a_typed_verdict_is_found(text):
    assert TYPED.search(text)


def repeated(text: str, ledger: str) -> set[str]:
    """Give the sentences of eight words or more that a page and the ledger both have."""
    page, own = (
        {" ".join(s.split()) for s in ENDS.split(each) if len(s.split()) >= 8}
        for each in (text, ledger)
    )
    return page & own


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_sentence_of_the_ledger_is_repeated(claims, page):
    ledger = "\n\n".join(claim["text"] for claim in claims.values())
    assert repeated((ROOT / "docs" / page).read_text("utf-8"), ledger) == set()
    sentence = "With independent terms the variance of a sum is theirs, added up."
    assert repeated(f"So it is. {sentence} Or\nnot.", f"It is.\n{sentence}") == {sentence}


def test_every_verdict_is_one_that_the_page_knows(claims):
    assert {claim["verdict"] for claim in claims.values()} <= set(TONES)


def test_every_work_is_cited_somewhere():
    cited = PROJECT.look_up("mentions")
    assert [key for key in PROJECT.look_up("works") if key not in cited] == []


# --- the ledger itself ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ledger(module):
    return module("claims/ledger")


@pytest.fixture
def judge(ledger):
    """Judge one claim: what it says, and the cases that were found."""

    def one(says, *cases, **words):
        book = ledger.Ledger()

        @book.claim("a-1", "here", "so it is", says=says, **words)
        def check():
            """It is."""
            return ledger.finding(*cases)

        return book.judge()["a-1"]

    return one


def test_printed_digits_are_taken_as_rounded(judge):
    assert judge("152.780", 152.78016)["verdict"] == "true"
    assert judge("[0.419, 0.254]", np.array([0.41923, 0.25428]))["verdict"] == "true"
    assert judge("1_202_604", 1202604.284)["verdict"] == "true"
    assert judge("0.972", 0.971416, rather="0.971")["verdict"] == "wrong"
    assert judge("9.6e-4", 9.64e-4)["verdict"] == "true"


def test_a_formula_is_true_under_its_assumption(ledger, judge):
    growth = [ledger.case(float(d), d=d) for d in (4, 64)]
    equal = ledger.case(64.0**2, beyond=True, d=64)
    assert judge("d", *growth)["verdict"] == "true"
    assert judge("d", *growth, equal, needs="independent")["verdict"] == "true if"
    assert judge("d + 1", *growth, rather="d")["verdict"] == "wrong"
    assert judge("d", *growth, reading="the variance")["verdict"] == "vague"


def test_a_comparison_is_reversed(ledger, judge):
    claim = judge("bare < scaled", ledger.case(bare=0.28, scaled=0.07))
    assert claim["verdict"] == "wrong"
    assert claim["altered"] == {"bare >= scaled": True}


def test_every_number_sign_exponent_and_root_is_altered(ledger, judge):
    cases = [ledger.case(d + 0.5 * np.sqrt(d) - 2, d=d) for d in (4.0, 9.0)]
    claim = judge("d**1 + 0.5 * sqrt(d) - 2", *cases)
    assert set(claim["altered"]) == {
        *("d**(2) + 0.5 * sqrt(d) - 2", "d**(0) + 0.5 * sqrt(d) - 2"),
        *("d**1 + (0.55) * sqrt(d) - 2", "d**1 + (0.45) * sqrt(d) - 2"),
        *("d**1 + 0.5 * sqrt(d) - (3)", "d**1 + 0.5 * sqrt(d) - (1)"),
        *("d**1 - 0.5 * sqrt(d) - 2", "d**1 + 0.5 * sqrt(d) + 2"),
        "d**1 + 0.5 * (d) - 2",
        *("-(d**1 + 0.5 * sqrt(d) - 2)", "(d**1 + 0.5 * sqrt(d) - 2)**2"),
    }
    assert all(claim["altered"].values())


def test_a_check_that_cannot_fail_is_found_out(ledger, judge):
    """At d = 1 the variance, its root and its square are the same."""
    claim = judge("sqrt(d)", ledger.case(1.0, d=1))
    assert claim["verdict"] == "true"
    assert claim["altered"]["(d)"] is False


@pytest.mark.parametrize(
    ("says", "found", "words", "problem"),
    [
        ("2", 3, {}, "say in `rather` what is right"),
        ("2", 3, {"rather": "4"}, "'4' is not found either"),
        ("2", 2, {"rather": "3"}, "nothing to say `rather`"),
        ("2", 2, {"needs": "luck"}, "fails beyond its assumption"),
    ],
)
def test_words_that_do_not_fit_the_finding_are_refused(judge, says, found, words, problem):
    with pytest.raises(ValueError, match=problem):
        judge(says, found, **words)


def test_a_number_is_given_once(ledger):
    book = ledger.Ledger()
    book.cited("a-1", "here", "it was", kind="history")
    with pytest.raises(ValueError, match="two claims have this number"):
        book.cited("a-1", "there", "it was", kind="history")


# --- what the checks share ---------------------------------------------------------------------


def test_the_jacobian_s_norm_survives_certainty(module):
    samples = module("claims/samples")
    for weights in (np.array([0.5, 0.3, 0.2]), np.array([1 - 2e-12, 1e-12, 1e-12])):
        jacobian = np.diag(weights) - np.outer(weights, weights)
        exact = np.linalg.norm(jacobian)
        assert np.isclose(samples.jacobian_norm(weights[None])[0], exact, rtol=1e-3)
    tiny = samples.jacobian_norm(np.array([[1.0, 1e-20, 1e-20]]))[0]
    assert np.isclose(tiny, np.sqrt(10) * 1e-20)  # on the diagonal 2, 1, 1, beside it four times 1
    textbook = 1.0 - 2 * 1.0 + 1.0**2
    assert textbook == 0.0
