"""No digit depends on a seed: what pages print is the same with other seeds.

With shifted seeds everything is run that draws random numbers, and what changes is an error, but
for a number with its standard error, which may move by it, and for what is openly one draw.
"""

import contextlib
import io
from collections.abc import Iterator

import pytest
from pytest_codeblocks import extract_from_buffer

from tests.conftest import PROJECT
from tests.labs import test_labs as labs
from tests.text.seeds import (
    DRAWS,
    PRINTED,
    Difference,
    differences,
    shifted,
    with_shifted_seeds,
)
from weave.project import Project

ROOT = PROJECT.root
SHIFTS = [1, 2, 3]
PAGES = [
    path.relative_to(ROOT / "docs").as_posix()
    for path in sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("docs/labs/*.ipynb")])
]
# What pages print of one draw, and say so ("this draw", or a figure's text alternative): part of
# its place, and why it is not computed exactly.
ONE_DRAW = {
    "000-01: {=": "two vectors are an example of an identity, which holds for any",
    "000-09: {=": "a definition, worked out for one covariance of no special form",
    "000-12: {=": "the extremes of ten small networks that were trained, and of 200 samples",
    "000-39: {=": "a formula, for one covariance of no special form",
    "000-40: {=": "how lopsided one matrix of no special form becomes",
    "001-34: {=": "the extremes of 400 repetitions, as somebody sees them who repeats it",
    "002-31: {=": "16 scores are an example; a draw cannot be averaged and stay one",
    "{= spectrum.": "an example of a theorem, for one covariance of no special form",
    "figure-spectrum": "the same",
    "figure-rows": "four draws are shown, to show what a draw looks like",
    "questions/undivided.": "one layer learns one set of queries, as an example",
    "coordinate_check.": "two networks of each width are trained; a third would cost as much again",
    # Examples, by a part of their code.
    'print(f"a token with itself': "numbers to compare one's own with, of one batch of tokens",
    'print(f"variance of matrix A': "somebody's experiment, as he ran it once",
    'print(f"right pairs': "one batch of tokens is an example of what holds for any",
    'print(f"by hand': "one entry of a gradient, by two routes that have to meet",
    'print(f"with {name}: off by': "how many standard errors off depends on the covariance drawn",
}


def excuse(found: Difference) -> str:
    """Give the part of its place by which the list has something that differs; empty without."""
    return next((part for part in ONE_DRAW if part in found.place), "")


def unexpected(found: list[Difference]) -> list[str]:
    """Name what differs and is not openly one draw."""
    return [str(each) for each in found if not (each.openly and excuse(each))]


@pytest.fixture(scope="module", params=SHIFTS)
def shifted_project(request, tmp_path_factory):
    PROJECT.refresh()
    return with_shifted_seeds(PROJECT, tmp_path_factory.mktemp("seeds"), request.param)


@pytest.mark.long
def test_no_digit_depends_on_the_seed(shifted_project):
    found = [each for page in PAGES for each in differences(PROJECT, shifted_project, page)]
    assert unexpected(found) == []
    stale = {part for part in ONE_DRAW if "print(" not in part} - {excuse(each) for each in found}
    assert not stale, f"these do not depend on the seed: take them off the list: {stale}"


@pytest.mark.long
def test_no_example_depends_on_the_seed():
    found = [each for page in PAGES for shift in SHIFTS for each in in_examples(page, shift)]
    assert unexpected(found) == []
    assert {excuse(each) for each in found} == {part for part in ONE_DRAW if "print(" in part}


def in_examples(page: str, shift: int) -> Iterator[Difference]:
    """Yield what the examples on a page print otherwise with shifted seeds."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    for block in extract_from_buffer(io.StringIO(text if page.endswith(".md") else "")):
        if block.syntax == "python" and DRAWS.search(block.code) and block.expected_output:
            printed = io.StringIO()
            with shifted(shift), contextlib.redirect_stdout(printed):
                exec(block.code, {"__name__": "__main__"})
            one, two = block.expected_output.strip(), printed.getvalue().strip()
            if PRINTED.sub("±", one) != PRINTED.sub("±", two):
                above = "".join(text.splitlines(keepends=True)[: block.lineno - 1])
                sentence = above.strip().removesuffix("```python").strip().splitlines()[-1]
                place = f"docs/{page}:{block.lineno}: {block.code}"
                yield Difference(place, one, two, "this draw" in sentence)


@pytest.mark.long
@labs.EACH_EXERCISE
def test_no_check_of_a_lab_depends_on_the_seed(path, number):
    with shifted(1):
        labs.test_a_check_rejects_typical_mistakes(path, number)


@pytest.mark.long
@labs.EACH_LAB
def test_no_answer_depends_on_the_seed_of_its_check(path):
    with shifted(1):
        labs.test_a_lab_accepts_its_own_solutions(path)
        labs.test_a_check_accepts_an_unusual_answer(path)


DRAW = '''"""A mean."""

# %%
import numpy as np

draw = np.random.default_rng(0).standard_normal(10_000) + 2.02
mean, error = draw.mean(), draw.std() / 100
measured, too_sure = (mean, error), (mean, error / 500)
exact, draw = 2.02, draw[:3].tolist()
'''


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Give a project whose one snippet draws, and the same with other seeds."""
    root = tmp_path_factory.mktemp("drawn")
    (root / "docs").mkdir()
    (root / "snippets/law").mkdir(parents=True)
    (root / "snippets/law/it.py").write_text(DRAW, "utf-8")
    project = Project(root)
    project.refresh()
    return project, with_shifted_seeds(project, root, 1)


@pytest.mark.parametrize(
    ("page", "differs"),
    [
        ("It is {= it.mean :.4f }.", "{= it.mean :.4f }: '2."),
        ("It is {= it.mean :.0f }.", ""),
        ("It is {= it.exact :.4f }.", ""),
        ("It is {= it.measured :.4f }.", ""),
        ("It is {= it.too_sure :.5f }.", "{= it.too_sure :.5f }: '2."),
        ("It is {= it.mean :.4f } in this draw.", "{= it.mean :.4f }: '2."),  # on no list
    ],
)
def test_a_digit_that_depends_on_the_seed_is_named(drawn, page, differs):
    (drawn[0].root / "docs/law.md").write_text(page, "utf-8")
    found = unexpected(differences(*drawn, "law.md"))
    assert len(found) == bool(differs)
    assert all(each.startswith("docs/law.md:1: ") and differs in each for each in found), found


def test_what_is_one_draw_says_so_and_is_on_the_list():
    listed = Difference("docs/a.md:1: {= spectrum.exact }", "1", "2", openly=True)
    assert unexpected([listed]) == []
    assert len(unexpected([listed._replace(openly=False)])) == 1
    assert len(unexpected([listed._replace(place="docs/a.md:1: {= law.exact }")])) == 1
