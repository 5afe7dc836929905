"""Published sizes: what is computed of them, and that the picture and the table have the same."""

import re

from tests.conftest import PROJECT
from tests.tolerance import close


def test_seen(snippet):
    page = snippet("growth/seen")
    assert close(page.tail * 5.4, 318)
    assert not close(page.tail * 3.3, page.differential, 0.1), "the other model of that table"
    table = (PROJECT.root / "docs/growth.md").read_text("utf-8")
    sizes = re.findall(r"^\| [^|]+ \| (?:over )?([\d,]+) \|", table, re.MULTILINE)
    assert sorted(int(each.replace(",", "")) for each in sizes) == sorted(
        {int(a) for a in page.largest.values()}
    )
