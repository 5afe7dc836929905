"""What lies beside the pages: the scripts that they link to. (Fonts: test_fonts.py.)"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.conftest import PROJECT
from weave.pages.published import published


@cache
def downloads() -> dict[str, bytes]:
    """Give what this site offers."""
    PROJECT.refresh()
    return published(PROJECT)


def run(code: bytes, folder: Path) -> str:
    """Run a script in an empty folder, and give what it says of its failure."""
    (folder / "script.py").write_bytes(code)
    env = {"MPLBACKEND": "agg", "HOME": str(folder), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-W", "ignore", "script.py"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert [path.name for path in folder.glob("*.py")] == ["script.py"]
    return done.stderr if done.returncode else ""


# Every way to import a module of ours, and every module that figures share, at least once.
SCRIPTS = ["index/learning", "scales/floats", "trained/shares", "variance/spread"]
MORE = [
    *("claims/verdicts", "saturation/assumed", "saturation/logits", "scales/spread", "theorem/law"),
    *("theorem/quarter_turn", "training/first_step", "variance/experiment", "variance/puzzle"),
]


@pytest.mark.parametrize(
    "name", [*SCRIPTS, *(pytest.param(name, marks=pytest.mark.long) for name in MORE)]
)
def test_a_script_runs_alone(name, tmp_path):
    assert run(downloads()[f"snippets/{name}.py"], tmp_path) == ""


def test_as_it_stands_in_the_repository_it_does_not(tmp_path):
    script = PROJECT.root / "snippets/variance/spread.py"
    assert "No module named 'dot_product'" in run(script.read_bytes(), tmp_path)


def test_a_site_that_knows_no_address_lists_none(project, monkeypatch):
    project.file("site/.git/config", "a checkout's")
    project.build("# T\n")
    assert (project.root / "site/.git/config").is_file()
    assert not [*(project.root / "site").glob("sitemap.xml*")]
    config = (project.root / "mkdocs.yml").read_text()
    project.file("mkdocs.yml", f"site_url: https://example.org/\n{config}")
    build(load_config(str(project.root / "mkdocs.yml")))
    assert "https://example.org/chapter/" in (project.root / "site/sitemap.xml").read_text()


def test_search_engines_are_told_what_a_page_is_where_its_address_is_known(project):
    page = "---\ntitle: A chapter\ndescription: What it says.\n---\n\n# A chapter\n\nwords\n"
    answers = "# Why?\n\nAbove.\n\n## Why </b> $d$? {#why}\n\nBecause. So.\n\nRead on: there.\n"
    project.file("docs/questions-why.md", answers)
    project.build(page)
    site = project.root / "site"
    assert not (site / "robots.txt").exists()
    assert "ld+json" not in (site / "chapter/index.html").read_text("utf-8")

    config = (project.root / "mkdocs.yml").read_text("utf-8")
    project.file("mkdocs.yml", f"site_url: https://example.org/\n{config}")
    build(load_config(str(project.root / "mkdocs.yml")))
    assert "Sitemap: https://example.org/sitemap.xml" in (site / "robots.txt").read_text("utf-8")
    chapter, questions = (data_of(site / name) for name in ("chapter", "questions-why"))
    assert chapter["headline"] == "A chapter"
    assert chapter["url"] == "https://example.org/chapter/"
    (entry,) = questions["mainEntity"]
    assert entry["acceptedAnswer"]["text"] == "Because. So."
    assert entry["url"] == "https://example.org/questions-why/#why"


def data_of(folder: Path) -> dict[str, object]:
    """Read what a page says of itself for machines."""
    html = (folder / "index.html").read_text("utf-8")
    return json.loads(
        html.partition('<script type="application/ld+json">')[2].partition("</script>")[0]
    )
