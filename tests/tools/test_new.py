"""A chapter or a figure is begun by one command: what it writes passes, and is to be replaced."""

import shutil
import subprocess
import sys

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.conftest import PROJECT
from tests.imports import imports
from tests.machinery.conftest import project  # noqa: F401 (a fixture)
from tests.machinery.faults import content
from tests.text.test_pages import orphans, to_do
from tools.new import main
from weave.project import Project

pytestmark = pytest.mark.alone
CONFIG = """site_name: test
plugins: [weave]
nav:
  - index.md    # the front page
  # A chapter:
  - law.md
  - More:
      - other.md
markdown_extensions:
  - attr_list
  - md_in_html
  - pymdownx.superfences
  - weave
validation: {omitted_files: warn, absolute_links: warn, unrecognized_links: warn, anchors: warn}
"""


@pytest.fixture
def site(project, monkeypatch):  # noqa: F811
    """A site with one chapter, in which the commands are run."""
    monkeypatch.chdir(project.root)
    for page in ("index", "law", "other"):
        project.file(f"docs/{page}.md", f"# {page}\n")
    project.file("mkdocs.yml", CONFIG)
    return project


def said_of_build(site) -> list[str]:
    """Build the site strictly; give all that is said of its pages."""
    site.log.set_level("INFO")
    site.log.clear()
    build(load_config(str(site.root / "mkdocs.yml"), strict=True))
    return [each.getMessage() for each in site.log.records if "docs/" in each.getMessage()]


def test_what_is_begun_passes_and_what_is_to_be_written_is_found(site, capsys):
    main(["chapter", "signs", 'Signs: "plus" or minus?'])
    assert capsys.readouterr().out.splitlines()[:-1] == [
        "docs/signs.md:1",
        "mkdocs.yml:7",
        "snippets/signs/signs.py:1",
        "tests/signs/test_signs.py:1",
    ]
    main(["figure", "signs/two-dice"])
    assert capsys.readouterr().out.startswith("docs/signs.md:15\nsnippets/signs/two-dice.py:1\n")
    assert said_of_build(site) == []
    html = (site.root / "site/signs/index.html").read_text()
    assert 'id="figure-signs"' in html
    assert 'id="figure-two-dice"' in html
    assert '<title>Signs: "plus" or minus? - test</title>' in html
    assert "law.md\n  - signs.md\n  - More:" in (site.root / "mkdocs.yml").read_text()
    assert orphans(site.root) == []
    marked = {line.partition(":")[0] for line in to_do(site.root)}
    new = ["docs/signs.md", "snippets/signs/signs.py", "snippets/signs/two-dice.py"]
    assert marked == {*new, "tests/signs/test_signs.py", "tests/signs/test_two-dice.py"}


def test_the_style_is_the_project_s(site):
    main(["chapter", "a-rather-long-name-of-a-chapter"])
    main(["figure", "a-rather-long-name-of-a-chapter/and-a-long-name-of-a-figure-too"])
    for file in ("pyproject.toml", "snippets/ruff.toml"):
        shutil.copy(PROJECT.root / file, site.root / file)
    for command in (["check"], ["format", "--check"]):
        ruff = [sys.executable, "-m", "ruff", *command, "snippets", "tests"]
        run = subprocess.run(ruff, cwd=site.root, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout


def test_its_test_takes_another_route_and_fails_with_another_number(site):
    main(["chapter", "signs"])
    path = site.root / "tests/signs/test_signs.py"
    code = path.read_text()
    assert "numpy" not in {module for _, module in imports(code)}
    names: dict = {}
    exec(code, names)
    script = site.root / "snippets/signs/signs.py"

    def found(name):
        woven = Project(site.root)
        woven.refresh()
        return woven.results(name)

    names["test_signs"](found)
    script.write_text(script.read_text().replace("np.convolve(die, die)", "np.full(11, 1 / 11)"))
    with pytest.raises(AssertionError):
        names["test_signs"](found)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("chapter law", "docs/law.md is there already: make figure NAME=law/… adds to it"),
        ("chapter Law", "'Law' is no name of a chapter: small letters"),
        ("chapter law/signs", "'law/signs' is no name of a chapter"),
        ("chapter tools", "tests/tools/ is there already"),
        ("chapter search", "the site has something else at search/"),
        ("chapter full", "snippets/full/ is there already"),
        ("chapter random", "snippets/random/random.py would hide Python's own 'random'"),
        ("figure law", "'law' is no name of a snippet: write chapter/name"),
        ("figure law/Signs", "'law/Signs' is no name of a figure: small letters"),
        (
            "figure lav/signs",
            "no docs/lav.md: make chapter NAME=lav begins one; the nearest is law",
        ),
        ("figure law/numpy", "snippets/law/numpy.py would hide Python's own 'numpy'"),
        ("figure law/measure_all", "make measure would run snippets/law/measure_all.py"),
        ("figure law/old", "law/old.py is there already: choose another name than line, old"),
        ("figure law/tested", "tests/law/test_tested.py is there already"),
    ],
)
def test_what_stands_in_the_way_is_said_and_nothing_is_written(site, command, why):
    for file in ("tests/tools/test_a.py", "tests/law/test_tested.py"):
        site.file(file, "")
    site.file("snippets/full", "no folder")
    for file in ("snippets/law/old.py", "snippets/law/line.py"):
        site.file(file, "")
    before = content(site.root)
    with pytest.raises(SystemExit) as end:
        main(command.split())
    assert str(end.value).startswith("Nothing is written: ")
    assert why in str(end.value)
    assert content(site.root) == before


def test_a_nav_of_another_form_is_left_alone(site):
    config = CONFIG.partition("nav:")[0] + "nav: [index.md, law.md]\n"
    site.file("mkdocs.yml", config)
    before = content(site.root)
    with pytest.raises(SystemExit, match=r"nav of mkdocs.yml does not begin with .*add signs\.md"):
        main(["chapter", "signs"])
    assert content(site.root) == before


def test_files_keep_the_line_ends_that_they_have(site):
    for file in ("mkdocs.yml", "docs/law.md"):
        path = site.root / file
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    main(["figure", "law/dice"])
    main(["chapter", "signs"])
    for file in ("mkdocs.yml", "docs/law.md"):
        written = (site.root / file).read_bytes()
        assert written.count(b"\r\n") == written.count(b"\n"), file
