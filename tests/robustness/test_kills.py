"""However a build ends, and whatever runs beside it, the next one is right.

KILLS=500 in the environment kills more of them than the usual 100.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.robustness.conftest import build, start, state

if sys.platform == "win32":
    pytest.skip("Windows has neither signal", allow_module_level=True)

pytestmark = [pytest.mark.long, pytest.mark.alone]
LAW, KILLS, LANES = "snippets/chapter/law.py", int(os.environ.get("KILLS", "100")), 2
ENDS = [signal.SIGINT, signal.SIGKILL]


def turn(root, version: int) -> None:
    """Edit what the snippet imports, and with it the figure and the page."""
    (root / LAW).write_text(f"number = {version + 1}\n")


@pytest.fixture
def expected(good) -> list[dict[str, str]]:
    """What the two versions of the site are, each from an empty cache."""
    sites = []
    for version in range(2):
        shutil.rmtree(good / ".cache")
        turn(good, version)
        assert build(good)[0] == 0
        sites.append(state(good))
    assert sites[0] != sites[1]
    return sites


def kill_some(root, expected, seed: int) -> list[tuple]:
    """Edit, kill one to four builds, let one end, and compare; give what differed."""
    draw, killed, version, wrong = random.Random(seed), [], 0, []
    longest = 3.0  # seconds that a build takes, as far as is known
    while len(killed) < KILLS // LANES:
        version = 1 - version
        turn(root, version)
        for _ in range(draw.randint(1, 4)):
            moment, how = draw.uniform(0, longest), draw.choice(ENDS)
            process, begin = start(root, start_new_session=True), time.monotonic()
            try:
                process.communicate(timeout=moment)
                longest = time.monotonic() - begin  # it has ended before
                break
            except subprocess.TimeoutExpired:
                # Control-C in a terminal reaches all processes.
                os.killpg(process.pid, how) if how == signal.SIGINT else process.kill()
            process.communicate(timeout=60)  # until the last process has ended
            killed.append((round(moment, 2), how.name))
            longest *= 1.05
        code, said = build(root)
        if code or state(root) != expected[version]:
            wrong.append((killed, said))
    print(f"{len(killed)} killed, {len(wrong)} wrong, within {longest:.1f} s: {killed}", flush=True)
    return wrong


def test_a_build_that_is_killed_leaves_nothing_that_the_next_would_trust(good, expected, tmp_path):
    lanes = [tmp_path / f"lane-{lane}" for lane in range(LANES)]
    for lane in lanes:
        shutil.copytree(good, lane, ignore=shutil.ignore_patterns("lane-*"))
    with ThreadPoolExecutor(LANES) as threads:
        wrong = threads.map(kill_some, lanes, [expected] * LANES, range(LANES))
    assert not [each for lane in wrong for each in lane]


@pytest.mark.parametrize("how", ["together", "a moment later"])
def test_two_builds_at_once_do_not_hurt_each_other(good, expected, how):
    for version in (0, 1, 0, 1):
        turn(good, version)
        one = start(good)
        time.sleep(0 if how == "together" else 1)
        other = start(good)
        said = [each.communicate(timeout=300)[0] for each in (one, other)]
        assert one.returncode == other.returncode == 0, said
        assert state(good) == expected[version]
        assert not list(good.glob(".site-*"))
