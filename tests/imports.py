"""Which modules a piece of code imports."""

import ast
from collections.abc import Iterator


def imports(code: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each module that is imported, relative ones with a dot."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")
