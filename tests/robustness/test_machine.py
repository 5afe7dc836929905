"""A machine that refuses: a file that cannot grow, a folder that may not be written."""

import os
import re
import sys

import pytest

from tests.machinery.faults import CHAPTER
from tests.robustness.conftest import build, state

if sys.platform != "linux":
    pytest.skip("how to refuse is known for Linux alone", allow_module_level=True)

import resource

pytestmark = [pytest.mark.long, pytest.mark.alone]
# While MkDocs still reads its configuration, or later.
SAID = re.compile(r"is the disk full|The site stays as it is\.")
# What root may do in spite of a file's mode is taken from it.
ORDINARY = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") * (os.geteuid() == 0)


@pytest.mark.parametrize("kibibytes", [1, 30, 100])
def test_a_file_that_cannot_grow_leaves_the_site_and_the_cache(good, kibibytes):
    before = state(good)
    page = good / CHAPTER
    page.write_text(page.read_text() + "\nMore.\n")
    limit = (kibibytes * 1024, kibibytes * 1024)
    code, said = build(good, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    assert code
    assert "Traceback" not in said
    assert SAID.search(said), said
    assert state(good) == before
    assert build(good)[0] == 0
    assert state(good) != before


@pytest.mark.parametrize("folder", [".", ".cache", "site"])
def test_a_folder_that_may_not_be_written(good, folder):
    before, path = state(good), good / folder
    page = good / CHAPTER
    page.write_text(page.read_text() + "\nMore.\n")
    modes = {
        each: each.stat().st_mode
        for each in (path, *path.glob("*"))
        if path.name != good.name or each == path
    }
    for each in modes:
        each.chmod(0o555 if each.is_dir() else 0o444)
    try:
        code, said = build(good, before=ORDINARY)
    finally:
        for each, mode in modes.items():
            each.chmod(mode)
    assert code
    assert "Traceback" not in said
    assert str(path.resolve()) in said
    assert SAID.search(said), said
    assert state(good) == before
    assert build(good)[0] == 0
