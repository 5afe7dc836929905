"""Measure `mkdocs serve`: until the first page, and from an edit until the page shows it."""

import logging
import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench import project
from bench.builds import BUILD, BUILD_PLAIN, seconds_alone
from bench.processes import BIN, CommandError, environment, run, started
from bench.tables import PROMISES, Table, fact, promise

log = logging.getLogger("bench")

PATIENCE = 300  # seconds, after which a page is taken to be stuck
PAGE = "docs/variance.md"
SNIPPET = "snippets/variance/divisor.py"  # a fast one, shown on that page
PROSE = re.compile(r"^# .+\n+(?P<sentence>.+)$", re.MULTILINE)  # the first line below the title
CELL = "\n# %%"


def serving(edits: int) -> Table:
    """Measure `mkdocs serve` in a copy that has been built before, beside plain Material's."""
    with project.copy() as root, project.plain_copy() as plain:
        log.info("serve: a build, not counted")
        run(BUILD, root)
        floor, starts = [], []
        for n in (1, 2, 3):
            log.info("serve: starts, %d of 3", n)
            floor.append(first_page(plain))  # by turns, so that other load falls on both
            starts.append(first_page(root))
        server = Server(plain)
        with started(server.command, plain) as server.process:
            floor_sentence = edit_times(server, plain / PAGE, edit_sentence, edits)
        server = Server(root)
        with started(server.command, root) as server.process:
            sentence = edit_times(server, root / PAGE, edit_sentence, edits)
            snippet = edit_times(server, root / SNIPPET, edit_snippet, edits)
        (own,) = seconds_alone([root / SNIPPET], root)
    plain_start, plain_edit = median(floor), median(floor_sentence)
    most = 1.3 * plain_edit + own  # of an edited snippet
    return [
        PROMISES,
        fact("plain Material: start until the first page", plain_start, " s", 2),
        promise("start until the first page, warm", median(starts), 1.5 * plain_start, " s", 2),
        fact("plain Material: a sentence edited until the page shows it", plain_edit, " s", 2),
        promise("a sentence edited until the page shows it", median(sentence), plain_edit, " s", 2),
        fact("the slowest of these", max(sentence), " s", 2),
        promise("a snippet edited until the page shows it", median(snippet), most, " s", 2),
        fact("the slowest of these", max(snippet), " s", 2),
        fact("of which the snippet's own run", own, " s", 2),
    ]


class Server:
    """A `mkdocs serve` to be started: its command, and the page that is looked at."""

    process: subprocess.Popen[bytes]

    def __init__(self, root: Path, page: str = "variance/") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{self.address}/{page}"
        self.command = (BIN / "mkdocs", "serve", "--dev-addr", self.address)

    def wait_for(self, text: str) -> None:
        """Ask for the page every 20 ms until it is there and says `text`.

        While MkDocs builds, it holds its answer back, so the asking does not slow the build.

        Raises:
            CommandError: the server ended, or nothing came.
        """
        deadline = time.perf_counter() + PATIENCE
        while time.perf_counter() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(self.url, timeout=PATIENCE) as answer:
                    if text in answer.read().decode():
                        return
            except OSError:
                pass  # not up yet
            time.sleep(0.02)
        raise CommandError(f"{self.url} did not show {text!r}")


def first_page(root: Path) -> float:
    """Give the time from the start of `mkdocs serve` until it has served the first page."""
    server = Server(root, page="")
    start = time.perf_counter()
    with started(server.command, root) as server.process:
        server.wait_for("")
        return time.perf_counter() - start


def edit_times(
    server: Server, file: Path, edit: Callable[[str, str], str], edits: int
) -> list[float]:
    """Edit a file several times, and give the time that each edit took to show."""
    original = file.read_text("utf-8")
    times = []
    for n in range(1, edits + 1):
        log.info("serve: edit %d of %d of %s", n, edits, file.name)
        time.sleep(1.5)  # an edit may have set off a second build, which is waited for here
        server.wait_for("")
        # The server looks for changes every tenth of a second. Edits fall on all parts of it alike.
        time.sleep(0.1 * n / edits)
        word = f"{file.stem}-edit-{n}"
        start = time.perf_counter()
        file.write_text(edit(original, word), "utf-8")
        server.wait_for(word)
        times.append(time.perf_counter() - start)
    return times


def edit_sentence(page: str, word: str) -> str:
    """Add a word to the page's first sentence."""
    return PROSE.sub(lambda found: f"{found[0]} ({word})", page, count=1)


def edit_snippet(script: str, word: str) -> str:
    """Add a result with a remark to the snippet's first cell; the page shows the cell."""
    words, compute, *rest = script.split(CELL)
    return CELL.join([words, f'{compute}edited = "{word}"\n', *rest])


def first_start() -> Table:
    """Measure a fresh clone: from `git clone` until `make serve` has served the first page."""
    with project.folder() as root:
        log.info("first: an installation into a throw-away clone, to fill the installer's cache")
        clone(root)
        run(("make", ".venv/installed"), root)
    with project.folder() as root:
        log.info("first: clone, and make serve")
        server = Server(root, page="")
        start = time.perf_counter()
        clone(root)
        command = ("make", "serve", f"ARGS=--dev-addr {server.address}")
        with started(command, root) as server.process:
            server.wait_for("")
            seconds = time.perf_counter() - start
    with project.plain_copy() as plain:
        floor = median(run(BUILD_PLAIN, plain).wall for _ in range(3))
    return [
        PROMISES,
        fact("floor: a build of plain Material, installed", floor, " s"),
        promise("git clone until the first page, packages at hand", seconds, 25 * floor, " s"),
    ]


def clone(root: Path) -> None:
    """Clone the last commit of the checkout."""
    command = ("git", "clone", "--quiet", project.ROOT, root)
    subprocess.run(command, check=True, env=environment(root))
