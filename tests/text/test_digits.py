"""What a chapter prints, its tests hold to the last digit: altered by one, it fails a test."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tests.conftest import PROJECT
from tests.text.digits import Alteration, Notice, altered, moved, unit
from tests.text.digits import Test as Passed  # else pytest takes it for tests of its own
from weave.project import Project

# What goes unnoticed in a chapter, and why it cannot be otherwise.
UNNOTICED = {
    "variance": {},
    "training": {
        "coordinate_check.": "one draw of two seeds, which nothing but itself can give again",
        "first_step.pairs": "how many were drawn, which the snippet says",
    },
    "trained": {},
    "your-model": {},
    "saturation": {},
    "scales": {},
    "theorem": {},
    "questions": {},
    "index": {},
}


def unnoticed(chapter: str, *tests: str) -> list[str]:
    """List what goes unnoticed of a chapter's numbers, on any page."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.text.digits", *tests],
        cwd=PROJECT.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.returncode, run.stdout[-4000:] + run.stderr
    assert "are noticed" in run.stdout
    own = run.stdout.replace(f"{{= {chapter}/", "{= ")  # as its own page writes it
    return [line for line in own.splitlines() if "goes unnoticed" in line]


@pytest.mark.long
@pytest.mark.parametrize("chapter", UNNOTICED)
def test_the_last_digit_is_noticed(chapter):
    found = unnoticed(chapter, f"tests/{chapter}")
    known = UNNOTICED[chapter]
    assert [line for line in found if not any(f"{{= {part}" in line for part in known)] == []
    stale = [part for part in known if not any(f"{{= {part}" in line for line in found)]
    assert not stale, f"these are noticed by now: {stale}"


@pytest.mark.long
def test_without_a_test_it_goes_unnoticed():
    found = unnoticed("variance", "tests/variance/test_square.py")
    assert any("{= bias.sd[8] :.2f }: +0.01 goes unnoticed, no test reads it" in x for x in found)
    assert not any("{= square.total" in line for line in found)


@pytest.mark.parametrize(
    ("printed", "step"),
    [
        ("8.0", 0.1),
        ("1,024", 1),
        ("12%", 0.01),
        ("1.5%", 0.001),
        ("2.5e-05", 1e-6),
        ("-0.25", 0.01),
    ],
)
def test_a_unit_of_the_last_digit(printed, step):
    assert unit(printed) == pytest.approx(step)


def test_one_number_is_altered_and_no_other():
    value = {"a": (1.0, [2.0, 3.0]), "b": np.array([1, 2])}
    assert altered(value, ("a", 1, 0), 0.5)["a"] == (1.0, [2.5, 3.0])
    assert altered(value, ("b", 1), 0.5)["b"].tolist() == [1, 2.5]
    assert value["a"] == (1.0, [2.0, 3.0])


def test_the_same_number_is_altered_wherever_it_is():
    values = {"a": [0.5, 2.0], "b": (0.25, 1), "c": np.array([0.25, 0.5]), "d": "0.5"}
    new = moved(values, 0.5, 0.125)
    assert new["a"] == [0.625, 2.0]
    assert new["b"] == values["b"]
    assert new["c"].tolist() == [0.25, 0.625]
    assert new["d"] == "0.5"
    assert moved(values, 0.75, 0.125) is None


@pytest.mark.parametrize(
    ("check", "slips"),
    [
        (lambda read: read("share") == read("shares")[64], True),
        (
            lambda read: read("share") == read("shares")[64] and abs(read("share") - 0.05) < 0.01,
            True,
        ),
        (lambda read: read("share") == read("shares")[64] and read("share") < 0.0465, False),
        (lambda read: read("share") < 0.0465, False),
        (lambda read: read("shares")[64] < 0.0465, True),  # it never reads the other
    ],
)
def test_who_compares_a_number_with_itself_has_not_noticed(tmp_path, check, slips):
    kept = {"share": 0.0463, "shares": {4: 0.0572, 64: 0.0463}}
    notice = Notice(Project(tmp_path))  # without pages
    give = notice.give(lambda results, name: kept[name])

    def test():
        assert check(lambda name: give(SimpleNamespace(_snippet="variance/tails"), name))

    test()
    notice.all = [Alteration("variance/tails", "share", (), 0.001, "docs/variance.md:1")]
    notice.tests = [Passed(0.0, test, notice.read)]
    assert bool([*notice.unnoticed()]) is slips
