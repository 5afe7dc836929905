"""How a claim is judged: what is said against what is found, and which alterations are caught."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def ledger(module):
    return module("claims/ledger")


@pytest.fixture
def judge(ledger):
    """Judge one claim: what it says, and the cases that were found."""

    def one(says, *cases, **words):
        book = ledger.Ledger(__file__)

        @book.claim("a-1", "here", "so it is", says=says, settled="", **words)
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


def test_what_its_author_took_back_is_not_called_wrong(judge):
    claim = judge("2", 3.0, rather="3", withdrawn=True)
    assert (claim["verdict"], claim["outcome"]) == ("withdrawn", "wrong")
    assert judge("2", 3.0, rather="3")["verdict"] == "wrong"


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


@pytest.fixture
def judge_ours(ledger):
    """Judge one finding of our own: what it says, and the cases that were found."""

    def one(says, *cases, **words):
        book = ledger.Ledger(__file__)
        given = {"settled": "", "runs": "Ours.", "arm": "Another.", "otherwise": "luck."}

        @book.ours("own-1", "so it is", says=says, **given | words)
        def check():
            """It is."""
            return ledger.finding(*cases)

        return book.judge()["own-1"]

    return one


def test_a_finding_of_our_own_has_verdicts_of_its_own(ledger, judge_ours):
    arm = ledger.case(bare=1, arm=True)
    fails = ledger.case(bare=3, arm=True)
    far = ledger.case(bare=3, arm=True, beyond=True)
    assert judge_ours("bare < 2", arm)["verdict"] == "holds"
    assert judge_ours("bare < 2", arm, far, needs="near")["verdict"] == "holds if"
    assert judge_ours("bare < 2", fails)["verdict"] == "refuted"
    for weaker in ("one rate", "suggested"):
        case = ledger.case(bare=1)
        assert judge_ours("bare < 2", case, weaker=weaker)["verdict"] == weaker


def test_a_finding_needs_the_arm_that_would_have_refuted_it(ledger, judge_ours):
    for words in ({"arm": ""}, {"otherwise": ""}):
        with pytest.raises(ValueError, match="names the arm that would have refuted it"):
            judge_ours("1 < 2", ledger.case(arm=True), **words)
    with pytest.raises(ValueError, match=r"own-1: .* has a case of the arm"):
        judge_ours("1 < 2", ledger.case())
    with pytest.raises(ValueError, match="`weaker` is one of"):
        judge_ours("1 < 2", ledger.case(), weaker="vague")
    with pytest.raises(ValueError, match="found 'wrong', so it is not `weaker`"):
        judge_ours("2 < 1", ledger.case(), weaker="suggested")


def test_a_finding_that_is_typed_is_refused(ledger):
    def typed():
        """It is."""
        return ledger.finding(8.0)

    def named():
        """It is."""
        found = -8.0
        return ledger.finding(ledger.case(found, d=64), quoted=np.sqrt(64))

    for check, below, call in ((typed, 2, "ledger.finding(8.0)"), (named, 3, "ledger.case(found")):
        book = ledger.Ledger(__file__)
        book.claim("a-1", "here", "so it is", says="8", settled="")(check)
        first = check.__code__.co_firstlineno
        with pytest.raises(ValueError, match=rf"test_ledger\.py:{first}: a-1: ") as error:
            book.judge()
        assert f": a-1: `{call}" in str(error.value)
        assert f"` in line {first + below} is typed" in str(error.value)


def test_what_is_computed_of_typed_numbers_is_a_finding(ledger):
    def computed():
        scatter, found = np.sqrt(9), []
        found += [2.67]
        said = ledger.case(110.6, within=scatter, d=111)  # theirs, beside a scatter of ours
        return ledger.finding(2.67 / 4, found, said, *[ledger.case(d=d) for d in (4, 8)])

    ledger.require_computed(computed)


def test_a_claim_below_the_judging_is_told(ledger):
    book = ledger.Ledger(__file__)
    assert book.judge() == {}
    with pytest.raises(ValueError, match=r"^\S+\.py:\d+: a-1: it stands below `ledger\.judge"):
        book.claim("a-1", "here", "so it is", says="8", settled="")(with_a_name_that_is_not_there)


def with_a_name_that_is_not_there():
    """It is."""
    return far  # noqa: F821


@pytest.mark.parametrize(
    ("says", "found", "words", "problem"),
    [
        ("2", 3, {}, "'2' is found wrong: said is 2, found 3; say in `rather` what is right"),
        ("2", 3, {"rather": "4"}, "'4' is not found either: said is 4, found 3"),
        ("2", 2, {"rather": "3"}, "nothing to say `rather`"),
        ("2", 2, {"needs": "luck"}, "fails beyond its assumption"),
        ("2", 2, {"same_error": "slip"}, "nothing to say `same_error`"),
        ("2", 2, {"theorem": "counting"}, "`theorem` is said of comparisons that hold"),
        ("2", 3, {"reading": "twice one"}, "never makes an error: .* said is 2, found 3"),
        ("far", 2, {}, "'far': name 'far' is not defined; its case gives no names"),
        ("[1, 2]", 2, {}, r"'\[1, 2\]' has the shape \(2,\), what is found \(\)"),
        ("array([1, 2]) < 3", True, {}, r"compares arrays of shape \(2,\): write all\(…\)"),
        ("1,000", 1000, {}, "has a comma: write 1_000"),
        ("2^1", 2, {}, r"has a \^: write \*\* for a power"),
        ("2", lambda: None, {}, "its check gives None: end with `return finding"),
        ("2", with_a_name_that_is_not_there, {}, r"stops in line \d+: NameError: name 'far'"),
    ],
)
def test_a_claim_that_does_not_fit_its_finding_is_named(judge, says, found, words, problem):
    with pytest.raises(ValueError, match=rf"^\S+\.py:\d+: a-1: .*{problem}"):
        judge(says, found, **words)
