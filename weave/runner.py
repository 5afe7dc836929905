"""Run snippets and labs: each in a process of its own, within a time limit, on all cores."""

import logging
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from pathlib import Path
from typing import Any

from pebble import ProcessExpired, ProcessPool
from tqdm import tqdm

from weave.errors import WeaveError

log = logging.getLogger("mkdocs.weave")


class Runs:
    """Snippets and labs at work.

    How far it is, a bar shows in a terminal, and lines in a log.
    """

    def __init__(self, jobs: Mapping[str, Path], root: Path, time_limit: float) -> None:
        """Start them, one at least."""
        self.time_limit = time_limit
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # One more than cores: the pool takes a tenth of a second to put a new process in a place
        # that has become free, and meanwhile the core works on.
        workers = (os.cpu_count() or 1) + 1
        self.pool = ProcessPool(workers, max_tasks=1, context=processes())
        self.bar = tqdm(total=len(jobs), disable=None, unit="run", leave=False)
        # The process stops itself, and says where it was; if it cannot, it is killed a bit later.
        self.left: dict[Any, str] = {
            self.pool.schedule(
                execute, (path, root, time_limit, self.scratch.name), timeout=time_limit + 2
            ): name
            for name, path in jobs.items()
        }

    def until(self, name: str = "") -> Iterator[tuple[str, dict[str, Any] | WeaveError]]:
        """As each ends, yield its name and its parts, or what went wrong.

        Args:
            name: the one to wait for, if there is such a run; else all are waited for.
        """
        latest = time.monotonic()
        while name in self.left.values() if name else self.left:
            done, _ = wait(self.left, timeout=1, return_when=FIRST_COMPLETED)
            latest = time.monotonic() if done else latest
            if time.monotonic() - latest > self.time_limit + 30:  # each has to end before that
                waiting = ", ".join(sorted(self.left.values()))
                raise RuntimeError(f"no process starts or ends; these did not run: {waiting}")
            for future in done:
                ended = self.left.pop(future)
                self.bar.update()
                if self.bar.disable:
                    log.info("ran %s, %d left", ended, len(self.left))
                yield ended, outcome_of(future, ended, self.time_limit)
            self.bar.set_postfix_str(", ".join(self.left[f] for f in self.left if f.running()))
            if not self.left:
                self.stop()

    def stop(self) -> None:
        """Stop what is left."""
        self.left = {}
        self.bar.close()
        self.pool.stop()  # type: ignore[no-untyped-call]
        self.pool.join()
        self.scratch.cleanup()


def outcome_of(future: Any, name: str, time_limit: float) -> dict[str, Any] | WeaveError:
    """Give what a process said, or what became of it."""
    try:
        parts: dict[str, Any] = future.result()
        return parts
    except WeaveError as error:
        return error
    except TimeoutError:
        return WeaveError(f"{name}: stopped after {time_limit:g} s; make it faster")
    except ProcessExpired as error:
        code = error.exitcode
        return WeaveError(f"{name}: its process died with exit code {code} and no message")


def execute(path: Path, root: Path, time_limit: float, scratch: str) -> dict[str, Any]:
    """Do the work of the new process; only there is matplotlib loaded."""
    from weave.run import worker

    return worker.execute(path, root, time_limit, scratch)


def processes() -> ForkServerContext | SpawnContext:
    """Choose how processes start: forked from a server with the libraries loaded, where possible.

    Windows has no fork; there each process loads the libraries afresh.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    # One snippet runs on each core. Threads of linear algebra inside them would only stand in each
    # other's way (the site took four times as long), and sums would depend on their number. An
    # array that is let go stays with the process: to fetch its memory from the system anew, page by
    # page, took a fifth of the time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for threshold in ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
        os.environ.setdefault(threshold, str(2**30))
    context = multiprocessing.get_context("forkserver")
    # Every child loads what MkDocs's command line loads. (A server does not have '__main__' itself
    # preloaded before Python 3.13.8.)
    context.set_forkserver_preload(["mkdocs.__main__", "weave.runner", "weave.run.worker"])
    return context
