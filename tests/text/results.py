"""What the letters of displayed results stand for, at a point for each seed.

A result is named on its page by `\\label{name}`, and entered here by that name. Its letters are
numbers, arrays or functions; `nodes` are points with weights over which an E is averaged.
test_formulas.py then reads the result as it is printed.
"""

import functools
import itertools

import numpy as np
from scipy import optimize, special

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
@result("second-moment-by-stein")
@result("excess")
def centred(seed):
    return correlated(seed)


@result("mean-off-zero")
@result("variance-off-zero")
def off_zero(seed):
    return correlated(seed, mean=1.0)


@result("two-numbers")
def two_numbers(seed):
    rho = np.random.default_rng(seed).uniform(-0.9, 0.9)
    pairs = [(p, float(z[0, 0]), float(z[1, 0])) for p, z in gauss(2)]
    other = np.sqrt(1 - rho**2)
    return {
        r"\rho": rho,
        "nodes": [(p, {"q": a, "k": rho * a + other * b}) for p, a, b in pairs],
    }


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
    weights, z = zip(*gauss(d, points=24), strict=True)
    q, k = (L @ np.hstack(z) for L in (L_q, L_k))  # a column for each node
    tilted = weights * np.exp(q.T @ k / np.sqrt(d))
    mean = tilted @ k.T / tilted.sum(axis=1, keepdims=True)
    chosen = weights * q @ mean
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


@result("lead")
def lead(seed):
    rng = np.random.default_rng(seed)
    n, a, ahead = int(rng.integers(2, 9)), *rng.uniform(0.5, 2, 2)
    weights = np.exp(a * np.array([ahead, *[0] * (n - 1)]))
    return {"n": n, "a": a, r"\Delta": ahead, "value": weights[0] / weights.sum()}
