"""Labs: a notebook of exercises becomes a page like any other, and a script to download."""

from collections.abc import Callable
from pathlib import Path

from weave.embeds.figure import code_block
from weave.project import Project
from weave.run import notebook
from weave.run.notebook import Cell

# Folded Markdown is Markdown to Jupyter; Python-Markdown wants the attribute. Search leaves it out,
# so that it finds no solution that somebody would rather find without.
FOLDED = '<details class="fold" markdown>'
FOLDS = {"setup": "The first cell: imports, and what the checks share", "check": "The check"}


def to_markdown(project: Project, stem: str, links: str) -> tuple[str, Callable[[int], str]]:
    """Write a lab as Markdown, with `links` below the page's heading.

    Returns:
        The text, and what names the place of a line in it (see `Context`): the cell, and the line
        there, because nobody counts a notebook's lines.

    Raises:
        WeaveError: it is no notebook, or a cell failed.
    """
    name = f"labs/{stem}"
    run = project.run_of(name)
    text, places = "", []
    for cell in notebook.read_notebook(project.jobs[name]):
        places.append((text.count("\n") + 1, cell.place))
        if not cell.is_code:
            words = cell.source.replace("<details>", FOLDED).strip()
            text += words.replace("\n", f"\n\n{links}\n", 1) if words.startswith("# ") else words
        elif "svg" in (gave := run.read(cell.place) or {}):
            text += f"::: {name}/{cell.id}"
        else:
            text += code(cell, gave.get("printed", ""))
        text += "\n\n"

    def place(line: int) -> str:
        begin, cell = max(each for each in places if each[0] <= line)
        return f"docs/{name}.ipynb, {cell}, line {line - begin + 1}"

    return text, place


def code(cell: Cell, printed: str) -> str:
    """Write a cell of code, and what it printed. Helpers and checks are folded."""
    blocks = [code_block(cell.source)]
    if printed:
        blocks.append(code_block(printed, "text"))
    if title := FOLDS.get(cell.id.split("-")[0]):
        blocks = [f"{FOLDED}<summary>{title}</summary>", *blocks, "</details>"]
    return "\n\n".join(blocks)


def links(stem: str, title: str, edit: str) -> str:
    """Write the sentence below a lab's heading: to its files, its chapter, and to Colab.

    Colab opens what is on GitHub, if the address at which it is edited says that it is there.
    """
    take = (
        f'To do the exercises, download the <a href="{stem}.ipynb" download>notebook</a> '
        f'or the <a href="{stem}.py" download>script</a>'
    )
    if edit.startswith("https://github.com/"):
        colab = edit.replace("github.com", "colab.research.google.com/github", 1)
        take += f', or <a href="{colab.replace("/edit/", "/blob/", 1)}">open it in Colab</a>'
    take += ". This page runs nothing: they need Python with numpy, scipy and matplotlib"
    return f"{take}. They go with the chapter [{title}](../{stem}.md).\n{{ .lab-links }}"


def to_script(path: Path) -> str:
    """Write a notebook as a script in cells that `# %%` begins, which editors know how to run."""
    script = ""
    for cell in notebook.read_notebook(path):
        words = [f"# {line}".rstrip() for line in cell.source.splitlines()]
        text = cell.source if cell.is_code else "\n".join(words)
        script += f"# %%{'' if cell.is_code else ' [markdown]'}\n{text}\n\n"
    return script
