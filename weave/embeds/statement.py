"""Statements that a machine has proved: `::: proved theorem/lemma_2` shows one of proofs/."""

import re

from weave.basics.errors import WeaveError, did_you_mean, read_text
from weave.embeds.embed import Context, block
from weave.embeds.figure import code_block
from weave.project import Project, looks_up

# Up to its proof, or to the empty line below it, where it needs none.
STATEMENT = re.compile(r"^(?:Theorem|Corollary|Lemma|Record) (\w+).+?(?=\nProof|\n\n)", re.M | re.S)


@looks_up("statements", entry="statement")
def statements(project: Project, _: str) -> dict[str, str]:
    """Give what is stated in the files below proofs/, by file and name."""
    files = {f.stem: read_text(f, f"proofs/{f.name}") for f in project.root.glob("proofs/*.v")}
    return {f"{f}/{found[1]}": found[0] for f in files for found in STATEMENT.finditer(files[f])}


def weave(match: re.Match[str], context: Context) -> str:
    """Put in a statement, as Markdown."""
    stated = context.look_up("statement", name := match["proved"])
    if stated is None:
        known = context.project.look_up("statements")
        raise WeaveError(f"nothing is stated as '{name}' in proofs/{did_you_mean(name, known)}")
    return code_block(stated, "coq")


EMBEDS = [block("statement", r"proved[ ]+(?P<proved>\S+)", weave)]
