"""A page is made again when something that it depends on has changed, and only then."""

import logging

import pytest
from mkdocs.structure.pages import Page

from tests.machinery.test_references import BIB
from weave.project import LOOK_UPS, Project, project_at

SOURCE = '''"""Claims."""

# %%
words = dict.fromkeys(["said", "place", "needs", "reading", "text"], "")
place = {{"settled": "chapter.md", "line": 1, "values": {{}}}}
claims = {{"a-1": {{"verdict": "{}"}} | place | words}}
'''
TEXT = """# T

A query is longer, {= line.slope } [@zhang].

See [other](other.md#there) and $x^2$.

::: chapter/line
"""


PAGES = ["chapter.md", "claims.md", "glossary.md", "index.md", "other.md", "references.md"]


@pytest.fixture
def site(project, monkeypatch):
    """Three pages; `site.made()` builds, and names the pages that were converted."""
    project.snippet("slope = 1.5")
    project.file("docs/other.md", "# Other\n\n## There\n\nNothing.\n")
    project.file("docs/references.bib", BIB)
    project.file("docs/references.md", "# References\n")
    project.file("docs/claims.md", "# Claims\n\n::: claims source\n")
    project.file("docs/glossary.md", "# Words\n\nQuery\n:   A vector.\n\nKey\n:   A vector.\n")
    project.file("snippets/claims/source.py", SOURCE.format("true"))
    noted, render = [], Page.render

    def spy(page, *arguments):
        if page.markdown:  # of a page that is kept, MkDocs has nothing to convert
            noted.append(page.file.src_uri)
        render(page, *arguments)

    monkeypatch.setattr(Page, "render", spy)

    def made(text=TEXT) -> list[str]:
        noted.clear()
        project.built = project.build(text)
        return sorted(noted)

    project.made = made
    return project


def test_nothing_is_made_again_that_has_not_changed(site, monkeypatch):
    site.level = logging.INFO  # a note is no reason
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")  # the home page has the date of the build
    assert site.made() == PAGES
    files = {p: p.read_bytes() for p in (site.root / "site").rglob("*.html")}
    for _ in range(2):
        assert site.made() == []
    assert {p: p.read_bytes() for p in (site.root / "site").rglob("*.html")} == files


CHANGES = {
    "its text": ("docs/chapter.md", None),
    "a result": ("snippets/chapter/line.py", ("slope = 1.5", "slope = 2.5")),
    "a drawing": ("snippets/chapter/line.py", ("[0, 1]", "[1, 0]")),
    "a work": ("docs/references.bib", ("{A Note}", "{Another}")),
    "a word": ("docs/glossary.md", ("Query\n:   A vector", "Query\n:   What a token asks")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_page_is_made_again_that_an_edit_touches(site, change):
    site.made()
    file, words = CHANGES[change]
    if words:
        path = site.root / file
        assert words[0] in path.read_text()
        path.write_text(path.read_text().replace(*words))
    made = site.made(TEXT + "\nMore.\n" if not words else TEXT)
    assert "chapter.md" in made
    assert "other.md" not in made


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("docs/other.md", ("Nothing.", "Something.")),
        ("docs/references.bib", ("{Random-Energy Model}", "{Another}")),
    ],
)
def test_a_page_stays_that_an_edit_does_not_touch(site, file, words):
    site.made()
    path = site.root / file
    path.write_text(path.read_text().replace(*words))
    assert "chapter.md" not in site.made()


GLOSSARY = {  # by an edit of it, the pages that have the word
    ("Key\n:   A", "Key\n:   Another"): [],
    ("# Words", "# Words\n\nHere\n:   At this place."): [],  # in "there" it is no word
    ("# Words", "# Words\n\nNothing\n:   What is left."): ["other.md"],
    ("# Words", "# Words\n\nQuery is\n:   A longer word."): ["chapter.md"],
    ("Query\n:   A vector.\n\n", ""): ["chapter.md"],
}


def test_an_edit_of_the_glossary_makes_the_pages_that_have_the_word(site):
    site.made()
    path = site.root / "docs/glossary.md"
    for words, pages in GLOSSARY.items():
        path.write_text(path.read_text().replace(*words))
        assert site.made() == sorted([*pages, "glossary.md"]), words


def test_all_pages_are_made_again_for_another_option_and_another_machinery(site, monkeypatch):
    site.made()
    site.more = "  - toc: {permalink: true}\n"
    assert site.made() == PAGES
    assert site.made() == []
    monkeypatch.setitem(LOOK_UPS, "machinery", lambda *_: "newer")
    project_at.cache_clear()
    site.level = logging.INFO
    assert site.made() == PAGES
    assert any("ran chapter/line, claims/source in" in line for line in site.built.warnings)


def test_a_claim_s_row_is_made_again_where_its_section_has_another_name(site):
    site.made()
    assert site.made(TEXT.replace("# T", "# Title")) == ["chapter.md", "claims.md"]


def test_a_page_that_quotes_a_number_or_words_is_made_again(site):
    quoting = "# Other\n\n## There\n\n{= chapter/line.slope }, more than one of it.\n"
    (site.root / "docs/other.md").write_text(quoting)
    says = 'assert slope > 1, "more than one of it"'
    for slope, warning in (("1.5", ""), ("0.5", "does not hold"), ("lost", "NameError")):
        site.snippet(f"slope = {slope}", says=says)
        assert {"chapter.md", "other.md"} <= {*site.made()}
        assert warning in " ".join(site.built.warnings)
        assert bool(warning) == bool(site.built.warnings)


def test_a_page_that_only_quotes_a_number_stays_while_that_is_the_same(site):
    site.file("docs/other.md", "# Other\n\n## There\n\n{= chapter/line.slope }\n")
    site.made()
    site.snippet("slope = 1.5\nanother = 2")
    assert site.made() == ["chapter.md"]  # which shows the code
    site.snippet("slope = 1.25\nanother = 2")
    assert site.made() == ["chapter.md", "other.md"]
    site.snippet("another = 2")
    assert "other.md" in site.made()
    assert any("no result 'slope'" in warning for warning in site.built.warnings)


def test_a_broken_link_is_found_though_the_page_is_kept(site):
    site.made()
    (site.root / "docs/other.md").write_text("# Other\n\n## Here\n")
    assert site.made() == ["other.md"]
    (site.root / "docs/other.md").unlink()
    assert "chapter.md" in site.made()
    assert any("other.md" in warning for warning in site.built.warnings)


def test_a_number_that_another_build_has_replaced_is_not_kept(site, monkeypatch):
    """It weaves a snippet's new results into a page, of which the others have the old ones."""
    quoting = "# Other\n\n## There\n\n{= chapter/line.slope }\n"
    site.file("docs/other.md", quoting)
    render = Page.render

    def meanwhile(page, *arguments):
        if page.file.src_uri == "other.md":
            site.snippet("slope = 7.5")
            logging.disable(logging.INFO)  # that build is another process, which nobody hears here
            Project(site.root).refresh()
            logging.disable(logging.NOTSET)
        render(page, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Page, "render", meanwhile)
        site.made()
    site.snippet("slope = 1.5")
    site.made()
    assert ">1.5<" in (site.root / "site/other/index.html").read_text()


def test_a_mistake_is_said_at_every_build(site, monkeypatch):
    for quiet in (logging.WARNING, logging.NOTSET, logging.NOTSET):  # `mkdocs build --quiet`
        monkeypatch.setattr(logging.root.manager, "disable", quiet)
        assert site.made(TEXT + "\n{= line.slop }\n")
        assert quiet or any("no result 'slop'" in warning for warning in site.built.warnings)
    site.made()
    assert site.built.warnings == []


def test_a_new_snippet_touches_no_page_but_one_that_names_it(site):
    linking = TEXT + "\nThe [script](snippets/chapter/new.py).\n"
    site.made(linking)
    site.snippet("other = 1", name="chapter/newer")
    assert site.made(linking) == ["chapter.md"]  # its link leads nowhere yet
    site.snippet("other = 1", name="chapter/new")
    assert site.made(linking) == ["chapter.md"]
    assert site.built.warnings == []
    (site.root / "snippets/chapter/newer.py").unlink()
    assert site.made(linking) == []
    (site.root / "snippets/chapter/new.py").unlink()
    assert site.made(linking) == ["chapter.md"]


def test_a_caption_s_link_that_leads_nowhere_any_more_is_a_mistake(site):
    table = site.root / site.file("snippets/chapter/table.csv", "1")
    script = site.root / "snippets/chapter/line.py"
    link = '"""A [table](snippets/chapter/table.csv): a'
    script.write_text(script.read_text().replace('"""A', link))
    assert site.made() == PAGES
    assert site.made() == site.built.warnings == []
    table.unlink()
    assert site.made() == ["chapter.md"]
    assert "table.csv" in site.built.warnings[0]


def test_a_mistake_is_said_once_and_by_the_build(site):
    assert site.made("# T\n\n{= line.missing }\n") == PAGES
    (warning,) = site.built.warnings
    assert warning.startswith("docs/chapter.md:3")
