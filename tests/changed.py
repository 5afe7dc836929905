"""Which tests belong to files that have changed: for `make check`, and for `pytest --changed`.

What a test imports or names belongs to it, and that is found. What else belongs together is in
BELONGS. It is a choice: what is likely to fail because of a change, and takes minutes at most. CI
runs everything.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.imports import modules
from weave.basics.changes import changed_files

EXPLORABLES = " ".join(
    f"tests/site/test_{what}.py[{{name}}]"
    for what in ("explorables", "dragging", "holding", "states", "lines")
)
PAGE = (
    "tests/site/test_every_page.py[{page}] tests/site/test_plain.py[{page}]"
    " tests/site/test_reading.py[{page}] tests/site/test_weight.py[{page}]"
)
# By file the tests that are tried for it. What stands in braces is one part of a path, and the same
# in both; `*` is any. Of a test file with `[page]` those tests are tried that are given this page.
# What needs none: NO_TEST in tests/tools/test_check.py.
BELONGS = {
    # What readers read.
    "docs/{page}.md": "docs/{page}.md tests/text/test_pages.py tests/text/test_formulas.py"
    " tests/claims/test_quoted.py tests/site/test_links.py tests/site/test_picture.py[{page}] "
    + PAGE,
    "docs/questions*.md": "tests/site/test_search.py tests/questions/test_answers.py",
    "docs/claims.md": "tests/site/test_claims.py",
    "docs/labs/{lab}.ipynb": "tests/labs/test_labs.py[{lab}] tests/site/test_labs.py[{lab}] "
    + PAGE.replace("{page}", "labs/{lab}"),
    "docs/assets/javascripts/why-{name}.js": EXPLORABLES,
    "docs/assets/javascripts/explorable.js": "tests/site/test_explorables.py"
    " tests/site/test_dragging.py tests/site/test_holding.py tests/site/test_states.py"
    " tests/site/test_lines.py tests/site/test_axes.py",
    "docs/assets/javascripts/*": "tests/machinery/test_assets.py tests/site/test_policy.py"
    " tests/site/test_weight.py",
    "docs/assets/javascripts/{script}.js": "tests/site/test_{script}.py",
    "docs/assets/javascripts/copy.js": "tests/site/test_dragging.py tests/site/test_reading.py",
    "docs/assets/javascripts/number.js": "tests/site/test_reading.py",
    "docs/assets/javascripts/access.js": "tests/site/test_accessibility.py",
    "docs/assets/javascripts/slides.js": "tests/site/test_take.py",
    "docs/assets/javascripts/find.js": "tests/site/test_search.py tests/site/test_reading.py",
    "docs/assets/javascripts/unfold.js": "tests/site/test_folds.py tests/site/test_reading.py",
    "docs/assets/stylesheets/*": "tests/machinery/test_assets.py tests/tools/test_colours.py"
    " tests/site/test_every_page.py tests/site/test_accessibility.py tests/site/test_weight.py"
    " tests/site/test_holding.py::test_no_word_is_cut_and_none_is_wrong",
    "docs/assets/cards/*": "tests/site/test_picture.py",
    "docs/assets/*.png": "tests/site/test_picture.py",
    "docs/assets/*.svg": "tests/site/test_every_page.py",
    "overrides/*": "tests/site/test_every_page.py tests/site/test_policy.py"
    " tests/site/test_reading.py tests/site/test_accessibility.py",
    "mkdocs.yml": "tests/text/test_pages.py tests/site/test_links.py tests/site/test_policy.py"
    " tests/site/test_picture.py",
    "{manual}.md": "{manual}.md tests/text/test_pages.py",
    "{folder}/README.md": "tests/text/test_pages.py",
    # What is computed.
    "snippets/{chapter}/{name}.py": "tests/{chapter}/test_{name}.py tests/text/test_pages.py"
    " tests/text/test_snippets.py",
    "snippets/claims/*": "tests/claims",
    "snippets/your-model/*": "tests/your-model",
    "check_attention/*": "tests/check_attention tests/your-model",
    "tests/check_attention/strangers/*": "tests/check_attention/test_strangers.py",
    "proofs/*": "tests/proofs",
    # What is tried, and by which tests.
    "tests/{folder}/{name}.py": "tests/{folder}/{name}.py tests/text/test_pages.py",
    "tests/{folder}/conftest.py": "tests/{folder}",
    "tests/claims/*": "tests/claims",
    "tests/labs/{lab}.py": "tests/labs/test_labs.py[{lab}]",
    "tests/site/explorables/{name}.py": EXPLORABLES,
    "tests/site/queries.csv": "tests/site/test_search.py",
    "tests/site/addresses.txt": "tests/site/test_links.py",
    "tests/site/bad.html": "tests/site/test_every_page.py",
    "tests/text/*": "tests/text",
    "conftest.py": "tests/tools/test_make_test.py",
    "tests/conftest.py": "tests/text tests/variance",
    "tests/imports.py": "tests/text tests/machinery/test_rooms.py",
    # The machinery.
    "weave/*": "tests/machinery/test_faults.py tests/machinery/test_rooms.py",
    "weave/{room}/{name}.py": "tests/machinery/test_{name}.py",
    "weave/project.py": "tests/machinery/test_pages_kept.py tests/machinery/test_live.py",
    "weave/basics/errors.py": "tests/machinery/test_page.py",
    "weave/run/*": "tests/machinery/test_snippet.py tests/machinery/test_figure.py"
    " tests/machinery/test_runner.py tests/machinery/test_lab.py",
    "weave/text/*": "tests/machinery/test_prose.py tests/text/test_altered.py",
    "weave/embeds/*": "tests/machinery/test_page.py tests/machinery/test_embeds.py",
    "weave/embeds/bibliography.py": "tests/machinery/test_references.py",
    "weave/embeds/blocks.py": "tests/text/test_pages.py",
    "weave/engines/*": "tests/machinery/test_page.py tests/machinery/test_pages_kept.py"
    " tests/machinery/test_serve.py tests/machinery/test_live.py",
    "weave/engines/live.*": "tests/site/test_live.py",
    "weave/pages/*": "tests/machinery/test_finish.py tests/machinery/test_published.py"
    " tests/site/test_take.py tests/site/test_links.py",
    "weave/pages/finish.py": "tests/site/test_policy.py tests/site/test_folds.py"
    " tests/site/test_weight.py",
    "weave/pages/plain.py": "tests/site/test_plain.py",
    "weave/pages/lab.py": "tests/site/test_labs.py",
    "weave/pages/old_addresses.py": "tests/site/test_moved.py",
    "weave/pages/search.py": "tests/site/test_search.py",
    "weave/pages/wheel.py": "tests/check_attention/test_installed.py",
    # What is around it.
    "tools/{name}.py": "tests/tools/test_{name}.py",
    "editions/*": "tests/site/test_picture.py",
    "Makefile": "tests/tools",
    "pyproject.toml": "tests/tools tests/text/test_snippets.py",
    "*requirements*": "tests/tools/test_locks.py",
    "*.lock": "tests/tools/test_locks.py",
    ".ci/*.txt": "tests/tools/test_locks.py",
    ".github/workflows/*": "tests/tools/test_locks.py",
}
NAMED = re.compile(r"\{(\w+)\}")
READS = re.compile(r"""["'](?:[\w-]+/)?([\w.-]+\.(?:csv|npz|txt|json))["']""")

Chosen = dict[str, set[str]]  # by test file or folder, what its tests are given; of nothing, all


def chosen_tests(root: Path, files: Iterable[str]) -> dict[str, Chosen]:
    """Give by file the tests that belong to it.

    Args:
        root: the project's folder.
        files: those that have changed, relative to it.
    """
    return {file: tests_of(root, file) for file in sorted(files)}


def tests_of(root: Path, file: str) -> Chosen:
    """Give the tests that belong to a file."""
    chosen: Chosen = {}
    for other in [file, *related(root, file)]:
        for pattern, tests in BELONGS.items():
            if found := as_expression(pattern).fullmatch(other):
                for written in tests.format(**found.groupdict()).split():
                    test, _, given = written.removesuffix("]").partition("[")
                    if is_there(root, test):
                        choose(chosen, test, {given} if given else set())
        for test in tests_that_name(root, other):
            choose(chosen, test, set())
    for test in tests_that_import(root, file):
        choose(chosen, test, set())
    return chosen


def choose(chosen: Chosen, test: str, given: set[str]) -> None:
    """Add to what is chosen a test file, or those of its tests that are given something."""
    is_whole = test in chosen and not chosen[test]
    chosen[test] = chosen.get(test, set()) | given if given and not is_whole else set()


def together(several: Iterable[Chosen]) -> Chosen:
    """Give what is chosen for several files as what is to be run."""
    chosen: Chosen = {}
    for each in several:
        for test, given in each.items():
            choose(chosen, test, given)
    whole = {test for test, given in chosen.items() if not given}
    return {test: chosen[test] for test in sorted(chosen) if whole.isdisjoint(parts_above(test))}


def parts_above(test: str) -> Iterator[str]:
    """Yield the file of a single test, and the folders in which it lies."""
    file, _, name = test.partition("::")
    if name:
        yield file
    yield from (folder.as_posix() for folder in Path(file).parents)


def is_there(root: Path, test: str) -> bool:
    """Tell whether pytest finds a test there: in a folder, a file of tests, a page's examples."""
    path = root / test.partition("::")[0]
    if path.suffix == ".py":
        return path.name.startswith("test_") and path.is_file()
    if path.suffix == ".md":
        return path.is_file() and "```python\n" in text_of(root, test)
    return path.is_dir()


@cache
def as_expression(pattern: str) -> re.Pattern[str]:
    """Read a pattern such as BELONGS has."""
    parts = re.split(r"(\{\w+\}|\*)", pattern)
    for i, part in enumerate(parts):
        named = NAMED.fullmatch(part)
        parts[i] = f"(?P<{named[1]}>[^/]+)" if named else ".*" if part == "*" else re.escape(part)
    return re.compile("".join(parts))


def is_given(identity: str, given: set[str]) -> bool:
    """Tell whether a test is given one of some pages, labs or explorables.

    Args:
        identity: what stands in brackets after its name, such as `docs/variance.md`.
        given: such as `variance`; of nothing, any.
    """
    names = "|".join(map(re.escape, given))
    form = rf"(?:.*-)?(?:docs/)?(?:{names})(?:\.md|\.ipynb|/)?(?:-.*)?"
    return not given or bool(re.fullmatch(form, identity))


def related(root: Path, file: str) -> list[str]:
    """Give the files that are tried when a file has changed: what reads it, and explorables."""
    scripts = scripts_that_read(root, file)
    explorables = []
    for script in [file, *scripts]:
        test = f"tests/site/explorables/{Path(script).stem}.py"
        if script.startswith("snippets/") and (root / test).is_file():
            explorables.append(test)
    return scripts + explorables


def scripts_that_read(root: Path, file: str) -> list[str]:
    """Give the snippets that import a module or read a table, and those that import these."""
    if not file.startswith("snippets/"):
        return []
    found, left = [], [file]
    while left:
        folder, _, name = left.pop().rpartition("/")
        for_all = folder == "snippets/common"
        for script in scripts(root, "snippets/*/*.py"):
            is_beside = for_all or script.startswith(f"{folder}/")
            needed = name in tables_of(root, script) or (
                is_beside and name.removesuffix(".py") in imports_of(root, script)
            )
            if needed and script not in (file, *found):
                found.append(script)
                left.append(script)
    return found


def tests_that_import(root: Path, file: str) -> list[str]:
    """Give the tests that import a module of ours, themselves or by another module of tests."""
    if not file.endswith(".py") or file.startswith("snippets/"):
        return []
    found, left = [], [file]
    while left:
        module = left.pop().removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        for test in scripts(root, "tests/*/*.py"):
            if test not in found and module in imports_of(root, test):
                found.append(test)
                if "/test_" not in test and not test.endswith("/conftest.py"):
                    left.append(test)
    return [test for test in found if is_there(root, test)]


def tests_that_name(root: Path, file: str) -> list[str]:
    """Give the tests of chapters that ask for a snippet or a table by its name."""
    if not file.startswith("snippets/"):
        return []
    names = [file.removeprefix("snippets/").removesuffix(".py")]
    if not file.endswith(".py"):
        names.append(file.rpartition("/")[2])  # by a test of its own chapter
    # Elsewhere a name is an example.
    tests = [test for test in scripts(root, "tests/*/test_*.py") if is_of_chapter(root, test)]
    return [test for test in tests if any(f'"{name}"' in text_of(root, test) for name in names)]


def is_of_chapter(root: Path, test: str) -> bool:
    """Tell whether a test is of a chapter's snippets."""
    return (root / "snippets" / test.split("/")[1]).is_dir()


@cache  # nothing changes while tests are chosen
def scripts(root: Path, pattern: str) -> list[str]:
    """Name the scripts that fit a pattern."""
    return sorted(path.relative_to(root).as_posix() for path in root.glob(pattern))


@cache
def text_of(root: Path, file: str) -> str:
    """Read a file."""
    return (root / file).read_text("utf-8", "replace")


@cache
def tables_of(root: Path, script: str) -> set[str]:
    """Give the names of the tables that a script may read."""
    return {*READS.findall(text_of(root, script))}


@cache
def imports_of(root: Path, script: str) -> set[str]:
    """Name the modules that a script imports."""
    try:
        return modules(text_of(root, script))
    except SyntaxError:  # said where it is run
        return set()


def chosen_by(option: str, root: Path) -> Chosen:
    """Give the tests that `pytest --changed` runs.

    Args:
        option: files, with commas or line ends between them, or nothing: those that differ from the
            main branch.
        root: the project's folder.
    """
    listed = option.splitlines() if "\n" in option else option.split(",")
    files = listed if option else changed_files(root)
    return together(chosen_tests(root, files).values())
