"""The site as other seeds would have it: what pages print, once every seed has been shifted."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from markdown import Markdown

from weave import lab
from weave.embed import Context
from weave.embeds.value import evaluate
from weave.errors import WeaveError
from weave.project import Project
from weave.runner import execute, run_all
from weave.store import Store

DRAWS = re.compile(r"\bdefault_rng\(|\bqmc\.")
SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)


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
    for name, path in project.jobs.items():
        read = [question.removeprefix("file ") for question in project.look_up("run", name)]
        code = [project.root / file for file in read if file.endswith((".py", ".ipynb"))]
        if any(DRAWS.search(file.read_text("utf-8")) for file in code if file.is_file()):
            found[name] = path
    return found


def with_shifted_seeds(project: Project, folder: Path, shift: int) -> Project:
    """Give a project as it would be with other seeds; its results are kept in a folder."""
    other = Project(project.root, project.time_limit)
    other.jobs, other.store = project.jobs, Store(folder / f"shift-{shift}.sqlite")
    project.store.connection.backup(other.store.connection)
    runs = {entry for entry in other.store.entries() if entry[0] == "run"}
    other.store.sweep(runs)  # all else was made of the runs, and has to be made again
    with patch("weave.runner.execute", partial(execute_shifted, shift)):
        for name, outcome in run_all(draws(project), project.root, project.time_limit):
            if isinstance(outcome, WeaveError):
                raise outcome
            other.store.write("run", name, outcome)
    return other


@dataclass
class Recorder(Context):
    """A page that is woven for what it prints."""

    said: dict[str, str] = field(default_factory=dict)  # by place, and expression if there is one

    def report(self, error: WeaveError) -> str:
        """Note a mistake, such as a comparison that does not hold."""
        self.said[f"{self.place(self.line + error.line)}: mistake"] = str(error)
        return ""


def note(text: str, context: Recorder) -> tuple[str, list[str]]:
    """Note a number as it is printed, and print another in its place, the same for all seeds."""
    printed, snippets = evaluate(text, context)
    context.said[f"{context.place(context.line)}: {{= {text.strip()} }}"] = printed
    return "0", snippets


def prints(project: Project, source: str) -> dict[str, str]:
    """Give all that a page prints: each number by its place, and the lines of all else."""
    path = project.root / "docs" / source
    page = Recorder(project, source, markdown=Markdown(), place=f"docs/{source}:{{}}".format)
    if path.suffix == ".ipynb":
        text, page.place = lab.to_markdown(project, path.stem, "")
    else:
        text = path.read_text("utf-8")
    with patch("weave.embeds.value.evaluate", note):
        woven = page.weave(text)
    pieces = [woven, *page.markdown.htmlStash.rawHtmlBlocks]
    for number, piece in enumerate(pieces):
        # Of a drawing only its letters, and not what a script gets to draw from.
        plain = SVG.sub(lambda svg: re.sub(r"<[^>]*>|\s+", " ", svg[0]), piece)
        plain = re.sub(r' data-explore="[^"]*"', "", plain)
        for line, words in enumerate(plain.splitlines()):
            page.said[f"docs/{source}, piece {number}, line {line}"] = words
    return page.said


def differences(project: Project, other: Project, source: str) -> list[str]:
    """List what a page prints differently in another project: the place, and both strings."""
    one, two = prints(project, source), prints(other, source)
    return [
        f"{place}: {one.get(place)!r} or {two.get(place)!r}"
        for place in dict.fromkeys([*one, *two])
        if one.get(place) != two.get(place)
    ]
