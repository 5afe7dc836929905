"""Comparisons: `{? spread.std[64] > 4 * spread.std[4] }` behind a sentence has to hold.

A reader does not see it. The sentence says in words what it says in code, so that the build fails
when the numbers no longer bear the sentence out. What its figure's caption says stands on the lines
below the figure's.
"""

import ast
from collections.abc import Iterator
from re import Match

from weave.embed import Context, Embed
from weave.embeds.value import FUNCTIONS, as_written, compute, listed, to_python
from weave.errors import WeaveError


def weave(token: Match[str], context: Context) -> str:
    """Put in nothing, or raise WeaveError with both sides of what does not hold."""
    written = " ".join(token["compared"].split())
    value, _ = compute(written, context)
    source = to_python(written)
    tree = ast.parse(source, mode="eval").body
    if not any(comparisons(tree)):
        raise WeaveError(f"'{written}' compares nothing; write {{? one < other }}")
    for part in comparisons(tree):
        names = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
        if not names - FUNCTIONS.keys():
            raise WeaveError(f"'{said(part, source)}' compares nothing that a snippet computed")
    if getattr(value, "shape", ()):
        raise WeaveError(f"'{written}' has many answers; write {{? all(…) }}")
    if value:
        return ""
    parts = tree.values if isinstance(tree, ast.BoolOp) else [tree]
    failed = next(part for part in parts if not compute(said(part, source), context)[0])
    found = ""
    match failed:
        case ast.Compare():
            sides = [said(side, source) for side in (failed.left, *failed.comparators)]
            found = " and ".join(str(compute(side, context)[0]) for side in sides)
        case ast.Call(func=ast.Name("all" | "rises" | "falls"), args=[numbers]):
            found = ", ".join(map(str, listed(compute(said(numbers, source), context)[0])))
    raise WeaveError(f"'{said(failed, source)}' does not hold{found and f': it is {found}'}")


def comparisons(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what is compared in an expression: `one < other`, `rises(…)`, `falls(…)`."""
    for node in ast.walk(tree):
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
        if isinstance(node, ast.Compare) or called in {"rises", "falls"}:
            yield node


def said(node: ast.AST, source: str) -> str:
    """Give a part of a comparison as its author wrote it."""
    return as_written(ast.get_source_segment(source, node) or "")


MISSPELT = "a comparison is written {? snippet.one < snippet.other }, with the spaces"
EMBEDS = [
    Embed(
        "comparison",
        r"[ ]?\{\?[ ](?P<compared>[^{}]+)\}",
        weave,
        misspelt=(r"\{\?", MISSPELT),
    ),
]
