"""Measure builds: warm beside plain Material, cold beside the snippets' own time, and .cache."""

import logging
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from statistics import median

from bench import project
from bench.processes import BIN, Cost, environment, run
from bench.tables import PROMISES, Row, Table, cores, fact, promise

log = logging.getLogger("bench")

ALONE = Path(__file__).with_name("alone.py")
# The site is built strictly, so that no failed build is taken for a fast one. Plain Material
# cannot be: it rightly misses the labs that pages link to.
BUILD = (BIN / "mkdocs", "build", "--strict")
BUILD_PLAIN = (BIN / "mkdocs", "build")
CELL = re.compile(r"^# %%", re.MULTILINE)


def builds(runs: int) -> Table:
    """Measure builds of the site: `runs` warm ones, three cold ones."""
    with project.copy() as root, project.plain_copy() as plain:
        log.info("builds: a first one of each, not counted")
        run(BUILD_PLAIN, plain)
        run(BUILD, root)
        cold = [cold_build(root, n) for n in (1, 2, 3)]
        cache = size(root / ".cache")
        anew = [build_pages_anew(root, n) for n in (1, 2, 3)]
        floor, warm = [], []
        for n in range(1, runs + 1):  # by turns, so that other load on the machine falls on both
            log.info("builds: warm, %d of %d", n, runs)
            floor.append(run(BUILD_PLAIN, plain))
            warm.append(run(BUILD, root))
        scripts = snippets(root) + labs(root)
        own = sum(seconds_alone(scripts, root))
    return [
        PROMISES,
        *warm_rows(floor, warm),
        *cold_rows(cold, anew, floor, own),
        cache_row(cache, len(scripts)),
    ]


def warm_rows(floor: list[Cost], warm: list[Cost]) -> list[Row]:
    """Compare warm builds with the floor."""
    ratio = median(c.user for c in warm) / median(c.user for c in floor)
    return [
        fact("floor: plain Material, user CPU", median(c.user for c in floor), " s", 2),
        fact("floor: plain Material, wall", median(c.wall for c in floor), " s", 2),
        fact("warm build, user CPU", median(c.user for c in warm), " s", 2),
        fact("warm build, wall", median(c.wall for c in warm), " s", 2),
        promise("warm build ÷ floor, user CPU", ratio, 1.2, digits=2),
    ]


def cold_rows(cold: list[Cost], anew: list[Cost], floor: list[Cost], own: float) -> list[Row]:
    """Compare cold builds with their two parts: the scripts' own time, and that of the pages."""
    pages = median(c.wall for c in anew)
    ratio = pages / median(c.wall for c in floor)
    least = own / cores() + pages
    return [
        fact("no page kept, but all runs: wall", pages, " s"),
        promise("the same ÷ floor, wall", ratio, 6, digits=2),
        fact("snippets and labs alone, own CPU", own, " s"),
        fact(f"the same ÷ {cores()} cores", own / cores(), " s"),
        fact("cold build, CPU", median(c.user for c in cold), " s"),
        promise("cold build, wall", median(c.wall for c in cold), 1.4 * least + 1, " s"),
    ]


def cache_row(size: float, scripts: int) -> Row:
    """Say how large the cache is: 0.1 MB for each snippet and lab are promised."""
    return promise(f"size of .cache, for {scripts} snippets and labs", size, 0.1 * scripts, " MB")


def cold_build(root: Path, n: int) -> Cost:
    """Build with nothing left of earlier builds."""
    log.info("builds: cold, %d of 3", n)
    project.remove_builds(root)
    return run(BUILD, root)


def build_pages_anew(root: Path, n: int) -> Cost:
    """Build with what snippets and labs gave, and nothing else, left of earlier builds."""
    log.info("builds: pages anew, %d of 3", n)
    with closing(sqlite3.connect(root / ".cache" / "weave.sqlite")) as store, store:
        store.execute("PRAGMA foreign_keys = ON")  # parts go with their entries
        store.execute("DELETE FROM entries_2 WHERE kind <> 'run'")
    return run(BUILD, root)


def size(folder: Path) -> float:
    """Give the size of all files in a folder, in MB."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def snippets(root: Path) -> list[Path]:
    """List the scripts that have cells: the figures, and the ledgers of claims."""
    scripts = sorted((root / "snippets").glob("*/*.py"))
    return [script for script in scripts if CELL.search(script.read_text("utf-8"))]


def labs(root: Path) -> list[Path]:
    """List the notebooks."""
    return sorted((root / "docs" / "labs").glob("*.ipynb"))


def seconds_alone(paths: list[Path], root: Path) -> Iterable[float]:
    """Give the CPU time of each snippet or lab by itself, one after the other."""
    variables = environment(root) | {"OPENBLAS_NUM_THREADS": "1"}
    for n, path in enumerate(paths, start=1):
        if n % 10 == 1:
            log.info("snippets and labs alone: %d of %d", n, len(paths))
        command = (sys.executable, ALONE, path)
        said = subprocess.run(command, env=variables, check=True, stdout=subprocess.PIPE, text=True)
        yield float(said.stdout.split()[-1])
