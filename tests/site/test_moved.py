"""The address at which an answer or a page once stood leads to where it stands now."""

import pytest

from editions import offline
from tests.machinery.conftest import project  # noqa: F401 (a fixture)
from tests.site.browser import BASE

MOVED = "questions/#hopfield", "questions-similarity/#hopfield"


def test_an_old_address_leads_on(visit):
    old, new = MOVED
    page = visit(BASE + old).page
    page.wait_for_url(f"**/{new}")
    assert page.locator("#hopfield").evaluate("heading => heading.tagName") == "H2"
    page.goto(page.url.partition(BASE)[0] + BASE + "questions/")
    page.evaluate("location.hash = '#mup'")
    page.wait_for_url("**/questions-training/#mup")
    page.go_back()  # not to the address that leads on
    assert page.url.endswith("/questions/")


def test_the_overview_itself_leads_nowhere_else(visit):
    page = visit(BASE + "questions/#in-code").page
    page.wait_for_timeout(300)
    assert page.url.endswith("questions/#in-code")


def test_without_scripts_it_is_one_press_away(browser, origin):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(origin + BASE + MOVED[0])
    link = page.locator("a#hopfield")
    assert "rgba(0, 0, 0, 0)" not in link.locator("..").evaluate(
        "item => getComputedStyle(item).backgroundColor"
    )
    link.click()
    page.wait_for_url(f"**/{MOVED[1]}")
    context.close()


@pytest.fixture
def moved(project):  # noqa: F811
    """A site, to be opened from a disk, with a page that was called `once`."""
    page = "---\nmoved: [once]\n---\n# Now\n\n" + "Words.\n\n" * 99 + "## There\n"
    project.file("docs/now.md", page)
    project.more = "site_url: https://example.org/why/\n"
    assert project.build("# Chapter\n", strict=True).warnings == []
    site = project.root / "site"
    for html in site.rglob("*.html"):
        html.write_text(offline.page_for_disk(html.read_text()))
    return site


@pytest.mark.parametrize(("scripts", "to"), [(True, "?h=words#there"), (False, "")])
def test_the_old_address_of_a_page_leads_on(moved, browser, scripts, to):
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"file://{moved}/once/index.html?h=words#there")
    page.wait_for_url(f"file://{moved}/now/index.html{to}")
    assert page.locator("h1").inner_text() == "Now"
    if scripts:
        page.wait_for_function("() => scrollY > 0")  # a moment later
    else:
        assert page.evaluate("scrollY") == 0
    context.close()


def test_it_is_no_page_of_the_site(moved):
    html = (moved / "once/index.html").read_text()
    assert '<meta name="robots" content="noindex">' in html
    assert '<link rel="canonical" href="https://example.org/why/now/">' in html
    assert '<a href="../now/index.html">Now</a>' in html
    for file in ("llms.txt", "sitemap.xml"):
        assert "once" not in (moved / file).read_text()
