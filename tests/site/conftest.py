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
from playwright.sync_api import sync_playwright

from tests.site.browser import BASE, FLAGS, ROOT, Tab, find_browser, open_tab

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
