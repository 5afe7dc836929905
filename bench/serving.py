"""Measure `mkdocs serve`: until the first page, and from an edit until the page shows it."""

import json
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
STATE = "weave-runs.json"  # what is being run
OTHER_PAGE = "saturation/"  # one that has nothing to do with it
PENDING = 'class="pending"'  # what a page has where something has not been run yet
PROSE = re.compile(r"^# .+\n+(?P<sentence>.+)$", re.MULTILINE)  # the first line below the title
CELL = "\n# %%"


def serving(edits: int) -> Table:
    """Measure `mkdocs serve` in a copy that has been built before, beside plain Material's."""
    with project.copy() as root, project.plain_copy() as plain:
        log.info("serve: a build, and a server with an empty cache")
        cold = run(BUILD, root).wall
        project.remove_builds(root)
        first, front, last = from_empty_cache(root)
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
            beside = beside_slow_snippet(server, root / SNIPPET)
        (own,) = seconds_alone([root / SNIPPET], root)
    plain_start, plain_edit = median(floor), median(floor_sentence)
    most = 1.3 * plain_edit + own  # of an edited snippet
    return [
        PROMISES,
        fact("plain Material: start until the first page", plain_start, " s", 2),
        promise("start until the first page, warm", median(starts), 1.5 * plain_start, " s", 2),
        promise("the same with an empty cache", first, 3 * plain_start, " s", 2),
        fact("until the front page has all its figures and numbers", front, " s"),
        fact("a build with an empty cache, for comparison", cold, " s"),
        promise("until every page has all of them", last, 1.1 * cold, " s"),
        fact("plain Material: a sentence edited until the page shows it", plain_edit, " s", 2),
        promise("a sentence edited until the page shows it", median(sentence), plain_edit, " s", 2),
        fact("the slowest of these", max(sentence), " s", 2),
        promise("a snippet edited until the page shows it", median(snippet), most, " s", 2),
        fact("the slowest of these", max(snippet), " s", 2),
        fact("of which the snippet's own run", own, " s", 2),
        promise("another page, 2 s after a snippet of 20 s was saved", beside, 1, " s", 2),
    ]


class Server:
    """A `mkdocs serve` to be started: its command, and the page that is looked at."""

    process: subprocess.Popen[bytes]

    def __init__(self, root: Path, page: str = "variance/") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.page = page
        self.command = (BIN / "mkdocs", "serve", "--dev-addr", self.address)

    def ask(self, page: str) -> str:
        """Give a page, by its address; nothing as long as the server is not up."""
        try:
            with urllib.request.urlopen(
                f"http://{self.address}/{page}", timeout=PATIENCE
            ) as answer:
                return str(answer.read().decode())
        except OSError:
            return ""

    def wait_for(self, text: str) -> None:
        """Ask for the page every 20 ms until it is there and says `text`.

        Raises:
            CommandError: the server ended, or nothing came.
        """

        def is_shown() -> bool:
            found = self.ask(self.page)
            return bool(found) and text in found

        self.wait_until(is_shown)

    def wait_until(self, is_so: Callable[[], bool], every: float = 0.02) -> None:
        """Look every so many seconds until something is so.

        Raises:
            CommandError: the server ended, or it never was.
        """
        deadline = time.perf_counter() + PATIENCE
        while time.perf_counter() < deadline and self.process.poll() is None:
            if is_so():
                return
            time.sleep(every)
        raise CommandError(f"{self.address}/{self.page} did not show what was waited for")


def first_page(root: Path) -> float:
    """Give the time from the start of `mkdocs serve` until it has served the first page."""
    server = Server(root, page="")
    start = time.perf_counter()
    with started(server.command, root) as server.process:
        server.wait_for("")
        return time.perf_counter() - start


def from_empty_cache(root: Path) -> tuple[float, float, float]:
    """Start a server with an empty cache, and read the front page.

    Returns:
        The seconds until the first page, until that has all figures and numbers, and until every
        page has.
    """
    server = Server(root, page="")
    pages = [f"{page.stem}/" for page in root.glob("docs/*.md") if page.stem != "index"]
    pages += [f"labs/{lab.stem}/" for lab in root.glob("docs/labs/*.ipynb")]
    start = time.perf_counter()

    def is_whole(page: str) -> bool:
        found = server.ask(page)
        return bool(found) and PENDING not in found

    with started(server.command, root) as server.process:
        server.wait_for("")
        first = time.perf_counter() - start
        server.wait_until(lambda: is_whole(""), 0.5)
        front = time.perf_counter() - start
        # A page that is asked for is taken to be read: so they are, once nothing runs any more.
        server.wait_until(lambda: is_over(server) and all(map(is_whole, pages)), 0.5)
        return first, front, time.perf_counter() - start


def is_over(server: Server) -> bool:
    """Tell whether nothing is left to run."""
    return bool(json.loads(server.ask(STATE)).get("is over"))


def beside_slow_snippet(server: Server, script: Path) -> float:
    """Give how long another page takes to come, 2 s after a snippet of 20 s was saved."""
    original = script.read_text("utf-8")
    script.write_text(
        original.replace(CELL, f"{CELL}\nimport time\n\ntime.sleep(20)\n", 1), "utf-8"
    )
    time.sleep(2)
    start = time.perf_counter()
    server.ask(OTHER_PAGE)
    seconds = time.perf_counter() - start
    script.write_text(original, "utf-8")
    return seconds


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
        # The server looks for changes every fifth of a second. Edits fall on all parts of it alike.
        time.sleep(0.2 * n / edits)
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
        promise("git clone until the first page, packages at hand", seconds, 10 * floor, " s"),
    ]


def clone(root: Path) -> None:
    """Clone the last commit of the checkout."""
    command = ("git", "clone", "--quiet", project.ROOT, root)
    subprocess.run(command, check=True, env=environment(root))
