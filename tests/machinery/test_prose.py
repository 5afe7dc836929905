"""What a snippet says stands on a page, holds, and can fail; typed numbers are known to code."""

import re

import pytest

from weave.run.assertions import Assertion
from weave.text.numbers import Settings
from weave.text.prose import Texts, judge, note_on
from weave.text.sentences import Text, sentences

PAGE = "# Lines\n\n::: chapter/line\n\n{text}\n"
COMPUTE = "import numpy as np\n\nslope = 1.5\nstd = np.array([2.0, 4, 8])\nsame = []"
COMPUTE += "\nm = 12\ndims = [5, 6, 8]"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """One folder for all cases of one page: what runs snippets starts once for it."""
    return tmp_path_factory.mktemp("prose")


@pytest.fixture
def chapter(root, project):
    """A project in that folder."""
    project.root = root
    (root / "docs").mkdir(exist_ok=True)
    return project


@pytest.fixture
def said(chapter):
    """Give the warnings of a page whose snippet says something."""

    def build(says: str, text: str) -> list[str]:
        chapter.snippet(COMPUTE, says=says)
        built = chapter.build(PAGE.format(text=text))
        assert built.warnings == [] or "weave-error" in built.html
        return built.warnings

    return build


RISES = 'assert np.all(np.diff(std) > 0), "it rises from line to line"'
LINE = re.compile(r"snippets/chapter/line.py:\d+\b")


@pytest.mark.parametrize(
    ("says", "text", "warning"),
    [
        (RISES, "So it *rises* from [line](#a) to line.", None),
        (RISES, "So it rises from\nline to line: {= line.slope }.", None),
        (RISES, "So it falls from line to line.", "no page has the words of"),
        (
            RISES,
            "It rises, from line to line. It rises from line to line.",
            None,
        ),
        (RISES.replace("it rises from line", "a line through"), "Text.", "no page has the words"),
        (RISES.replace("it rises from line to line", "A line through the"), "Text.", None),
        (
            RISES.replace("from line to", "from … to"),
            "It rises from {= line.slope } to line.",
            None,
        ),
        (RISES.replace("from line to", "… to"), "It rises so: from line to line.", None),
        (RISES.replace("from line to", "… to"), "It rises so. Now to line.", "no page has"),
        (RISES.replace("> 0", "> 2"), "It rises from line to line.", "it is [2. 4.] and 2"),
        ('assert slope > 2, "more than two of"', "So more than two of it.", "it is 1.5 and 2"),
        ('assert slope > 1 and slope < 1.2, "more than one of"', "It is more than one of.", "1.2"),
        (
            'assert slope > 1 or slope < 3, "more than one of"',
            "It is more than one of.",
            "'slope > 1' decides nothing",
        ),
        ('assert all(x > 1 for x in same), "all of the same"', "It is all of the same.", "nothing"),
        ('assert 3 > 2, "more than two of"', "It is more than two of.", "asks for no result"),
        (
            'for x in std:\n    assert x > slope, "each is larger than it"',
            "Each is larger than it.",
            None,
        ),
        ('for x in same:\n    assert x > 1, "each of them is"', "Each of them is.", "nothing"),
        (
            "it = iter([2, 3])\n" + 2 * 'assert next(it) > slope, "it is used up"\n',
            "It is used up.",
            None,
        ),
        (RISES, "For $a<b$ it rises from line to line, and $c>d$.", None),
        (
            'for x in std:\n    assert x < 8, "each is smaller than it"',
            "Each is smaller than it.",
            "'x < 8' does not hold: it is 8.0 and 8",
        ),
    ],
)
def test_words_of_the_page_are_borne_out(said, says, text, warning):
    found = said(says, text)
    if warning is None:
        assert found == []
    else:
        assert len(found) == 1
        assert warning in found[0]
        assert LINE.search(found[0])
        assert found[0].startswith(("docs/chapter.md:5: ", "docs/chapter.md:3: "))


@pytest.mark.parametrize(
    "says",
    ["assert slope > 1", 'assert slope > 1, "two words"', "assert slope > 1, f'{slope} of it'"],
)
def test_an_assertion_without_words_is_a_mistake(said, says):
    [found] = said(says, "Two words of it.")
    assert LINE.search(found)
    assert "an assertion's message is plain words of a page" in found


@pytest.mark.parametrize(
    ("says", "mistake"),
    [
        ("np.testing.assert_allclose(slope, 9)", "AssertionError"),
        ('def f():\n    assert slope > 1, "more than one of"\n\nf()', "decides nothing"),
    ],
)
def test_an_assertion_of_another_kind_is_a_mistake(said, says, mistake):
    [found] = said(says, "It is more than one of it.")
    assert LINE.search(found)
    assert mistake in found


def test_a_page_and_a_caption_may_say_the_same(said):
    says = 'assert np.all(np.diff(std) > 0), "straight line that rises from the"'
    assert said(says, "A straight line that rises from the origin.") == []
    [found] = said(says.replace("> 0", "> 2"), "A straight line that rises from the origin.")
    assert "does not hold: it is [2. 4.] and 2; the page says" in found


def test_of_two_sentences_that_say_the_same_one_that_is_altered_is_noted():
    rises = "It rises from line to line."
    snippet, held = "chapter/line", Assertion(9, "it rises from line to line", "slope > 0")

    def notes(caption: str) -> list[str]:
        written = {
            "docs/chapter.md": f"::: {snippet}\n\n{rises}\n",
            "snippets/chapter/line.py": caption,
        }
        page, script = (Text(name, text, [*sentences(text)]) for name, text in written.items())
        texts = Texts({"chapter": page}, {snippet: script}, {snippet: [held]})
        texts.settings[snippet] = Settings({}, [])
        found = judge(texts)
        assert found.mistakes["chapter.md"] == []
        return [*filter(None, (note_on(texts, each) for each in found.statements))]

    assert notes(rises) == []
    [note] = notes("It falls from line to line.")
    assert note.startswith(
        "snippets/chapter/line.py:1: 'It falls from line to line.': no assertion"
    )


def test_the_nearest_sentence_is_named(said):
    [found] = said(RISES, "First.\n\nIt climbs from line to line.\n\nLast.")
    assert found.startswith("docs/chapter.md:7: no page has the words of")
    assert "near is 'It climbs from line to line.'" in found
    # Not a longer sentence that has more of its words, elsewhere.
    caption = "assert std[0] > 1, 'A line over the origin'"
    (found,) = said(caption, "The origin of a line is over there, and a line is over here.")
    assert "near is 'A line through the origin.'" in found


@pytest.mark.parametrize(
    ("text", "says", "number"),
    [
        ("It is {= line.slope }, not 3.", "", "3"),
        ("It is {= line.std[2] } at 2.", "", None),
        ("It is {= line.slope }, at most 1.", "", None),
        ("It is {= line.slope }, at 9:30.", "", None),
        ("Of 12 it is {= line.slope }.", "", None),  # a setting: the cell has m = 12
        ("Of 12 it is {= line.std[2] }.", "", None),
        ("Of 5 it is {= line.slope }.", "", None),  # the first of several
        ("Of 6 it is {= line.slope }.", "", "6"),  # one within, of which the ends are not said
        ("Of 5, 6 and 8 it is {= line.slope }.", "", None),
        ("Of 5 it is {= line.std[2] }.", "", "5"),  # a key says which is meant
        ("It is {= line.slope } in Theorem 3, as “4” says.", "", None),
        ("It is less than 3 of them.", "", None),
        ("It is less than 3 of them.", 'assert slope < 3, "less than 3 of"', None),
        ("It is less than 4 of them, or 3.", 'assert slope < 3, "less than 4 of"', "4"),
        ("Of $n = 7$ it is {= line.slope }.", "", "7"),
        ("Of $7$ it is {= line.slope }.", "", "7"),
        ("A 7-key query has {= line.slope }, in Qwen2-7B.", "", "7"),
        ("It is {= line.slope } or 150%.", 'assert slope == 1.5, "or 150% of it"', "150"),
        ("| 7 | {= line.slope } |", "", "7"),
    ],
)
def test_a_number_beside_a_computed_one_is_known_to_code(said, text, says, number):
    text = text.replace("150%.", "150% of it.")
    found = said(says, text)
    known = number is None or number == "150"  # 150 % is the 1.5 of the code
    assert [each for each in found if "no code knows" in each] == ([] if known else found)
    assert known or f"docs/chapter.md:5: no code knows {number}: " in found[0]


def captioned(project, alternative, compute=COMPUTE, says=""):
    """Give the warnings of a page whose figure has these words for a text alternative."""
    project.snippet(compute, says=says)
    script = project.root / "snippets/chapter/line.py"
    text = script.read_text().replace(
        "One straight line that rises from the lower left to the upper right.", alternative
    )
    script.write_text(text)
    return project.build(PAGE.format(text="Text.")).warnings


def test_what_a_loop_goes_through_is_asserted_of_each(said):
    says = 'for n in (1, 2):\n    assert std[n] > slope, "at 1 and 2 it is"'
    assert said(says, "At 1 and 2 it is more.") == []
    [found] = said(says.replace("(1, 2)", "(0, 1)"), "At 1 and 2 it is more.")
    assert "no code knows 2" in found


UNKNOWN = "docs/chapter.md:3: snippets/chapter/line.py:4: no code knows 7: "


@pytest.mark.parametrize(
    ("alternative", "compute", "says"),
    [
        ("First.\nIt rises to 7.", COMPUTE, ""),
        # A message, a comment, a text, and what only draws make no number known.
        ("First.\nIt rises to 7.", COMPUTE, 'assert slope > 1, "First … to 7 is"'),
        ("First.\nIt rises to 7.", COMPUTE, 'assert slope > 1, "it rises to 7"'),
        ("First.\nIt rises to 7.", f"{COMPUTE}  # up to 7", ""),
        ("First.\nIt rises to 7.", f"{COMPUTE}\nname = 'up to 7'", ""),
        # A key says which of several settings is meant.
        (
            "First.\nAt 7 it is {= std[4] }.",
            "std = {4: 2.0, 7: 3.0}\ndims = [4, 7]\nslope = 2",
            "",
        ),
    ],
)
def test_a_number_in_a_caption_that_no_code_knows(chapter, alternative, compute, says):
    found = captioned(chapter, alternative, compute, says)
    assert [each for each in found if each.startswith(UNKNOWN)]
    known = alternative.replace("7", "4")
    assert not [
        each
        for each in captioned(chapter, known, f"{compute}\nn = 4", says)
        if "no code knows" in each
    ]


@pytest.mark.parametrize(
    ("alternative", "more"),
    [
        ("It rises to 7.", "n = 7"),
        ("It rises to 7.", "dims = [4, 7]"),
        ("It rises to 7.", "for n in [4, 7]: pass"),
        ("It rises to 4096.", "n = 4**6"),
        ("It rises to 12%.", "n = 0.12"),
        ("It rises at $n = 7$.", "n, m = 7, 8"),
        ("It rises to 7, or {= std[7] }.", "std = {7: 1.0}"),
        ("It rises to 3, 5 and 7.", "dims = [3, 5, 7]"),
        ("1. Here is the first.\n2. It rises.", ""),
        ("It rises at 12:30.", ""),
    ],
)
def test_a_number_in_a_caption_that_code_knows(chapter, alternative, more):
    assert captioned(chapter, alternative, f"{COMPUTE}\n{more}") == []


def test_a_setting_that_is_named_is_compared_with_that_one(chapter):
    compute = f"{COMPUTE}\nd, n = 64, 32"
    assert captioned(chapter, "It rises at $d = 64$.", compute) == []
    [found] = captioned(chapter, "It rises at $d = 32$.", compute)
    assert found.endswith("line.py:3: the code has d = 64, and the text 32")


def test_a_list_that_starts_a_sentence_is_no_number(said):
    assert said("", "1. First.\n2. softmax gives {= line.slope }.") == []
    [found] = said("", "1. First.\n2. softmax of 3 gives {= line.slope }.")
    assert "no code knows 3" in found


def test_another_page_that_quotes_the_snippet_may_have_the_words(project):
    project.snippet(COMPUTE, says=RISES)
    project.file(
        "docs/other.md", "# Other\n\nIt rises from line to line: {= chapter/line.slope }.\n"
    )
    assert project.build(PAGE.format(text="Text.")).warnings == []
    project.file(
        "docs/other.md", "# Other\n\nIt falls from line to line: {= chapter/line.slope }.\n"
    )
    [found] = project.build(PAGE.format(text="Text.")).warnings
    assert found.startswith("docs/other.md:3: no page has the words of snippets/chapter/line.py:")


def test_a_caption_is_checked_on_the_page_that_shows_it(project):
    """A chapter may stand on several pages: its own need not have all of its figures."""
    captioned(project, "First.\nIt rises to 7.", COMPUTE)
    project.file("docs/other.md", "# Other\n\n::: chapter/line\n")
    [found] = project.build("# Chapter\n\nNo figure.\n").warnings
    assert found.startswith("docs/other.md:3: snippets/chapter/line.py:4: no code knows 7: ")


def test_what_takes_several_snippets_imports_the_others(project):
    text = "# Lines\n\n{= line.slope }, and {= steep.slope }.\n\nSo the second is steeper.\n"
    says = 'import steep\n\nassert steep.slope > slope, "the second is steeper"'
    project.snippet("slope = 1.5", says=says)
    project.snippet("slope = 2.5", name="chapter/steep")
    assert project.build(text).warnings == []
    project.snippet("slope = 0.5", name="chapter/steep")
    [found] = project.build(text).warnings
    assert found.startswith("docs/chapter.md:5: snippets/chapter/line.py:")
    assert "'steep.slope > slope' does not hold: it is 0.5 and 1.5" in found


def test_a_folder_without_a_page_speaks_to_the_home_page(project):
    project.snippet(COMPUTE, says=RISES, name="chaptr/line")
    (warning,) = project.build("# C\n").warnings
    assert warning.startswith("docs/index.md:1: no page has the words of snippets/chaptr/line.py")
