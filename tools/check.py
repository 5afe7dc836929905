"""Check what belongs to a change, and nothing else.

    make check

What differs from the main branch, committed or not, decides what is run: style and types of the
files, the strict build of the site, and the tests that belong to them (tests/changed.py). It says
first what it will run and why, and at the end whether the change is ready to push, or what is to
be mended. CI runs everything.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.changed import Chosen, as_expression, chosen_tests, together
from tests.site.browser import BASE, find_browser
from weave.basics.changes import base_of, changed_files

BIN = Path(sys.executable).parent
# What the site is made of.
SITE = "docs/* snippets/* weave/* proofs/* check_attention/* overrides/* mkdocs.yml pyproject.toml"
MANY = 8  # files of tests; more are run by several processes, which take seconds to begin
FORMAT = "make format, and by hand what it lists"
NONE = 5  # what pytest ends with if no test was there


@dataclass
class Step:
    """Something that is run.

    Attributes:
        name: in a word or two.
        command: a program of the project's environment, with its arguments.
        why: the files for which it is run.
        mend: what mends much of it.
        environment: variables that it is given.
        passes: the exit statuses that are no failure.
        is_long: whether it is to be seen how far it is; else what it prints is shown if it fails.
    """

    name: str
    command: list[str]
    why: list[str]
    mend: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    passes: tuple[int, ...] = (0,)
    is_long: bool = False


def steps(root: Path, files: set[str], tests: dict[str, Chosen], site: Path) -> Iterator[Step]:
    """Yield what is to be run, what is quick first.

    Args:
        root: the project's folder.
        files: those that have changed, relative to it.
        tests: those that belong to each.
        site: where the site is built.
    """
    there = {file for file in files if (root / file).is_file()}
    written = matching(there, "docs/*.md snippets/*.py tests/*.py")
    if any("TODO" in (root / file).read_text("utf-8", "replace") for file in written):
        test = "tests/text/test_pages.py::test_nothing_is_left_to_write"
        yield Step("words left to write", ["pytest", "-q", "--no-header", test], written)
    rules = matching(there, "*ruff.toml pyproject.toml")
    if why := rules or matching(there, "*.py *.ipynb"):
        code = [] if rules else ["--", *why]  # by another rule, all code
        yield Step("style", ["ruff", "check", *code], why, FORMAT)
        yield Step("format", ["ruff", "format", "--check", *code], why, FORMAT)
    if typed := matching(files, "weave/*.py pyproject.toml"):
        yield Step("types", ["mypy"], typed)
    if (BIN / "biome").exists() and (shown := matching(there, "*.js *.css *.json")):
        command = ["biome", "check", "--error-on-warnings", "--no-errors-on-unmatched", *shown]
        yield Step("scripts and styles", command, shown, FORMAT)
    if flows := matching(there, ".github/*.yml"):
        yield Step("workflows", ["zizmor", "--quiet", "--offline", "--no-progress", *flows], flows)
    if pages := matching(files, SITE):
        # As the tests read it; they need not build it again.
        where = {"SITE_URL": f"http://127.0.0.1{BASE}", "NO_MKDOCS_2_WARNING": "1"}
        command = ["mkdocs", "build", "--strict", "--site-dir", str(site)]
        yield Step("site", command, pages, environment=where)
    if proofs := matching(files, "proofs/*"):
        yield Step("proofs", ["make", "proof"], proofs)
    if chosen := together(tests.values()):
        several = ["-n", "auto", "--dist", "worksteal"] if len(chosen) > MANY else []
        changed = "--changed=" + "".join(f"{file}\n" for file in sorted(files))
        command = ["pytest", "-q", "-rfE", "--no-header", changed, *several]
        why = [file for file, belongs in tests.items() if belongs]
        mend = ".venv/bin/pytest --last-failed"
        built = {"BUILT_SITE": str(site)} if pages else {}
        yield Step("tests", command, why, mend, built, (0, NONE), is_long=True)


def matching(files: Iterable[str], patterns: str) -> list[str]:
    """Give the files whose names fit one of some patterns, with blanks between them."""
    fits = [as_expression(pattern) for pattern in patterns.split()]
    return sorted(file for file in files if any(each.fullmatch(file) for each in fits))


def announce(base: str, files: set[str], planned: list[Step], chosen: Chosen) -> None:
    """Say what differs, what will be run, and for which files."""
    print(f"{count(len(files), 'file')} of yours differ{'s' * (len(files) == 1)} from {base[:7]}:")
    for file in sorted(files):
        print(f"  {file}")
    print("\nSo these are run:")
    for step in planned:
        named = step.why[:3] + ([f"and {len(step.why) - 3} more"] if len(step.why) > 3 else [])
        print(f"  {step.name:20} for {', '.join(named)}")
        if step.name == "tests":
            for test, given in chosen.items():
                print(f"    {test}" + (f", of {', '.join(sorted(given))}" if given else ""))
    print(flush=True)


def count(number: int, what: str) -> str:
    """Write how many there are of something."""
    return f"{number} {what}{'s' * (number != 1)}"


def carry_out(root: Path, planned: list[Step]) -> list[Step]:
    """Run all steps, and give those that failed."""
    failed = []
    for step in planned:
        program, *arguments = step.command
        path = BIN / program
        command = [str(path) if path.exists() else program, *arguments]
        begin = time.monotonic()
        done = subprocess.run(
            command,
            cwd=root,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"} | step.environment,
            stdout=None if step.is_long else subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        is_right = done.returncode in step.passes
        seconds = time.monotonic() - begin
        print(f"{'ok' if is_right else 'FAILED':7} {step.name}, {seconds:.1f} s", flush=True)
        if is_right:
            for note in re.findall(r"docs/\S+: note: .*", done.stdout or ""):
                print(f"  {note}", flush=True)
        if not is_right:
            print(done.stdout or "", flush=True)
            failed.append(step)
            if step.name == "site":  # else each test of a page would say the same
                break
    return failed


def main(arguments: list[str] | None = None) -> int:
    """Check what differs from the main branch; give the exit status."""
    parser = argparse.ArgumentParser("python -m tools.check", description=__doc__)
    parser.parse_args(arguments)
    root = Path.cwd()
    try:
        base, files = base_of(root), changed_files(root)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"What has changed is not known without git: {error}. `make test` runs everything.")
        return 1
    if not files:
        print(f"Nothing differs from {base[:7]}. `make test` runs everything.")
        return 0
    tests = chosen_tests(root, files)
    chosen = together(tests.values())
    with tempfile.TemporaryDirectory() as folder:
        planned = [*steps(root, files, tests, Path(folder) / "site")]
        announce(base, files, planned, chosen)
        failed = carry_out(root, planned)
    if any(test.startswith("tests/site") for test in chosen) and not find_browser():
        print("Chromium is not here, so what needs a browser was skipped (README.md, Test it).")
    if not failed:
        print("Ready to push. CI runs the rest.")
        return 0
    print("To mend before you push:")
    for step in failed:
        again = " ".join(step.command)
        print(f"  {step.name}: {step.mend or again}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
