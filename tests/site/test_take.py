"""What a reader takes away: a figure's files, a link to a state, and code for a frame elsewhere."""

import csv
import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from pypdf import PdfReader

from tests.site.browser import BASE, complains
from tests.site.explorables import CALM, PAGE

SVG = "{http://www.w3.org/2000/svg}"


def drawings(site) -> list:
    return sorted(site.glob("snippets/*/*.svg"))


def test_each_figure_has_its_files_beside_the_script(site):
    found = drawings(site)
    assert len(found) > 100
    for drawing in found:
        assert drawing.with_suffix(".py").is_file()
        assert drawing.with_suffix(".csv").is_file()


def test_a_drawing_needs_no_font_and_says_where_it_is_from(site):
    for drawing in drawings(site):
        root = ElementTree.parse(drawing).getroot()
        tags = [element.tag for element in root.iter()]
        assert f"{SVG}text" not in tags, drawing
        assert "currentColor" not in drawing.read_text("utf-8"), drawing
        title, source = (root.find(SVG + tag).text for tag in ("title", "desc"))
        assert len(title) > 20, drawing
        assert "{=" not in title, drawing
        assert f"snippets/{drawing.parent.name}/{drawing.stem}.py" in source
        assert "CC BY 4.0" in source
        named = {element.get("id") for element in root.iter()}
        for use in root.iter(f"{SVG}use"):
            assert use.get("href")[1:] in named, drawing


def test_the_table_has_the_points_of_the_figure(site, snippet):
    """Of the curve of largest weights, which the snippet keeps by divisor and dimension."""
    largest = snippet("scales/weights").largest
    lines = (site / "snippets/scales/weights.csv").read_text("utf-8").splitlines()
    assert "CC BY 4.0" in lines[0]
    drawn: dict[str, list[list[float]]] = {}
    for row in csv.DictReader(lines[1:]):
        drawn.setdefault(row["drawn"], []).append([float(row["x"]), float(row["y"])])
    expected = np.array([*largest["log d"].items()])
    curves = [np.array(points) for points in drawn.values() if len(points) == len(expected)]
    assert any(np.allclose(curve, expected, rtol=1e-5) for curve in curves)
    assert not any(np.allclose(curve, expected[::-1], rtol=1e-5) for curve in curves)


def test_a_map_has_its_values(site):
    lines = (site / "snippets/saturation/plane.csv").read_text("utf-8").splitlines()
    values = [row["value"] for row in csv.DictReader(lines[1:]) if row["value"]]
    assert len(set(values)) > 3
    assert 0 <= min(map(float, values)) < max(map(float, values)) <= 1


def test_pixels_are_painted_from_the_drawing(visit, tmp_path):
    page = visit(f"{BASE}variance/", accept_downloads=True).page
    page.locator("figure#spread ~ div summary, .snippet summary").first.click()
    with page.expect_download() as download:
        page.locator(".snippet a.as-png").first.click()
    download.value.save_as(tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as picture:
        colours = picture.convert("RGB").getcolors(2**24)
        assert picture.width > 1500
    assert max(colours)[1] == (255, 255, 255)  # paper
    assert len(colours) > 20  # and what is drawn on it


def test_without_scripts_no_pixels_are_offered(visit):
    page = visit(f"{BASE}variance/", java_script_enabled=False).page
    assert not page.locator("a.as-png:visible").count()
    page.locator(".snippet summary").first.click()
    assert page.locator(".snippet a[href$='.svg']:visible").count()
    assert not page.locator("a.as-png:visible").count()


def ask(page, name: str, button: str) -> str:
    """Press one of the buttons below an explorable, and give what it hands over."""
    fold = page.locator(f"why-{name} details")
    if not fold.evaluate("fold => fold.open"):
        fold.locator("summary").click()
    fold.locator(f"[data-act={button}]").click()
    return fold.locator("input").input_value()


@pytest.fixture
def elsewhere(tmp_path) -> Iterator[object]:
    """Serve one page from another origin: give a function that writes it and says its address."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = partial(Handler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()

        def write(body: str) -> str:
            (tmp_path / "post.html").write_text(f"<!doctype html><h1>Post</h1>{body}", "utf-8")
            return f"http://127.0.0.1:{server.server_port}/post.html"

        yield write
        server.shutdown()


@pytest.mark.parametrize("name", PAGE)
def test_a_frame_on_another_site_shows_the_state(visit, elsewhere, name):
    tab = visit(f"{BASE}{PAGE[name]}", **CALM)
    page, shown = tab.page, tab.page.locator(f"why-{name}")
    slider = shown.locator("input[type=range]").first
    slider.press("End") if slider.count() else None
    page.wait_for_timeout(50)
    values = shown.evaluate("shown => shown.values")
    link, code = ask(page, name, "copyLink"), ask(page, name, "copyFrame")
    # What such an address shows: test_the_address_holds_the_state.
    assert link == page.url.partition("?")[0] + shown.evaluate("shown => shown.state")
    assert not complains(tab)

    page.goto(elsewhere(code))
    frame = page.frame_locator("iframe").locator(f"why-{name}")
    frame.locator(".panel").wait_for()
    assert frame.evaluate("shown => shown.values") == values
    inside = page.frames[1]
    assert not inside.locator("header, .md-search").count()
    assert inside.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("() => scrollY") == 0
    back = inside.locator(".from a").get_attribute("href")
    assert back.endswith(f"{PAGE[name].split('#')[0]}#{name}")
    assert not [said for said in complains(tab) if "favicon" not in said]


def test_a_frame_follows_the_readers_palette(visit):
    page = visit(f"{BASE}embed/variance/puzzle/").page
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours.append(page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1]


def test_each_chapter_has_slides_of_its_figures(site):
    chapters = {folder.name for folder in (site / "slides").iterdir()}
    assert chapters > {
        "variance",
        "saturation",
        "scales",
        "theorem",
        "training",
        "trained",
        "growth",
    }
    for chapter in chapters:
        page = (site / chapter / "index.html").read_text("utf-8")
        deck = (site / "slides" / chapter / "index.html").read_text("utf-8")
        figures = re.findall(r'<figure id="([^"]+)"><div class="drawing">', page)
        assert deck.count('<section class="slide">') == len(figures) > 2
        assert re.findall(r'<a href="[^"]*#([^"]+)">Why', deck) == figures
        assert f'href="../slides/{chapter}/"' in page


def test_slides_are_whole_pages_of_16_to_9(visit, tmp_path):
    tab = visit(f"{BASE}slides/variance/")
    page = tab.page
    assert not complains(tab)
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.slide')]
            .filter(slide => slide.scrollHeight > slide.clientHeight + 1).length"""
    )
    assert not cut
    page.pdf(path=tmp_path / "slides.pdf", prefer_css_page_size=True)
    sheets = PdfReader(tmp_path / "slides.pdf").pages
    assert len(sheets) == page.locator(".slide").count()
    for sheet in sheets:
        assert abs(sheet.mediabox.width / sheet.mediabox.height - 16 / 9) < 0.01


def test_keys_turn_the_slides(visit):
    tab = visit(f"{BASE}slides/variance/")
    page = tab.page
    count = page.locator(".slide").count()
    at = """() => [...document.querySelectorAll('.slide')].findIndex(
        slide => Math.abs(slide.getBoundingClientRect().top) < 2)"""

    def turn(key: str) -> int:
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        return page.evaluate(at)

    forth, back = ["ArrowRight", "PageDown", " "], ["ArrowLeft", "PageUp", "Shift+ "]
    assert [turn(key) for key in forth] == [1, 2, 3]
    assert [turn(key) for key in back] == [2, 1, 0]
    assert turn("ArrowLeft") == 0
    assert turn("Control+ArrowRight") == turn("Alt+PageDown") == 0  # the browser's own
    page.set_viewport_size({"width": 1280, "height": 720})  # as on a wall
    assert [turn("ArrowRight") for _ in range(count)] == [*range(1, count), count - 1]
    assert turn("ArrowLeft") == count - 2
    # The rest of what is higher than the window comes first.
    page.set_viewport_size({"width": 1280, "height": 500})
    assert turn("ArrowRight") == count - 1
    assert turn("ArrowLeft") == count - 2
    assert turn("PageDown") != count - 1
    # In a field the keys are the field's.
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate(
        "() => document.querySelector('.slide').insertAdjacentHTML('beforeend', '<input value=12>')"
    )
    page.locator("input").focus()
    page.wait_for_timeout(500)
    before = page.evaluate("() => scrollY")
    turn("ArrowRight")
    assert page.evaluate("() => scrollY") == before
    assert not complains(tab)


def test_without_scripts_slides_are_scrolled(visit):
    page = visit(f"{BASE}slides/variance/", java_script_enabled=False).page
    assert all(slide.is_visible() for slide in page.locator(".slide").all())
    page.mouse.move(300, 300)
    page.mouse.wheel(0, 99_999)
    page.wait_for_timeout(500)
    assert page.locator(".slide").last.bounding_box()["y"] < 300


def test_a_chapter_prints_with_its_folds_or_without(visit):
    page = visit(f"{BASE}variance/").page
    page.emulate_media(media="print")
    page.evaluate("() => { window.print = () => {} }")
    fold = page.locator("details.depth").first
    shown = []
    for choice in ("all", "open"):
        page.locator(f"[data-print={choice}]").evaluate("button => button.click()")
        shown.append(fold.evaluate("fold => fold.checkVisibility()"))
        page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert shown == [True, False]
    assert fold.evaluate("fold => fold.checkVisibility()")  # and next time as ever
