"""What every test may ask for: a snippet's results, and a chapter's shared module."""

import csv
import importlib.util
import logging
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tests.changed import chosen_by, is_given
from weave.basics.errors import WeaveError
from weave.project import Project, project_at
from weave.run.results import Results

PROJECT: Project = project_at(Path(__file__).parents[1])


def pytest_addoption(parser):
    """Add the choice that `make check` makes."""
    parser.addoption(
        "--changed",
        nargs="?",
        const="",
        metavar="FILES",
        help="run the tests that belong to what differs from the main branch, or to these files"
        " (commas between them)",
    )


def pytest_configure(config):
    """Collect what belongs to a change, instead of everything."""
    if config.option.changed is not None:
        config.chosen = chosen_by(config.option.changed, PROJECT.root)
        if not config.chosen:
            pytest.exit("No test belongs to what has changed.", 0)
        config.args[:] = config.chosen


def pytest_collection_modifyitems(config, items):
    """Leave out what is given another page or picture than those that have changed."""
    if config.option.changed is None:
        return
    kept, left = [], []
    for item in items:
        given = config.chosen.get(item.nodeid.partition("::")[0], set())
        identity = item.callspec.id if hasattr(item, "callspec") else ""
        (kept if is_given(identity, given) else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than cores: many tests wait for a browser, or for another process."""
    return (os.cpu_count() or 1) + 1


def alone(items: list[pytest.Item]) -> bool:
    """Tell whether only such tests were chosen as need no results of snippets."""
    return all(item.get_closest_marker("alone") for item in items)


def refresh() -> None:
    """Run what has changed among the snippets before any test asks, and show how far it is."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("mkdocs.weave").setLevel(logging.INFO)
    PROJECT.refresh()


def pytest_sessionstart(session):
    """Refresh once for all cores, before they collect."""
    if getattr(session.config.option, "numprocesses", None):
        refresh()


def pytest_collection_finish(session):
    """Refresh, unless one claim is tried, which takes seconds then and not a minute."""
    if "PYTEST_XDIST_WORKER" not in os.environ and not alone(session.items):
        refresh()


@pytest.fixture(scope="session")
def snippet():
    """Give the results of a snippet, the same object that its page quotes: `snippet("a/b").std`."""

    @cache  # else every call would read all the arrays again
    def results(name: str) -> Results:
        PROJECT.refresh()
        try:
            return PROJECT.results(name)
        except WeaveError as error:
            mend = "" if name in PROJECT.jobs else "rename or delete this test: "
            raise pytest.fail.Exception(f"{mend}{error}", pytrace=False) from None

    return results


def stored_rows(chapter: str, name: str, **where: str) -> list[dict[str, str]]:
    """Read a table beside a chapter's snippets with the standard library alone.

    Returns:
        The rows, as text by column, whose columns are what is asked for.
    """
    rows = stored_table(chapter, name)
    return [dict(row) for row in rows if all(row[column] == at for column, at in where.items())]


@cache  # the tables stay as they are while tests run
def stored_table(chapter: str, name: str) -> list[dict[str, str]]:
    """Read all rows of a table."""
    lines = (PROJECT.root / "snippets" / chapter / name).read_text("utf-8").splitlines()
    return [*csv.DictReader(line for line in lines if not line.startswith("#"))]


@pytest.fixture(scope="session")
def source(module):
    """Give what is said above a stored table of where it comes from, by name."""
    return module("common/stored").source


@pytest.fixture(scope="session")
def torch():
    """PyTorch, on one core; without it, a test says that it skipped."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: make torch")
    torch.set_num_threads(1)
    return torch


@pytest.fixture(scope="session")
def module():
    """Import a module that snippets share: `module("variance/dot_product")`."""

    def load(name: str) -> ModuleType:
        snippets = PROJECT.root / "snippets"
        path = snippets / f"{name}.py"
        for neighbour in path.parent.glob("*.py"):  # chapters have modules of one name
            found = getattr(sys.modules.get(neighbour.stem), "__file__", None)
            if found and snippets in Path(found).parents and Path(found) != neighbour:
                del sys.modules[neighbour.stem]
        spec = importlib.util.spec_from_file_location(name.replace("/", "."), path)
        loaded = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(path.parent))  # it may import its neighbours
        try:
            spec.loader.exec_module(loaded)
        finally:
            sys.path.remove(str(path.parent))
        return loaded

    return load
