"""Figures: `::: variance/spread` shows a snippet's, `::: labs/variance/figure-6` a lab's cell's.

Both with a caption, a text alternative, and their code.
"""

import re
from html import escape
from re import Match

from weave.embed import Context, Embed
from weave.errors import WeaveError
from weave.run import notebook
from weave.run.snippet import read


def weave(match: Match[str], context: Context) -> str:
    """Put in a figure."""
    name = match["figure_name"]
    if name in context.shown:
        raise WeaveError(f"figure '{name}' stands on this page already; link to it instead")
    text = of_cell(name, context) if name.count("/") == 2 else of_snippet(name, context)
    context.shown.add(name)
    return "\n" + re.sub(r"^(?=.)", match["indent"], text, flags=re.MULTILINE) + "\n"


def of_snippet(name: str, context: Context) -> str:
    """Put in the figure of a snippet."""
    context.results(name)
    snippet = read(context.project.jobs[name])
    if not snippet.draw:
        raise WeaveError(f"'{name}' has one cell, which computes: there is no figure to show")
    chapter, _, stem = name.partition("/")
    return figure(
        context,
        anchor=f"figure-{stem if chapter == context.chapter else f'{chapter}-{stem}'}",
        svg=context.project.store.read("run", name, "svg") or "",
        caption=context.part(snippet.caption, f"snippets/{name}.py:1: "),
        alternative=snippet.alternative,
        compute=snippet.compute.code,
        draw=f"{code_block(snippet.draw.code)}\n\n{links(name, context)}",
    )


def of_cell(name: str, context: Context) -> str:
    """Put in the figure of a lab's cell, which begins with the words."""
    lab, _, cell_id = name.rpartition("/")
    context.results(lab)
    cells = notebook.read(context.project.root / f"docs/{lab}.ipynb")
    [cell] = [cell for cell in cells if cell.id == cell_id]
    caption, alternative, code = notebook.words_of(cell)
    svg = context.project.store.read("run", lab, notebook.SVG + cell_id) or ""
    return figure(context, cell_id, svg, caption, alternative, "", code_block(code))


def figure(
    context: Context,
    anchor: str,
    svg: str,
    caption: str,
    alternative: str,
    compute: str,
    draw: str,
) -> str:
    """Put a figure together, as Markdown around finished HTML.

    Args:
        context: the page.
        anchor: the id by which a link leads to it.
        svg: the drawing.
        caption: what it shows, in Markdown.
        alternative: the same in words, for someone who cannot see it.
        compute: the code whose results it draws, if it has some of its own.
        draw: the code that draws it, and what is to be said of it, in Markdown.
    """
    name = svg.partition('aria-labelledby="')[2].partition('"')[0]
    words = f'><desc id="{name}">{escape(" ".join(alternative.split()))}</desc>'
    drawing = svg.replace(">", words, 1)
    parts = [
        context.stash(
            f'<div class="snippet"><figure id="{anchor}">'
            f'<div class="drawing">{drawing}</div><figcaption>'
        ),
        caption,
        context.stash("</figcaption></figure><div>"),
        code_block(compute) if compute else "",
        context.stash("<details data-search-exclude><summary>How it is drawn</summary>"),
        draw,
        context.stash("</details></div></div>"),
    ]
    return "\n\n".join(part for part in parts if part)


def links(name: str, context: Context) -> str:
    """Link to a script, and to the modules that have to lie beside it to run it."""
    read = (context.project.store.read("run", name, "trace") or "").split('"')
    modules = {f.removeprefix("file ") for f in read if f.startswith("file ") and f.endswith(".py")}
    script, *others = sorted(modules, key=lambda file: (file != f"snippets/{name}.py", file))
    linked = [f"[{file}]({context.to_root}{file})" for file in others]
    needs = f", which needs {' and '.join(linked)} beside it" if linked else ""
    return f"[{script}]({context.to_root}{script}){needs}"


def code_block(code: str, language: str = "python") -> str:
    """Fence code with more backticks than it holds."""
    longest = max(map(len, re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


EMBEDS = [
    Embed(
        "figure",
        r"^(?P<indent>[ \t]*):::[ ]+(?P<figure_name>[\w-]+(?:/[\w-]+){1,2})[ \t]*$",
        weave,
        misspelt=(r"^[ \t>*+-]*:::", "a figure stands on a line of its own: ::: chapter/snippet"),
    )
]
