"""A page lists the sections of another, and an item has the section's own address."""

import pytest


def test_each_section_is_a_link_that_has_its_address(project):
    project.file("docs/answers.md", "# Answers\n\n## Why $d$? {#why}\n\n## And *then*?\n\nSo.\n")
    text = "# Q\n\n??? depth\n\n    ::: sections answers\n"
    project.more = "  - pymdownx.details\n"
    page = project.build(text.replace("depth", 'depth "All"'))
    assert page.warnings == []
    assert '<li><a href="../answers/#why" id="why">Why <' in page.html
    assert '<li><a href="../answers/#and-then" id="and-then">And <em>then</em>?</a>' in page.html
    project.file("docs/answers.md", "# Answers\n\n## One more\n")
    assert (
        'id="one-more">One more</a></li>'
        in project.build(text.replace("depth", 'depth "All"')).html
    )


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("answer", "docs/chapter.md:3: no page is docs/answer.md; did you mean 'answers'?"),
        ("answers", "docs/chapter.md:3: 'Why $d$?' cannot be listed: end it with an address, {#"),
    ],
)
def test_what_cannot_be_listed_is_named(project, named, says):
    project.file("docs/answers.md", "# Answers\n\n## Why $d$?\n")
    warnings = project.build(f"# Q\n\n::: sections {named}\n").warnings
    assert any(warning.startswith(says) for warning in warnings), warnings
