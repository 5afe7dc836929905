"""Run snippets and labs: each in a process of its own, within a time limit, on all cores.

They run beside whatever else goes on. A build waits until all have ended; while serving, pages are
made without what has not been run, and made again when it has.
"""

import multiprocessing.forkserver
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from multiprocessing.context import BaseContext
from pathlib import Path
from threading import Condition, Thread
from typing import Any, NamedTuple

from pebble import CONSTS, ProcessPool

from weave.basics.errors import WeaveError

CONSTS.sleep_unit = 0.02  # seconds; a tenth would be half of what an edited snippet takes


class Found(NamedTuple):
    """What an earlier run found of a ledger's claims, and what it was made of."""

    claims: Any
    trace: Mapping[str, str]


@dataclass(frozen=True)
class Job:
    """A snippet or a lab that is to be run.

    Attributes:
        path: of the script or the notebook.
        saved: when that was saved, and its size. One that is saved anew is another job.
        edits: how often other files had changed before it was wanted.
        found_before: what earlier runs found of claims, by their ledger's script, for a ledger
            (`Project.earlier_ledgers`).
    """

    path: Path
    saved: tuple[int, int]
    edits: int = field(default=0, compare=False)
    found_before: Mapping[str, Found] = field(default_factory=dict, compare=False)


class Ended(NamedTuple):
    """A job that has ended: its parts, or what went wrong.

    The part `trace` says which files of the project it opened, with their digests.
    """

    name: str
    job: Job
    outcome: dict[str, Any] | WeaveError


class Running(NamedTuple):
    """A job that is being run, and since when."""

    name: str
    job: Job
    begun: float  # of time.monotonic()


class Runner:
    """Runs what is wanted, and keeps what came of it until somebody takes it.

    Args:
        root: the project's folder.
        time_limit: seconds, after which a run is stopped.
    """

    def __init__(self, root: Path, time_limit: float) -> None:
        self.root = root
        self.time_limit = time_limit
        self.gently = False  # whether runs leave the processor to whatever else goes on
        # Called whenever one has ended, in another thread. `WeavePlugin.on_files` sets it for a
        # build, `LiveSite.join` while serving.
        self.heard: Callable[[], None] = lambda: None
        # All below is read and changed by whoever has hold of this alone.
        self.changed = Condition()
        self.waiting: dict[str, Job] = {}
        self.running: dict[Any, Running] = {}  # by what pebble promises, a future
        self.ended: list[Ended] = []
        self.first: list[str] = []  # names of those that somebody waits for
        self.done: list[str] = []  # what has ended since nothing was left to run
        self.begun = 0.0  # when the first of these began
        self.thread: Thread | None = None
        self.is_over = True  # whether nothing is left of all that was begun
        self.error: BaseException | None = None  # that has ended the thread

    def want(self, jobs: Mapping[str, Job]) -> None:
        """Have these jobs run, and no others: one that is not wanted any more is stopped.

        Args:
            jobs: by name. One that is being run goes on.
        """
        with self.changed:
            known = {(each.name, each.job) for each in self.ended}
            for future, (name, job, _) in list(self.running.items()):
                if jobs.get(name) == job:
                    known.add((name, job))
                else:
                    future.cancel()  # which calls `end`
            self.waiting = {n: job for n, job in jobs.items() if (n, job) not in known}
            if self.waiting and not self.thread:
                self.start()
            self.changed.notify_all()

    def start(self) -> None:
        """Start the thread, where there is something to run."""
        self.done, self.begun, self.is_over = [], time.monotonic(), False
        self.thread = Thread(target=self.work, daemon=True)
        self.thread.start()

    def prefer(self, names: Iterable[str]) -> None:
        """Run these before others, if they are waiting."""
        with self.changed:
            self.first = list(names)

    def take(self) -> list[Ended]:
        """Give what has ended since this was asked for the last time.

        Raises:
            Exception: no process could be started.
        """
        with self.changed:
            ended, self.ended = self.ended, []
            if self.error:
                error, self.error = self.error, None
                raise error
            return ended

    def wait(self, seconds: float | None = None) -> None:
        """Wait until nothing is left to run, or for some seconds."""
        with self.changed:
            self.changed.wait_for(lambda: not self.thread, seconds)

    def close(self) -> None:
        """Stop what is running; nothing is wanted any more."""
        thread = self.thread
        self.want({})
        if thread:
            thread.join()

    def state(self) -> dict[str, Any]:
        """Say what is going on, as what JSON knows.

        Returns:
            By name: of `done`, those that have ended; of `news`, those that nobody has taken; of
            `runs`, with the seconds since each began; of `queued`, those whose turn has not
            come. The `seconds` since the first began, and whether all `is over`.
        """
        with self.changed:
            now = time.monotonic()
            return {
                "done": list(self.done),
                "news": [each.name for each in self.ended] + (["an error"] if self.error else []),
                "runs": {each.name: now - each.begun for each in self.running.values()},
                "queued": list(self.waiting),
                "seconds": now - self.begun,
                "is over": self.is_over,
            }

    def work(self) -> None:
        """Run what is waiting, until nothing is left: what the thread does."""
        try:
            with (
                tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch,
                ProcessPool(os.cpu_count() or 1, max_tasks=1, context=processes()) as pool,
            ):
                with self.changed:
                    while self.waiting or self.running:
                        while self.waiting and len(self.running) < (os.cpu_count() or 1):
                            self.start_next(pool, scratch)
                        self.changed.wait()
                pool.stop()  # type: ignore[no-untyped-call]
        except Exception as error:  # a full disk, say
            self.waiting, self.running, self.error = {}, {}, error
        self.is_over = True
        try:
            self.heard()
        finally:
            with self.changed:
                self.thread = None
                if self.waiting:  # wanted while the processes ended
                    self.start()
                self.changed.notify_all()

    def start_next(self, pool: ProcessPool, scratch: str) -> None:
        """Start one of those that are waiting."""
        name = next((name for name in self.first if name in self.waiting), "")
        name = name or next(iter(self.waiting))
        job = self.waiting.pop(name)
        found_before = {script: found.claims for script, found in job.found_before.items()}
        arguments = (job.path, self.root, self.time_limit, scratch, found_before, self.gently)
        # A process stops itself, and says where it was, or is killed a bit later.
        future = pool.schedule(execute, arguments, timeout=self.time_limit + 2)
        self.running[future] = Running(name, job, time.monotonic())
        future.add_done_callback(self.end)

    def end(self, future: Any) -> None:
        """Note what came of a job; of one that was stopped, nothing."""
        with self.changed:
            name, job, _ = self.running.pop(future)
            is_wanted = not future.cancelled()
            if is_wanted:
                self.ended.append(Ended(name, job, outcome_of(future, name, self.time_limit)))
                self.done.append(name)
            self.changed.notify_all()
        if is_wanted:
            self.heard()


def outcome_of(future: Any, name: str, time_limit: float) -> dict[str, Any] | WeaveError:
    """Give what a process said, or what became of it."""
    try:
        return dict(future.result())
    except WeaveError as error:
        return error
    except TimeoutError:
        return WeaveError(f"{name}: stopped after {time_limit:g} s; make it faster")
    except Exception as error:  # it died; or an error's own words failed
        code = getattr(error, "exitcode", None)
        words = f"its process died with exit code {code} ({type(error).__name__})"
        return WeaveError(f"{name}: {words}; run it by itself")


def execute(path: Path, *more: Any) -> dict[str, Any]:
    """Do the work of the new process; only there is matplotlib loaded."""
    from weave.run import worker

    return worker.execute(path, *more)


def processes() -> BaseContext:
    """Choose how processes start: forked from a server with the libraries loaded, where possible.

    Windows has no fork; there each process loads the libraries afresh.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    # One snippet runs on each core, with one thread: with more the site took four times as long,
    # and sums would depend on their number. Memory comes in large pages and stays with the process,
    # the largest arrays' too: to fetch it anew took a fifth of the time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["PYTHONHASHSEED"] = "0"  # sets come in one order
    os.environ.setdefault("MALLOC_MMAP_MAX_", "0")
    os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(2**30))
    os.environ.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
    context = multiprocessing.get_context("forkserver")
    # Every child loads what MkDocs's command line loads: '__main__' itself is not preloaded, though
    # it may be asked for (https://github.com/python/cpython/issues/126631).
    context.set_forkserver_preload(["mkdocs.__main__", "weave.run.runner", "weave.run.warm"])
    multiprocessing.forkserver.ensure_running()  # it takes a second, in which nobody need wait
    return context
