"""A small site in which nothing is wrong, and what can be made wrong in it, one edit at a time."""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.conftest import PROJECT

LINE = "snippets/chapter/line.py"
CHAPTER = "docs/chapter.md"
LAB = "docs/labs/chapter.ipynb"
SOURCE = "snippets/claims/source.py"
LEDGER = ("snippets/claims/ledger.py", "snippets/claims/statement.py")

SCRIPT = '''"""A line through the origin.

One straight line that rises from the lower left to the upper right.
"""

# %%
from law import number

slope = 1.5 * number

# %%
import matplotlib.pyplot as plt

plt.plot([0, slope])
plt.show()

# %% says
assert slope > 1, "more than one of it"
'''
LAW = """from pathlib import Path

Path(__file__).with_name("table.csv").read_text("utf-8")
number = 1
"""
CLAIMS = '''"""What a source claims."""

# %%
words = dict.fromkeys(["said", "place", "needs", "reading", "text"], "")
place = {"settled": "chapter.md#one", "line": 1, "values": {}}
claims = {"a-1": {"verdict": "true"} | place | words}
'''
JUDGED = '''"""What a source claims, and what is found."""

# %%
from ledger import Ledger, finding

ledger = Ledger(__file__)


@ledger.claim("a-1", "", "eight", says="8", settled="chapter.md#one")
def eight():
    """It is."""
    return finding(2.0**3)


claims = ledger.judge()
'''
PAGE = """# Chapter

A query is {= line.slope } [@zhang].

::: chapter/line

See [other](other.md#there), [the line](#figure-line), and $x^2$, more than one of it.

## One {#one}

## Two {#two}

??? depth "More"

    ::: proved theorem/lemma

    ## Three {#three}

What [three](#three) says.
"""
STATED = "Lemma lemma :\n  True.\nProof.\nQed.\n"
CONFIG = """site_name: test
plugins:
  - weave
  - search
  - mkdocs-jupyter: {include: ["labs/*.ipynb"], ignore: ["*.md"], cache: false}
nav: [index.md, chapter.md, other.md, labs/chapter.ipynb, claims.md, glossary.md, references.md]
markdown_extensions:
  - attr_list
  - def_list
  - md_in_html
  - pymdownx.details
  - pymdownx.superfences
  - weave
validation: {omitted_files: warn, absolute_links: warn, unrecognized_links: warn, anchors: warn}
"""


def notebook(code: str) -> str:
    """Write a lab with one cell of code."""
    kept = {"metadata": {}, "source": ["# Lab\n"], "id": "title", "cell_type": "markdown"}
    run = {"metadata": {}, "source": [code], "id": "setup", "cell_type": "code"}
    run |= {"outputs": [], "execution_count": None}
    return json.dumps({"cells": [kept, run], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


SITE = {
    "mkdocs.yml": CONFIG,
    "docs/index.md": "---\nmoved: [early]\n---\n# Home\n",
    CHAPTER: PAGE,
    "docs/other.md": "# Other\n\n## There\n\nSee [three](chapter.md#three).\n",
    "docs/references.md": "# References\n\n::: references\n",
    "docs/references.bib": "@misc{zhang, author = {Zhang, J.}, title = {A Note}}\n",
    "docs/claims.md": "# Claims\n\n::: settled\n\n::: claims source\n",
    "docs/glossary.md": "# Words\n\nQuery\n:   A vector.\n\nKey\n:   A vector.\n",
    LAB: notebook("print(1)"),
    LINE: SCRIPT,
    "snippets/chapter/law.py": LAW,
    "snippets/chapter/table.csv": "a,b\n",
    SOURCE: CLAIMS,
    **{name: (PROJECT.root / name).read_text("utf-8") for name in LEDGER},
    "proofs/theorem.v": STATED,
}
COMPUTE, DRAW = "slope = 1.5 * number", "plt.plot([0, slope])"
EMPTY = "import matplotlib.pyplot as plt\nplt.plot([], [])\nplt.show()"


def write(root: Path) -> None:
    """Write the site."""
    for name, text in SITE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


# Two versions as git leaves them.
MERGED = "<<<<<<< HEAD\n{0}\n=======\n{0}\n>>>>>>> other\n"


class Fault(NamedTuple):
    """An edit of a file, and what the build has to say of it, all of it in one line."""

    file: str
    edit: Callable[[Path], object]
    says: tuple[str, ...]
    most: int = 2  # the lines that are said because of it

    @contextmanager
    def made(self, root: Path) -> Iterator[None]:
        """Make the edit in a site, and mend it in the end."""
        path = root / self.file
        path.parent.mkdir(exist_ok=True)
        self.edit(path)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            if self.file in SITE:
                path.write_text(SITE[self.file], "utf-8")


def put(file: str, old: str, new: str, *says: str, most: int = 2) -> Fault:
    """Replace some words of a file."""

    def edit(path: Path) -> None:
        text = path.read_text("utf-8")
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new), "utf-8")

    return Fault(file, edit, says, most)


def whole(file: str, content: str | bytes, *says: str) -> Fault:
    """Put something else in a file's place."""
    data = content.encode() if isinstance(content, str) else content
    return Fault(file, lambda path: path.write_bytes(data), says)


def computes(code: str, *says: str) -> Fault:
    """Have the snippet compute something else."""
    return put(LINE, COMPUTE, f"{COMPUTE}\n{code}", "docs/chapter.md:3: ", f"{LINE}:1", *says)


FAULTS = {
    "a syntax error": put(LINE, COMPUTE, "slope = = 1", f"{LINE}:9: SyntaxError: invalid syntax"),
    "an exception": computes("1 / 0", "10: ZeroDivisionError"),
    "an error in a module": put(
        "snippets/chapter/law.py", "1", "none", "law.py:4, in ", f"{LINE}:7: NameError: name 'none'"
    ),
    "an endless loop": computes("while True: pass", "TimeoutError: stopped after 5 s; make it"),
    "a file beside the project": computes(
        "open('../../a', 'w')", "10: PermissionError: a snippet writes nothing", "; open it with"
    ),
    "the network": computes(
        "import urllib.request as r; r.urlopen('http://localhost')", "no network", "keep the data"
    ),
    "a variable of the environment": computes(
        "import os; d = os.environ.get('FAKE_D', 8)",
        "10: PermissionError: a snippet has no environment ('FAKE_D')",
        "write the value",
    ),
    "a variable of the environment, in a module": put(
        "snippets/chapter/law.py",
        "number = 1",
        "import os; number = int(os.getenv('FAKE_D', 1))",
        f"law.py:4, in {LINE}:7: PermissionError: a snippet has no environment",
    ),
    "a file outside the project": computes(
        "Path = __import__('pathlib').Path; Path(__file__).parents[3].joinpath('a').read_text()",
        "10: PermissionError: a snippet reads nothing elsewhere",
        "keep the file beside",
    ),
    "random numbers without a seed": computes(
        "import numpy; x = numpy.random.default_rng().normal()",
        "10: PermissionError: what a snippet draws without a seed",
        "draw it from np.random.default_rng(0)",
    ),
    "random numbers without a seed, of a library": computes(
        "import scipy.stats; x = scipy.stats.norm.rvs()",
        "10: PermissionError: what a snippet draws",
    ),
    "a figure that shows nothing": put(
        LINE,
        DRAW,
        "plt.subplots()",
        f"{LINE}:12: the alternative says 'One straight line that rises",
        "and the axes have no mark: draw it",
    ),
    "a figure with a panel that shows nothing": put(
        LINE, DRAW, "plt.subplots(1, 2)[1][0].plot([0, slope])", "and panel 2 has no mark"
    ),
    "a figure of a lab that shows nothing": whole(
        LAB,
        notebook('"""A line.\n\nIt rises.\n"""\n' + EMPTY),
        f"{LAB}, cell 'setup': the alternative says 'It rises.', and the axes have no mark",
    ),
    "no caption": whole(
        LINE,
        SCRIPT.partition("\n\n# %%")[2].join(["# %%", ""]),
        f"{LINE}:1: no caption: start with",
    ),
    "two figures": put(LINE, DRAW, "plt.figure()\nplt.figure()", "one figure is needed", "left 2"),
    "a missing snippet": Fault(LINE, Path.unlink, ("chapter.md:3: no snippet 'chapter/line'",)),
    "a snippet without cells": whole(
        LINE, SCRIPT.replace("# %%", "# cell"), f"docs/chapter.md:3: {LINE} has no cells"
    ),
    "a snippet that is not UTF-8": whole(
        LINE,
        SCRIPT.replace("slope =", "# è\nslope =").encode("latin-1"),
        f"{LINE}:9: 'utf-8' codec can't decode",
        "save the file as UTF-8",
    ),
    "a snippet in UTF-16": whole(
        LINE, SCRIPT.encode("utf-16-le"), f"{LINE}:1: ", "UTF-16", "save the file as UTF-8"
    ),
    "a snippet that no page can name": whole(
        "snippets/chapter/li ne.v2.py",
        SCRIPT,
        "docs/chapter.md:1: snippets/chapter/li ne.v2.py:1: no page can name it",
    )._replace(most=1),
    "a table that is not UTF-8": whole("snippets/chapter/table.csv", b"\xe9", "law.py:3, in"),
    "a missing module": Fault(
        "snippets/chapter/law.py", Path.unlink, (f"{LINE}:7: ModuleNotFoundError: No module",)
    ),
    "a wrong snippet": put(
        CHAPTER, "::: chapter/line", "::: chapter/lime", ".md:5: ", "did you mean 'chapter/line'?"
    ),
    "a wrong statement in a fold": put(
        CHAPTER, "/lemma", "/lema", "chapter.md:15: ", "did you mean 'theorem/lemma'?"
    ),
    "what fails and stands on no page": whole(
        "snippets/chapter/check.py",
        '"""A check."""\n\n# %%\n1 / 0\n',
        "docs/chapter.md:1: ",
        "py:4: Zero",
    ),
    "what fails in a folder without a page": whole(
        "snippets/chaptr/check.py",
        '"""A check."""\n\n# %%\n1 / 0\n',
        "docs/index.md:1: snippets/chaptr/check.py:4: Zero",
    ),
    "cells as another editor marks them": put(
        LINE,
        '# %% says\nassert slope > 1, "more than one of it"',
        "#%% says\nassert slope",
        "plain words",
    ),
    "words that are turned round": put(
        CHAPTER, "more than one", "less than one", "chapter.md:7: no page has the words", "line.py:"
    ),
    "a number that is altered": put(
        CHAPTER, "A query is", "Of 7 a query is", "chapter.md:3: no code knows 7"
    ),
    "a dollar sign alone": put(
        CHAPTER, "A query", "At $5 a query", "docs/chapter.md:3: this $ has no partner"
    ),
    "a fold of no kind": put(CHAPTER, "??? depth", "??? dept", ".md:13: a fold begins", most=3),
    "front matter that is no YAML": put(
        CHAPTER, "# Chapter", "---\ntitle: Why: not\n---\n# Chapter", "docs/chapter.md:1: ", "YAML"
    ),
    "an old name that is a page": put(
        CHAPTER,
        "# Chapter",
        "---\ntitle: Chapter\nmoved: [other]\n---\n# Chapter",
        "docs/chapter.md:3: 'other' has not moved here, docs/other.md is there",
        most=1,
    ),
    "an old name of two pages": put(
        CHAPTER,
        "# Chapter",
        "---\nmoved: [earlier, early]\n---\n# Chapter",
        "docs/chapter.md:2: docs/index.md says too that it was once 'early'",
    ),
    "an old name that is no list": put(
        CHAPTER,
        "# Chapter",
        "---\nmoved: early.md\n---\n# Chapter",
        "docs/chapter.md:2: 'moved' lists what",
        "moved: [old-name]",
        most=1,
    ),
    "a link to a page that has moved": put(
        CHAPTER, "other.md", "early.md", "docs/chapter.md:7: ", "'early.md' is now 'index.md'"
    ),
    "a wrong citation": put(CHAPTER, "@zhang", "@zang", "chapter.md:3: ", "did you mean 'zhang'?"),
    "a broken link": put(
        CHAPTER, "other.md", "othr.md", "docs/chapter.md:7: ", "'othr.md#there'", "Mend"
    ),
    "a broken anchor": put(
        CHAPTER, "#there", "#here", "docs/chapter.md:7: the link 'other.md#here'", "mean '#there'?"
    )._replace(most=1),
    "a block of code without an end": put(
        "docs/other.md",
        "See [three]",
        "```text\nYes\n\nSee [three]",
        "docs/other.md:5: the block that begins here has no end",
    )._replace(most=1),
    "a block of code that is ended by the next": put(
        "docs/other.md",
        "See [three]",
        "```text\nYes\n\n```python\n1\n```\n\nSee [three]",
        "docs/other.md:5: the block that begins here has no end before line 8, '```python'",
    )._replace(most=1),
    "a block of code that is ended outside its fold": put(
        CHAPTER,
        "    ## Three",
        "    ```text\n    Yes\n```\n\n    ## Three",
        "docs/chapter.md:17: the block that begins here has no end before line 19",
        "indented as",
    ),
    "an example that is never run": put(
        "docs/other.md",
        "See [three]",
        "```py\nprint(1)\n```\n\nSee [three]",
        "docs/other.md:5: ",
        "did you mean 'python'?",
    )._replace(most=1),
    "bad TeX": put(CHAPTER, "x^2", r"\bad", "docs/chapter.md:7: formula", "Unknown command"),
    "a word twice": put(
        "docs/glossary.md", "Key", "Query", "docs/glossary.md:6: 'Query' is defined twice", most=3
    ),
    "a style that is not UTF-8": whole("docs/a.css", b"\n\xe9", "docs/a.css:2: ", "save the file"),
    "a missing page": Fault(
        "docs/other.md", Path.unlink, ("docs/chapter.md:7: ", "'other.md#there'")
    ),
    "a glossary that is not UTF-8": whole(
        "docs/glossary.md",
        b"# Words\n\nQuery\n:   A v\xe9ctor.\n",
        "docs/glossary.md:4: ",
        "save the file as UTF-8",
    )._replace(most=1),
    "a page that is not UTF-8": whole(
        "docs/other.md",
        b"# Other\n\n## There\n\n\xe8\n",
        "docs/other.md:5: ",
        "save the file as UTF-8",
    )._replace(most=1),  # and nothing of the links to it
    "a merge that is not finished, on a page": put(
        "docs/other.md",
        "See [three]",
        MERGED.format("See [three]"),
        "docs/other.md:5: '<<<<<<<' is left from a merge",
        most=1,
    ),
    "a merge that is not finished, in a block of code": put(
        "docs/other.md",
        "See [three]",
        f"```text\n{MERGED.format('Yes')}```\n\nSee [three]",
        "docs/other.md:6: '<<<<<<<' is left from a merge",
    ),
    "what is left of a merge": put(
        "docs/other.md", "See [three]", "=======\nSee [three]", "docs/other.md:5: '======='"
    ),
    "a merge that is not finished, in a caption": put(
        LINE,
        "One straight",
        MERGED.format("One straight"),
        f"docs/chapter.md:3: {LINE}:3: '<<<<<<<'",
    ),
    "a merge that is not finished, in a bibliography": put(
        "docs/references.bib", "@misc", MERGED.format("@misc"), "docs/references.bib:1: '<<<<<<<'"
    ),
    "a merge that is not finished, in a glossary": put(
        "docs/glossary.md", "Key", MERGED.format("Key"), "docs/glossary.md:6: '<<<<<<<'"
    ),
    "a merge that is not finished, in a lab": put(
        LAB, '"nbformat":', "\n" + MERGED.format('"nbformat":'), f"{LAB}:2: '<<<<<<<'"
    ),
    "a merge that is not finished, in a cell": whole(
        LAB, notebook(MERGED.format("a = 0")), f"{LAB}, cell 'setup', line 1: '<<<<<<<'"
    ),
    "an id twice": put(
        CHAPTER,
        "## Two {#two}",
        "## Two {#one}",
        "docs/chapter.md:11: the id 'one' stands at docs/chapter.md:9 already",
        most=3,
    ),
    "an id that is another heading's own": put(
        "docs/other.md",
        "See [three]",
        "## More {#there}\n\nSee [three]",
        "docs/other.md:5: the id 'there' stands at docs/other.md:3 already",
    ),
    "two headings with the same words": put(
        "docs/other.md", "See [three]", "## There\n\nSee [three]", "docs/other.md:5: the id 'there'"
    ),
    "a heading's address that moves with a number": put(
        CHAPTER,
        "## Two {#two}",
        "## What {= line.slope } is",
        "docs/chapter.md:11: the address of 'What {= line.slope } is' would move",
        "{#some-words}",
    ),
    "a footnote": put(
        "docs/other.md", "See [three]", "See[^1] [three]", "docs/other.md:5: ", "no footnotes"
    ),
    "no bibliography": whole(
        "docs/references.bib", "@misc{zhang", "docs/references.bib: syntax error"
    ),
    "a bibliography that is not UTF-8": whole(
        "docs/references.bib",
        b"@misc{zhang,\n author = {Zh\xe9ng}}",
        "docs/references.bib:2: ",
        "save the file as UTF-8",
    ),
    "rows of nothing": put(
        CHAPTER,
        "See [other]",
        "| {= d } | {for d in  }\n\nSee [other]",
        "docs/chapter.md:7: ",
        "'' is no name of a result",
        most=3,
    ),
    "a source of claims that fails": put(
        SOURCE,
        "claims = ",
        "claims = none or ",
        "docs/claims.md:5: snippets/claims/source.py:6: NameError",
    ),
    "a claim whose finding is typed": whole(
        SOURCE,
        JUDGED.replace("2.0**3", "8.0"),
        f"docs/claims.md:5: {SOURCE}:9: a-1: `finding(8.0)` in line 12 is typed",
    ),
    "a claim below the judging": whole(
        SOURCE,
        f'{JUDGED}\n\n@ledger.cited("a-2", "", "so", kind="opinion", settled="chapter.md")\n'
        'def so():\n    """A matter of taste."""\n',
        f"docs/claims.md:5: {SOURCE}:18: a-2: it stands below `ledger.judge()`",
    ),
    "a notebook that is no JSON": whole(LAB, "{", LAB, "no notebook"),
    "a lab that fails": whole(LAB, notebook("a = 0\n1 / a"), f"{LAB}, cell 'setup', line 2: Zero"),
    "a lab that is no Python": whole(
        LAB, notebook("a = 0\na = = 1"), "cell 'setup', line 2: SyntaxError"
    ),
}
if sys.platform == "linux":  # macOS and Windows know no such limit
    FAULTS["20 GB of memory"] = computes(
        "import numpy; numpy.ones((20, 10**9), dtype='int8').sum()", "10: ", "MemoryError", "4 GiB"
    )


def content(folder: Path) -> dict[str, str]:
    """Tell what is in a folder from what was: every file's digest, by its name."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }
