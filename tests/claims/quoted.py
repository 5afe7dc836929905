"""How much of a source's words the site has: those within a run of six that it has as well.

The sources are not ours to publish, and a test has to run without them. So `sources.txt` holds a
digest of every run of six words in place of the words: enough to find a run again, and not to read
it. Formulas count like words. `python -m tests.claims.quoted` prints the shares;
`python -m tests.claims.quoted FOLDER` makes the digests anew from texts named 000_….txt and so on.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIGESTS = Path(__file__).with_name("sources.txt")
RUN, DIGITS = 6, 8  # words in a run, digits of a digest: some 7000 against 4 billion
BROKEN = re.compile(r'"\s*\n\s*[rf]?"')  # a text that goes on in the next line of a script


def runs(text: str) -> list[str]:
    """Give the digest of every run of words, in their order."""
    words = re.findall(r"[^\W_]+", text.lower())
    several = (" ".join(words[i : i + RUN]) for i in range(len(words) - RUN + 1))
    return [sha256(run.encode()).hexdigest()[:DIGITS] for run in several]


def texts(folder: Path) -> Iterator[str]:
    """Give all that a project publishes as text: pages, labs and snippets."""
    for file in (*folder.glob("docs/*.md"), *folder.glob("snippets/*/*.py")):
        yield BROKEN.sub("", file.read_text("utf-8"))
    for file in folder.glob("docs/labs/*.ipynb"):
        for cell in json.loads(file.read_text("utf-8"))["cells"]:
            yield "".join(cell["source"])


def all_runs(published: Iterable[str]) -> set[str]:
    """Give the digests of all runs in some texts."""
    return {run for text in published for run in runs(text)}


def share(source: list[str], published: set[str]) -> float:
    """Give the share of a source's words that stand in a run which is published as well.

    Args:
        source: the digests of its runs.
        published: those of all that is published.
    """
    held = {i + k for i, run in enumerate(source) if run in published for k in range(RUN)}
    return len(held) / (len(source) + RUN - 1)


def sources() -> dict[str, list[str]]:
    """Give the digests of each source, by its number."""
    found = {}
    for line in DIGESTS.read_text("utf-8").splitlines():
        number, digests = line.split()
        found[number] = re.findall(f".{{{DIGITS}}}", digests)
    return found


def main(*folders: str) -> None:
    """Print how much of each source is quoted; with a folder of sources, take their digests."""
    for folder in folders:
        files = sorted(Path(folder).glob("*.txt"))
        lines = [f"{file.name[:3]} {''.join(runs(file.read_text('utf-8')))}\n" for file in files]
        DIGESTS.write_text("".join(lines), "utf-8")
    published = all_runs(texts(ROOT))
    for number, source in sources().items():
        print(f"{number}: {share(source, published):.1%} of {len(source) + RUN - 1} words")


if __name__ == "__main__":
    main(*sys.argv[1:])
