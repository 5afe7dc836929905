"""A page that is served while snippets run: it fills in where it stands, and says what runs."""

import sys

import pytest

from tests.machinery.conftest import Project
from tests.machinery.serving import Server
from tests.site.browser import PHONE, WIDE

if sys.platform == "win32":
    pytest.skip("the server is ended by a signal", allow_module_level=True)

pytestmark = pytest.mark.alone
SLOW = "import time\n\ntime.sleep({})\nslope = {}"
LONG = "\n\n".join(f"{'Words of a paragraph. ' * 30}" for _ in range(4))
PAGE = f"""# T

It is {{= line.slope }}.

{LONG}

::: chapter/line

{LONG}

??? depth "A fold"

    It is {{= line.slope }} in here.

## Read here

{LONG}

It is {{= line.slope }} below.

{LONG}
"""
# As the site has it: folds, and Material's elements around a page.
CONFIG = (
    "site_name: test\ntheme: {name: material, font: false}\nplugins: [weave]\nwatch: [snippets]\n"
    "markdown_extensions: [pymdownx.superfences, pymdownx.details, md_in_html, weave]\n"
)
NOTE_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts.push(entry);
}).observe({ type: "layout-shift", buffered: true });
"""
# Shifts are heard of late where the processor is slow: they count by when they were.
SHIFTED = """(since) => shifts.filter((entry) => entry.startTime > since)
    .reduce((sum, entry) => sum + entry.value, 0)"""
DRAWN = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
    () => setTimeout(() => done(performance.now()), 100))))"""
TOP = "document.getElementById('read-here').getBoundingClientRect().top"
OLD = "document.querySelectorAll('.of-last-run').length"
LINE = "(document.getElementById('weave-runs')?.textContent ?? '')"


@pytest.fixture
def served(tmp_path):
    """A page of which nothing has been run, served."""
    project = Project(tmp_path, None)
    project.file("docs/index.md", "# Home\n")
    project.file("docs/chapter.md", PAGE)
    project.file("mkdocs.yml", CONFIG)
    project.snippet(SLOW.format(15, 1.25))
    server = Server(tmp_path)
    server.read("chapter/", 'class="pending"')
    yield project, server
    server.end()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_page_fills_in_without_a_jump_and_says_what_runs(browser, served, size):
    project, server = served
    page = browser.new_page(viewport=size)
    errors = []
    page.on("pageerror", lambda error: errors.append(error))
    page.add_init_script(NOTE_SHIFTS)
    page.goto(f"http://{server.address}/chapter/")
    page.wait_for_function(f"/running chapter.line, \\d+ s/.test({LINE})")
    assert "is being run" in page.inner_text(".drawing")
    page.evaluate("document.querySelector('details.depth').open = true")
    page.evaluate("document.getElementById('read-here').scrollIntoView({behavior: 'instant'})")
    page.evaluate("window.mark = 'not loaded anew'")
    since = page.evaluate(DRAWN)
    before = page.evaluate(TOP)
    page.wait_for_function("!document.querySelector('.pending')", timeout=60_000)
    assert page.evaluate("window.mark") == "not loaded anew"
    assert abs(page.evaluate(TOP) - before) <= 1
    page.evaluate(DRAWN)
    assert page.evaluate(SHIFTED, since) < 0.02
    assert page.evaluate("document.querySelector('details.depth').open")
    assert page.locator("a.computed", has_text="1.25").count() >= 2
    page.wait_for_function(f"{OLD} === 0 && {LINE} === ''")

    # What it shows stays, and is told from what is new, until that is there.
    project.snippet(SLOW.format(6, 2.75))
    page.wait_for_function(f"{OLD} > 1 && {LINE} !== ''")
    assert page.locator("a.computed", has_text="1.25").count() >= 2
    page.wait_for_function("document.body.textContent.includes('2.75')", timeout=60_000)
    page.wait_for_function(f"{OLD} === 0 && {LINE} === ''")
    assert not page.evaluate("document.querySelector('article').textContent.includes('1.25')")

    # What changes another page is no reason to load this one.
    page.evaluate("window.mark = 'not loaded anew'")
    project.file("docs/index.md", "# Home again\n")
    server.read("", "Home again")
    page.wait_for_timeout(3000)
    assert page.evaluate("window.mark") == "not loaded anew"
    assert errors == []
    page.close()
