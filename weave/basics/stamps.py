"""Look over the files that snippets and pages are made of: whether one has changed since."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from weave.basics.errors import WeaveError

WATCHED = ("snippets", "docs", "proofs")
OUT = "this link leads out of the project; put the file itself here"


def survey(root: Path) -> tuple[object, dict[str, WeaveError]]:
    """Give what differs once a file has changed, and an error for each link that leads out."""
    stamps, out = hashlib.sha256(), {}
    for file in (file for folder in WATCHED for file in below(root / folder)):
        name = file.relative_to(root).as_posix()
        if file.is_symlink() and not file.resolve().is_relative_to(root.resolve()):
            out[name] = WeaveError(f"{name}: {OUT}")  # what it leads to would be published
        if file.is_file():
            stat = file.stat()
            stamps.update(repr((name, stat.st_mtime_ns, stat.st_size)).encode())
    return (stamps.digest(), *out), out


def below(folder: Path) -> Iterator[Path]:
    """Yield what lies below a folder, always in the same order: a list of it would take memory."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        yield from (Path(place, name) for name in [*folders, *sorted(files)])
