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
    assert "computed by its check" in html
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


def test_a_mark_in_the_text_gives_the_claim_s_number_and_is_linked_back(book):
    page = book.build(
        "# C\n\n## Sums { #sums }\n\n```python\n# sum\n```\n\nTwo and two make four [@a-1].\n"
    )
    assert page.warnings == []
    assert 'href="../claims/#a-1" id="mark-a-1" title="Claim a-1: wrong">a-1</a>' in page.html
    assert 'class="verdict' not in page.html  # it would seem to be about our own words
    assert 'Explained in <em>C</em>: <a href="../chapter/#mark-a-1">Sums</a>' in listed(book)


def test_claims_in_the_text_have_commas_between_them(book):
    page = book.build("# C\n\nSettles claims [@a-1; a-2; a-3].\n{ .settles }\n")
    assert page.warnings == []
    settled = re.search(r'<p class="settles">(.*)</p>', page.html)[1]
    assert re.sub(r"<[^>]*>", "", settled) == "Settles claims a-1, a-2, a-3."


def test_a_row_leads_to_a_table_only_if_no_text_refers_to_the_claim(book):
    book.file("docs/other.md", "# O\n\n| a | b |\n|---|---|\n| x | [@a-1; a-2] |\n")
    assert book.build("# C\n\nIt is five [@a-1].\n").warnings == []
    rows = listed(book)
    assert "../chapter/#mark-a-1" in rows
    assert "../other/#mark-a-1" not in rows
    assert "../other/#mark-a-2" in rows


def test_marks_in_a_table_s_row_show_each_verdict_once(book):
    page = book.build("# C\n\n| a | b |\n|---|---|\n| five | [@a-2; a-3; @a-1], [@a-1] |\n")
    marks = re.findall(r'<a class="(?:verdict|claim)[^>]*>([^<]*)<', page.html)
    assert marks == ["true", "opinion", "wrong", "wrong"]
    assert 'id="mark-a-1-2"' in page.html


def test_claims_of_one_verdict_in_a_row_show_it_once(book):
    book.file(
        "snippets/claims/source.py",
        SOURCE.replace(', says="4 < 5"', ', says="4 > 5", rather="4 < 5"'),
    )
    page = book.build("# C\n\n| a | b |\n|---|---|\n| five | [@a-1; @a-2] |\n")
    assert re.findall(r'<a class="(verdict|claim)[^>]*>([^<]*)<', page.html) == [
        ("verdict", "wrong"),
        ("claim", "a-2"),
    ]


def test_marks_stand_not_in_code(book):
    page = book.build("# C\n\n| a | b |\n|---|---|\n| x | [@a-1] |\n\n`[@a-9]`\n")
    assert page.warnings == []
    assert '<td><a class="verdict false"' in page.html
    assert "<code>[@a-9]</code>" in page.html


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("See [@a-4].", "chapter.md:3: no claim is 'a-4'; did you mean 'a-"),
        ("See [@ a-1].", r"chapter.md:3: a reference is written [@key]"),
        ("::: claims sauce", "chapter.md:3: no snippet 'claims/sauce'; did you mean 'claims/sour"),
    ],
)
def test_a_mistake_is_named_with_its_line(book, text, warning):
    (found,) = book.build(f"# C\n\n{text}\n").warnings
    assert warning in found


def test_a_mistake_in_a_claim_s_words_names_the_claim(book):
    book.file("snippets/claims/source.py", SOURCE.replace("= four :", "= five :"))
    (warning,) = book.build("# C\n").warnings
    assert "docs/claims.md:7: snippets/claims/source.py:9: a-1: " in warning


def test_a_claim_and_its_finding_that_do_not_fit_stop_the_build(book):
    book.file("snippets/claims/source.py", SOURCE.replace('says="5"', 'says="4"'))
    (warning,) = book.build("# C\n").warnings
    assert "a-1: found 'true', so there is nothing to say `rather`" in warning
