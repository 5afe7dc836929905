"""Displayed results, read as printed: each side of each is compared with the other, or with code.

A result is named on its page by `\\label{name}` and here, where it is said what its letters stand
for. Every number, sign, exponent, index and transpose of it is altered, and the comparison has to
catch each.
"""

import functools
import itertools
import re

import numpy as np
import pytest
from scipy import optimize, special

from tests.conftest import PROJECT
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

# --- what the letters stand for, one point for each seed -----------------------------------------

RESULTS = {}


def result(name, **reads):
    """Enter what gives the letters of a result; `reads` are what it prints for a letter."""

    def enter(letters):
        RESULTS[name] = letters, reads
        return letters

    return enter


def gauss(count, points=3):
    """Give points and weights that average polynomials of standard Gaussians, up to a degree of
    `2 * points - 1`, exactly.
    """
    at, weight = np.polynomial.hermite_e.hermegauss(points)
    weight = weight / weight.sum()
    for pick in itertools.product(range(points), repeat=count):
        yield np.prod(weight[list(pick)]), at[list(pick)][:, np.newaxis]


def correlated(seed, d=2, mean=0.0):
    rng = np.random.default_rng(seed)
    L, mu = rng.standard_normal((2 * d, 2 * d)), mean * rng.standard_normal((2 * d, 1))
    cov = L @ L.T
    names = {r"\Sigma": cov, r"\Sigma_q": cov[:d, :d], r"\Sigma_k": cov[d:, d:], "C": cov[:d, d:]}
    nodes = []
    for weight, z in gauss(2 * d):
        w = mu + L @ z
        nodes.append((weight, {"w": w, "q": w[:d], "k": w[d:], "S": (w[:d].T @ w[d:]).item()}))
    means = {r"\mu_q": mu[:d], r"\mu_k": mu[d:]}
    return names | means | {"nodes": nodes, "d": d, "range": d, "i": 1, "j": 2}


@result("mean-and-variance")
@result("second-moment")
@result("second-moment-by-pairs")
def centred(seed):
    return correlated(seed)


@result("mean-off-zero")
@result("variance-off-zero")
def off_zero(seed):
    return correlated(seed, mean=1.0)


@result("isserlis")
def four(seed):
    letters = correlated(seed)
    return {"nodes": [(p, {"w": at["w"]}) for p, at in letters["nodes"]]}


@result("quadratic-form")
def form(seed):
    B = np.random.default_rng(seed + 100).standard_normal((4, 4))
    return correlated(seed) | {"B": B + B.T}


@result("block-product")
@result("block-trace")
def blocks(seed):
    letters, eye, none = correlated(seed), np.eye(2), np.zeros((2, 2))
    return letters | {"A": np.block([[none, eye], [eye, none]]) / 2}


@functools.cache
def selected(seed, d=2):
    """Let softmax choose among many keys, independent of the query, and average q kᵀ."""
    rng = np.random.default_rng(seed)
    L_q, L_k = rng.uniform(-0.7, 0.7, (2, d, d))
    chosen = np.zeros((d, d))
    keys = [(p, L_k @ z) for p, z in gauss(d, points=24)]
    for weight, z in gauss(d, points=24):
        q = L_q @ z
        tilted = [p * np.exp((q.T @ k).item() / np.sqrt(d)) for p, k in keys]
        mean = sum(t * k for t, (_, k) in zip(tilted, keys, strict=True)) / sum(tilted)
        chosen += weight * q @ mean.T
    nodes = [(p, {"q": L_q @ z}) for p, z in gauss(d)]
    return {"C": chosen, r"\Sigma_q": L_q @ L_q.T, r"\Sigma_k": L_k @ L_k.T, "d": d, "nodes": nodes}


result("selection")(selected)


@result("crossover")
def crossover(seed):
    rho = np.random.default_rng(seed).uniform(0.05, 0.9)
    passes = optimize.brentq(lambda d: rho**2 * d**2 - d * (1 + rho**2), 0.5, 1e4, xtol=1e-12)
    return {r"\rho": rho, "d^*": passes}


@result("slope", L=r"\frac{\mathrm d\ln\|S\|_2}{\mathrm d\ln d}")
def slope(seed):
    rng = np.random.default_rng(seed)
    rho, d = rng.uniform(0.05, 0.9), rng.uniform(2, 200)
    size = [np.log(at + rho**2 * (at + at**2)) / 2 for at in d * np.exp([-1e-5, 1e-5])]
    steep = np.diff(size).item() / 2e-5
    return {"d^*": 1 + 1 / rho**2, "d": d, "L": steep, "tolerance": 1e-7}


@result("four-keys")
def four_keys(seed):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3 + 2 * seed))
    x = len(p) * p - 1
    J = np.diag(p) - np.outer(p, p)
    return {"n": len(p), "J": J, r"\mu_2": np.mean(x**2), r"\mu_3": np.mean(x**3)}


@result("largest-excess")
def largest_excess(seed):
    rng = np.random.default_rng(seed)
    rho, d = rng.uniform(0.1, 0.9), 2 * int(rng.integers(1, 6))
    turn = np.kron(np.eye(d // 2), [[0, -1], [1, 0]])
    C = rho * np.eye(d) + np.sqrt(1 - rho**2) * turn  # reaches it
    true = d + np.trace(C @ C) + np.trace(C) ** 2
    return {r"\rho": rho, "d": d, "value": (np.sum(C**2) - np.trace(C @ C)) / true}


@result("same-token")
def same_token(seed):
    # Over ±1 weights: the means need no more than that entries are uncorrelated in pairs.
    d, D = ((2, 3), (3, 2), (1, 4))[seed]
    nodes = []
    for signs in itertools.product([-1.0, 1.0], repeat=2 * d * D):
        W = np.reshape(signs, (2, d, D)) / np.sqrt(D)
        nodes.append((0.5 ** (2 * d * D), {"C": W[0] @ W[1].T}))
    return {"d": d, "D": D, "nodes": nodes}


@functools.cache
def inverted(s, d, rho):
    """Give the density of S at a point, from its characteristic function: no route of a page."""
    t = np.linspace(-400, 400, 400_001)
    turning = (1 - 2j * rho * t + (1 - rho**2) * t**2) ** (-d / 2)
    return np.trapezoid((np.exp(-1j * s * t) * turning).real, t) / (2 * np.pi)


@result("density")
def density(seed, rho=None):
    rng = np.random.default_rng(seed)
    d, rho = int(rng.integers(3, 9)), rng.uniform(-0.6, 0.6) if rho is None else rho
    s, nu = rng.choice([-1, 1]) * rng.uniform(0.3, 4), (d - 1) / 2
    letters = {"s": s, "d": d, r"\rho": rho, "c": 1 - rho**2, r"\nu": nu, "tolerance": 1e-4}
    return letters | {
        "f": lambda x: inverted(float(x), d, rho),
        r"K_\nu": lambda x: special.kv(nu, x),
    }


result("density-as-a-mean")(density)
result("density-of-a-score")(functools.partial(density, rho=0.0))
result("density-of-a-score-as-a-mean")(functools.partial(density, rho=0.0))


@result("rotary")
def rotary(seed):
    rng = np.random.default_rng(seed)
    theta, rho, m = rng.uniform(0, 1, 2), rng.uniform(0.2, 0.8), 3
    R = np.zeros((4, 4))
    for j, angle in enumerate(m * theta):
        R[2 * j : 2 * j + 2, 2 * j : 2 * j + 2] = [
            [np.cos(angle), -np.sin(angle)],
            [np.sin(angle), np.cos(angle)],
        ]
    # By Theorem 1, which is another result, for the turned key.
    C = rho * R.T
    centre, spread = np.trace(C), np.sqrt(4 + np.trace(C @ C))
    nodes = [(0.5, {"S_m": centre + spread}), (0.5, {"S_m": centre - spread})]
    return {r"\theta": theta, r"\rho": rho, "m": m, "d": 4, "range": 2, "nodes": nodes}


@result("eigenvalues")
def eigenvalues(seed):
    letters, eye, none = correlated(seed), np.eye(2), np.zeros((2, 2))
    L = np.linalg.cholesky(letters[r"\Sigma"])
    values, turn = np.linalg.eigh(L.T @ np.block([[none, eye], [eye, none]]) @ L / 2)
    z = np.random.default_rng(seed).standard_normal((4, 1))
    w = L @ turn @ z
    S = (w[:2].T @ w[2:]).item()
    return letters | {r"\lambda": values, "z": z, "S": S, "range": 4}


@result("product-as-squares")
def product_as_squares(seed):
    q, k = np.random.default_rng(seed).standard_normal((2, 3, 1))
    return {"q": q, "k": k, "i": seed + 1}


@result("weights-after-a-step", P="M'")
@result("mean-after-a-step", P="M'")
def step(seed):
    rng = np.random.default_rng(seed)
    d, D, eta, s = 2, 2, rng.uniform(0.1, 2), rng.uniform(0.5, 3)
    G = rng.standard_normal((D, D))

    def after(signs):
        W_Q, W_K = np.reshape(signs, (2, d, D)) / np.sqrt(D)
        new = (W_Q - eta / s * W_K @ G.T).T @ (W_K - eta / s * W_Q @ G)
        return {"W_Q": W_Q, "W_K": W_K, "M": W_Q.T @ W_K, "P": new}

    # The mean over ±1 weights, which is that of all with variance 1/D.
    nodes = [(0.5**8, after(signs)) for signs in itertools.product([-1.0, 1.0], repeat=8)]
    fixed = {"G": G, r"\eta": eta, "s": s, "d": d, "D": D}
    return after(rng.standard_normal(8)) | fixed | {"nodes": nodes}


@result("square")
def square(seed):
    q, k = np.random.default_rng(seed).standard_normal((2, 3, 1))
    return {"q": q, "k": k, "S": (q.T @ k).item(), "d": 3}


@result("variance-of-a-score")
def score(seed):
    d = seed + 1
    nodes = [
        (0.25**d, {"q": np.reshape(s[:d], (d, 1)), "k": np.reshape(s[d:], (d, 1))})
        for s in itertools.product([-1.0, 1.0], repeat=2 * d)
    ]
    return {"d": d, "nodes": nodes}


@result("variance")
@result("variance-of-a-product")
def product(seed):
    x, y = np.random.default_rng(seed).uniform(-1, 3, (2, 3))
    nodes = [(1 / 9, {"X": a, "Y": b}) for a in x for b in y]
    return {"nodes": nodes}


@result("any-distribution")
def any_distribution(seed):
    q, k = np.random.default_rng(seed).uniform(-1, 3, (2, 4, 2, 1))
    nodes = [(1 / 16, {"q": a, "k": b}) for a in q for b in k]
    R_q, R_k = (np.mean(x @ x.transpose(0, 2, 1), axis=0) for x in (q, k))
    return {"nodes": nodes, "R_q": R_q, "R_k": R_k}


@result("sample-variance", V=r"\texttt{np.var}")
def sample_variance(seed):
    n, d, m = ((1, 2, 2), (2, 2, 1), (2, 1, 3))[seed]
    nodes = []
    for signs in itertools.product([-1.0, 1.0], repeat=(n + m) * d):
        Q, K = np.reshape(signs[: n * d], (n, d)), np.reshape(signs[n * d :], (d, m))
        nodes.append((0.5 ** len(signs), {"V": np.var(Q @ K)}))
    return {"n": n, "d": d, "m": m, "nodes": nodes}


@result("spread-of-the-sample-variance")
def spread(seed):
    n, d, m = ((1, 2, 2), (2, 1, 2), (1, 2, 3))[seed]
    nodes = [
        (w, {"V": np.var(z[: n * d].reshape(n, d) @ z[n * d :].reshape(d, m))})
        for w, z in gauss((n + m) * d, points=3)
    ]
    return {"n": n, "d": d, "m": m, "N": n * m, "nodes": nodes}


@result("bound")
def bound(seed):
    rng = np.random.default_rng(seed)
    n, b = int(rng.integers(2, 9)), rng.uniform(0.2, 2)
    weights = np.exp([b, *[-b] * (n - 1)])
    return {"n": n, "b": b, "value": weights[0] / weights.sum()}


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
DEFINITION, STEP = "says what a letter stands for", "a step on the way to a result"
COQ = "a step of the proof, which Coq checks (proofs/)"
LEMMA = "for a general function; the page proves it"
INDEXED = "an integral of functions with an index: the reader does not know them"
LIMIT = "a limit, not an equation; tests/saturation/test_near_ties.py compares the code with it"
# The formulas without a name, by what they begin with, and why.
UNNAMED = {
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
    r"q_i = \frac{z_1 + b_iz_2}": DEFINITION,
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
