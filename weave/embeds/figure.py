"""Figures: `::: variance/spread` shows a snippet's, `::: labs/variance/figure-6` a lab's cell's.

Both with a caption, a text alternative, and their code, folded.
"""

import ast
import re
from html import escape
from typing import NamedTuple

from weave.basics.errors import PendingError, WeaveError, did_you_mean, read_text
from weave.embeds.embed import LEFT_OUT, Context, being_run, block
from weave.embeds.value import fill_in
from weave.project import Project, looks_up
from weave.run import notebook
from weave.run.snippet import read_snippet

SIZE = re.compile(r"figsize=\(\s*([\d.]+),\s*([\d.]+)")
USUAL_SIZE = (6.4, 3.6)  # inches, as weave/run/figure.mplstyle has it


class Figure(NamedTuple):
    """A drawing, its id, and in Markdown what is said of it and the code."""

    anchor: str
    label: str  # the id of what the drawing is to who cannot see it
    svg: str
    caption: str
    alternative: str  # the same, for someone who cannot see it
    code: str
    script: str = ""  # links to it, and to the drawing and its numbers


def weave_figure(match: re.Match[str], context: Context) -> str:
    """Put in a figure, as Markdown around finished HTML."""
    name = match["figure_name"]
    if name in context.shown:
        raise WeaveError(f"figure '{name}' stands on this page already; link to it instead")
    of = of_cell if name.startswith("labs/") else of_snippet
    try:
        figure = of(name, context)
    except PendingError as error:
        return place_of(name, error.name, context)
    context.shown[name] = figure.anchor
    alternative = figure.alternative
    description = f'<desc id="{figure.label}">{escape(alternative)}</desc>'
    svg = with_attributes(figure.svg, f'role="img" aria-labelledby="{figure.label}"', description)
    drawing = f'<figure id="{figure.anchor}"><div class="drawing">{svg}</div><figcaption>'
    title = "The code, and files to take away" if figure.script else "The code"
    begin, end = LEFT_OUT  # of the plain edition
    parts = [
        context.stash(f'<div class="snippet">{drawing}', "**Figure.**"),
        figure.caption,
        context.stash("</figcaption></figure><div>", f"**What it shows.** {alternative}"),
        context.stash(f"<details><summary>{title}</summary>", begin),
        figure.script,
        figure.code,
        context.stash("</details></div></div>", f"{end}{figure.script}"),
    ]
    return "\n" + "\n\n".join(part for part in parts if part) + "\n"


def with_attributes(svg: str, attributes: str, inside: str = "") -> str:
    """Give a drawing with attributes of its element, and with something at its beginning."""
    begin, _, rest = svg.partition(">")
    return f"{begin} {attributes}>{inside}{rest}"


def place_of(name: str, run: str, context: Context) -> str:
    """Give what stands in the place of a figure that has not been run yet: its size, its caption.

    Args:
        name: of the figure.
        run: the snippet or the lab that gives it.
        context: the page.
    """
    if run == name:
        anchor = context.figure_id(name)
        caption = context.of_caption(name).weave(read_snippet(context.project.jobs[run]).caption)
    else:
        cell = cells_of(run, context)[name]
        anchor = cell.id
        caption, _, _ = words_of_figure(cell)
    drawing = empty_drawing(run, context)
    parts = [
        context.stash(f'<div class="snippet"><figure id="{anchor}">{drawing}', "…"),
        context.stash("<figcaption>"),
        on_one_line(caption),
        context.stash("</figcaption></figure></div>"),
    ]
    return "\n" + "\n\n".join(parts) + "\n"


def empty_drawing(run: str, context: Context, kind: str = "drawing") -> str:
    """Give a frame of the size that a drawing will have, as far as its code tells.

    Args:
        run: the snippet or the lab that draws.
        context: the page.
        kind: of the element around it, its class.
    """
    size = SIZE.search(read_text(context.project.jobs[run], run))
    width, height = (float(size[1]), float(size[2])) if size else USUAL_SIZE
    return (
        f'<div class="{kind}"><svg viewBox="0 0 {width * 72:g} {height * 72:g}" class="pending" '
        f'width="{width * 96:.0f}" height="{height * 96:.0f}" aria-hidden="true">'
        '<rect width="100%" height="100%"></rect></svg>'
        f"{being_run(run)}</div>"
    )


def of_snippet(name: str, context: Context) -> Figure:
    """Give the figure of a snippet; WeaveError if it draws none."""
    run = context.look_up("run", name)
    caption, alternative, compute, draw, says = run.read("script")
    if not draw:
        raise WeaveError(f"'{name}' has one cell, which computes: there is no figure to show")
    code = [code_block(compute), code_block(draw)]
    if says:
        code += ["What the text says of it:", code_block(says)]
    in_caption = context.of_caption(name)
    in_alternative = context.of_caption(name, line=caption.count("\n") + 3)  # one between is blank
    try:
        alternative = fill_in(alternative, in_alternative)
    except WeaveError as error:
        in_alternative.report(error)
    return Figure(
        anchor=context.figure_id(name),
        label=f"{name.replace('/', '-')}-alternative",
        svg=run.read("svg"),
        caption=on_one_line(in_caption.weave(caption)),
        alternative=on_one_line(alternative),
        code="\n\n".join(code),
        script=links_to_files(name, context),
    )


def links_to_files(name: str, context: Context) -> str:
    """Link to a snippet's script, to what it brings along, to the drawing and to its numbers."""
    beside = f"{context.to_root}snippets/{name}"
    sentence = (
        f"Take away the drawing ([SVG]({beside}.svg){{ download }}"
        f"[, PNG]({beside}.svg){{ .as-png download }}), its numbers ([CSV]({beside}.csv)"
        f"{{ download }}) or the script ([snippets/{name}.py]({beside}.py){{ download }}), "
        "one file that runs"
    )
    files = context.look_up("files_read", name)
    if files:
        links = " and ".join(f"[{file}]({context.to_root}{file})" for file in files)
        sentence += f", with {links} in it"
    return f"{sentence}. Text and figures: CC BY 4.0; code: MIT."


def on_one_line(text: str) -> str:
    """Join the lines of a paragraph, or of several; a space that does not break stays one."""
    return re.sub(r"[ \n]+", " ", text).strip()


def of_cell(name: str, context: Context) -> Figure:
    """Give the figure of a lab's cell, such as `labs/variance/figure-6`; WeaveError without one."""
    lab = "/".join(name.split("/")[:2])
    run = context.look_up("run", lab)
    cells = cells_of(lab, context)
    if name not in cells:
        raise WeaveError(f"{lab}.ipynb has no cell '{name}'{did_you_mean(name, cells)}")
    cell = cells[name]
    caption, alternative, code = words_of_figure(cell)
    shown = run.read(cell.place) or {}
    if "svg" not in shown:
        raise WeaveError(f"the cell '{name}' draws no figure")
    return Figure(
        anchor=cell.id,
        label=f"{cell.id}-alternative",
        svg=shown["svg"],
        caption=caption,
        alternative=on_one_line(alternative),
        code=code_block(code),
    )


def cells_of(lab: str, context: Context) -> dict[str, notebook.Cell]:
    """Give the cells of a lab that are code, by the names of the figures that they may draw."""
    cells = notebook.read_notebook(context.project.jobs[lab])
    return {f"{lab}/{cell.id}": cell for cell in cells if cell.is_code}


def words_of_figure(cell: notebook.Cell) -> tuple[str, str, str]:
    """Give the caption of a cell's figure, the text alternative, and the code below them."""
    tree = ast.parse(cell.source)
    docstring = ast.get_docstring(tree) or ""
    caption, _, alternative = docstring.partition("\n\n")
    if not alternative:
        hint = 'begin it with """the caption, a blank line, what the figure shows"""'
        raise WeaveError(f"{cell.place}: {hint}")
    below = cell.source.splitlines()[tree.body[0].end_lineno :]
    return caption, alternative, "\n".join(below).strip()


@looks_up("files_read")
def files_read(project: Project, name: str) -> list[str]:
    """Give the modules and tables of ours that a snippet has read."""
    own = f"snippets/{name}.py"
    found = []
    for question in project.run_of(name).trace:
        file = question.removeprefix("file ")
        if file.endswith((".py", ".csv")) and file != own:
            found.append(file)
    return sorted(found)


def code_block(code: str, language: str = "python") -> str:
    """Fence code with more backticks than it holds."""
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


MISSPELT = (
    r"^[ \t>*+-]*::",
    "this stands alone on its line: ::: chapter/snippet, or another token of STYLE.md",
)
NAME = r"(?P<figure_name>[\w-]+(?:/[\w-]+){1,2})"
EMBEDS = [block("figure", NAME, weave_figure, misspelt=MISSPELT)]
