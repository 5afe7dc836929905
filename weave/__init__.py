"""Weave computed figures, numbers and mathematics into Markdown pages.

A Python-Markdown extension, so that every engine that runs Python-Markdown (MkDocs, Zensical)
renders the same page. CONTRIBUTING.md says what an author may write.

A build begins in `engines`, and goes as `engines/mkdocs.py` says. The rooms, of which each knows
those above it, and none below:

    basics    what an author is told, the store of what is kept, and what git calls changed
    run       a snippet or a lab runs in a process of its own, and gives results and a figure
    project   all of them are brought up to date once, and pages look up what they gave
    text      what pages say: sentences, the numbers in them, and whether code knows these
    embeds    a module for each kind: what its token looks like, and what becomes of it
    pages     labs as pages, pages as plain text, the files beside them, the finished site
    engines   Python-Markdown, MkDocs and Zensical, which ask for pages

One word has a meaning of its own here: a *look-up* is a question, `kind key`, whose answer is noted
in the trace of what is made of it.
"""

from weave.engines.extension import Weave

__all__ = ["Weave", "makeExtension"]

makeExtension = Weave  # noqa: N816 (Python-Markdown asks for this name)
