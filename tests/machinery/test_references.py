"""Works are cited by key, link there and back, and a key or a file that is wrong says so."""

import re

import pytest

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
    assert Woven(project.root).look_up("works")[key][0] == label


def test_works_are_listed_in_the_order_of_their_labels(cited):
    page = cited("# T\n").references
    listed = re.findall(r'<li id="([\w-]+)"', page)
    assert [*listed[:3], listed[-1]] == ["thread", "derrida1981", "gemma2024", "zhang"]


@pytest.mark.parametrize("front_matter", ["", "---\ntitle: The model\n---\n\n"])
def test_a_citation_links_there_and_back(cited, front_matter):
    text = "# T\n\nOne [@derrida1981].\n\n## Energy `E` {#levels}\n\nAgain [@derrida1981].\n"
    built = cited(front_matter + text, strict=True)
    link = '(<a class="work" href="../references/#derrida1981">Derrida 1981</a>)'
    assert built.html.count(link) == 2
    entry = built.references.partition('id="derrida1981"')[2].partition("</li>")[0]
    assert re.findall(r'<a href="../chapter/#([\w-]+)">(.*?)</a>', entry) == [
        ("t", "T"),
        ("levels", "Energy <code>E</code>"),
    ]
    assert "chapter" not in built.references.partition('id="zhang"')[2].partition("</li>")[0]


def test_a_formula_in_a_heading_is_a_formula_where_it_is_linked_to(cited):
    built = cited("# T\n\n## Why $x$?\n\nOne [@zhang]. Two [@zhang].\n", strict=True)
    entry = built.references.partition('id="zhang"')[2].partition("</li>")[0]
    assert re.search(r">Why <span[^>]*><math[^>]*>.*</math>\?</span></a></p>", entry)
    assert "$" not in entry
    assert entry.count("<a ") == 1, "a section is linked to once"


def test_code_is_no_citation(cited):
    text = "# T\n\nWrite `[@derrida1981]`, or `[@nobody]`.\n\n```text\n[@derrida1981]\n```\n"
    built = cited(text, strict=True)
    assert 'class="work"' not in built.html
    assert "[@nobody]" in built.html
    assert "chapter/#" not in built.references


def test_a_file_that_is_no_bibtex_is_named_with_its_line(project):
    project.file("docs/references.bib", "@misc{a,\n  title = {A}\n  year = {1981}\n}\n")
    built = project.build("# T\n\nSo it is [@a].\n")
    assert built.warnings[0].startswith("docs/chapter.md:3: docs/references.bib: syntax error")
    assert "line 3" in built.warnings[0]
