"""What a page needs of its site: to know its place in it, and files to lie beside it.

The files are the fonts and the scripts that pages link to. They are written below docs/ before
the engine lists it, because an engine other than MkDocs runs no hook that could add them.
"""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from markdown import Markdown

from weave import fonts, formulas
from weave.errors import WeaveError
from weave.tokens import TOKEN, VALUE_IN_FORMULA


class Place(NamedTuple):
    """Where a page is.

    Attributes:
        source: its path below docs/, such as `variance.md`; empty outside a site.
        first_line: how many lines of front matter stand above the text that Markdown sees.
    """

    source: str
    first_line: int

    @property
    def page(self) -> str:
        """The page as an author names it."""
        return f"docs/{self.source}" if self.source else "page"

    @property
    def chapter(self) -> str:
        """The chapter: the page's stem, which its snippets' folder shares."""
        return Path(self.source).stem

    @property
    def to_root(self) -> str:
        """The way from the page up to docs/."""
        return "../" * self.source.count("/")


def place_of(md: Markdown, text: str) -> Place:
    """Find which page is being converted: MkDocs and Zensical each leave a processor that knows.

    Args:
        md: the converter at work.
        text: what Markdown was given: the page without its front matter.
    """
    if "relpath" in md.treeprocessors:  # MkDocs
        mkdocs: Any = md.treeprocessors["relpath"]
        source, path = mkdocs.file.src_uri, Path(mkdocs.file.abs_src_path)
    elif "rendering_context" in md.preprocessors:  # Zensical
        zensical: Any = md.preprocessors["rendering_context"]
        source = zensical.page.path
        path = Path(zensical.config["docs_dir"]) / source
    else:
        return Place("", 0)
    if path.suffix == ".ipynb":
        return Place(source, 0)  # a lab, whose mistakes are named by cell
    whole = path.read_text("utf-8-sig").rstrip()
    return Place(source, whole.count("\n") - text.rstrip().count("\n"))


def stamped(files: Iterable[Path]) -> tuple[tuple[Path, int], ...]:
    """Give files with the times of their last change: a key to what is kept of reading them."""
    return tuple((file, file.stat().st_mtime_ns) for file in files)


def make_files(docs: Path, snippets: Path) -> None:
    """Write the fonts to `docs/assets/fonts`, and copies of the snippets to `docs/snippets`."""
    pages = [
        file for kind in ("**/*.md", "labs/*.ipynb", "references.bib") for file in docs.glob(kind)
    ]
    pages.sort()
    scripts = sorted(file for file in snippets.glob("*/*") if file.is_file())
    _make_files(docs, snippets, stamped([*pages, *scripts]))


@lru_cache(maxsize=1)  # Markdown is set up anew for every page; the sources have not changed
def _make_files(docs: Path, snippets: Path, sources: tuple[tuple[Path, int], ...]) -> None:
    files = [file for file, _ in sources]
    if not files:
        return
    scripts = [file for file in files if file.is_relative_to(snippets)]
    copies = {docs / "snippets" / file.relative_to(snippets): file for file in scripts}
    for copy, original in copies.items():
        if not copy.is_file() or copy.read_bytes() != original.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(original.read_bytes())
    for old in (docs / "snippets").glob("*/*"):
        if old not in copies:
            old.unlink()

    signs: set[str] = set()
    for file in files:
        text = file.read_text("utf-8", errors="ignore")
        if file.suffix == ".ipynb":
            text = text_of_notebook(text)
        signs.update(text)
        for token in TOKEN.finditer(text):
            signs |= signs_of(token["display"] or token["inline"] or "")
    fonts.make(docs / "assets" / "fonts", signs)


def text_of_notebook(source: str) -> str:
    """Give the text of a notebook's cells, in which JSON has written every backslash twice."""
    try:
        return "\n\n".join("".join(cell["source"]) for cell in json.loads(source)["cells"])
    except (ValueError, KeyError, TypeError):
        return ""  # reported where the notebook is run


def signs_of(tex: str) -> set[str]:
    """Give the signs in a formula, with the italic form that a browser takes for a variable."""
    try:
        mathml = formulas.to_mathml(VALUE_IN_FORMULA.sub("0", tex), display=False)
    except WeaveError:
        return set()  # reported when the page is woven
    signs = set(re.sub(r"<[^>]*>", "", mathml))
    return signs | {italic(sign) for sign in signs}


def italic(sign: str) -> str:
    """Give the mathematical italic form of a letter, other signs unchanged."""
    if sign == "h":
        return "ℎ"  # the one that Unicode had before the others
    for first, last, start in (("A", "Z", 0x1D434), ("a", "z", 0x1D44E), ("α", "ω", 0x1D6FC)):
        if first <= sign <= last:
            return chr(start + ord(sign) - ord(first))
    return sign
