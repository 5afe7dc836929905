"""A `mkdocs serve` of a small project, and what somebody sees of it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import ClassVar

CONFIG = (
    "site_name: test\nplugins: [weave]\nwatch: [snippets]\nmarkdown_extensions:\n"
    "  - pymdownx.superfences\n  - md_in_html\n  - weave\n"
)


class Server:
    """A server in a session of its own; what it says goes into the file `log` beside the project.

    Args:
        root: the project's folder.
    """

    OPTIONS: ClassVar[list[str]] = []

    def __init__(self, root: Path) -> None:
        self.log = root / "log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        command = [
            sys.executable,
            "-m",
            "mkdocs",
            "serve",
            "--dev-addr",
            self.address,
            *self.OPTIONS,
        ]
        with self.log.open("w") as output:
            # A shell has what it puts into the background ignore Ctrl+C, tests and servers alike.
            before = signal.signal(signal.SIGINT, signal.SIG_DFL)
            try:
                self.process = subprocess.Popen(
                    command, cwd=root, stderr=output, start_new_session=True
                )
            finally:
                signal.signal(signal.SIGINT, before)

    def ask(self, path: str) -> tuple[int, str]:
        """Give the status and the text of an answer; 0 as long as there is none."""
        try:
            with urllib.request.urlopen(f"http://{self.address}/{path}", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, ""
        except OSError:
            return 0, ""

    def read(self, path: str, *texts: str) -> str:
        """Wait until a page says some texts; give its HTML."""
        return self.wait(lambda: self.ask(path)[1], *texts)

    def runs(self) -> dict:
        """Give what is being run."""
        nothing = '{"runs": {}, "done": [], "queued": []}'  # as long as it does not answer
        return json.loads(self.ask("weave-runs.json")[1] or nothing)

    def wait(self, look, *texts: str) -> str:
        """Wait until what `look` gives has all of some texts."""
        found = ""
        for _ in range(600):  # two minutes, on a busy machine
            found = look()
            if found and all(text in found for text in texts):
                return found
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.2)
        raise AssertionError(f"{texts} did not appear in: {found}\n{self.log.read_text()}")

    def wait_for_runs(self, is_so) -> None:
        """Wait until `is_so` holds of what is being run."""
        self.wait(lambda: "yes" if is_so(self.runs()) else "", "yes")

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it; with Control-C as a terminal does, with all that it has started."""
        if how == signal.SIGINT:
            os.killpg(self.process.pid, how)
        else:
            self.process.send_signal(how)
        self.process.wait(timeout=60)

    def leaves_processes(self) -> list[int]:
        """Name the processes of its session that are still there after some seconds."""
        left = []
        for _ in range(50):
            left = [
                pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self.is_of(pid)
            ]
            if not left:
                break
            time.sleep(0.2)
        return left

    def is_of(self, pid: int) -> bool:
        """Tell whether a process is of the server's session, and not dead already."""
        try:
            state, _, _, session, *_ = (
                Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            )
        except OSError:  # it has ended meanwhile
            return False
        return int(session) == self.process.pid and state != "Z"
