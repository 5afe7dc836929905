"""A snippet gets another name wherever it has one, and nothing else does."""

import shutil

import pytest

from tests.conftest import PROJECT
from tests.machinery.conftest import project  # noqa: F401 (a fixture)
from tools.rename import FILES, FOLDERS, carry_out, main, name_of, places_of_module, plan

pytestmark = pytest.mark.alone

PAGE = """# T

A slope of {= line.slope }, {= chapter/line.slope } and $x = {= line.slope }$; see
[the figure](#figure-line), [the script](snippets/chapter/line.py), a line. And `line.slope`.

::: chapter/line

| {= n } | {= line.of[n] } | {for n in line.of}
"""
OTHER = """# Other

It is {= chapter/line.slope }, as [there](chapter.md#figure-line); {= line.slope } is another.

::: chapter/line

See [here](#figure-chapter-line).
"""
IMPORTS = "import line\nfrom line import slope\n\nline_of = line.of  # as line.py has it\n{text}"
TEST = """from tests.chapter.test_line import x

def test_it(snippet):
    assert snippet("chapter/line").slope
"""


@pytest.fixture
def site(project, monkeypatch):  # noqa: F811
    """A site in which a snippet is named in all ways, built."""
    monkeypatch.chdir(project.root)
    for file in FILES:
        project.file(file, "`snippets/chapter/line.py`, tests/chapter/test_line.py, {= line.of }\n")
    compute = "slope = 1.5\nof = {1: 2, 3: 4}"
    project.snippet(compute)
    project.snippet(compute, name="other/line")
    uses = IMPORTS.format(text='line_text = "line.slope"')
    project.snippet(uses, name="chapter/uses", draw="")
    project.file("tests/chapter/test_line.py", TEST)
    project.file("docs/other.md", OTHER)
    return project


def html(site) -> list[str]:
    """Build without a warning; give the pages, with the old name in place of the new."""
    assert site.build(site.page).warnings == []
    pages = [site.root / f"site/{page}/index.html" for page in ("chapter", "other")]
    return [page.read_text().replace("coins", "line") for page in pages]


def test_all_that_names_a_snippet_names_it_otherwise_and_the_pages_are_the_same(site, capsys):
    site.page = PAGE
    before = html(site)
    main(["chapter/line", "snippets/chapter/coins.py"])
    said = capsys.readouterr().out
    assert "docs/chapter.md: 3, 4, 6, 8\n" in said
    assert "snippets/chapter/line.py is now snippets/chapter/coins.py\n" in said
    site.page = (site.root / "docs/chapter.md").read_text()
    assert html(site) == before
    renamed = PAGE.replace("line.slope }", "coins.slope }").replace("chapter/line", "chapter/coins")
    renamed = renamed.replace("figure-line", "figure-coins").replace("line.of", "coins.of")
    assert site.page == renamed, "and not `line.slope`, which is no quotation"
    other = (site.root / "docs/other.md").read_text()
    assert "{= line.slope } is another" in other, "of this page's own chapter"
    assert "chapter.md#figure-coins" in other
    assert "(#figure-chapter-coins)" in other
    uses = (site.root / "snippets/chapter/uses.py").read_text()
    code = "import coins\nfrom coins import slope\n\nline_of = coins.of  # as coins.py has it\n"
    assert f'{code}line_text = "line.slope"' in uses
    test = (site.root / "tests/chapter/test_coins.py").read_text()
    assert test == TEST.replace("test_line", "test_coins").replace("chapter/line", "chapter/coins")
    guide = (site.root / "STYLE.md").read_text()
    assert guide == "`snippets/chapter/coins.py`, tests/chapter/test_coins.py, {= coins.of }\n"


def test_to_another_chapter(site):
    (site.root / "snippets/chapter/uses.py").unlink()
    site.page = PAGE
    html(site)
    main(["chapter/line", "other/coins"])
    site.page = (site.root / "docs/chapter.md").read_text()
    html(site)
    assert "{= other/coins.of[n] } | {for n in other/coins.of}" in site.page
    assert "(#figure-other-coins)" in site.page
    assert "(#figure-coins)" in (site.root / "docs/other.md").read_text()


def test_what_was_moved_by_hand_is_suggested_and_the_rest_is_done(site):
    site.page = PAGE
    before = html(site)
    (site.root / "snippets/other/line.py").unlink()  # which computes the same
    (site.root / "docs/other.md").write_text("# Other\n")
    script = site.root / "snippets/chapter/line.py"
    script.rename(script.with_name("coins.py"))
    warnings = site.build(PAGE).warnings
    mend = "its code is now 'chapter/coins'; make rename FROM=chapter/line TO=chapter/coins"
    assert f"docs/chapter.md:3: no snippet 'chapter/line': {mend}" in warnings
    main(["chapter/line", "chapter/coins"])
    site.page = (site.root / "docs/chapter.md").read_text()
    assert html(site)[0] == before[0]
    assert (site.root / "tests/chapter/test_coins.py").is_file()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            "chapter/lime",
            "chapter/coins",
            "no snippets/chapter/lime.py; the nearest is chapter/line",
        ),
        ("chapter/line", "chapter/uses", "snippets/chapter/uses.py is there already"),
        ("chapter/line", "chapter/taken", "tests/chapter/test_taken.py is there already"),
        ("chapter/line", "chapter/random", "would hide Python's own 'random'"),
        ("chapter/line", "coins", "'coins' is no name of a snippet: write chapter/name"),
        ("chapter/line", "chapter/new-coins", "imports it, and 'new-coins' cannot be imported"),
        ("chapter/line", "other/coins", "uses.py imports it, so it stays in snippets/chapter"),
        ("chapter/uses", "other/uses", "it imports line, which is not in snippets/other"),
        ("chapter/line", "nowhere/coins", "there is no chapter 'nowhere'"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_changed(site, old, new, why):
    site.file("tests/chapter/test_taken.py", "")
    before = {path: path.read_bytes() for path in site.root.rglob("*.*") if path.is_file()}
    with pytest.raises(SystemExit) as end:
        main([old, new])
    assert str(end.value).startswith("Nothing is renamed: ")
    assert why in str(end.value)
    assert {path: path.read_bytes() for path in before} == before


def test_only_what_a_script_imports_is_the_module_s_name():
    code = "from a import line\nline = 1\nx.line = line\n"
    assert places_of_module(code, "line") == []
    assert places_of_module("é = 1; import line, b\nline.x = x.line\n", "line") == [(1, 15), (2, 0)]
    assert places_of_module("import line as x\nline = 2\n", "line") == [(1, 7)]


@pytest.mark.parametrize("name", ["saturation/plane", "saturation/measures", "scales/spread"])
def test_on_this_site_a_name_goes_from_everywhere_and_comes_back(tmp_path, name):
    """An explorable, a module that is imported by its name, and a name that is a common word."""
    for folder in FOLDERS:
        ignored = shutil.ignore_patterns(".*", "__pycache__", "out", "*.csv", "*.svg", "*.png")
        shutil.copytree(PROJECT.root / folder, tmp_path / folder, ignore=ignored)
    for file in FILES:
        shutil.copy(PROJECT.root / file, tmp_path / file)

    def content() -> dict[str, bytes]:
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        return {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in files}

    before, old = content(), name_of(name)
    new = name_of(f"{old.chapter}/entirely_new")
    list(carry_out(tmp_path, plan(tmp_path, old, new)))
    after = content()
    assert new.script in after
    assert old.script not in after
    marks = [f"{old}.", f"{old} ", f'{old}"', f"{old}\n", f"import {old.stem}\n"]
    if name == "saturation/plane":
        marks.append("why-plane")
    for mark in marks:
        assert not any(mark.encode() in text for text in after.values()), mark
    list(carry_out(tmp_path, plan(tmp_path, new, old)))
    assert content() == before
