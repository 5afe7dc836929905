"""Weigh every page as somebody gets it who has never been here: bytes, elements and times.

Bytes are exact, and tests/site/test_weight.py holds them to the same KILOBYTES. Times are those of
a middling phone: a line of 10 Mbit/s and 40 ms, a processor four times as slow as ours.
"""

import argparse
import gzip
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from statistics import median
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, sync_playwright

from bench import tables
from bench.project import ROOT
from tests.site.browser import ADDRESSES, FLAGS, find_browser

log = logging.getLogger("bench")

KINDS = {".html": "page", ".css": "styles", ".js": "scripts", ".woff2": "fonts"}
# What static hosts compress. Fonts and pictures are compressed already.
TEXT = {".html", ".css", ".js", ".svg", ".json", ".xml", ".txt"}

LINE = {"latency": 40, "downloadThroughput": 10e6 / 8, "uploadThroughput": 10e6 / 8}
SLOWER = 4
TRACED = ["loading", "devtools.timeline", "disabled-by-default-devtools.timeline"]
LOADS = 3
TIMES = ("lcp", "cls", "blocked")
QUIET = 2000  # ms without a long task or a request, after which a page has loaded


# The most that a first visit may take: what a reader notices of it, and bytes, which are watched:
# this is well above what pages need, so that what doubles one is seen.
KILOBYTES = 300
PAINT, SHIFT, BLOCKED = 1000, 0.02, 200  # ms, a part of the screen, ms


def file_of(site: Path, url: str, base: str = "/") -> Path:
    """Give the file of a built site that an address means."""
    path = unquote(urlsplit(url).path).removeprefix(base).lstrip("/")
    return site / path / "index.html" if not path or path.endswith("/") else site / path


@cache
def body(file: Path) -> bytes:
    """Give what a static host sends for a file."""
    content = file.read_bytes()
    return gzip.compress(content, 6, mtime=0) if file.suffix in TEXT else content


def kilobytes(files: Iterable[Path]) -> dict[str, float]:
    """Add up what files weigh on the line, by kind, without the headers of answers."""
    weights = dict.fromkeys([*KINDS.values(), "other"], 0.0)
    for file in set(files):
        weights[KINDS.get(file.suffix, "other")] += len(body(file)) / 1000
    return weights


OBSERVE = """
window.seen = {lcp: 0, cls: 0, moved: [], last: 0}
const observe = (type, use) => new PerformanceObserver(
    list => list.getEntries().forEach(use)).observe({type, buffered: true})
observe('largest-contentful-paint', e => { seen.lcp = e.startTime })
observe('longtask', e => { seen.last = performance.now() })
observe('resource', e => { seen.last = performance.now() })
observe('layout-shift', e => {
    seen.cls += e.value
    seen.moved.push(...e.sources.map(
        s => [e.value, Math.round(e.startTime), (s.node?.outerHTML ?? s.node?.data)?.slice(0, 80)]))
})
"""


def weigh(browser: Browser, origin: str, site: Path, path: str) -> dict[str, Any]:
    """Load a page for the first time, on a slow line and a slow processor."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {"offline": False, **LINE})
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(OBSERVE)
    browser.start_tracing(page=page, categories=TRACED)
    page.goto(origin + path)
    while page.evaluate("performance.now() - seen.last") < QUIET:
        page.wait_for_timeout(QUIET / 4)
    tasks = long_tasks(json.loads(browser.stop_tracing())["traceEvents"])
    found = page.evaluate("({...seen, elements: document.querySelectorAll('*').length})")
    context.close()
    weights = kilobytes(file_of(site, url) for url in asked if url.startswith(origin))
    blocked = sum(task - 50 for task in tasks)
    return found | weights | {"requests": len(asked), "tasks": tasks, "blocked": blocked}


def long_tasks(events: list[dict[str, Any]]) -> list[float]:
    """Give the tasks of the page's thread above 50 ms after the first paint.

    Its own time is counted, so that other work on the machine does not lengthen it.
    """
    (paint, *_) = [each for each in events if each["name"] == "firstContentfulPaint"]
    own = [
        each.get("tdur", 0) / 1000
        for each in events
        if each["name"] == "RunTask" and each["tid"] == paint["tid"] and each["ts"] > paint["ts"]
    ]
    return [task for task in own if task > 50]


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder as static hosts do, with text compressed."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            file = file_of(site, self.path)
            is_there = file.is_file()
            content = body(file) if is_there else b""
            self.send_response(200 if is_there else 404)
            self.send_header("Content-Type", guess_type(file)[0] or "application/octet-stream")
            self.send_header("Content-Length", str(len(content)))
            if is_there and file.suffix in TEXT:
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@contextmanager
def opened(site: Path | None) -> Iterator[tuple[Browser, str, Path, str]]:
    """Start a browser and serve a site, built for this unless one is given; say in what browser."""
    program = find_browser()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        if not site:
            command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
            quiet = os.environ | {"SITE_URL": ""}
            subprocess.run(command, cwd=ROOT, env=quiet, check=True, capture_output=True)
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        # Programs differ: one without windows has less to do.
        with served(site or Path(folder)) as origin:
            name = f"{program and Path(program).name} {browser.version}"
            yield browser, origin, site or Path(folder), name
        browser.close()


HEAD = ("page", "KB", "HTML", "styles", "scripts", "fonts", "other", "requests", "elements")


def row(path: str, found: dict[str, Any]) -> tables.Row:
    """Give a page's row; what is beyond its limit stands out."""

    def cell(number: float, most: float, digits: int = 0) -> str:
        text = f"{number:,.{digits}f}"
        return text if number <= most else f"**{text}**"

    weights = [found[kind] for kind in (*KINDS.values(), "other")]
    return (
        path.strip("/") or "front page",
        cell(sum(weights), KILOBYTES),
        *(f"{weight:.0f}" for weight in weights),
        f"{found['requests']}",
        f"{found['elements']:,}",
        cell(found["lcp"], PAINT),
        cell(found["cls"], SHIFT, 3),
        cell(found["blocked"], BLOCKED),
    )


def main() -> None:
    """Build the site, weigh its pages, and write the table."""
    parser = argparse.ArgumentParser(prog="make weigh ARGS=…", description=__doc__)
    parser.add_argument("pages", nargs="*", help="such as variance/ (usually: all)")
    parser.add_argument("--site", type=Path, help="a built site (usually: built for this)")
    parser.add_argument("--why", action="store_true", help="also print what moved and what blocked")
    chosen = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
    note = tables.circumstances()
    rows = [(*HEAD, "LCP, ms", "CLS", "blocked, ms")]
    with opened(chosen.site) as (browser, origin, site, name):
        for path in chosen.pages or ADDRESSES:
            log.info("weigh: %s", path or "front page")
            loads = [weigh(browser, origin, site, path) for _ in range(LOADS)]
            found = loads[-1] | {time: median(each[time] for each in loads) for time in TIMES}
            if chosen.why:
                print(*found["moved"], found["tasks"], found["lcp"], sep="\n")
            rows.append(row(path, found))
    note = f"{name}. {note}"
    if chosen.pages or chosen.site:
        print(tables.markdown(rows, note))
    else:
        tables.write("weigh", rows, f"Times are medians of {LOADS} loads in {note}")


if __name__ == "__main__":
    main()
