"""The built site, in a real browser: every page, both palettes, a phone's width, the keyboard.

A check is a function that lists what is wrong with the page in a tab. Each check meets every page
of the site, where it must list nothing, and one bad page, where it must find what is wrong there.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
BASE = "/why/"  # below the root, as GitHub Pages serves a project
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def address(source: Path) -> str:
    """Give the address of a page below BASE."""
    stem = source.relative_to(ROOT / "docs").with_suffix("").as_posix()
    return stem.removesuffix("index") if stem.split("/")[-1] == "index" else f"{stem}/"


SOURCES = sorted(path for kind in ("md", "ipynb") for path in (ROOT / "docs").rglob(f"*.{kind}"))
ADDRESSES = [address(path) for path in SOURCES]
PAGES = [*ADDRESSES, "404.html"]

# --- the site, a server and a browser ---------------------------------------------------------


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Build the site as it is published."""
    folder = tmp_path_factory.mktemp("site")
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "SITE_URL": f"http://127.0.0.1{BASE}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if build.returncode:
        pytest.fail(build.stdout + build.stderr, pytrace=False)
    return folder


@pytest.fixture(scope="session")
def origin(site, tmp_path_factory):
    """Serve the site below BASE, and the bad page beside it."""
    bad = tmp_path_factory.mktemp("bad")
    (bad / "bad.html").write_text(BAD, "utf-8")

    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            path = unquote(urlsplit(path).path)
            folder, below = (site, path[len(BASE) :]) if path.startswith(BASE) else (bad, path[1:])
            file = folder / below
            return str(file / "index.html" if path.endswith("/") else file)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def find_browser() -> str | None:
    """Find a Chromium: the variable CHROMIUM, or one of the names that systems give it."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser():
    """Start one browser. It resolves no name, so a page cannot reach another host."""
    path = find_browser()
    if path is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("no Chromium found: install chromium, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=[
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
        )
        yield browser
        browser.close()


@dataclass
class Tab:
    """An open page, and what it asked for and complained of since it was opened."""

    page: Page
    origin: str
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def open_tab(
    browser: Browser, origin: str, path: str, until: str = "load", **options: object
) -> Tab:
    """Open a page in a context of its own, which remembers nothing."""
    page = browser.new_context(viewport=WIDE, **options).new_page()
    page.set_default_timeout(5000)
    tab = Tab(page, origin)
    page.context.on("request", lambda request: tab.requests.append(request.url))
    page.context.on("requestfailed", lambda request: tab.errors.append(f"failed: {request.url}"))
    page.context.on(
        "response",
        lambda got: tab.errors.append(f"{got.status}: {got.url}") if got.status >= 400 else None,
    )
    page.on("console", lambda said: tab.errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: tab.errors.append(str(error)))
    page.goto(origin + path, wait_until=until)
    return tab


@pytest.fixture(
    scope="module",
    params=[(path, palette) for path in PAGES for palette in ("light", "dark")],
    ids=lambda param: f"{param[0] or 'index'}-{param[1]}",
)
def tab(request, browser, origin):
    """Every page of the site in both palettes, chosen as the reader's system chooses."""
    path, palette = request.param
    tab = open_tab(browser, origin, BASE + path, "networkidle", color_scheme=palette)
    yield tab
    tab.page.context.close()


@pytest.fixture(scope="module")
def bad_tab(browser, origin):
    """The page on which every check finds something."""
    tab = open_tab(browser, origin, "/bad.html", "networkidle")
    yield tab
    tab.page.context.close()


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


# --- the checks -------------------------------------------------------------------------------


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


def overflows_a_phone(tab: Tab) -> list[str]:
    """Elements wider than a phone, where the page scrolls sideways."""
    tab.page.set_viewport_size(PHONE)
    try:
        return tab.page.evaluate(
            """() => {
                const root = document.scrollingElement
                if (root.scrollWidth <= innerWidth) return []
                const scrolls = e => e && e !== document.body
                    && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement))
                const wide = [...document.querySelectorAll('body *')]
                    .filter(e => e.getBoundingClientRect().right > innerWidth + 0.5)
                    .filter(e => !scrolls(e.parentElement))
                    .map(e => (e.closest('math') || e).outerHTML.slice(0, 120))
                return ['the page is ' + root.scrollWidth + ' px wide', ...new Set(wide)]
            }"""
        )
    finally:
        tab.page.set_viewport_size(WIDE)


def breaks_accessibility_rules(tab: Tab) -> list[str]:
    """What axe finds by WCAG 2.1 A and AA, and by its best practices."""
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
    found = Axe().run(
        tab.page,
        options={"runOnly": {"type": "tag", "values": rules}, "resultTypes": ["violations"]},
    )
    return [
        f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
        # axe reads no MathML, so to it a table's heading that is a formula has no text.
        if not (rule["id"] == "empty-table-header" and "<math" in node["html"])
    ]


def lacks_words(tab: Tab) -> list[str]:
    """Pictures without a text alternative, figures without a caption."""
    return tab.page.evaluate(
        """() => {
            const text = e => (e?.textContent || '').trim()
            const alternative = e => e.tagName === 'IMG' ? e.alt.trim()
                : (e.getAttribute('aria-labelledby') || '').split(/ +/).filter(Boolean)
                    .map(id => text(document.getElementById(id))).join(' ').trim()
                  || (e.getAttribute('aria-label') || '').trim()
                  || text(e.querySelector(':scope > title'))
            const found = []
            for (const figure of document.querySelectorAll('figure')) {
                const name = 'figure ' + figure.id
                if (!text(figure.querySelector('figcaption'))) found.push(name + ': no caption')
                for (const e of figure.querySelectorAll('svg:not(svg svg), canvas')) {
                    if (e.closest('[aria-hidden=true], button, label')) continue
                    if (e.getAttribute('role') !== 'img') found.push(name + ': no role=img')
                    if (!alternative(e)) found.push(name + ': no text alternative')
                }
            }
            for (const image of document.querySelectorAll('img'))
                if (!image.hasAttribute('alt') || (!image.alt && image.closest('figure')))
                    found.push('no alt: ' + image.src)
            return found
        }"""
    )


def skips_a_heading(tab: Tab) -> list[str]:
    """More or fewer than one h1, or a level left out on the way down."""
    levels = tab.page.evaluate(
        """() => [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
            .filter(e => e.checkVisibility()).map(e => +e.tagName[1])"""
    )
    found = [] if levels.count(1) == 1 else [f"{levels.count(1)} h1"]
    steps = pairwise(levels)
    return found + [f"h{upper}, then h{lower}" for upper, lower in steps if lower > upper + 1]


def spoils_mathematics(tab: Tab) -> list[str]:
    """Formulas that are empty or hold an error."""
    return tab.page.evaluate(
        """() => [...document.querySelectorAll('math')]
            .filter(e => !e.textContent.trim() || e.querySelector('merror'))
            .map(e => e.outerHTML.slice(0, 160))"""
    )


def shows_a_mistake(tab: Tab) -> list[str]:
    """What weave could not do, and marks that nothing replaced."""
    return tab.page.evaluate(
        r"""() => {
            const found = [...document.querySelectorAll('.weave-error')].map(e => e.textContent)
            const main = (document.querySelector('article') || document.body).cloneNode(true)
            for (const e of main.querySelectorAll('pre, code, script, style, math')) e.remove()
            return found.concat(main.textContent.match(/\{= [^}]*\}|\$\$.*|^ *::: .*/gm) || [])
        }"""
    )


def lacks_fonts(tab: Tab) -> list[str]:
    """The site's own fonts, where one does not load or the text does not use it."""
    return tab.page.evaluate(
        """async () => {
            const found = []
            for (const family of ['Why Serif', 'Why Sans', 'Why Math']) {
                const faces = await document.fonts.load(`16px "${family}"`, 'x=0').catch(() => [])
                if (!faces.some(face => face.status === 'loaded'))
                    found.push('not loaded: ' + family)
            }
            const used = e => getComputedStyle(e).fontFamily.split(',')[0].replaceAll('"', '')
            const isOurs = (e, family) => used(e).startsWith(family)
                || found.push(used(e) + ': ' + e.outerHTML.slice(0, 80))
            document.querySelectorAll('article > :is(p, h2, ul)').forEach(e => isOurs(e, 'Why '))
            document.querySelectorAll('math').forEach(e => isOurs(e, 'Why Math'))
            return found
        }"""
    )


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


def hides_figures(tab: Tab) -> list[str]:
    """Figures whose lines and letters are too near the colour of the page."""
    return tab.page.evaluate(
        f"""() => {{
            const contrast = {CONTRAST}
            const page = getComputedStyle(document.body).backgroundColor
            return [...document.querySelectorAll('figure svg[role=img]')]
                .map(e => [e.closest('figure').id, contrast(getComputedStyle(e).color, page)])
                .filter(([_, ratio]) => ratio < 4.5).map(([id, ratio]) => id + ': ' + ratio)
        }}"""
    )


def prints_navigation(tab: Tab) -> list[str]:
    """What is of no use on paper, or missing there."""
    tab.page.emulate_media(media="print")
    try:
        return tab.page.evaluate(
            """() => {
                const main = document.querySelector('article')
                const found = main?.checkVisibility() ? [] : ['no article']
                return found.concat(
                    [...document.querySelectorAll('nav, .md-header, .md-search, .md-footer__inner')]
                    .filter(e => e.checkVisibility({visibilityProperty: true})
                                 && e.getBoundingClientRect().height > 0)
                    .map(e => e.outerHTML.slice(0, 80)))
            }"""
        )
    finally:
        tab.page.emulate_media(media="null")


CHECKS = {
    asks_elsewhere: "other.invalid/picture.png",
    complains: "no such thing",
    overflows_a_phone: "px wide",
    breaks_accessibility_rules: "color-contrast",
    lacks_words: "no text alternative",
    skips_a_heading: "h1, then h4",
    spoils_mathematics: "merror",
    shows_a_mistake: "{= spread.std }",
    lacks_fonts: "not loaded: Why Math",
    hides_figures: "pale",
    prints_navigation: "<nav>",
}
BAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Bad</title>
<link rel="preconnect" href="https://fonts.invalid">
<body style="background: white"><nav>The way</nav><article>
<h1>One</h1><h1>Two</h1><h4>Deep</h4>
<p style="color: #ccc">Pale words, and {= spread.std } unwoven.</p>
<p class="weave-error">no snippet</p>
<div style="width: 800px">Too wide</div>
<img src="https://other.invalid/picture.png"><img src="missing.png" alt="missing">
<figure id="pale"><svg role="img" aria-labelledby="nobody" style="color: #eee"></svg></figure>
<math><merror><mi>x</mi></merror></math><math></math>
<details><summary tabindex="-1">Folded</summary>code</details>
<div id="late"></div><a href="#nowhere">A link</a><a href="gone.html">Another</a>
</article>
<script>
    console.error('no such thing')
    document.getElementById('late').innerHTML = '<figure id="script">drawn late</figure>'
</script>
"""
each_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


@each_check
def test_no_page(tab, check):
    problems = check(tab)
    assert not problems, "\n".join(problems)


@each_check
def test_the_bad_page(bad_tab, check):
    assert any(CHECKS[check] in problem for problem in check(bad_tab)), check(bad_tab)


def test_the_bad_page_would_warm_up_a_connection(bad_tab):
    assert "https://fonts.invalid/" in asks_elsewhere(bad_tab)


# --- what a reader does -----------------------------------------------------------------------

every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "index")
every_source = pytest.mark.parametrize(
    "source", SOURCES, ids=lambda path: path.relative_to(ROOT / "docs").as_posix()
)


def background(page: Page) -> str:
    """Say whether the page is light or dark."""
    black = page.evaluate(
        f"() => ({CONTRAST})(getComputedStyle(document.body).backgroundColor, 'black')"
    )
    return "light" if black > 4.58 else "dark"  # the ratio at which black and white are equal


def test_both_palettes_are_what_they_are_called(tab, request):
    assert background(tab.page) == request.node.callspec.params["tab"][1]


@pytest.mark.parametrize("palette", ["light", "dark"])
def test_the_toggle_changes_the_palette_and_is_remembered(visit, palette):
    page = visit(BASE, color_scheme=palette).page
    other = {"light": "dark", "dark": "light"}[palette]
    toggle = page.locator("[data-md-component=palette] label:visible")
    for _ in range(3):  # a third choice, the system's, may lie between
        if background(page) == palette:
            toggle.click()
    assert background(page) == other
    page.reload()
    assert background(page) == other
    for address in ADDRESSES[:2]:
        page.goto(urljoin(page.url, BASE + address))
        assert background(page) == other


def test_search_finds_a_page_and_asks_nobody_else(visit):
    tab = visit(BASE)
    tab.page.keyboard.press("/")
    tab.page.keyboard.type("attention", delay=20)
    tab.page.locator(".md-search-result__link").first.wait_for()
    assert asks_elsewhere(tab) == []
    assert complains(tab) == []


def tabbed_to(page: Page, wanted: dict[str, str], limit: int = 40) -> set[str]:
    """Press Tab until every wanted element (name: selector) had the focus; name those that had."""
    reached: set[str] = set()
    for _ in range(limit):
        page.keyboard.press("Tab")
        for name, selector in wanted.items():
            if page.evaluate("s => !!document.activeElement.closest(s)", selector):
                reached.add(name)
        if len(reached) == len(wanted):
            break
    return reached


LANDMARKS = {
    "skip link": ".md-skip",
    "search": ".md-search, [data-md-component=search], [for=__search]",
    "palette": "[data-md-component=palette]",
}


@every_page
def test_the_keyboard_reaches_what_the_mouse_does(visit, path):
    page = visit(BASE + path).page
    wanted = {
        name: at for name, at in LANDMARKS.items() if path in ADDRESSES or name != "skip link"
    }
    assert tabbed_to(page, wanted) == set(wanted)


def test_the_keyboard_reaches_nothing_of_this_on_the_bad_page(visit):
    assert tabbed_to(visit("/bad.html").page, LANDMARKS, limit=5) == set()


def test_the_skip_link_leads_to_the_text(visit):
    page = visit(BASE).page
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.matches('.md-skip')")
    page.keyboard.press("Enter")
    target = page.evaluate("() => location.hash.slice(1)")
    assert page.locator(f"article [id='{target}'], main[id='{target}']").count() == 1


def test_the_palette_changes_by_keyboard(visit):
    page = visit(BASE, color_scheme="light").page
    assert tabbed_to(page, {"palette": LANDMARKS["palette"]}) == {"palette"}
    for key in ("Enter", "Space", "ArrowRight"):
        if background(page) == "light":
            page.keyboard.press(key)
    assert background(page) == "dark"


def stays_folded(page: Page) -> list[str]:
    """Folded parts that Tab does not reach, Enter does not open or Space does not close."""
    found = []
    for summary in page.locator("article summary").all():
        name = summary.inner_text()
        summary.scroll_into_view_if_needed()
        summary.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        if not summary.evaluate("e => e === document.activeElement"):
            found.append(f"{name}: Tab does not reach it")
            continue
        was = is_open(summary)
        page.keyboard.press("Enter")
        if is_open(summary) == was:
            found.append(f"{name}: Enter does nothing")
        page.keyboard.press("Space")
        if is_open(summary) != was:
            found.append(f"{name}: Space does nothing")
    return found


def is_open(summary) -> bool:
    return summary.evaluate("e => e.parentElement.open")


@every_source
def test_folded_code_opens_by_keyboard(visit, source):
    assert stays_folded(visit(BASE + address(source)).page) == []


def test_folded_code_of_the_bad_page_does_not(visit):
    assert stays_folded(visit("/bad.html").page) == ["Folded: Tab does not reach it"]


def needs_scripts(page: Page) -> list[str]:
    """Parts of a page's text that cannot be seen now, the scripts being off."""
    found = [] if len(page.locator("article").inner_text().split()) > 20 else ["the text"]
    for part in page.locator("figure, figure svg[role=img], math").all():
        if part.evaluate("e => !!e.closest('details:not([open])')"):
            continue
        box = part.bounding_box()
        if not part.is_visible() or not box or box["width"] * box["height"] == 0:
            found.append(part.evaluate("e => e.outerHTML.slice(0, 80)"))
    return found


@every_source
def test_a_page_reads_without_scripts(visit, source):
    tab = visit(BASE + address(source), java_script_enabled=False)
    assert needs_scripts(tab.page) == []
    assert asks_elsewhere(tab) == []
    wanted = figures_of(source.read_text("utf-8")) if source.suffix == ".md" else []
    assert [name for name in wanted if not tab.page.locator(f"figure[id$='{name}']").count()] == []


def figures_of(text: str) -> list[str]:
    """Name the figures that a page's Markdown asks for."""
    names, fence = [], ""
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word.startswith("```") and (not fence or line.strip() == fence):
            fence = "" if fence else "`" * (len(word) - len(word.lstrip("`")))
        elif word == ":::" and "/" in rest and not fence:
            names.append(rest.split("/")[1])
    return names


def test_figures_of_names_those_outside_code():
    assert figures_of("::: a/b\n\n````markdown\n::: a/c\n````\n\n    ::: a/d\n") == ["b", "d"]


def test_the_bad_page_needs_scripts(visit):
    tab = visit("/bad.html", java_script_enabled=False)
    assert "<math></math>" in needs_scripts(tab.page)
    assert tab.page.locator("#script").count() == 0
    assert visit("/bad.html").page.locator("#script").count() == 1


# --- links ------------------------------------------------------------------------------------


class Links(HTMLParser):
    """What a page refers to, and what it can be referred to by."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"href", "src", "data", "poster"} and tag != "data":
                self.targets.append(value or "")
            elif name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")


def broken_links(folder: Path, base: str = BASE) -> list[str]:
    """List every link between the files of a site that leads nowhere, as `page: link`."""
    pages = {file: Links(file.read_text("utf-8")) for file in sorted(folder.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        here = file.relative_to(folder).as_posix()
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme in {"http", "https", "mailto", "data", "javascript"}:
                continue
            path = urlsplit(urljoin(base + here, target)).path if parts.path else base + here
            leads_to = folder / unquote(path.removeprefix(base))
            if path.endswith("/") or leads_to.is_dir():
                leads_to /= "index.html"
            anchor = unquote(parts.fragment)
            if (
                not path.startswith(base)
                or not leads_to.is_file()
                or (leads_to in pages and anchor not in pages[leads_to].anchors)
            ):
                found.append(f"{here}: {target}")
    return found


def test_every_link_leads_somewhere(site):
    broken = broken_links(site)
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize(
    ("link", "whole"),
    [
        ("#here", True),
        ("sub/", True),
        ("sub/#there", True),
        ("sub/../script.py", True),
        ("/why/sub/index.html", True),
        ("https://example.org/nowhere", True),
        ("#gone", False),
        ("gone/", False),
        ("sub/#here", False),
        ("gone.py", False),
        ("/sub/", False),
    ],
)
def test_a_broken_link_is_found(tmp_path, link, whole):
    (tmp_path / "sub").mkdir()
    (tmp_path / "script.py").touch()
    (tmp_path / "sub/index.html").write_text('<p id="there">', "utf-8")
    (tmp_path / "index.html").write_text(f'<p id="here"><a href="{link}">link</a>', "utf-8")
    assert broken_links(tmp_path) == ([] if whole else [f"index.html: {link}"])


def test_every_page_that_was_built_is_tested(site):
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert {path.removesuffix("index.html") for path in built} == set(PAGES)


def test_nothing_is_published_by_accident(site):
    files = [path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()]
    assert [name for name in files if "__pycache__" in name or "/." in f"/{name}"] == []


def test_every_page_is_in_the_contents(site):
    page = Links((site / "index.html").read_text("utf-8"))
    linked = {urlsplit(target).path.removeprefix("./") for target in page.targets}
    assert [path for path in ADDRESSES if path and path not in linked] == []
