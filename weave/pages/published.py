"""The files that lie beside the pages: scripts, which run alone, proofs, and the fonts."""

import re
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path
from unicodedata import normalize

from weave.basics.errors import WeaveError, read_text
from weave.embeds.embed import Context
from weave.embeds.value import fill_in
from weave.project import Project, digest
from weave.run import fonts, notebook
from weave.run.snippet import CELL

VARIABLE = re.compile("<mi>(.)</mi>")
UNSEEN = re.compile(r' (?:alttext|aria-label)="[^"]*"')
# The italic form that a browser takes for a variable. Unicode had ℎ before the others.
ITALIC = {
    normalize("NFKC", italic): italic
    for italic in map(chr, [0x210E, *range(0x1D434, 0x1D468), *range(0x1D6FC, 0x1D715)])
}
# What a script begins with that needs modules or tables of ours: it brings them along.
BRINGS = """\
# %%
# The files of this site that the script reads, so that this one file runs alone.
import sys
import tempfile
from pathlib import Path

beside = tempfile.TemporaryDirectory()
__file__ = str(Path(beside.name, "{}"))
sys.path.insert(0, str(Path(__file__).parent))


def bring(name, text):
    file = Path(beside.name, name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")


"""


def published(project: Project) -> dict[str, bytes]:
    """Give every file beside the pages but the fonts, by its path below the site's root."""
    files = {
        path.relative_to(project.root).as_posix(): path.read_bytes()
        for pattern in ("snippets/*/*", "proofs/*.v")
        for path in sorted(project.root.glob(pattern))
        if path.is_file() and path.name[0] != "."
    }
    for name, path in sorted(project.jobs.items()):
        if name in project.failed:
            continue
        if name.startswith("labs/"):
            files[f"{name}/{path.stem}.py"] = notebook.to_script(path).encode()
        else:
            within = [project.root / file for file in project.look_up("files_read", name)]
            files[f"snippets/{name}.py"] = standalone(project, name, within).encode()
    return files


def write_fonts(project: Project, site: Path) -> None:
    """Write the fonts of a built site, cut down to the characters that its pages show."""
    found: set[str] = set()
    for page in site.rglob("*.html"):
        text = UNSEEN.sub("", page.read_text("utf-8"))
        found.update(text, (ITALIC.get(letter, letter) for letter in VARIABLE.findall(text)))
    characters = "".join(sorted(found))

    def cut() -> dict[str, str]:
        made = {name: fonts.subset(fonts.shipped(name), characters) for name in fonts.FONTS}
        return {name: b64encode(font).decode() for name, font in made.items()}

    made = project.keep("fonts", "machinery pages", cut, {"characters": digest(characters)})
    for name, font in made.items():
        file = site / f"assets/fonts/{name}.woff2"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b64decode(font))


def standalone(project: Project, name: str, within: list[Path]) -> str:
    """Give a snippet as a script that runs in an empty folder, its numbers filled in.

    Args:
        project: has run it.
        name: of the snippet, such as `variance/spread`.
        within: the modules and tables that it reads, which it brings along. A module finds a table
            beside itself: `Path(__file__).with_name("heads.csv")`.
    """
    script = read_text(project.jobs[name], f"snippets/{name}.py")
    first_cell = CELL.search(script)
    if not first_cell:
        raise WeaveError(f"snippets/{name}.py has no cells: begin each by a line '# %%'")
    above, below = script[: first_cell.start()], script[first_cell.start() :]
    chapter = name.partition("/")[0]
    with suppress(WeaveError):  # the page that shows the figure reports it
        above = fill_in(above, Context(project, f"{chapter}.md").of_caption(name))
    if not within:
        return above + below
    brings = BRINGS.format(f"{name}.py")
    for file in within:
        text = read_text(file, "/".join(file.parts[-3:]))
        quoted = f"r'''{text}'''" if "'''" not in text else repr(text)
        brings += f'bring("{"/".join(file.parts[-2:])}", {quoted})\n'
    return f"{above}{brings}\n{below}"
