"""What differs from the main branch, committed or not: what an author is working on."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

# Where the main branch is, whatever its repository is called here: the newest of these counts.
REMOTE = re.compile(r"refs/remotes/[^/]+/(?:main|HEAD)")
LOCAL = "refs/heads/main"


def git(root: Path, *arguments: str) -> str:
    """Give what git says.

    Raises:
        OSError: there is no git.
        subprocess.CalledProcessError: git refuses: this is no repository, say.
    """
    command = ["git", "-C", str(root), "-c", "core.quotePath=false", *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def base_of(root: Path) -> str:
    """Give the commit at which the work at hand left the main branch.

    On the main branch itself that is what was last fetched; where no other repository is known,
    the last commit.

    Raises:
        OSError, subprocess.CalledProcessError: as `git` does.
    """
    refs = set(git(root, "for-each-ref", "--format=%(refname)").split())
    mains = [ref for ref in sorted(refs) if REMOTE.fullmatch(ref)] or [LOCAL] * (LOCAL in refs)
    if not mains:
        return git(root, "rev-parse", "HEAD").strip()
    return git(root, "merge-base", "HEAD", *mains).strip()


def changed_files(root: Path) -> set[str]:
    """Name the files that differ from the main branch, those that are gone or new among them.

    Raises:
        OSError, subprocess.CalledProcessError: as `git` does.
    """
    options = ("--relative", "--name-only", "--no-renames", "-z")
    differ = git(root, "diff", *options, base_of(root))
    return {name for name in (differ + unknown_files(root)).split("\0") if name}


def texts_before(root: Path, names: Iterable[str]) -> dict[str, str]:
    """Give those of some files that differ from the main branch, each with its text there.

    The text is empty where the file is new.

    Raises:
        OSError, subprocess.CalledProcessError: as `git` does.
    """
    base, texts = base_of(root), {}
    for name in changed_files(root).intersection(names):
        try:
            texts[name] = git(root, "show", f"{base}:./{name}")
        except subprocess.CalledProcessError:
            texts[name] = ""
    return texts


def unknown_files(root: Path) -> str:
    """Name the files that git does not know yet, and does not ignore, each with a zero after it."""
    return git(root, "ls-files", "--others", "--exclude-standard", "-z")
