"""Which modules a piece of code imports."""

import ast
from collections.abc import Iterator


def imports(code: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each module that is imported, relative ones with a dot."""
    for line, module, _ in imported(code):
        yield line, module


def modules(code: str) -> set[str]:
    """Name the modules that code may import: `from a import b` may mean `a.b`."""
    found = set()
    for _, module, names in imported(code):
        found |= {module, *(f"{module}.{name}" for name in names)}
    return found


def imported(code: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield of each import the line, the module, and what is taken from it by name."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            yield node.lineno, "." * node.level + (node.module or ""), names
