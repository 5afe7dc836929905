"""How a formula reads as a line of text, and where it does."""

import re

import pytest

from weave.embeds.formula import formula_in_words, read_out, to_mathml
from weave.pages.search import readable

READ = {
    r"\sqrt{d_k}": "√d_k",
    r"\sqrt{d+\rho^2d+\rho^2d^2}": "√(d+ρ²d+ρ²d²)",
    r"\sqrt{2d}": "√(2d)",
    r"\sqrt{64}": "√64",
    r"\sqrt c\,m": "√c m",
    r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V": "softmax(QKᵀ/√d_k)V",
    r"\frac{a+b}{cd}": "(a+b)/(cd)",
    r"\frac2\pi x": "(2/π)x",
    r"\frac1s\sum_i x_i": "(1/s)∑_i x_i",
    r"q_1k_1": "q_1 k_1",
    r"2\ln n": "2 ln n",
    r"64a^2": "64a²",
    r"e^{\pi d}": "e^(πd)",
    r"d^{-1/4}": "d^(−1/4)",
    r"10^{-87}": "10⁻⁸⁷",
    r"\|C\|_F^2 \le d": "‖C‖_F² ≤ d",
    r"f'(x)": "f′(x)",
    r"\bar k + \dot z_\theta": "k̄+ż_θ",
    r"\text{if } x < y": "if x < y",
    r"a,\qquad b\,c": "a, bc",
    r"\texttt{np.var}": "np.var",
    r"\begin{pmatrix}0&-1\\1&0\end{pmatrix}": "(0, −1; 1, 0)",
    r"\begin{aligned}a&=b\\c&=d\end{aligned}": "a = b; c = d",
}


@pytest.mark.parametrize("tex", READ)
def test_a_formula_reads_as_a_line(tex):
    assert formula_in_words(to_mathml(tex, display=False)) == READ[tex]


def test_a_heading_keeps_its_root_in_the_contents_list(project):
    html = project.convert("[TOC]\n\n## Why $\\sqrt d$ & not $x < 1$?\n", "toc")
    assert '<a href="#why-d-not-x1">Why √d &amp; not x &lt; 1?</a>' in html


def test_search_reads_formulas_and_no_references():
    page = "<h2>By <math alttext='x' aria-label=\"√d\"><msqrt><mi>d</mi></msqrt></math></h2>"
    assert read_out(page.replace("'", '"')) == "<h2>By √d</h2>"
    assert readable('<p>So</p>\n<div class="formula">a.</div>') == "<p>So a.</p>"
    assert readable('<p class="back">Cited in</p>') == ""
    claim = '<a class="claim" href="{}#1-1">1-1</a>'
    assert readable(f"It is {claim.format('../claims/')}.") == "It is."
    assert readable(claim.format("")) == claim.format("")


def test_what_chromium_sets_badly_is_set_otherwise():
    large = to_mathml(r"\Big(x\Big)^2_i", display=True)
    assert re.search(r"<msubsup><mrow><mo [^>]*>\)</mo></mrow>", large)
    assert "<mrow><mi>z</mi><mo>′</mo></mrow>" in to_mathml("z'", display=False)
