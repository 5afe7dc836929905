"""Drag each explorable on a slow processor, and say how long its frames take.

A pointer moves its first slider to and fro for three seconds; the browser hands on at most one move
a frame. A browser without windows and without a graphics processor also draws by the processor,
which a phone does not. Other work on the machine lengthens frames, but hardly the own time of the
page's thread: of a second drag, on the processor as it is, times SLOWER.
"""

import argparse
import os
from itertools import pairwise
from math import sin
from pathlib import Path
from time import monotonic

from playwright.sync_api import Browser

from bench import tables
from bench.weigh import SLOWER, opened
from tests.site.explorables import PAGE

SECONDS, LATE = 3, 25  # s; ms, a frame that takes longer is one that was left out
SIZES = {"1280": {"width": 1280, "height": 800}, "390": {"width": 390, "height": 844}}
WATCH = """() => {
    window.frames_at = []
    const next = now => { frames_at.push(now); requestAnimationFrame(next) }
    requestAnimationFrame(next)
}"""


def drag(
    browser: Browser, url: str, name: str, size: dict[str, int], slower: int
) -> tuple[list[float], float]:
    """Drag an explorable's first slider; give how long frames took, and the page's own, in ms."""
    page = browser.new_page(viewport=size)
    page.goto(url)
    page.locator(f"why-{name}").scroll_into_view_if_needed()  # it begins once it is near
    slider = page.locator(f"why-{name} input[type=range]").first
    slider.scroll_into_view_if_needed()
    page.keyboard.press("Shift")
    page.wait_for_timeout(2500)  # what moves by itself has come to rest, and folds are elements
    slow = page.context.new_cdp_session(page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    slow.send("Performance.enable", {"timeDomain": "threadTicks"})

    def own() -> float:
        metrics = slow.send("Performance.getMetrics")["metrics"]
        return next(1000 * each["value"] for each in metrics if each["name"] == "TaskDuration")

    box = slider.bounding_box()
    middle, reach = box["x"] + box["width"] / 2, 0.45 * box["width"]
    page.mouse.move(middle, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.evaluate(WATCH)
    begin, before = monotonic(), own()
    while (passed := monotonic() - begin) < SECONDS:
        page.mouse.move(middle + reach * sin(3 * passed), box["y"] + box["height"] / 2)
    took = own() - before
    times = page.evaluate("frames_at")
    page.close()
    return sorted(after - before for before, after in pairwise(times)), took / len(times)


def main() -> None:
    """Drag every explorable, wide and on a phone, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.frames", description=__doc__)
    parser.add_argument("names", nargs="*", help="such as plane (usually: all)")
    parser.add_argument("--site", type=Path, help="a built site (usually: built for this)")
    chosen = parser.parse_args()
    note = tables.circumstances()
    head = ("explorable", "width", "frames a second", "median, ms", "95th percentile, ms")
    rows = [(*head, f"above {LATE} ms", "own time a frame, ms")]
    with opened(chosen.site) as (browser, origin, _, program):
        for name in chosen.names or PAGE:
            for width, size in SIZES.items():
                took, _ = drag(browser, origin + PAGE[name], name, size, SLOWER)
                _, own = drag(browser, origin + PAGE[name], name, size, 1)
                row = (
                    f"{1000 * len(took) / sum(took):.0f}",
                    *(f"{took[int(share * len(took))]:.1f}" for share in (0.5, 0.95)),
                    f"{sum(each > LATE for each in took)} of {len(took)}",
                    f"{own * SLOWER:.1f}",
                )
                print(name, width, *row, f"load {os.getloadavg()[0]:.1f}", flush=True)
                rows.append((name, width, *row))
    if not (chosen.names or chosen.site):
        tables.write("frames", rows, f"{program}. {note}")


if __name__ == "__main__":
    main()
