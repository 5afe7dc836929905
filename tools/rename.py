"""Rename a snippet, a shared module or a page, with its test and all that names it.

    make rename FROM=variance/my_dice TO=variance/dice
    make rename FROM=variance TO=spread

Of a snippet or a module that is: the script and its test, tokens (`::: variance/my_dice`),
quotations (`{= my_dice.share }`), links to the figure (`#figure-my_dice`), imports, and for an
explorable its element and the files of its name. Where the script has been moved by hand already,
the rest is done. For a page see `tools/rename_page.py`.

It is kept because a name stands in some ten kinds of places, and in half of them it is a word that
means other things too: "row" or "spread" cannot be replaced by an editor.

What stands in the way is said before anything is changed.
"""

import argparse
import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.plan import MANUALS, Plan, RefusedError, is_importable, nearest, read_texts
from tools.rename_page import plan_for_page

NAME = re.compile(r"[a-z][\w-]*/[A-Za-z][\w-]*")
LIBRARIES = {"numpy", "scipy", "matplotlib", "torch"} | sys.stdlib_module_names
QUOTATION = re.compile(r"\{=[ ][^{}]*\}|\{for[ ][^{}]*\}")
LINK_TO_FIGURE = re.compile(r"(?P<page>[\w-]+)(?P<end>\.md#|/#)(?P<figure>figure-[\w-]+)")
READS_BESIDE = re.compile(r"""with_name\(\s*["']([^"']+)["']\s*\)""")


@dataclass(frozen=True)
class Name:
    """A chapter and a stem, such as `variance/dice`."""

    chapter: str
    stem: str

    def __str__(self) -> str:
        """Write it as pages do."""
        return f"{self.chapter}/{self.stem}"

    @property
    def script(self) -> str:
        """Give the file of the snippet."""
        return f"snippets/{self}.py"

    @property
    def test(self) -> str:
        """Give the file of its test."""
        return f"tests/{self.chapter}/test_{self.stem}.py"

    def figure_on(self, page: str) -> str:
        """Give the figure's id on a page, by the page's stem: a chapter's own have short ones."""
        if page == self.chapter:
            return f"figure-{self.stem}"
        return f"figure-{self.chapter}-{self.stem}"


def name_of(written: str) -> Name:
    """Read a name, also one that is written as a file.

    Raises:
        RefusedError: it is no name.
    """
    short = written.removeprefix("snippets/").removesuffix(".py")
    if not NAME.fullmatch(short):
        raise RefusedError(f"'{written}' is no name of a snippet: write chapter/name, as pages do")
    chapter, stem = short.split("/")
    return Name(chapter, stem)


def plan(root: Path, old: Name, new: Name) -> Plan:
    """Find what there is to do.

    Args:
        root: the project's folder.
        old: the name of the script that is there, or was until it was moved by hand.
        new: its new name.

    Raises:
        RefusedError: it cannot be done; says why.
    """
    found = Plan()
    texts = dict(read_texts(root))
    is_moved = old.script not in texts and new.script in texts
    explored = re.compile(rf"^\s*::: explore {old}\s*$", re.MULTILINE)
    is_explorable = any(explored.search(text) for text in texts.values())
    found.moved = files_to_move(root, old, new, is_explorable)
    if not is_moved:
        refuse(root, texts, old, new)
    found.refuse_what_is_there(root)
    found.edit(texts, lambda file, text: Renamer(file, old, new, is_explorable).rename(text))
    return found


def files_to_move(root: Path, old: Name, new: Name, is_explorable: bool) -> dict[str, str]:
    """Give the files that bear the name: the script, its test, and those of an explorable."""
    moved = {old.script: new.script, old.test: new.test}
    if is_explorable:
        for pattern in ("docs/assets/javascripts/why-{}.js", "tests/site/explorables/{}.py"):
            moved[pattern.format(old.stem)] = pattern.format(new.stem)
    return {a: b for a, b in moved.items() if a != b and (root / a).is_file()}


def refuse(root: Path, texts: dict[str, str], old: Name, new: Name) -> None:
    """Raise RefusedError if the script cannot be renamed."""
    if old.script not in texts:
        scripts = [file for file in texts if file.startswith("snippets/")]
        known = [file.removeprefix("snippets/").removesuffix(".py") for file in scripts]
        raise RefusedError(f"there is no {old.script}{nearest(str(old), known)}")
    if new.stem in LIBRARIES:
        raise RefusedError(f"{new.script} would hide Python's own '{new.stem}' from its neighbours")
    if not (root / "snippets" / new.chapter).is_dir():
        raise RefusedError(
            f"there is no chapter '{new.chapter}': make snippets/{new.chapter} first"
        )
    importers = []
    for file, text in texts.items():
        if Path(file).parent == Path(old.script).parent and places_of_module(text, old.stem):
            importers.append(file)
    if importers and not is_importable(new.stem):
        raise RefusedError(f"{importers[0]} imports it, and '{new.stem}' cannot be imported")
    if new.chapter != old.chapter:
        if importers:
            raise RefusedError(f"{importers[0]} imports it, so it stays in snippets/{old.chapter}")
        refuse_to_part(root, texts, old, new)


def refuse_to_part(root: Path, texts: dict[str, str], old: Name, new: Name) -> None:
    """Raise RefusedError if a script needs what lies beside it, and is to go to another folder."""
    code = texts[old.script]
    for module in re.findall(r"^\s*(?:from|import)\s+(\w+)", code, re.MULTILINE):
        if f"snippets/{old.chapter}/{module}.py" in texts:
            raise RefusedError(f"it imports {module}, which is not in snippets/{new.chapter}")
    for table in READS_BESIDE.findall(code):
        if (root / "snippets" / old.chapter / table).exists():
            raise RefusedError(f"it reads {table}, which is not in snippets/{new.chapter}")


@dataclass
class Renamer:
    """Renames a snippet in the text of one file."""

    file: str
    old: Name
    new: Name
    is_explorable: bool

    def rename(self, text: str) -> str:
        """Give the text with the new name in it."""
        old, new = self.old, self.new
        path = Path(self.file)
        folder = path.parent.as_posix()
        # A page's stem is its chapter, as a snippet's folder is.
        chapter = path.parent.name if self.file.startswith("snippets/") else path.stem
        if self.file in MANUALS and str(old) in text:  # it explains by this snippet
            chapter = old.chapter
        text = re.sub(rf"(?<![\w-]){old}(?![\w/-])", str(new), text)
        text = re.sub(
            rf"\btests([./]){old.chapter}\1test_{old.stem}\b",
            rf"tests\g<1>{new.chapter}\g<1>test_{new.stem}",
            text,
        )
        text = LINK_TO_FIGURE.sub(self.link, text)
        text = re.sub(rf"\(#{old.figure_on(chapter)}(?![\w-])", f"(#{new.figure_on(chapter)}", text)
        if chapter == old.chapter:
            text = QUOTATION.sub(self.quotation, text)
        if folder == f"snippets/{old.chapter}" and path.suffix == ".py":
            text = rename_module(text, old.stem, new.stem)
        if folder in {f"snippets/{old.chapter}", f"tests/{old.chapter}"}:  # in a comment, say
            text = re.sub(rf"(?<![\w/-])(test_)?{old.stem}\.py\b", rf"\g<1>{new.stem}.py", text)
        if self.is_explorable:
            text = self.element(text)
        return text

    def link(self, found: re.Match[str]) -> str:
        """Rename the figure in a link to it, such as `variance.md#figure-dice`."""
        page, figure = found["page"], found["figure"]
        if figure == self.old.figure_on(page):
            figure = self.new.figure_on(page)
        return page + found["end"] + figure

    def quotation(self, found: re.Match[str]) -> str:
        """Rename the snippet in a quotation on a page of its chapter."""
        name = self.new.stem if self.new.chapter == self.old.chapter else str(self.new)
        return re.sub(rf"(?<![\w/.'\"-]){self.old.stem}(?=\.[^\W\d])", name, found[0])

    def element(self, text: str) -> str:
        """Rename an explorable: its element, and its name where tests set it to a state."""
        old, new = self.old.stem, self.new.stem
        text = re.sub(rf"\bwhy-{old}(?![\w-])", f"why-{new}", text)
        if self.file.startswith("tests/"):
            text = re.sub(rf'"{old}"(?=: )|(?<=show\(page, )"{old}"', f'"{new}"', text)
            text = re.sub(rf"(?<=tests\.site\.explorables\.){old}\b", new, text)
        return text


def places_of_module(code: str, module: str) -> list[tuple[int, int]]:
    """Give where a script names a module that it imports: lines, and bytes within them."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return []
    places: list[tuple[int, int]] = []
    is_bound = False  # whether the module's name is a name in the script
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == module and node.level == 0:
            places.append((node.lineno, node.col_offset + len("from ")))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == module:
                    places.append((alias.lineno, alias.col_offset))
                    is_bound = is_bound or alias.asname is None
    if is_bound:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id == module:
                places.append((node.lineno, node.col_offset))
    return places


def rename_module(code: str, old: str, new: str) -> str:
    """Rename a module where a script imports it, and where it uses it."""
    lines = code.encode().split(b"\n")
    for line, begin in sorted(places_of_module(code, old), reverse=True):
        text = lines[line - 1]
        lines[line - 1] = text[:begin] + new.encode() + text[begin + len(old) :]
    return b"\n".join(lines).decode()


def main(arguments: list[str] | None = None) -> None:
    """Rename what the command line says, in the folder at work."""
    parser = argparse.ArgumentParser("python -m tools.rename", description=__doc__)
    parser.add_argument("old", help="such as variance/my_dice, or variance")
    parser.add_argument("new", help="such as variance/dice, or spread")
    given = parser.parse_args(arguments)
    root = Path.cwd()
    try:
        if "/" in given.old:
            what = plan(root, name_of(given.old), name_of(given.new))
        else:
            what = plan_for_page(root, given.old, given.new)
    except RefusedError as error:
        sys.exit(f"Nothing is renamed: {error}.")
    print("In these files, by line:" if what.edited else "Nothing names it.")
    for line in what.carry_out(root):
        print(line)
    if what.left:
        print("These lines are as they were. Change those that mean it:")
        for file, lines in what.left.items():
            print(f"{what.now(file)}: {', '.join(map(str, lines))}")


if __name__ == "__main__":
    main()
