"""What a snippet's or a lab's process may take, what it reads, and what it is told not to do.

This is for mistakes. It does not hold who wants out: a review does.
"""

import ctypes
import os
import signal
import site
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weave.run.hidden import is_asked_by, refuse_chance, refuse_environment
from weave.run.snippet import file_digest

MEMORY = 4  # GiB of addresses; where the system knows no such limit (macOS, Windows), none
HINT = "open it with a bare name, which is in a folder that goes when the run ends"
MOVE = "keep the file beside the script"
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG in Linux's prctl.h
# Events of Python's: https://docs.python.org/3/library/audit_events.html
NETWORK = {"socket.connect", "socket.getaddrinfo"}
LISTING = {"os.listdir", "os.scandir"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
# Where Python and its packages are, whose versions are known otherwise; also behind links.
INSTALLED = tuple(
    f"{folder}{os.sep}"
    for named in (sys.prefix, sys.base_prefix, site.getusersitepackages())
    for folder in {named, os.path.realpath(named)}
)


def depend_on_others(gently: bool) -> None:
    """Have this process end with the one that started it, on Linux, and be as gentle as is asked.

    Args:
        gently: whether it leaves the processor to others who want it.
    """
    if gently and hasattr(os, "nice"):
        os.nice(10)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)


def confine(root: Path, scratch: Path, folder: Path) -> dict[str, str]:
    """Have this process work in an empty folder, and watch what it does.

    Args:
        root: the project's folder.
        scratch: the folder in which it may write.
        folder: in which the code lies that is run, and its modules.

    Returns:
        A trace, which grows: by `file NAME`, the digest of each file of the project that is opened.
    """
    trace: dict[str, str] = {}
    scratch = scratch.resolve()
    os.chdir(scratch)
    sys.pycache_prefix = None  # a module that is found there would be read unseen
    tempfile.tempdir = str(scratch)
    refuse_environment(folder)
    refuse_chance(folder)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        """Look at what Python is about to do; an error that is raised here prevents it."""
        if event in NETWORK:
            raise PermissionError(f"a snippet has no network ({event}): keep the data beside it")
        is_about_files = event == "open" or event in LISTING
        if not is_about_files or isinstance(arguments[0], int):  # a file that is open already
            return
        path = Path(os.path.abspath(os.fsdecode(arguments[0] or ".")))
        name = name_within(root, path)
        if event in LISTING:
            if name or (is_elsewhere(root, scratch, path) and is_asked_by(folder)):
                refuse_listing(name or str(path))
        elif (arguments[2] or 0) & WRITING:
            if not path.is_relative_to(scratch) and arguments[0] != os.devnull:
                raise PermissionError(f"a snippet writes nothing elsewhere: {path}; {HINT}")
        elif is_elsewhere(root, scratch, path) and is_asked_by(folder):
            raise PermissionError(f"a snippet reads nothing elsewhere: {path}; {MOVE}")
        elif name:
            note_reading(trace, name, path)

    sys.addaudithook(watch)
    return trace


def is_elsewhere(root: Path, scratch: Path, path: Path) -> bool:
    """Tell whether a file is no trace's, nor what has been written or installed.

    Args:
        root: the project's folder.
        scratch: the folder in which the run may write.
        path: of the file. One in the project may be a link that leads elsewhere.
    """
    if name_within(root, path):
        return not name_within(root, Path(os.path.realpath(path)))
    is_known = str(path).startswith(INSTALLED) or path.is_relative_to(scratch)
    return not is_known and str(path) != os.devnull


def name_within(root: Path, path: Path) -> str:
    """Name a file of the project; empty for one that lies elsewhere, or is hidden."""
    if not path.is_relative_to(root):
        return ""
    name = path.relative_to(root).as_posix()
    return "" if name.startswith(".") else name


def refuse_listing(folder: str) -> None:
    """Refuse to list a folder, in which a new file would not be noticed, to all but Python."""
    asks = sys._getframe(2).f_code.co_filename
    if "importlib" not in asks:
        # Of an OSError `glob` and `os.walk` would say nothing.
        raise RuntimeError(f"a snippet lists no folder: {folder}; name each file")


def note_reading(trace: dict[str, str], name: str, path: Path) -> None:
    """Note a file of the project, and what is in it, before it is read."""
    if path.suffix == ".pyc":
        raise FileNotFoundError(path)  # perhaps of an older source: Python reads that instead
    question = f"file {name}"
    if question not in trace:
        trace[question] = ""  # it is opened below, which is no further file
        trace[question] = file_digest(path)


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
