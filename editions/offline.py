"""The site in one zip, to be opened from a disk: links name the file that a server would choose."""

import re
import shutil
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

# A link to a folder of the site: `./`, `..`, `../variance/#puzzle`. (A page that has moved has one
# in a `<meta http-equiv="refresh">`.)
FOLDER = re.compile(
    r'(?:(?<= href=")|(?<=; url=))((?:[\w-]+/|\.\.?/)*(?:[\w-]+/|\.\.?/?))(?=["#?])'
)
FONT = re.compile(r'\s*<link rel="preload"[^>]*crossorigin>')  # from a disk it would be refused
FOUND = re.compile(r'(?<="at":")([^"#]*)')  # in search's list
FOR_SERVERS = ["404.html", "sitemap.xml", "sitemap.xml.gz"]
EARLIEST = (1980, 1, 1, 0, 0, 0)  # of all dates in a zip, so that two are the same


def write_zip(site: Path, to: Path) -> None:
    """Write the zip of a built site, with one folder of the zip's own name in it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "site")
        shutil.copytree(site, folder, ignore=shutil.ignore_patterns("*.map"))
        for_disk(folder)
        with ZipFile(to, "w", ZIP_DEFLATED, compresslevel=9) as file:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                name = f"{to.stem}/{path.relative_to(folder).as_posix()}"
                entry = ZipInfo(name, EARLIEST)
                entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
                file.writestr(entry, path.read_bytes())


def for_disk(folder: Path) -> None:
    """Change a copy of the built site so that it works without a server."""
    index = folder / "search/index.js"
    index.write_text(FOUND.sub(r"\1index.html", index.read_text("utf-8")), "utf-8")
    for name in FOR_SERVERS:
        (folder / name).unlink(missing_ok=True)
    for page in folder.rglob("*.html"):
        page.write_text(page_for_disk(page.read_text("utf-8")), "utf-8")


def page_for_disk(html: str) -> str:
    """Give a page whose links name files."""
    html = FOLDER.sub(lambda link: f"{link[0].removesuffix('/')}/index.html", html)
    return FONT.sub("", html)
