"""The learning curves on the front page: those of the chapter, which reads the table otherwise."""

from tests.tolerance import close


def test_the_curves_are_the_chapters(snippet):
    page, chapter = snippet("index/learning"), snippet("training/learning")
    for divisor in ("none", "√d"):
        assert close(page.curve[divisor], chapter.curve[64, divisor])
        assert not close(page.curve[divisor], chapter.curve[256, divisor], 1e-3)
    assert close(page.even, chapter.even)
