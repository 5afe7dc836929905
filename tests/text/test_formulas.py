"""Displayed results, read as printed: each side of each is compared with the other, or with code.

A result is named on its page by `\\label{name}`, and results.py says what its letters stand for.
Every number, sign, exponent, index and transpose of it is altered, and the comparison has to catch
each.
"""

import functools
import itertools
import re

import numpy as np
import pytest

from tests.conftest import PROJECT
from tests.text.results import RESULTS
from tests.text.tex import UnknownError, read, tokens
from weave.embeds.formula import LABEL

DISPLAYED = re.compile(r"\$\$((?:[^$\\]|\\.)+?)\$\$", re.DOTALL)
ERRORS = (UnknownError, ArithmeticError, ValueError, LookupError, TypeError, np.linalg.LinAlgError)


def displayed():
    """Yield every displayed formula: its name, its TeX, and its page and line."""
    for file in sorted((PROJECT.root / "docs").glob("*.md")):
        text = file.read_text("utf-8")
        for match in DISPLAYED.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            name = LABEL.search(match[1])
            yield name and name[1], LABEL.sub("", match[1]), f"docs/{file.name}", line


NAMED = {name: (tex, page, line) for name, tex, page, line in displayed() if name}

# --- reading and comparing -----------------------------------------------------------------------


@functools.cache
def points(name):
    return [RESULTS[name][0](seed) for seed in range(3)]


def signs_of(name):
    tex, page, line = NAMED[name]
    for letter, printed in RESULTS[name][1].items():
        assert printed in tex, f"{page}:{line}: '{printed}' is not printed"
        tex = tex.replace(printed, letter)
    try:
        return tokens(tex)
    except UnknownError as error:
        at, _, what = str(error).partition(": ")
        pytest.fail(f"{page}:{line + int(at)}: {what}", pytrace=False)


def distance(signs, names):
    """Give how far sides that are said to be equal are from each other, in their own tolerance."""
    worst = 0.0
    random = names["nodes"][0][1] if "nodes" in names else {}
    for chain in read(signs, random | names):
        sides = [np.asarray(side(names), float) for side in chain]
        if "value" in names:
            sides.append(np.asarray(names["value"]))
        assert len(sides) > 1
        for a, b in itertools.pairwise(sides):
            if a.shape != b.shape or not np.all(np.isfinite([*a.flat, *b.flat])):
                return np.inf
            size = np.max(np.abs([*a.flat, *b.flat])) + 1e-12
            worst = max(worst, np.max(np.abs(a - b)) / size / names.get("tolerance", 1e-8))
    return worst


def holds(name, signs):
    try:
        return all(distance(signs, letters) < 1 for letters in points(name))
    except ERRORS:  # an alteration may divide by zero, or multiply what does not fit
        return False


def written(signs):
    """Write signs as TeX, to name an alteration."""
    return re.sub(r"(\\[A-Za-z]+) (?![A-Za-z])", r"\1", " ".join(sign for sign, _ in signs))


def alterations(name):
    """Yield a formula with one number, sign, exponent, index or transpose altered."""
    signs, letters = signs_of(name), points(name)[0]
    letters = (letters["nodes"][0][1] if "nodes" in letters else {}) | letters
    known = {tuple(sign for sign, _ in tokens(key)): value for key, value in letters.items()}
    indexed = [i for i, (sign, _) in enumerate(signs) if sign in {*"ijl"}]

    def put(at, new, length=1):
        return [*signs[:at], *((sign, signs[at][1]) for sign in new), *signs[at + length :]]

    for at, (sign, _) in enumerate(signs):
        if sign.isdigit():
            yield put(at, [str(int(sign) + 1)])
            if sign != "0":
                yield put(at, [str(int(sign) - 1)])
        if sign in {"+", "-"}:
            yield put(at, ["-" if sign == "+" else "+"])
        if sign == "^" and signs[at + 1][0] == r"\top":
            yield put(at, [], 2)
        elif sign == "^" and signs[at + 1][0] == "{":
            yield put(at + 1, ["{", "1", "+"])
        elif sign == "^" and not signs[at + 1][0].isdigit() and signs[at + 1][0] != "*":
            yield put(at + 1, ["{", signs[at + 1][0], "+", "1", "}"])
        if sign == "^" and signs[at + 1][0] == "2" and is_matrix(known.get((signs[at - 1][0],))):
            yield put(at, [signs[at - 1][0], "^", r"\top"], 2)
        value = known.get((sign,))
        if value is not None and sign not in {*"ij"} and not callable(value):
            if not np.ndim(value) and signs[at + 1][0] not in {"^", "_"}:
                yield put(at, [sign, "^", "2"])
            others = (
                o for o, v in known.items() if o != (sign,) and np.shape(v) == np.shape(value)
            )
            if (other := next((o for o in others if not callable(known[o])), None)) is not None:
                yield put(at, other)
        if at in indexed:
            for other in sorted({signs[i][0] for i in indexed} - {sign}):
                yield put(at, [other])
        for key in known:
            if len(key) > 1 and key == tuple(s for s, _ in signs[at : at + len(key)]):
                for other in known:
                    if other != key and other[0] == key[0] and len(other) == len(key):
                        yield put(at, other, len(key))


def is_matrix(value):
    return np.ndim(value) == 2 and value.shape[0] == value.shape[1]


# --- the tests -----------------------------------------------------------------------------------

# What an alteration leaves as it was.
SAME = dict.fromkeys(("density-as-a-mean", "density-of-a-score-as-a-mean"), r"\infty+ 1")
SAME["two-numbers"] = r"1 \cdot\mathbb{E} [ q ^ 2 ]"  # both have variance 1
DEFINITION, STEP = "says what a letter stands for", "a step on the way to a result"
COQ = "a step of the proof, which Coq checks (proofs/)"
LEMMA = "for a general function; the page proves it"
INDEXED = "an integral of functions with an index: the reader does not know them"
LIMIT = "a limit, not an equation; tests/saturation/test_near_ties.py compares the code with it"
# The formulas without a name, by what they begin with, and why.
UNNAMED = {
    "(a+b+c)^2 = a^2": STEP,
    r"q_i\,k_i' = \rho\,q_i^2": STEP,
    r"\operatorname{softmax}\!\Big(": DEFINITION,
    r"p_i = \frac{e^{z_i}}": DEFINITION,
    r"\ln\frac{p_i}{p_j} =": STEP,
    r"\sum_i p_i z_i + T\,H(p), \qquad": DEFINITION,
    r"\sum_i p_iz_i + T\,H(p) =": STEP,
    r"\frac{\mathbb{E}\ln Z}{\ln n} \approx": "a limit: tests/saturation/test_free_energy.py",
    r"\mathbb{E}\|J\|_F^2 \approx": "an approximation: tests/saturation/test_free_energy.py",
    r"\|J\|_F \le": "a bound: snippets/saturation/bounds.py asserts it of three kinds",
    r"\mathbb{E}\sum_i p_i^2 \le": "a bound: snippets/saturation/any_keys.py asserts it",
    r"\frac{1}{Z^r} = \frac{1}{\Gamma(r)}": STEP,
    r"M_r(\tau) = \mathbb{E}": DEFINITION,
    r"\mathbb{E}\sum_i p_i^r =": INDEXED,
    r"\mathbb{E}\ln Z = \int": INDEXED,
    r"\begin{aligned} &\mathbb{E}\max_i p_i": INDEXED,
    r"\sum_i p_i^2 - 2\sum_i p_i^3": STEP,
    r"\begin{aligned} \|J\|_F^2 &= \frac{1}{Z^4}": STEP,
    r"\begin{aligned} &\mathbb{E}\|J\|_F^2 = \frac{n(n-1)}{6}": INDEXED,
    r"e^{\ln n - g^2/2": STEP,
    r"\sigma_c - \frac{\ln\ln n": "an approximation: tests/saturation/test_levels.py",
    r"\frac{P(S > x\sqrt d)}": "the first terms of a series: tests/saturation/test_bell.py",
    r"\mathbb{E}e^{-tZ} =": STEP,
    r"\begin{aligned} \mathbb{E}\sum p_i^2": INDEXED,
    r"\begin{aligned} \mathbb{E}\|J\|_F^2 &= \frac16\int": INDEXED,
    r"J = \operatorname{diag}(p)": DEFINITION,
    r"\begin{aligned} \mathbb{E}\operatorname{tr}J &\simeq": LIMIT,
    r"f(0) = n(n-1)": STEP,
    r"\int_0^\infty F(\sigma\delta)": LIMIT,
    r"\begin{aligned} &\int_0^\infty 2p(1-p)": STEP,
    r"\frac{\partial o}{\partial q} =": STEP,
    r"\mathbb{E}\Big\|\frac{\partial o}": "tests/saturation/test_reach.py simulates it",
    r"\sum_b x_b = 0": DEFINITION,
    r"\operatorname{Cov}(S_{ij},S_{il})": STEP,
    r"\frac{\ln n}{a} + \frac a2": "an approximation, for large n",
    r"\rho\sqrt d\,a = \mathbb{E}\ln Z": "an equation to solve, not a result",
    r"C = \mathbb{E}[qk^\top]": DEFINITION,
    r"\Sigma = \begin{pmatrix}": DEFINITION,
    r"\mathbb{E}[z\,h(z)] =": LEMMA,
    r"\begin{aligned} \mathbb{E}[w_i\,h(w)] &=": LEMMA,
    r"\mathbb{E}[z_i\,h(z)] =": LEMMA,
    r"\mathbb{E}[zz^\top h(z)] =": LEMMA,
    r"\begin{aligned} \int t\,h(t)": LEMMA,
    r"\begin{aligned} \mathbb{E}[z_iz_jh] &=": LEMMA,
    r"\begin{aligned} &\int_0^\infty h'(x)": LEMMA,
    r"\begin{aligned} \mathbb{E}|h(z)-h(z')|": "a bound, for a general function",
    r"\begin{aligned} \operatorname{tr}M &=": COQ,
    r"\mathbb{E}\big[zz^\top\,h(z)\big] =": COQ,
    r"\begin{aligned} \mathbb{E}[h(z)^2] &=": COQ,
    r"A = \frac12\begin{pmatrix}": DEFINITION,
    r"\frac{2\alpha}{d + \beta": "a bound",
    r"\kappa_j = 2^{j-1}": "has a factorial: tests/theorem/test_spectrum.py has it",
    r"P\Big(|S - ": "a bound: tests/theorem/test_strays.py tries it",
    r"t^2\sum_i\lambda_i^2": STEP,
    r"q_i = \frac{z_1 + b_iz_2}": DEFINITION,
    r"q_i = z_1\cos\varphi_i": "a definition: tests/theorem/test_moments.py has it",
    r"q_i = \frac{z + u_i}{\sqrt2}": "a definition: tests/theorem/test_largest_gap.py has it",
    r"\begin{pmatrix} 1 & 0 \\ 0 & 1": "three tables: snippets/theorem/quarter_turn.py has them",
    r"\begin{aligned} \mathbb{E}[S^2] ={}&": "tests/theorem/test_moments.py has it",
    r"S = \frac{1+\rho}{2}\,X": "of distributions: tests/theorem/test_law.py draws them",
    r"-\frac{(s-\rho v)^2}{2cv}": STEP,
    r"C_m = \rho\,R(m)^\top": STEP,
    r"\begin{aligned} \mathbb{E}[W_{ij}W_{kl}]": STEP,
    r"\frac{\partial\ell}{\partial W_Q} =": STEP,
    r"\Delta q = -\frac{\eta g\|x\|^2}{s}": STEP,
    r"\Delta q\cdot k = \delta\sum": STEP,
    r"\Delta q = -\eta\,\frac{\|x\|_1}{D}": STEP,
    r"\mathbb{E}\,\Delta(q\cdot k) =": "tests/training/test_no_scale.py measures it",
}


def test_every_name_is_used_once_and_tried():
    names = [name for name, *_ in displayed() if name]
    assert sorted(names) == sorted(RESULTS)


def test_every_other_formula_has_a_reason():
    found = [
        (" ".join(tex.split()), f"{page}:{line}")
        for name, tex, page, line in displayed()
        if not name
    ]
    stated = {place: [start for start in UNNAMED if tex.startswith(start)] for tex, place in found}
    assert [place for place, reasons in stated.items() if len(reasons) != 1] == [], "name them"
    assert [s for s in UNNAMED if not any(t.startswith(s) for t, _ in found)] == [], "now gone"


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_says_what_is_so(name):
    signs = signs_of(name)
    try:
        distances = [distance(signs, letters) for letters in points(name)]
    except UnknownError as error:
        at, _, what = str(error).partition(": ")
        _, page, line = NAMED[name]
        pytest.fail(f"{page}:{line + int(at)}: {what}", pytrace=False)
    assert max(distances) < 1


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
def test_every_alteration_of_a_result_is_caught(name):
    altered = list(alterations(name))
    assert len(altered) > 2
    slipped = [written(signs) for signs in altered if holds(name, signs)]
    assert [text for text in slipped if SAME.get(name, "-") not in text] == []
    assert len(slipped) == (name in SAME), "take it off the list"


def test_the_published_formula_is_caught():
    tex = NAMED["second-moment"][0].replace("(C^2)", r"(CC^\top)")
    assert not holds("second-moment", tokens(tex))


@pytest.mark.parametrize(
    ("tex", "value"),
    [
        (r"\frac12(1 + 2)", 1.5),
        ("1/nm", 1 / 6),
        (r"2^{n}m/n\cdot m", 18.0),
        (r"\sqrt2^2 + \tfrac14", 2.25),
        (r"\sum_{i=1}^{n}x_i - \sum_{ij}x_ix_j", 3 - 9.0),
        (r"\|A\|_F^2 + |{-n}| - \operatorname{tr}AA^\top", 2.0),
        (r"x^\top Ax + x\cdot Ax", 16.0),
        (r"\int_0^1 t^n\,dt", 1 / 3),
        (r"\ln\Gamma(m + 1) - \ln 6", 0.0),
        (r"\begin{aligned} &n \\ &\quad + m \end{aligned}", 5.0),
        ("12n", 24.0),
    ],
)
def test_notation_is_read_as_it_is_printed(tex, value):
    x, A = np.array([[1.0], [2.0]]), np.array([[0.0, 1.0], [2.0, 0.5]])
    letters = {"n": 2, "m": 3, "x": x, "A": A, "range": 2}
    [[side]] = read(tokens(tex), letters)
    assert np.isclose(side(letters), value)


@pytest.mark.parametrize(
    ("tex", "problem"),
    [
        ("n +\ny", "1: 'y' is not known"),
        (r"\operatorname{rank}(n)", r"0: '\operatorname{rank}' is not known"),
        ("n @ n", "0: '@' is not known"),
        ("0.5 n", "0: '0.5' is not known"),
        ("n!", "0: '!' is not known"),
        ("(n", "0: '' where ) should be"),
        ("n\n)", "1: ')' is not known here"),
    ],
)
def test_what_is_not_known_is_refused(tex, problem):
    with pytest.raises(UnknownError) as refused:
        read(tokens(tex), {"n": 1.0})
    assert str(refused.value) == problem
