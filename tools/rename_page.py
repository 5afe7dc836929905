"""Rename a page: `make rename FROM=variance TO=spread`.

That is: `docs/variance.md`, its folders of snippets and of tests, its lab and its card; all that
names one of these or what is in them (contents, links, tokens, claims, imports, addresses); and in
the page itself `moved: [variance]`, so that its old address leads on.

A word such as "variance" that stands alone, in a test, say, may be the page's name or not. Where
it does is said, for the author to look.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tools.plan import Plan, RefusedError, is_importable, nearest, read_texts

NAME = re.compile(r"[a-z][a-z\d-]*")
# The machinery calls these pages by their names; at these addresses the site has something else.
STAY = {"index", "claims", "glossary", "references", "questions"}
TAKEN = {"assets", "embed", "labs", "proofs", "search", "slides", "snippets"}
BEARS_IT = (
    "docs/{}.md",
    "docs/labs/{}.ipynb",
    "docs/assets/cards/{}.png",
    "snippets/{}",
    "tests/{}",
    "tests/labs/{}.py",
    "tests/readers/{}.md",
)
MOVED = re.compile(r"^moved:([^\r\n]*)", re.MULTILINE)


def plan_for_page(root: Path, old: str, new: str) -> Plan:
    """Find what there is to do.

    Args:
        root: the project's folder.
        old: what the page is called.
        new: what it is to be called.

    Raises:
        RefusedError: it cannot be done; says why.
    """
    texts = dict(read_texts(root))
    refuse(texts, old, new)
    found = Plan()
    for place in BEARS_IT:
        if (root / place.format(old)).exists():
            found.moved[place.format(old)] = place.format(new)
    found.refuse_what_is_there(root)
    inside = [root / folder / old for folder in ("snippets", "tests")]
    names = {path.stem for folder in inside for path in folder.glob("*.*")}
    renamer = PageRenamer(old, new, names)
    if not is_importable(new):
        for file, text in texts.items():
            if renamer.package.search(text):
                raise RefusedError(f"{file} imports tests.{old}, and '{new}' cannot be imported")
    found.edit(texts, renamer.rename)
    for file, text in texts.items():
        if lines := renamer.lines_with_word(file, found.edited.get(file, text)):
            found.left.setdefault(file, lines)
    page = f"docs/{old}.md"
    found.edited[page] = with_old_name(found.edited.get(page, texts[page]), old, new)
    found.lines.setdefault(page, [])
    return found


def refuse(texts: Mapping[str, str], old: str, new: str) -> None:
    """Raise RefusedError if the page cannot be renamed."""
    pages = [file[5:-3] for file in texts if re.fullmatch(r"docs/[^/]+\.md", file)]
    if old not in pages:
        raise RefusedError(f"there is no docs/{old}.md{nearest(old, pages)}")
    if old in STAY:
        raise RefusedError(f"the machinery knows '{old}' by its name")
    if not NAME.fullmatch(new):
        raise RefusedError(
            f"'{new}' is no name of a page: small letters, digits and hyphens, such as {old}"
        )
    if new in TAKEN:
        raise RefusedError(f"the site has something else at {new}/: choose another name")
    for page in pages:
        said = MOVED.search(front_matter(texts[f"docs/{page}.md"]))
        if said and page != old and new in re.findall(r"[\w-]+", said[1]):
            raise RefusedError(f"docs/{page}.md says that it was once '{new}': see its 'moved'")


class PageRenamer:
    """Renames a page in the text of a file.

    Args:
        old: what it is called.
        new: what it is to be called.
        names: the stems of what lies in its folders, such as `dice` and `test_dice`.
    """

    def __init__(self, old: str, new: str, names: Iterable[str]) -> None:
        self.new = new
        known = "|".join(sorted(map(re.escape, names), reverse=True)) or "(?!)"
        begins = r"(?<![\w./-])((?:\.\./)+|\*\*/|docs/|)"  # nothing but a way to the site's root
        self.folder = re.compile(
            rf"(?<![\w-])((?:snippets|tests|embed|slides|cards|(?:tests/)?labs)/){old}(?![\w-])"
        )
        self.package = re.compile(rf"\b(tests\.(?:labs\.)?){old}(?=\.|[ ]import\b)")
        self.patterns = (
            self.folder,
            self.package,
            # The page, its lab, its readers.
            re.compile(rf"{begins}{old}(?=\.(?:md|ipynb)(?![\w-]))"),
            # Its address.
            re.compile(rf"{begins}{old}(?=/(?![\w*/.-]))"),
            # A snippet of its folder. (What is proved is no snippet.)
            re.compile(rf"(?<!proved ){begins}{old}(?=/(?:{known})(?![\w-]))"),
            # A figure of its, on another page.
            re.compile(rf"(\bfigure-){old}(?=-(?:{known})(?![\w-]))"),
            # The list of claims that it settles.
            re.compile(rf"(#of-){old}(?![\w-])"),
            # Its folder, in Python.
            re.compile(rf'((?<=/ )"){old}(?="[ ]/)'),
            re.compile(rf'(\bstored_(?:rows|table)\("){old}(?=")'),
        )
        # A list of its sections, and a card.
        self.list = re.compile(r"^[ ]*::: sections[ ].*$|^card: .*$", re.MULTILINE)
        self.word = re.compile(rf"(?<![\w-]){old}(?![\w-])")
        self.quoted = re.compile(rf"([\"']){old}\1")

    def rename(self, file: str, text: str) -> str:
        """Give what will be in a file.

        Args:
            file: its name.
            text: what is in it.
        """
        if file.startswith("snippets/") and file.endswith(".csv"):  # data, but for its command
            return self.folder.sub(self.by_new, text)
        for pattern in self.patterns:
            text = pattern.sub(self.by_new, text)
        if file.startswith("docs/"):
            text = self.list.sub(lambda line: self.word.sub(self.new, line[0]), text)
        return text

    def by_new(self, match: re.Match[str]) -> str:
        """Put the new name behind what stood before the old."""
        return f"{match[1]}{self.new}"

    def lines_with_word(self, file: str, text: str) -> list[int]:
        """Give the lines of a program in which a string is the old name, and may be the page's."""
        if not file.endswith(".py") or file.startswith("snippets/"):
            return []
        lines = enumerate(text.split("\n"), start=1)
        return [number for number, line in lines if self.quoted.search(line)]


def front_matter(text: str) -> str:
    """Give what stands between the lines `---` at the beginning of a page."""
    found = re.match(r"---\r?\n(.*?)^---", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def with_old_name(text: str, old: str, new: str) -> str:
    """Give a page that says what it was once called, and not that it was what it is called now.

    Raises:
        RefusedError: it says so in a way that is not known here.
    """
    within = front_matter(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not within:
        return newline.join(["---", f"moved: [{old}]", "---", "", text])
    said = MOVED.search(within)
    if said and not re.fullmatch(r"\s*\[[\w\s,-]*\]\s*", said[1]):
        raise RefusedError(f"docs/{old}.md has 'moved' in another form: write moved: [name, name]")
    names = re.findall(r"[\w-]+", said[1]) if said else []
    names = [name for name in names if name not in (old, new)]
    line = f"moved: [{', '.join([*names, old])}]"
    made = MOVED.sub(line, within) if said else f"{within}{line}{newline}"
    return text.replace(within, made, 1)
