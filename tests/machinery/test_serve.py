"""`mkdocs serve` shows a change in a snippet, and a mistake in it, and goes on."""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import pytest


@pytest.fixture
def read(project) -> Iterator:
    """Serve the project; `read(text)` waits until the chapter says `text`, and gives its HTML."""
    project.snippet("slope = 1.25")
    project.build("# T\n\n::: chapter/line\n\nIt is {= line.slope }.\n")
    config = project.root / "mkdocs.yml"
    config.write_text(config.read_text() + "watch: [snippets]\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address]
    server = subprocess.Popen(command, cwd=project.root, stderr=subprocess.PIPE, text=True)

    def read(text: str) -> str:
        page = ""
        for _ in range(240):
            try:
                with urllib.request.urlopen(f"http://{address}/chapter/", timeout=5) as answer:
                    page = answer.read().decode()
            except OSError:
                page = ""  # not up yet
            if text in page:
                return page
            assert server.poll() is None, server.stderr.read()
            time.sleep(0.25)
        raise AssertionError(f"{text!r} did not appear in: {page}")

    yield read
    server.terminate()
    server.wait()


def test_a_reader_of_the_draft_sees_changes_and_mistakes(project, read):
    read(">1.25</a>")
    project.snippet("slope = 2.5")
    read(">2.5</a>")
    project.snippet("slope = missing")
    page = read("NameError")
    assert "docs/chapter.md:3" in page
    assert "snippets/chapter/line.py:7" in page
    project.snippet("slope = 3.75")
    assert "weave-error" not in read(">3.75</a>")
