"""Every claim of the sources is judged by a check, and every check can tell true from false.

After a change in one claim, `make test ARGS="tests/claims -k 003-15"` takes a few seconds: it
judges this claim alone.
"""

import ast
import sys
from collections import Counter
from contextlib import suppress
from functools import cache
from itertools import groupby
from typing import Any

import pytest

from tests.conftest import PROJECT, alone
from weave.basics.errors import WeaveError
from weave.run.limits import limits

ROOT = PROJECT.root
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
    """Give the ledger of a source as it is before its module judges all claims, in the end."""
    path = ROOT / "snippets/claims" / f"{source}.py"
    tree = ast.parse(path.read_text("utf-8"))
    statements = [ast.unparse(statement) for statement in tree.body]
    tree.body = tree.body[: statements.index("claims = ledger.judge()")]
    names: dict[str, Any] = {"__name__": source, "__file__": str(path)}
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


def test_every_claim_has_a_number_of_its_own_and_none_is_left_out():
    assert sorted(PROJECT.look_up("claims")) == LISTED
    for source, keys in groupby(LISTED, key=lambda key: key.partition("-")[0]):
        numbers = [key.partition("-")[2] for key in keys]
        assert numbers == [f"{n:02}" for n in range(1, len(numbers) + 1)], source


def test_our_own_additions_are_not_counted(snippet, claims):
    counted = snippet("claims/verdicts")
    theirs = [claim for claim in claims.values() if claim["place"]]
    assert counted.total == sum(counted.count.values()) == len(theirs) < len(claims)
    assert not [key for key, claim in claims.items() if claim["place"] and "arm" in claim]
    judged = {"true", "true if", "wrong"}
    assert counted.others == sum(claim["verdict"] not in judged for claim in theirs)


def test_findings_of_our_own_are_counted_by_their_verdicts(snippet, claims):
    ours = [claim["verdict"] for claim in claims.values() if "arm" in claim]
    page = snippet("claims/ours")
    assert {word: n for word, n in page.count.items() if n} == Counter(ours)
    assert page.total == len(ours) >= 15


@pytest.mark.parametrize(
    ("verdict", "name", "number"),
    [("wrong", "same_error", "distinct_errors"), ("true if", "same_need", "distinct_needs")],
)
def test_what_claims_share_is_counted_once(snippet, claims, verdict, name, number):
    named = [c[name] for c in claims.values() if c["verdict"] == verdict and c["place"]]
    shared = Counter(filter(None, named))
    assert min(shared.values()) > 1, "what claims share stands in two of them or more"
    distinct = len(named) - shared.total() + len(shared)
    assert getattr(snippet("claims/verdicts"), number) == distinct < len(named)


def astray(place: str) -> bool:
    """Tell whether a place such as `variance.md#puzzle` is no section of a page."""
    with suppress(WeaveError):
        title, heading = PROJECT.look_up("section", place)
        return title == heading
    return True


def test_every_claim_leads_to_the_section_that_settles_it(claims):
    lost = {key: claim["settled"] for key, claim in claims.items() if astray(claim["settled"])}
    assert lost == {}
    assert all(map(astray, ["variance.md#puzzles", "variance.md", "variants.md#puzzle"]))


def test_every_work_is_cited_somewhere():
    cited = PROJECT.look_up("citations")
    assert [key for key in PROJECT.look_up("works") if key not in cited] == []
