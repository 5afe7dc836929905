"""A small project to weave: write snippets and pages, convert or build them, read the result."""

import logging
from pathlib import Path
from types import SimpleNamespace

import markdown
import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from weave import Runner, Weave

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

    def __init__(self, root: Path, caplog) -> None:
        self.root = root
        self.log = caplog
        self.runner = Runner(root, time_limit=20)
        (root / "docs").mkdir()

    def snippet(self, compute="slope = 1.0", draw=DRAW, name="chapter/line") -> str:
        """Write a snippet from its two cells."""
        return self.file(f"snippets/{name}.py", SNIPPET.format(compute=compute, draw=draw))

    def file(self, name: str, text: str) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    def convert(self, text: str) -> str:
        """Convert Markdown as a page that stands in no site."""
        extensions = [Weave(root=str(self.root)), "tables", "pymdownx.superfences"]
        return markdown.markdown(text, extensions=extensions)

    def build(self, text: str, strict=False) -> SimpleNamespace:
        """Build a site whose one chapter is `text`; give the chapter's HTML and the warnings."""
        self.file("docs/index.md", "# Home\n")
        self.file("docs/chapter.md", text)
        self.file(
            "mkdocs.yml",
            "site_name: test\nplugins: []\nmarkdown_extensions:\n"
            "  - pymdownx.superfences\n  - admonition\n"
            "  - attr_list\n  - def_list\n  - md_in_html\n"
            f"  - weave: {{root: {self.root}, time_limit: 20}}\n",
        )
        self.log.clear()
        self.log.set_level(logging.WARNING)
        build(load_config(str(self.root / "mkdocs.yml"), strict=strict))
        return SimpleNamespace(
            html=(self.root / "site/chapter/index.html").read_text(),
            warnings=[record.getMessage() for record in self.log.records],
        )


@pytest.fixture
def project(tmp_path, caplog, monkeypatch) -> Project:
    monkeypatch.setattr("weave.fonts.make", lambda *arguments: None)  # a second, each time
    return Project(tmp_path, caplog)
