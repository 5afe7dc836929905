"""Comparisons: `{? spread.std[64] > 4 * spread.std[4] }` behind a sentence has to hold.

A reader does not see it. The sentence says in words what it says in code, so that the build fails
when the numbers no longer bear the sentence out.
"""

import ast
from re import Match

from weave.embed import Context, Embed
from weave.embeds.value import OTHER_CHAPTER, compute
from weave.errors import WeaveError

COMPARES = (ast.Compare, ast.BoolOp)


def weave(match: Match[str], context: Context) -> str:
    """Put in nothing, or raise WeaveError with both sides of what does not hold."""
    written = match["compared"].strip()
    value, _ = compute(written, context)
    node = ast.parse(OTHER_CHAPTER.sub(r"\1__\2", written), mode="eval").body
    if not isinstance(node, COMPARES) and not written.startswith(("all(", "any(", "not ")):
        raise WeaveError(f"'{written}' compares nothing; write {{? one < other }}")
    if value:
        return ""
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    found = [compute(ast.unparse(side).replace("__", "/"), context)[0] for side in sides]
    said = f": it is {' and '.join(map(str, found))}" if found else ""
    raise WeaveError(f"'{written}' does not hold{said}")


MISSPELT = "a comparison is written {? snippet.one < snippet.other }, with the spaces"
EMBEDS = [
    Embed(
        "comparison",
        r"[ ]?\{\?[ ](?P<compared>[^{}]+)\}",
        weave,
        misspelt=(r"\{\?", MISSPELT),
    ),
]
