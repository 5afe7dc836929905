"""What a snippet's or a lab's process may do: compute, read, and write into a folder of its own.

This is for mistakes, and for code that does more than its readers expect. It would not hold an
attacker: what runs in a process can undo what is done there.
"""

import io
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

from weave.run.snippet import digest

MEMORY = 4  # GiB of addresses; where the system knows no such limit (macOS, Windows), none
PRINTED = 16  # KiB

# Events of Python's: https://docs.python.org/3/library/audit_events.html
STARTS = {
    *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile"),
    *("os.system", "pty.spawn", "subprocess.Popen"),
}
CHANGES = {
    *("os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir"),
    *("os.symlink", "os.truncate", "os.utime", "sqlite3.connect"),
}
LISTS = {"os.listdir", "os.scandir"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def confine(root: Path, scratch: Path) -> dict[str, str]:
    """Let this process do no more, from now on, than it may. It works in `scratch`, which is empty.

    Returns:
        The trace, which grows: the digest of every file of the project that is opened, or looked
        for in vain, and of every folder whose files are listed, by `file NAME`.
    """
    trace: dict[str, str] = {}
    scratch = scratch.resolve()
    os.chdir(scratch)
    tempfile.tempdir = str(scratch)

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event in STARTS:
            raise PermissionError(f"a snippet starts no other process ({event}): compute here")
        if event.startswith("socket.") and event != "socket.__new__":
            raise PermissionError(f"a snippet has no network ({event}): keep the data beside it")
        if event in CHANGES or (event == "open" and (arguments[2] or 0) & WRITING):
            for path in arguments[:2]:
                if isinstance(path, str | bytes | os.PathLike) and path != os.devnull:
                    may_write(path)
        elif event in LISTS:
            # A search for a module lists too; the module is noted when it is opened.
            if not sys._getframe(1).f_code.co_filename.startswith("<frozen importlib"):
                read(arguments[0] or ".")
        elif event == "open":
            read(arguments[0])

    def may_write(file: Any) -> None:
        path = Path(os.path.abspath(os.fsdecode(file)))
        if not path.is_relative_to(scratch):
            name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path
            hint = "open it with a bare name, which is in a folder that goes when the run ends"
            raise PermissionError(
                f"a snippet writes nothing into the project or beside it: {name}; {hint}"
            )

    def read(file: Any) -> None:
        if isinstance(file, int):
            return
        path = Path(os.path.abspath(os.fsdecode(file)))
        if path.suffix == ".pyc":  # of the module beside the folder in which it lies
            path = path.parent.parent / f"{path.name.partition('.')[0]}.py"
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else "."
        question = f"file {name}"
        if not name.startswith(".") and question not in trace:
            trace[question] = ""  # it is opened below, which is no further file
            trace[question] = digest(path)

    sys.addaudithook(note)
    return trace


@contextmanager
def limits(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the line that is reached then, where the system can do that.

    What asks for too much memory meanwhile gets a MemoryError, and `os._exit` is like `sys.exit`.
    """

    def stop(*_: object) -> None:
        raise TimeoutError(f"stopped after {seconds:g} s; make it faster")

    def leave(status: int) -> NoReturn:
        raise SystemExit(status)

    Thread(target=end_with_the_build, args=(os._exit,), daemon=True).start()
    end, os._exit = os._exit, leave
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
        os._exit = end


def end_with_the_build(end: Any) -> None:
    """End this process when the one that waits for it is gone, however that was ended."""
    if build := multiprocessing.parent_process():
        build.join()
        end(1)


class Printed(io.StringIO):
    """What is printed, as long as it is no more than somebody reads."""

    def write(self, text: str) -> int:
        """Add a text, or raise ValueError."""
        if self.tell() + len(text) > PRINTED * 1024:
            raise ValueError(f"more than {PRINTED} KiB printed; print less")
        return super().write(text)
