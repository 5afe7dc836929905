"""What is kept between builds: one SQLite file, of which only what is asked for is read.

An entry (what a snippet computed, what a page became) has a kind, a name and parts; the part
`trace` says what was looked up to make it, with a digest of each answer. The entry is fresh as long
as the answers are the same. Parts are JSON: nothing that is read from here can run.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weave.basics.errors import WeaveError

# The number counts on when the columns change. The journal is kept to a tenth of what is usual.
SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA wal_autocheckpoint = 100;
CREATE TABLE IF NOT EXISTS parts_1 (kind, name, part, data, PRIMARY KEY (kind, name, part));
"""
REFUSED = "{}: {}; is another build at work, is the disk full, may it be written? Else `make clean`"


class Store:
    """Entries by kind and name, in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        # Another build may be writing, and an engine may weave pages in threads.
        options: Any = {"timeout": 30, "check_same_thread": False, "isolation_level": None}
        try:
            self.connection = sqlite3.connect(file, **options)
            self.connection.executescript(SCHEMA)
        except sqlite3.DatabaseError as error:
            raise WeaveError(REFUSED.format(file, error)) from None

    def read(self, kind: str, name: str, part: str) -> Any:
        """Give a part of an entry, or None."""
        query = "SELECT data FROM parts_1 WHERE kind = ? AND name = ? AND part = ?"
        row = self.connection.execute(query, (kind, name, part)).fetchone()
        return json.loads(zlib.decompress(row[0])) if row else None

    def write(self, kind: str, name: str, parts: Mapping[str, Any]) -> None:
        """Keep an entry in place of the one that there was: all of it, or nothing."""
        data = {part: zlib.compress(json.dumps(value).encode(), 1) for part, value in parts.items()}
        rows = [(kind, name, *row) for row in data.items()]
        with self.transaction() as connection:
            connection.execute("DELETE FROM parts_1 WHERE kind = ? AND name = ?", (kind, name))
            connection.executemany("INSERT INTO parts_1 VALUES (?, ?, ?, ?)", rows)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Do several things with no other build between them: all of them, or nothing."""
        try:
            with self.connection as connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
        except sqlite3.DatabaseError as error:
            raise WeaveError(REFUSED.format(self.file, error)) from None
