"""What tests notice: a number that a page prints, a unit of its last digit off, fails a test.

A plugin for pytest: after `make test ARGS="-p tests.text.digits tests/variance"` every number of
this chapter, on whatever page it is printed, is altered by one unit of the last digit, up and down,
and the tests that read it run again, the quick ones first, until one has noticed; what none has
noticed, nor an assertion of the snippet, is named. A number with a standard error is left out: it
says itself how far it may be off.
"""

import copy
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from markdown import Markdown

from tests.text.seeds import Recorder
from weave.embeds.value import NAME, evaluate, key_of
from weave.project import Project
from weave.run.results import Results

KEY = re.compile(r"\[([^\[\]]+)\]")


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

    def note(written: str, page: Recorder) -> tuple[str, str]:
        printed, snippet = evaluate(written, page)
        *_, result, at = NAME.fullmatch(written.partition(" :")[0].strip()).groups()
        # In a row of a table a name stands for its key.
        keys = [key_of(key, page.own) for key in KEY.findall(at)]
        if result and "±" not in printed and printed.rstrip("%")[-1:].isdigit():
            place = f"{page.place(page.line)}: {{= {written.strip()} }}"
            for by in (unit(printed), -unit(printed)):
                found.append(Alteration(snippet, result, (*keys,), by, place))
        return printed, snippet

    with patch("weave.embeds.value.evaluate", note):
        for source in sorted(project.root.glob("docs/*.md")):
            page = Recorder(project, source.name, markdown=Markdown())
            page.place = f"docs/{source.name}:{{}}".format
            page.weave(source.read_text("utf-8"))
    yield from {each[:4]: each for each in reversed(found)}.values()


@cache
def cells(path: Path) -> tuple[dict[str, Any], Any]:
    """Give the names that a snippet leaves, and the code of its assertions."""
    code, _, says = path.read_text("utf-8").partition("\n# %% says\n")
    names: dict[str, Any] = {"__name__": path.stem}
    with patch("sys.path", [str(path.parent), *sys.path]), patch("matplotlib.pyplot.show"):
        exec(code, names)
    return names, compile(says, path, "exec")


class Test(NamedTuple):
    """A test that has passed."""

    seconds: float
    again: Callable[[], Any]
    read: set[tuple[str, str]]  # the results, also by its fixtures


class Notice:
    """Runs tests again, with altered numbers."""

    def __init__(self, project: Project) -> None:
        self.all = list(of_pages(project))
        self.tests: list[Test] = []
        self.read: set[tuple[str, str]] = set()  # by the test at hand
        self.root = project.root
        self.active: Alteration | None = None
        self.values: dict[tuple[str, str], Any] = {}

    def give(self, fresh: Any) -> Any:
        """Make what gives a result: altered if it is its turn, and else read once."""
        values = self.values

        def getattr_(results: Results, name: str) -> Any:
            key = results._snippet, name
            if key not in values:
                values[key] = fresh(results, name)
                vars(results).pop(name, None)
            self.read.add(key)
            if self.active and self.active[:2] == key:
                return altered(values[key], self.active.keys, self.active.by)
            return values[key]

        return getattr_

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep to the chapters whose tests will run."""
        chapters = {item.path.parent.name for item in session.items}
        self.all = [each for each in self.all if each.snippet.partition("/")[0] in chapters]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        """Note what a test reads, also in its fixtures."""
        self.read.clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Iterator[None]:
        """Keep a test, to run it again."""
        names, begin = pyfuncitem._fixtureinfo.argnames, time.perf_counter()
        outcome = yield
        arguments = {name: pyfuncitem.funcargs[name] for name in names}
        again = partial(pyfuncitem.obj, **arguments)
        self.tests.append(Test(time.perf_counter() - begin, again, self.read.copy()))
        return outcome

    def passes(self, tests: list[Test]) -> bool:
        """Tell whether no test fails."""
        try:
            for test in tests:
                test.again()
        except (Exception, pytest.fail.Exception):
            return False
        return True

    def asserted(self, each: Alteration) -> bool:
        """Tell whether an assertion of the snippet fails."""
        names, says = cells(self.root / f"snippets/{each.snippet}.py")
        try:
            exec(says, names | {each.result: altered(names[each.result], each.keys, each.by)})
        except (AssertionError, TypeError):  # a quoted word cannot be altered
            return True
        return False

    def unnoticed(self) -> Iterator[tuple[Alteration, bool]]:
        """Yield the alterations that no test notices, and whether any reads the number."""
        self.tests.sort(key=lambda test: test.seconds)
        for each in self.all:
            self.active = each
            tests = [test for test in self.tests if each[:2] in test.read]
            if self.passes(tests) and not self.asserted(each):
                yield each, bool(tests)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name what no test has noticed."""
        left = list(self.unnoticed())
        noticed = len(self.all) - len(left)
        terminalreporter.write_line(f"{noticed} of {len(self.all)} are noticed")
        for each, was_read in left:
            why = "" if was_read else ", no test reads it"
            terminalreporter.write_line(f"{each.place}: {each.by:+g} goes unnoticed{why}")


def pytest_configure(config: Any) -> None:
    """Join in."""
    from tests.conftest import PROJECT

    PROJECT.refresh()
    notice = Notice(PROJECT)
    Results.__getattr__ = notice.give(Results.__getattr__)  # type: ignore[method-assign]
    config.pluginmanager.register(notice)
