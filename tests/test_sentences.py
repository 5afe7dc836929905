"""A sentence that compares numbers says so in code, and types none that the code does not know."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.sentences import (
    EQUALS,
    FORMULA,
    TOKEN,
    WORTH,
    Sentence,
    expressions,
    figures,
    in_code,
    keys,
    parse,
    sentences,
    typed,
    value,
)
from weave import embeds
from weave.embed import Context
from weave.embeds.comparison import comparisons
from weave.embeds.value import compute
from weave.errors import WeaveError
from weave.run.snippet import read

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module", autouse=True)
def refreshed():
    """What pages quote is there, on each of pytest's workers."""
    PROJECT.refresh()


PAGES = [page for page in sorted(ROOT.glob("docs/*.md")) if page.stem != "claims"]
assert embeds.MODULES  # the kinds of embeds are known

# Words that compare, if a number stands beside them.
COMPARES = re.compile(
    r"\b(?:than|more|less|fewer|larger|smaller|greater|higher|lower|longer|shorter|wider|narrower"
    r"|better|worse|closer|nearer|heavier|milder|stronger|weaker|steeper|slower|faster|later"
    r"|earlier|rises?|falls?|grows?|shrinks?|drops?|raises?|lowers?|increases?|decreases?|climbs?"
    r"|twice(?! √)|half|double[sd]?|first|only|never|always|exceeds?|below|above|within|beyond"
    r"|between|at most|at least|nearly|almost|hardly|about|all but|same|stays?|remains?|no longer"
    r"|equals?|most|least|largest|smallest|highest|lowest|best|times|outgrows?|overtakes?|crosses"
    r"|enough|instead of|far from|too|from .{1,30} on|unlike|against|like)\b"
)
# A typed number that is 0 or 1 is an assumption: mean 0, variance 1, weights between 0 and 1.
ASSUMED = {0, 1}
SPREADS = {64: 8}  # results by the spread of bare scores, which is the root of the dimension
CLAIM = re.compile(r"\d{3}-\d\d$")  # no number, but the key of a claim
# Sentences that carry no comparison, by words of theirs, and why.
NO_COMPARISON = {
    "in place of $1/128$": "the root of 128, which is arithmetic",
    "the first terms of Edgeworth": "the first in a row, and not by size",
    "over the others the average is $16/9$ again": "proved in the sentence before it",
}
# Numbers that belong to no quoted value though one stands beside them, and why.
NO_KEY = {
    "Gemma 2": "a name",
    "June 2017": "a date",
    "/4 = 4$": "proved below it",
    "all entries are 4 each": "proved below it",
}


@cache
def context(page: Path) -> Context:
    """Give a page as its embeds see it."""
    seen = Context(PROJECT, page.name)
    seen.results = cache(seen.results)  # else arrays are read anew each time
    return seen


def uncompared(said: Sentence) -> Iterator[str]:
    """Tell of a word that compares where a number is quoted, with no comparison beside it."""
    word = COMPARES.search(said.words)
    excuses = any(part in said.text for part in NO_COMPARISON)
    if word and expressions(said.text, "=") and not expressions(said.text, "?") and not excuses:
        yield f"'{word[0]}' compares: say so in code behind the sentence, {{? one < other }}"


def unknown(said: Sentence) -> Iterator[str]:
    """Tell of the typed numbers that no code in the sentence, or in the row's table, knows."""
    code = [*map(in_code, expressions(said.text))]
    for number in typed(said.text) if code else ():
        digits = figures(number)
        size = value(digits)
        share = size / 100 if said.text[number.end() :].lstrip().startswith("%") else size
        known = {size, share, SPREADS.get(size)} & set().union(*code)
        if size not in ASSUMED and not known and not excused(said.text, number):
            yield f"no code knows {digits}: quote it, or compare, {{? snippet.result == {digits} }}"


def unnamed(said: Sentence, page: Context) -> Iterator[str]:
    """Tell of the numbers in keys of what is quoted that the section so far does not print."""
    read = TOKEN.sub(" ", said.before + said.text)
    seen = {value(each) for each in re.findall(r"\d[\d,]*\.?\d*|\.\d+", read)} | ASSUMED
    seen |= {WORTH[word] for word in re.findall(r"[\w½]+", read.lower()) if word in WORTH}
    seen |= {SPREADS[size] for size in seen & SPREADS.keys()}
    seen = seen.union(*map(in_code, expressions(said.text, "?")))  # says so for all its cases
    for written in () if said.is_row else expressions(said.text, "="):
        for key in keys(written, page):
            if not CLAIM.match(str(key)) and in_code(repr(key)) - seen:
                yield f"nothing up to '{written}' names {key}: say there where it holds"


def flaws(said: Sentence, page: Context) -> list[str]:
    """List what is wrong with a sentence."""
    compared = () if said.is_row else uncompared(said)
    return [*compared, *unknown(said), *unnamed(said, page)]


def excused(text, number):
    """Tell whether a typed number stands in the list of those that no code knows."""
    around = text[max(0, number.start() - 40) : number.end() + 40]
    return any(part in around for part in NO_KEY)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_sentence_says_of_numbers_stands_in_code(page):
    found = [
        f"docs/{page.name}:{said.line}: {flaw}"
        for said in sentences(page.read_text("utf-8"))
        for flaw in flaws(said, context(page))
    ]
    assert not found, "\n".join(found)


FIGURE = re.compile(
    r"^[ \t]*:::[ ]+(?:explore[ ]+|picture[ ]+)?(?P<name>[\w-]+/[\w-]+)(?:[ ]\w+)?[ \t]*\n"
    r"(?P<checks>(?:[ \t]*\{\?[^{}]+\}[ \t]*\n)*)",
    re.MULTILINE,
)


def figures_of(page: Path) -> Iterator[tuple[str, Path, str]]:
    """Yield the figures of a page that are its own: its place, its snippet, its comparisons."""
    source = page.read_text("utf-8")
    for match in FIGURE.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        path = ROOT / f"snippets/{match['name']}.py"
        if path.parent.name == page.stem:
            yield f"docs/{page.name}:{line}", path, match["checks"]


def caption_flaws(path: Path, checks: str, text: str = "") -> Iterator[str]:
    """Tell what a figure's caption and text alternative say that no code says."""
    snippet = read(path)
    text = text or f"{snippet.caption}\n{snippet.alternative}"
    word = COMPARES.search(FORMULA.sub(" ", text))
    if word and not expressions(checks, "?"):
        yield f"the words of {path.name} compare ('{word[0]}'): add {{? one < other }} below it"
    script = path.read_text("utf-8").partition("# %%")[2]
    shared = [
        path.parent / f"{name}.py" for name in re.findall(r"^from (\w+) import", script, re.M)
    ]
    code = script + "".join(file.read_text("utf-8") for file in shared if file.is_file())
    literals = re.findall(r"\d[\d_]*\.?\d*|\.\d+", code)
    known = {value(each.replace("_", "")) for each in literals}
    known = known.union(ASSUMED, *map(in_code, expressions(checks)))
    for number in typed(text):
        if value(figures(number)) not in known:
            yield f"{figures(number)}, in the words of {path.name}, is in no code: compare it"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_caption_says_of_numbers_stands_in_code(page):
    found = [
        f"{place}: {flaw}"
        for place, path, checks in figures_of(page)
        for flaw in caption_flaws(path, checks)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "checks", "flaw"),
    [
        ("Curves for 4, 16 and 64 dimensions.", "", None),
        ("Curves for 4, 16 and 46 dimensions.", "", "46, in the words of spread.py"),
        ("The spread grows.", "", "'grows'"),
        ("The spread grows.", "{? rises(spread.std) }", None),
        ("Divided by twice √d, or not.", "", None),
        ("It is twice the other.", "", "'twice'"),
        ("Near 46.", "{? spread.std[256] < 46 }", None),
    ],
)
def test_a_caption_passes_or_its_flaw_is_named(text, checks, flaw):
    found = "\n".join(caption_flaws(ROOT / "snippets/variance/spread.py", checks, text))
    assert flaw in found if flaw else not found


AT_64 = "At 64 dimensions it is {= spread.std[64] :.0f }"
SAID = {
    "It rises with the number of dimensions.": None,
    f"{AT_64}.": None,
    f"{AT_64}, more than at 4 {{? spread.std[64] > spread.std[4] }}.": None,
    f"{AT_64} (in 2017).": "no code knows 2017",
    f"{AT_64}, for [256](#at-256) keys.": "no code knows 256",
    f"{AT_64}; $d = 4$ is another matter.": "no code knows 4",
    f"{AT_64}, as “64 of 65” said.": None,
    "At 46 dimensions it is {= spread.std[64] :.0f }.": "no code knows 46",
    "It is {= spread.std[64] :.0f }.": "names 64",
    "For sixteen it is {= spread.std[16] :.0f }.": None,
    "For 16 of 64 it is {= 100 * law.kurtosis[64] / law.kurtosis[16] :.0f }%.": None,
    "5% of 64 are {= 0.05 * spread.std[64] :.1f }.": None,
    "5 of 64 are {= 0.05 * spread.std[64] :.1f }.": "no code knows 5",
    f"{AT_64}, more than at 4 dimensions.": "'more' compares",
    f"{AT_64}, which rises.": "'rises' compares",
    "| 64 | {= spread.std[64] :.0f } |": None,
    "| 65 | {= spread.std[64] :.0f } |": "no code knows 65",
    f"It falls for 64. {AT_64}.": None,
    "# 64\n\nText.\n\nIt is {= spread.std[64] :.0f }.": None,
    "Of 64.\n\n# More\n\nIt is {= spread.std[64] :.0f }.": "names 64",
}


@pytest.mark.parametrize(("text", "flaw"), SAID.items())
def test_what_is_said_of_numbers_passes_or_is_named(text, flaw):
    page = context(ROOT / "docs/variance.md")
    found = "\n".join(each for said in sentences(text) for each in flaws(said, page))
    assert flaw in found if flaw else not found


OPPOSITE = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
TURNED = {"rises": "falls", "falls": "rises"}


def altered(written: str) -> list[str]:
    """Turn each comparison in an expression into its opposite, one at a time.

    Not those that choose the cases, behind an `if` or in brackets.
    """
    found: list[str] = []
    while True:
        tree = parse(written)
        nodes = [*ast.walk(tree)]
        chosen = [test for node in nodes for test in getattr(node, "ifs", ())]
        chosen += [node.slice for node in nodes if isinstance(node, ast.Subscript)]
        chooses = {node for test in chosen for node in ast.walk(test)}
        parts = [part for part in comparisons(tree) if part not in chooses]
        sides = [(part, at) for part in parts for at in range(len(getattr(part, "ops", "x")))]
        if len(found) == len(sides):
            return found
        part, at = sides[len(found)]
        if isinstance(part, ast.Compare):
            part.ops[at] = OPPOSITE[type(part.ops[at])]()
        else:
            part.func.id = TURNED[part.func.id]
        found.append(ast.unparse(tree).replace("__", "/"))


def holds(written: str, page: Context) -> bool:
    """Tell whether a comparison holds; one that a flaw stops does not."""
    try:
        return bool(compute(written, page)[0])
    except WeaveError:
        return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_part_of_a_comparison_can_fail(page):
    here = context(page)
    for said in sentences(page.read_text("utf-8")):
        for written in expressions(said.text, "?"):
            assert holds(written, here), f"docs/{page.name}:{said.line}: {written}"
            idle = [other for other in altered(written) if holds(other, here)]
            assert not idle, f"docs/{page.name}:{said.line}: {idle} holds as well"


def alterations(said: Sentence) -> Iterator[tuple[float, str, Sentence]]:
    """Alter each typed number beside a quoted one: its last digit, its order, by a factor of 2."""
    for number in typed(said.text) if expressions(said.text) else ():
        digits = figures(number)
        if value(digits) in ASSUMED or excused(said.text, number):
            continue
        last = str((int(digits[-1]) + 1) % 10)
        size = value(digits)
        others = {digits[:-1] + last, digits[::-1], f"{2 * size:.10g}", f"{size / 2:.10g}"}
        first, end = number.span(number.re is EQUALS)
        for other in sorted(others):
            if value(other) not in ASSUMED | {size} and other[-1] != ".":
                text = said.text[:first] + other + said.text[end:]
                yield value(other), f"{other} for {digits}", replace(said, text=text)


def test_a_typed_number_that_is_altered_is_found():
    """Of all numbers that stand beside a quoted one; those that slip through are counted."""
    tried, slipped = 0, []
    for page in PAGES:
        for said in sentences(page.read_text("utf-8")):
            beside = set().union(*map(in_code, expressions(said.text)))
            for other, what, changed in alterations(said):
                tried += 1
                if not flaws(changed, context(page)):
                    known = other in beside or other / 100 in beside  # 5, of 5%, is .05 in code
                    slipped.append((known, f"docs/{page.name}:{said.line}: {what}"))
    assert tried > 1000
    # What slips through has become another number of the same sentence.
    assert all(beside for beside, _ in slipped), [what for beside, what in slipped if not beside]
    assert len(slipped) < 0.05 * tried, len(slipped)


IDLE = {
    "spread.std[64] < 9": False,
    "spread.std[64] < 9 and spread.std[4] < 3": False,
    "rises(spread.std) and not falls(spread.std)": False,
    "all(spread.std[d] < 17 for d in spread.dims if d < 300)": False,
    "spread.std[64] < 9 or spread.std[4] < 3": True,
    "all(spread.std[d] < 17 or spread.std[4] < 3 for d in spread.dims)": True,
    "(spread.std[64] < 9) >= (spread.std[4] < 1)": True,
}


@pytest.mark.parametrize(("written", "is_idle"), IDLE.items())
def test_a_part_that_decides_nothing_is_found(written, is_idle):
    page = context(ROOT / "docs/variance.md")
    assert holds(written, page)
    assert any(holds(other, page) for other in altered(written)) == is_idle
