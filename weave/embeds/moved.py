"""Pages that have moved: `moved: [old-name]` in a page's front matter says what it was once called.

A chapter's lab bears the chapter's name, and has moved with it.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from weave.basics.errors import WeaveError
from weave.embeds.embed import Context, Embed
from weave.project import Project, looks_up

FRONT_MATTER = re.compile(r"\A---\n(?P<inside>.*?)^---[ ]*$", re.DOTALL | re.MULTILINE)
KEY = re.compile(r"^moved\b", re.MULTILINE)
NAME = re.compile(r"[\w-]+")
NO_NAMES = "'moved' lists what the page was once called, without .md: moved: [old-name]"
IS_THERE = "'{}' has not moved here, docs/{} is there: take the one or the other away"
IS_TAKEN = "docs/{1} says too that it was once '{0}': take that out of one of the two"


class Moved(NamedTuple):
    """What all pages say of it."""

    to: Mapping[str, str]  # by what a page was once called, what it is: `spread.md`, `variance.md`
    mistakes: Mapping[str, list[tuple[int, str]]]  # by page, each with its line


@looks_up("moved")
def moved(project: Project, _: str = "") -> Moved:
    """Give which pages and labs have moved, and what pages say wrongly of it."""
    docs = project.root / "docs"
    said = []  # a page, a line of it, and what it was called
    for path in sorted(docs.glob("[!.]*.md")):
        line, names = old_names(path.read_text("utf-8-sig", errors="replace"))
        said += [(path.name, line, name) for name in names]
    to: dict[str, str] = {}
    mistakes: dict[str, list[tuple[int, str]]] = {}
    for page, line, name in said:
        others = [other for other, _, same in said if same == name and other != page]
        if not isinstance(name, str) or not NAME.fullmatch(name):
            mistake = NO_NAMES
        elif (docs / f"{name}.md").is_file():
            mistake = IS_THERE.format(name, f"{name}.md")
        elif (docs / name).exists():
            mistake = IS_THERE.format(name, name)
        elif others:
            mistake = IS_TAKEN.format(name, others[0])
        else:
            to[f"{name}.md"] = page
            lab, old_lab = f"labs/{page.removesuffix('.md')}.ipynb", f"labs/{name}.ipynb"
            if (docs / lab).is_file() and not (docs / old_lab).is_file():
                to[old_lab] = lab
            continue
        mistakes.setdefault(page, []).append((line, mistake))
    return Moved(to, mistakes)


@looks_up("moved_wrongly")
def moved_wrongly(project: Project, page: str) -> list[tuple[int, str]]:
    """Give what a page says wrongly of what it was called, each with its line."""
    found: Moved = project.look_up("moved")
    return found.mistakes.get(page, [])


def old_names(text: str) -> tuple[int, list[Any]]:
    """Give what a page says that it was once called, and the line; what is no list is one name."""
    front = FRONT_MATTER.match(text)
    key = front and KEY.search(text, 0, front.end("inside"))
    if not front or not key:
        return 0, []
    try:
        said = yaml.safe_load(front["inside"])["moved"]
    except (yaml.YAMLError, KeyError, TypeError):  # of no YAML the page itself says so
        return 0, []
    line = text.count("\n", 0, key.start()) + 1
    return line, said if isinstance(said, list) else [None]


def report_mistakes(context: Context) -> str:
    """Report what a page says wrongly of what it was called."""
    shown = ""
    for line, mistake in context.look_up("moved_wrongly", context.source):
        place = f"docs/{context.source}:{line}"
        shown += "\n\n" + context.report(WeaveError(mistake), place)
    return shown


# It has no token.
EMBEDS = [Embed("moved", at_end=report_mistakes)]
