"""What a chapter prints, its tests hold to the last digit: altered by one, it fails a test."""

import subprocess
import sys

import numpy as np
import pytest

from tests.conftest import PROJECT
from tests.digits import altered, unit

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
    "theorem": {
        "spectrum.second": "one draw, openly, beside its standard error",
    },
    "questions": {},
    "index": {},
}


def unnoticed(chapter: str, *tests: str) -> list[str]:
    """List what goes unnoticed of a chapter's numbers, on any page."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.digits", *tests],
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
    tests = sorted(PROJECT.root.glob(f"tests/test_{chapter.replace('-', '_')}*.py"))
    found = unnoticed(chapter, *map(str, tests))
    known = UNNOTICED[chapter]
    assert [line for line in found if not any(f"{{= {part}" in line for part in known)] == []
    stale = [part for part in known if not any(f"{{= {part}" in line for line in found)]
    assert not stale, f"these are noticed by now: {stale}"


@pytest.mark.long
def test_without_a_test_it_goes_unnoticed():
    found = unnoticed("variance", "tests/test_variance.py", "-k", "test_square_counts")
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
