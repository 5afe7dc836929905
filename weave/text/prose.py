"""What pages say of numbers: the words that snippets assert, and the numbers that are typed.

A snippet's last cell holds assertions whose messages are words of a page that shows or quotes it
(`weave/run/assertions.py`). Words that no page has are a mistake, and so is an assertion that does
not hold. A number typed in the sentence of a computed one is known to code, or it is a mistake. A
comparison that no assertion has the words of is a note to the author of a page that is made anew.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from weave.project import Project, looks_up
from weave.run.assertions import Assertion
from weave.run.snippet import read
from weave.text.sentences import (
    ASIDE,
    ASSUMED,
    EQUALS,
    FORMULA,
    VALUE,
    Sentence,
    Text,
    matches,
    nearest,
    numbers_in,
    sentences,
    shown_at,
    typed,
    value,
)

NOTE = "note: "
COMPARES = re.compile(
    r"\b(?:more|less|fewer|larger|smaller|greater|higher|lower|longer|shorter|wider|better|worse|rises?"
    r"|falls?|grows?|shrinks?|increases?|decreases?|twice(?! √)|double[sd]?|exceeds?|times as)\b"
)
Mistakes = dict[str, list[tuple[int, str]]]  # by page, each with its line


@looks_up("prose", entry="mistakes")
def prose(project: Project, _: str) -> Mistakes:
    """Give by page the mistakes in what it says of numbers."""
    found = judge(*texts_of(project))
    for name, error in project.failed.items():
        # A page that shows it has said so already, and says a mistake once. A lab has its own.
        home = [] if name.startswith("labs/") else found.get("index.md", [])
        found.get(f"{name.partition('/')[0]}.md", home).append((1, str(error)))
    return found


def texts_of(
    project: Project,
) -> tuple[dict[str, Text], dict[str, list[Assertion]], dict[str, set[float]]]:
    """Give the texts of pages and captions, and by snippet its assertions and its numbers."""
    root = project.root
    names = [f"docs/{file.name}" for file in sorted(root.glob("docs/[!.]*.md"))]
    asserted, known = {}, {}
    for name, path in sorted(project.jobs.items()):
        if path.suffix == ".py" and name not in project.failed:
            says = project.store.read("run", name, "says") or []
            asserted[name] = [Assertion(*each) for each in says]
            known[name] = {*project.keep("numbers", f"run {name}", partial(numbers, path))}
            names.append(f"snippets/{name}.py")
    texts = {name: text_of(project, name, project.digest(f"file {name}")) for name in names}
    return texts, asserted, known


@lru_cache(2**10)
def text_of(project: Project, name: str, _digest: str) -> Text:
    """Give a page's text, or a snippet's words."""

    def made() -> list[Any]:
        path = project.root / name
        words = path.read_text("utf-8-sig", errors="replace")
        if path.suffix == ".py":
            snippet = read(path)
            words = f"{snippet.caption}\n\n{snippet.alternative}"
        return [words, [*sentences(words)]]

    source, found = project.keep("prose", f"file {name}", made)
    return Text(name, source, [Sentence(*each) for each in found])


def numbers(path: Path) -> list[float]:
    """Give the numbers in the code of a snippet that computes and says, and of modules it shares.

    What only draws has many numbers of its own: sizes, ticks, places of labels.
    """
    snippet = read(path)
    code = "\n".join(cell.code for cell in (snippet.compute, snippet.says) if cell)
    shared = [path.with_name(f"{m}.py") for m in re.findall(r"^from (\w+) import", code, re.M)]
    code += "".join(f.read_text("utf-8", errors="ignore") for f in shared if f.is_file())
    return sorted(numbers_in(code))


def judge(
    texts: Mapping[str, Text],
    asserted: Mapping[str, list[Assertion]],
    known: Mapping[str, set[float]],
) -> Mistakes:
    """Compare what texts say with what snippets assert, and with the numbers they know."""
    pages = {Path(name).stem: text for name, text in texts.items() if name.startswith("docs/")}
    home = [page for page in pages if page == "index"]
    found: Mistakes = {f"{page}.md": [] for page in pages}
    covered: dict[tuple[str, int], list[Assertion]] = defaultdict(list)
    shown: list[tuple[str, int, str]] = []  # a page, and on which line it shows which snippet
    for name, assertions in asserted.items():
        caption, chapter = texts[f"snippets/{name}.py"], name.partition("/")[0]
        named = [page for page in pages if page == chapter or name in pages[page].source]
        readers = sorted(named, key=lambda page: page != chapter) or home
        if not readers:
            continue
        line = shown_at(pages[readers[0]], name)
        if line:
            shown.append((readers[0], line, name))
        near_by = [*(pages[page] for page in readers), caption]
        for assertion in assertions:
            at = [(text, number) for text in near_by for number in matches(assertion.words, text)]
            for text, number in at:
                covered[text.name, number].append(assertion)
            if mistake := flaw_of(assertion, caption.name, at):
                best = (at[0][0], at[0][0].sentences[at[0][1]]) if at else None
                best = best or nearest(assertion.words, near_by)
                page, here = readers[0], line or 1
                if best and best[0] is not caption:
                    page, here = Path(best[0].name).stem, best[1].line
                if best and not at:
                    mistake += f"; near is '{' '.join(VALUE.sub('…', best[1].text).split())[:160]}'"
                found[f"{page}.md"].append((here, mistake))
    for page, text in pages.items():
        found[f"{page}.md"] += unknown_numbers(text, covered)
    for page, line, name in shown:
        caption = texts[f"snippets/{name}.py"]
        found[f"{page}.md"] += unknown_numbers(caption, covered, line, known[name])
    return found


def flaw_of(assertion: Assertion, script: str, at: list[tuple[Text, int]]) -> str:
    """Say what is wrong with an assertion whose words stand in these sentences, if anything is."""
    place, words = f"{script}:{assertion.line}", f"'{assertion.words}'"
    names = [text.name for text, _ in at]
    if not at:
        return f"no page has the words of {place}: {words}"
    if assertion.flaw:
        return f"{place}: {assertion.flaw}; the page says {words}"
    if twice := [name for name in names if names.count(name) > 1]:
        return f"{words} of {place} stands twice in {twice[0]}: add words that tell which is meant"
    return ""


def unknown_numbers(
    text: Text,
    covered: Mapping[tuple[str, int], list[Assertion]],
    shown: int = 0,
    known: Iterable[float] = (),
) -> Iterator[tuple[int, str]]:
    """Yield the typed numbers that no code knows, and note comparisons that nothing asserts.

    The text is the page's, or that of a snippet which it has at the line `shown`, and whose code
    has the numbers `known`. `covered` has the assertions whose words stand in a sentence.
    """
    for number, sentence in enumerate(text.sentences):
        assertions = covered.get((text.name, number), [])
        values = [(m["written"] or "").partition(" :")[0] for m in VALUE.finditer(sentence.text)]
        if not (values or assertions or shown):
            continue
        line, where = shown or sentence.line, f"{text.name}: " if shown else ""
        code = [*values, *(each.code for each in assertions)]
        numbers = ASSUMED.union(known, *map(numbers_in, code))
        for match in typed(sentence.text):
            size = value(digits := match[1] if match.re is EQUALS else match[0])
            percent = sentence.text[match.end() :].lstrip().startswith("%")
            if not {size, size / 100 if percent else size} & numbers:
                mend = "quote it, or assert it in a snippet with words of the sentence"
                yield line, f"{where}no code knows {digits}: {mend}"
        plain = ASIDE.sub(" ", FORMULA.sub(" ", VALUE.sub(" ", sentence.text)))
        for word in () if assertions or plain.lstrip().startswith("|") else COMPARES.findall(plain):
            yield line, f"{NOTE}{where}'{word}' compares, and no assertion has it"
