"""A site that is served while it is made, and the runs that go on beside it.

The server answers while it builds: a site is made beside the one that it shows, whose place it
takes once it is whole. What has not been run is run meanwhile, first what an open page waits for.
The site is made again when such a page has all that it waits for, when a good deal has come, and
when nothing is left. A script in each page (live.js) says what is being run, and shows the page
anew.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from shutil import rmtree
from typing import Any
from urllib.parse import unquote, urlsplit

from mkdocs.livereload import LiveReloadServer

from weave.engines import progress
from weave.engines.pages_kept import Draft
from weave.project import Project, is_ledger

STATE = "/weave-runs.json"  # asked for by live.js: what is being run
SECONDS_OPEN = 10  # after it has asked for the last time, a page is taken to be closed
SECONDS_OF_PATIENCE = 1
# Between two builds, for no better reason than that something has come: as many times what the last
# one took, and seconds.
REST_FOR_BUILD, LEAST_SECONDS = 2, 10
FRONT_PAGE = "index.md"
MKDOCS = ("mkdocs.livereload", "mkdocs.commands.serve", "mkdocs.commands.build")
STYLES, SCRIPT = ((files("weave") / f"engines/live.{kind}").read_bytes() for kind in ("css", "js"))
IN_PAGE = b'<style>%b</style><script data-base="%b" data-epoch="%d" data-digest="%b">%b</script>'

Answer = Callable[..., Iterable[bytes]]


class LiveSite:
    """The site that is shown, the one that is made beside it, and what is being read.

    Args:
        project: of which it is made.

    Attributes:
        whole: the folder of the last site that was made whole.
        waits: the runs for which a page of it waits, by the page's address.
    """

    server: LiveReloadServer
    answer: Answer  # MkDocs' own

    def __init__(self, project: Project) -> None:
        self.project, self.runner = project, project.runner
        self.whole: Path | None = None
        self.waits: Mapping[str, set[str]] = {}
        self.number = 0  # of the site that is being made
        self.read: dict[str, float] = {}  # when a page was asked for last, by its address
        self.is_building = True
        self.has_taken_up = False  # whether the build at hand has taken up what has been run
        self.begun = time.monotonic()  # when the last build began
        self.ended = self.begun  # and ended
        self.is_wanted = False  # whether runs have set off the next build
        self.is_of_runs = False  # whether nothing else has set off the one at hand
        self.drafts: dict[str, Draft] = {}  # pages that wait, by their names
        self.runner.gently = True

    def folder(self, beside: Path) -> Path:
        """Give the folder in which the next site is made.

        Args:
            beside: MkDocs' own, which goes when the server ends.
        """
        self.number += 1
        return beside / f"site-{self.number}"

    def patience(self) -> float:
        """Give how many seconds a build waits for runs, as it begins to take them up.

        It waits for a quick one, after an edit.
        """
        self.has_taken_up = True
        return 0 if self.number == 1 or self.is_of_runs else SECONDS_OF_PATIENCE

    def finish(self, folder: Path, waits: Mapping[str, set[str]]) -> None:
        """Note that a site has been made whole.

        Args:
            folder: in which it is.
            waits: the runs for which each page waits, by its address.
        """
        self.whole, self.waits = folder, waits

    @property
    def first(self) -> str:
        """The page that is made before the others: the front page, as the server starts."""
        return FRONT_PAGE if self.number == 1 else ""

    def join(self, server: LiveReloadServer) -> None:
        """Have MkDocs' server show the site, of which a first one has been made.

        Args:
            server: has not been started.
        """
        self.server = server
        self.answer = server.serve_request
        server.set_app(self.answer_or_say_what_runs)
        server._inject_js_into_html = self.with_client  # type: ignore[method-assign]
        server.error_handler = self.error_page
        build = server.builder

        def build_beside() -> None:
            self.begin()
            try:
                build()
            except BaseException:  # MkDocs says so, and goes on
                self.is_building = False
                raise
            self.show()

        server.builder = build_beside
        for name in MKDOCS:
            logging.getLogger(name).addFilter(self.is_worth_saying)
        self.runner.heard = self.hear
        self.show()
        server._visible_epoch = server._wanted_epoch
        if self.drafts:
            self.want_build()

    def begin(self) -> None:
        """Begin to make the next site, for which nobody has to wait."""
        self.is_building, self.has_taken_up, self.begun = True, False, time.monotonic()
        self.is_of_runs = self.is_wanted and not self.project.has_been_edited()
        self.is_wanted = False
        with self.server._epoch_cond:
            self.server._wanted_epoch = self.server._visible_epoch
            self.server._epoch_cond.notify_all()

    def show(self) -> None:
        """Show the last site that was made whole."""
        before = Path(self.server.root)
        if self.whole:
            self.server.root = str(self.whole)
            for folder in self.whole.parent.glob("site-*"):
                if folder not in (before, self.whole):  # of these something may still be read
                    rmtree(folder, ignore_errors=True)
        self.is_building = False
        self.ended = time.monotonic()
        # MkDocs has this epoch visible next, and tells all open pages.
        self.server._wanted_epoch = round(self.ended * 1000)
        self.prefer()
        if self.has_taken_up:  # else a file cannot be read, nor could it be by the next build
            self.consider_build()

    def hear(self) -> None:
        """Say how far the runs have come, and have the site made again if that is worth it."""
        progress.say(self.runner.state())
        self.consider_build()

    def consider_build(self) -> None:
        """Have the site made again if what has come is worth it, and is not being put in now."""
        if not self.is_building and self.is_worth_a_build(self.runner.state()):
            self.want_build()

    def want_build(self) -> None:
        """Have the site made again though no file has changed."""
        self.is_wanted = self.is_of_runs = True
        with self.server._rebuild_cond:
            self.server._want_rebuild = True
            self.server._rebuild_cond.notify_all()

    def is_worth_a_build(self, state: Mapping[str, Any]) -> bool:
        """Tell whether what has come since the last build makes another worth its time."""
        pending = self.project.pending.keys()
        pages = self.open_pages()
        if any(self.waits.get(page, set()) - pending for page in pages):
            return True  # it was closed when that came
        news = {*state["news"]}
        if not news:
            return False
        if not state["runs"] and not state["queued"]:
            return True
        going_on = {*state["runs"], *state["queued"]}
        for needs in (*map(self.needs, pages), self.out_of_date()):
            if needs & news and not needs & going_on:  # nothing else can come for it now
                return True
        last = self.ended - self.begun
        rest = max(REST_FOR_BUILD * last, LEAST_SECONDS)
        left = state["seconds"] * len(going_on) / len(state["done"]) if state["done"] else 0
        return time.monotonic() - self.ended > rest and left > last

    def open_pages(self) -> list[str]:
        """Give the addresses of the pages that are open in a browser, the latest first."""
        now = time.monotonic()
        read = sorted(self.read.copy().items(), key=lambda page: -page[1])
        return [page for page, when in read if now - when < SECONDS_OPEN]

    def prefer(self) -> None:
        """Have those run first that were edited, then those for which an open page waits.

        If none is open, it will be the front page.
        """
        names = sorted(self.out_of_date())
        for page in [*self.open_pages(), ""]:
            names += sorted(self.needs(page))
        self.runner.prefer(names)

    def out_of_date(self) -> set[str]:
        """Give the pending runs of which pages show what they gave last."""
        return {name for name in self.project.pending if name in self.project.runs}

    def needs(self, page: str) -> set[str]:
        """Give the runs for which a page waits, and those that these read: ledgers read ledgers."""
        needs = self.waits.get(page, set())
        ledgers = {name for name in self.project.pending if is_ledger(name)}
        return needs | ledgers if needs & ledgers else needs

    def is_worth_saying(self, record: logging.LogRecord) -> bool:
        """Tell whether the author needs to know what MkDocs says: not of a build that runs set off.

        Nor while it builds what it says of a request, which a strict build would count. But its
        address it says as it begins to serve, when runs have set off the next build already.

        Args:
            record: what it says.
        """
        if self.is_building and record.thread != threading.main_thread().ident:
            return False
        is_serving = self.server.serve_thread.is_alive()
        return not (self.is_of_runs and is_serving) or record.levelno > logging.INFO

    def answer_or_say_what_runs(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request, and learn from it what is being read.

        Args:
            environ: of the request, as WSGI has it.
            start_response: WSGI's.
        """
        path = environ["PATH_INFO"]
        if path != STATE:
            if path.endswith("/"):
                self.note(path)
            return self.answer(environ, start_response)
        self.note(urlsplit(environ.get("HTTP_REFERER", "")).path)
        state = json.dumps(self.runner.state()).encode()
        start_response("200 OK", [("Content-Type", "application/json")])
        return [state]

    def note(self, path: str) -> None:
        """Note that a page is being read."""
        page = unquote(path).removeprefix(self.server.mount_path)
        is_new = page not in self.open_pages()
        self.read[page] = time.monotonic()
        if is_new:
            self.prefer()
            self.consider_build()  # what it waits for may be there already

    def with_client(self, content: bytes, epoch: int) -> bytes:
        """Give a page with what a browser needs to know while serving, in place of MkDocs' script.

        Args:
            content: the page.
            epoch: of the site.
        """
        before, end, after = content.rpartition(b"</body>")
        digest = sha256(content).hexdigest().encode()
        base = self.server.mount_path.encode()
        return before + IN_PAGE % (STYLES, base, epoch, digest, SCRIPT) + end + after

    def error_page(self, code: int) -> bytes | None:
        """Give the theme's page for an error, if it has one.

        Args:
            code: such as 404.
        """
        page = Path(self.server.root, f"{code}.html")
        return page.read_bytes() if page.is_file() else None
