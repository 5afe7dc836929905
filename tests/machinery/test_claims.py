"""A source's claims become a table; a chapter's marks show their verdicts and are linked back."""

import re
import shutil

import pytest

from tests.conftest import PROJECT

SOURCE = '''"""The claims of a source."""

# %%
from ledger import Ledger, finding

ledger = Ledger()


@ledger.claim("a-1", "Question", "twice two is five", says="5", rather="4")
def product():
    """It is {= four :.1f }; see $2^2$."""
    four = 2 + 2
    return finding(four, four=four)


@ledger.claim("a-2", "Answer", "it is even", says="even")
def even():
    """So it is."""
    return finding(True)


@ledger.cited("a-3", "", "I like it", kind="opinion")
def liking():
    """A matter of taste."""


claims = ledger.judge()
'''
SOURCE = SOURCE.replace('says="even"', 'says="4 < 5"')


@pytest.fixture
def book(project):
    """A project with one source, and the page of its claims."""
    for module in ("ledger", "statement"):
        file = PROJECT.root / "snippets/claims" / f"{module}.py"
        shutil.copy(file, project.root / project.file(f"snippets/claims/{module}.py", ""))
    project.file("snippets/claims/source.py", SOURCE)
    project.file("docs/claims.md", "---\ntitle: Claims\n---\n\n# Claims\n\n::: claims source\n")
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
    assert "“it is even”" in html
    assert "Answer" in html
    assert "“I like it”" not in html  # nobody else says so
    assert "our own addition" in html


def test_a_check_stands_in_its_row_without_its_words(book):
    book.build("# C\n")
    check = listed(book).split("The check</summary>")[1].split("</details>")[0]
    assert "claimed" in check
    assert "finding" in check
    assert "twice two" not in check
    assert "It caught 3 of 3 alterations" in check


def test_a_row_says_how_strict_its_check_is(book):
    book.build("# C\n")
    rows = listed(book).split("<tr ")
    assert "Tolerance: half of the last digit, ±0.5" in rows[1]
    assert "<code>4 &lt; 5</code>, which is 4 &lt; 5 where it is closest" in rows[2]
    assert "There is nothing in a comparison to alter." in rows[2]
    assert "Tolerance" not in rows[3]


def test_a_reading_stands_before_its_condition(book):
    words = 'says="4 < n", reading="n is meant", needs="n is large"'
    cases = "case(n=9), case(n=1, beyond=True)"
    text = SOURCE.replace('says="4 < 5"', words).replace("finding(True)", f"finding({cases})")
    book.file("snippets/claims/source.py", text.replace("Ledger, f", "Ledger, case, f"))
    assert book.build("# C\n").warnings == []
    said = "Read as: n is meant.</strong> So read, it is true if n is large. So it is."
    assert said in listed(book)


def test_a_mark_in_the_text_shows_the_verdict_says_the_claim_and_is_linked_back(book):
    page = book.build(
        "# C\n\n## Sums { #sums }\n\n```python\n# sum\n```\n\nTwo and two make four [@a-1].\n"
    )
    assert page.warnings == []
    assert marks(page.html) == [("claim a-1, wrong: twice two is five", "../claims/#a-1", "×")]
    assert '<a href="../chapter/#mark-a-1">Sums</a>' in listed(book)
    assert 'id="mark-a-1"' in page.html


def marks(html: str) -> list[tuple[str, str, str]]:
    """Give the spoken name of each mark, where it leads, and its sign."""
    return re.findall(
        r'<a aria-label="(claim [^"]*)" class="claim[^>]*href="([^"]*)".*?>(.)<', html
    )


def test_formulas_in_a_claim_are_spoken(book):
    quote = r"*its* variance is $\sqrt{d_k}$, see [there](claims.md#a-2) and `np.var`"
    book.file("snippets/claims/source.py", SOURCE.replace('"it is even"', f'r"{quote}"'))
    page = book.build("# C\n\nIt is even [@a-2].\n")
    assert page.warnings == []
    ((name, _, sign),) = marks(page.html)
    assert name == "claim a-2, true: its variance is √d_k, see there and np.var"
    assert sign == "✓"


def test_a_section_s_claims_are_folded_and_counted(book):
    page = book.build("# C\n\n::: settles a-1 a-2 a-3\n\n    ::: settles a-1\n")
    assert page.warnings == []
    assert "<summary>3 claims checked here: 1 true, 1 wrong, 1 opinion</summary>" in page.html
    assert "×</a> “twice two is five”" in page.html
    assert marks(page.html)[1] == ("claim a-2, true", "../claims/#a-2", "✓")
    assert '<a href="../chapter/#mark-a-3">C</a>' in listed(book)


def test_a_page_s_verdicts_are_listed_by_the_ledger(book):
    book.file("snippets/claims/source.py", SOURCE.replace('"a-3", ""', '"a-3", "Ending"'))
    page = book.build("# C\n\n::: settles a-2\n\nFour [@a-1].\n\n::: verdicts a-3\n")
    assert page.warnings == []
    assert {to for _, to, _ in marks(page.html)} == {"#verdict-a-1", "#verdict-a-2"}
    wrong, _, folded = page.html.partition("<summary>Right as written: 1</summary>")
    assert "It is <data" in wrong.partition('id="verdict-a-1"')[2]  # with what is found
    assert 'href="#mark-a-1"' in wrong
    assert 'id="verdict-a-2"' not in wrong
    right, _, no_code = folded.partition("<summary>What no code can settle: 1</summary>")
    assert 'id="verdict-a-2"' in right
    assert "So it is." not in right  # that stands beside the check
    assert 'id="mark-a-3"' in no_code  # the list is all that the row can lead back to
    assert 'href="#mark-a-3"' not in no_code


def test_our_own_addition_counts_with_no_verdict(book):
    book.file("snippets/claims/source.py", SOURCE.replace('"a-2", "Answer"', '"a-2", ""'))
    page = book.build("# C\n\nFour [@a-1], even [@a-2].\n\n::: verdicts\n")
    assert "Right as written" not in page.html
    own = page.html.partition("<summary>Our own addition, in no source: 1</summary>")[2]
    assert 'id="verdict-a-2"' in own
    assert "our own addition · <a" in own


def test_a_place_may_credit_others(book):
    book.file("snippets/claims/source.py", SOURCE.replace('"Answer"', '"Answer, after [@a-1]"'))
    page = book.build("# C\n\nFour [@a-1; a-2].\n\n::: verdicts\n")
    assert page.warnings == []
    for html in (page.html, listed(book)):
        assert re.search(r"Answer, after <a [^>]*claim a-1, wrong", html)


def test_a_number_that_no_claim_has_leaves_the_verdicts_on_the_others(book):
    page = book.build("# C\n\nFour [@a-1], even [@a-9].\n\n::: verdicts\n")
    assert page.warnings == ["docs/chapter.md:3: no claim is 'a-9'; did you mean 'a-3'?"]
    assert 'id="verdict-a-1"' in page.html


def test_verdicts_follow_the_ledger(book):
    text = "# C\n\nFour [@a-1].\n\n::: verdicts\n"
    assert "× wrong</em>" in book.build(text).html
    book.file("snippets/claims/source.py", SOURCE.replace('"5", rather="4"', '"4"'))
    html = book.build(text).html
    assert "× wrong</em>" not in html
    assert "✓ true</em>" in html


def test_a_heading_that_is_indented_is_named_and_has_its_id(book):
    text = '# C\n\n## Sums\n\n!!! depth "All of it"\n\n    ### Twos { #twos }\n\n    So [@a-1].\n'
    page = book.build(text)
    assert page.warnings == []
    assert '<h3 id="twos">' in page.html
    assert '<a href="../chapter/#mark-a-1">Twos</a>' in listed(book)


def test_a_row_leads_to_a_table_only_if_no_text_refers_to_the_claim(book):
    book.file("docs/other.md", "# O\n\n| a | b |\n|---|---|\n| x | [@a-1; a-2] |\n")
    assert book.build("# C\n\nIt is five [@a-1].\n").warnings == []
    rows = listed(book)
    assert "../chapter/#mark-a-1" in rows
    assert "../other/#mark-a-1" not in rows
    assert "../other/#mark-a-2" in rows


def test_marks_stand_not_in_code(book):
    page = book.build("# C\n\n| a | b |\n|---|---|\n| x | [@a-1] |\n\n`[@a-9]`\n")
    assert page.warnings == []
    assert '<td><a aria-label="claim a-1, wrong' in page.html
    assert "<code>[@a-9]</code>" in page.html


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("See [@a-4].", "chapter.md:3: no claim is 'a-4'; did you mean 'a-"),
        ("See [@ a-1].", r"chapter.md:3: a reference is written [@key]"),
        ("::: settles a-4", "chapter.md:3: no claim is 'a-4'; did you mean 'a-"),
        ("::: settles", "chapter.md:3: name the claims: ::: settles 003-15 003-16"),
        ("::: verdicts", "chapter.md:3: this page refers to no claim"),
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
    assert "source.py:27: MisfitError: a-1: line 9: '5' is not found either" in warning
    assert "\na-2: line 16: " in warning
    assert warning.count("ledger.py:") == 1


def test_a_mistake_in_a_claim_s_words_names_the_claim(book):
    book.file("snippets/claims/source.py", SOURCE.replace("= four :", "= five :"))
    (warning,) = book.build("# C\n").warnings
    assert "docs/claims.md:7: snippets/claims/source.py:9: a-1: " in warning


def test_a_claim_and_its_finding_that_do_not_fit_stop_the_build(book):
    book.file("snippets/claims/source.py", SOURCE.replace('says="5"', 'says="4"'))
    (warning,) = book.build("# C\n").warnings
    assert "a-1: line 9: found 'true', so there is nothing to say `rather`" in warning
