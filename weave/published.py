"""The files that lie beside the pages: scripts to take away, and the fonts."""

from base64 import b64decode, b64encode

from weave.project import Project
from weave.run import fonts, notebook


def published(project: Project) -> dict[str, bytes]:
    """Give the content of every file beside the pages, by its path below the site's root."""
    files = [path for path in (project.root / "snippets").glob("*/*") if path.is_file()]
    scripts = {
        path.relative_to(project.root).as_posix(): path.read_bytes()
        for path in sorted(files)
        if path.suffix != ".pyc"
    }
    for name in sorted(project.jobs):
        if name.startswith("labs/") and name not in project.failed:
            stem = name.removeprefix("labs/")
            scripts[f"{name}/{stem}.py"] = lab_script(project, stem).encode()
    return scripts | {f"assets/fonts/{n}.woff2": font for n, font in cut_fonts(project).items()}


def lab_script(project: Project, stem: str) -> str:
    """Give a lab as a script."""
    file = f"docs/labs/{stem}.ipynb"
    sources = [f"file {file}", "machinery pages"]
    script: str = project.keep(
        "script", stem, sources, lambda: notebook.to_script(project.root / file)
    )
    return script


def cut_fonts(project: Project) -> dict[str, bytes]:
    """Give the fonts, cut down to the signs of the site."""

    def make() -> dict[str, str]:
        cut = {n: fonts.subset(fonts.shipped(n), project.look_up("signs")) for n in fonts.FONTS}
        return {name: b64encode(font).decode() for name, font in cut.items()}

    kept = project.keep("fonts", "all", ["signs ", "machinery pages"], make)
    return {name: b64decode(font) for name, font in kept.items()}
