"""Weave computed figures, numbers and mathematics into Markdown pages.

A Python-Markdown extension, so that every engine that runs Python-Markdown (MkDocs, Zensical)
renders the same page. What an author may write:

    ::: variance/spread           the figure of snippets/variance/spread.py, and its code
    {= spread.std[64] :.1f }      a number that this script computed
    $d_k$, $$...$$                a formula, as MathML
    [@vaswani2017], [@000-16]     a work, a claim

First the `project` is refreshed: the `runner` runs those of its snippets and labs that have
changed, each in a process of its own (`run/`), and the `store` keeps what they gave. Then each
`page` is woven: its tokens become what their kinds say (`embeds/`), over a context that is handed
to them (`embed`). What pages know of each other comes from a `scan` of their sources; what lies
beside them is `published`. `plugin` knows MkDocs, whose `pages` it makes on all cores and keeps;
`zensical` knows its successor. `faults` are what no embed sees; a `site` takes the last one's place
when there are none. Words with a meaning of their own here:

    entry     what the store keeps of a run or a page; in a list: a work, a claim, a term
    look-up   a question, `kind key`, whose answer is noted in the trace of what is made of it
    told      an answer to it that only the engine knows: MkDocs or Zensical
    sign      a character that the fonts must have; SIGNS are those that stand for verdicts
    mention   a place on a page that refers to an entry, which links back
    to mark   to put links, anchors or signs into text; `mark_tree` does so on the whole page
    cell      in a snippet: the lines from one `# %%` to the next; in a lab: a notebook's
    plain     a page's edition in Markdown (`plain`); PLAIN names what a module leaves alone
"""

from weave.page import Weave

__all__ = ["Weave", "makeExtension"]

makeExtension = Weave  # noqa: N816 (Python-Markdown asks for this name)
