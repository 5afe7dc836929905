"""Labs: write a notebook that has been run as Markdown, which becomes a page like any other."""

import ast
import re
from html import escape
from pathlib import Path
from typing import Any

from weave.errors import WeaveError
from weave.lab import IMAGE, at, read
from weave.page import code_block, with_alternative

# Folded Markdown is Markdown to Jupyter; Python-Markdown wants to be told. Search leaves it out, so
# that it finds no solution that somebody would rather find without.
FOLDED = '<details class="fold" markdown data-search-exclude>'


def to_markdown(notebook: Any, links: str = "") -> str:
    """Write a notebook as a page.

    Args:
        notebook: with the outputs of its cells.
        links: the sentence that stands below the page's heading.

    Raises:
        WeaveError: a figure has no words, or an output is of a kind that a page cannot show.
    """
    parts = []
    for cell in notebook.cells:
        parts.append(f"<!-- cell {cell.id} -->")
        if cell.cell_type == "code":
            parts.append(code(cell))
            continue
        text = cell.source.replace("<details>", FOLDED)
        if text.startswith("# "):
            heading, _, text = text.partition("\n")
            parts += [heading, links]
        parts.append(text.strip())
    return "\n\n".join(part for part in parts if part) + "\n"


def code(cell: Any) -> str:
    """Write a cell of code, and what it printed or drew. The check of an answer is folded."""
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    drawings = []
    for output in cell.outputs:
        if output.output_type == "execute_result":
            printed += output.data["text/plain"] + "\n"
        elif output.output_type == "display_data" and IMAGE in output.data:
            drawings.append(output.data[IMAGE])
        elif output.output_type != "stream":
            raise WeaveError(at(cell, f"a page cannot show a {output.output_type}"))
    if drawings and printed:
        raise WeaveError(at(cell, "it draws and prints; make two cells of it"))
    if drawings:
        return figure(cell, drawings)
    blocks = [code_block(cell.source)]
    if printed.strip():
        blocks.append(code_block(printed.rstrip(), "text"))
    if cell.id.startswith("check-"):
        blocks = [f"{FOLDED}<summary>The check</summary>", *blocks, "</details>"]
    return "\n\n".join(blocks)


def figure(cell: Any, drawings: list[str]) -> str:
    """Write a figure as a chapter shows one: its caption, and its code folded below.

    The cell begins as a snippet does, with a string: the caption, a blank line, the alternative.
    """
    try:
        caption, alternative = ast.get_docstring(ast.parse(cell.source)).split("\n\n", 1)  # type: ignore[union-attr]
    except (AttributeError, ValueError, SyntaxError):
        raise WeaveError(
            at(cell, 'begin it with """the caption, a blank line, what the figure shows"""')
        ) from None
    if len(drawings) != 1:
        raise WeaveError(at(cell, f"one figure is needed; it shows {len(drawings)}"))
    drawing = with_alternative(drawings[0], alternative)
    text = cell.source.split('"""', 2)[-1].strip()
    return "\n\n".join(
        [
            '<div class="snippet" markdown>',
            f'<figure id="{cell.id}"><div class="drawing">{drawing}</div>'
            f"<figcaption><p>{escape(caption, quote=False)}</p></figcaption></figure>",
            "<div markdown data-search-exclude>",
            "<details markdown><summary>How it is drawn</summary>",
            code_block(text),
            "</details>",
            "</div>",
            "</div>",
        ]
    )


def to_script(lab: Path) -> str:
    """Write a notebook as a script in cells that `# %%` begins, which editors know how to run."""
    import jupytext

    notebook = read(lab)
    notebook.metadata = {}
    script: str = jupytext.writes(notebook, fmt="py:percent")
    return script


def links(stem: str, title: str, repository: str, edit: str) -> str:
    """Write the sentence below a lab's heading: to its files, to Colab if known, to its chapter.

    Args:
        stem: the notebook's name, and its chapter's.
        title: the chapter's.
        repository: `repo_url`; only GitHub's can be opened in Colab.
        edit: `edit_uri`, which names the branch and the folder: `edit/main/docs/`.
    """
    notebook = f'<a href="{stem}.ipynb" download>notebook</a>'
    script = f'<a href="{stem}.py" download>script</a>'
    take = f"To do the exercises, download the {notebook} or the {script}"
    github = re.match(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?$", repository)
    branch = re.match(r"(?:edit|blob|raw)/(.+?)/?$", edit)
    if github and branch:
        colab = f"https://colab.research.google.com/github/{github[1]}/blob/{branch[1]}"
        take += f', or <a href="{colab}/labs/{stem}.ipynb">open it in Colab</a>'
    return f"{take}. They go with the chapter [{title}](../{stem}.md).\n{{ .lab-links }}"
