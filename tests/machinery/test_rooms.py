"""The machinery stays a house of few rooms, with no way back up."""

import re
from pathlib import Path

import pytest

import weave

HOUSE = Path(weave.__file__).parent
ORDER = re.findall(r"^    ([a-z]+) {2,}\S", (weave.__doc__ or "").partition("The rooms")[2], re.M)
pytestmark = pytest.mark.alone
FILES = sorted(HOUSE.rglob("*.py"))
IMPORT = re.compile(r"^\s*(?:from|import) weave\.(\w+)", re.MULTILINE)


def room(file: Path) -> str:
    return file.relative_to(HOUSE).parts[0].removesuffix(".py")


def backwards(name: str, code: str) -> list[str]:
    """List the rooms that code asks for though they come after its own."""
    return [asked for asked in IMPORT.findall(code) if ORDER.index(asked) > ORDER.index(name)]


def test_the_top_floor_has_few_entries_which_its_docstring_names():
    entries = {path.name.removesuffix(".py") for path in HOUSE.iterdir()}
    assert entries - {"__init__", "__pycache__", "README.md"} == {*ORDER}
    assert len(ORDER) <= 7


def for_pages_alone(run: str, others: str) -> list[str]:
    """List what is defined in the code of weave/run/ and used by nothing that runs snippets."""
    defined = re.findall(r"^(?:def|class) (\w+)", run, re.MULTILINE)
    return [name for name in defined if len(re.findall(rf"\b{name}\b", run + others)) < 2]


def test_nothing_in_weave_run_serves_pages_only():
    """An edit there runs every snippet again."""
    run = "\n".join(file.read_text("utf-8") for file in FILES if room(file) == "run")
    project = (HOUSE / "project.py").read_text("utf-8")
    assert for_pages_alone(run, project) == []
    assert for_pages_alone("def subset(): pass\ndef run(): pass\n", "run()") == ["subset"]


def test_a_room_knows_none_that_comes_after_it():
    for file in FILES:
        if file.parent != HOUSE or file.stem != "__init__":
            assert backwards(room(file), file.read_text("utf-8")) == [], file
    assert backwards("text", "from weave.run import a\nfrom weave.pages.plain import b") == [
        "pages"
    ]
