"""The site in one zip, to be opened from a disk, where browsers fetch nothing and start no worker.

So links name the file that a server would choose, and search finds its index and its worker in two
scripts. The first is what Material's own script asks for on a disk.
"""

import json
import re
import shutil
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

# A link to a folder of the site: `./`, `..`, `../variance/#puzzle`.
FOLDER = re.compile(r'(?<= href=")((?:[\w-]+/|\.\.?/)*(?:[\w-]+/|\.\.?/?))(?=["#?])')
SEARCH = re.compile(r'(?=<script src="([./]*)assets/javascripts/search\.js">)')
FONT = re.compile(r'\s*<link rel="preload"[^>]*crossorigin>')  # from a disk it would be refused
POLICY = re.compile(r'(?<=<meta http-equiv="Content-Security-Policy" content=")[^"]*')
FOR_SERVERS = ["404.html", "sitemap.xml", "sitemap.xml.gz", "search/search_index.json"]
WORKER = """\
{{
  const {{ Worker }} = window;
  const source = {};
  window.Worker = class extends Worker {{
    constructor() {{
      super(URL.createObjectURL(new Blob([source], {{ type: "text/javascript" }})));
    }}
  }};
}}
"""
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
    index = json.loads((folder / "search/search_index.json").read_text("utf-8"))
    for found in index["docs"]:
        path, hash_, anchor = found["location"].partition("#")
        found["location"] = f"{path}index.html{hash_}{anchor}"
    written = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (folder / "search/search_index.js").write_text(f"var __index = {written}", "utf-8")
    [worker] = folder.glob("assets/javascripts/workers/search.*.min.js")
    source = json.dumps(worker.read_text("utf-8"), ensure_ascii=False)
    (folder / "search/worker.js").write_text(WORKER.format(source), "utf-8")
    for name in FOR_SERVERS:
        (folder / name).unlink(missing_ok=True)
    for page in folder.rglob("*.html"):
        page.write_text(page_for_disk(page.read_text("utf-8")), "utf-8")


def page_for_disk(html: str) -> str:
    """Give a page whose links name files, and whose search asks for scripts alone."""
    html = FOLDER.sub(lambda link: f"{link[0].removesuffix('/')}/index.html", html)
    html = SEARCH.sub(r'<script src="\1search/worker.js"></script>\n    ', html)
    html = POLICY.sub(lambda policy: policy[0].replace("worker-src", "worker-src blob:"), html)
    return FONT.sub("", html)
