"""A finished page: what is folded is text, and each table has a box in which it scrolls."""

import re

from weave.pages.finish import BOXED, TABLE, folds_as_text

FOLD = "<details class='depth'><summary>More</summary>{}</details>"
CODE = '<div class="highlight"><pre><span></span><code>x</code></pre></div>'
DATA = "<table data-source='note'><tr><td>1</td></tr></table>"


def test_what_is_folded_becomes_text_and_the_rest_stays():
    inner = FOLD.format("<p>deep</p>")
    html = f"<p>one</p>{FOLD.format(inner)}<p>three</p>{FOLD.format('<p>four</p>')}{CODE}"
    page = folds_as_text(html)
    assert re.findall("<noscript>(.*?)</noscript>", page) == [inner, "<p>four</p>"]
    assert re.sub("</?noscript>", "", page) == html


def test_folded_code_has_its_button_to_copy_it():
    page = folds_as_text(CODE + FOLD.format(CODE) + FOLD.format(CODE))
    targets = re.findall('data-clipboard-target="#([^ ]+) > code"', page)
    assert targets == re.findall('<pre id="([^"]+)">', page)
    assert len(set(targets)) == 2  # and not the code in the open, which Material sees to


def test_each_table_without_a_class_gets_a_box():
    page = TABLE.sub(BOXED, f"<p>{DATA}</p>\n<table>\n</table><table id='a' class='own'></table>")
    assert page.count("scrollwrap") == page.count("</table></div></div>") == 2
    assert page.count('class="boxed"') == 2
    assert "data-source='note'" in page
    assert "</div><table id='a' class='own'></table>" in page
    assert TABLE.sub(BOXED, page) == page
