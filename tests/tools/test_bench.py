"""The measurements change and cut what they mean to; nothing here is timed."""

import json
from pathlib import Path

import pytest

from bench import generated, growth, project, serving, tables
from bench.processes import Cost

ROOT = Path(__file__).parents[2]


def test_the_floor_has_nothing_of_ours_but_the_text():
    plain = project.plain(project.settings())
    text = json.dumps(plain)
    assert "weave" not in text
    assert ".ipynb" not in json.dumps(plain["nav"])
    assert '"mkdocs-jupyter"' in text
    assert "variance.md" in plain["nav"]


def test_a_plugin_is_left_out_with_or_without_options():
    items = ["search", "weave", {"weave": {"root": "."}}, {"weaver": {}}]
    assert project.not_called(items, "weave") == ["search", {"weaver": {}}]


def test_a_part_of_the_contents_with_notebooks_alone_is_left_out():
    nav = ["a.md", {"Labs": [{"A": "a.ipynb"}]}, {"More": ["b.md", "b.ipynb"]}, {"C": "c.md"}]
    assert project.without_notebooks(nav) == ["a.md", {"More": ["b.md"]}, {"C": "c.md"}]


def test_edits_land_where_a_reader_sees_them():
    page = (ROOT / serving.PAGE).read_text("utf-8")
    (line,) = set(serving.edit_sentence(page, "changed").splitlines()) - set(page.splitlines())
    assert line.endswith(" (changed)")
    assert line[0].isalpha()

    script = (ROOT / serving.SNIPPET).read_text("utf-8")
    cells = serving.edit_snippet(script, "changed").split("# %%")
    assert [cell.count("changed") for cell in cells][:3] == [0, 1, 0]
    compile("# %%".join(cells), "edited", "exec")


def test_every_figure_is_on_one_page():
    made = list(generated.pages(12))
    assert [page for page, _ in made] == ["page_1", "page_2"]
    assert [wave.number for _, waves in made for wave in waves] == list(range(1, 13))


def test_the_tools_are_given_the_same_figures(tmp_path):
    for write in (generated.weave, generated.jupyter, generated.markdown_exec, generated.myst):
        root = tmp_path / write.__name__
        root.mkdir()
        write(root, 2)
        files = [file for file in root.rglob("*page_1*/*") if file.suffix == ".py"]
        files += root.rglob("page_1.*")
        text = "\n".join(file.read_text("utf-8") for file in files)
        for wave in (generated.Wave(1), generated.Wave(2)):
            assert text.count(f"np.sin({wave.number} * x)") == 1
            assert wave.caption in text
            assert rf"\sin {wave.number}x$" in text.replace("\\\\", "\\")


def test_tools_are_compared_in_the_versions_that_the_site_uses():
    site = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    shared = growth.REQUIREMENTS.read_text("utf-8").partition("\n\n")[0].splitlines()
    assert {line for line in shared if not line.startswith("#")} <= set(site)


def test_a_table_replaces_the_one_before():
    text = "A\n<!-- a -->\nold\n<!-- end of a -->\nB\n<!-- b -->\n<!-- end of b -->\n"
    once = tables.put(text, "a", "new")
    assert once == tables.put(once, "a", "new")
    assert "old" not in once
    assert once.endswith("B\n<!-- b -->\n<!-- end of b -->\n")
    with pytest.raises(ValueError, match="no place for 'c'"):
        tables.put(text, "c", "new")


def test_the_readme_has_a_place_for_every_table():
    text = tables.README.read_text("utf-8")
    for name in ("builds", "serve", "first", "growth", "memory", "others", "weigh"):
        tables.put(text, name, "")


def test_a_promise_that_is_not_kept_is_said_so():
    assert tables.promise("start", 3.04, 3, " s")[1:] == ("3.0 s", "≤ 3.0 s", "**no**")
    assert tables.promise("start", 2.9, 3, " s")[-1] == "yes"


def test_what_was_stopped_is_shown_as_such():
    cost = Cost(wall=2.0, user=3.0, peak=100, child_peak=50)
    slow = growth.Growth("slow", 10, [cost], "> 600")
    stuck = growth.Growth("stuck", 10, [], "> 600")
    _, first, second = growth.table([slow, stuck])
    assert first == ("10", "slow", "2.0", "3.0", "> 600", "100.0", "50.0")
    assert second == ("10", "stuck", *["> 600"] * 5)


def test_growing_memory_is_noticed():
    def used(tool, figures, peak):
        return growth.Growth(tool.name, figures, [Cost(1, 1, peak=peak, child_peak=100)])

    grown = [used(growth.WEAVE, 10, 100), used(growth.WEAVE, 1000, 150), used(growth.PLAIN, 10, 80)]
    _, child, build, plain = growth.memory(grown)
    assert child[1:] == ("1.00", "≤ 1.10", "yes")
    assert build[1:] == ("1.50", "≤ 1.10", "**no**")
    assert plain[1] == "1.00"
    assert growth.memory([growth.Growth("weave", 10, [], "failed")])[1:] == []
