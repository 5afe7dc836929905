"""`mkdocs serve` shows every fault on the page, and recovers when it is mended."""

import re
import socket
import subprocess
import sys
import time
import urllib.request
from html import unescape

import pytest

from tests.machinery.faults import FAULTS, write

pytestmark = [pytest.mark.long, pytest.mark.alone]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Serve the good site; give its folder, its address, and where what it says is written."""
    root = tmp_path_factory.mktemp("served")
    write(root)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    said = root / "said"
    with said.open("w") as log:
        command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address]
        process = subprocess.Popen(command, cwd=root, stderr=log, stdout=log)
    yield root, address, said
    process.terminate()
    process.wait()


def plain(text: str) -> str:
    """Leave out what a page shows in another way: ends of lines, and what stands behind a place."""
    return " ".join(re.sub(r"[:,](?=\s|$)", "", text).split())


def wait(server, page: str, is_there) -> str:
    """Ask for a page until it is as it has to be."""
    _, address, said = server
    text, end = "", time.monotonic() + 90
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://{address}/{page}", timeout=20) as answer:
                text = plain(unescape(re.sub(r"<[^>]+>", "", answer.read().decode())))
        except OSError as error:
            text = str(error)
        if is_there(text):
            return text
        time.sleep(0.2)
    raise AssertionError(f"{page!r} is: {text[-3000:]}\n{said.read_text()[-3000:]}")


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_shown_and_goes_when_it_is_mended(server, name):
    fault, root = FAULTS[name], server[0]
    says = [plain(words) for words in fault.says]
    wait(server, "chapter/", lambda text: "A query is 1.5" in text)
    with fault.made(root):
        wait(server, fault.page, lambda text: all(words in text for words in says))
        time.sleep(1.5)  # the server looks for changes once a second
    wait(server, fault.page, lambda text: not all(words in text for words in says))
    wait(server, "chapter/", lambda text: "A query is 1.5" in text)
