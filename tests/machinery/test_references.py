"""Works are cited by key, link there and back, and a key or a file that is wrong says so."""

import re

import pytest
from mkdocs.exceptions import Abort

from weave.project import Project as Woven

BIB = """
@article{derrida1981,
  author = {Derrida, Bernard},
  title = {Random-Energy Model},
  journal = {Physical Review B},
  year = {1981},
}
@article{madan1990,
  author = {Madan, Dilip B. and Seneta, Eugene},
  title = {The Variance Gamma Model},
  journal = {The Journal of Business},
  year = {1990},
}
@misc{gemma2024, author = {{Gemma Team}}, title = {Gemma}, year = {2024}}
@misc{su2021, author = {Su, A. and Lu, B. and Pan, C.}, title = {RoFormer}, year = {2021}}
@misc{wortsman2023, author = {Wortsman, M. and others}, title = {Proxies}, year = {2023}}
@misc{zhang, author = {Zhang, J.}, title = {A Note}}
@misc{thread, key = {AI Stack Exchange}, title = {Why?}}
@misc{jager, author = {von der J{\\"a}ger, K.}, title = {Jagd}, year = {1900}}
"""
LIST = "# References\n\n::: references\n"


@pytest.fixture
def cited(project):
    """Build a chapter beside the list of works; give both pages."""
    project.file("docs/references.bib", BIB)
    project.file("docs/references.md", LIST)

    def build(text, **options):
        built = project.build(text, **options)
        built.references = (project.root / "site/references/index.html").read_text()
        return built

    return build


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("derrida1981", "Derrida 1981"),
        ("madan1990", "Madan and Seneta 1990"),
        ("su2021", "Su et al. 2021"),
        ("wortsman2023", "Wortsman et al. 2023"),
        ("gemma2024", "Gemma Team 2024"),
        ("zhang", "Zhang"),
        ("thread", "AI Stack Exchange"),
        ("jager", "von der Jäger 1900"),
    ],
)
def test_a_work_is_named_by_who_wrote_it_and_when(project, key, label):
    project.file("docs/references.bib", BIB)
    assert Woven(project.root).look_up("works")[key].label == label


def test_works_are_listed_in_the_order_of_their_labels(cited):
    page = cited("# T\n").references
    listed = re.findall(r'<li id="([\w-]+)"', page)
    assert [*listed[:3], listed[-1]] == ["thread", "derrida1981", "gemma2024", "zhang"]


@pytest.mark.parametrize("front_matter", ["", "---\ntitle: The model\n---\n\n"])
def test_a_citation_links_there_and_back(cited, front_matter):
    text = "# T\n\nOne [@derrida1981].\n\n## Energy {#levels}\n\nAgain [@derrida1981].\n"
    built = cited(front_matter + text, strict=True)
    for anchor in ("mark-derrida1981", "mark-derrida1981-2"):
        assert re.search(
            rf'\(<a class="work" href="../references/#derrida1981" id="{anchor}">'
            r"Derrida 1981</a>\)",
            built.html,
        )
    entry = built.references.partition('id="derrida1981"')[2].partition("</li>")[0]
    assert re.findall(r'<a href="../chapter/#([\w-]+)">(.*?)</a>', entry) == [
        ("mark-derrida1981", "T"),
        ("mark-derrida1981-2", "Energy"),
    ]
    assert "chapter" not in built.references.partition('id="zhang"')[2].partition("</li>")[0]


def test_a_formula_in_a_heading_is_a_formula_where_it_is_linked_to(cited):
    built = cited("# T\n\n## Why $x$?\n\nOne [@zhang]. Two [@zhang].\n", strict=True)
    entry = built.references.partition('id="zhang"')[2].partition("</li>")[0]
    assert re.search(r">Why <span[^>]*><math[^>]*>.*</math>\?</span></a></p>", entry)
    assert "$" not in entry
    assert entry.count("<a ") == 1, "a section is linked to once"


def test_two_works_share_a_bracket(cited):
    html = cited("# T\n\nBoth [@derrida1981; @madan1990].\n", strict=True).html
    assert re.search(
        r"Both \(<a [^>]*>Derrida 1981</a>; <a [^>]*>Madan and Seneta 1990</a>\)", html
    )


def test_code_is_no_citation(cited):
    text = "# T\n\nWrite `[@derrida1981]`, or `[@nobody]`.\n\n```text\n[@derrida1981]\n```\n"
    built = cited(text, strict=True)
    assert 'class="work"' not in built.html
    assert "[@nobody]" in built.html
    assert "chapter/#" not in built.references


@pytest.mark.parametrize("front_matter", ["", "---\ntitle: T\n---\n\n"])
def test_an_unknown_key_names_page_line_and_what_is_near(cited, front_matter):
    page = f"{front_matter}# T\n\nSo it is [@derida1981].\n"
    built = cited(page)
    line = page[: page.index("[@")].count("\n") + 1
    [warning] = built.warnings
    assert warning.startswith(f"docs/chapter.md:{line}: no work in docs/references.bib")
    assert "'derida1981'; did you mean 'derrida1981'?" in warning
    with pytest.raises(Abort):
        cited(page, strict=True)


def test_a_file_that_is_no_bibtex_is_named_with_its_line(project):
    project.file("docs/references.bib", "@misc{a,\n  title = {A}\n  year = {1981}\n}\n")
    built = project.build("# T\n\nSo it is [@a].\n")
    assert built.warnings[0].startswith("docs/chapter.md:3: docs/references.bib: syntax error")
    assert "line 3" in built.warnings[0]


def test_a_work_that_lacks_its_journal_is_named(project):
    project.file("docs/references.bib", "@article{a, title = {A}, author = {B}, year = {1981}}")
    built = project.build("# T\n\nSo it is [@a].\n")
    assert "docs/references.bib: missing journal in a" in built.warnings[0]


def test_a_key_stands_for_one_work(project):
    project.file("docs/references.bib", "@misc{a, title = {A}}\n@misc{a, title = {B}}\n")
    built = project.build("# T\n\nSo it is [@a].\n")
    assert "docs/references.bib: repeated bibliography entry: a" in built.warnings[0]


@pytest.mark.parametrize("key", ["derrida-1981", "a:b"])
def test_a_key_that_no_reference_could_name_is_named(project, key):
    project.file("docs/references.bib", f"@misc{{{key}, title = {{A}}}}\n")
    [warning] = project.build("# T\n\n::: references\n").warnings
    said = f"docs/references.bib: rename '{key}': letters, digits and _ alone make a key"
    assert said in warning


def test_a_key_may_hold_letters_of_any_language(project):
    project.file("docs/references.bib", "@misc{Łu_2, title = {A}}\n")
    assert project.build("# T\n\n::: references\n").warnings == []


def test_the_signs_in_names_come_into_the_fonts(project):
    project.file("docs/references.bib", BIB.replace("{Su, A.", "{Łu, A."))
    assert "Ł" in Woven(project.root).look_up("signs", "")
