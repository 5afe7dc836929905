"""A source's claims become a table, and a list of the chapters that settle them."""

import re
import shutil

import pytest

from tests.conftest import PROJECT

SOURCE = '''"""The claims of a source."""

# %%
from ledger import Ledger, finding

ledger = Ledger(__file__)


@ledger.claim(
    "a-1", "Question", "twice two is five", says="5", rather="4", settled="chapter.md#sums"
)
def product():
    """It is {= four :.1f }; see $2^2$."""
    four = 2 + 2
    return finding(four, four=four)


@ledger.claim("a-2", "Answer", "it is even", says="4 < 5", settled="chapter.md")
def even():
    """So it is."""
    return finding(4 < 5)


@ledger.cited("a-3", "", "I like it", kind="opinion", settled="chapter.md")
def liking():
    """A matter of taste."""


claims = ledger.judge()
'''


@pytest.fixture
def book(project):
    """A project with one source, and the page of its claims."""
    for module in ("ledger", "statement"):
        file = PROJECT.root / "snippets/claims" / f"{module}.py"
        shutil.copy(file, project.root / project.file(f"snippets/claims/{module}.py", ""))
    project.file("snippets/claims/source.py", SOURCE)
    text = "---\ntitle: Claims\n---\n\n# Claims\n\n::: claims source\n\n::: settled\n"
    project.file("docs/claims.md", text)
    return project


def listed(book) -> str:
    return (book.root / "site/claims/index.html").read_text()


def test_a_table_has_a_row_for_each_claim(book):
    assert book.build("# C\n\nText.\n").warnings == []
    html = listed(book)
    assert '<tr data-verdict="wrong" id="a-1">' in html
    assert html.index('id="a-1"') < html.index('id="a-2"') < html.index('id="a-3"')
    assert '<em class="verdict false">wrong</em>' in html
    assert '>4.0</data>; see <span class="formula"><math alttext="2^2" ' in html
    assert '<data class="computed" value="4.0">' in html  # its check has it, in the same row
    assert "it is even" in html
    assert "“it is even”" not in html  # in our words
    assert "Answer" in html
    assert "“I like it”" not in html  # nobody else says so
    assert "our own addition" in html


def test_a_row_says_how_strict_its_check_is(book):
    book.build("# C\n")
    rows = listed(book).split("<tr ")
    assert "Tolerance: half of the last digit, ±0.5" in rows[1]
    assert "<code>4 &lt; 5</code>, which is 4 &lt; 5 where it is closest" in rows[2]
    assert "There is nothing in a comparison to alter." in rows[2]
    assert "Tolerance" not in rows[3]
    # What is altered where a claim is wrong is not the claim.
    assert "alterations of what is right." in rows[1]


def test_a_row_says_that_its_claim_is_a_theorem(book):
    text = SOURCE.replace('says="4 < 5"', 'says="4 < 5", theorem="the order of numbers"')
    book.file("snippets/claims/source.py", text)
    assert book.build("# C\n").warnings == []
    said = "A theorem, which no case could refute: the order of numbers. Compared: "
    assert said in listed(book)


def test_a_reading_stands_before_its_condition(book):
    words = 'says="4 < n", reading="n is meant", needs="n is large"'
    cases = "case(n=3**2), case(n=3 - 2, beyond=True)"
    text = SOURCE.replace('says="4 < 5"', words).replace("finding(4 < 5)", f"finding({cases})")
    book.file("snippets/claims/source.py", text.replace("Ledger, f", "Ledger, case, f"))
    assert book.build("# C\n").warnings == []
    said = "Read as: n is meant.</strong> So read, it is true if n is large. So it is."
    assert said in listed(book)


def test_a_row_leads_to_the_section_that_settles_the_claim(book):
    page = book.build("---\ntitle: Adding\n---\n\n# C\n\n## All sums {#sums}\n\nFour.\n")
    assert page.warnings == []
    rows = listed(book).split("<tr ")
    assert 'Explained in <em>Adding</em>: <a href="../chapter/#sums">All sums</a>' in rows[1]
    assert '<a href="../chapter/">Adding</a>' in rows[2]


def test_a_chapter_s_claims_are_listed_by_their_verdicts(book):
    text = SOURCE.replace('says="5", rather="4"', 'says="4"')
    for source, right, wrong in ((SOURCE, ["a-2"], ["a-1"]), (text, ["a-1", "a-2"], [])):
        book.file("snippets/claims/source.py", source)
        assert book.build("# C\n\n## Sums\n\nFour.\n").warnings == []
        row = listed(book).split('<li id="of-chapter">')[1].split("</li>")[0]
        assert "2 claims" in row, "our own addition is not counted"
        true = row.partition(">true</em>")[2].partition("<em")[0]
        assert re.findall('href="#(a-.)"', true) == right
        assert re.findall('href="#(a-.)"', row.partition(">wrong</em>")[2]) == wrong


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("See [@a-1].", r"chapter.md:3: a reference is written [@key]"),
        ("See [@ a-1].", r"chapter.md:3: a reference is written [@key]"),
        ("::: settled chapter", "chapter.md:3: this stands alone on its line: ::: chapter/snippet"),
        ("::: claims sauce", "chapter.md:3: no snippet 'claims/sauce'; did you mean 'claims/sour"),
    ],
)
def test_a_mistake_is_named_with_its_line(book, text, warning):
    (found,) = book.build(f"# C\n\n{text}\n").warnings
    assert warning in found


def test_all_claims_that_do_not_fit_are_named_with_their_lines(book):
    wrong = SOURCE.replace('rather="4"', 'rather="5"').replace("4 < 5", "nothing")
    book.file("snippets/claims/source.py", wrong)
    (warning,) = book.build("# C\n").warnings
    assert ": snippets/claims/source.py:9: a-1: '5' is not found either" in warning
    assert "\nsnippets/claims/source.py:18: a-2: " in warning
    assert "ledger.py:" not in warning


OURS = '''"""Findings of our own."""

# %%
from ledger import Ledger, case, finding

ledger = Ledger(__file__)


@ledger.ours(
    "own-1",
    "shorter steps … help",
    says="slow < fast",
    settled="chapter.md#sums",
    runs="Adam, three seeds.",
    arm="The same with $d$ doubled.",
    otherwise="the bound.",
)
def steps():
    """It gave {= slow :.1f }."""
    slow = sum([1])
    return finding(case(slow=slow, fast=2, arm=True), slow=slow)


claims = ledger.judge()
'''
SUMS = "# C\n\n## Sums\n\nHere shorter steps of all matrices help, we found.\n"


@pytest.fixture
def own(book):
    """A project with a finding of its own, said on its page."""
    book.file("snippets/claims/ours.py", OURS)
    book.file("docs/claims.md", "# Claims\n\n::: claims source\n\n::: claims ours\n")
    return book


def test_a_finding_of_our_own_is_listed_with_its_arm(own):
    assert own.build(SUMS).warnings == []
    table = listed(own).split('data-source="ours"')[1]
    assert ">What would refute it</th>" in table
    assert '<em class="verdict true">holds</em>' in table
    row = " ".join(table.split())
    assert row.index("The same with") < row.index("It gave") < row.index("the bound.")
    assert row.index("the bound.") < row.index("Adam, three seeds.")
    assert 'Stands in <em>C</em>: <a href="../chapter/#sums">Sums</a>' in row


def test_a_finding_and_its_sentences_are_held_together(own):
    assert own.build(f"{SUMS}\nAnd shorter steps really help.\n").warnings == []
    (found,) = own.build(SUMS.replace("help", "harm")).warnings
    lacks = "chapter.md:5: the page lacks the words of snippets/claims/ours.py:9: 'shorter steps "
    assert f"{lacks}… help'; near is 'Here shorter steps of all matrices harm, we" in found


def test_what_is_refuted_is_said_no_more(own):
    own.file("snippets/claims/ours.py", OURS.replace("sum([1])", "sum([3])"))
    assert own.build(SUMS.replace("help", "do nothing")).warnings == []
    assert '<em class="verdict false">refuted</em>' in listed(own)
    assert "Stood in" in listed(own)
    (found,) = own.build(SUMS).warnings
    assert "chapter.md:5: snippets/claims/ours.py:9 has refuted 'shorter steps … help'" in found


def test_pages_come_in_the_order_of_the_contents(own):
    """Those of claims and those of our findings; what the contents do not have comes last."""
    second = '"own-2", "sums", says="1 < 2", settled="a.md", runs="r", arm="a", otherwise="o"'
    entered = (
        f"@ledger.ours({second})\ndef second():\n    '''So.'''\n    return steps()\n\n\nclaims ="
    )
    own.file("snippets/claims/ours.py", OURS.replace("claims =", entered))
    text = SOURCE.replace('says="4 < 5", settled="chapter.md"', 'says="4 < 5", settled="b.md"')
    own.file("snippets/claims/source.py", text)
    own.file("docs/a.md", "# The first\n\nSums.\n")
    own.file("docs/b.md", "# The last\n")
    own.file("docs/claims.md", "# Claims\n\n::: settled\n\n::: claims ours\n\n::: claims source\n")
    for nav, pages in (
        ("chapter.md, a.md", ["chapter", "a"]),
        ("a.md, chapter.md", ["a", "chapter"]),
    ):
        own.more = f"nav: [index.md, {nav}, claims.md]\n"
        assert own.build(SUMS).warnings == []
        assert re.findall('<li id="of-(.*?)">', listed(own)) == ["chapter", "b"]
        assert re.findall('<h2 id="(.*?)">', listed(own)) == pages
    own.more = "nav: [b.md, chapter.md]\n"
    own.build(SUMS)
    assert re.findall('<li id="of-(.*?)">', listed(own)) == ["b", "chapter"]
    assert '<h2 id="a">The first</h2>' in listed(own)


TIMED = '''"""Claims whose findings say when they were made."""

# %%
import time

from ledger import Ledger, finding
from samples import one

ledger = Ledger(__file__)
two = 2


def now():
    return finding(two > 1, at=time.time())


@ledger.claim("a-1", "", "one", says="1 < 2", settled="chapter.md")
def first():
    """It is."""
    return now()


@ledger.claim("a-2", "", "two", says="2 < 3", settled="chapter.md")
def second():
    """It is."""
    return first() if one > 1 else now()


@ledger.claim("a-3", "", "three", says="3 < 4", settled="chapter.md")
def third():
    """It is."""
    return second()


claims = ledger.judge()
'''


@pytest.mark.parametrize(
    ("file", "old", "new", "judged"),
    [
        ("source.py", '"""It is."""\n    return now()', '"""It was."""\n    return now()', []),
        ("source.py", "1 < 2", "1 < 3", ["a-1", "a-2", "a-3"]),  # which call each other
        ("source.py", "2 < 3", "2 < 4", ["a-2", "a-3"]),
        ("source.py", "3 < 4", "3 < 5", ["a-3"]),
        ("source.py", "two = 2", "two = 3", ["a-1", "a-2", "a-3"]),
        ("samples.py", "one = 1", "one = 1.0", ["a-1", "a-2", "a-3"]),
    ],
)
def test_an_edit_judges_what_it_touches(book, file, old, new, judged):
    book.file("snippets/claims/samples.py", "one = 1\n")
    book.file("snippets/claims/source.py", TIMED)
    book.snippet("from source import claims", name="claims/summary")

    def times(name: str) -> dict[str, float]:
        claims = book.run(name).results.claims
        return {key: claim["values"]["at"] for key, claim in claims.items()}

    before = times("claims/source")
    path = book.root / "snippets/claims" / file
    assert path.read_text().count(old) == 1
    book.file(f"snippets/claims/{file}", path.read_text().replace(old, new))
    for name in ("claims/source", "claims/summary"):  # which imports it
        after = times(name)
        assert [key for key in before if after[key] > before[key]] == judged
    text = book.run("claims/source").results.claims["a-1"]["text"]
    assert text == ("It was." if "was" in new else "It is.")


def test_what_a_check_has_read_counts_though_it_was_not_run_again_since(book):
    reads = 'open(__file__.replace("source.py", "table.csv")).close()'
    text = TIMED.replace("from samples import one\n", "")
    text = text.replace(
        '"""It is."""\n    return now()', f'"""It is."""\n    {reads}\n    return now()'
    )
    text = text.replace("return first() if one > 1 else now()", "return now()")
    text = text.replace("return second()", "return now()")
    times = []
    for says, table in (("2 < 3", "1"), ("2 < 4", "1"), ("2 < 4", "2")):
        book.file("snippets/claims/source.py", text.replace("2 < 3", says))
        book.file("snippets/claims/table.csv", table)
        claims = book.run("claims/source").results.claims
        times.append([claims[key]["values"]["at"] for key in ("a-1", "a-2", "a-3")])
    first, edited, read_anew = times
    assert edited[0] == first[0]
    assert edited[1] > first[1]
    assert all(now > then for now, then in zip(read_anew, edited, strict=True))


def test_a_number_that_two_claims_have_is_one_error_that_names_both(book):
    book.file("snippets/claims/source.py", SOURCE.replace('"a-2"', '"a-1"'))
    book.snippet("from source import claims", name="claims/summary")
    (warning,) = book.build("# C\n").warnings
    both = "two claims have the number a-1: 'product' in line 9 and 'even' in line 18"
    assert warning.endswith(both)
    assert "docs/claims.md:7: snippets/claims/ledger.py:" in warning
    assert "in snippets/claims/source.py:18: ValueError: " in warning


def test_a_mistake_in_a_claim_s_words_names_the_claim(book):
    book.file("snippets/claims/source.py", SOURCE.replace("= four :", "= five :"))
    (warning,) = book.build("# C\n").warnings
    assert "docs/claims.md:7: snippets/claims/source.py:9: a-1: " in warning


def test_a_ledger_that_leaves_something_out_is_a_mistake(book):
    book.build("# C\n")
    book.file(
        "snippets/claims/source.py",
        f"{SOURCE}for claim in claims.values():\n    del claim['place']\n",
    )
    assert (
        "docs/claims.md:7: '::: claims source': KeyError: 'place'" in book.build("# C\n").warnings
    )
