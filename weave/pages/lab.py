"""Labs: a notebook of exercises becomes a page like any other, and a script to download."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from weave.basics.errors import PendingError
from weave.embeds.embed import Context
from weave.embeds.figure import code_block
from weave.run import notebook
from weave.run.notebook import Cell

# Folded Markdown is Markdown to Jupyter; Python-Markdown wants the attribute. Search leaves it out,
# so that it finds no solution that somebody would rather find without.
FOLDED = '<details class="fold" markdown>'
FOLDS = {"setup": "The first cell: imports, and what the checks share", "check": "The check"}


def to_markdown(context: Context, stem: str, links: str) -> tuple[str, Callable[[int], str]]:
    """Write a lab as Markdown. One that has not been run yet has no outputs, and says so.

    Args:
        context: its page.
        stem: of the lab's file.
        links: stand below the page's heading; `links` writes them.

    Returns:
        The text, and what names the place of a line in it (see `Context`): the cell, and the line
        there, because nobody counts a notebook's lines.

    Raises:
        WeaveError: it is no notebook, or a cell failed.
    """
    name = f"labs/{stem}"
    run = None
    with suppress(PendingError):
        run = context.look_up("run", name)
    text = ""
    first_lines: dict[int, str] = {}  # where each cell begins in the text, and its place
    for cell in notebook.read_notebook(context.project.jobs[name]):
        first_lines[text.count("\n") + 1] = cell.place
        gave = (run.read(cell.place) or {}) if run else {}
        if not cell.is_code:
            text += words_of(cell, links)
        elif "svg" in gave or (not run and cell.source.startswith('"""')):
            text += f"::: {name}/{cell.id}"
        else:
            text += code_of(cell, gave.get("printed", ""))
        text += "\n\n"

    def place(line: int) -> str:
        first = max(begin for begin in first_lines if begin <= line)
        return f"docs/{name}.ipynb, {first_lines[first]}, line {line - first + 1}"

    return text, place


def words_of(cell: Cell, links: str) -> str:
    """Write a cell of text; below the page's heading stand the links."""
    words = cell.source.replace("<details>", FOLDED).strip()
    if words.startswith("# "):
        heading, _, rest = words.partition("\n")
        return f"{heading}\n\n{links}\n{rest}"
    return words


def code_of(cell: Cell, printed: str) -> str:
    """Write a cell of code, and what it printed. Helpers and checks are folded."""
    blocks = [code_block(cell.source)]
    if printed:
        blocks.append(code_block(printed, "text"))
    title = FOLDS.get(cell.id.split("-")[0])
    if title:
        blocks = [f"{FOLDED}<summary>{title}</summary>", *blocks, "</details>"]
    return "\n\n".join(blocks)


def links(stem: str, title: str, edit: str) -> str:
    """Write the sentence below a lab's heading, with links to its files, its chapter, and to Colab.

    Args:
        stem: of the lab's file.
        title: of the chapter.
        edit: the address at which the lab can be edited. Colab opens what is on GitHub, if that
            says that it is there.
    """
    take = (
        f'To do the exercises, download the <a href="{stem}.ipynb" download>notebook</a> '
        f'or the <a href="{stem}.py" download>script</a>'
    )
    if edit.startswith("https://github.com/"):
        colab = edit.replace("github.com", "colab.research.google.com/github", 1)
        colab = colab.replace("/edit/", "/blob/", 1)
        take += f', or <a href="{colab}">open it in Colab</a>'
    take += ". This page runs nothing: they need Python with numpy, scipy and matplotlib"
    return f"{take}. They go with the chapter [{title}](../{stem}.md).\n{{ .lab-links }}"


def to_script(path: Path) -> str:
    """Write a notebook as a script in cells that `# %%` begins, which editors know how to run.

    Args:
        path: of the notebook.
    """
    script = ""
    for cell in notebook.read_notebook(path):
        if cell.is_code:
            script += f"# %%\n{cell.source}\n\n"
        else:
            comments = [f"# {line}".rstrip() for line in cell.source.splitlines()]
            script += "# %% [markdown]\n" + "\n".join(comments) + "\n\n"
    return script
