"""`::: proved file/name` shows what is stated in proofs/, without its proof."""

PROOF = """(** Odd. *)
Theorem odd n :
  n = n.
Proof.
by [].
Qed.

Record one := One {
  x : R }.

"""


def test_a_statement_is_shown_without_its_proof(project):
    project.file("proofs/sums.v", PROOF)
    html = project.build("# C\n\n::: proved sums/odd\n", strict=True).html
    assert "Theorem" in html
    assert "Qed" not in html
    assert "Record" in project.build("# C\n\n??? note\n\n    ::: proved sums/one\n").html


def test_an_unknown_statement_is_named(project):
    project.file("proofs/sums.v", PROOF)
    [warning] = project.build("# C\n\n::: proved sums/odds\n").warnings
    assert "chapter.md:3: nothing is stated as 'sums/odds' in proofs/" in warning
    assert "did you mean 'sums/odd'?" in warning


def test_the_page_follows_the_file_and_offers_it(project):
    project.file("proofs/sums.v", PROOF)
    project.build("# C\n\n::: proved sums/odd\n")
    project.file("proofs/sums.v", PROOF.replace("odd n", "odd number"))
    assert "number" in project.build("# C\n\n::: proved sums/odd\n").html
    assert "odd number" in (project.root / "site/proofs/sums.v").read_text()
