"""The measurements change and cut what they mean to; nothing here is timed."""

import json
from pathlib import Path

from bench import generated, growth, project, serving, tables

ROOT = Path(__file__).parents[2]


def test_the_floor_has_nothing_of_ours_but_the_text():
    plain = project.plain(project.settings())
    text = json.dumps(plain)
    assert "weave" not in text
    assert ".ipynb" not in json.dumps(plain["nav"])
    assert '"mkdocs-jupyter"' in text
    assert "variance.md" in plain["nav"]


def test_edits_land_where_a_reader_sees_them():
    page = (ROOT / serving.PAGE).read_text("utf-8")
    (line,) = set(serving.edit_sentence(page, "changed").splitlines()) - set(page.splitlines())
    assert line.endswith(" (changed)")
    assert line[0].isalpha()

    script = (ROOT / serving.SNIPPET).read_text("utf-8")
    cells = serving.edit_snippet(script, "changed").split("# %%")
    assert [cell.count("changed") for cell in cells][:3] == [0, 1, 0]
    compile("# %%".join(cells), "edited", "exec")


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


def test_the_readme_has_a_place_for_every_table():
    text = tables.README.read_text("utf-8")
    for name in ("builds", "serve", "first", "growth", "memory", "others", "weigh"):
        tables.put(text, name, "")
