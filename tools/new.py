"""Begin a chapter or a figure: write its page, its line in the contents, a snippet and a test.

    make chapter NAME=signs TITLE="Signs of a score"
    make figure NAME=signs/dice

What is written is a small figure that is true, passes all checks but one, and is there to be
altered. The words that are to be replaced begin with TODO, which `tests/text/test_pages.py` finds,
so that none of them is published. What stands in the way is said before anything is written.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.plan import RefusedError, nearest, write_whole
from tools.rename import LIBRARIES, Name, name_of
from tools.rename_page import TAKEN

WORD = re.compile(r"[a-z][a-z0-9_-]*")
PAGE_IN_NAV = re.compile(r"(?P<margin>\s*)- [\w-]+\.md\b")

PAGE = """---
title: {title}
description: "TODO: what this chapter finds, in one sentence."
---

# TODO: the question that this chapter answers

TODO: the answer, in a sentence or two.
{{ .answer }}
"""
FIGURE = """
TODO: what to see in the figure, and why. A number is quoted by its name: {{= {stem}.most :.3f }}.

::: {name}
"""
SNIPPET = '''"""TODO: say what the figure shows. Of all sums of two dice {= likeliest }
comes most often, with a probability of {= most :.3f }.

TODO: say it to someone who cannot see it. Dots over the sums from
{= totals[0] } to {= totals[-1] }: their probabilities rise up to
{= likeliest } and fall behind it.
"""

# %%
import numpy as np

# TODO: compute. The names that stand here can be quoted.
die = np.full(6, 1 / 6)
totals = np.arange(2, 13)
probability = np.convolve(die, die)
likeliest = totals[probability.argmax()]
most = probability.max()

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots()
axes.plot(totals, probability, "o")
axes.set(xlabel="sum of two dice", ylabel="probability", ylim=(0, None))
plt.show()

# %% says
# TODO: assert what words say of the numbers, in the words of page or caption.
rises = np.diff(probability) > 0
assert np.all(rises == (totals[1:] <= likeliest)), (
    "rise up to … and fall behind it"
)
'''
TEST = '''"""TODO: say by which other route. The sums of two dice, with all pairs counted."""

from itertools import product

from tests.tolerance import close


def test_{function}(snippet):
    found = snippet("{name}")
    sums = [one + other for one, other in product(range(1, 7), repeat=2)]
    counted = [sums.count(total) / len(sums) for total in found.totals]
    assert close(found.probability, counted)
    assert close(found.most, max(counted))
    assert found.likeliest == max(sums, key=sums.count)
    # TODO: show that a wrong variant fails the same check.
    alike = [1 / len(counted)] * len(counted)
    assert not close(alike, counted), "every sum alike"
'''


def main(arguments: list[str] | None = None) -> None:
    """Begin what the command line says, in the folder at work."""
    parser = argparse.ArgumentParser("python -m tools.new", description=__doc__)
    parser.add_argument("kind", choices=["chapter", "figure"])
    parser.add_argument("name", help="such as signs, or signs/dice for a figure")
    parser.add_argument("title", nargs="?", default="", help="of a chapter, in the contents")
    given = parser.parse_args(arguments)
    root = Path.cwd()
    try:
        if given.kind == "chapter":
            files = chapter(root, given.name, given.title)
        else:
            files = figure(root, given.name)
    except RefusedError as error:
        sys.exit(f"Nothing is written: {error}.")
    for line in write(root, files):
        print(line)
    print("Next: make serve, and write what is marked TODO. make check finds what is left of it.")


def chapter(root: Path, written: str, title: str = "") -> dict[str, str]:
    """Give the files of a new chapter, which has one figure, of the same name.

    Args:
        root: the project's folder.
        written: the chapter's name, such as `signs`.
        title: the page's, as the contents have it; without one, the name.

    Returns:
        What is to be in each file that is new or changes, by its path.

    Raises:
        RefusedError: it cannot be done; says why.
    """
    stem = written.removeprefix("docs/").removesuffix(".md")
    if not WORD.fullmatch(stem):
        example = "small letters, digits, - and _, as in make chapter NAME=signs"
        raise RefusedError(f"'{written}' is no name of a chapter: {example}")
    if stem in TAKEN:
        raise RefusedError(f"the site has something else at {stem}/: choose another name")
    page = f"docs/{stem}.md"
    if (root / page).exists():
        raise RefusedError(f"{page} is there already: make figure NAME={stem}/… adds to it")
    for folder in (f"docs/{stem}", f"snippets/{stem}", f"tests/{stem}"):
        is_file = (root / folder).is_file()
        # What Python has compiled may be left of another.
        if is_file or any((root / folder).glob("[!_.]*")):
            raise RefusedError(f"{folder}/ is there already: choose another name")
    title = title.strip() or stem.replace("-", " ").replace("_", " ").capitalize()
    name = Name(stem, stem)
    # Between single quotes YAML leaves a backslash and a double quote as they are.
    quoted = json.dumps(title, ensure_ascii=False) if "'" in title else f"'{title}'"
    begun = PAGE.format(title=quoted)
    text = begun + FIGURE.format(stem=stem, name=name)
    return {page: text, "mkdocs.yml": contents_with(root, f"{stem}.md"), **of_figure(root, name)}


def figure(root: Path, written: str) -> dict[str, str]:
    """Give the files of a new figure; its chapter's page shows it at the end.

    Args:
        root: the project's folder.
        written: the figure's name, such as `signs/dice`.

    Returns:
        What is to be in each file that is new or changes, by its path.

    Raises:
        RefusedError: it cannot be done; says why.
    """
    name = name_of(written)
    if not (WORD.fullmatch(name.chapter) and WORD.fullmatch(name.stem)):
        raise RefusedError(f"'{written}' is no name of a figure: small letters, digits, - and _")
    page = f"docs/{name.chapter}.md"
    if not (root / page).is_file():
        pages = [path.stem for path in (root / "docs").glob("*.md")]
        mend = f"make chapter NAME={name.chapter} begins one"
        raise RefusedError(f"there is no {page}: {mend}{nearest(name.chapter, pages)}")
    text, newline = read(root / page)
    added = FIGURE.format(stem=name.stem, name=name).replace("\n", newline)
    begins = "" if text.endswith("\n") else newline
    return {page: text + begins + added, **of_figure(root, name)}


def of_figure(root: Path, name: Name) -> dict[str, str]:
    """Give the snippet and the test of a new figure; RefusedError if its name cannot be taken."""
    if name.stem in LIBRARIES:
        raise RefusedError(f"{name.script} would hide Python's own '{name.stem}'")
    if name.stem.startswith("measure"):
        raise RefusedError(f"make measure would run {name.script}: choose another name")
    for file in (name.script, name.test):
        if (root / file).exists():
            beside = sorted(path.stem for path in (root / file).parent.glob("*.py"))
            others = ", ".join(stem.removeprefix("test_") for stem in beside)
            raise RefusedError(f"{file} is there already: choose another name than {others}")
    function = name.stem.replace("-", "_")
    return {name.script: SNIPPET, name.test: TEST.format(function=function, name=name)}


def contents_with(root: Path, page: str) -> str:
    """Give mkdocs.yml with a page behind the last of those that its nav begins with.

    Raises:
        RefusedError: its nav does not begin with pages, each on a line of its own.
    """
    text, newline = read(root / "mkdocs.yml")
    lines = text.split(newline)
    place = lines.index("nav:") + 1 if "nav:" in lines else len(lines)
    margin = ""
    for number, line in enumerate(lines[place:], start=place):
        if match := PAGE_IN_NAV.match(line):
            place, margin = number + 1, match["margin"]
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    if not margin:
        raise RefusedError(f"the nav of mkdocs.yml does not begin with '  - index.md': add {page}")
    lines.insert(place, f"{margin}- {page}")
    return newline.join(lines)


def read(path: Path) -> tuple[str, str]:
    """Give what is in a file as it is, and how its lines end."""
    text = path.read_bytes().decode("utf-8")
    return text, "\r\n" if "\r\n" in text else "\n"


def write(root: Path, files: dict[str, str]) -> Iterator[str]:
    """Write files; yield for each where to find what is new in it."""
    for file, text in files.items():
        path = root / file
        line = 1
        if path.exists():
            before = path.read_bytes().decode("utf-8").split("\n")
            after = text.split("\n")
            pairs = zip(before, after, strict=False)
            line += next((n for n, (a, b) in enumerate(pairs) if a != b), len(before))
        write_whole(path, text)
        yield f"{file}:{line}"


if __name__ == "__main__":
    main()
