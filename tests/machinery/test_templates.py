"""Templates are compiled once, for all builds of a process, and again when they change."""

from tempfile import TemporaryDirectory

import pytest
from jinja2 import Environment
from mkdocs.commands.build import build
from mkdocs.config import load_config

from weave.engines.mkdocs import WeavePlugin

SETTINGS = (
    "site_name: test\nplugins: [weave]\nmarkdown_extensions: [weave]\n"
    "theme: {name: mkdocs, custom_dir: overrides}\n"
)
MAIN = '{{% extends "base.html" %}}{{% block content %}}{} words{{% endblock %}}'


@pytest.fixture
def made(project, monkeypatch):
    """`made(word)` builds a site whose template says `word`, and names what was compiled."""
    project.file("docs/index.md", "# Home\n")
    settings = project.file("mkdocs.yml", SETTINGS)
    compiled, compile_ = [], Environment.compile

    def spy(self, source, name=None, *rest, **more):
        compiled.append(name)
        return compile_(self, source, name, *rest, **more)

    monkeypatch.setattr(Environment, "compile", spy)
    monkeypatch.setattr(WeavePlugin, "compiled", TemporaryDirectory())  # as in a new process

    def made(word: str) -> set[str]:
        compiled.clear()
        project.file("overrides/main.html", MAIN.format(word))
        build(load_config(str(project.root / settings)))
        assert f"{word} words" in (project.root / "site/index.html").read_text()
        return set(compiled)

    return made


def test_a_template_is_compiled_once_and_when_it_changes(made):
    assert {"main.html", "base.html"} <= made("Few")
    assert made("Few") == set()
    assert made("Other") == {"main.html"}
