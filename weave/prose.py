"""What pages say of numbers: the words that snippets assert, and the numbers that are typed.

A snippet's last cell holds assertions whose messages are words of a page that shows or quotes it
(`weave/run/assertions.py`). Words that no page has are a mistake, and so is an assertion that does
not hold. A number typed in the sentence of a computed one is known to code, or it is a mistake. A
comparison that no assertion has the words of is a note to the author, and no mistake.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from weave.errors import WeaveError, read_text
from weave.project import Project, looks_up
from weave.run.assertions import Assertion
from weave.run.snippet import read

# Front matter, blocks of code, formulas on lines of their own, comments and code in a line.
NO_TEXT = re.compile(
    r"\A---\n.*?^---$ | ^(?P<indent>[ \t]*)```.*?^(?P=indent)```[ \t]*$"
    r"| \$\$.*?\$\$ | <!--.*?--> | `[^`\n]+`",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
VALUE = re.compile(r"\{=[ ](?P<written>[^{}]+)\}|\{for[ ][^{}]*\}")
FORMULA = re.compile(r"(?<!\\)\$[^$\n]+\$")
# Where words and numbers are no statement of ours: references, addresses, attributes.
ASIDE = re.compile(r"\[@[^\]]*\]|\]\([^)]*\)|\{[^{}]*\}|<[^>]*>")
QUOTATION = re.compile(r"“[^”]*”")
BLOCK = re.compile(r"^[ ]*(?:[-*]|\d+\.|\?\?\?|!!!|:::|\||\#+|:[ ]{2})[ ]", re.MULTILINE)
END = re.compile(r"[.!?][*)”]*\s+(?![a-z(])|:\*\*\s+")
WORD = re.compile(r"\d[\d,.]*\d|\w+|…")
NUMBER = re.compile(
    r"(?<![\w.,^_/#&×√-])(?<!\d[ ]×[ ])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?![\w×-]|\.\d)"
)
EQUALS = re.compile(
    r"(?:=|\\approx|<|>|\\le|\\ge)\s*(-?[\d,]*\.?\d+)(?=\s*(?:$|[,;$%]|\\(?!cdot|times|sqrt|ln)))"
)
DIGITS = re.compile(r"\d[\d,_]*\.?\d*(?:e-?\d+)?|\.\d+")
NAME = re.compile(r"(?<=\S )[A-Z][\w-]*[ \u00a0]$")  # Theorem 1, June 2017, Gemma 2
ASSUMED = {0.0, 1.0}  # mean 0, variance 1, weights between 0 and 1
COMPARES = re.compile(
    r"\b(?:more|less|fewer|larger|smaller|greater|higher|lower|longer|shorter|wider|narrower"
    r"|better|worse|heavier|stronger|weaker|steeper|slower|faster|rises?|falls?|grows?|shrinks?"
    r"|drops?|increases?|decreases?|climbs?|twice(?! √)|half|double[sd]?|exceeds?|at most|at least"
    r"|largest|smallest|highest|lowest|outgrows?|overtakes?|times as)\b"
)


class Sentence(NamedTuple):
    """A sentence of a page, or a row of a table."""

    line: int
    text: str  # as written
    words: (
        str  # without marks of any kind, between spaces; an ellipsis stands for a computed number
    )


class Text(NamedTuple):
    """A page, or a snippet's caption and text alternative."""

    name: str  # below the root
    source: str
    sentences: list[Sentence]


def in_words(text: str) -> str:
    """Give the words of a text in Markdown."""
    found = WORD.findall(ASIDE.sub(" ", VALUE.sub(" … ", text)))
    return f" {' '.join(found)} ".casefold()


def sentences(source: str) -> Iterator[Sentence]:
    """Yield the sentences of a page, each with its line."""
    text = NO_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    for paragraph in re.finditer(r"(?:^[ \t]*\S.*\n?)+", text, re.MULTILINE):
        starts = [match.start() for match in BLOCK.finditer(paragraph[0])]
        for start, end in pairwise(sorted({0, *starts, len(paragraph[0])})):
            block = paragraph[0][start:end]
            line = source.count("\n", 0, paragraph.start() + start) + 1
            ends = []
            if not block.lstrip().startswith(("|", ":::")):
                spans = [m.span() for m in (*VALUE.finditer(block), *FORMULA.finditer(block))]
                hidden = {place for span in spans for place in range(*span)}
                ends = [m.end() for m in END.finditer(block) if m.start() not in hidden]
            for first, last in pairwise(sorted({0, *ends, len(block)})):
                at = line + block.count("\n", 0, first)
                if not block.startswith(":::"):
                    yield Sentence(at, block[first:last], in_words(block[first:last]))


def text_of(project: Project, name: str) -> Text:
    """Give a page's text, or a snippet's words."""

    def made() -> list[Any]:
        path, words = project.root / name, ""
        try:
            words = read_text(path, name)
            if path.suffix == ".py":
                snippet = read(path)
                words = f"{snippet.caption}\n\n{snippet.alternative}"
        except WeaveError:  # said where the file is used
            words = ""
        return [words, [*sentences(words)]]

    source, found = project.keep("prose", f"file {name}", made)
    return Text(name, source, [Sentence(*each) for each in found])


@looks_up("prose", entry="page_prose")
def prose(project: Project, _: str) -> dict[str, dict[str, list[tuple[int, str]]]]:
    """Give by page the mistakes in what it says of numbers, and the notes, each with its line."""
    root = project.root
    files = sorted(f for f in root.glob("docs/*.md") if f.is_file())
    pages = {f.stem: text_of(project, f"docs/{f.name}") for f in files}
    asserted = {
        name: [Assertion(*each) for each in project.store.read("run", name, "says") or []]
        for name in sorted(project.jobs.keys() - project.failed.keys())
        if project.jobs[name].suffix == ".py"
    }
    return judge(project, pages, asserted)


def judge(
    project: Project, pages: dict[str, Text], asserted: dict[str, list[Assertion]]
) -> dict[str, dict[str, list[tuple[int, str]]]]:
    """Compare what pages say with what snippets assert; see `prose`."""
    found: dict[str, dict[str, list[tuple[int, str]]]] = {
        f"{page}.md": {"mistakes": [], "notes": []} for page in pages
    }
    covered: dict[tuple[str, int], list[Assertion]] = {}
    captions: dict[str, tuple[str, Text]] = {}  # of the snippets that a page shows, with the page
    for name, assertions in asserted.items():
        chapter = name.partition("/")[0]
        readers = [page for page, text in pages.items() if page == chapter or name in text.source]
        home = chapter if chapter in pages else (readers or [""])[0]
        if not home:
            continue
        script = f"snippets/{name}.py"
        captions[name] = home, text_of(project, script)
        texts = [*(pages[page] for page in readers), captions[name][1]]
        for assertion in assertions:
            place = f"{script}:{assertion.line}"
            at = [(text, number) for text in texts for number in matches(assertion.words, text)]
            for text, number in at:
                covered.setdefault((text.name, number), []).append(assertion)
            page, line = home, shown_at(pages[home], name)
            if at and at[0][0].name.startswith("docs/"):
                page, line = Path(at[0][0].name).stem, at[0][0].sentences[at[0][1]].line
            say = found[f"{page}.md"]["mistakes"]
            if not at:
                page, line, near = nearest(assertion.words, texts, home, line)
                say = found[f"{page}.md"]["mistakes"]
                say.append((line, f"no page has the words of {place}: '{assertion.words}'{near}"))
            elif assertion.flaw:
                say.append((line, f"{place}: {assertion.flaw}; the page says '{assertion.words}'"))
            for text in texts:
                if sum(other is text for other, _ in at) > 1:
                    twice = f"'{assertion.words}' of {place} stands twice in {text.name}"
                    say.append((line, f"{twice}: add words that tell which is meant"))
    for page, text in pages.items():
        say_of(found[f"{page}.md"], text, covered, None)
    for name, (home, text) in captions.items():
        code = numbers_in(script_of(project, name))
        if name in pages[home].source or f"::: {name}" in pages[home].source:
            say_of(found[f"{home}.md"], text, covered, (shown_at(pages[home], name), code))
    return found


def matches(words: str, text: Text) -> list[int]:
    """Tell in which sentences some words stand; an ellipsis stands for what lies between."""
    parts = [in_words(part) for part in words.replace("...", "…").split("…")]
    parts = [part for part in parts if part.strip()]

    def stand(sentence: str) -> bool:
        at = 0
        for part in parts:
            at = sentence.find(part, at)
            if at < 0:
                return False
            at += len(part) - 1
        return True

    return [number for number, each in enumerate(text.sentences) if stand(each.words)]


def nearest(words: str, texts: list[Text], home: str, line: int) -> tuple[str, int, str]:
    """Find the sentence that shares most with some words: its page, its line, and what it says."""
    wanted = in_words(words)

    def shared(pair: tuple[Text, Sentence]) -> float:
        blocks = SequenceMatcher(None, wanted.split(), pair[1].words.split()).get_matching_blocks()
        return sum(block.size**2 for block in blocks)

    every = [(text, sentence) for text in texts for sentence in text.sentences]
    text, sentence = max(every, key=shared, default=(None, None))
    if not text or not sentence or not shared((text, sentence)):
        return home, line, ""
    said = " ".join(VALUE.sub("…", sentence.text).split())
    near = f"; near is '{said[:160]}'"
    if text.name.startswith("docs/"):
        return Path(text.name).stem, sentence.line, near
    return home, line, f"{near}, in {text.name}"


def shown_at(page: Text, name: str) -> int:
    """Give the line of a page where a snippet's figure stands, or 1."""
    found = re.search(rf"^[ \t]*:::[^\n]*\b{re.escape(name)}\b", page.source, re.MULTILINE)
    return page.source.count("\n", 0, found.start()) + 1 if found else 1


def say_of(
    found: dict[str, list[tuple[int, str]]],
    text: Text,
    covered: dict[tuple[str, int], list[Assertion]],
    caption: tuple[int, set[float]] | None,
) -> None:
    """Add the typed numbers that no code knows, and the comparisons that no assertion has."""
    for number, sentence in enumerate(text.sentences):
        assertions = covered.get((text.name, number), [])
        values = [match["written"] or "" for match in VALUE.finditer(sentence.text)]
        if not (values or assertions or caption):
            continue
        line, known = caption or (sentence.line, set())
        where = f"{text.name}: " if caption else ""
        known = known.union(ASSUMED, *map(numbers_in, values))
        known = known.union(*(numbers_in(each.code) for each in assertions))
        for match in typed(sentence.text):
            size = value(digits := match[1] if match.re is EQUALS else match[0])
            percent = sentence.text[match.end() :].lstrip().startswith("%")
            if not {size, size / 100 if percent else size} & known:
                mend = "quote it, or assert it in a snippet with words of the sentence"
                found["mistakes"].append((line, f"{where}no code knows {digits}: {mend}"))
        said = " ".join(in_words(each.words) for each in assertions)
        plain = ASIDE.sub(" ", FORMULA.sub(" ", VALUE.sub(" ", sentence.text)))
        for word in COMPARES.findall(plain) if not sentence.text.lstrip().startswith("|") else ():
            if f" {word} " not in said:
                found["notes"].append((line, f"{where}'{word}' compares, and no assertion has it"))


def typed(text: str) -> list[re.Match[str]]:
    """Find the numbers that are typed in figures; in a formula, those that something equals."""

    def blank(match: re.Match[str]) -> str:
        return " " * len(match[0])

    text = VALUE.sub(blank, text)
    formulas = [EQUALS.finditer(text, *match.span()) for match in FORMULA.finditer(text)]
    plain = QUOTATION.sub(blank, ASIDE.sub(blank, FORMULA.sub(blank, text)))
    numbers = [match for match in NUMBER.finditer(plain) if not NAME.search(plain[: match.start()])]
    return [*numbers, *(found for each in formulas for found in each)]


def value(digits: str) -> float:
    """Read a number as a page prints it, or as code has it."""
    return float(digits.replace(",", "").replace("_", ""))


def numbers_in(code: str) -> set[float]:
    """Give the numbers in some code, its names and its texts, such as `'d = 64'`."""
    return {value(each.rstrip(",")) for each in DIGITS.findall(code)}


def script_of(project: Project, name: str) -> str:
    """Give the code of a snippet, and of the modules that it shares with others."""
    path = project.root / f"snippets/{name}.py"
    code = path.read_text("utf-8", errors="ignore").partition("# %%")[2]
    shared = [
        path.with_name(f"{each}.py") for each in re.findall(r"^from (\w+) import", code, re.M)
    ]
    return code + "".join(f.read_text("utf-8", errors="ignore") for f in shared if f.is_file())


def notes(root: Path) -> Iterable[str]:
    """Yield the notes on a project's pages, for `make lint`."""
    from weave.project import project_at

    project = project_at(root)
    project.refresh()
    for page, said in project.look_up("prose").items():
        yield from (f"docs/{page}:{line}: note: {what}" for line, what in sorted(said["notes"]))


if __name__ == "__main__":
    print(*notes(Path.cwd()), sep="\n")
