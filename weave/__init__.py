"""Weave computed figures, numbers and mathematics into Markdown pages.

A Python-Markdown extension, so that every engine that runs Python-Markdown (MkDocs, Zensical)
renders the same page. What an author may write:

    ::: variance/spread           the figure of snippets/variance/spread.py, and its code
    {= spread.std[64] :.1f }      a number that this script computed
    $d_k$, $$...$$                a formula, as MathML

Where to look: `tokens` says how these look and `page` replaces them; `snippet` reads a script,
`runner` runs it in a process of its own (`worker`) and keeps the `result`; `figure` makes its SVG,
`values` and `formulas` make numbers and MathML; `references`, `claims` and the `glossary` are what
pages link to; `site` knows where a page stands and puts files beside it, among them the `fonts`.
Notebooks (`lab`) come to MkDocs by a hook, `lab_hook`.
"""

from typing import Any

from weave.page import Weave
from weave.runner import Runner

__all__ = ["Runner", "Weave", "makeExtension"]


def makeExtension(**options: Any) -> Weave:  # noqa: N802 (Python-Markdown asks for this name)
    """Make the extension, as Python-Markdown does for `markdown_extensions: [weave]`."""
    return Weave(**options)
