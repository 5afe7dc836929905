"""The built site, served, and a browser to read it with."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest
from filelock import FileLock
from playwright.sync_api import Page, sync_playwright

from tests.site.browser import BASE, FLAGS, PHONE, ROOT, WIDE, Tab, find_browser, open_tab
from tests.site.explorables import CALM, PAGE, show

BAD = Path(__file__).with_name("bad.html")


@pytest.fixture(scope="session")
def once(tmp_path_factory, worker_id):
    """Fill a folder once, whichever of pytest's workers asks first: `once("site", build)`."""
    mine = tmp_path_factory.getbasetemp()
    shared = mine if worker_id == "master" else mine.parent

    def folder(name: str, fill: Callable[[Path], None]) -> Path:
        filled, part = shared / name, shared / f"{name}.part"
        with FileLock(shared / f"{name}.lock"):
            if not filled.is_dir():
                shutil.rmtree(part, ignore_errors=True)  # another worker failed
                fill(part)
                part.rename(filled)
        return filled

    return folder


@pytest.fixture(scope="session")
def site(once):
    """Build the site as it is published, if `make check` has not just done so."""
    built = os.environ.get("BUILT_SITE")
    return Path(built) if built else once("site", build)


def build(folder: Path) -> None:
    """Build the site into a folder."""
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "SITE_URL": f"http://127.0.0.1{BASE}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        pytest.fail(run.stdout + run.stderr, pytrace=False)


@pytest.fixture(scope="session")
def origin(site, tmp_path_factory):
    """Serve the site below BASE, and the bad page beside it."""
    bad = tmp_path_factory.mktemp("bad")
    shutil.copy(BAD, bad)

    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            path = unquote(urlsplit(path).path)
            folder, below = (site, path[len(BASE) :]) if path.startswith(BASE) else (bad, path[1:])
            file = folder / below
            return str(file / "index.html" if path.endswith("/") else file)

        def copyfile(self, *files: object) -> None:
            with suppress(ConnectionError):  # a page was closed before it had all
                super().copyfile(*files)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    """Start one browser."""
    path = find_browser()
    if path is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("no Chromium found: install chromium, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, origin):
    """Open further pages, and close them after the test."""
    tabs = []

    def open_page(path: str, **options: object) -> Tab:
        tabs.append(open_tab(browser, origin, path, **options))
        return tabs[-1]

    yield open_page
    for tab in tabs:
        tab.page.context.close()


# An explorable's page is opened once for all tests of a module that leave it as it was, or nearly:
# to open it takes longer than most of them. pytest runs the tests of one name after another.


@pytest.fixture(scope="module", params=PAGE)
def walk(browser, origin, request):
    """The page of an explorable: its name, the tab, and the state it begins with."""
    tab = open_tab(browser, origin, BASE + PAGE[request.param], **CALM)
    yield request.param, tab, show(tab.page, request.param, "shown => shown.values")
    tab.page.context.close()


@pytest.fixture
def walked(walk) -> tuple[str, Tab]:
    """Give the page nearly as it was opened: wide, and in the first state."""
    name, tab, first = walk
    tab.page.set_viewport_size(WIDE)
    begin_again(tab.page, name, first)
    return name, tab


@pytest.fixture(scope="module", params=PAGE)
def touch(browser, origin, request):
    """The same on a phone, for fingers."""
    tab = open_tab(browser, origin, BASE + PAGE[request.param], has_touch=True, **CALM)
    tab.page.set_viewport_size(PHONE)
    yield request.param, tab, show(tab.page, request.param, "shown => shown.values")
    tab.page.context.close()


@pytest.fixture
def touched(touch) -> tuple[str, Tab]:
    """Give the phone's page nearly as it was opened."""
    name, tab, first = touch
    begin_again(tab.page, name, first)
    return name, tab


def begin_again(page: Page, name: str, first: dict) -> None:
    """Put an explorable back to its first state; half a second later the address says that."""
    show(page, name, "shown => 0", **first)
