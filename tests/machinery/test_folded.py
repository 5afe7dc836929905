"""What is folded is kept as text: all of it, once, and nothing else."""

import re

from weave.pages.folds import kept_back

FOLD = "<details class='depth'><summary>More</summary>{}</details>"
CODE = '<div class="highlight"><pre><span></span><code>x</code></pre></div>'


def test_what_is_folded_becomes_text_and_the_rest_stays():
    html = f"<p>one</p>{FOLD.format('<p>two</p>')}<p>three</p>{FOLD.format('<p>four</p>')}"
    page = kept_back(html)
    assert re.findall("<noscript>(.*?)</noscript>", page) == ["<p>two</p>", "<p>four</p>"]
    assert re.sub("</?noscript>", "", page) == html


def test_a_fold_within_a_fold_is_kept_with_it():
    inner = FOLD.format("<p>deep</p>")
    page = kept_back(FOLD.format(f"<p>one</p>{inner}<p>two</p>"))
    assert page == FOLD.format(f"<noscript><p>one</p>{inner}<p>two</p></noscript>")


def test_a_page_without_folds_stays_as_it_is():
    html = f"<table><tr><td>1</td></tr></table>{CODE}"
    assert kept_back(html) == html


def test_folded_code_has_its_button_to_copy_it():
    page = kept_back(CODE + FOLD.format(CODE) + FOLD.format(CODE))
    targets = re.findall('data-clipboard-target="#([^ ]+) > code"', page)
    assert targets == re.findall('<pre id="([^"]+)">', page)
    assert len(set(targets)) == 2  # and not the code in the open, which Material sees to
