"""What was measured, as tables in README.md: no number in them is typed by hand."""

import os
import platform
import re
import subprocess
import time
from pathlib import Path

from bench.project import ROOT

README = Path(__file__).with_name("README.md")

Row = tuple[str, ...]
Table = list[Row]

PROMISES: Row = ("what", "measured", "promised", "kept")


def promise(what: str, measured: float, most: float, unit: str = "", digits: int = 1) -> Row:
    """Give a row for a promise: a number, and the most that it may be."""
    kept = "yes" if measured <= most else "**no**"
    return (what, f"{measured:.{digits}f}{unit}", f"≤ {most:.{digits}f}{unit}", kept)


def fact(what: str, measured: float, unit: str = "", digits: int = 1) -> Row:
    """Give a row for a number about which nothing is promised."""
    return (what, f"{measured:.{digits}f}{unit}", "", "")


def circumstances() -> str:
    """Say on what machine, when, and of what commit; ask before anything is written."""
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return (
        f"{time.strftime('%Y-%m-%d')}, commit {commit()}. {cores()} cores, "
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}{load}."
    )


def commit() -> str:
    """Name the commit that is measured, and say so if the files are not quite that."""

    def git(*arguments: str) -> str:
        command = ("git", *arguments)
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    name = git("rev-parse", "--short", "HEAD").strip()
    # Not README.md, which an earlier measurement may have changed.
    changed = git("status", "--porcelain", "--", ".", f":!{README.relative_to(ROOT)}")
    return f"{name} with changes" if changed else name


def cores() -> int:
    """Count the cores that we may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def markdown(table: Table, note: str) -> str:
    """Write a table, with its first row as the head, and a note below."""
    head, *rows = table
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", note])


def put(text: str, name: str, content: str) -> str:
    """Put new content between the two marks of this name.

    Raises:
        ValueError: the marks do not stand in the text, in this order.
    """
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    between = re.compile(f"(?<={re.escape(begin)}).*?(?={re.escape(end)})", re.DOTALL)
    if len(between.findall(text)) != 1:
        raise ValueError(f"no place for '{name}', between {begin} and {end}")
    return between.sub(lambda _: f"\n\n{content}\n\n", text)


def write(name: str, table: Table, note: str) -> None:
    """Print a table, and write it into README.md."""
    content = markdown(table, note)
    print(f"\n{content}\n", flush=True)
    README.write_text(put(README.read_text("utf-8"), name, content), "utf-8")
