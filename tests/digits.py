"""What tests notice: a number that a page prints, a unit of its last digit off, fails a test.

A plugin for pytest: `pytest -p tests.digits tests/test_variance.py` runs each test again for every
printed number that it reads, altered by one unit of the last digit, up and down, until a test has
noticed; and names at its end what none has noticed. A number counts as printed where it stands
alone, as in `{= spread.std[64] :.1f }`, and not in a sum or a quotient; and without a standard
error, which says itself how far it may be off.
"""

import ast
import copy
from collections.abc import Iterator
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from markdown import Markdown

from tests.seeds import MEASURED, Recorder
from weave.embeds.value import OTHER_CHAPTER, evaluate
from weave.project import Project
from weave.run.results import Results


class Alteration(NamedTuple):
    """A printed number, one unit of its last digit off."""

    snippet: str
    result: str
    keys: tuple[Any, ...]  # of the number within the result
    by: float
    place: str  # of the first that prints it


def altered(value: Any, keys: tuple[Any, ...], by: float) -> Any:
    """Give a result with the number at some keys altered."""
    if not keys:
        return value + by
    new = altered(value[keys[0]], keys[1:], by)
    if isinstance(value, tuple):
        return tuple(new if at == keys[0] else item for at, item in enumerate(value))
    whole = np.array(value, float) if isinstance(value, np.ndarray) else copy.copy(value)
    whole[keys[0]] = new
    return whole


def unit(printed: str) -> float:
    """Give a unit of the last digit that is printed."""
    digits, _, power = printed.partition("e")
    decimals = len(digits.rstrip("%").partition(".")[2])
    return 10.0 ** (int(power or 0) - decimals - 2 * printed.endswith("%"))


def of_pages(project: Project) -> Iterator[Alteration]:
    """Yield the alterations of every number that a page prints."""
    found: list[Alteration] = []

    def note(written: str, page: Recorder) -> tuple[str, list[str]]:
        printed, snippets = evaluate(written, page)
        expression = OTHER_CHAPTER.sub(r"\1__\2", written.partition(" :")[0].strip())
        node = ast.parse(expression, mode="eval").body
        keys: list[Any] = []
        try:
            while isinstance(node, ast.Subscript):
                keys.insert(0, ast.literal_eval(node.slice))
                node = node.value
            measured = {each for pair in MEASURED.findall(page.text) for each in pair}
            if isinstance(node, ast.Attribute) and written.strip() not in measured:
                place = f"{page.place(page.line)}: {{= {written.strip()} }}"
                for by in (unit(printed), -unit(printed)):
                    found.append(Alteration(snippets[0], node.attr, (*keys,), by, place))
        except ValueError:  # no number, or a key that is computed
            pass
        return printed, snippets

    with patch("weave.embeds.value.evaluate", note):
        for source in sorted(project.root.glob("docs/*.md")):
            page = Recorder(project, source.name, markdown=Markdown())
            page.place = f"docs/{source.name}:{{}}".format
            page.weave(source.read_text("utf-8"))
    yield from {each[:4]: each for each in reversed(found)}.values()


class Notice:
    """Runs each test again, with altered numbers."""

    def __init__(self, project: Project) -> None:
        self.left = dict.fromkeys(of_pages(project), False)  # whether any test has read it
        self.read: set[tuple[str, str]] = set()  # by the test at hand
        self.active: Alteration | None = None
        self.total = len(self.left)

    def give(self, fresh: Any) -> Any:
        """Make what gives a result: altered if it is its turn, and never kept."""

        def getattr_(results: Results, name: str) -> Any:
            value = fresh(results, name)
            vars(results).pop(name, None)
            self.read.add((results._snippet, name))
            if self.active and self.active[:2] == (results._snippet, name):
                return altered(value, self.active.keys, self.active.by)
            return value

        return getattr_

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        """Note what a test reads, also in its fixtures."""
        self.read.clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Iterator[None]:
        """Run a test again for each number that it has read and no test has noticed."""
        outcome = yield
        names = pyfuncitem._fixtureinfo.argnames
        arguments = {name: pyfuncitem.funcargs[name] for name in names}
        for each in [each for each in self.left if each[:2] in self.read]:
            self.active = each
            try:
                pyfuncitem.obj(**arguments)
                self.left[each] = True
            except (Exception, pytest.fail.Exception):
                del self.left[each]
            finally:
                self.active = None
        return outcome

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name what no test has noticed."""
        terminalreporter.write_line(f"{self.total - len(self.left)} of {self.total} are noticed")
        for each, was_read in self.left.items():
            why = "" if was_read else ", no test reads it"
            terminalreporter.write_line(f"{each.place}: {each.by:+g} goes unnoticed{why}")


def pytest_configure(config: Any) -> None:
    """Join in."""
    from tests.conftest import PROJECT

    PROJECT.refresh()
    notice = Notice(PROJECT)
    Results.__getattr__ = notice.give(Results.__getattr__)  # type: ignore[method-assign]
    config.pluginmanager.register(notice)
