"""The claims of the note on the size of q·k (000), each with its check."""

# %%
from functools import cache
from itertools import product

import numpy as np
from ledger import Ledger, case, finding
from scipy import special, stats
from softmax import mean_and_error

ledger = Ledger()


@cache
def gaussian(n):
    """Give points in n dimensions, and probabilities, with a Gaussian's means.

    Every coordinate is 0 or ±√3, with probability 2/3, 1/6 and 1/6. Up to the
    fifth its moments are those of a standard Gaussian, so that the mean of any
    polynomial of degree five comes out exactly, with no formula for it.
    """
    points = np.sqrt(3) * np.array(list(product([-1, 0, 1], repeat=n)))
    return points, np.where(points == 0, 2 / 3, 1 / 6).prod(axis=1)


def joint(d, seed=0):
    """Draw a covariance matrix for the 2d coordinates of q and k together."""
    draw = np.random.default_rng([seed, d]).standard_normal((2 * d, 2 * d))
    return draw @ draw.T / (2 * d)


def stacked(cov_q, cov_k, C):
    """Put the covariance matrix of (q, k) together from its blocks."""
    return np.block([[cov_q, C], [C.T, cov_k]])


def blocks(Sigma):
    """Take the covariance matrix of (q, k) apart."""
    d = len(Sigma) // 2
    return {
        "cov_q": Sigma[:d, :d],
        "cov_k": Sigma[d:, d:],
        "C": Sigma[:d, d:],
    }


def vectors(Sigma):
    """Give queries, keys and their probabilities; Σ may be singular."""
    points, chance = gaussian(len(Sigma))
    values, axes = np.linalg.eigh(Sigma)
    w = points * np.sqrt(np.maximum(values, 0)) @ axes.T
    return *np.hsplit(w, 2), chance


def rms(Sigma):
    """Give the root mean square of q·k, over all queries and keys."""
    q, k, chance = vectors(Sigma)
    return np.sqrt(chance @ np.sum(q * k, axis=1) ** 2)


def rms_by_pairs(cov_q, cov_k, C):
    """Give it in many dimensions, by Isserlis's three ways to pair factors."""
    pairings = ("ii,jj->", C, C), ("ij,ij->", cov_q, cov_k), ("ij,ji->", C, C)
    return np.sqrt(sum(np.einsum(*pairing) for pairing in pairings))


def moments(rho, d):
    """Give mean and variance of q·k for C = ρI, a sum of d independent terms."""
    points, chance = gaussian(2)
    q = points[:, 0]
    term = q * (rho * q + np.sqrt(1 - rho**2) * points[:, 1])
    mean = chance @ term
    return d * mean, d * (chance @ term**2 - mean**2)


def size(rho, d):
    """Give the root mean square of q·k for C = ρI."""
    mean, variance = moments(rho, d)
    return np.sqrt(mean**2 + variance)


def learn(steps, seed, tokens=16, d=64):
    """Let an attention layer learn to look tokens up, by gradient descent.

    The tokens are at right angles, so a step in the weights moves a query along
    the keys, and a key along the queries. Row i is the i-th token's.
    """
    q, k = np.random.default_rng(seed).standard_normal((2, tokens, d))
    for _ in range(steps):
        error = special.softmax(q @ k.T / np.sqrt(d), axis=1) - np.eye(tokens)
        q, k = q - 0.1 * error @ k, k - 0.1 * error.T @ q
    return q, k


# The key is the query, turned by 90°: q·k = 0, always.
TURN = np.array([[0, -1], [1, 0]])
QUARTER_TURN = stacked(np.eye(2), np.eye(2), TURN)
JOINTS = [joint(1), joint(2), joint(3)]


@ledger.claim(
    "000-01",
    "Motivation",
    r"the logits are $q^\top k$, where $q, k \in \mathbb{R}^d$",
    says="sum(q * k)",
    needs="“logits” means the scores before they are divided",
)
def logits():
    r"""Softmax is given $q^\top k/s$, and two weights tell the difference of
    what it was given. For the vectors of the check $q^\top k$ differs by
    {= before :.2f }, and the logit behind the divisor 8 by {= behind :.2f }.
    """
    q, key, other = np.random.default_rng(0).standard_normal((3, 64))
    scores = np.array([q @ key, q @ other])
    weights, divided = special.softmax(scores), special.softmax(scores / 8)
    before = np.log(weights[0] / weights[1])
    behind = np.log(divided[0] / divided[1])
    return finding(
        case(before, q=q, k=key - other),
        case(behind, beyond=True, q=q, k=key - other),
        before=before,
        behind=behind,
    )


@ledger.cited(
    "000-02",
    "Motivation",
    r"μP says to scale attention by $1/d$ rather than the usual $1/\sqrt{d}$",
    kind="history",
)
def mup():
    r"""What two papers prescribe: $1/\sqrt{d}$ is the first Transformer's
    scale [@vaswani2017], $1/d$ is in Definition 4.1 of
    [Tensor Programs V](https://arxiv.org/abs/2203.03466). The authors' code
    multiplies by $8/d$, which is the same as $1/\sqrt{d}$ at $d = 64$.
    """


@ledger.claim(
    "000-03",
    "Motivation",
    r"If $q$ and $k$ were independent, the usual $1/\sqrt{d}$ scaling would be "
    "exactly the right guess",
    says="sqrt(d)",
    needs=r"besides, one of the two has uncorrelated coordinates with mean 0 "
    r"and variance 1, and the other a mean squared length of $d$",
)
def independent():
    """Independence of $q$ and $k$ alone does not suffice. With all coordinates
    of each equal, the size at {= d } dimensions is {= equal :.0f }; with
    coordinates in cancelling pairs it is {= cancelling :.0f }.
    """

    def root_mean_square(queries, keys):
        return np.sqrt(np.mean((queries @ keys.T) ** 2))

    cases = []
    for d in (2, 4, 8):
        signs = np.array(list(product([-1, 1], repeat=d)))
        one_axis = np.sqrt(d) * np.eye(d)
        cases += [
            case(root_mean_square(signs, signs), d=d),
            case(root_mean_square(signs, one_axis), d=d),
        ]
    same = np.array([[1], [-1]]) * np.ones(d)
    equal = root_mean_square(same, same)
    cancelling = root_mean_square(same, same * (-1) ** np.arange(d))
    return finding(
        *cases,
        case(equal, beyond=True, d=d),
        case(cancelling, beyond=True, d=d),
        d=d,
        equal=equal,
        cancelling=cancelling,
    )


@ledger.claim(
    "000-04",
    "Motivation",
    "Each term $q_i k_i$ is mean-zero with bounded variance",
    says="array([0, var_q * var_k])",
    needs="the means of $q_i$ and $k_i$ are 0 and their variances bounded",
)
def one_term():
    """The mean of a product of independent numbers is the product of their
    means, and here its variance that of their variances. If both means are 1,
    the product has mean {= mean :.0f }.
    """

    def mean_and_variance(*factors):
        (x, p), (y, r) = factors
        values, chance = np.outer(x, y), np.outer(p, r)
        mean = np.sum(chance * values)
        return np.array([mean, np.sum(chance * values**2) - mean**2])

    coin = np.array([-1, 1]), np.array([0.5, 0.5])  # variance 1
    skewed = np.array([-1, 2]), np.array([2 / 3, 1 / 3])  # variance 2
    wide = np.array([-3, 0, 3]), np.array([1, 1, 1]) / 3  # variance 6
    shifted = coin[0] + 1, coin[1]
    off_centre = mean_and_variance(shifted, shifted)
    return finding(
        case(mean_and_variance(coin, skewed), within=1e-12, var_q=1, var_k=2),
        case(mean_and_variance(skewed, wide), within=1e-12, var_q=2, var_k=6),
        case(off_centre, beyond=True, within=1e-12, var_q=1, var_k=1),
        mean=off_centre[0],
    )


@ledger.claim(
    "000-05",
    "Motivation",
    "so the sum … lives in the familiar Central Limit Theorem world and "
    r"fluctuates at scale $\sqrt{d}$",
    says="sqrt(d)",
    needs="the terms are independent of each other, or nearly so",
)
def sum_of_terms():
    r"""Mean 0 and bounded variance do not suffice. Let all $q_i = z$ and all
    $k_i = w$: the sum is $d\,zw$, and its standard deviation $d$, at
    {= d } dimensions {= spread :.0f }. Nor does its law approach a Gaussian:
    its excess kurtosis stays {= kurtosis :.0f }. With independent terms it is
    {= independent :.2f } by then.
    """
    values, chance = np.array([-3, 0, 3]), np.array([1, 16, 1]) / 18

    def spread_and_kurtosis(values, chance):
        variance = chance @ values**2
        return np.sqrt(variance), chance @ values**4 / variance**2 - 3

    cases = []
    for d in (4, 16, 64):
        law = np.ones(1)
        for _ in range(d):
            law = np.convolve(law, chance)
        sums = 3 * np.arange(-d, d + 1)
        found, independent = spread_and_kurtosis(sums, law)
        cases.append(case(found, d=d))
    spread, kurtosis = spread_and_kurtosis(d * values, chance)
    return finding(
        *cases,
        case(spread, beyond=True, d=d),
        d=d,
        spread=spread,
        kurtosis=kurtosis,
        independent=independent,
    )


@ledger.claim(
    "000-06",
    "Motivation",
    "during training, $q$ and $k$ pick up correlations",
    says="abs(before) < 5 * error < after",
    reading="a few steps of training correlate the coordinates $q_i$ and $k_i$ "
    "of a query and the key that it looks for",
)
def correlations():
    """In a small attention layer that learns to look tokens up, this
    correlation is {= before :.3f } at the start, on average, and
    {= after :.2f } after ten steps. Its standard error at the start is
    {= error :.3f }. Correlation over *tokens*, which the matrix $C$ holds, is
    another matter: over all pairs of tokens it can stay 0.
    """

    def correlation(steps, seed):
        pairs = zip(*learn(steps, seed), strict=True)
        return np.mean([np.corrcoef(q, k)[0, 1] for q, k in pairs])

    seeds = range(20)
    start = np.array([correlation(0, seed) for seed in seeds])
    later = np.array([correlation(10, seed) for seed in seeds])
    before, error = mean_and_error(start)
    after = later.mean()
    return finding(
        case(before=before, error=error, after=after),
        before=before,
        error=error,
        after=after,
    )


@ledger.claim(
    "000-07",
    "Motivation",
    "less like a CLT object and more like a Law of Large Numbers object",
    says="2",
    needs=r"$\operatorname{tr} C$ grows in proportion to $d$",
)
def large_numbers():
    r"""The mean of $q^\top k$ is $\operatorname{tr}C$. With a correlation of
    {= rho } in every coordinate, twice as many dimensions give
    {= aligned :.3f } times the size. If $k_i$ follows the *next* coordinate
    of the query instead, just as closely, the factor is {= shifted :.3f }, the
    root of 2.
    """
    rho = 0.3
    aligned = size(rho, 8192) / size(rho, 4096)

    def size_of_shifted(d):
        return rms_by_pairs(np.eye(d), np.eye(d), rho * np.eye(d, k=1))

    shifted = size_of_shifted(128) / size_of_shifted(64)
    return finding(
        case(aligned, within=0.01),
        case(shifted, within=0.01, beyond=True),
        rho=rho,
        aligned=aligned,
        shifted=shifted,
    )


@ledger.claim(
    "000-08",
    "Motivation",
    r"we want the size of $q^\top k$ to stay $O(1)$ as $d$ grows",
    says="1",
    reading=r"it is the divided score, $q^\top k/s$, that should keep its size",
)
def stays_bounded():
    r"""From {= d } to {= 4 * d } dimensions, independent vectors divided by
    $\sqrt{d}$ keep it, up to a factor of {= independent :.2f }, and equal ones
    divided by $d$ up to {= equal :.2f }. The product $q^\top k$ itself grows,
    by factors of {= 2 * independent :.2f } and {= 4 * equal :.2f }, and is
    not meant to do otherwise.
    """
    d = 64
    independent = size(0, 4 * d) / np.sqrt(4 * d) / (size(0, d) / np.sqrt(d))
    equal = size(1, 4 * d) / (4 * d) / (size(1, d) / d)
    return finding(
        case(independent, within=0.02),
        case(equal, within=0.02),  # it is √(1 + 2/d), a little more than 1
        d=d,
        independent=independent,
        equal=equal,
    )


@ledger.claim(
    "000-09",
    "Motivation",
    r"$\|q^\top k\|_2 := \left(\mathbb{E}[(q^\top k)^2]\right)^{1/2}$",
    says="sum(chance * score**2) ** (1 / 2)",
)
def norm_of_score():
    """A definition, and it is a norm: the length of the vector of all values,
    each times the root of its probability. In the check it is {= found :.2f }.
    """
    q, k, chance = vectors(joint(2))
    score = np.sum(q * k, axis=1)
    found = np.linalg.norm(np.sqrt(chance) * score)
    return finding(case(found, chance=chance, score=score), found=found)


@ledger.claim(
    "000-10",
    "Motivation",
    r"a baseline term, which is there even when $q \perp k$, and two alignment "
    r"terms controlled by the cross-covariance $C = \mathbb{E}[qk^\top]$",
    says="baseline + alignment",
)
def decomposition():
    r"""What $C$ adds to the mean square does not depend on $\Sigma_q$ and
    $\Sigma_k$. It is the squared mean, and a change of the variance. That
    change is $\operatorname{tr}(C^2)$, though, and can be negative; see
    [000-16](#000-16). In the check it is {= change :.2f } for one of the $C$.
    """
    one, zero = np.eye(2), np.zeros((2, 2))
    cases = []
    for seed in (0, 1):
        cov_q, cov_k, C = blocks(joint(2, seed)).values()
        bare = rms(stacked(cov_q, cov_k, zero)) ** 2
        wide = cov_q + one, cov_k + 2 * one
        cases.append(
            case(
                rms(stacked(*wide, C)) ** 2,
                baseline=rms(stacked(*wide, zero)) ** 2,
                # As it is for other covariances of q and of k.
                alignment=rms(stacked(cov_q, cov_k, C)) ** 2 - bare,
            )
        )
    turned = stacked(one, one, TURN / 2)
    change = rms(turned) ** 2 - rms(stacked(one, one, zero)) ** 2
    return finding(
        *cases,
        case(rms(turned) ** 2, baseline=2.0, alignment=change),
        change=change,
    )


@ledger.claim(
    "000-11",
    "Motivation",
    r"makes the $\sqrt{d} \to d$ transition completely explicit",
    says="[0.5, 1.0]",
)
def transition():
    r"""For $C = \rho I$ the exponent of $d$ rises from {= start :.3f } (for
    $\rho = 0.01$ at $d = 4$) to {= end :.3f } (for $\rho = 0.5$ at
    $d = 4096$). Half-way, for $\rho = 0.1$ at $d = 101$, it is
    {= middle :.3f }. A general $C$ needs the theorem with
    $\operatorname{tr}(C^2)$.
    """

    def exponent(rho, d):
        return np.log2(size(rho, 1.01 * d) / size(rho, d)) / np.log2(1.01)

    start, middle, end = exponent(0.01, 4), exponent(0.1, 101), exponent(0.5, 4096)
    return finding(
        case([start, end], within=0.01), start=start, middle=middle, end=end
    )


@ledger.claim(
    "000-12",
    "Setup",
    "real query and key vectors in a trained network are not literally "
    "Gaussian",
    says="gaussian < measured - 5 * error",
)
def not_gaussian():
    r"""We find it in a small network. In an attention layer that learned to
    look tokens up the mean square of $q^\top k$, over a token and itself, is
    {= measured :.0f } ± {= error :.0f }; Gaussian vectors with the same
    covariances and means have {= gaussian :.0f }. The difference is the sum of
    the fourth joint cumulants.
    """


claims = ledger.judge()
