"""The Markdown: no example that is shown and never run, no chapter without its code and its test.

pytest-codeblocks collects a block only where the line begins with backticks and the info string is
exactly `python` (or `sh`, `bash`). Any other spelling is skipped without a word, so it is an error
here, with the page, the line and the mend.
"""

import ast
import io
import re
import shutil
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from pytest_codeblocks import extract_from_buffer

from weave.embeds import glossary
from weave.project import Project

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
TESTED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"][
    "ini_options"
]["testpaths"]

# --- examples --------------------------------------------------------------------------------

OPENING = re.compile(
    r"^[ \t]*(?P<within>(?:>[ \t]*|[-*+][ \t]+|\d+[.)][ \t]+)*)(?P<ticks>`{3,}|~{3,})(?P<info>.*)$"
)
PYTHON = re.compile(r"[\s{.]*(?:i?python|py|pycon)\d*(?![\w-])", re.IGNORECASE)
DIRECTIVE = re.compile(r"<!--[-\s]*pytest-codeblocks:(?P<keyword>.*)-->")
OUTPUT = {"expected-output", "expected-output-ignore-whitespace"}


def problems(text: str, collected: bool = True) -> list[tuple[int, str]]:
    """List what pytest-codeblocks would pass over in a page, as (line, what is wrong).

    Args:
        text: the page's Markdown.
        collected: whether pytest collects this page at all.
    """
    found = []
    lines = text.splitlines()
    latest = None  # the info string of the block that a directive would refer to
    pending = None  # the directive that waits for its block
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        here = number
        fence = OPENING.match(line)
        if not fence:
            if pending and line.strip():
                found.append(
                    (here, f"'{pending}' takes the next fence, so put it directly above it")
                )
                pending = None
            if "pytest.mark" in line and "<!--" in line:
                found.append((here, "a mark keeps an example from being run: take it away"))
            elif "<!--" in line and re.search(r"code-?blocks?\b", line):
                directive = DIRECTIVE.match(line.strip())
                keyword = directive["keyword"].strip("- ") if directive else None
                if keyword in OUTPUT or keyword == "cont":
                    if latest != "python":
                        found.append((here, f"'{keyword}' needs a ```python block before it"))
                    pending = keyword
                elif keyword is None:
                    found.append((here, "write <!--pytest-codeblocks:…--> alone on its line"))
                else:
                    found.append((here, f"'{keyword}' keeps an example from being run"))
            continue

        ticks, info = fence["ticks"], fence["info"]
        if ticks[0] == "`" and "`" in info:
            found.append(
                (here, "a line of text must not begin with ```: pytest takes it for a block")
            )
            continue
        if ticks[0] == "~":
            found.append((here, "~~~ is never run: write ```"))
        elif PYTHON.match(info):
            if fence["within"]:
                found.append(
                    (here, f"a block after '{fence['within'].strip()}' is never run: move it")
                )
            elif info.rstrip() != "python":
                found.append((here, f"```{info} is never run: write ```python and nothing else"))
            elif not collected:
                found.append(
                    (here, "pytest does not collect this file, so the example is never run")
                )
        elif info.strip() in {"sh", "bash"}:
            found.append((here, f"pytest would run a ```{info.strip()} block: write ```shell"))
        elif not info.strip() and pending not in OUTPUT:
            found.append((here, "say what the block is: ```python is run, ```text is not"))
        if pending in OUTPUT and PYTHON.match(info):
            found.append((here, f"'{pending}' takes this example for the output"))
        if pending == "cont" and info.rstrip() != "python":
            found.append((here, "'cont' continues with a ```python block"))
        if pending is None and not fence["within"] and ticks[0] == "`":
            latest = info.strip()
        pending = None

        while number < len(lines) and not lines[number].lstrip("> \t").startswith(ticks):
            number += 1
        if number == len(lines):
            found.append((here, "the block has no end"))
        elif lines[number].lstrip("> \t").strip(ticks[0] + " \t"):
            found.append((number + 1, f"the block of line {here} ends here: write a bare {ticks}"))
        number += 1
    if pending:
        found.append((len(lines), f"'{pending}' has no block after it"))
    return found


PRINTS = "```python\nprint(1)\n```\n"
EXPECTS = "<!--pytest-codeblocks:expected-output-->\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_example_of_a_page_is_run(page):
    name = page.relative_to(ROOT)
    collected = name.as_posix() in TESTED or name.parts[0] in TESTED
    found = problems(page.read_text("utf-8"), collected)
    assert not found, "\n".join(f"{name}:{line}: {problem}" for line, problem in found)


def run_by_pytest(text):
    """List the Python blocks that pytest-codeblocks itself finds in a page."""
    blocks = extract_from_buffer(io.StringIO(text))
    return [block for block in blocks if block.syntax == "python"]


@pytest.mark.parametrize(
    "opening",
    [
        "```py",
        "```Python",
        "```python3",
        "```pycon",
        "``` python",
        '```python title="spread.py"',
        "```python hl_lines=1",
        "```python {.annotate}",
        "```{.python}",
        "``` {.python .annotate}",
        "~~~python",
    ],
)
def test_a_spelling_that_is_never_run_is_an_error(opening):
    mark = "~~~" if opening.startswith("~") else "```"
    text = f"Text.\n\n{opening}\nprint(1)\n{mark}\n"
    assert [line for line, _ in problems(text)] == [3]
    assert not run_by_pytest(text)  # the reason for the rule


def test_an_example_in_a_quotation_is_never_run():
    text = "> ```python\n> print(1)\n> ```\n"
    assert [line for line, _ in problems(text)] == [1]
    assert not run_by_pytest(text)


@pytest.mark.parametrize("item", ["- ", "1. "])
def test_an_example_on_the_line_of_a_list_s_mark_is_never_run(item):
    text = f"{item}```python\n    print(1)\n    ```\n"
    assert [line for line, _ in problems(text)] == [1]
    with pytest.raises(RuntimeError, match="end-of-file"):  # it takes the end for a beginning
        run_by_pytest(text)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("```sh\nmake serve\n```\n", 1, "shell"),
        ("```\nx\n```\n", 1, "```text"),
        ("```python\nprint(1)\n", 1, "no end"),
        ("```text\na\n```python\nprint(1)\n```\n", 3, "line 1"),
        ("```x``` is code.\n\n" + PRINTS, 1, "begin"),
        ("```text\n1\n```\n" + EXPECTS + "```text\n1\n```\n", 4, "before it"),
        (EXPECTS + "```text\n1\n```\n", 1, "before it"),
        (PRINTS + EXPECTS, 4, "after it"),
        (PRINTS + EXPECTS + "It prints\n\n```text\n1\n```\n", 5, "directly above"),
        (PRINTS + EXPECTS + PRINTS, 5, "for the output"),
        ("```text\n1\n```\n<!--pytest-codeblocks:cont-->\n" + PRINTS, 4, "before it"),
        (PRINTS + "<!--pytest-codeblocks:cont-->\n```text\n1\n```\n", 5, "continues"),
        (PRINTS + "<!-- pytest-codeblock:expected-output -->\n```text\n2\n```\n", 4, "alone"),
        (PRINTS + "See <!--pytest-codeblocks:cont-->\n" + PRINTS, 4, "alone"),
        ("<!--pytest-codeblocks:skipfile-->\n" + PRINTS, 1, "from being run"),
        ("<!--pytest-codeblocks:importorskip(torch)-->\n" + PRINTS, 1, "from being run"),
        ("<!--pytest.mark.skip-->\n" + PRINTS, 1, "from being run"),
        ("<!--pytest.mark.xfail-->\n" + PRINTS, 1, "from being run"),
    ],
)
def test_what_else_goes_unchecked_is_an_error(text, line, word):
    where, problem = problems(text)[0]
    assert where == line
    assert word in problem


@pytest.mark.parametrize(
    "text",
    [
        PRINTS,
        "```python \nprint(1)\n```\n",
        "````python\nprint('```')\n````\n",
        '!!! example "Try it"\n\n    ```python\n    print(1)\n    ```\n',
        "- An item\n\n    ```python\n    print(1)\n    ```\n",
        PRINTS + "\n" + EXPECTS + "\n```text\n1\n```\n",
        PRINTS + EXPECTS + "```\n1\n```\n",
        PRINTS + EXPECTS + "```text\n1\n```\n\n<!--pytest-codeblocks:cont-->\n" + PRINTS,
        PRINTS + "<!-- pytest-codeblocks:cont -->\n\n" + PRINTS,
    ],
)
def test_what_is_run_passes(text):
    assert problems(text) == []
    (block,) = run_by_pytest(text)
    assert "print(" in block.code
    assert (block.expected_output is not None) == ("expected-output" in text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Prose with `code`.\n",
        "```text\n1\n```\n",
        "```shell\nmake\n```\n",
        "<!-- a note -->\n",
        "````markdown\n```py\nnever run, and shown as Markdown\n```\n````\n",
    ],
)
def test_what_is_no_example_passes(text):
    assert problems(text) == []
    assert not run_by_pytest(text)


def test_a_page_that_pytest_does_not_collect_has_no_example():
    assert problems(PRINTS, collected=False)[0][0] == 1
    assert problems("```text\n1\n```\n", collected=False) == []


# --- one stem, three places -------------------------------------------------------------------

EMBEDDED = re.compile(
    r"^[ \t]*:::[ \t]+(?:(?:explore|picture)[ \t]+)?([\w-]+)[/ \t]([\w-]+)", re.MULTILINE
)
SHOWN = re.compile(r"^([ \t]*)(`{3,})[^`\n]*\n.*?^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)


def orphans(root: Path) -> list[str]:
    """List what lacks its counterpart among docs/, snippets/ and tests/.

    A folder of snippets has a page and a folder of tests of its name. Pages show each script that
    has `# %%` cells once in all, and a test file has its name; one that only says something of the
    others is neither shown nor tested. A script without cells is there for others of the folder to
    import, or is one that `make measure` runs. Each claim of a ledger has a test of its own.
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
        if not page.is_file():
            found.append(f"snippets/{stem} has no docs/{stem}.md")
            continue
        shown = Counter(name for where, name in embedded if where == stem)
        imported = {name for code in scripts.values() for name in imports(code)}
        for name, code in sorted(scripts.items()):
            if re.search(r"^# %%(?! says)", code, re.MULTILINE):
                if not (root / f"tests/{stem}/test_{name}.py").is_file() and stem != "claims":
                    found.append(f"snippets/{stem}/{name}.py has no tests/{stem}/test_{name}.py")
                if shown[name] != 1:
                    found.append(f"pages show {stem}/{name} {shown[name]} times, not once")
            elif name != "says" and name not in imported and not name.startswith("measure"):
                found.append(f"snippets/{stem}/{name}.py has no cells and nothing imports it")
    return found


def imports(code: str) -> set[str]:
    """Name the modules that a script imports."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


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
        "snippets/law/says.py": '"""Says."""\n\n# %% says\nimport spread\n',
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path


def test_a_whole_chapter_passes(chapter):
    assert orphans(chapter) == []
    (chapter / "snippets/law/measure_heads.py").write_text("x = 1\n", "utf-8")
    assert orphans(chapter) == []


@pytest.mark.parametrize(
    ("path", "text", "word"),
    [
        ("docs/law.md", None, "no docs/law.md"),
        ("tests/law/test_spread.py", None, "no tests/law/test_spread.py"),
        ("docs/law.md", "# Law\n", "0 times"),
        ("docs/law.md", "::: law/spread\n\n::: law/spread\n", "2 times"),
        ("snippets/law/other.py", "# %%\n", "law/other 0 times"),
        ("snippets/law/other.py", "x = 1\n", "nothing imports it"),
    ],
)
def test_a_missing_counterpart_is_named(chapter, path, text, word):
    if text is None:
        (chapter / path).unlink()
    else:
        (chapter / path).write_text(text, "utf-8")
    assert word in orphans(chapter)[-1]


def unused_words(root: Path) -> list[str]:
    """Name the words of the glossary that no other page uses."""
    pages = [page for page in root.glob("docs/*.md") if page.name != glossary.PAGE]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    terms = glossary.terms(Project(root), "")
    return [term.name for term in terms.values() if not re.search(term.pattern, text)]


def test_every_word_of_the_glossary_is_used():
    assert unused_words(ROOT) == []


def test_a_word_that_no_page_uses_is_named(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/glossary.md").write_text("Query\n:   A vector.\n\nKey\n:   A vector.\n")
    (tmp_path / "docs/law.md").write_text("Two queries, and a monkey.\n")
    assert unused_words(tmp_path) == ["Key"]


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
