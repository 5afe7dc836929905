"""What lies beside the pages: copies of the scripts they link to. (Fonts: test_fonts.py.)"""

from weave.site import make_files


def copies(project) -> dict[str, str]:
    folder = project.root / "docs/snippets"
    return {str(f.relative_to(folder)): f.read_text() for f in folder.glob("*/*")}


def test_scripts_and_their_modules_are_offered_and_kept_up_to_date(project):
    folders = project.root / "docs", project.root / "snippets"
    project.file("snippets/chapter/law.py", "x = 1\n")
    project.file("snippets/chapter/line.py", "y = 1\n")
    make_files(*folders)
    assert copies(project) == {"chapter/law.py": "x = 1\n", "chapter/line.py": "y = 1\n"}

    project.file("snippets/chapter/law.py", "x = 22\n")
    (project.root / "snippets/chapter/line.py").unlink()
    make_files(*folders)
    assert copies(project) == {"chapter/law.py": "x = 22\n"}


def test_an_unchanged_copy_is_left_alone_so_that_serving_does_not_rebuild_for_ever(project):
    folders = project.root / "docs", project.root / "snippets"
    project.file("snippets/chapter/law.py", "x = 1\n")
    make_files(*folders)
    before = (project.root / "docs/snippets/chapter/law.py").stat().st_mtime_ns
    project.file("snippets/chapter/other.py", "y = 1\n")
    make_files(*folders)
    assert (project.root / "docs/snippets/chapter/law.py").stat().st_mtime_ns == before


def test_a_build_links_to_the_script_it_shows(project):
    project.snippet()
    html = project.build("# C\n\n::: chapter/line\n", strict=True).html
    assert 'href="../snippets/chapter/line.py"' in html
    assert (project.root / "site/snippets/chapter/line.py").is_file()
