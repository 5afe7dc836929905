"""A small project to weave: write snippets and pages, convert or build them, read the result."""

import contextlib
import logging
import shutil
from pathlib import Path
from types import SimpleNamespace

import markdown
import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from weave import Weave
from weave.project import Project as Woven
from weave.project import project_at

SNIPPET = '''"""A line through the origin.

One straight line that rises from the lower left to the upper right.
"""

# %%
{compute}

# %%
{draw}
'''
DRAW = "import matplotlib.pyplot as plt\n\nplt.plot([0, 1])\nplt.show()"


class Project:
    """A folder with docs/ and snippets/."""

    level = logging.WARNING
    more = ""  # extensions of Markdown, in YAML

    def __init__(self, root: Path, caplog) -> None:
        self.root = root
        self.log = caplog
        (root / "docs").mkdir()

    def run(self, name="chapter/line") -> SimpleNamespace:
        """Refresh a project that knows nothing yet; give a snippet's results and its figure."""
        woven = Woven(self.root)
        woven.refresh()
        svg = woven.run_of(name).read("svg")
        return SimpleNamespace(results=woven.results(name), svg=svg, woven=woven)

    def forget(self) -> None:
        """Remove what is kept."""
        project_at.cache_clear()
        shutil.rmtree(self.root / ".cache", ignore_errors=True)

    def snippet(self, compute="slope = 1.0", draw=DRAW, name="chapter/line", says="") -> str:
        """Write a snippet from its two cells, and the third, if it says something."""
        cells = SNIPPET.format(compute=compute, draw=draw)
        return self.file(f"snippets/{name}.py", f"{cells}\n# %% says\n{says}" if says else cells)

    def file(self, name: str, text: str) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    def convert(self, text: str, *more: str) -> str:
        """Convert Markdown as a page that stands in no site."""
        extensions = [Weave(), "tables", "pymdownx.superfences", *more]
        with contextlib.chdir(self.root):
            return markdown.markdown(text, extensions=extensions)

    def build(self, text: str, strict=False) -> SimpleNamespace:
        """Build a site whose one chapter is `text`; give the chapter's HTML and the warnings."""
        self.file("docs/index.md", "# Home\n")
        self.file("docs/chapter.md", text)
        self.file(
            "mkdocs.yml",
            "site_name: test\nplugins: [weave]\nmarkdown_extensions:\n"
            "  - pymdownx.superfences\n  - admonition\n"
            f"  - attr_list\n  - def_list\n  - md_in_html\n  - weave\n{self.more}",
        )
        self.log.clear()
        self.log.set_level(self.level)
        build(load_config(str(self.root / "mkdocs.yml"), strict=strict))
        return SimpleNamespace(
            html=(self.root / "site/chapter/index.html").read_text(),
            warnings=[record.getMessage() for record in self.log.records],
        )


@pytest.fixture(autouse=True, scope="module")
def own_cache():
    """Have small projects keep their own, wherever what this one keeps may lie."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("WEAVE_CACHE", raising=False)
        yield


@pytest.fixture
def project(tmp_path, caplog, monkeypatch) -> Project:
    monkeypatch.setattr("weave.pages.web_fonts.ON_THE_SITE", ())  # a second, each time
    return Project(tmp_path, caplog)
