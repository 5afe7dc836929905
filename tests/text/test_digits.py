"""What a chapter prints, its tests hold to the last digit: altered by one, it fails a test."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT

# What goes unnoticed in a chapter, and why it cannot be otherwise.
UNNOTICED = {
    "training": {"first_step.pairs": "how many were drawn, which the snippet says"},
    "growth": {"seen.": "published, and nowhere else on the site"},
}
TRAINED = {"training", "growth"}  # part of whose numbers is compared with a model


def chapters(root: Path) -> list[str]:
    """List the chapters that have snippets. A claim is not one: its own check is altered."""
    folders = [path for path in (root / "snippets").iterdir() if any(path.glob("*.py"))]
    return sorted(folder.name for folder in folders if folder.name != "claims")


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
@pytest.mark.parametrize("chapter", chapters(PROJECT.root))
def test_the_last_digit_is_noticed(chapter):
    if chapter in TRAINED:
        pytest.importorskip("torch", reason="PyTorch is not installed: make torch")
    found = unnoticed(chapter, f"tests/{chapter}")
    known = UNNOTICED.get(chapter, {})
    assert [line for line in found if not any(f"{{= {part}" in line for part in known)] == []
    stale = [part for part in known if not any(f"{{= {part}" in line for line in found)]
    assert not stale, f"these are noticed by now: {stale}"


@pytest.mark.alone
def test_a_new_chapter_is_found(tmp_path):
    for name in ("coins/toss.py", "claims/note.py", "measured/table.csv", "dice/throw.py"):
        (tmp_path / "snippets" / name).parent.mkdir(parents=True)
        (tmp_path / "snippets" / name).touch()
    assert chapters(tmp_path) == ["coins", "dice"]
    assert {"index", "variance", "your-model"} <= {*chapters(PROJECT.root)}


@pytest.mark.long
def test_without_a_test_it_goes_unnoticed():
    found = unnoticed("variance", "tests/variance/test_square.py")
    assert any("{= bias.sd[8] :.2f }: +0.01 goes unnoticed, no test reads it" in x for x in found)
    assert not any("{= square.total" in line for line in found)
