"""Whatever an edit makes wrong, the strict build fails and says where; what was good stays."""

import json
import logging
import os
import pickle
import subprocess
import sys
import zlib
from base64 import b64encode

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from tests.machinery.faults import CHAPTER, FAULTS, LINE, PAGE, SITE, content, write
from tests.text.test_pages import problems
from weave.project import project_at

CONFIG = "mkdocs.yml"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A good site, built."""
    root = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weave.run.fonts.FONTS", {})
        patch.setenv("SOURCE_DATE_EPOCH", "1")
        write(root)
        build(load_config(str(root / CONFIG), strict=True))
        yield root


def kept(root) -> set[tuple]:
    """Give all that the cache holds of what snippets and labs gave."""
    query = "SELECT name, part, data FROM parts_1 WHERE kind = 'run'"
    return {*project_at(root, 5).store.connection.execute(query)}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_stops_the_build_is_named_and_leaves_what_was_good(site, caplog, monkeypatch, name):
    fault, before, cache = FAULTS[name], content(site / "site"), kept(site)
    caplog.set_level(logging.WARNING)
    with fault.made(site):
        with pytest.raises(Abort, match="strict mode"):
            build(load_config(str(site / CONFIG), strict=True))
        said = [record.getMessage() for record in caplog.records]
        assert any(all(words in line for words in fault.says) for line in said), said
        assert len(said) <= fault.most, said
        assert content(site / "site") == before
        assert kept(site) == cache
        assert not list(site.glob(".site-*"))
    ran = []
    monkeypatch.setattr("weave.project.run_all", lambda jobs, *_: ran.extend(jobs) or [])
    build(load_config(str(site / CONFIG), strict=True))
    assert content(site / "site") == before
    assert ran == []
    assert kept(site) == cache


class Bad:
    """What runs code when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("unpickled",)


PICKLE = pickle.dumps(Bad())
ARRAY = {"array": b64encode(PICKLE).decode()}
FOREIGN = {
    "a pickle": PICKLE,
    "a packed pickle": zlib.compress(PICKLE),
    "an array that is a pickle": zlib.compress(json.dumps(ARRAY).encode()),
    "another kind of value": zlib.compress(b'{"function": 1}'),
    "half of it": zlib.compress(json.dumps({"list": [1, 2]}).encode())[:-6],
    "nothing": None,
}


@pytest.mark.parametrize("part", ["trace", "value slope"])
@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_kept_is_data_and_what_is_damaged_is_made_again(
    site, tmp_path, caplog, monkeypatch, part, name
):
    before, cache, project = content(site / "site"), kept(site), project_at(site, 5)
    monkeypatch.chdir(tmp_path)
    query = "UPDATE parts_1 SET data = ? WHERE name = 'chapter/line' AND part = ?"
    assert project.store.connection.execute(query, (FOREIGN[name], part)).rowcount == 1
    project.stamps = None  # as in the next process
    page = site / CHAPTER
    page.write_text(PAGE.replace("A query is", "It is"))  # so that it is woven again
    if part != "trace":
        with pytest.raises(Abort):
            build(load_config(str(site / CONFIG), strict=True))
        assert "chapter/line is damaged: build again" in caplog.text
        assert content(site / "site") == before
    page.write_text(PAGE)
    project.stamps = None
    build(load_config(str(site / CONFIG), strict=True))
    assert kept(site) == cache
    assert content(site / "site") == before
    assert not list(tmp_path.iterdir())
    pickle.loads(PICKLE)
    assert list(tmp_path.iterdir()), "else this shows nothing"


def test_a_fence_that_no_test_would_run_is_named():
    """The build shows it; `make test` rejects it, with its line and what to write."""
    assert problems(PAGE) == []
    fence = PAGE.replace("```python", "```py")
    assert problems(fence)[0] == (13, "```py is never run: write ```python and nothing else")


@pytest.mark.parametrize(("expected", "code"), [("1", 0), ("2", 1)])
def test_a_wrong_expected_output_is_named(tmp_path, expected, code):
    (tmp_path / "chapter.md").write_text(PAGE.replace("```text\n1\n", f"```text\n{expected}\n"))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--codeblocks",
        "-p",
        "no:cacheprovider",
        "chapter.md",
    ]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == code, run.stdout
    if code:
        assert "chapter.md" in run.stdout
        assert "line 13" in run.stdout


def test_the_table_names_every_kind_of_file():
    """No sort of file of the site is without a fault of its own."""
    touched = {fault.file.rpartition(".")[2] for fault in FAULTS.values()}
    assert touched >= {name.rpartition(".")[2] for name in (*SITE, LINE, CHAPTER)} - {"yml"}
