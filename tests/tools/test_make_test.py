"""What `make test` says where there is nothing to test."""

import subprocess
import sys

import pytest

from tests.conftest import PROJECT

pytestmark = pytest.mark.alone


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["docs/references.md"], 0, "there is no example in docs/references.md"),
        (["docs/your-model.md", "-k", "mistyped"], 5, "deselected"),
    ],
)
def test_a_page_without_examples_passes_and_what_is_mistyped_does_not(arguments, code, says):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=PROJECT.root, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout
    assert says in done.stdout + done.stderr


def test_a_snippet_that_is_gone_is_a_line(snippet):
    with pytest.raises(pytest.fail.Exception) as end:
        snippet("variance/spred")
    mend = "rename or delete this test: no snippet 'variance/spred'; did you mean"
    assert str(end.value) == f"{mend} 'variance/spread'?"
    assert not end.value.pytrace
