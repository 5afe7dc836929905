"""Run snippets and labs: each in a process of its own, within a time limit, on all cores."""

import logging
import multiprocessing.forkserver
import os
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import as_completed
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

from pebble import CONSTS, ProcessPool

from weave.basics.errors import WeaveError

log = logging.getLogger("mkdocs.weave")
CONSTS.sleep_unit = 0.02  # seconds; a tenth would be half of what an edited snippet takes


def run_all(
    jobs: Mapping[str, Path],
    root: Path,
    time_limit: float,
    found_before: Mapping[str, Any] = {},
) -> Iterator[tuple[str, dict[str, Any] | WeaveError]]:
    """Run snippets and labs.

    Args:
        jobs: the file of each, by its name.
        root: the project's folder.
        time_limit: seconds, after which one is stopped.
        found_before: what earlier runs found of claims, by their ledger's script, for ledgers
            (`Project.earlier_ledgers`).

    Yields:
        As each ends, its name and its parts, or what went wrong. The part `trace` says which files
        of the project it opened, with their digests.
    """
    if not jobs:
        return
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch,
        ProcessPool(os.cpu_count() or 1, max_tasks=1, context=processes()) as pool,
    ):
        futures: dict[Any, str] = {}
        # A process stops itself, and says where it was, or is killed a bit later.
        for name in jobs:
            before = found_before if name.startswith("claims/") else {}
            job = (jobs[name], root, time_limit, scratch, before)
            futures[pool.schedule(execute, job, timeout=time_limit + 2)] = name
        try:
            for future in as_completed(futures):
                name = futures.pop(future)
                log.info("ran %s, %d left", name, len(futures))
                yield name, outcome_of(future, name, time_limit)
        finally:
            pool.stop()  # type: ignore[no-untyped-call] # what is left, if nobody waits for it any more


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


def execute(
    path: Path, root: Path, time_limit: float, scratch: str, found_before: Mapping[str, Any] = {}
) -> dict[str, Any]:
    """Do the work of the new process; only there is matplotlib loaded."""
    from weave.run import worker

    return worker.execute(path, root, time_limit, scratch, found_before)


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
