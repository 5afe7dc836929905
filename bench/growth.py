"""Measure how builds grow with the number of figures, with weave and with other tools."""

import logging
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import generated, project
from bench.processes import BIN, CommandError, Cost, TimeIsUpError, run
from bench.tables import PROMISES, Table, promise

log = logging.getLogger("bench")

SHARED = ("mkdocs", "pymdown-extensions==", "numpy==", "matplotlib==")  # with the site
OTHERS = Path(sys.prefix) / "bench"  # their environment, inside the site's own .venv


@dataclass(frozen=True)
class Tool:
    """A way to build the generated content.

    Attributes:
        name: as the table has it.
        write: writes a project with so many figures into a folder.
        command: builds it.
    """

    name: str
    write: Callable[[Path, int], None]
    command: Sequence[str | Path]


@dataclass(frozen=True)
class Growth:
    """What a tool took for a number of figures.

    Attributes:
        tool: its name.
        figures: how many.
        builds: the first, cold, then warm ones with nothing changed.
        stopped: why there is no more, where something went wrong.
    """

    tool: str
    figures: int
    builds: Sequence[Cost]
    stopped: str = ""


MKDOCS = ("build", "--strict")
WEAVE = Tool("weave", generated.weave, (BIN / "mkdocs", *MKDOCS))
PLAIN = Tool("plain Material, no figures", generated.unwoven, WEAVE.command)
SPHINX = ("-W", "--quiet", "docs", "site")


def others() -> list[Tool]:
    """List the other tools, and install them if that is still to be done."""
    theirs = Path(__file__).with_name("requirements.txt").read_text("utf-8").splitlines()
    ours = (project.ROOT / "requirements.txt").read_text("utf-8").splitlines()
    needed = [line for line in theirs if line[0] != "#"]
    needed += [line for line in ours if line.startswith(SHARED)]
    done = OTHERS / "installed"
    if not done.is_file() or done.read_text("utf-8").splitlines() != needed:
        log.info("growth: installing the other tools into %s", OTHERS.relative_to(project.ROOT))
        subprocess.run((sys.executable, "-m", "venv", "--clear", OTHERS), check=True)
        subprocess.run((OTHERS / "bin" / "pip", "install", "-qq", *needed), check=True)
        done.write_text("\n".join(needed), "utf-8")
    mkdocs = (OTHERS / "bin" / "mkdocs", *MKDOCS)
    return [
        Tool("Material, mkdocs-jupyter", generated.jupyter, mkdocs),
        Tool("Material, markdown-exec", generated.markdown_exec, mkdocs),
        Tool("Sphinx, MyST-NB", generated.myst, (OTHERS / "bin" / "sphinx-build", *SPHINX)),
    ]


def growth(tools: Sequence[Tool], sizes: Sequence[int], limit: float) -> list[Growth]:
    """Build all sizes with all tools, and stop a build after `limit` seconds."""
    found = []
    for figures in sizes:
        for tool in tools:
            left = len(tools) * len(sizes) - len(found)
            log.info("growth: %d figures with %s, %d left", figures, tool.name, left - 1)
            found.append(grown(tool, figures, limit))
    return found


def grown(tool: Tool, figures: int, limit: float) -> Growth:
    """Build one size with one tool: cold, then warm, three times or for a minute."""
    builds: list[Cost] = []
    with project.folder() as root:
        tool.write(root, figures)
        try:
            builds.append(run(tool.command, root, limit))
            while len(builds) < 4 and sum(cost.wall for cost in builds[1:]) < 60:
                builds.append(run(tool.command, root, limit))
        except TimeIsUpError:
            return Growth(tool.name, figures, builds, f"> {limit:.0f}")
        except CommandError as error:
            log.error("growth: %s failed with %d figures: %s", tool.name, figures, error)
            return Growth(tool.name, figures, builds, "failed")
    return Growth(tool.name, figures, builds)


def table(found: Sequence[Growth]) -> Table:
    """Tell what each size took with each tool."""
    memory = ("memory of the build, MB", "of its largest child, MB")
    rows: Table = [("figures", "tool", "cold, s", "cold CPU, s", "warm, s", *memory)]
    for each in found:
        cold, warm = each.builds[:1], each.builds[1:]
        cells = (
            *([cost.wall for cost in cold], [cost.user for cost in cold]),
            [cost.wall for cost in warm],
            *([cost.peak for cost in cold], [cost.child_peak for cost in cold]),
        )
        shown = [f"{median(cell):.1f}" if cell else each.stopped for cell in cells]
        rows.append((str(each.figures), each.tool, *shown))
    return rows


def memory(found: Sequence[Growth]) -> Table:
    """Compare the memory for the most figures with that for the fewest.

    A tenth more of a child's counts as none; the build may hold 0.1 MB of each figure.
    """
    child, build = peaks(found, WEAVE, "child_peak"), peaks(found, WEAVE, "peak")
    rows: Table = [PROMISES]
    if child:
        few, many = min(child), max(child)
        what = f"memory of the largest child: {many} figures ÷ {few}"
        rows.append(promise(what, child[many] / child[few], 1.1, digits=2))
        each = (build[many] - build[few]) / max(many - few, 1)
        what = f"memory of the build, for each figure from {few} to {many}"
        rows.append(promise(what, each, 0.1, " MB", digits=3))
    return rows


def peaks(found: Sequence[Growth], tool: Tool, peak: str) -> dict[int, float]:
    """Give the most memory in MB, by the number of figures; nothing where /proc does not tell."""
    every = {each.figures: getattr(each.builds[0], peak) for each in found_by(tool.name, found)}
    return every if all(every.values()) else {}


def found_by(tool: str, found: Sequence[Growth]) -> list[Growth]:
    """Select what was built at least once with a tool."""
    return [each for each in found if each.tool == tool and each.builds]
