"""Copies of the project in temporary folders, and plain Material with the same Markdown."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from mkdocs.utils.yaml import yaml_load

ROOT = Path(__file__).resolve().parents[1]
# What builds make, and what `make clean` removes.
BUILT = ("site", ".cache", "docs/assets/fonts", "docs/snippets")

Settings = dict[str, Any]


@contextmanager
def folder() -> Iterator[Path]:
    """Give an empty folder for a project, and delete it and what lies beside it in the end."""
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as above:
        root = Path(above).resolve() / "project"
        root.mkdir()
        yield root


@contextmanager
def copy() -> Iterator[Path]:
    """Give a copy of the project as it is now, with no builds and no cache."""
    with folder() as root:
        copy_files(root)
        yield root


@contextmanager
def plain_copy() -> Iterator[Path]:
    """Give the floor: the project's Markdown for plain Material, without notebooks."""
    with folder() as root:
        copy_files(root, "docs")
        shutil.rmtree(root / "docs" / "labs")
        write_settings(plain(settings()), root)
        yield root


def copy_files(root: Path, *under: str) -> None:
    """Copy the files that git tracks or would track, all or those under some folders."""
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *under)
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():  # deleted, if not
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name)


def remove_builds(root: Path) -> None:
    """Make the next build a cold one."""
    for name in BUILT:
        shutil.rmtree(root / name, ignore_errors=True)


def settings() -> Settings:
    """Read the project's mkdocs.yml, as MkDocs reads it."""
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        return yaml_load(file)


def write_settings(settings: Settings, root: Path) -> None:
    """Write mkdocs.yml."""
    text = yaml.dump(settings, allow_unicode=True, sort_keys=False)
    (root / "mkdocs.yml").write_text(text, "utf-8")


def plain(settings: Settings, **notebooks: Any) -> Settings:
    """Take out of mkdocs.yml what is ours, and leave Material with mkdocs-jupyter.

    Args:
        settings: the project's.
        notebooks: options for mkdocs-jupyter.
    """
    left = {key: value for key, value in settings.items() if key not in {"hooks", "watch"}}
    left["theme"] = {k: v for k, v in settings["theme"].items() if k != "custom_dir"}
    left["nav"] = without_notebooks(settings["nav"])
    left["markdown_extensions"] = not_called(settings["markdown_extensions"], "weave")
    plugins = not_called(settings["plugins"], "weave", "mkdocs-jupyter")
    # Its defaults would make a page of every script, and hide what fails in a notebook.
    usual = {"include": ["*.ipynb"], "allow_errors": False}
    left["plugins"] = [*plugins, {"mkdocs-jupyter": usual | notebooks}]
    return left


def not_called(items: list[str | Settings], *names: str) -> list[str | Settings]:
    """Leave out of a list of plugins or extensions those with a name, with or without options."""
    return [i for i in items if (i if isinstance(i, str) else next(iter(i))) not in names]


def without_notebooks(nav: list[Any]) -> list[Any]:
    """Leave out of the contents the notebooks, and parts that have nothing else."""
    left = []
    for entry in nav:
        title, target = next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)
        if isinstance(target, list):
            target = without_notebooks(target)
        if target and not str(target).endswith(".ipynb"):
            left.append({title: target} if title else target)
    return left
