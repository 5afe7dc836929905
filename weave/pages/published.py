"""The files that lie beside the pages: scripts, which run alone, and proofs."""

from contextlib import suppress
from pathlib import Path

from weave.basics.errors import WeaveError, read_text
from weave.embeds.embed import Context
from weave.embeds.value import fill_in
from weave.pages import lab
from weave.project import Project
from weave.run.snippet import CELL

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
    for name in sorted(project.runs):
        path = project.jobs[name]
        if name.startswith("labs/"):
            files[f"{name}/{path.stem}.py"] = lab.to_script(path).encode()
        else:
            within = [project.root / file for file in project.look_up("files_read", name)]
            files[f"snippets/{name}.py"] = standalone(project, name, within).encode()
    return files


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
