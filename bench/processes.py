"""Run commands in processes of their own: what they cost, and that none of them outlives us."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

BIN = Path(sys.executable).parent
BECOME_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER in Linux's prctl.h
# `make` hands these to the `make` that we start, and with them our own ARGS; a PYTHONPATH from
# outside would shadow the weave of the copy.
NOT_INHERITED = {"MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "PYTHONPATH", "VIRTUAL_ENV"}


class CommandError(Exception):
    """A command ended with an error; the message holds the end of what it said."""


class TimeIsUpError(Exception):
    """A command was stopped, because its time was over."""


@dataclass(frozen=True)
class Cost:
    """What a command took.

    Attributes:
        wall: seconds from start to end.
        user: seconds of user CPU, of its own and of all processes that it started.
        peak: most memory in MB, of its own process.
        child_peak: the same, of the largest process that it started.
    """

    wall: float
    user: float
    peak: float
    child_peak: float


def adopt_orphans() -> None:
    """Become the parent of processes that outlive theirs, so that their CPU time is counted.

    Linux alone can. A fork server and a notebook's kernel would be missing otherwise.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)


def environment(root: Path) -> dict[str, str]:
    """Give the variables for a command in the project at `root`: its own weave, its own scraps."""
    scraps = root.with_name("scraps")
    scraps.mkdir(exist_ok=True)
    inherited = {name: text for name, text in os.environ.items() if name not in NOT_INHERITED}
    return inherited | {
        # Before the checkout's own weave, which is installed in editable form.
        "PYTHONPATH": str(root),
        # What a killed process leaves behind is deleted with the copy.
        "TMPDIR": str(scraps),
        "NO_MKDOCS_2_WARNING": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


@contextmanager
def started(command: Sequence[str | Path], root: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command in the folder `root`; in the end, end it with all that it has started.

    Raises:
        CommandError: it has ended by itself, with an error.
    """
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command,
            cwd=root,
            env=environment(root),
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            code = process.poll()
            end(process)
            if code:
                said.seek(0)
                last = said.read().decode(errors="replace")[-3000:]
                raise CommandError(f"{' '.join(map(str, command))}\n{last}exit status {code}")


def run(command: Sequence[str | Path], root: Path, limit: float | None = None) -> Cost:
    """Run a command in the folder `root`, and say what it took.

    Raises:
        CommandError: it ended with an error.
        TimeIsUpError: it was stopped after `limit` seconds.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    start = time.perf_counter()
    with started(command, root) as process, memory(process.pid) as peaks:
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            raise TimeIsUpError from None
        wall = time.perf_counter() - start
    user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    own = peaks.pop(process.pid, 0)
    return Cost(wall, user, own, max(peaks.values(), default=0))


@contextmanager
def memory(pid: int) -> Iterator[dict[int, float]]:
    """Watch the most memory, in MB, that `pid` and every process below it has ever held.

    Read from /proc every tenth of a second, because the system's account when a process ends
    gives one number for it and its children. Stays empty where there is no /proc.
    """
    peaks: dict[int, float] = {}
    done = Event()

    def watch() -> None:
        while not done.wait(0.1):
            for each in family(pid):
                with suppress(OSError, IndexError):  # it has just ended
                    status = Path(f"/proc/{each}/status").read_text()
                    peaks[each] = int(status.split("VmHWM:")[1].split()[0]) / 1024

    watcher = Thread(target=watch)
    watcher.start()
    try:
        yield peaks
    finally:
        done.set()
        watcher.join()


def family(pid: int) -> set[int]:
    """List a process and every process below it, as far as /proc tells."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started, and reap them: only then does their time count.

    A kernel has a session of its own, so the process group alone would spare it.
    """
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    else:
        reap(grace=2)  # helpers that end by themselves tidy up
    while others := family(os.getpid()) - {os.getpid()}:
        for pid in others:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        reap(grace=0.1)


def reap(grace: float) -> None:
    """Reap children as they end, for at most `grace` seconds."""
    deadline = time.perf_counter() + grace
    with suppress(ChildProcessError):  # there are none left
        while time.perf_counter() < deadline:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
