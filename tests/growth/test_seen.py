"""Published sizes: what is computed of them."""

from tests.tolerance import close


def test_seen(snippet):
    page = snippet("growth/seen")
    assert close(page.tail * 5.4, 318)
    assert not close(page.tail * 3.3, page.differential, 0.1), "the other model of that table"
