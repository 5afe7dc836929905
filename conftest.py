"""What holds of all tests. pytest does not read tests/conftest.py for a page of docs/ alone."""

import pytest


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Pass if all that was asked for is pages, and none has an example; say so.

    That nothing was found otherwise, by a name that is mistyped, say, stays an error.

    Args:
        session: pytest's, which is at its end.
        exitstatus: how it would end.
    """
    report = session.config.pluginmanager.get_plugin("terminalreporter")
    pages = session.config.args
    nothing = exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
    left_out = report.stats.get("deselected")
    if nothing and not left_out and all(page.endswith(".md") for page in pages):
        report.write_line(f"Nothing to test: there is no example in {', '.join(pages)}.")
        session.exitstatus = pytest.ExitCode.OK
