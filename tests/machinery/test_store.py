"""What is kept survives a bad file, holds data only, and is whole or not there."""

import logging
import sqlite3
from collections import namedtuple

import numpy as np
import pytest

from weave.basics.errors import WeaveError
from weave.basics.store import ENTRIES_OF_A_NAME, Store
from weave.run.results import pack, pack_results, unpack

VALUES = [
    1,
    -2.5,
    float("inf"),
    "√d",
    True,
    (1, "a"),
    {64: 8.0, "a": {(1, 2): [None.__class__.__name__]}},
    np.float16(0.1),
    np.int64(7),
    np.complex128(1 + 2j),
    np.arange(6).reshape(2, 3),
    np.array([0.1, np.nan], dtype=np.float32),
    {"law": [np.ones(2), np.float64(1 / 3)]},
]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache/store.sqlite")


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value):
    back = unpack(pack(value))
    assert type(back) is type(value)
    assert repr(back) == repr(value)


POINT = namedtuple("POINT", "x")(1)


@pytest.mark.parametrize("value", [len, POINT, {3, 1}, np.array([len]), [len], {"a": len}, type])
def test_what_is_no_data_is_not_kept(value):
    with pytest.raises(TypeError):
        pack(value)
    assert list(pack_results({"value": value})) == ["names", "digests"]


def test_an_entry_that_cannot_be_written_whole_is_not_written(store):
    store.write("run", "a/b", {"file a": "1"}, {"one": "1", "two": "1"})
    store.connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON parts_2 WHEN NEW.part = 'two' "
        "BEGIN SELECT RAISE(FAIL, 'the disk is full'); END"
    )
    with pytest.raises(WeaveError, match="the disk is full"):
        store.write("run", "a/b", {"file a": "2"}, {"one": "2", "two": "2"})
    (entry,) = store.entries("run", "a/b")
    assert [entry.read(part) for part in ("one", "two")] == ["1", "1"]


def versions(store) -> list[str]:
    return [entry.read("made") for entry in store.entries("page", "a")]


def write(store, version: str):
    return store.write("page", "a", {"text": version}, {"made": version})


def test_the_entries_of_a_name_that_came_into_use_last_are_kept(store):
    write(store, "of another branch")
    first = write(store, "0")
    for number in range(1, ENTRIES_OF_A_NAME):
        store.use(first)
        write(store, str(number))
    assert versions(store)[:2] == [str(ENTRIES_OF_A_NAME - 1), "0"]
    assert len(versions(store)) == ENTRIES_OF_A_NAME
    assert "of another branch" not in versions(store)
    parts = store.connection.execute("SELECT count(*) FROM parts_2").fetchone()
    assert parts == (ENTRIES_OF_A_NAME,), "what is swept leaves nothing"


def test_an_entry_stays_what_it_is_whatever_another_build_keeps(store):
    other = Store(store.file)
    mine = write(store, "1")
    theirs = write(other, "2")
    again = other.write("page", "a", mine.trace, {"made": "another 1"})
    assert [mine.read("made"), theirs.read("made"), again.read("made")] == ["1", "2", "1"]
    assert versions(store) == ["1", "2"]


def spoil(store, begin: int, end: int) -> None:
    """Write over a part of a store's file."""
    store.connection.close()  # what is in the journal moves into the file
    data = bytearray(store.file.read_bytes())
    assert len(data) > begin
    data[begin:end] = b"\xa5" * len(data[begin:end])
    store.file.write_bytes(data)


@pytest.mark.parametrize(("begin", "end"), [(0, 16), (0, 10**6), (4096, 5000), (9000, 10**6)])
def test_a_damaged_file_is_put_aside_with_a_word_and_made_again(store, caplog, begin, end):
    caplog.set_level(logging.INFO)
    for number in range(ENTRIES_OF_A_NAME):
        store.write("page", "a", {"text": f"{number}"}, {"made": "x" * number, "more": "y"})
    spoil(store, begin, end)
    spoilt = store.file.read_bytes()
    new = Store(store.file)
    assert versions(new) == []
    write(new, "1")
    aside = store.file.with_name("store.sqlite.damaged")
    assert aside.read_bytes() == spoilt
    (word,) = caplog.messages
    assert word.startswith(f"{store.file} was damaged (")
    assert "It is now store.sqlite.damaged, and what it kept is made again." in word
    assert versions(Store(store.file)) == ["1"]
    assert len(caplog.messages) == 1, "said once"


def test_a_file_that_is_whole_is_not_put_aside(store, caplog):
    caplog.set_level(logging.INFO)
    write(store, "1")
    store.connection.close()
    assert versions(Store(store.file)) == ["1"]
    assert not caplog.messages
    assert not store.file.with_name("store.sqlite.damaged").exists()


def test_a_store_that_another_build_holds_is_left_alone(tmp_path, monkeypatch):
    file = tmp_path / "store.sqlite"
    store = Store(file)
    write(store, "1")
    store.connection.close()
    other = sqlite3.connect(file)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **k | {"timeout": 0}))
    with pytest.raises(WeaveError, match="is another build at work"):
        Store(file)
    other.rollback()
    other.close()
    assert versions(Store(file)) == ["1"]
