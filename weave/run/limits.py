"""What a snippet's or a lab's process may take, what it reads, and what it is told not to do.

This is for mistakes. It does not hold who wants out: a review does.
"""

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weave.run.snippet import file_digest

MEMORY = 4  # GiB of addresses; where the system knows no such limit (macOS, Windows), none
HINT = "open it with a bare name, which is in a folder that goes when the run ends"
LISTING = {"os.listdir", "os.scandir"}  # a file that is new there would not be noticed
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def confine(root: Path, scratch: Path) -> dict[str, str]:
    """Have this process work in `scratch`, which is empty, and say what it must not do.

    The trace that is returned grows: by `file NAME`, the digest of each file of the project opened.
    """
    trace: dict[str, str] = {}
    scratch = scratch.resolve()
    os.chdir(scratch)
    sys.pycache_prefix = None  # a module that is found there would be read unseen
    tempfile.tempdir = str(scratch)

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        # Events of Python's: https://docs.python.org/3/library/audit_events.html
        if event in {"socket.connect", "socket.getaddrinfo"}:
            raise PermissionError(f"a snippet has no network ({event}): keep the data beside it")
        if event not in {"open", *LISTING} or isinstance(arguments[0], int):
            return
        path = Path(os.path.abspath(os.fsdecode(arguments[0] or ".")))
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else "."
        ours, question = not name.startswith("."), f"file {name}"
        if event in LISTING:
            if ours and "importlib" not in sys._getframe(1).f_code.co_filename:
                # Of an OSError `glob` and `os.walk` would say nothing.
                raise RuntimeError(f"a snippet lists no folder: {name}; name each file")
        elif (arguments[2] or 0) & WRITING:
            if not path.is_relative_to(scratch) and arguments[0] != os.devnull:
                raise PermissionError(f"a snippet writes nothing elsewhere: {path}; {HINT}")
        elif ours and path.suffix == ".pyc":
            raise FileNotFoundError(path)  # perhaps of an older source: Python reads that instead
        elif ours and question not in trace:
            trace[question] = ""  # it is opened below, which is no further file
            trace[question] = file_digest(path)

    sys.addaudithook(note)
    return trace


@contextmanager
def limits(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the line that is reached then; too much memory is a MemoryError."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"stopped after {seconds:g} s; make it faster")

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    if sys.platform == "linux":
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY * 2**30, before[1]))
    try:
        yield
    finally:  # a thread of the snippet's may still be at work, and the outcome has to be sent
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, before)
