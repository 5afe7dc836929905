"""Statements that a machine has proved: `::: proved theorem/lemma_2` shows one of proofs/."""

import re

from weave.basics.errors import WeaveError, did_you_mean, read_text
from weave.embeds.embed import Context, block
from weave.embeds.figure import code_block
from weave.project import Project, looks_up

# Up to its proof, or to the empty line below it, where it needs none.
STATEMENT = re.compile(
    r"^(?:Theorem|Corollary|Lemma|Record) (?P<name>\w+).+?(?=\nProof|\n\n)",
    re.MULTILINE | re.DOTALL,
)


@looks_up("statements", entry="statement")
def statements(project: Project, _: str) -> dict[str, str]:
    """Give what is stated in the files below proofs/, by file and name."""
    stated = {}
    for file in project.root.glob("proofs/*.v"):
        text = read_text(file, f"proofs/{file.name}")
        for found in STATEMENT.finditer(text):
            stated[f"{file.stem}/{found['name']}"] = found[0]
    return stated


def weave_statement(match: re.Match[str], context: Context) -> str:
    """Put in a statement, as Markdown."""
    name = match["proved"]
    stated = context.look_up("statement", name)
    if stated is None:
        known = context.project.look_up("statements")
        raise WeaveError(f"nothing is stated as '{name}' in proofs/{did_you_mean(name, known)}")
    return code_block(stated, "coq")


EMBEDS = [block("statement", r"proved[ ]+(?P<proved>\S+)", weave_statement)]
