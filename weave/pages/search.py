"""Let search read what a reader would: formulas as text, and no drawings, code or references.

MkDocs' plugin divides what it reads into sections; find.js ranks them.
"""

import html
import json
import re
from pathlib import Path

from weave.embeds.formula import read_out

# Folds for depth and proofs are read: those of code, of numbers and of labs are not.
HEAVY = re.compile(
    r'<(svg|pre)\b.*?</\1> | <details(?:[ ]class="(?:fold|numbers)")?>.*?</details>',
    re.DOTALL | re.VERBOSE,
)
# What names other sections, which would be found in their place, or claims by their numbers.
ELSEWHERE = re.compile(
    r"""<(p|div|ul)[ ]class="(?:back|settled|words)">.*?</\1>
    | ,?\s*<a[ ]class="claim"[ ]href="[^"#]+\#[^>]*>.*?</a>""",
    re.DOTALL | re.VERBOSE,
)
TAG = re.compile(r"<[^<>]*>")


def readable(page: str) -> str:
    """Give a page as search should read it."""
    page = ELSEWHERE.sub("", HEAVY.sub("", read_out(page)))
    page = page.replace("<sub>", "_")  # d_k, as people type it
    # With the sentence that leads to it.
    return re.sub(r'</p>\s*<div class="formula">(.*?)</div>', r" \1</p>", page)


def write_list(site: Path, titles: dict[str, str]) -> None:
    """Turn the plugin's index into a script, which a browser loads from a disk too.

    Each section has an address, a title, the page's title, a text, and how much it counts.
    """
    index = site / "search/search_index.json"
    if not index.is_file():  # a site without search
        return
    sections = []
    for entry in json.loads(index.read_text("utf-8"))["docs"]:
        at = entry["location"]
        words = [" ".join(TAG.sub(" ", entry[part]).split()) for part in ("title", "text")]
        title, text = map(html.unescape, words)
        page = titles.get(at.partition("#")[0], "")
        boost = entry.get("boost", 0.4 if at.startswith("labs/") else 1)  # exercises answer nothing
        sections.append({"at": at, "title": title, "page": page, "text": text, "boost": boost})
    written = json.dumps(sections, ensure_ascii=False, separators=(",", ":"))
    index.with_name("index.js").write_text(f"var SECTIONS = {written};\n", "utf-8")
    index.unlink()
