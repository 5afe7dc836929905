"""Notes to the author of a page: each is said once, and again only if its line has changed."""

import logging
import re

from weave.embeds.embed import Context, log
from weave.project import digest
from weave.text.prose import NOTE

MANY = 4  # notes, of which only the lines are named
LINE = re.compile(r"(?<=:)\d+(?=:)")


def new_notes(context: Context) -> list[tuple[int, str]]:
    """Give the notes on a page that the author has not read yet, each with its line.

    Args:
        context: the page, which has just been made. What is said of it is noted in its project.
    """
    file = context.project.root / "docs" / context.source
    if file.suffix != ".md" or not log.isEnabledFor(logging.INFO):
        return []
    lines = file.read_text("utf-8-sig", "replace").splitlines()
    notes: dict[str, tuple[int, str]] = {}
    for line, note in context.look_up("mistakes", context.source) or ():
        if note.startswith(NOTE):
            # The same as before, wherever its line stands by now.
            sign = f"{LINE.sub('', note)} {lines[line - 1].strip()}"
            notes.setdefault(sign, (line, note))
    said = said_before(context)
    if said != [*notes]:
        trace = {"notes": digest([*notes])}
        context.project.store.write("notes", context.source, trace, {"said": [*notes]})
    new = [note for sign, note in notes.items() if sign not in said]
    if len(new) < MANY:
        return new
    places = sorted({line for line, _ in new})
    named = ", ".join(map(str, places[:10])) + (" and more" if len(places) > 10 else "")
    where = f"in lines {named}" if len(places) > 1 else f"in line {named}"
    return [(places[0], f"{NOTE}{len(new)} comparisons that no assertion has, {where}")]


def said_before(context: Context) -> list[str]:
    """Give what was said of a page when it was made last."""
    for entry in context.project.store.entries("notes", context.source):
        return list(entry.read("said"))
    return []
