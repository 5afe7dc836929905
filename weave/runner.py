"""Run snippets: each in its own process, in parallel, within a time limit, and only when stale."""

import hashlib
import multiprocessing
import os
import pickle
import platform
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from pathlib import Path

from weave import snippet as snippets
from weave.errors import WeaveError
from weave.result import Result
from weave.snippet import Snippet

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("numpy", "scipy", "matplotlib", "font-source-sans-pro", "font-source-serif-pro")
# The part of this package that a figure depends on.
MACHINERY = [
    Path(__file__).with_name(name)
    for name in ("figure.mplstyle", "figure.py", "fonts.py", "result.py", "snippet.py", "worker.py")
]


class Runner:
    """Gives the results of the snippets of one project.

    Args:
        root: the project's folder, which holds `snippets/`; results are kept in `.cache/weave/`.
        time_limit: seconds after which a snippet is stopped.
    """

    def __init__(self, root: Path = ROOT, time_limit: float = 60) -> None:
        self.folder = root / "snippets"
        self.cache = root / ".cache" / "weave"
        self.time_limit = time_limit

    def run(self, name: str) -> Result:
        """Give the result of one snippet, from the cache where nothing that it uses has changed.

        Raises:
            WeaveError: no such snippet, a mistake in it, or the time limit passed.
        """
        snippet = self.find(name)
        key = fingerprint(snippet)
        file = self.cache / f"{name.replace('/', '.')}.pickle"
        if file.is_file() and (kept := file.read_bytes()).startswith(key):
            known: Result = pickle.loads(kept[len(key) :])
            return known
        result = run_in_process(snippet, self.time_limit)  # a failure is never kept
        self.cache.mkdir(parents=True, exist_ok=True)
        # Written aside and moved, so that two builds at once never read half a file.
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(key + pickle.dumps(result))
        part.replace(file)
        return result

    def run_all(self, names: Iterable[str]) -> dict[str, Result | WeaveError]:
        """Give the results of several snippets, run at the same time on all cores."""

        def attempt(name: str) -> Result | WeaveError:
            try:
                return self.run(name)
            except WeaveError as error:
                return error

        wanted = sorted(set(names))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip(wanted, pool.map(attempt, wanted), strict=True))

    def find(self, name: str) -> Snippet:
        """Read a snippet without running it."""
        return snippets.find(self.folder, name)


def fingerprint(snippet: Snippet) -> bytes:
    """Hash all that the result depends on: code, data, style, this package, library versions."""
    digest = hashlib.sha256(platform.python_version().encode())
    for package in PACKAGES:
        digest.update(version(package).encode())
    for path in (*snippet.sources(), *MACHINERY):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.digest()


def run_in_process(snippet: Snippet, time_limit: float) -> Result:
    """Run a snippet in a new process, and end that process when the time is over.

    Raises:
        WeaveError: what went wrong in the snippet, or that it took too long or died.
    """
    context = processes()
    answer, sender = context.Pipe(duplex=False)
    process = context.Process(target=execute, args=(snippet, sender), daemon=True)
    process.start()
    sender.close()
    place = snippets.place(snippet.path)
    try:
        if not answer.poll(time_limit):
            raise WeaveError(f"{place}: stopped after {time_limit:g} s; make it faster")
        outcome = answer.recv()
    except EOFError:
        process.join()
        raise WeaveError(
            f"{place}: its process died with exit code {process.exitcode} and no message"
        ) from None
    finally:
        process.kill()
        process.join()
    if isinstance(outcome, WeaveError):
        raise outcome
    result: Result = outcome
    return result


def execute(snippet: Snippet, answer: Connection) -> None:
    """Do the work of the new process; only there is matplotlib loaded."""
    from weave import worker

    worker.execute(snippet, answer)


def processes() -> ForkServerContext | SpawnContext:
    """Choose how processes start: forked from a server with the libraries loaded, where possible.

    Windows has no fork; there each process loads the libraries afresh.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    # One snippet runs on each core. Threads of linear algebra inside them would only stand in each
    # other's way (the site took four times as long), and sums would depend on their number.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    context = multiprocessing.get_context("forkserver")
    # '__main__' too: otherwise every child would import MkDocs's command line again.
    context.set_forkserver_preload(["__main__", "weave.worker"])
    return context
