"""What `mkdocs serve` does in our way: how it looks for changes, and what it says of a mistake."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from mkdocs.exceptions import Abort, ConfigurationError
from mkdocs.livereload import LiveReloadServer
from watchdog.observers.polling import PollingObserverVFS
from yaml import MarkedYAMLError

from weave.basics.errors import WeaveError, read_text
from weave.basics.log import log
from weave.project import is_no_edit

SECONDS_BETWEEN_LOOKS = 0.2  # MkDocs looks every half second; a tenth takes an eighth of a core
SECONDS_UNTIL_BUILD = 0.02  # files that are saved within it are seen together


def look_often(server: LiveReloadServer) -> None:
    """Have the server look for changes more often, and pass over what is nobody's edit.

    Args:
        server: MkDocs' own, before it is started. It watches the same folders as before.
    """
    watched = list(server._watched_paths)
    for path in watched:
        server.unwatch(path)
    server.observer = PollingObserverVFS(  # type: ignore[assignment] # it is watchdog's, too
        stat=os.stat,
        listdir=files_in,  # type: ignore[arg-type] # it is never asked for None
        polling_interval=SECONDS_BETWEEN_LOOKS,
    )
    server.build_delay = SECONDS_UNTIL_BUILD
    for path in watched:
        server.watch(path)


def files_in(folder: str) -> Iterator[os.DirEntry[str]]:
    """List a folder without what editors, and Python, leave beside a file."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not is_no_edit(entry.name):
                yield entry


def reloads() -> bool:
    """Tell whether MkDocs' server makes the site again: not if it was started so as not to."""
    command = click.get_current_context(silent=True)
    return command is None or bool(command.params.get("livereload", True))


def end_as_by_control_c() -> None:
    """Have the server clean up, too, when it is asked to end in another way."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


class UnreadableError(Abort):
    """A file of the site cannot be read, so nothing has been built; its words say which and why."""


class DamagedError(Abort):
    """What is kept was found damaged as pages were made, and is put aside: build again."""


def go_on_without_build(server: LiveReloadServer) -> None:
    """Have the server say in a sentence why it cannot begin to build, and wait for the mend.

    Args:
        server: MkDocs' own. It reads mkdocs.yml at every build, before any plugin is asked, and
            would print a traceback (https://github.com/mkdocs/mkdocs/issues/3166).
    """
    build: Callable[[], None] = server.builder

    def build_or_say_why_not() -> None:
        try:
            try:
                build()
            except DamagedError:
                build()
        # And end as if the site had been built: else the server would answer no request.
        except ConfigurationError as error:
            log.error("%s. The site stays as it is until that is mended.", in_a_sentence(error))
        except UnreadableError as error:
            log.error("%s", error)

    server.builder = build_or_say_why_not


def in_a_sentence(error: ConfigurationError) -> str:
    """Give the line and the mistake, where it is known which they are."""
    cause = error.__context__
    if isinstance(cause, MarkedYAMLError) and cause.problem_mark:
        mark = cause.problem_mark
        name = Path(mark.name).name
        try:
            read_text(Path(mark.name), name)  # a merge may have left two versions in it
        except WeaveError as better:
            return str(better)
        said = ", ".join(part for part in (cause.context, cause.problem) if part)
        return f"{name}:{mark.line + 1}: {said}"
    return re.sub(r"\s+", " ", str(error)).rstrip(".")
