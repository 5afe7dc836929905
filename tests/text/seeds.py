"""The site as other seeds would have it: what pages print, once every seed has been shifted."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from markdown import Markdown

from weave.basics.errors import WeaveError
from weave.basics.store import Store
from weave.embeds.embed import Context
from weave.embeds.value import evaluate
from weave.pages import lab
from weave.project import Project, saved_at
from weave.run.runner import Job, Runner, execute

DRAWS = re.compile(r"\bdefault_rng\(|\bqmc\.")
PRINTED = re.compile(r"(?P<number>[−-]?[\d.]+)\s±\s(?P<error>[\d.]+)")  # with its standard error
SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
# How far or how close a check of a claim is, where it draws.
CLOSE = re.compile(r"^(?:Compared|Tolerance) in this draw: .*")
NUMBER = re.compile(r"[−-]?\d[\d.e-]*(?: to ±\d[\d.e-]*)?")


@contextmanager
def shifted(shift: int) -> Iterator[None]:
    """Make every seed that numpy is given another one; scipy asks numpy for its generators."""
    fair = np.random.default_rng

    def default_rng(seed: Any = None) -> np.random.Generator:
        if seed is None or isinstance(seed, np.random.Generator):
            return fair(seed)
        return fair([*np.atleast_1d(seed), 10**6 + shift])

    with patch("numpy.random.default_rng", default_rng):
        yield


def execute_shifted(shift: int, *job: Any) -> dict[str, Any]:
    """Run a snippet or a lab with shifted seeds, in a process of its own."""
    with shifted(shift):
        return execute(*job)


def draws(project: Project) -> dict[str, Path]:
    """Find the snippets and labs that draw random numbers, themselves or in what they import."""
    found = {}
    for name, run in project.runs.items():
        read = [question.removeprefix("file ") for question in run.trace]
        code = [project.root / file for file in read if file.endswith((".py", ".ipynb"))]
        if any(DRAWS.search(file.read_text("utf-8")) for file in code if file.is_file()):
            found[name] = project.jobs[name]
    return found


def with_shifted_seeds(project: Project, folder: Path, shift: int) -> Project:
    """Give a project as it would be with other seeds; its results are kept in a folder."""
    other = Project(project.root)
    # What else is kept was made of the runs, and has to be made again.
    other.store = Store(folder / f"shift-{shift}.sqlite")
    other.jobs, other.runs = project.jobs, dict(project.runs)
    with patch("weave.run.runner.execute", partial(execute_shifted, shift)):
        runner = Runner(project.root, 5 * project.time_limit)
        runner.want({name: Job(path, saved_at(path)) for name, path in draws(project).items()})
        runner.wait()
        for name, _, outcome in runner.take():
            if isinstance(outcome, WeaveError):
                raise outcome
            trace = {**outcome.pop("trace"), "shift": str(shift)}
            other.runs[name] = other.store.write("run", name, trace, outcome)
    return other


class Print(NamedTuple):
    """Something that a page prints."""

    text: str
    error: str = ""  # a number's standard error, as printed
    openly: bool = False  # its paragraph, or drawing, says that it is one draw


@dataclass
class Recorder(Context):
    """A page that is woven for what it prints."""

    prints: dict[str, Print] = field(default_factory=dict)  # by place
    text: str = ""  # that is being woven: the page, or what an embed shows

    def weave(self, text: str) -> str:
        """Know the text around a number; around a row, what leads to its table."""
        above = "\n".join(self.text.splitlines()[: self.line - 1]).split("\n\n")
        is_row = text.lstrip().startswith("|") and len(above) > 1
        self.text = f"{text}\n{above[-2]}" if is_row else text
        return super().weave(text)

    def report(self, error: WeaveError, where: str = "") -> str:
        """Note a mistake."""
        self.prints[f"{self.place(self.line)}: a mistake"] = Print(str(error))
        return ""


def note(written: str, context: Recorder) -> tuple[str, str]:
    """Note a number as it is printed, and print another in its place, the same for all seeds."""
    printed, snippet = evaluate(written, context)
    measured = PRINTED.fullmatch(printed)
    lines = context.text.splitlines()
    begin = end = context.line - 1
    while begin and lines[begin - 1].strip():
        begin -= 1
    while end < len(lines) and lines[end].strip():
        end += 1
    row = {key: own for key, own in context.own.items() if f"[{key}]" in written}
    place = f"{context.place(context.line)}: {{= {written.strip()} }}{row or ''}"
    context.prints[place] = Print(
        measured["number"] if measured else printed,
        measured["error"] if measured else "",
        "this draw" in " ".join(" ".join(lines[begin:end]).split()),
    )
    return "0", snippet


def prints(project: Project, source: str) -> dict[str, Print]:
    """Give all that a page prints, by place: each number, and the lines of all else."""
    path = project.root / "docs" / source
    page = Recorder(project, source, markdown=Markdown(), place=f"docs/{source}:{{}}".format)
    if path.suffix == ".ipynb":
        text, page.place = lab.to_markdown(page, path.stem, "")
    else:
        text = path.read_text("utf-8")
    with patch("weave.embeds.value.evaluate", note):
        woven = page.weave(text)
    for number, piece in enumerate([woven, *page.markdown.htmlStash.rawHtmlBlocks]):
        # Of a drawing only its letters, and not what a script gets to draw from.
        plain = SVG.sub(lambda svg: re.sub(r"(<[^>]*>|\s)+", " ", svg[0]), piece)
        plain = re.sub(r' data-explore="[^"]*"', "", PRINTED.sub("± ", plain))
        figure = re.search(r'<figure id="([\w-]+)"', piece)
        part = figure[1] if figure else f"part {number}"
        for line, words in enumerate(plain.splitlines(), start=1):
            same = NUMBER.sub("0", words) if CLOSE.match(words) else words
            place = f"docs/{source}, {part}, line {line}"
            page.prints[place] = Print(same, openly=bool(figure and "draw" in words))
    return page.prints


def number(printed: str) -> float:
    """Read a number as it is printed."""
    return float(printed.replace(",", "").replace("%", "e-2"))


def agree(one: Print, two: Print) -> bool:
    """Tell whether two prints say the same, up to the standard errors that are printed."""
    if not one.error or not two.error:
        return one.text == two.text
    # The errors are of few seeds, so uncertain themselves; and all four numbers are rounded.
    unit = 10.0 ** -len(one.text.partition(".")[2])
    errors = np.hypot(number(one.error), number(two.error))
    return bool(abs(number(one.text) - number(two.text)) <= 5 * errors + 2 * unit)


class Difference(NamedTuple):
    """Something that a page prints otherwise with other seeds."""

    place: str
    one: str
    two: str
    openly: bool

    def __str__(self) -> str:
        return f"{self.place}: {self.one!r}, and with other seeds {self.two!r}"


def differences(project: Project, other: Project, source: str) -> list[Difference]:
    """List what a page prints otherwise in another project, beyond standard errors."""
    one, two = prints(project, source), prints(other, source)
    none = Print("nothing")
    pairs = {p: (one.get(p, none), two.get(p, none)) for p in dict.fromkeys([*one, *two])}
    return [
        Difference(place, a.text, b.text, a.openly and b.openly)
        for place, (a, b) in pairs.items()
        if not agree(a, b)
    ]
