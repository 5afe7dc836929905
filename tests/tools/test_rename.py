"""A snippet or a page gets another name wherever it has one, and nothing else does."""

import logging
import re
import shutil

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.conftest import PROJECT
from tests.machinery import faults
from tests.machinery.conftest import project  # noqa: F401 (a fixture)
from tools.plan import FILES, FOLDERS, MANUALS
from tools.rename import main, name_of, places_of_module, plan
from tools.rename_page import plan_for_page

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
TABLES = """
TABLE = Path("snippets") / "chapter" / "table.csv", stored_rows("chapter", "table.csv")
PAGES = {"chapter"}
"""


@pytest.fixture
def site(project, monkeypatch):  # noqa: F811
    """A site in which a snippet is named in all ways, built."""
    monkeypatch.chdir(project.root)
    for file in MANUALS[:3]:  # a folder weave/ here would hide the module
        project.file(file, "To `snippets/dice.py`.\n\n`snippets/chapter/line.py`, {= line.of }\n")
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
    assert "chapter/line" in (site.root / "STYLE.md").read_text(), "which may explain by it"
    assert "STYLE.md: 3\n" in said.partition("These lines are as they were.")[2]


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
    before = faults.content(site.root)
    with pytest.raises(SystemExit) as end:
        main([old, new])
    assert str(end.value).startswith("Nothing is renamed: ")
    assert why in str(end.value)
    assert faults.content(site.root) == before


def test_only_what_a_script_imports_is_the_module_s_name():
    code = "from a import line\nline = 1\nx.line = line\n"
    assert places_of_module(code, "line") == []
    assert places_of_module("é = 1; import line, b\nline.x = x.line\n", "line") == [(1, 15), (2, 0)]
    assert places_of_module("import line as x\nline = 2\n", "line") == [(1, 7)]


@pytest.fixture
def copy(tmp_path):
    """A copy of this site's files."""
    not_text = (".*", "__pycache__", "out", "*.svg", "*.png", "*.woff2")
    ignored = shutil.ignore_patterns(*not_text, "test_rename.py")
    for folder in FOLDERS:
        shutil.copytree(PROJECT.root / folder, tmp_path / folder, ignore=ignored)
    (tmp_path / "weave").mkdir()
    for file in (*FILES, *MANUALS):
        shutil.copy(PROJECT.root / file, tmp_path / file)
    return tmp_path


def texts(root) -> dict[str, str]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in files}


@pytest.mark.parametrize("name", ["saturation/plane", "saturation/measures", "scales/spread"])
def test_on_this_site_a_name_goes_from_everywhere_and_comes_back(copy, name):
    """An explorable, a module that is imported by its name, and a name that is a common word."""
    before, old = texts(copy), name_of(name)
    new = name_of(f"{old.chapter}/entirely_new")
    list(plan(copy, old, new).carry_out(copy))
    after = texts(copy)
    assert new.script in after
    assert old.script not in after
    marks = [f"{old}.", f"{old} ", f'{old}"', f"{old}\n", f"import {old.stem}\n"]
    if name == "saturation/plane":
        marks.append("why-plane")
    for mark in marks:
        assert not any(mark in text for file, text in after.items() if file not in MANUALS), mark
    list(plan(copy, new, old).carry_out(copy))
    assert texts(copy) == before


def test_on_this_site_a_page_s_name_goes_from_everywhere_and_comes_back(copy):
    """Of a page whose name a file of proofs has too, which keeps it."""
    before = texts(copy)
    list(plan_for_page(copy, "theorem", "entirely").carry_out(copy))
    after = texts(copy)
    page = after["docs/entirely.md"]
    assert "\nmoved: [theorem]\n" in page
    assert "::: proved theorem/" in page
    named = r"(?<![\w-])(theorem\.(md|ipynb)|(snippets|tests|labs)/theorem|theorem/[#\"])"
    found = {file for file, text in after.items() if re.search(named, text)}
    assert found <= {*MANUALS, "tests/site/addresses.txt"}, "old addresses are still linked to"
    list(plan_for_page(copy, "entirely", "theorem").carry_out(copy))
    there = before["docs/theorem.md"]
    before["docs/theorem.md"] = there.replace("\n---\n", "\nmoved: [entirely]\n---\n", 1)
    assert texts(copy) == before


@pytest.fixture
def small(project, monkeypatch):  # noqa: F811
    """A small site with a chapter of every kind of thing, and tests of it."""
    monkeypatch.chdir(project.root)
    faults.write(project.root)
    project.file("tests/chapter/test_line.py", TEST + TABLES)
    for file in MANUALS[:3]:  # a folder weave/ here would hide the module
        project.file(file, "See `docs/chapter.md`.\n")
    return project.root


def test_a_page_is_renamed_and_its_old_address_leads_on(small, caplog, capsys):
    (small / "docs/glossary.md").write_text("# Words\n\nSee [it](chapter.md#figure-line).\n")
    main(["chapter", "part"])
    left = capsys.readouterr().out.partition("These lines are as they were.")[2]
    assert "README.md: 1\n" in left
    assert "tests/part/test_line.py: 7\n" in left, "which may name the page, or something else"
    test = (small / "tests/part/test_line.py").read_text()
    assert "from tests.part.test_line import x" in test
    assert 'snippet("part/line")' in test
    assert '"snippets") / "part" / "table.csv", stored_rows("part", ' in test
    caplog.set_level(logging.WARNING)
    build(load_config(str(small / "mkdocs.yml"), strict=True))
    assert caplog.messages == []
    for old, new in (("chapter", "part"), ("labs/chapter", "labs/part")):
        assert (small / f"site/{new}/index.html").is_file()
        assert '<a href="../part/">' in (small / f"site/{old}/index.html").read_text()


def test_a_page_whose_lines_end_as_on_windows_keeps_its_front_matter(small):
    page = small / "docs/other.md"
    page.write_bytes(b"---\r\ntitle: Other\r\n---\r\n# Other\r\n")
    main(["other", "part"])
    text = (small / "docs/part.md").read_bytes()
    assert text == b"---\r\ntitle: Other\r\nmoved: [other]\r\n---\r\n# Other\r\n"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("chaptr", "part", "there is no docs/chaptr.md; the nearest is chapter"),
        ("chapter", "other", "docs/other.md is there already"),
        ("chapter", "Part", "'Part' is no name of a page: small letters"),
        ("chapter", "part/one", "'part/one' is no name of a page"),
        ("chapter", "class", "test_line.py imports tests.chapter, and 'class' cannot be"),
        ("chapter", "slides", "the site has something else at slides/"),
        ("chapter", "early", "docs/index.md says that it was once 'early'"),
        ("other", "part", "docs/other.md has 'moved' in another form"),
        ("chapter", "new-part", "test_line.py imports tests.chapter, and 'new-part' cannot be"),
        ("glossary", "words", "the machinery knows 'glossary' by its name"),
    ],
)
def test_what_stands_in_a_page_s_way_is_said_and_nothing_is_changed(small, old, new, why):
    (small / "docs/other.md").write_text("---\nmoved:\n  - late\n---\n# Other\n")
    before = faults.content(small)
    with pytest.raises(SystemExit) as end:
        main([old, new])
    assert why in str(end.value)
    assert faults.content(small) == before
