"""Files beside the pages: scripts, figures, tables, labs, proofs, check_attention, robots.txt."""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib import metadata

from weave.basics.errors import WeaveError, read_text
from weave.basics.store import Entry
from weave.embeds.embed import Context
from weave.embeds.value import fill_in
from weave.pages import lab
from weave.pages.figure_file import figure_file
from weave.pages.one_file import one_file
from weave.pages.outside import robots
from weave.pages.wheel import build_wheel
from weave.project import Project, digest, is_no_edit
from weave.run.snippet import CELL, file_digest

CHECK_ATTENTION = "check_attention.py"
CHANGES = "check_attention-changes.txt"
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
MARKED = re.compile(r"[$*`\\{}]|\]\([^)]*\)|\[")  # in Markdown and TeX
# What a script begins with that needs modules or tables of ours: it brings them along.
BRINGS = """\
# %%
# The files of this site that the script reads, so that this one file runs alone.
import sys
import tempfile
from pathlib import Path

beside = tempfile.TemporaryDirectory()
__file__ = str(Path(beside.name, "{}"))
sys.path[:0] = [str(Path(__file__).parent), str(Path(beside.name, "common"))]


def bring(name, text):
    file = Path(beside.name, name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")


"""


def published(project: Project, address: str = "") -> dict[str, bytes]:
    """Give the files that are published beside the pages, whatever the engine.

    To publish something else, add a function that gives it, and call it here.

    Args:
        project: has been refreshed.
        address: at which the site will be, as far as is known.

    Returns:
        The content of each file, by its path below docs/ and the site's root.
    """
    return {
        **as_they_are(project),
        **scripts(project),
        **figures(project, address),
        **labs(project),
        **check_attention(project, address),
        **({"robots.txt": robots(address).encode()} if address else {}),
    }


def as_they_are(project: Project) -> dict[str, bytes]:
    """Give what lies beside the snippets, modules and tables, and the proofs."""
    found = {}
    for pattern in ("snippets/*/*", "proofs/*.v"):
        for path in sorted(project.root.glob(pattern)):
            is_hidden = path.name.startswith(".") or is_no_edit(path.name)
            if path.is_file() and not is_hidden:
                found[path.relative_to(project.root).as_posix()] = path.read_bytes()
    return found


def scripts(project: Project) -> dict[str, bytes]:
    """Give each snippet as one file that runs."""
    found = {}
    for name in sorted(project.runs.keys() - project.pending):
        if not name.startswith("labs/"):
            found[f"snippets/{name}.py"] = kept(project, "script", name, standalone).encode()
    return found


def figures(project: Project, address: str) -> dict[str, bytes]:
    """Give each figure as a drawing and as a table, beside its script."""
    found: dict[str, bytes] = {}
    for name, run in sorted(project.runs.items()):
        table = run.read("csv")  # of a snippet that draws nothing, and of a lab, None
        if table is not None:
            source = f"From: {address or 'Why √d?'}, snippets/{name}.py. Licence: CC BY 4.0."
            make = partial(drawn, source=source)
            drawing = kept(project, "figure file", name, make, {"source": source})
            found[f"snippets/{name}.svg"] = drawing.encode()
            found[f"snippets/{name}.csv"] = f"# {source}\n{table}".encode()
    return found


def drawn(name: str, context: Context, source: str) -> str:
    """Give a figure as a drawing that says where it is from."""
    run = context.look_up("run", name)
    return figure_file(run.read("svg"), plain_caption(name, run, context), source)


def plain_caption(name: str, run: Entry, context: Context) -> str:
    """Give the caption of a snippet's figure as text, its numbers filled in."""
    caption = run.read("script")[0]
    with suppress(WeaveError):  # the page that shows the figure reports it
        caption = fill_in(caption, context.of_caption(name))
    return MARKED.sub("", " ".join(caption.split()))


def kept(
    project: Project,
    kind: str,
    name: str,
    make: Callable[[str, Context], str],
    given: Mapping[str, str] = {},
) -> str:
    """Give what is published of a snippet, made again only if what it is made of has changed.

    Args:
        project: has been refreshed.
        kind: of entry.
        name: of the snippet.
        make: makes it of that. The context, its chapter's, notes what is looked up.
        given: digests of what else it is made of.
    """
    entry = project.find(kind, name, given)
    if entry is None:
        context = Context(project, f"{name.partition('/')[0]}.md")
        made = make(name, context)
        trace = {**context.trace, **given, "machinery pages": project.digest("machinery pages")}
        entry = project.store.write(kind, name, trace, {"made": made})
    return str(entry.read("made"))


def labs(project: Project) -> dict[str, bytes]:
    """Give each lab as a notebook and as a script, beside its page."""
    found = {}
    for name, path in sorted(project.jobs.items()):
        if name.startswith("labs/"):
            found[f"{name}/{path.name}"] = path.read_bytes()
            if name in project.runs:
                found[f"{name}/{path.stem}.py"] = lab.to_script(path).encode()
    return found


def check_attention(project: Project, address: str) -> dict[str, bytes]:
    """Give what watches a model, which links to the site: as a wheel, and as one file."""
    package = project.root / "check_attention"
    if not package.is_dir():
        return {}
    paths = [p for p in sorted(package.iterdir()) if p.is_file() and not is_no_edit(p.name)]
    digests = {path.name: file_digest(path) for path in paths}
    modules = {name: of_file for name, of_file in digests.items() if name.endswith(".py")}
    given = {"modules": digest(modules)}
    script = str(project.keep("one file", "machinery pages", lambda: one_file(package), given))
    if address:
        script = _of_site(script, address)
    version = VERSION.search(script)
    stated = f" {version[1]}" if version else ""
    origin = f"# check_attention{stated} as one file, from {address or 'the site Why √d?'}\n"
    found = {CHECK_ATTENTION: (origin + script).encode()}
    if (package / "pyproject.toml").is_file():

        def wheel() -> list[str]:
            texts = {path.name: read_text(path, f"check_attention/{path.name}") for path in paths}
            name, content = build_wheel({n: _of_site(text, address) for n, text in texts.items()})
            return [name, b64encode(content).decode()]

        given = {"files": digest(digests), "address": address}
        given["setuptools"] = metadata.version("setuptools")
        name, content = project.keep("wheel", "machinery pages", wheel, given)
        found[name] = b64decode(content)
        found[CHANGES] = (package / "CHANGELOG.md").read_bytes()
    return found


def _of_site(text: str, address: str) -> str:
    """Tell what links to the site where the site is."""
    return text.replace('SITE = ""', f'SITE = "{address}"', 1)


def standalone(name: str, context: Context) -> str:
    """Give a snippet as a script that runs in an empty folder, its numbers filled in.

    It brings along the modules and tables that it reads. A module finds a table beside itself:
    `Path(__file__).with_name("heads.csv")`.

    Args:
        name: of the snippet, such as `variance/spread`.
        context: of its chapter. It notes what was looked up.
    """
    project = context.project
    context.look_up("run", name)  # the script, and all that it has read
    within = [project.root / file for file in context.look_up("files_read", name)]
    script = read_text(project.jobs[name], f"snippets/{name}.py")
    first_cell = CELL.search(script)
    if not first_cell:
        raise WeaveError(f"snippets/{name}.py has no cells: begin each by a line '# %%'")
    above, below = script[: first_cell.start()], script[first_cell.start() :]
    with suppress(WeaveError):  # the page that shows the figure reports it
        above = fill_in(above, context.of_caption(name))
    if not within:
        return above + below
    brings = BRINGS.format(f"{name}.py")
    for file in within:
        text = read_text(file, "/".join(file.parts[-3:]))
        quoted = f"r'''{text}'''" if "'''" not in text else repr(text)
        brings += f'bring("{"/".join(file.parts[-2:])}", {quoted})\n'
    return f"{above}{brings}\n{below}"
