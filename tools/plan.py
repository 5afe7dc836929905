"""What is to be renamed: files that move, and files in which a name is written.

Nothing is done until all of it is known.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from keyword import iskeyword
from pathlib import Path

# Where something may be named. (In weave/, names are examples.)
FOLDERS = (
    "docs",
    "snippets",
    "tests",
    "proofs",
    "overrides",
    "check_attention",
    "bench",
    "editions",
)
FILES = ("mkdocs.yml",)
# They explain by names, and some of these are made up: no name in them is changed.
MANUALS = (
    "README.md",
    "STYLE.md",
    "CONTRIBUTING.md",
    "weave/README.md",
    "tests/tools/test_new.py",
    "tests/tools/test_rename.py",
)
ENDINGS = {".md", ".py", ".ipynb", ".js", ".css", ".csv", ".html", ".v", ".yml"}


class RefusedError(Exception):
    """Why something cannot be renamed."""


@dataclass
class Plan:
    """What is to be done."""

    moved: dict[str, str] = field(default_factory=dict)  # files and folders, by their old names
    edited: dict[str, str] = field(default_factory=dict)  # what will be in a file, by its old name
    lines: dict[str, list[int]] = field(default_factory=dict)  # that change in it
    left: dict[str, list[int]] = field(default_factory=dict)  # that may name it and stay

    def edit(self, texts: Mapping[str, str], rename: Callable[[str, str], str]) -> None:
        """Plan to rename something in texts, which keep their lines.

        Args:
            texts: what is in files, by their names.
            rename: gives what will be in a file, from its name and what is in it.
        """
        for file, text in texts.items():
            renamed = rename(file, text)
            if lines := changed_lines(text, renamed):
                if file in MANUALS:
                    self.left[file] = lines
                else:
                    self.edited[file], self.lines[file] = renamed, lines

    def now(self, file: str) -> str:
        """Give what a file will be called."""
        for old, new in self.moved.items():
            if file == old or file.startswith(f"{old}/"):
                return new + file.removeprefix(old)
        return file

    def refuse_what_is_there(self, root: Path) -> None:
        """Raise RefusedError if a file has a name that another is to have."""
        for new in self.moved.values():
            if (root / new).exists():
                raise RefusedError(f"{new} is there already: choose another name")

    def carry_out(self, root: Path) -> Iterator[str]:
        """Do it; yield for each file what was done."""
        for file, text in self.edited.items():
            write_whole(root / file, text)
            yield f"{file}: {', '.join(map(str, self.lines[file]))}"
        # The page itself last: without it a rename that was interrupted could not be run again.
        for old, new in sorted(self.moved.items(), key=lambda move: move[0].startswith("docs/")):
            (root / new).parent.mkdir(parents=True, exist_ok=True)
            (root / old).rename(root / new)
            yield f"{old} is now {new}"


def nearest(name: str, known: Iterable[str]) -> str:
    """End a sentence about a name that is not there with the one that is near, if one is."""
    near = get_close_matches(name, [*known], n=1)
    return f"; the nearest is {near[0]}" if near else ""


def is_importable(name: str) -> bool:
    """Tell whether Python can import a module of this name."""
    return name.isidentifier() and not iskeyword(name)


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: a full disk must not cost what was in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(text.encode("utf-8"))
    beside.replace(path)


def changed_lines(before: str, after: str) -> list[int]:
    """Give the lines that differ between two texts of as many lines."""
    pairs = zip(before.split("\n"), after.split("\n"), strict=True)
    return [line for line, (a, b) in enumerate(pairs, start=1) if a != b]


def read_texts(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the files that may name something, each with what is in it."""
    files = [root / file for file in (*FILES, *MANUALS)]
    for folder in FOLDERS:
        files += sorted((root / folder).rglob("*"))
    for path in files:
        file = path.relative_to(root).as_posix()
        is_hidden = "/." in f"/{file}"
        is_made = file.startswith(("docs/snippets/", "editions/out/"))
        if path.suffix in ENDINGS and path.is_file() and not is_hidden and not is_made:
            try:
                yield file, path.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                raise RefusedError(f"{file} is not in UTF-8: save it so") from None
