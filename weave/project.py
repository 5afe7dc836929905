"""A project: what its snippets and labs gave, brought up to date once, and what pages look up.

A run that is not there yet is an answer like any other: while serving, pages are made without what
it would give (`PendingError`), or with what it gave last, and made again when it is there. The
project changes in `refresh` alone, between two builds, so that no build sees two states of it.

A *look-up* is a question, `kind key`, such as `run variance/spread`. Whatever is made of answers
notes each question with a digest of its answer; that is its *trace*. As long as all answers have
the digests of the trace, what is kept need not be made again.
"""

import hashlib
import platform
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from weave.basics.errors import PendingError, WeaveError, did_you_mean, read_text
from weave.basics.store import Entry, Store, place_of_cache
from weave.run.results import Results
from weave.run.runner import Ended, Found, Job, Runner
from weave.run.snippet import file_digest, find_snippets

PACKAGE = Path(__file__).parent
# What all runs depend on, and all that is made of what they gave: files of ours, and libraries.
RUNS = "numpy scipy matplotlib font-source-sans-pro font-source-serif-pro"
PAGES = "mkdocs markdown pymdown-extensions pygments math-core pybtex fonttools brotli ziamath"
MACHINERY = {"runs": ("run/*", RUNS), "pages": ("**/*", f"{RUNS} {PAGES}")}
IMPORTED = re.compile(r"^import (\w+)$", re.MULTILINE)
WATCHED = ("snippets", "docs", "proofs", "check_attention", "mkdocs.yml")
# Emacs' `#x#`, `.#x` and `flycheck_x`, the backup `x~`, Vim's `4913` and `.x.swp` to `.x.swa`; what
# Python compiles, and how it names that while it writes.
NO_EDIT = re.compile(r"^#.*#$|^\.#|^flycheck_|~$|^4913$|\.sw[a-p]$|^__pycache__$|\.pyc(\.\d+)?$")


class Traced(Protocol):
    """What knows of what it was made."""

    @property
    def trace(self) -> Mapping[str, str]:
        """By look-up, the digest of the answer."""
        ...


Stamp = tuple[Path, int, int]
Answer = Callable[["Project", str], Any]
# Answers look-ups, by kind. The decorator `looks_up` enters functions here: those at the end of
# this module, and others in weave/text and weave/embeds, which a search for `@looks_up("works"`
# finds, say, or for `entry="work"`, of which an answer is one entry of a mapping. `Project.look_up`
# calls them: for `Context.look_up`, of a page, and for `Project.digest`, to see whether an answer
# is as it was.
LOOK_UPS: dict[str, Answer] = {}


def is_ledger(name: str) -> bool:
    """Tell whether a snippet is one of the claims' scripts.

    They are special in this alone: ledgers import each other, so what one has found is handed to
    those that are run after it, and no page is judged before all are there.
    """
    return name.startswith("claims/")


def is_no_edit(name: str) -> bool:
    """Tell whether a file is a copy that an editor makes for itself, or what Python compiled."""
    return bool(NO_EDIT.search(name))


def looks_up(kind: str, entry: str = "") -> Callable[[Answer], Answer]:
    """Enter a function as the one that answers look-ups of a kind.

    Args:
        kind: the word that look-ups of it begin with.
        entry: where the answer is a mapping, another kind, whose look-ups give what their key
            stands for in it, or None: what is made of one entry need not be made again when
            another changes.

    Returns:
        A decorator for a function of the project and the key. What it gives is told from other
        answers by its `repr`.
    """

    def enter(answer: Answer) -> Answer:
        LOOK_UPS[kind] = answer
        if entry:
            LOOK_UPS[entry] = lambda project, key: project.look_up(kind).get(key)
        return answer

    return enter


def saved_at(file: Path) -> tuple[int, int]:
    """Give when a file was saved, and its size."""
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size


def digest(what: object) -> str:
    """Tell something from anything else that has another `repr`."""
    return hashlib.sha256(repr(what).encode()).hexdigest()


class Project:
    """The folder that holds `docs/` and `snippets/`; what is kept lies in its `Store`.

    Attributes:
        jobs: the file of each snippet and lab, by its name, such as `variance/spread`.
        runs: what they gave, by name.
        failed: why others gave nothing, by name.
        pending: those that are being run, or wait for it, by name. Of one that was run before, as
            its files were then, `runs` has the last run.
        runner: runs them.
    """

    time_limit = 60.0  # seconds, after which a snippet or a lab is stopped

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(place_of_cache(root))
        self.jobs: dict[str, Path] = {}
        self.runs: dict[str, Entry] = {}
        self.failed: dict[str, WeaveError] = {}
        self.pending: dict[str, Path] = {}
        self.runner = Runner(root, self.time_limit)
        self.stamps: set[Stamp] = set()
        self.edits = 0  # how often a file has changed, other than a page
        # What has been run since. It counts, even if a file that it read is another by now.
        self.just_run: dict[str, Entry] = {}
        # Since the last refresh: answers to look-ups, and their digests.
        self.answers: dict[str, Any] = {}
        self.digests: dict[str, str] = {}
        self.lock = Lock()

    def refresh(self, patience: float | None = None) -> None:
        """Bring all snippets and labs up to date, unless no file has changed since the last time.

        What fails is not kept; whoever asks for it learns why.

        Args:
            patience: how long to wait for runs, in seconds. What is not there by then is `pending`:
                ask again when the runner has heard of one. Without it, until all are there.
        """
        end = None if patience is None else time.monotonic() + patience
        with self.lock:
            try:
                self.take_up()
                while self.pending and (end is None or time.monotonic() < end):
                    self.runner.wait(None if end is None else end - time.monotonic())
                    self.take_up()
            except BaseException:  # nobody waits any more; and what was begun is to be done again
                self.stamps = set()
                self.runner.close()
                raise

    def take_up(self) -> None:
        """Take over what has been saved and what has been run, and have run what is missing."""
        ended = self.runner.take()
        stamps = self.stamps_now()
        changed = stamps ^ self.stamps
        if not changed and not ended:
            return
        self.answers, self.digests = {}, {}
        for each in ended:
            self.keep_run(each)
        if any(file.suffix != ".md" for file, *_ in changed):
            self.failed = {}  # else an endless loop would be run at every word of a page
            self.just_run = {}
            self.edits += 1
        self.stamps = stamps
        self.bring_up_to_date()

    def begin_again(self, error: sqlite3.DatabaseError) -> None:
        """Put aside what is kept, which is damaged; the next refresh runs everything."""
        self.store.put_aside(error)
        self.stamps, self.runs, self.answers, self.digests = set(), {}, {}, {}
        self.just_run = {}

    def bring_up_to_date(self) -> None:
        """Find the run of each snippet and lab that fits the files as they are, or have it run."""
        labs = {f"labs/{lab.stem}": lab for lab in self.root.glob("docs/labs/*.ipynb")}
        self.jobs = {**labs, **find_snippets(self.root / "snippets")}
        runs, pending = {}, {}
        for name, path in self.jobs.items():
            if name in self.failed:
                continue
            if run := self.find("run", name) or self.just_run.get(name):
                runs[name] = run
            else:
                pending[name] = path
        self.runs, self.pending = runs, pending
        self.runner.want(self.jobs_to_run())
        for name in self.pending:
            if last := next(self.store.entries("run", name), None):
                self.runs[name] = last
        self.share_errors()

    def jobs_to_run(self) -> dict[str, Job]:
        """Give what can be run now of what is pending.

        What reads ledgers comes after them: it takes over what they have found.
        """
        found_before = {}
        for script, run in self.earlier_ledgers(self.pending).items():
            found_before[script] = Found(run.read("value claims"), run.trace)
        ready = [name for name, path in self.pending.items() if not self.waits_for_ledger(path)]
        jobs = {}
        for name in ready or self.pending:  # ledgers that import each other fail, and say why
            path = self.pending[name]
            found = found_before if is_ledger(name) else {}
            jobs[name] = Job(path, saved_at(path), self.edits, found)
        return jobs

    def waits_for_ledger(self, script: Path) -> bool:
        """Tell whether one of the claims' scripts imports another that is pending."""
        if script.parent.name != "claims":
            return False
        modules = IMPORTED.findall(script.read_text("utf-8", errors="replace"))
        return any(f"claims/{module}" in self.pending for module in modules)

    def keep_run(self, ended: Ended) -> None:
        """Keep what a snippet or a lab gave, or note why it failed."""
        name, job, outcome = ended
        if isinstance(outcome, WeaveError):
            if job.edits == self.edits:  # else of files that may have been mended since it began
                self.failed[name] = outcome
            return
        trace = {**outcome.pop("trace"), "machinery runs": self.digest("machinery runs")}
        for script, found in job.found_before.items():
            if f"file {script}" in trace:
                trace = {**found.trace, **trace}  # what it found is of what it read
        entry = self.store.write("run", name, trace, outcome)
        if job.edits == self.edits:
            self.just_run[name] = entry

    def share_errors(self) -> None:
        """Have a snippet that fails because of one that it imports fail with the same error.

        So a page says it once.
        """
        for name, error in self.failed.items():
            own = f"snippets/{name}.py:"
            before = tuple(place for place in error.by_way_of if not place.startswith(own))
            for other in self.failed.values():
                is_same = (other.place, other.message) == (error.place, error.message)
                if is_same and before == other.by_way_of != error.by_way_of:
                    self.failed[name] = other

    def earlier_ledgers(self, names: Iterable[str]) -> dict[str, Entry]:
        """Give an earlier run of each ledger, by its script, if ledgers are among those to be run.

        Only where of all that such a run read nothing but the ledger itself has changed since: the
        ledger can tell which of its claims are still judged by the same code. All claims of the
        largest ledger take almost three seconds of a core, and the one that is edited need not
        wait for them.
        """
        found: dict[str, Entry] = {}
        if not any(map(is_ledger, names)):
            return found
        for path in self.root.glob("snippets/claims/*.py"):
            script = f"snippets/claims/{path.name}"
            itself = f"file {script}"
            for run in self.store.entries("run", f"claims/{path.stem}"):
                if run.read("value claims") and self.is_fresh(run, {itself: run.trace[itself]}):
                    found[script] = run
                    break
        return found

    def stamps_now(self) -> set[Stamp]:
        """Give the files in the folders that are watched, when each was saved, and its size."""
        stamps = set()
        for watched in WATCHED:
            for file in [self.root / watched, *(self.root / watched).rglob("*")]:
                with suppress(FileNotFoundError):  # it is gone by now
                    if not file.is_dir() and not is_no_edit(file.name):
                        stamps.add((file, *saved_at(file)))
        return stamps

    def has_been_edited(self) -> bool:
        """Tell whether a file has changed since the last refresh."""
        return self.stamps_now() != self.stamps

    def run_of(self, name: str) -> Entry:
        """Give what a snippet or a lab gave when it was run.

        Raises:
            PendingError: it is being run for the first time, or waits for it.
            WeaveError: it failed, or there is none of this name.
        """
        if name in self.failed:
            raise self.failed[name]
        if name not in self.runs:
            if name in self.pending:
                raise PendingError(name)
            script = f"snippets/{name}.py"
            if (self.root / script).is_file():
                read_text(self.root / script, script)  # no cell is found in UTF-16
                raise WeaveError(f"{script} has no cells: begin each by a line '# %%'")
            other = self.moved_to(name)
            if other:
                mend = f"make rename FROM={name} TO={other}"
                raise WeaveError(f"no snippet '{name}': its code is now '{other}'; {mend}")
            raise WeaveError(f"no snippet '{name}'{self.near(name)}")
        return self.runs[name]

    def near(self, name: str) -> str:
        """End a sentence about a snippet that is not there: in its chapter, or in another."""
        chapter, _, stem = name.rpartition("/")
        folder = f"{chapter}/"
        there = [job.removeprefix(folder) for job in self.jobs if job.startswith(folder)]
        elsewhere = [job for job in self.jobs if job.endswith(f"/{stem}")]
        if there and not elsewhere:
            return did_you_mean(stem, there, folder)
        return did_you_mean(name, elsewhere or self.jobs)

    def moved_to(self, name: str) -> str:
        """Give the snippet that computes as one did that is gone; empty if none does."""
        for gone in self.store.entries("run", name):
            script = gone.read("script")
            for other, run in self.runs.items():
                other_script = run.read("script")
                if script and other_script and other_script[2] == script[2]:  # the first cell
                    return other
        return ""

    def results(self, name: str) -> Results:
        """Give the results of a snippet.

        Tests ask this. A page asks `Context.result`, which notes each in its trace and then asks
        this.

        Raises:
            WeaveError: it failed, or there is none of this name.
        """
        return Results(self.run_of(name))

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

    def is_fresh(self, entry: Traced, given: Mapping[str, str] = {}) -> bool:
        """Tell whether all that an entry was made of is as it was.

        Args:
            entry: what is kept.
            given: digests of what no look-up answers, by what its trace calls them.
        """
        for question, then in entry.trace.items():
            now = given.get(question) or self.digest(question)
            if now != then:
                return False
        return True

    def find(self, kind: str, name: str, given: Mapping[str, str] = {}) -> Entry | None:
        """Give the entry that need not be made again, if one of those that are kept is such.

        Args:
            kind: of entry, such as `run` or `page`.
            name: of the entry.
            given: digests of what no look-up answers.
        """
        for place, entry in enumerate(self.store.entries(kind, name)):
            if self.is_fresh(entry, given):
                if place > 0:
                    self.store.use(entry)
                return entry
        return None

    def keep(
        self, kind: str, source: str, make: Callable[[], Any], given: Mapping[str, str] = {}
    ) -> Any:
        """Give what is made of a source, and make it only if it is not kept.

        Args:
            kind: of entry.
            source: the look-up that it is made of, such as `file docs/references.bib`.
            make: makes it. What it gives has to be known to JSON.
            given: digests of what else it is made of, and no look-up answers.
        """
        entry = self.find(kind, source, given)
        if entry is None:
            trace = {question: self.digest(question) for question in (source, "machinery pages")}
            entry = self.store.write(kind, source, {**trace, **given}, {"made": make()})
        return entry.read("made")


@looks_up("file")
def digest_of_file(project: Project, name: str) -> str:
    """Give the digest of a file below the root; empty without one."""
    return file_digest(project.root / name)


@looks_up("machinery")
@cache  # what this process has loaded: an edit of weave is not in force before the next
def versions_of_machinery(_: Project, key: str) -> object:
    """Give the versions and the digests of what `runs` or `pages` depend on."""
    pattern, packages = MACHINERY[key]
    versions = [platform.python_version()]
    for package in packages.split():
        versions.append(version(package))
    files = []
    for file in sorted(PACKAGE.glob(pattern)):
        if file.suffix in {".py", ".mplstyle"}:
            files.append((file.relative_to(PACKAGE).as_posix(), file_digest(file)))
    return versions, files


@looks_up("run")
def run_by_name(project: Project, name: str) -> Entry:
    """Give what a snippet or a lab gave; its trace has all that it depends on."""
    return project.run_of(name)


@looks_up("result")
def digest_of_result(project: Project, key: str) -> str:
    """Tell a result, `variance/spread.std`, from what it was; empty if there is none.

    A page that quotes a result asks for this, not for the run, so that it is made again only when
    the result itself has changed. The answer is for the page's trace alone: `Context.result` reads
    the value from the run.
    """
    snippet, _, name = key.rpartition(".")
    return str(project.look_up("results", snippet).get(name, ""))


@looks_up("results")
def digests_of_results(project: Project, name: str) -> dict[str, str]:
    """Give the digests of all results of a snippet, by their names."""
    return project.run_of(name).read("digests") or {}


@lru_cache
def project_at(root: Path) -> Project:
    """Give the project in a folder: the same to every page of a build, and while serving."""
    return Project(root.resolve())
