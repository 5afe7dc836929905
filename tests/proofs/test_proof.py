"""The proofs in proofs/, which Coq checks: nothing is assumed but what they say."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import PROJECT

PROOFS = PROJECT.root / "proofs"
KEPT = PROJECT.root / ".cache/proofs"  # where `make proof` checks copies of them
FILES = ("setting", "theorem", "model")  # each may require those before it
NAMES = re.compile(r"^(?:Theorem|Corollary|Lemma) (?P<name>[\w']+)", re.MULTILINE)

pytestmark = pytest.mark.skipif(
    not shutil.which("coqc") and "CI" not in os.environ,
    reason="Coq is not installed here: `make proof` installs it",
)


def coqc(file: Path) -> subprocess.CompletedProcess[str]:
    """Check a file, in whose folder the files are that it requires."""
    command = ["coqc", "-w", "none", "-R", ".", "Proofs", file.name]
    return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False)


def is_kept(name: str) -> bool:
    """Tell whether `make proof` has checked a file as it is now."""
    copy, compiled = KEPT / f"{name}.v", KEPT / f"{name}.vo"
    return (
        compiled.is_file()
        and copy.stat().st_mtime <= compiled.stat().st_mtime
        and copy.read_bytes() == (PROOFS / f"{name}.v").read_bytes()
    )


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Give a folder with all files checked: by `make proof`, or now, which takes half a minute."""
    if all(is_kept(name) for name in FILES):
        return KEPT
    folder = tmp_path_factory.mktemp("proofs")
    for name in FILES:
        file = Path(shutil.copy(PROOFS / f"{name}.v", folder))
        done = coqc(file)
        assert done.returncode == 0, done.stderr
    return folder


def assumptions(folder: Path, text: str, names: list[str]) -> list[str]:
    """Ask what each statement depends on that is not proved."""
    questions = "".join(f'Goal True. idtac "#". Abort.\nPrint Assumptions {n}.\n' for n in names)
    file = folder / "questions.v"
    file.write_text(f"{text}\n{questions}")
    done = coqc(file)
    assert done.returncode == 0, done.stderr
    return [answer.strip() for answer in done.stdout.split("#")[1:]]


def test_every_file_is_checked():
    assert sorted(file.stem for file in PROOFS.glob("*.v")) == sorted(FILES)


def test_no_statement_needs_an_axiom(checked):
    texts = {name: (PROOFS / f"{name}.v").read_text("utf-8") for name in FILES}
    names = [f"{file}.{found[1]}" for file, text in texts.items() for found in NAMES.finditer(text)]
    assert {"theorem.theorem_1", "theorem.excess_bound", "model.hypotheses_hold"} < {*names}
    found = assumptions(checked, f"From Proofs Require Import {' '.join(FILES)}.", names)
    needed = dict(zip(names, found, strict=True))
    assert {n: a for n, a in needed.items() if a != "Closed under the global context"} == {}


@pytest.mark.parametrize(
    "gap", ["Axiom gap : False.", "Lemma gap : False. Admitted.", "Parameter gap : False."]
)
def test_a_gap_would_be_named(tmp_path, gap):
    text = f"{gap}\nLemma easy : 0 = 1. Proof. destruct gap. Qed."
    assert assumptions(tmp_path, text, ["easy"]) == ["Axioms:\ngap : False"]


def test_the_chapter_shows_every_theorem():
    proved = {
        f"{name}/{found}"
        for name in FILES
        for found in re.findall(r"^Theorem (\w+)", (PROOFS / f"{name}.v").read_text("utf-8"), re.M)
    }
    page = (PROJECT.root / "docs/theorem.md").read_text("utf-8")
    assert proved <= set(re.findall(r"^ *::: proved (\S+)$", page, re.MULTILINE))
