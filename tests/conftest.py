"""What every test may ask for: a snippet's results, and a chapter's shared module."""

import importlib.util
import sys
from functools import cache
from types import ModuleType

import pytest

from weave import Runner
from weave.result import Results

RUNNER = Runner()


@pytest.fixture(scope="session")
def snippet():
    """Give the results of a snippet, the same object that its page quotes: `snippet("a/b").std`."""

    @cache  # else every call would read all the arrays again
    def results(name: str) -> Results:
        return RUNNER.run(name).results

    return results


@pytest.fixture(scope="session")
def module():
    """Import a module that snippets share: `module("variance/dot_product")`."""

    def load(name: str) -> ModuleType:
        path = RUNNER.folder / f"{name}.py"
        spec = importlib.util.spec_from_file_location(name.replace("/", "."), path)
        loaded = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(path.parent))  # it may import its neighbours
        try:
            spec.loader.exec_module(loaded)
        finally:
            sys.path.remove(str(path.parent))
        return loaded

    return load
