"""`make check` runs what belongs to a change: something for every file, and no more than that."""

import subprocess
from pathlib import Path

import pytest

from tests.changed import chosen_by, chosen_tests, is_given, together
from tools import check

ROOT = Path(__file__).parents[2]
# What a test of its own would be for nothing: the build, a program that makes style, or nobody.
NO_TEST = (
    ".editorconfig .gitignore .github/site.png CITATION.cff LICENSE LICENSE-docs biome.json .ci/run"
    " docs/references.bib docs/findings.md docs/references.md snippets/ruff.toml bench/*"
    " docs/labs/.ruff.toml tests/readers/* tests/check_attention/sweep.py"
)


def of(file: str) -> set[str]:
    """Give the tests that belong to one file of the project."""
    return {*chosen_by(file, ROOT)}


def test_to_every_file_something_belongs():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("there is no git")
    files = [file for file in listed.stdout.split("\n") if file and (ROOT / file).exists()]
    lonely = [file for file, tests in chosen_tests(ROOT, files).items() if not tests]
    assert [file for file in lonely if not check.matching([file], NO_TEST)] == []


@pytest.mark.parametrize(
    ("file", "belongs", "does_not"),
    [
        ("docs/variance.md", "docs/variance.md tests/text/test_pages.py", "tests/variance"),
        (
            "snippets/variance/spread.py",
            "tests/variance/test_spread.py",
            "tests/site/test_links.py",
        ),
        # A module, by what imports it; a table, by what reads it, and what that draws.
        (
            "snippets/variance/dot_product.py",
            "tests/variance/test_spread.py tests/variance/test_law.py",
            "tests/variance/test_puzzle.py",
        ),
        (
            "snippets/trained/scores.csv",
            "tests/trained/test_row.py tests/site/test_explorables.py",
            "tests/trained/test_scale.py",
        ),
        ("snippets/claims/note.py", "tests/claims", "tests/text"),
        (
            "docs/labs/variance.ipynb",
            "tests/labs/test_labs.py tests/site/test_labs.py tests/site/test_every_page.py",
            "tests/variance",
        ),
        # What is there no more: whatever it belonged to may miss it.
        ("tests/variance/test_gone.py", "tests/text/test_pages.py", "tests/variance"),
        ("weave/README.md", "tests/text/test_pages.py", "tests/machinery"),
        ("docs/assets/javascripts/why-terms.js", "tests/site/test_dragging.py", "tests/theorem"),
        ("tests/scales/draws.py", "tests/scales/test_keys.py", "tests/scales/test_formats.py"),
        (
            "weave/embeds/formula.py",
            "tests/machinery/test_formula.py",
            "tests/machinery/test_lab.py",
        ),
        ("check_attention/monitor.py", "tests/check_attention", "tests/machinery"),
    ],
)
def test_what_belongs_to_a_file(file, belongs, does_not):
    assert of(file) >= {*belongs.split()}
    assert does_not not in of(file)


def test_whatever_is_chosen_is_there_to_be_given():
    files = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/labs").glob("*.ipynb")]
    for file in files:
        for given in chosen_by(file.relative_to(ROOT).as_posix(), ROOT).values():
            assert all(is_given(name, {name}) and "]" not in name for name in given)


def test_a_name_with_a_comma_is_one_name():
    assert chosen_by("tests/tools/a,docs/variance.md\n", ROOT) == {}
    assert of("tests/tools/a,docs/variance.md") > {"docs/variance.md"}


def test_several_files_are_one_choice():
    """A part of a file of tests, or all of it; and what lies in a folder that is chosen, once."""
    parts = [{"a/b.py": {"one"}}, {"a/b.py": {"two"}, "c/d.py": {"one"}}, {"c/d.py": set()}]
    assert together(parts) == {"a/b.py": {"one", "two"}, "c/d.py": set()}
    assert together([*parts, {"a": set(), "c/d.py::e": set()}]) == {"a": set(), "c/d.py": set()}


def test_a_test_that_is_given_another_page_is_left_out():
    for identity in ("variance/", "docs/variance.md", "light-variance/", "variance"):
        assert is_given(identity, {"variance"})
    for identity in ("labs/variance/", "variance-thread", "", "scales/"):
        assert is_given(identity, {"variance"}) == (identity == "variance-thread")
    assert is_given("", set())


def test_it_says_what_it_runs_and_ends_with_what_to_mend(tmp_path, capsys, monkeypatch):
    """Of a change to two files, one of them wrong, in a repository of its own."""
    run = lambda *command: subprocess.run(["git", *command], cwd=tmp_path, check=True)  # noqa: E731
    run("init", "--quiet", "--initial-branch=main")
    who = ("-c", "user.name=someone", "-c", "user.email=someone@example.org")
    run(*who, "commit", "--quiet", "--allow-empty", "--message=first")
    (tmp_path / "tests/tools").mkdir(parents=True)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/dice.py").write_text("import os\n")
    test = tmp_path / "tests/tools/test_dice.py"
    test.write_text("def test_dice():\n    assert 1 + 1 == 2\n")
    plugin = 'def pytest_addoption(parser):\n    parser.addoption("--changed")\n'
    (tmp_path / "tests/conftest.py").write_text(plugin)
    monkeypatch.chdir(tmp_path)
    assert check.main([]) == 1
    said = capsys.readouterr().out
    assert said.index("tests/tools/test_dice.py") < said.index("FAILED  style") < said.index("mend")
    assert "F401" in said
    assert said.endswith(f"To mend before you push:\n  style: {check.FORMAT}\n")
    (tmp_path / "tools/dice.py").write_text("SIDES = 6\n")
    assert check.main([]) == 0
    assert capsys.readouterr().out.endswith("Ready to push. CI runs the rest.\n")
    test.write_text("def test_dice():\n    assert 1 + 1 == 3\n")
    assert check.main([]) == 1
