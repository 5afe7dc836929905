"""The files that lie beside the pages: scripts, which run alone, proofs, and the fonts."""

from base64 import b64decode, b64encode
from functools import partial
from pathlib import Path

from weave.project import Project
from weave.run import fonts, notebook
from weave.run.snippet import CELL

# What a script begins with that needs modules or tables of ours: it brings them along.
BRINGS = """\
# %%
# The files of this site that the script reads, so that this one file runs alone.
import sys
import tempfile
from pathlib import Path

beside = tempfile.TemporaryDirectory()
sys.path.insert(0, beside.name)
"""


def published(project: Project) -> dict[str, bytes | Path]:
    """Give every file beside the pages by its path below the site's root: its content, or itself.

    What is published as it is would only fill the memory.
    """
    files: dict[str, bytes | Path] = {
        path.relative_to(project.root).as_posix(): path
        for pattern in ("snippets/*/*", "proofs/*.v")
        for path in sorted(project.root.glob(pattern))
        if path.is_file() and path.suffix != ".pyc" and path.name[0] != "."
    }
    for name, path in sorted(project.jobs.items()):
        if name in project.failed:
            continue
        if name.startswith("labs/"):
            to_script = partial(notebook.to_script, path)
            script = project.keep("script", f"file docs/{name}.ipynb", to_script)
            files[f"{name}/{path.stem}.py"] = script.encode()
        else:
            if within := [project.root / file for file in project.look_up("brought", name)]:
                files[f"snippets/{name}.py"] = alone(path, within).encode()
    return files | cut_fonts(project)


def content_of(what: bytes | Path) -> bytes:
    """Give the content of a published file."""
    return what.read_bytes() if isinstance(what, Path) else what


def cut_fonts(project: Project) -> dict[str, bytes]:
    """Give the fonts, cut down to the signs in use, by their paths below the site's root."""

    def cut() -> dict[str, str]:
        signs = project.look_up("signs")
        made = {name: fonts.subset(fonts.shipped(name), signs) for name in fonts.FONTS}
        return {name: b64encode(font).decode() for name, font in made.items()}

    made = project.keep("fonts", "signs ", cut)
    return {f"assets/fonts/{name}.woff2": b64decode(font) for name, font in made.items()}


def alone(script: Path, within: list[Path]) -> str:
    """Give a script that runs in an empty folder: with the modules and tables that it reads.

    A module finds a table beside itself: `Path(__file__).with_name("heads.csv")`.
    """
    code, brings = script.read_text("utf-8"), ""
    for file in within:
        text = file.read_text("utf-8")
        quoted = f"r'''{text}'''" if "'''" not in text else repr(text)
        brings += f'Path(beside.name, "{file.name}").write_text({quoted}, "utf-8")\n'
    return CELL.sub(lambda cell: f"{BRINGS}{brings}\n{cell[0]}", code, 1)
