"""Each table has a box, in the open and folded, and the rules that it had before."""

from weave.pages.tables import boxed, styled

TABLE = "<table data-source='note'><tr><td>1</td></tr></table>"


def test_each_table_without_a_class_gets_a_box():
    page = boxed(f"<p>{TABLE}</p>\n<table>\n</table><table id='a' class='own'></table>")
    assert page.count("scrollwrap") == page.count("</table></div></div>") == 2
    assert page.count('class="boxed"') == 2
    assert "data-source='note'" in page
    assert "</div><table id='a' class='own'></table>" in page


def test_a_box_is_made_once():
    assert boxed(boxed(TABLE)) == boxed(TABLE)


def test_the_rules_for_tables_hold():
    rules = ".t table:not([class]) td{color:red}.t a:not([class]){}"
    assert styled(rules) == ".t table.boxed td{color:red}.t a:not([class]){}"
