"""Explorables: `::: explore index/attention` is a snippet's figure, with something to drag.

The element `why-attention` stands around the figure, which is all there is without scripts, on
paper and for search. docs/assets/javascripts/why-attention.js brings it to life, which has to be
there: these files are the only list of explorables. It is handed what the snippet left behind as
`explore`.
`::: picture index/spread` is the drawing alone, where the words beside it say what it says.
Links like `(?d=1024#attention)` lead to a view of it, if it stands below a heading `{#attention}`.
"""

import json
import re
from html import escape
from typing import Any

from weave.basics.errors import PendingError, WeaveError, did_you_mean
from weave.embeds.embed import Context, block
from weave.embeds.figure import empty_drawing, of_snippet, with_attributes
from weave.project import Project, looks_up

SCRIPT = "docs/assets/javascripts/why-{}.js"


@looks_up("explorables", entry="explorable")
def explorables(project: Project, _: str) -> dict[str, str]:
    """Give the scripts that bring explorables to life, by the names of these."""
    scripts = project.root.glob(SCRIPT.format("*"))
    return {script.stem.removeprefix("why-"): script.name for script in scripts}


def weave_explorable(match: re.Match[str], context: Context) -> str:
    """Put in the figure, and the element around it."""
    name = match["explored"]
    stem = name.partition("/")[2]
    # Of a name that no snippet has, the figure says so.
    if name in context.project.jobs and not context.look_up("explorable", stem):
        near = did_you_mean(stem, context.project.look_up("explorables"))
        mend = f"write {SCRIPT.format(stem)}, or show the figure alone, ::: {name}"
        raise WeaveError(f"nothing moves '{name}': {mend}{near}")
    figure = context.weave_part(f"::: {name}")
    if name not in context.shown:  # a mistake, which stands in its place
        return figure
    results = context.results(name)
    data = results.explore if "explore" in results else {}
    written = json.dumps(data, default=array_as_list, separators=(",", ":"), allow_nan=False)
    context.markdown.block_level_elements.append(f"why-{stem}")  # it stands in no paragraph
    context.explored.append(name)  # weave/pages/bare.py makes a page of it
    begin = context.stash(f'<why-{stem} data-embed="{name}" data-explore="{escape(written)}">')
    end = context.stash(f"</why-{stem}>")
    return f"\n{begin}\n\n{figure.strip()}\n\n{end}\n"


def array_as_list(array: Any) -> Any:
    """Give an array, or one number of numpy's, as what JSON knows."""
    return array.tolist()


def weave_picture(match: re.Match[str], context: Context) -> str:
    """Put in a drawing that no reader needs to be told about."""
    name = match["pictured"]
    try:
        figure = of_snippet(name, context)
    except PendingError:
        return context.stash(empty_drawing(name, context, "picture"), "…")
    svg = with_attributes(figure.svg, 'aria-hidden="true"')
    return context.stash(f'<div class="picture">{svg}</div>', figure.alternative)


EMBEDS = [
    block("explore", r"explore[ ]+(?P<explored>[\w-]+/[\w-]+)", weave_explorable),
    block("picture", r"picture[ ]+(?P<pictured>[\w-]+/[\w-]+)", weave_picture),
]
