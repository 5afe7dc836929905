"""Whatever an edit makes wrong, the strict build fails and says where; what was good stays."""

import json
import logging
import os
import pickle
import sqlite3
import zlib
from base64 import b64encode

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from tests.machinery.faults import CHAPTER, FAULTS, SITE, content, write
from weave.project import project_at
from weave.run.runner import Runner

CONFIG = "mkdocs.yml"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A good site, built."""
    root = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weave.pages.web_fonts.ON_THE_SITE", ())
        patch.setattr("weave.project.Project.time_limit", 5)
        patch.setenv("SOURCE_DATE_EPOCH", "1")
        write(root)
        build(load_config(str(root / CONFIG), strict=True))
        yield root


def kept(root) -> set[tuple]:
    """Give all that the cache holds of what snippets and labs gave."""
    query = (
        "SELECT name, trace, part, data FROM entries_2, parts_2"
        " WHERE kind = 'run' AND parts_2.entry = entries_2.id"
    )
    return {*project_at(root).store.connection.execute(query)}


# Of each file one fault: what a build keeps does not know which fault it was.
ALSO_MENDED = {fault.file: name for name, fault in FAULTS.items()}.values()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_stops_the_build_is_named_and_leaves_what_was_good(site, caplog, monkeypatch, name):
    fault, before, cache = FAULTS[name], content(site / "site"), kept(site)
    caplog.set_level(logging.WARNING)
    with fault.made(site):
        with pytest.raises(Abort) as end:
            build(load_config(str(site / CONFIG), strict=True))
        said = [record.getMessage() for record in caplog.records] or [str(end.value)]
        assert any(all(words in line for words in fault.says) for line in said), said
        assert len(said) <= fault.most, said
        assert content(site / "site") == before
        assert kept(site) == cache
        assert not list(site.glob(".site-*"))
    if name in ALSO_MENDED:
        monkeypatch.setattr(Runner, "start", lambda _: pytest.fail("something is run again"))
        build(load_config(str(site / CONFIG), strict=True))
        assert content(site / "site") == before
        assert kept(site) == cache


def test_a_cache_that_may_not_be_written_is_a_sentence_and_may_lie_elsewhere(tmp_path, monkeypatch):
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    write(project)
    (project / ".cache").touch()  # where no folder can be made, as in a project that is only read
    before = content(project)
    monkeypatch.setattr("weave.pages.web_fonts.ON_THE_SITE", ())
    config = {"config_file": str(project / CONFIG), "site_dir": str(elsewhere / "site")}
    advice = r"may it be written\? The environment variable WEAVE_CACHE can name another folder"
    with pytest.raises(Abort, match=advice):
        build(load_config(**config, strict=True))
    monkeypatch.setenv("WEAVE_CACHE", str(elsewhere / "kept"))
    build(load_config(**config, strict=True))
    assert (elsewhere / "site/chapter/index.html").is_file()
    assert (elsewhere / "kept/weave.sqlite").is_file()
    assert content(project) == before


class Bad:
    """What runs code when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("unpickled",)


ARRAY = {"array": b64encode(pickle.dumps(Bad())).decode()}


def test_what_is_kept_is_data_and_never_runs(site, tmp_path, monkeypatch):
    project = project_at(site)
    monkeypatch.chdir(tmp_path)
    query = "UPDATE parts_2 SET data = ? WHERE part = 'value slope'"
    for data in (pickle.dumps(Bad()), zlib.compress(json.dumps(ARRAY).encode())):
        assert project.store.connection.execute(query, (data,)).rowcount == 1
        with pytest.raises((sqlite3.DatabaseError, ValueError)):
            _ = project.results("chapter/line").slope
        assert not list(tmp_path.iterdir())
    pickle.loads(pickle.dumps(Bad()))
    assert list(tmp_path.iterdir()), "else this shows nothing"


DAMAGE = "UPDATE parts_2 SET data = CAST('a' || data AS BLOB) WHERE part = '{}'"


@pytest.mark.parametrize("part", ["made", "svg", "digests"])
def test_what_is_damaged_as_pages_are_made_is_put_aside_and_the_next_build_is_good(site, part):
    def build_it():
        build(load_config(str(site / CONFIG), strict=True))

    before, store = content(site / "site"), project_at(site).store
    (site / CHAPTER).write_text(f"{SITE[CHAPTER]}\nMore {part}.\n", "utf-8")
    assert store.connection.execute(DAMAGE.format(part)).rowcount >= 1
    with pytest.raises(Abort, match="is damaged: build again"):
        build_it()
    assert content(site / "site") == before
    build_it()
    assert content(site / "site") != before
    (site / CHAPTER).write_text(SITE[CHAPTER], "utf-8")
    build_it()
    assert content(site / "site") == before
