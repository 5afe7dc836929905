"""Write a project with as many figures as one likes, in the way of each tool.

Always the same content: pages of ten figures, each a small script with its caption, a formula and
one number that the script computed. Everything else is as the tool's own documentation has it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.project import copy_files, plain, settings, write_settings

ON_A_PAGE = 10


@dataclass(frozen=True)
class Wave:
    """What a figure shows and says."""

    number: int

    @property
    def title(self) -> str:
        """The heading above the figure."""
        return f"## Wave {self.number}"

    @property
    def caption(self) -> str:
        """A sentence below it."""
        return f"Wave {self.number} dies out as it goes on."

    @property
    def compute(self) -> str:
        """The code that computes."""
        return (
            "import numpy as np\n\n"
            f"swings = {self.number}\n"
            "x = np.linspace(0, 2 * np.pi, 400)\n"
            "wave = np.sin(swings * x) * np.exp(-x)\n"
            "largest = float(wave.max())"
        )

    @property
    def draw(self) -> str:
        """The code that draws, up to what shows the figure."""
        return (
            "import matplotlib.pyplot as plt\n\n"
            "fig, axes = plt.subplots()\n"
            "axes.plot(x, wave)\n"
            f'axes.set(xlabel="x", ylabel="wave {self.number}")'
        )

    def says(self, largest: str) -> str:
        """Give a sentence with the formula, and with the number as the tool's page has it."""
        return rf"The largest value of $e^{{-x}}\sin {self.number}x$ is {largest}."


def pages(figures: int) -> Iterator[tuple[str, list[Wave]]]:
    """Give the pages by name, each with its figures."""
    waves = [Wave(number) for number in range(1, figures + 1)]
    for start in range(0, figures, ON_A_PAGE):
        yield f"page_{start // ON_A_PAGE + 1}", waves[start : start + ON_A_PAGE]


def write(root: Path, name: str, *parts: str) -> None:
    """Write a file, its parts set apart by blank lines."""
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("\n\n".join(parts) + "\n", "utf-8")


def weave(root: Path, figures: int) -> None:
    """Write it for weave, with the project's own settings, theme and machinery."""
    copy_files(root, "weave", "overrides", "docs/assets")
    write_settings(settings() | {"nav": None}, root)
    write(root, "docs/index.md", "# Waves")
    for page, waves in pages(figures):
        text = [f"# {page}"]
        for wave in waves:
            name = f"wave_{wave.number}"
            alternative = f"A curve that swings {wave.number} times, less and less."
            docstring = f'"""{wave.caption}\n\n{alternative}\n"""'
            cells = (f"# %%\n{wave.compute}", f"# %%\n{wave.draw}\nplt.show()")
            write(root, f"snippets/{page}/{name}.py", docstring, *cells)
            text += [wave.title, f"::: {page}/{name}", wave.says(f"{{= {name}.largest :.3f }}")]
        write(root, f"docs/{page}.md", *text)


def unwoven(root: Path, figures: int) -> None:
    """Write the floor: the same Markdown for plain Material, which leaves weave's marks as text."""
    weave(root, figures)
    write_settings(plain(settings()) | {"nav": None}, root)


def material(root: Path, *plugins: str, **notebooks: bool) -> None:
    """Write what plain Material needs, with formulas and other plugins."""
    copy_files(root, "docs/assets")
    changed = plain(settings(), **notebooks) | {"nav": None}
    changed["markdown_extensions"].append({"pymdownx.arithmatex": {"generic": True}})
    changed["plugins"] += plugins
    write_settings(changed, root)
    write(root, "docs/index.md", "# Waves")


def jupyter(root: Path, figures: int) -> None:
    """Write it for plain Material with mkdocs-jupyter: a page is a notebook, which is executed."""
    material(root, execute=True)
    for page, waves in pages(figures):
        cells = [cell("markdown", f"# {page}")]
        for wave in waves:
            # Text in a notebook cannot hold a result, so the code prints the sentence's number.
            cells += [
                cell("markdown", wave.title),
                cell("code", wave.compute),
                cell("code", f"{wave.draw}\nplt.show()"),
                cell("markdown", f"{wave.caption} {wave.says('printed below')}"),
                cell("code", 'print(f"{largest:.3f}")'),
            ]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = {
            "cells": [each | {"id": f"cell-{n}"} for n, each in enumerate(cells)],
            "metadata": {"kernelspec": kernel},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        write(root, f"docs/{page}.ipynb", json.dumps(notebook, indent=1))


def cell(kind: str, source: str) -> dict[str, Any]:
    """Give a notebook's cell, not yet executed."""
    made: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    return made | {"outputs": [], "execution_count": None} if kind == "code" else made


def markdown_exec(root: Path, figures: int) -> None:
    """Write it for Material with markdown-exec: code blocks run while a page is converted."""
    material(root, "markdown-exec")
    for page, waves in pages(figures):
        text = [f"# {page}"]
        for wave in waves:
            session = f'session="{page}-{wave.number}"'
            show = (
                "from io import StringIO\n\nbuffer = StringIO()\n"
                'fig.savefig(buffer, format="svg")\nplt.close(fig)\nprint(buffer.getvalue())'
            )
            sentence = wave.says("{largest:.3f}").replace("{-x}", "{{-x}}")
            text += [
                wave.title,
                f'```python exec="true" html="true" source="below" {session}\n'
                f"{wave.compute}\n\n{wave.draw}\n{show}\n```",
                wave.caption,
                f'```python exec="true" {session}\nprint(rf"{sentence}")\n```',
            ]
        write(root, f"docs/{page}.md", *text)


def myst(root: Path, figures: int) -> None:
    """Write it for Sphinx with MyST-NB: a page is a notebook in Markdown, kept in a cache."""
    write(
        root,
        "docs/conf.py",
        'project = "Waves"\nextensions = ["myst_nb"]\nmyst_enable_extensions = ["dollarmath"]\n'
        'nb_execution_mode = "cache"\nnb_execution_raise_on_error = True',
    )
    names = "\n".join(page for page, _ in pages(figures))
    write(root, "docs/index.md", "# Waves", f"```{{toctree}}\n{names}\n```")
    for page, waves in pages(figures):
        head = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---"
        text = [head, f"# {page}", "```{code-cell}\nfrom myst_nb import glue\n```"]
        for wave in waves:
            name = f"largest_{wave.number}"
            text += [
                wave.title,
                f'```{{code-cell}}\n{wave.compute}\nglue("{name}", largest, display=False)\n```',
                f"```{{code-cell}}\n{wave.draw}\nplt.show()\n```",
                wave.caption,
                wave.says(f"{{glue:text}}`{name}:.3f`"),
            ]
        write(root, f"docs/{page}.md", *text)
