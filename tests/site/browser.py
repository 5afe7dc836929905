"""What the browser tests share: which pages there are, and how one is opened and asked."""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
BASE = "/why/"  # below the root, as GitHub Pages serves a project
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
NARROW = {"width": 320, "height": 640}  # a small phone, and a window of 1280 at 400 %
# How a page can be shown: the size of the window, and what the system asks for.
SCREEN, PAPER = {"media": "screen", "color_scheme": "light"}, {"media": "print"}
SHOWN = {
    "light": (WIDE, SCREEN),
    "dark": (WIDE, SCREEN | {"color_scheme": "dark"}),
    "phone": (PHONE, SCREEN),
    "dark phone": (PHONE, SCREEN | {"color_scheme": "dark"}),
    "narrow": (NARROW, SCREEN),
    "paper": (WIDE, SCREEN | PAPER),
}


def address(source: Path) -> str:
    """Give the address of a page below BASE."""
    stem = source.relative_to(ROOT / "docs").with_suffix("").as_posix()
    return stem.removesuffix("index") if stem.split("/")[-1] == "index" else f"{stem}/"


SOURCES = sorted(path for kind in ("md", "ipynb") for path in (ROOT / "docs").rglob(f"*.{kind}"))
ADDRESSES = [address(path) for path in SOURCES]
PAGES = [*ADDRESSES, "404.html"]

# How Chromium is started: it asks for nothing by itself, and resolves no name, so a page cannot
# reach another host.
FLAGS = [
    "--disable-gpu",
    "--font-render-hinting=slight",  # as with windows: letters keep their widths
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


def find_browser() -> str | None:
    """Find a Chromium: the variable CHROMIUM, or one of the names that systems give it.

    The first has no windows, and takes little more than half the time of the others.
    """
    names = "chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable"
    installed = filter(None, map(shutil.which, names.split()))
    return os.environ.get("CHROMIUM") or next(installed, None)


@dataclass
class Tab:
    """An open page, and what it asked for and complained of since it was opened."""

    page: Page
    origin: str
    requests: list[str] = field(default_factory=list)
    awaited: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    shown: str = "light"

    def show(self, how: str) -> None:
        """Show the page in one of the ways in SHOWN, and wait until it is so."""
        if how != self.shown:
            size, media = SHOWN[how]
            self.page.set_viewport_size(size)
            self.page.emulate_media(**media)
            settle(self.page)
            self.shown = how


def settle(page: Page) -> None:
    """Wait until scripts have heard of a change, and end the fading of colours."""
    page.evaluate(
        """() => new Promise(done => requestAnimationFrame(() => setTimeout(() => {
            document.getAnimations().forEach(fading => fading.finish())
            done()
        })))"""
    )


def wait_until_quiet(tab: Tab) -> None:
    """Wait until all that the page asked for has come, and half a second brings nothing new.

    Playwright's own `networkidle` may never come where the processor is slow: it is lost if a
    request ends before the page is parsed (microsoft/playwright, issue 42598).

    Raises:
        TimeoutError: something has not come within half a minute.
    """
    for _ in range(60):
        asked = len(tab.requests)
        tab.page.wait_for_timeout(500)
        if not tab.awaited and len(tab.requests) == asked:
            return
    raise TimeoutError(f"still asking for {tab.awaited or tab.requests[asked:]}")


def unfold(tab: Tab) -> None:
    """Open what is folded, and have all of the page laid out."""
    tab.page.evaluate(
        """() => {
            window.unfoldAll?.()
            document.querySelectorAll('details').forEach(e => { e.open = true })
            // Of what is out of sight Chromium does not tell the colours of a new palette.
            document.querySelectorAll('article *').forEach(e => {
                if (getComputedStyle(e).contentVisibility === 'auto')
                    e.style.contentVisibility = 'visible'
            })
        }"""
    )


def open_tab(
    browser: Browser, origin: str, path: str, until: str = "load", **options: object
) -> Tab:
    """Open a page in a context of its own, which remembers nothing."""
    page = browser.new_context(viewport=WIDE, **options).new_page()
    tab = Tab(page, origin)
    page.context.on("request", lambda request: tab.requests.append(request.url))
    page.context.on("request", lambda request: tab.awaited.append(request.url))
    page.context.on("requestfinished", lambda request: tab.awaited.remove(request.url))
    page.context.on("requestfailed", lambda request: tab.awaited.remove(request.url))
    page.context.on("requestfailed", lambda request: tab.errors.append(f"failed: {request.url}"))
    page.context.on(
        "response",
        lambda got: tab.errors.append(f"{got.status}: {got.url}") if got.status >= 400 else None,
    )
    page.on("console", lambda said: tab.errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: tab.errors.append(str(error)))
    page.goto(origin + path, wait_until=until)
    if options.get("java_script_enabled", True):
        page.evaluate(BEGIN)
    return tab


# What can be dragged begins once it is near the screen, or once a link to it is pressed: here one
# that leads nowhere, so that the page is as it was.
BEGIN = """async () => {
    await new Promise(done => setTimeout(done))
    for (const each of document.querySelectorAll('[data-explore]')) {
        const link = document.createElement('a')
        link.href = `#${each.localName.slice(4)}`
        link.addEventListener('click', event => event.preventDefault())
        document.body.append(link)
        if (!location.hash) link.click()
        link.remove()
    }
}"""


def asks_elsewhere(tab: Tab) -> list[str]:
    """Requests off the page's origin, and links in its head that would make some."""
    asked = [url for url in tab.requests if not url.startswith((tab.origin, "data:", "blob:"))]
    return asked + tab.page.evaluate(
        """() => [...document.querySelectorAll('link[href], [src], [srcset], object[data]')]
            .filter(e => !/canonical|next|prev|license|author|alternate/.test(e.rel || ''))
            .map(e => e.href || e.src || e.srcset || e.data)
            .filter(url => /^(https?:)?[/][/]/.test(url) && !url.startsWith(location.origin))"""
    )


def complains(tab: Tab) -> list[str]:
    """Console errors, exceptions, failed requests."""
    return tab.errors


CONTRAST = """(one, other) => {
    const pixel = document.createElement('canvas').getContext('2d', {willReadFrequently: true})
    const luminance = colour => {
        pixel.fillStyle = colour
        pixel.fillRect(0, 0, 1, 1)
        const [r, g, b] = [...pixel.getImageData(0, 0, 1, 1).data].map(
            c => c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    }
    const [a, b] = [luminance(one), luminance(other)]
    return Math.max(a, b) / Math.min(a, b)
}"""


def background(page: Page) -> str:
    """Say whether the page is light or dark."""
    black = page.evaluate(
        f"() => ({CONTRAST})(getComputedStyle(document.body).backgroundColor, 'black')"
    )
    return "light" if black > 4.58 else "dark"  # the ratio at which black and white are equal
