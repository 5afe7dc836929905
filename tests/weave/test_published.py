"""What lies beside the pages: the scripts that they link to. (Fonts: test_fonts.py.)"""

from weave.project import Project as Woven
from weave.published import published


def files(project) -> dict[str, bytes]:
    woven = Woven(project.root)
    woven.refresh()
    return published(woven)


def test_scripts_and_their_modules_are_offered_as_they_are(project):
    project.file("snippets/chapter/law.py", "x = 1\n")
    project.file("snippets/chapter/line.py", "y = 1\n")
    assert files(project) == {
        "snippets/chapter/law.py": b"x = 1\n",
        "snippets/chapter/line.py": b"y = 1\n",
    }
    project.file("snippets/chapter/law.py", "x = 22\n")
    (project.root / "snippets/chapter/line.py").unlink()
    assert files(project) == {"snippets/chapter/law.py": b"x = 22\n"}


def test_what_python_leaves_behind_is_not_offered(project):
    project.file("snippets/chapter/__pycache__/law.cpython-311.pyc", "")
    project.file("snippets/chapter/law.pyc", "")
    assert files(project) == {}


def test_a_build_links_to_the_script_it_shows(project):
    project.snippet()
    html = project.build("# C\n\n::: chapter/line\n", strict=True).html
    assert 'href="../snippets/chapter/line.py"' in html
    assert (project.root / "site/snippets/chapter/line.py").is_file()


def test_a_build_writes_nothing_below_docs(project):
    project.snippet()
    project.build("# C\n\n::: chapter/line\n", strict=True)
    written = {path.name for path in (project.root / "docs").rglob("*")}
    assert written == {"index.md", "chapter.md"}
