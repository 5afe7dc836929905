"""The Markdown: no example that is shown and never run, no chapter without its code and its test.

A build says of a page what is wrong with its blocks; here are the files too of which none is built.
"""

import io
import re
import shutil
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from pytest_codeblocks import extract_from_buffer

from tests.imports import imports
from weave.embeds import glossary
from weave.embeds.blocks import LANGUAGES, OUTPUT, flaws
from weave.project import Project

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
TESTED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"][
    "ini_options"
]["testpaths"]

# --- examples --------------------------------------------------------------------------------


def problems(text: str, languages: set[str] = LANGUAGES) -> list[tuple[int, str]]:
    """List what is wrong with the blocks of a file."""
    return [*flaws(text, languages)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_example_of_a_page_is_run(page):
    name = page.relative_to(ROOT)
    collected = name.as_posix() in TESTED or name.parts[0] in TESTED
    found = problems(page.read_text("utf-8"), LANGUAGES if collected else LANGUAGES - {"python"})
    assert not found, "\n".join(f"{name}:{line}: {problem}" for line, problem in found)


def run_by_pytest(text):
    """List the Python blocks that pytest-codeblocks itself finds in a page."""
    blocks = extract_from_buffer(io.StringIO(text))
    return [block for block in blocks if block.syntax == "python"]


@pytest.mark.parametrize(
    "opening", ["```py", "```Python", "``` python", '```python title="a.py"', "```{.python}"]
)
def test_a_spelling_that_is_never_run_is_an_error(opening):
    text = f"Text.\n\n{opening}\nprint(1)\n```\n"
    assert [line for line, _ in problems(text)] == [3]
    assert not run_by_pytest(text)  # the reason for the rule


PRINTS = "```python\nprint(1)\n```\n"


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("~~~python\nprint(1)\n~~~\n", 1, "alone"),
        ("> ```python\n> print(1)\n> ```\n", 1, "alone"),
        ("- ```python\n  print(1)\n  ```\n", 1, "alone"),
        ("```sh\nmake serve\n```\n", 1, "shell"),
        ("```python\nprint(1)\n", 1, "no end"),
        ("```text\na\n```python\nprint(1)\n```\n", 1, "no end before line 3"),
        ("    ```text\n    a\n  b\n    ```\n", 1, "no end before line 3, which is indented"),
        ("    ```text\n    a\n```\n", 1, "no end before line 3, '```'"),
        (f"{OUTPUT}\n```text\n1\n```\n", 1, "before it"),
        (f"{PRINTS}{OUTPUT}\n", 4, "has to follow"),
        (f"{PRINTS}{OUTPUT}\nIt prints\n\n```text\n1\n```\n", 5, "directly above"),
        (f"{PRINTS}{OUTPUT}\n{PRINTS}", 5, "for the output"),
        (f"<!-- pytest-codeblock:expected-output -->\n{PRINTS}", 1, "nothing else"),
        (f"<!--pytest-codeblocks:cont-->\n{PRINTS}", 1, "nothing else"),
        (f"<!--pytest.mark.skip-->\n{PRINTS}", 1, "nothing else"),
    ],
)
def test_what_else_goes_unchecked_is_an_error(text, line, word):
    [(where, problem)] = problems(text)
    assert where == line
    assert word in problem


@pytest.mark.parametrize(
    "text",
    [
        PRINTS,
        "- An item\n\n    ```python\n    print(1)\n    ```\n",
        f"````markdown\n```py\n1\n```\n````\n\n{PRINTS}\n{OUTPUT}\n\n```text\n1\n```\n",
    ],
)
def test_what_is_run_passes(text):
    assert problems(text) == []
    (block,) = run_by_pytest(text)
    assert block.expected_output == ("1\n" if OUTPUT in text else None)
    assert problems(text, LANGUAGES - {"python"})


# --- one stem, three places -------------------------------------------------------------------

EMBEDDED = re.compile(
    r"^[ \t]*:::[ \t]+(?:(?:explore|picture)[ \t]+)?([\w-]+)[/ \t]([\w-]+)", re.MULTILINE
)
SHOWN = re.compile(r"^([ \t]*)(`{3,})[^`\n]*\n.*?^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)


def orphans(root: Path) -> list[str]:
    """List what lacks its counterpart among docs/, snippets/ and tests/.

    A folder of snippets has a page and a folder of tests of its name. Pages show each script that
    has `# %%` cells once in all, and a test file has its name. A script without cells is there for
    others of the folder to import, or is one that `make measure` runs. Each claim of a ledger has a
    test of its own.
    """
    found = []
    pages = [SHOWN.sub("", page.read_text("utf-8")) for page in (root / "docs").glob("*.md")]
    embedded = [each for text in pages for each in EMBEDDED.findall(text)]
    for folder in sorted(path for path in (root / "snippets").iterdir() if path.is_dir()):
        scripts = {path.stem: path.read_text("utf-8") for path in folder.glob("*.py")}
        if not scripts:
            continue
        stem = folder.name
        page = root / "docs" / f"{stem}.md"
        if not (root / "tests" / stem).is_dir():
            found.append(f"snippets/{stem} has no tests/{stem}/")
        if stem == "common":  # modules for every chapter
            continue
        if not page.is_file():
            found.append(f"snippets/{stem} has no docs/{stem}.md")
            continue
        shown = Counter(name for where, name in embedded if where == stem)
        imported = {name for code in scripts.values() for _, name in imports(code)}
        for name, code in sorted(scripts.items()):
            if re.search(r"^# %%", code, re.MULTILINE):
                test = f"tests/{stem}/test_{re.sub('picture_.*', 'pictures', name)}.py"
                if not (root / test).is_file() and stem != "claims":
                    found.append(f"snippets/{stem}/{name}.py has no {test}")
                if shown[name] != 1:
                    found.append(f"pages show {stem}/{name} {shown[name]} times, not once")
            elif name not in imported and not name.startswith("measure"):
                found.append(f"snippets/{stem}/{name}.py has no cells and nothing imports it")
    return found


def test_every_chapter_has_its_snippets_and_its_test():
    assert orphans(ROOT) == []


@pytest.fixture
def chapter(tmp_path):
    """A small project in which nothing is missing."""
    for path, text in {
        "docs/law.md": "# Law\n\n::: law/spread\n\n````markdown\n::: law/spread\n````\n",
        "snippets/law/spread.py": '"""Spread."""\n\n# %%\nimport shared\n',
        "snippets/law/shared.py": '"""Shared."""\n',
        "tests/law/test_spread.py": "",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "text", "word"),
    [
        ("snippets/law/measure_heads.py", "x = 1\n", None),
        ("docs/law.md", None, "no docs/law.md"),
        ("tests/law/test_spread.py", None, "no tests/law/test_spread.py"),
        ("docs/law.md", "::: law/spread\n\n::: law/spread\n", "2 times"),
        ("snippets/law/other.py", "# %%\n", "law/other 0 times"),
        ("snippets/law/other.py", "x = 1\n", "nothing imports it"),
    ],
)
def test_a_missing_counterpart_is_named(chapter, path, text, word):
    assert orphans(chapter) == []
    if text is None:
        (chapter / path).unlink()
    else:
        (chapter / path).write_text(text, "utf-8")
    assert word in orphans(chapter)[-1] if word else orphans(chapter) == []


def to_do(root: Path) -> list[str]:
    """List the lines of chapters that are still to be written, as `make figure` leaves them."""
    found = []
    for page in sorted((root / "docs").glob("*.md")):
        files = [page, *(root / "snippets" / page.stem).glob("*.py")]
        for file in [*files, *(root / "tests" / page.stem).glob("*.py")]:
            for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
                if "TODO" in line:
                    found.append(f"{file.relative_to(root).as_posix()}:{number}: {line.strip()}")
    return found


def test_nothing_is_left_to_write():
    found = to_do(ROOT)
    assert not found, "write these, or take them out:\n" + "\n".join(found)


def test_what_is_left_to_write_is_named(chapter):
    assert to_do(chapter) == []
    for file in ("docs/law.md", "snippets/law/shared.py", "tests/law/test_spread.py"):
        with (chapter / file).open("a", encoding="utf-8") as opened:
            opened.write("TODO: this\n")
    lines = ["docs/law.md:8", "snippets/law/shared.py:2", "tests/law/test_spread.py:1"]
    assert to_do(chapter) == [f"{line}: TODO: this" for line in lines]


def test_every_word_of_the_glossary_is_used():
    pages = [page for page in ROOT.glob("docs/*.md") if page.name != glossary.PAGE]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    terms = glossary.terms(Project(ROOT), "").values()
    assert terms
    assert [term.name for term in terms if not re.search(term.pattern, text)] == []


PAPERS = ("README.md", "CONTRIBUTING.md", "STYLE.md", "weave/README.md")


@pytest.mark.skipif(not shutil.which("make"), reason="no make")
def test_make_knows_every_target_that_is_named_and_passes_on_what_it_is_given():
    text = "".join((ROOT / name).read_text("utf-8") for name in PAPERS)
    named = re.findall(
        r"(?:^|`)make ([a-z]+)(?: ARGS=(?:\"([^\"]+)\"|([^`\s]+)))?", text, re.MULTILINE
    )
    assert len(named) > 20
    for target, quoted, bare in {*named, ("test", "-k 'two words'", "")}:
        given = quoted or bare
        command = ["make", "-n", target, f"ARGS={given}"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert not run.returncode, run.stderr
        assert given in run.stdout, f"make {target} ignores ARGS"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no repository")
def test_no_file_of_the_repository_leads_elsewhere():
    """What a symbolic link leads to would be published."""
    command = ["git", "ls-files", "--stage"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    modes = {line.split()[0] for line in run.stdout.splitlines()}
    assert modes == {"100644", "100755"}
