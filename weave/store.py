"""What is kept between builds: one SQLite file, of which only what is asked for is read.

An entry (what a snippet computed, what a page became) has a kind, a name and parts; the part
`trace` says what was looked up to make it, with a digest of each answer. The entry is fresh as long
as the answers are the same. Parts are text: nothing that is read from here can run.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS parts
(kind TEXT, name TEXT, part TEXT, data BLOB, PRIMARY KEY (kind, name, part))
"""


class Store:
    """Entries by kind and name.

    Args:
        file: where they are kept. A file that is cut off, or is none of ours, gives way to a new
            one: all that is in it can be made again.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.connection = connect(file)
        except sqlite3.DatabaseError:
            for part in file.parent.glob(f"{file.name}*"):  # SQLite's own journals lie beside it
                part.unlink()
            self.connection = connect(file)

    def names(self, kind: str) -> set[str]:
        """Name the entries of a kind."""
        rows = self.connection.execute("SELECT DISTINCT name FROM parts WHERE kind = ?", (kind,))
        return {name for (name,) in rows}

    def parts(self, kind: str, name: str) -> set[str]:
        """Name the parts of an entry."""
        query = "SELECT part FROM parts WHERE kind = ? AND name = ?"
        return {part for (part,) in self.connection.execute(query, (kind, name))}

    def read(self, kind: str, name: str, part: str) -> str | None:
        """Give a part of an entry, if there is one."""
        query = "SELECT data FROM parts WHERE kind = ? AND name = ? AND part = ?"
        row = self.connection.execute(query, (kind, name, part)).fetchone()
        return zlib.decompress(row[0]).decode() if row else None

    def write(self, kind: str, name: str, parts: Mapping[str, str]) -> None:
        """Keep an entry in place of the one that there was: all of it, or nothing."""
        packed = {part: zlib.compress(text.encode(), 1) for part, text in parts.items()}
        with self.connection as connection:
            connection.execute("DELETE FROM parts WHERE kind = ? AND name = ?", (kind, name))
            rows = [(kind, name, part, data) for part, data in packed.items()]
            connection.executemany("INSERT INTO parts VALUES (?, ?, ?, ?)", rows)

    def sweep(self, kind: str, wanted: Iterable[str]) -> None:
        """Drop the entries of a kind that nothing refers to any more."""
        unwanted = [(kind, name) for name in self.names(kind) - {*wanted}]
        with self.connection as connection:
            connection.executemany("DELETE FROM parts WHERE kind = ? AND name = ?", unwanted)


def connect(file: Path) -> sqlite3.Connection:
    """Open the file, or make it.

    Raises:
        sqlite3.DatabaseError: it is no whole store.
    """
    # Another build may be writing, and an engine may weave pages in threads.
    connection = sqlite3.connect(file, timeout=30, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        connection.execute(SCHEMA)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    if state != "ok":
        connection.close()
        raise sqlite3.DatabaseError(state)
    return connection
