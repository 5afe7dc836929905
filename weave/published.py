"""The files that lie beside the pages: scripts and proofs to take away, and the fonts."""

from base64 import b64decode, b64encode
from functools import partial

from weave.project import Project
from weave.run import fonts, notebook


def published(project: Project) -> dict[str, bytes]:
    """Give the content of every file beside the pages, by its path below the site's root."""
    files = {
        path.relative_to(project.root).as_posix(): path.read_bytes()
        for pattern in ("snippets/*/*", "proofs/*.v")
        for path in sorted(project.root.glob(pattern))
        if path.is_file() and path.suffix != ".pyc" and path.name[0] != "."
    }
    for name, path in sorted(project.jobs.items()):
        if name.startswith("labs/") and name not in project.failed:
            to_script = partial(notebook.to_script, path)
            script = project.keep("script", f"file docs/{name}.ipynb", to_script)
            files[f"{name}/{path.stem}.py"] = script.encode()

    def cut() -> dict[str, str]:
        signs = project.look_up("signs")
        made = {name: fonts.subset(fonts.shipped(name), signs) for name in fonts.FONTS}
        return {name: b64encode(font).decode() for name, font in made.items()}

    for name, font in project.keep("fonts", "signs ", cut).items():
        files[f"assets/fonts/{name}.woff2"] = b64decode(font)
    return files
