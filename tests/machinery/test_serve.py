"""`mkdocs serve` shows a change and a mistake, of whatever sort, and goes on."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace

import pytest

from tests.machinery.conftest import Project
from tests.machinery.serving import CONFIG, Server

BUILT = "Reloading browsers"  # MkDocs says each thing once, and may build twice in .05 s


PAGE = "# T\n\n::: chapter/line\n\nIt is {= line.slope }.\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    """The project that is served: to start a server for each test would take most of the time."""
    project = Project(tmp_path_factory.mktemp("served"), None)
    project.file("docs/index.md", "# Home\n")
    return project


def as_at_first(project: Project, page: str) -> None:
    """Put everything back, and take away what a test has added."""
    project.snippet("slope = 1.25")
    project.file("docs/chapter.md", page)
    project.file("mkdocs.yml", CONFIG)
    for file in [*project.root.glob("docs/*"), *project.root.glob("snippets/*/*")]:
        if file.name not in {"index.md", "chapter.md", "line.py"} and not file.is_dir():
            file.unlink()


@pytest.fixture(scope="module")
def server(project) -> Iterator[Server]:
    """A server of the project."""
    as_at_first(project, PAGE)
    server = Server(project.root)
    yield server
    server.end()


@pytest.fixture
def served(project, server, request) -> SimpleNamespace:
    """The project as it was at first, served.

    `read(text)` waits until the chapter says `text`, and gives its HTML; `said(words)` waits until
    the server says these, and gives all that it has said in this test; `status(path)` asks for a
    file.
    """
    as_at_first(project, f"{PAGE}\nFor {request.node.name}.\n")
    server.read("chapter/", f"For {request.node.name}.", ">1.25</a>")
    begins = 0
    while begins < len(
        server.log.read_text()
    ):  # it builds twice, if the files were not seen together
        begins = len(server.log.read_text())
        time.sleep(1)
    return SimpleNamespace(
        read=lambda text: server.read("chapter/", text),
        said=lambda words: server.wait(lambda: server.log.read_text()[begins:] or " ", words),
        status=lambda path: server.ask(path)[0],
    )


def test_a_reader_of_the_draft_sees_changes_and_mistakes(project, served):
    read = served.read
    project.snippet("slope = 2.5")
    read(">2.5</a>")
    project.snippet("slope = missing")
    page = read("NameError")
    assert "docs/chapter.md:3" in page
    assert "snippets/chapter/line.py:7" in page
    project.snippet("slope = 3.75")
    assert "weave-error" not in read(">3.75</a>")


def test_a_broken_mkdocs_yml_is_a_sentence_with_its_line_and_serving_goes_on(project, served):
    config = project.root / "mkdocs.yml"
    good = config.read_text()
    config.write_text(f"{good}theme: {{name: mkdocs\n")
    said = served.said("stays as it is")
    line = good.count("\n") + 2  # where the end of the text is, and no bracket
    assert f"mkdocs.yml:{line}: while parsing a flow mapping, " in said
    config.write_text(f"{good}<<<<<<< HEAD\n")
    said += served.said("is left from a merge")
    assert f"mkdocs.yml:{line - 1}: '<<<<<<<' is left from a merge" in said
    assert "Traceback" not in said
    served.read(">1.25</a>")
    config.write_text(good.replace("site_name: test", "site_name: mended"))
    served.read("mended")


def test_a_page_that_cannot_be_read_is_a_sentence_and_the_last_site_stays(project, served):
    page = project.root / "docs/chapter.md"
    good = page.read_bytes()
    for broken, words in ((b"\xe9", "UTF-8"), (b"<<<<<<< HEAD", "left from a merge")):
        page.write_bytes(good + broken)
        said = served.said(words)
        assert "docs/chapter.md:" in said
        assert "Traceback" not in said
        served.read(">1.25</a>")
    page.write_bytes(good + b"\nMended.\n")
    served.read("Mended.")


def test_what_an_editor_or_a_test_leaves_is_not_served_and_builds_nothing(project, served):
    left = "#chapter.md# chapter.md~ .chapter.md.swp #notes.txt# flycheck_chapter.md 4913"
    for name in left.split():
        project.file(f"docs/{name}", "# T\n\nA copy.\n")
    (project.root / "docs/.#chapter.md").symlink_to("nobody@nowhere")  # Emacs' lock
    project.file("snippets/chapter/line.py~", "broken")
    for name in ("line.cpython-311.pyc", "line.cpython-311.pyc.139872"):
        project.file(f"snippets/chapter/__pycache__/{name}", "compiled")
    time.sleep(1)
    assert BUILT not in served.said("")
    project.file("docs/chapter.md", "# T\n\nIt is edited.\n")
    served.read("It is edited.")
    assert BUILT in served.said(BUILT)
    assert served.status("chapter.md~") == served.status("%23notes.txt%23") == 404
    assert served.status("snippets/chapter/line.py~") == 404
    assert served.status("snippets/chapter/line.py") == 200


def test_what_is_damaged_while_serving_is_made_again(project, served):
    with closing(sqlite3.connect(project.root / ".cache/weave.sqlite")) as kept, kept:
        kept.execute("UPDATE parts_2 SET data = CAST('a' || data AS BLOB)")
    project.file("docs/chapter.md", "# T\n\n::: chapter/line\n\nMore: {= line.slope }.\n")
    assert "weave-error" not in served.read("More: ")
    said = served.said("what it kept is made again")
    assert "Traceback" not in said
