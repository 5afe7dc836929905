"""What every test may ask for: a snippet's results, and a chapter's shared module."""

import importlib.util
import logging
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from weave.project import Project, project_at
from weave.run.results import Results

PROJECT: Project = project_at(Path(__file__).parents[1])


def pytest_sessionstart(session):
    """Run what has changed among the snippets before any test asks, and show how far it is."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        logging.basicConfig(format="%(message)s")
        logging.getLogger("mkdocs.weave").setLevel(logging.INFO)
        PROJECT.refresh()


@pytest.fixture(scope="session")
def snippet():
    """Give the results of a snippet, the same object that its page quotes: `snippet("a/b").std`."""

    def results(name: str) -> Results:
        PROJECT.refresh()
        PROJECT.check(name)
        return Results(name, PROJECT.store)

    return results


@pytest.fixture(scope="session")
def module():
    """Import a module that snippets share: `module("variance/dot_product")`."""

    def load(name: str) -> ModuleType:
        path = PROJECT.root / "snippets" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(name.replace("/", "."), path)
        loaded = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(path.parent))  # it may import its neighbours
        try:
            spec.loader.exec_module(loaded)
        finally:
            sys.path.remove(str(path.parent))
        return loaded

    return load
