"""A finished site: folds are text, tables have boxes, and it takes the last one's place."""

import logging
import re
from pathlib import Path

import pytest

from weave.basics.errors import WeaveError
from weave.basics.store import Store
from weave.pages.finish import BOXED, TABLE, Site, folds_as_text, with_policy

FOLD = "<details class='depth'><summary>More</summary>{}</details>"
CODE = '<div class="highlight"><pre><span></span><code>x</code></pre></div>'
DATA = "<table data-source='note'><tr><td>1</td></tr></table>"


def test_what_is_folded_becomes_text_and_the_rest_stays():
    inner = FOLD.format("<p>deep</p>")
    html = f"<p>one</p>{FOLD.format(inner)}<p>three</p>{FOLD.format('<p>four</p>')}{CODE}"
    page = folds_as_text(html)
    assert re.findall("<noscript>(.*?)</noscript>", page) == [inner, "<p>four</p>"]
    assert re.sub("</?noscript>", "", page) == html


def test_an_end_too_many_leaves_the_next_fold_alone():
    page = folds_as_text(f"a</details>{FOLD.format('b')}")
    assert page == f"a</details>{FOLD.format('<noscript>b</noscript>')}"


@pytest.fixture
def site(tmp_path):
    """A site that is a checkout, and of which a new one is ready to be put up."""
    for name in ("site/.git/config", "site/old.html"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    site = Site(tmp_path / "site")
    site.new.mkdir()
    (site.new / ".nojekyll").write_text("new")
    return site


def files(site) -> list[str]:
    paths = site.place.rglob("*")
    return sorted(f.relative_to(site.place).as_posix() for f in paths if f.is_file())


def test_the_new_site_keeps_what_is_hidden_in_the_last(site):
    (site.place / ".nojekyll").write_text("old")
    site.publish(Store(site.place.with_name("store")))
    assert files(site) == [".git/config", ".nojekyll"]
    assert (site.place / ".nojekyll").read_text() == "new"


@pytest.mark.parametrize("refused", ["site", "last"])
def test_a_site_that_cannot_be_replaced_stays(site, monkeypatch, refused):
    rename = Path.rename

    def refuse(path, to):
        if path in (site.place, site.new) and to.name == refused:
            raise PermissionError
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", refuse)
    store = Store(site.place.with_name("store"))
    with pytest.raises(PermissionError):
        site.publish(store)
    site.beside.cleanup()
    assert files(site) == [".git/config", "old.html"]


@pytest.mark.parametrize("swapped", [False, True])
def test_the_next_build_takes_back_what_a_killed_one_has_moved(site, swapped):
    site.place.rename(Path(site.beside.name, "last"))
    if swapped:
        site.new.rename(site.place)
    Site(site.place).beside.cleanup()
    assert files(site) == [".git/config", ".nojekyll" if swapped else "old.html"]


def test_a_site_that_may_not_be_there_may_be_elsewhere(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(WeaveError, match=r"file.*; the site can be built elsewhere: -d FOLDER"):
        Site(tmp_path / "file/site")


def test_a_page_without_a_place_for_its_policy_is_not_published():
    assert "Content-Security-Policy" in with_policy('<meta charset="utf-8">')
    with pytest.raises(WeaveError, match="below which it states its policy"):
        with_policy("<meta charset=utf-8>")


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


def test_a_build_says_where_the_site_is_and_not_where_it_was_made(project):
    project.level = logging.INFO
    said = project.build("# T\n").warnings
    assert f"The site is in {(project.root / 'site').resolve()}" in said
    assert not [line for line in said if ".site-" in line or "Cleaning" in line]
