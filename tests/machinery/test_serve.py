"""`mkdocs serve` shows a change in a snippet, and a mistake in it, and goes on."""

import logging
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config


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


def test_the_mistakes_of_a_draft_are_summed_up(project, monkeypatch):
    project.build("# T\n\n{= line.slope } and {= lime.slope }\n\n[there](no.md)\n")
    config = load_config(str(project.root / "mkdocs.yml"))
    for name, value in {"in_place": True, "site": None}.items():  # as a server has them
        monkeypatch.setattr(config.plugins["weave"], name, value)
    project.log.set_level(logging.INFO, "mkdocs")
    project.log.clear()
    build(config)
    summary = [text for text in project.log.messages if text.startswith("mistakes: ")]
    assert summary == ["mistakes: 3; the first: docs/chapter.md:3: no snippet 'chapter/line'"]


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
