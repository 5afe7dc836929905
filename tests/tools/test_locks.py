"""What is installed in CI is what requirements.txt pins, in full, with hashes; no host is named."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = {
    "requirements.txt": "requirements.lock",
    "tests/requirements.txt": "tests/requirements.lock",
    ".ci/uv.txt": ".ci/uv.lock",
    ".ci/zensical.txt": ".ci/zensical.lock",
}
PIN = re.compile(r"^([\w.-]+)==([^\s;]+)", re.MULTILINE)


def pins(text: str) -> dict[str, set[str]]:
    """Give the versions of each package; for different systems there may be several."""
    found: dict[str, set[str]] = {}
    for name, version in PIN.findall(text):
        found.setdefault(re.sub(r"[._-]+", "-", name).lower(), set()).add(version)
    return found


def flaws(pinned: str, locked: str) -> list[str]:
    """List what is wrong with a lock."""
    wanted, got = pins(pinned), pins(locked)
    found = [f"{name}: make lock" for name in wanted if got.get(name) != wanted[name]]
    entries = re.split(r"\n(?=\S)", locked.strip())
    found += [f"no hash: {entry}" for entry in entries if "--hash=sha256:" not in entry]
    return found + [f"a place: {line}" for line in locked.splitlines() if re.search("://|@", line)]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_says_what_is_pinned_with_hashes_and_no_place(name):
    assert flaws((ROOT / name).read_text("utf-8"), (ROOT / LOCKS[name]).read_text("utf-8")) == []


def test_the_tests_are_run_with_what_the_site_is_built_with():
    site, tests = (pins((ROOT / LOCKS[name]).read_text("utf-8")) for name in [*LOCKS][:2])
    assert {name: tests.get(name) for name in site} == site


HASH = " \\\n    --hash=sha256:" + 64 * "0"


@pytest.mark.parametrize(
    ("locked", "flaw"),
    [
        (f"One==1.0{HASH}\ntwo==2{HASH}", None),
        (f"one==1.1{HASH}", "one: make lock"),
        (f"two==2{HASH}", "one: make lock"),
        (f"one==1.0{HASH}\ntwo==2", "no hash: two==2"),
        (f"one==1.0{HASH}\n--index-url https://example.org{HASH}", "a place: --index-url"),
    ],
)
def test_a_bad_lock_is_found(locked, flaw):
    found = flaws("one==1.0  # why\n-e .\n", locked)
    assert (found[0].startswith(flaw) and len(found) == 1) if flaw else found == []
