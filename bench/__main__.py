"""The command line: `make bench`, or `python -m bench` in the site's environment."""

import argparse
import logging

from bench import growth, tables
from bench.builds import builds
from bench.processes import adopt_orphans
from bench.serving import first_start, serving

MEASUREMENTS = {
    "builds": "warm and cold builds of the site beside plain Material, and the cache",
    "serve": "`mkdocs serve`: the first page, and from an edit until it shows",
    "growth": "time and memory with a growing number of figures",
    "others": "the same beside three other tools, which are installed for it",
    "first": "a fresh clone, from `git clone` until the first page",
}
USUAL = ["builds", "serve", "growth"]


def options() -> argparse.Namespace:
    """Read the command line."""
    described = "\n".join(f"  {name:8} {what}" for name, what in MEASUREMENTS.items())
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=…",
        description=f"Measure, and write the tables of bench/README.md:\n\n{described}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    usual = " ".join(USUAL)
    parser.add_argument("what", nargs="*", help=f"some of these, or all (usually: {usual})")
    parser.add_argument("--runs", type=int, default=7, help="warm builds, and edits of each kind")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 1000], help="of growth")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a build of growth")
    chosen = parser.parse_args()
    chosen.what = list(MEASUREMENTS) if chosen.what == ["all"] else chosen.what or USUAL
    if unknown := set(chosen.what) - set(MEASUREMENTS):
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(MEASUREMENTS)}, all")
    return chosen


def main() -> None:
    """Take the measurements that were asked for, the shortest first."""
    chosen = options()
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
    adopt_orphans()
    note = tables.circumstances()
    if "builds" in chosen.what:
        median = f"Medians of {chosen.runs} warm builds of each, by turns, and of 3 cold ones."
        tables.write("builds", builds(chosen.runs), f"{median} {note}")
    if "serve" in chosen.what:
        median = f"Medians of 3 starts and of {chosen.runs} edits of each kind."
        tables.write("serve", serving(chosen.runs), f"{median} {note}")
    if "first" in chosen.what:
        tables.write("first", first_start(), f"One start. {note}")
    if {"growth", "others"} & set(chosen.what):
        others = growth.others() if "others" in chosen.what else []
        ours = [growth.PLAIN, growth.WEAVE]
        found = growth.growth([*ours, *others], sorted(chosen.sizes), chosen.limit)
        names = {tool.name for tool in ours}
        found_ours = [each for each in found if each.tool in names]
        once = f"One cold build, then the median of up to three warm ones. {note}"
        tables.write("growth", growth.table(found_ours), once)
        tables.write("memory", growth.memory(found), note)
        if others:
            tables.write("others", growth.table(found), once)


if __name__ == "__main__":
    main()
