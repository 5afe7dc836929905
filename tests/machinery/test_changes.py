"""What differs from the main branch: in commits, not committed, and in files that git lacks."""

import pytest

from weave.basics.changes import base_of, changed_files, git, texts_before


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with one commit on its main branch."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "someone")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "someone@example.org")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / ".gitignore").write_text("site/\n")
    (tmp_path / "page.md").write_text("one\ntwo\nthree\n")
    (tmp_path / "gone.md").write_text("old\n")
    commit(tmp_path)
    return tmp_path


def commit(root) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=a commit")


def test_what_is_committed_and_what_is_not_differs(repository):
    git(repository, "checkout", "--quiet", "-b", "mine")
    (repository / "page.md").write_text("zero\none\ntwo\nthree\n")
    (repository / "gone.md").unlink()
    commit(repository)
    (repository / "page.md").write_text("zero\none\nTWO\nthree\nfour\n")
    (repository / "ümläut.md").write_text("new\nlines\n")
    (repository / "site").mkdir()
    (repository / "site/made.html").write_text("made")
    assert changed_files(repository) == {"page.md", "gone.md", "ümläut.md"}
    names = ["page.md", "ümläut.md", "other.md"]
    then = {"page.md": "one\ntwo\nthree\n", "ümläut.md": ""}
    assert texts_before(repository, names) == then


def test_a_branch_is_compared_with_where_it_left_the_newest_main(repository, tmp_path_factory):
    """Not with a main branch that was fetched long ago, nor with what came to main since."""
    old = git(repository, "rev-parse", "HEAD").strip()
    (repository / "page.md").write_text("other\n")
    commit(repository)
    new = git(repository, "rev-parse", "HEAD").strip()
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "--quiet", str(repository), ".")
    git(clone, "update-ref", "refs/remotes/origin/main", old)
    git(clone, "update-ref", "refs/remotes/upstream/main", new)
    (clone / "page.md").write_text("mine\n")
    git(clone, "commit", "--quiet", "--all", "--message=mine, on the local main")
    assert base_of(clone) == new
    assert texts_before(clone, ["page.md"]) == {"page.md": "other\n"}


def test_without_another_repository_only_what_is_not_committed_is_new_on_main(repository):
    assert changed_files(repository) == set()
    (repository / "page.md").write_text("one\ntwo\n")
    assert changed_files(repository) == {"page.md"}
