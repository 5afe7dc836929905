"""Every claim of the sources is judged by a check, and every check can tell true from false.

After a change in one claim, `make test ARGS="tests/test_claims.py -k 003-15"` takes a few seconds:
it judges this claim alone, and asks whether a chapter refers to it.
"""

import ast
import re
import sys
import time
from collections import Counter
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
import pytest

from tests.conftest import PROJECT, alone
from weave.embeds.claims import TONES
from weave.run.limits import limits
from weave.scan import Mention, mentions_in

ROOT = PROJECT.root
CHAPTERS = ["index.md", "variance.md", "saturation.md", "scales.md", "theorem.md", "training.md"]
NO_CODE = {"history", "opinion"}


def entered(code: str) -> list[str]:
    """List the numbers of the claims that a source's module enters, in its order."""
    return [
        call.args[0].value
        for function in ast.parse(code).body
        if isinstance(function, ast.FunctionDef)
        for call in function.decorator_list
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("ledger.")
    ]


# The module that enters each claim, by the claim's number.
SOURCES = {
    key: file.stem
    for file in sorted((ROOT / "snippets/claims").glob("*.py"))
    for key in entered(file.read_text("utf-8"))
}
LISTED = sorted(SOURCES)


@cache
def unjudged(source: str) -> Any:
    """Give the ledger of a source without the last line of its module, which judges all claims."""
    path = ROOT / "snippets/claims" / f"{source}.py"
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.unparse(tree.body.pop()) == "claims = ledger.judge()"
    names: dict[str, Any] = {"__name__": source}
    sys.path.insert(0, str(path.parent))  # it imports its neighbours
    try:
        exec(compile(tree, str(path), "exec"), names)
    finally:
        sys.path.remove(str(path.parent))
    return names["ledger"]


def judged_alone(ledger: Any, key: str, seconds: float = PROJECT.time_limit) -> dict:
    """Judge one claim, within the limits that hold for the whole ledger in a build."""
    with limits(seconds):
        return ledger.judge(only=key)[key]


@pytest.fixture
def claim(request, snippet, key):
    """Give what the ledger says of a claim: judged now, if nothing but single claims is tried."""
    if alone(request.session.items):
        return judged_alone(unjudged(SOURCES[key]), key)
    return snippet(f"claims/{SOURCES[key]}").claims[key]


@pytest.fixture(scope="module")
def claims(snippet):
    """Give what the ledgers say of every claim, by its number."""
    return {key: snippet(f"claims/{SOURCES[key]}").claims[key] for key in LISTED}


def unsettled(claim: dict) -> list[str]:
    """List the alterations of a claim that its check lets through, or what stands for a check."""
    if claim["verdict"] in NO_CODE:
        lacks = [] if len(claim["text"].split()) > 5 else ["say why no code can settle it"]
        if claim["verdict"] == "history" and "[@" not in claim["text"]:
            lacks.append("name a source for it")
        return lacks
    if not claim["altered"]:
        return [] if claim["strictness"].startswith("Compared") else ["nothing of it was altered"]
    return [
        f"{claim['says']!r} is as true as {text!r}"
        for text, caught in claim["altered"].items()
        if not caught
    ]


@pytest.mark.alone
@pytest.mark.parametrize("key", LISTED)
def test_a_check_catches_every_alteration_of_its_claim(claim, key):
    assert unsettled(claim) == [], key


@pytest.mark.parametrize(
    ("claim", "problem"),
    [
        ({"verdict": "true", "says": "d", "altered": {"(d + 1)": False}}, ["'d' is as true as"]),
        ({"verdict": "true", "says": "d", "altered": {"(d + 1)": True}}, []),
        ({"verdict": "true", "altered": {}, "strictness": "Tolerance: ±1"}, ["nothing of it"]),
        ({"verdict": "true", "altered": {}, "strictness": "Compared: `a < b`"}, []),
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


def test_how_many_alterations_were_caught(snippet, claims, capsys):
    altered = [caught for claim in claims.values() for caught in claim["altered"].values()]
    with capsys.disabled():
        print(f" {sum(altered)} of {len(altered)} alterations of claims were caught ", end="")
    by_code = [claim for claim in claims.values() if claim["verdict"] not in NO_CODE]
    counted = snippet("claims/verdicts")
    assert len(altered) > 3 * (len(by_code) - counted.comparisons)


def test_every_claim_has_a_number_of_its_own_and_none_is_left_out():
    assert sorted(PROJECT.look_up("claims")) == LISTED
    for source, keys in groupby(LISTED, key=lambda key: key.partition("-")[0]):
        numbers = [key.partition("-")[2] for key in keys]
        assert numbers == [f"{n:02}" for n in range(1, len(numbers) + 1)], source


def torn(places: list[str]) -> list[str]:
    """Name the parts of a source whose claims do not stand together."""
    runs = [part for part, _ in groupby(re.split(r",| \(", place)[0] for place in places if place)]
    return [part for part, times in Counter(runs).items() if times > 1]


@pytest.mark.parametrize("source", sorted(set(SOURCES.values())))
def test_claims_stand_in_the_order_of_their_source(snippet, source):
    ledger = snippet(f"claims/{source}").claims
    assert torn([claim["place"] for claim in ledger.values()]) == []
    last_first = ["question", "answer, line 2", "", "answer", "question, last line"]
    assert torn(last_first) == ["question"]


def test_our_own_additions_are_not_counted_and_one_error_is_counted_once(snippet, claims):
    counted = snippet("claims/verdicts")
    theirs = {key: claim for key, claim in claims.items() if claim["place"]}
    assert counted.total == sum(counted.count.values()) == len(theirs) < len(claims)
    wrong = {key: claim for key, claim in theirs.items() if claim["verdict"] == "wrong"}
    shared = Counter(claim["same_error"] for claim in wrong.values() if claim["same_error"])
    assert min(shared.values()) > 1, "an error that claims share stands in two of them or more"
    assert counted.distinct_errors == len(wrong) - shared.total() + len(shared) < len(wrong)


def argued(places: list[Mention]) -> bool:
    """Tell whether a chapter's text refers to a claim, beside its table of verdicts."""
    return any(
        place.page in CHAPTERS
        and not place.in_table
        and not place.section.startswith("What the source")
        for place in places
    )


@cache
def marked() -> dict[str, list[Mention]]:
    """Give by its number where the chapters refer to each claim."""
    places: dict[str, list[Mention]] = {}
    for page in CHAPTERS:
        for place in mentions_in((ROOT / "docs" / page).read_text("utf-8"), page):
            places.setdefault(place.key, []).append(place)
    return places


def unmarked(key: str, claim: dict, places: list[Mention]) -> str:
    """Say where a claim has yet to be marked; nothing if it is."""
    if claim["verdict"] in NO_CODE:
        return "" if places else f"{key}: no chapter refers to it; add it to a `::: verdicts`"
    return "" if argued(places) else f"{key}: no section settles it; mark it in one: [@{key}]"


@pytest.mark.alone
@pytest.mark.parametrize("key", LISTED)
def test_a_chapter_settles_the_claim(claim, key):
    assert unmarked(key, claim, marked().get(key, [])) == ""


def test_a_claim_that_no_chapter_marks_is_named():
    in_list = list(mentions_in("## Sums\n\n::: verdicts a-1\n", "variance.md"))
    in_text = list(mentions_in("## Sums\n\nIt is [@a-1].\n", "variance.md"))
    of_code, of_none = {"verdict": "true"}, {"verdict": "opinion"}
    assert "a-1: no section settles it" in unmarked("a-1", of_code, in_list)
    assert "a-1: no chapter refers to it" in unmarked("a-1", of_none, [])
    assert not unmarked("a-1", of_code, in_text)
    assert not unmarked("a-1", of_none, in_text)


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
            if callable(cases[0]):
                return cases[0]()
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


def test_a_question_has_our_answer(judge):
    assert judge("sqrt(4)", 2.0, question=True)["verdict"] == "question"


def test_a_comparison_is_not_altered_but_says_how_close_it_is(ledger, judge):
    cases = [ledger.case(bare=0.28, scaled=0.07), ledger.case(bare=2, scaled=1.99)]
    claim = judge("bare < 2 * scaled", ledger.case(bare=0.1, scaled=0.7), *cases[1:])
    assert claim["verdict"] == "true"
    assert claim["altered"] == {}
    assert claim["strictness"] == (
        "Compared: `bare < 2 * scaled`, which is 2 < 3.98 where it is closest"
    )
    assert judge("bare < scaled", *cases)["verdict"] == "wrong"
    close = judge("all(a <= b)", ledger.case(a=np.array([0, 1]), b=np.array([1, 1.00001])))
    assert "1 ≤ 1.00001 where" in close["strictness"]


@pytest.mark.parametrize(
    ("says", "found", "within", "strictness"),
    [
        ("0.971", 0.9712, None, "half of the last digit, ±0.0005"),
        ("[4, 2.67]", [4, 2.667], None, "half of the last digit, ±0.5, ±0.005"),
        ("0.971", 0.9, 0.1, "±0.1"),
        ("[1, 2]", [1, 2], np.array([0.1, 0.25]), "±0.1 to ±0.25"),
        ("sqrt(4)", 2.0, None, "a part in a billion, for rounding"),
    ],
)
def test_the_tolerance_is_said(ledger, judge, says, found, within, strictness):
    claim = judge(says, ledger.case(np.array(found), within=within))
    assert claim["strictness"] == f"Tolerance: {strictness}"


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


def with_a_name_that_is_not_there():
    return far  # noqa: F821


def of_two_arrays():
    return np.ones(2) < np.ones(2) or None


@pytest.mark.parametrize(
    ("says", "found", "words", "problem"),
    [
        ("2", 3, {}, "'2' is found wrong: said is 2, found 3; say in `rather` what is right"),
        ("2", 3, {"rather": "4"}, "'4' is not found either: said is 4, found 3"),
        ("2", 3, {"rather": "4 < 3"}, "'4 < 3' is not found either: Compared: `4 < 3`"),
        ("2", 2, {"rather": "3"}, "nothing to say `rather`"),
        ("2", 2, {"needs": "luck"}, "fails beyond its assumption"),
        ("2", 2, {"same_error": "slip"}, "nothing to say `same_error`"),
        ("2", 3, {"reading": "twice one"}, "never makes an error: .* said is 2, found 3"),
        ("2", 3, {"rather": "3", "question": True}, "never makes an error"),
        ("far", 2, {}, "'far': name 'far' is not defined; its case gives no names"),
        ("[1, 2]", 2, {}, r"'\[1, 2\]' has the shape \(2,\), what is found \(\)"),
        ("[1, 2]", [1, 2, 3], {}, r"the shape \(2,\), what is found \(3,\)"),
        ("array([1, 2]) < 3", True, {}, r"compares arrays of shape \(2,\): write all\(…\)"),
        ("1,000", 1000, {}, "has a comma: write 1_000"),
        ("2^1", 2, {}, r"has a \^: write \*\* for a power"),
        ("2 +", 2, {}, "'2 \\+' is no expression"),
        ("2", lambda: None, {}, "its check gives None: end with `return finding"),
        ("2", with_a_name_that_is_not_there, {}, r"stops in line \d+: NameError: name 'far'"),
        ("2", of_two_arrays, {}, r"stops in line \d+: ValueError: The truth value of an array"),
    ],
)
def test_a_claim_that_does_not_fit_its_finding_is_named(judge, says, found, words, problem):
    with pytest.raises(ValueError, match=f"^a-1: .*{problem}"):
        judge(says, found, **words)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can limit memory")
@pytest.mark.parametrize(
    ("check", "problem"),
    [
        (lambda: time.sleep(9), "TimeoutError: stopped after 0.2 s"),
        (lambda: np.zeros(2**30), "MemoryError: Unable to allocate 8.00 GiB"),
    ],
    ids=["time", "memory"],
)
def test_a_claim_judged_alone_is_stopped_as_in_a_build(ledger, check, problem):
    book = ledger.Ledger()

    @book.claim("a-1", "here", "so it is", says="2")
    def too_much():
        """It is."""
        return check()

    with pytest.raises(ValueError, match=problem):
        judged_alone(book, "a-1", seconds=0.2)


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
