"""A project: what its snippets and labs gave, brought up to date once, and what pages look up."""

import hashlib
import platform
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from weave.basics.errors import WeaveError, did_you_mean
from weave.basics.store import Store
from weave.run import snippet as snippets
from weave.run.runner import run_all

PACKAGE = Path(__file__).parent
# What all runs depend on, and all that is made of what they gave: files of ours, and libraries.
RUNS = "numpy scipy matplotlib font-source-sans-pro font-source-serif-pro"
PAGES = "mkdocs markdown pymdown-extensions pygments math-core pybtex fonttools brotli ziamath"
MACHINERY = {"runs": ("run/*", RUNS), "pages": ("**/*", f"{RUNS} {PAGES}")}
LookUp = Callable[["Project", str], Any]
LOOK_UPS: dict[str, LookUp] = {}
WATCHED = ("snippets", "docs", "proofs")


def digest(what: object) -> str:
    """Tell something from anything else that has another `repr`."""
    return hashlib.sha256(repr(what).encode()).hexdigest()


def looks_up(kind: str, entry: str = "") -> Callable[[LookUp], LookUp]:
    """Enter a function that answers look-ups of a kind; what is made of an answer goes by its repr.

    Where that is a mapping, look-ups of the kind `entry` give what a key stands for there, or None.
    """

    def enter(function: LookUp) -> LookUp:
        LOOK_UPS[kind] = function
        if entry:
            LOOK_UPS[entry] = lambda project, key: project.look_up(kind).get(key)
        return function

    return enter


class Project:
    """The folder that holds `docs/` and `snippets/`; what is kept lies in `.cache/`."""

    time_limit = 60.0  # seconds, after which a snippet or a lab is stopped

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root / ".cache" / "weave.sqlite")
        self.jobs: dict[str, Path] = {}
        self.failed: dict[str, WeaveError] = {}
        self.stamps: set[tuple[Path, int, int]] = set()
        # Since the last refresh: answers to look-ups, and their digests.
        self.answers: dict[str, Any] = {}
        self.digests: dict[str, str] = {}
        self.lock = Lock()

    def refresh(self) -> None:
        """Bring all snippets and labs up to date, unless no file has changed since the last time.

        What fails is not kept; whoever asks learns why.
        """
        with self.lock:
            while (stamps := self.stamps_now()) != self.stamps:  # again, if one was saved meanwhile
                if any(file.suffix != ".md" for file, *_ in stamps ^ self.stamps):
                    self.failed = {}  # else an endless loop would be run at every word of a page
                self.answers, self.digests = {}, {}
                self.jobs = {f"labs/{lab.stem}": lab for lab in self.root.glob("docs/labs/*.ipynb")}
                self.jobs |= snippets.find(self.root / "snippets")
                missing = {n: path for n, path in self.jobs.items() if n not in self.failed}
                stale = {n: path for n, path in missing.items() if not self.is_fresh("run", n)}
                for name, outcome in run_all(stale, self.root, self.time_limit):
                    if isinstance(outcome, WeaveError):
                        self.failed[name] = outcome
                    else:
                        outcome["trace"]["machinery runs"] = self.digest("machinery runs")
                        self.store.write("run", name, outcome)
                self.stamps = stamps

    def stamps_now(self) -> set[tuple[Path, int, int]]:
        """Give the files in the folders that are watched, when each was saved, and its size."""
        stamps = set()
        for file in [file for folder in WATCHED for file in (self.root / folder).rglob("*")]:
            with suppress(FileNotFoundError):  # an editor's own, which is gone by now
                if not file.is_dir():
                    stat = file.stat()
                    stamps.add((file, stat.st_mtime_ns, stat.st_size))
        return stamps

    def check(self, name: str) -> None:
        """Raise WeaveError if there is no such snippet or lab, or if it failed."""
        if name in self.failed:
            raise self.failed[name]
        if name not in self.jobs:
            if (self.root / f"snippets/{name}.py").is_file():
                raise WeaveError(f"snippets/{name}.py has no cells: begin each by a line '# %%'")
            raise WeaveError(f"no snippet '{name}'{did_you_mean(name, self.jobs)}")

    def look_up(self, kind: str, key: str = "") -> Any:
        """Answer a look-up; the answer holds until the next refresh."""
        question = f"{kind} {key}"
        if question not in self.answers:
            self.answers[question] = LOOK_UPS[kind](self, key)
        return self.answers[question]

    def digest(self, question: str) -> str:
        """Tell what a look-up gives now, or the error that it raises, from what it gave."""
        if question in self.digests:
            return self.digests[question]
        kind, _, key = question.partition(" ")
        if kind not in LOOK_UPS:
            return ""
        try:
            answer = self.look_up(kind, key)
        except Exception as error:  # raised again where the answer is needed
            return f"{type(error).__name__}: {error}"
        self.digests[question] = answer if kind == "file" else digest(answer)
        return self.digests[question]

    def is_fresh(self, kind: str, name: str, given: Mapping[str, str] = {}) -> bool:
        """Tell whether all that an entry was made of is as it was.

        `given` are digests of what no look-up answers.
        """
        trace = self.store.read(kind, name, "trace")
        kept = isinstance(trace, dict)
        return kept and all((given.get(q) or self.digest(q)) == then for q, then in trace.items())

    def is_replaced(self, trace: Mapping[str, str]) -> bool:
        """Tell whether another build has replaced a run since it was looked up."""
        runs = [question.partition(" ")[2] for question in trace if question.startswith("run ")]
        return any(digest(run(self, name)) != trace[f"run {name}"] for name in runs)

    def keep(
        self, kind: str, source: str, make: Callable[[], Any], given: Mapping[str, str] = {}
    ) -> Any:
        """Give what `make` gives (any JSON), made anew only if its source or weave has changed.

        The source is the look-up that it is made of, such as `file docs/references.bib`.
        """
        if not self.is_fresh(kind, source, given):
            trace = {question: self.digest(question) for question in (source, "machinery pages")}
            self.store.write(kind, source, {"made": make(), "trace": {**trace, **given}})
        return self.store.read(kind, source, "made")


@looks_up("file")
def file(project: Project, name: str) -> str:
    """Give the digest of a file below the root; empty without one."""
    return snippets.file_digest(project.root / name)


@looks_up("machinery")
@cache  # what this process has loaded: an edit of weave is not in force before the next
def machinery(_: Project, key: str) -> object:
    """Give the versions and the digests of what a sort of entries depends on."""
    pattern, packages = MACHINERY[key]
    files = sorted(f for f in PACKAGE.glob(pattern) if f.suffix in {".py", ".mplstyle"})
    versions = [platform.python_version(), *map(version, packages.split())]
    return versions, [(f.relative_to(PACKAGE).as_posix(), snippets.file_digest(f)) for f in files]


@looks_up("run")
def run(project: Project, name: str) -> str:
    """Give the digest of all that a run's results and drawings depend on, or raise WeaveError."""
    project.check(name)
    return digest(project.store.read("run", name, "trace"))


@lru_cache
def project_at(root: Path) -> Project:
    """Give the project in a folder: the same to every page of a build, and while serving."""
    return Project(root.resolve())
