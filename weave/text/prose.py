"""What texts say of numbers: the words that snippets assert, and the numbers that are typed.

A snippet's last cell holds assertions whose messages are words of a page that shows or quotes it,
or of its own caption and text alternative (`weave/run/assertions.py`). An assertion holds every
sentence that has its words: a page and a caption may say the same. Words that no text has are a
mistake, and so is an assertion that does not hold. A number that no code knows is a mistake too
(`weave/text/numbers.py` has the rule).

What may be right and is held by no code is a *note* to its author: a comparison in words that no
assertion has (one of two sentences, say, that has been altered where the other still has the
words), and a number that is typed in a sentence without any code. A heading, a question, and what
another source says (it is cited) are no cause for one, nor a comparison of formulas, which is
derived and not measured. `weave/engines/notes.py` says them, of sentences that are new.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from weave.basics.store import Entry
from weave.project import Project, is_ledger, looks_up
from weave.run.assertions import Assertion
from weave.run.results import Results
from weave.run.snippet import read_snippet
from weave.text.numbers import EQUALS, Settings, settings_of, unknown_numbers
from weave.text.sentences import (
    ASIDE,
    FORMULA,
    QUOTATION,
    VALUE,
    Sentence,
    Text,
    matches,
    mentions,
    nearest,
    sentences,
    shown_at,
)

VERBS = "rises?|falls?|grows?|shrinks?|increases?|decreases?"
COMPARES = re.compile(
    rf"\b(?:more|less|fewer|larger|smaller|greater|higher|lower|longer|shorter|wider|narrower|better"
    rf"|worse|{VERBS}|twice(?! √)|double[sd]?|half as|exceeds?|times as)\b"
)
# Words that seem to compare; also what a computed number says: {= … } times as long.
NO_COMPARISON = re.compile(
    rf"\b(?:(?:no|any) (?:longer|more)(?! than)|(?:once|one) more|more or less|less (?:the|that)"
    rf"|(?:to|may|might) (?:{VERBS}))\b|… times as\b",
    re.IGNORECASE,
)
LINK = re.compile(r"\[[^\]]*\]\([^)]*\)")  # what it says stands where it leads
LABEL = re.compile(r"\b(?:19\d|20[0-3])\d\b|\b(?:sections?|footnote|equation) \d[\d.]*")
HEADING = re.compile(r"\s*(?:#|\?\?\?|!!!)")
QUESTION = re.compile(r"\?[*)”]*\s*$")
CITED = re.compile(r"\[@|\]\(https?:")
# `variance/spread.std[64]` or, on a page of the chapter, `spread.std[64]`.
RESULT = re.compile(r"(?:(?P<chapter>[a-z][\w-]*)/)?(?P<snippet>[\w-]+)\.[^\W\d]\w*")
Mistakes = dict[str, list[tuple[int, str]]]  # by page, each with its line


class Statement(NamedTuple):
    """A sentence, or a row of a table, that readers see, and what code has to do with it."""

    page: str  # that shows it, by its stem
    line: int  # of the page; a caption stands where the figure does
    where: str  # the place in a script, before a colon, if it stands there and not on the page
    file: str  # that has it, below the root
    sentence: Sentence
    snippets: Set[str]  # that have a part in what it says
    asserted: list[str]  # the code of the assertions of which it has the words

    @property
    def has_code(self) -> bool:
        """Whether it quotes something, or a snippet asserts its words, or has it as a caption."""
        return bool(self.snippets or VALUE.search(self.sentence.text))


@dataclass
class Texts:
    """All that the site says of results, and what snippets know of it."""

    pages: dict[str, Text] = field(default_factory=dict)  # by stem
    captions: dict[str, Text] = field(default_factory=dict)  # by snippet, as are those below
    assertions: dict[str, list[Assertion]] = field(default_factory=dict)
    settings: dict[str, Settings] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)  # of our own


class Judged(NamedTuple):
    """What the site says, compared with what snippets know."""

    texts: Texts
    mistakes: Mistakes
    statements: list[Statement]


@looks_up("prose", entry="mistakes")
def prose(project: Project, _: str) -> Mistakes:
    """Give by page the mistakes in what it says of numbers.

    `Weaver.run` (weave/engines/extension.py) asks for those of its page: the look-up `mistakes`.
    """
    mistakes: Mistakes = project.look_up("judged").mistakes
    return mistakes


@looks_up("judged")
def judged(project: Project, _: str) -> Judged:
    """Judge the texts of the site.

    A page is judged once all is there that may assert its words: all ledgers, and the snippets that
    it names and those of its chapter.
    """
    if any(map(is_ledger, project.pending)):
        return Judged(Texts(), {}, [])
    texts = texts_of(project)
    found = judge(texts)
    for name in project.pending:
        for page in readers_of(texts, name):
            found.mistakes[f"{page}.md"] = []
    missing = {*project.pending, *project.failed}
    unsure = {page for name in missing for page in readers_of(texts, name)}
    for name, error in project.failed.items():
        # A page that shows it has said so already, and says a mistake once. A lab has its own.
        home = [] if name.startswith("labs/") else found.mistakes.get("index.md", [])
        found.mistakes.get(f"{name.partition('/')[0]}.md", home).append((1, str(error)))
    sure = [each for each in found.statements if each.page not in unsure]
    return found._replace(statements=sure)


def texts_of(project: Project) -> Texts:
    """Give the texts of pages and captions, and by snippet its assertions and its settings."""
    texts = Texts()
    for path in sorted(project.root.glob("docs/[!.]*.md")):
        texts.pages[path.stem] = text_of(project, f"docs/{path.name}")
    for name, run in sorted(project.runs.items()):
        if not name.startswith("labs/") and name not in project.pending:
            texts.captions[name] = text_of(project, f"snippets/{name}.py")
            says = run.read("says") or []
            texts.assertions[name] = [Assertion(*each) for each in says]
            texts.settings[name] = kept_settings(project, name)
            if is_ledger(name):
                texts.findings += findings_of(name, run)
    return texts


def findings_of(name: str, run: Entry) -> list[dict[str, Any]]:
    """Give the findings of our own that a ledger has, each with its place."""
    claims: dict[str, dict[str, Any]] = getattr(Results(run), "claims", {})
    ours = [claim for claim in claims.values() if "arm" in claim]
    return [claim | {"at": f"snippets/{name}.py:{claim['line']}"} for claim in ours]


def text_of(project: Project, name: str) -> Text:
    """Give the text of a file: a page's own, or a script's caption and text alternative."""
    return text_as_it_is(project, name, project.digest(f"file {name}"))


@lru_cache(2**10)
def text_as_it_is(project: Project, name: str, _digest: str) -> Text:
    """Give the text of a file; the same object as long as the file stays as it is."""
    path = project.root / name

    def make() -> list[Any]:
        if path.suffix == ".py":
            snippet = read_snippet(path)
            words = f"{snippet.caption}\n\n{snippet.alternative}"
        else:
            words = path.read_text("utf-8-sig", errors="replace")
        return [words, [*sentences(words)]]

    source, found = project.keep("prose", f"file {name}", make)
    return Text(name, source, [Sentence(*each) for each in found])


def kept_settings(project: Project, name: str) -> Settings:
    """Give the settings of a snippet's computing cell."""

    def make() -> list[Any]:
        found = settings_of(read_snippet(project.jobs[name]).compute.code)
        single = {name: sorted(values) for name, values in found.single.items()}
        return [single, [sorted(values) for values in found.several]]

    single, several = project.keep("settings", f"file snippets/{name}.py", make)
    return Settings(
        {name: set(values) for name, values in single.items()},
        [set(values) for values in several],
    )


def judge(texts: Texts) -> Judged:
    """Compare what texts say with what snippets assert, and with the numbers that they know."""
    found: Mistakes = {f"{page}.md": [] for page in texts.pages}
    borne_out = BorneOut()
    for name in texts.assertions:
        for page, line, mistake in mistakes_in_assertions(texts, name, borne_out):
            found[f"{page}.md"].append((line, mistake))
    for page, line, mistake in mistakes_in_findings(texts, borne_out):
        found[f"{page}.md"].append((line, mistake))
    statements = [*statements_of(texts, borne_out)]
    for statement in statements:
        if statement.has_code:
            for mistake in mistakes_in_statement(texts, statement):
                found[f"{statement.page}.md"].append((statement.line, mistake))
    return Judged(texts, found, statements)


@dataclass
class BorneOut:
    """The assertions whose words stand in a sentence, with the snippets that they are of."""

    by_sentence: dict[tuple[str, int], list[tuple[str, Assertion]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, text: Text, sentence: int, snippet: str, assertion: Assertion) -> None:
        """Note that a sentence, by its number in a text, has the words of an assertion."""
        self.by_sentence[text.name, sentence].append((snippet, assertion))

    def snippets(self, text: Text, sentence: int) -> set[str]:
        """Give the snippets that assert words of a sentence."""
        return {snippet for snippet, _ in self.by_sentence.get((text.name, sentence), [])}

    def code(self, text: Text, sentence: int) -> list[str]:
        """Give the code of the assertions whose words a sentence has."""
        return [each.code for _, each in self.by_sentence.get((text.name, sentence), [])]


def readers_of(texts: Texts, name: str) -> list[str]:
    """Name the pages that may have a snippet's words: its chapter first, then who shows it."""
    chapter = name.partition("/")[0]
    pages = texts.pages.items()
    named = [page for page, text in pages if page == chapter or mentions(text, name)]
    named.sort(key=lambda page: page != chapter)
    return named or [page for page in texts.pages if page == "index"]


def place_of(texts: Texts, name: str) -> tuple[str, int]:
    """Give the page that speaks for a snippet, and the line on which it shows the figure, or 0."""
    readers = readers_of(texts, name)
    for page in readers:
        if line := shown_at(texts.pages[page], name):
            return page, line
    return readers[0] if readers else "", 0


def mistakes_in_assertions(
    texts: Texts, name: str, borne_out: BorneOut
) -> Iterator[tuple[str, int, str]]:
    """Yield page, line and mistake for each assertion of a snippet that says something wrong.

    Those whose words stand somewhere are noted in `borne_out`.
    """
    page, line = place_of(texts, name)
    if not page:
        return
    caption = texts.captions[name]
    near_by = [*(texts.pages[reader] for reader in readers_of(texts, name)), caption]
    for assertion in texts.assertions[name]:
        at = [(text, number) for text in near_by for number in matches(assertion.words, text)]
        for text, number in at:
            borne_out.add(text, number, name, assertion)
        mistake = flaw_of(assertion, caption.name, at)
        if not mistake:
            continue
        if at:
            found_in, sentence = at[0][0], at[0][0].sentences[at[0][1]]
        elif best := nearest(assertion.words, near_by):
            found_in, sentence = best
            mistake += f"; near is '{shortened(sentence.text)}'"
        else:
            found_in, sentence = caption, None
        if sentence and found_in is not caption:
            yield Path(found_in.name).stem, sentence.line, mistake
        else:
            yield page, line or 1, mistake


def mistakes_in_findings(texts: Texts, borne_out: BorneOut) -> Iterator[tuple[str, int, str]]:
    """Yield page, line and mistake for each finding of our own whose words do not stand right.

    Those whose words stand on their page are noted in `borne_out`.
    """
    for finding in texts.findings:
        page, at, words = finding["settled"].partition(".md")[0], finding["at"], finding["said"]
        snippet = at.removeprefix("snippets/").partition(".py")[0]
        if page not in texts.pages:
            continue  # the table says so, where it looks for the section
        text = texts.pages[page]
        where = matches(words, text)
        if finding["verdict"] == "refuted":
            for number in where:
                line = text.sentences[number].line
                yield page, line, f"{at} has refuted '{words}', and the page still says so"
            continue
        for number in where:
            claim = Assertion(int(at.rpartition(":")[2]), words, finding["says"])
            borne_out.add(text, number, snippet, claim)
        if not where:
            near = nearest(words, [text])
            line, said = (near[1].line, shortened(near[1].text)) if near else (1, "")
            yield page, line, f"the page lacks the words of {at}: '{words}'; near is '{said}'"


def shortened(text: str) -> str:
    """Give a sentence as an error quotes it."""
    return " ".join(VALUE.sub("…", text).split())[:160]


def flaw_of(assertion: Assertion, script: str, at: list[tuple[Text, int]]) -> str:
    """Say what is wrong with an assertion whose words stand in these sentences, if anything is."""
    place, words = f"{script}:{assertion.line}", f"'{assertion.words}'"
    if not at:
        return f"no page has the words of {place}: {words}"
    if assertion.flaw:
        return f"{place}: {assertion.flaw}; the page says {words}"
    return ""


@lru_cache(2**14)  # while serving, most sentences are as they were
def snippets_quoted(sentence: str, chapter: str) -> frozenset[str]:
    """Name the snippets whose results a sentence of a chapter quotes."""
    if "{" not in sentence:
        return frozenset()
    found = set()
    for quoted in VALUE.finditer(sentence):
        # Not `nn.Linear` in `audit.sd['nn.Linear']`, which is a key.
        if result := RESULT.match((quoted["written"] or "").strip()):
            found.add(f"{result['chapter'] or chapter}/{result['snippet']}")
    return frozenset(found)


def statements_of(texts: Texts, borne_out: BorneOut) -> Iterator[Statement]:
    """Yield all sentences that readers see."""
    for page, text in texts.pages.items():
        for number, sentence in enumerate(text.sentences):
            snippets = snippets_quoted(sentence.text, page) | borne_out.snippets(text, number)
            asserted = borne_out.code(text, number)
            yield Statement(page, sentence.line, "", text.name, sentence, snippets, asserted)
    for name, caption in texts.captions.items():
        page, line = place_of(texts, name)
        if line:  # else nobody sees it
            for number, sentence in enumerate(caption.sentences):
                snippets = snippets_quoted(sentence.text, name.partition("/")[0]) | {name}
                asserted = borne_out.code(caption, number)
                where = f"{caption.name}:{sentence.line}: "
                yield Statement(page, line, where, caption.name, sentence, snippets, asserted)


def mistakes_in_statement(texts: Texts, statement: Statement) -> Iterator[str]:
    """Yield a mistake for each number in a sentence with code that no code knows."""
    snippets = statement.snippets
    if snippets <= texts.settings.keys():  # else one is not there, or failed: that is said already
        settings = [texts.settings[name] for name in sorted(snippets)]
        text = statement.sentence.text
        for _, mistake in unknown_numbers(text, statement.asserted, settings):
            yield f"{statement.where}{mistake}"


def note_on(texts: Texts, statement: Statement) -> str:
    """Say what a sentence states that no code holds; nothing, if all is held or no statement."""
    text = statement.sentence.text
    if statement.asserted or HEADING.match(text) or QUESTION.search(text):
        return ""
    if statement.has_code:
        numbers, words = [], comparing_words(text)
    elif CITED.search(text):
        return ""
    else:
        numbers = typed_without_code(texts, statement)
        derived = any(not EQUALS.search(formula) for formula in FORMULA.findall(text))
        words = [] if derived else comparing_words(text)
    lacks, mends = [], []
    if numbers:
        lacks.append(f"no code knows {', '.join(numbers)}")
        mends.append("quote what code computes, {= … }")
    if words:
        lacks.append(f"no assertion has {', '.join(map(repr, words))}")
        mends.append("assert the words in a snippet")
    said = f"{statement.where}'{shortened(text)}': {' and '.join(lacks)}"
    return f"{said}; {', or '.join(mends)}" if lacks else ""


def typed_without_code(texts: Texts, statement: Statement) -> list[str]:
    """Give the numbers in a sentence without code that no snippet of its page has as a setting."""
    page, text = statement.page, statement.sentence.text
    for no_number in (LINK, LABEL):
        text = no_number.sub(" ", text)
    settings = [
        each
        for name, each in texts.settings.items()
        if name.startswith(f"{page}/") or mentions(texts.pages[page], name)
    ]
    return [*dict.fromkeys(digits for digits, _ in unknown_numbers(text, [], settings))]


def comparing_words(sentence: str) -> list[str]:
    """Give the words of a sentence that compare something; none of a table's row."""
    if sentence.lstrip().startswith("|"):
        return []
    sentence = VALUE.sub("…", sentence)
    for no_words in (FORMULA, LINK, ASIDE, QUOTATION, NO_COMPARISON):
        sentence = no_words.sub(" ", sentence)
    return [*dict.fromkeys(COMPARES.findall(sentence))]
