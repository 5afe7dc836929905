"""What is kept between builds: one SQLite file, of which only what is asked for is read.

An entry is what a snippet gave when it was run, or what a page became. It has a kind, a name, and
parts. Its trace says what was looked up to make it, with a digest of each answer: as long as the
answers are the same, the entry need not be made again.

Of each name several entries are kept, made of other files or by another machinery, so that going to
another branch and back makes nothing again. An entry never changes, whatever another build keeps
meanwhile. Parts are JSON: nothing that is read from here can run.

One file of SQLite's, and not a file for each entry: of two builds at once none sees half of what
the other keeps, a page that quotes one number reads that part and no other, and what is too old
goes in the same step in which something is kept.

A file that is damaged is put aside, and all is made again. What the machine refuses (a full disk, a
file that may not be written) is an error: making all again would not mend it.

The file lies in the project's folder `.cache`, or in the one that the environment variable
`WEAVE_CACHE` names. Nothing else is written within the project, so that one that may only be read
can be built elsewhere.
"""

import json
import os
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weave.basics.errors import WeaveError
from weave.basics.log import log

# The number in the tables' names counts on when the columns change. `used` orders the entries of a
# name: the higher, the later one came into use. The journal is kept to a tenth of what is usual.
# What a power failure takes of a cache is made again, so no write waits until the disk has it.
SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA wal_autocheckpoint = 100;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
CREATE TABLE IF NOT EXISTS entries_2 (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind, name, used, trace, UNIQUE (kind, name, trace)
);
CREATE TABLE IF NOT EXISTS parts_2 (
    entry REFERENCES entries_2 ON DELETE CASCADE, part, data, PRIMARY KEY (entry, part)
);
"""
ENTRIES_OF_A_NAME = 12  # that are kept: those that came into use last
PLACE = "WEAVE_CACHE"
REFUSED = (
    "{}: {}; is another build at work, is the disk full, may it be written? "
    f"The environment variable {PLACE} can name another folder for it"
)
ASIDE = "%s was damaged (%s). It is now %s, and what it kept is made again."
DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def place_of_cache(root: Path) -> Path:
    """Give the file that keeps what builds of a project have made.

    Args:
        root: the project's folder.
    """
    return Path(os.environ.get(PLACE) or root / ".cache").absolute() / "weave.sqlite"


@dataclass(frozen=True)
class Entry:
    """What was made once, and of what: by look-up, the digest of the answer."""

    name: str
    trace: Mapping[str, str]
    id: int = field(repr=False)
    connection: sqlite3.Connection = field(repr=False)

    def read(self, part: str) -> Any:
        """Give a part, or None if there is no such part."""
        query = "SELECT data FROM parts_2 WHERE entry = ? AND part = ?"
        row = self.connection.execute(query, (self.id, part)).fetchone()
        try:
            return json.loads(zlib.decompress(row[0])) if row else None
        except zlib.error as error:  # SQLite does not look into what it keeps
            raise damaged(str(error)) from None


class Store:
    """Entries by kind and name, in a file.

    Raises:
        WeaveError: the machine refuses to read or write the file.
    """

    connection: sqlite3.Connection

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self.open()
        except (OSError, sqlite3.DatabaseError) as error:
            if isinstance(error, OSError) or not is_damage(error):
                raise WeaveError(REFUSED.format(file, error)) from None
            self.put_aside(error)

    def open(self) -> None:
        """Open the file, or make it.

        Raises:
            sqlite3.DatabaseError: it is damaged, or no store; or the machine refuses.
        """
        self.connection = sqlite3.connect(
            self.file,
            timeout=30,  # seconds: another build may be writing
            check_same_thread=False,  # an engine may weave pages in threads
            isolation_level=None,  # a transaction begins where `transaction` says so
        )
        self.connection.executescript(SCHEMA)
        (found,) = self.connection.execute("PRAGMA quick_check(1)").fetchone()  # 7 ms
        if found != "ok":
            raise damaged(" ".join(found.replace("*** in database main ***", "").split()))

    def put_aside(self, error: sqlite3.DatabaseError) -> None:
        """Put a damaged file aside, and begin with an empty one; the author is told.

        Entries of the old one cannot be read any more.

        Args:
            error: how the damage was noticed.

        Raises:
            WeaveError: the machine refuses.
        """
        aside = self.file.with_name(f"{self.file.name}.damaged")
        try:
            self.connection.close()
            self.file.replace(aside)
            for journal in ("-wal", "-shm"):  # of the old file; they would spoil the new one
                self.file.with_name(self.file.name + journal).unlink(missing_ok=True)
            self.open()
        except (OSError, sqlite3.DatabaseError) as refusal:
            raise WeaveError(REFUSED.format(self.file, refusal)) from None
        log.info(ASIDE, self.file, error, aside.name)

    def entries(self, kind: str, name: str) -> Iterator[Entry]:
        """Yield the entries of a name, the one that came into use last before the others."""
        query = "SELECT trace, id FROM entries_2 WHERE kind = ? AND name = ? ORDER BY used DESC"
        for trace, id in self.connection.execute(query, (kind, name)).fetchall():
            yield Entry(name, json.loads(trace), id, self.connection)

    def write(
        self, kind: str, name: str, trace: Mapping[str, str], parts: Mapping[str, Any]
    ) -> Entry:
        """Keep an entry: all of it, or nothing. What is kept of the name longest unused goes.

        Args:
            kind: `run` or `page`, say.
            name: of the snippet or the page.
            trace: what was looked up to make it, with the digests of the answers.
            parts: what was made; JSON has to know its types.

        Returns:
            The entry. If another build has kept one with this trace meanwhile, it is that one.
        """
        packed = {
            part: zlib.compress(json.dumps(value).encode(), 1) for part, value in parts.items()
        }
        key = (kind, name, json.dumps(trace, sort_keys=True))
        with self.transaction() as connection:
            query = "SELECT id FROM entries_2 WHERE kind = ? AND name = ? AND trace = ?"
            row = connection.execute(query, key).fetchone()
            if row:
                id = row[0]
            else:
                insert = "INSERT INTO entries_2 (kind, name, trace) VALUES (?, ?, ?)"
                id = connection.execute(insert, key).lastrowid
                rows = [(id, part, data) for part, data in packed.items()]
                connection.executemany("INSERT INTO parts_2 VALUES (?, ?, ?)", rows)
            self.set_used(id)
            connection.execute(
                "DELETE FROM entries_2 WHERE id IN (SELECT id FROM entries_2"
                " WHERE kind = ? AND name = ? ORDER BY used DESC LIMIT -1 OFFSET ?)",
                (kind, name, ENTRIES_OF_A_NAME),
            )
        return Entry(name, json.loads(key[2]), id, self.connection)

    def use(self, entry: Entry) -> None:
        """Note that an older entry of a name has come into use again."""
        with self.transaction():
            self.set_used(entry.id)

    def set_used(self, id: int) -> None:
        """Put an entry before all others."""
        latest = "SELECT coalesce(max(used), 0) + 1 FROM entries_2"
        self.connection.execute(f"UPDATE entries_2 SET used = ({latest}) WHERE id = ?", (id,))

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Do several things with no other build between them: all of them, or nothing."""
        try:
            with self.connection as connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                raise
            raise WeaveError(REFUSED.format(self.file, error)) from None


def damaged(how: str) -> sqlite3.DatabaseError:
    """Give the error that SQLite raises of a damaged file, for damage that it has not seen."""
    error = sqlite3.DatabaseError(how)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def is_damage(error: BaseException) -> bool:
    """Tell whether an error says that the file is damaged, and not that the machine refuses."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in DAMAGE  # SQLite's longer codes add higher bits, which tell the details
