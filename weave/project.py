"""A project: what its snippets and labs gave, brought up to date once, and what pages look up."""

import hashlib
import json
import platform
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from weave.errors import WeaveError, did_you_mean
from weave.run import snippet as snippets
from weave.runner import run_all
from weave.store import Store

PACKAGE = Path(__file__).parent
# What all runs depend on, and all that is made of what they gave: files of ours, and libraries.
MACHINERY = {
    "runs": ("run/*", "numpy scipy matplotlib font-source-sans-pro font-source-serif-pro"),
    "pages": ("**/*", "mkdocs markdown pymdown-extensions pygments math-core pybtex jupytext"),
}
LookUp = Callable[["Project", str], Any]
LOOK_UPS: dict[str, LookUp] = {}


def looks_up(kind: str) -> Callable[[LookUp], LookUp]:
    """Enter a function that answers look-ups of a kind: `function(project, key)`.

    Its answers have to be told apart by their `repr`: what was made of one is made again when that
    has changed.
    """
    return lambda function: LOOK_UPS.setdefault(kind, function)


class Project:
    """The folder that holds `docs/` and `snippets/`; what is kept lies in `.cache/`.

    Args:
        root: the folder.
        time_limit: seconds after which a snippet or a lab is stopped.
    """

    def __init__(self, root: Path, time_limit: float = 60) -> None:
        self.root, self.time_limit = root, time_limit
        self.store = Store(root / ".cache" / "weave.sqlite")
        self.jobs: dict[str, Path] = {}
        self.failed: dict[str, WeaveError] = {}
        self.stamps: object = None
        self.answers: dict[str, Any] = {}
        self.digests: dict[tuple[Path, int], str] = {}
        self.lock = Lock()

    def refresh(self) -> None:
        """Bring all snippets and labs up to date, unless no file has changed since the last time.

        What fails is not kept; whoever asks for it is told why.
        """
        with self.lock:
            files = [f for folder in ("snippets", "docs") for f in (self.root / folder).rglob("*")]
            stamps = {file: file.stat().st_mtime_ns for file in files if file.is_file()}
            if stamps == self.stamps:
                return
            self.answers.clear()
            self.failed.clear()
            self.jobs = {f"labs/{lab.stem}": lab for lab in self.root.glob("docs/labs/*.ipynb")}
            self.jobs |= snippets.find(self.root / "snippets")
            stale = {
                name: path for name, path in self.jobs.items() if not self.is_fresh("run", name)
            }
            for name, (parts, trace) in run_all(stale, self.root, self.time_limit):
                if isinstance(parts, WeaveError):
                    self.failed[name] = parts
                else:
                    trace |= {"machinery runs": self.digest("machinery runs")}
                    self.store.write("run", name, parts | {"trace": json.dumps(trace)})
            self.stamps = stamps

    def is_fresh(self, kind: str, name: str) -> bool:
        """Tell whether all that an entry was made of is as it was."""
        trace = json.loads(self.store.read(kind, name, "trace") or "null")
        return trace is not None and all(self.digest(q) == then for q, then in trace.items())

    def keep(self, kind: str, name: str, sources: Iterable[str], make: Callable[[], Any]) -> Any:
        """Give what `make` gives (any JSON), made anew only if a source has changed.

        Args:
            kind: of the entry.
            name: of the entry.
            sources: the look-ups that it depends on, such as `file docs/references.bib`.
            make: makes it.
        """
        if not self.is_fresh(kind, name):
            trace = {source: self.digest(source) for source in sources}
            parts = {"made": json.dumps(make()), "trace": json.dumps(trace)}
            self.store.write(kind, name, parts)
        return json.loads(self.store.read(kind, name, "made") or "")

    def look_up(self, kind: str, key: str = "") -> Any:
        """Answer a look-up; the answer holds until the next refresh."""
        question = f"{kind} {key}"
        if question not in self.answers:
            self.answers[question] = LOOK_UPS[kind](self, key)
        return self.answers[question]

    def tell(self, question: str, answer: object) -> None:
        """Answer a look-up for all of this build: what only an engine knows."""
        self.answers[question] = answer

    def digest(self, question: str) -> str:
        """Tell what a look-up gives now from what it gave; empty if nobody can answer it now."""
        kind, _, key = question.partition(" ")
        if kind == "file":
            return self.digest_of_file(self.root / key)
        if question not in self.answers and kind not in LOOK_UPS:
            return ""
        try:
            return hashlib.sha256(repr(self.look_up(kind, key)).encode()).hexdigest()
        except WeaveError as error:  # raised again where the answer is needed
            return str(error)

    def digest_of_file(self, path: Path) -> str:
        """Tell what is in a file from what was; empty if there is none."""
        if not path.is_file():
            return ""
        known = path, path.stat().st_mtime_ns
        if known not in self.digests:
            self.digests[known] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self.digests[known]

    def check(self, name: str) -> None:
        """Raise WeaveError if there is no such snippet or lab, or if it failed."""
        if name in self.failed:
            raise self.failed[name]
        if name not in self.jobs:
            raise WeaveError(f"no snippet '{name}'{did_you_mean(name, self.jobs)}")

    def sweep(self) -> None:
        """Drop what nothing refers to: entries of snippets, labs, pages and files that are gone."""
        files = self.look_up("scanned")
        self.store.sweep("run", self.jobs)
        self.store.sweep("script", [name.removeprefix("labs/") for name in self.jobs])
        self.store.sweep("scan", files)
        self.store.sweep("page", [name.removeprefix("docs/") for name in files])


@looks_up("machinery")
def machinery(project: Project, key: str) -> object:
    """Give the versions and the digests of what a sort of entries depends on."""
    pattern, packages = MACHINERY[key]
    files = sorted(f for f in PACKAGE.glob(pattern) if f.suffix in {".py", ".mplstyle"})
    versions = [platform.python_version(), *map(version, packages.split())]
    return versions, [(file.name, project.digest_of_file(file)) for file in files]


@looks_up("run")
def run(project: Project, name: str) -> object:
    """Give all that a run's results and drawings depend on, or why there are none."""
    return str(project.failed.get(name) or project.store.read("run", name, "trace"))


@lru_cache
def project_at(root: Path, time_limit: float = 60) -> Project:
    """Give the project in a folder: the same to every page of a build, and while serving."""
    return Project(root.resolve(), time_limit)
