"""A package as one file: its modules one after another, for those who download it."""

import ast
from pathlib import Path

from weave.basics.errors import WeaveError, read_text


def one_file(package: Path) -> str:
    """Give the modules of a package as one module: what each imports of the others comes before it.

    The docstring and the imports of other packages are those of `__init__.py`, then each module
    follows with its own. The last module is `command.py`, and runs if the file is run.

    Raises:
        WeaveError: modules import each other in a circle, or two define the same name.
    """
    sources = {
        path.stem: read_text(path, f"{package.name}/{path.name}")
        for path in sorted(package.glob("*.py"))
        if path.stem != "__main__"
    }
    begun = _parts(sources.pop("__init__"), package.name)
    texts = {name: _parts(text, package.name) for name, text in sources.items()}
    written: list[str] = []
    made = [begun[0].rstrip()]
    defined: dict[str, str] = {}
    while len(written) < len(texts):
        ready = [n for n in texts if n not in written and texts[n][1] <= {*written}]
        if not ready:
            raise WeaveError(f"{package.name}/: modules import each other in a circle")
        name = min(ready, key=lambda name: (name == "command", name))
        for each in texts[name][2]:
            if each in defined:
                raise WeaveError(f"{package.name}/{name}.py: {each} is in {defined[each]}.py, too")
            defined[each] = name
        written.append(name)
        made.append(f"# {name}.py {'-' * (96 - len(name))}\n\n{texts[name][0].strip()}")
    made.append('if __name__ == "__main__":\n    sys.exit(main())')
    return "\n\n\n".join(made) + "\n"


def _parts(text: str, package: str) -> tuple[str, set[str], set[str]]:
    """Give a module without what it imports of its package, those modules, and what it defines."""
    tree, lines = ast.parse(text), text.splitlines()
    needs: set[str] = set()
    defines: set[str] = set()
    gone: set[int] = set()
    for node in tree.body:
        is_own = isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}.")
        is_list = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        if is_own or (is_list and needs):
            gone |= {*range(node.lineno - 1, (node.end_lineno or node.lineno))}
        if is_own and isinstance(node, ast.ImportFrom):
            needs.add((node.module or "").removeprefix(f"{package}."))
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            defines.add(node.name)
        elif isinstance(node, ast.Assign):
            defines |= {ast.unparse(target) for target in node.targets}
        elif isinstance(node, ast.AnnAssign):
            defines.add(ast.unparse(node.target))
    left = [line for at, line in enumerate(lines) if at not in gone]
    return "\n".join(left), needs, defines - {"__all__"}
