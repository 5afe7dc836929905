"""Comparisons: `{? spread.std[64] > 4 * spread.std[4] }` behind a sentence has to hold.

A reader does not see it. The sentence says in words what it says in code, so that the build fails
when the numbers no longer bear the sentence out. What its figure's caption says stands on the lines
below the figure's.
"""

import ast
from collections.abc import Iterator
from re import Match

from weave.embed import Context, Embed
from weave.embeds.value import FUNCTIONS, OTHER_CHAPTER, compute
from weave.errors import WeaveError


def weave(match: Match[str], context: Context) -> str:
    """Put in nothing, or raise WeaveError with both sides of what does not hold."""
    written = match["compared"].strip()
    value, _ = compute(written, context)
    tree = ast.parse(OTHER_CHAPTER.sub(r"\1__\2", written), mode="eval").body
    if not any(comparisons(tree)):
        raise WeaveError(f"'{written}' compares nothing; write {{? one < other }}")
    for part in comparisons(tree):
        names = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
        if not names - FUNCTIONS.keys():
            raise WeaveError(f"'{said(part)}' compares nothing that a snippet computed")
    if getattr(value, "shape", ()):
        raise WeaveError(f"'{written}' has many answers; write {{? all(…) }}")
    if value:
        return ""
    parts = tree.values if isinstance(tree, ast.BoolOp) else [tree]
    failed = next(part for part in parts if not compute(said(part), context)[0])
    sides = [failed.left, *failed.comparators] if isinstance(failed, ast.Compare) else []
    found = " and ".join(str(compute(said(side), context)[0]) for side in sides)
    raise WeaveError(f"'{said(failed)}' does not hold{found and f': it is {found}'}")


def comparisons(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what is compared in an expression: `one < other`, `rises(…)`, `falls(…)`."""
    for node in ast.walk(tree):
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
        if isinstance(node, ast.Compare) or called in {"rises", "falls"}:
            yield node


def said(node: ast.AST) -> str:
    """Write a part of a comparison as an author does."""
    return ast.unparse(node).replace("__", "/")


MISSPELT = "a comparison is written {? snippet.one < snippet.other }, with the spaces"
EMBEDS = [
    Embed(
        "comparison",
        r"[ ]?\{\?[ ](?P<compared>[^{}]+)\}",
        weave,
        misspelt=(r"\{\?", MISSPELT),
    ),
]
