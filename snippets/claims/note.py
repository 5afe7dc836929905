"""The claims of the note on the size of q·k (000), each with its check."""

# %%
from functools import cache
from itertools import product

import numpy as np
from ledger import Ledger, case, finding
from samples import mean_and_error
from scipy import optimize, special, stats

source = "note"
ledger = Ledger(__file__)


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
    """Give mean and variance of q·k for C = ρI: d independent terms."""
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
    "000-45",
    "Motivation",
    "The question of the note: μP divides by $d$ where others divide by "
    r"$\sqrt d$. “Why?”",
    says="2",
    question=True,
    settled="training.md#what-mup-holds-constant",
)
def why_by_d():
    r"""Because of what a step adds. Adam's first step moves each coordinate of
    the query by one size, towards the key, so that all products gain, and twice
    as many gain {= growth :.2f } times as much in this draw. The size of $q\cdot k$
    at the start becomes only {= start :.2f } times as large. Whether one has to
    follow the step or the start is [contested](training.md#is-it-necessary).
    """
    rng = np.random.default_rng(0)
    gain, size = {}, {}
    for d in (1024, 2048):
        q, k = rng.standard_normal((2, 4000, d))
        moved = q + 0.01 * np.sign(k)
        scores = np.sum(q * k, axis=1)
        gain[d] = mean_and_error(np.sum(moved * k, axis=1) - scores)
        size[d] = np.sqrt(np.mean(scores**2))
    growth = gain[2048][0] / gain[1024][0]
    error = growth * np.hypot(*(e / m for m, e in gain.values()))
    return finding(
        case(growth, within=5 * error),
        growth=growth,
        start=size[2048] / size[1024],
    )


@ledger.claim(
    "000-01",
    "Motivation",
    r"What it calls the logits is $q\cdot k$, for vectors of $d$ numbers",
    says="sum(q * k)",
    needs="“logits” means the scores before they are divided",
    settled="training.md#what-mup-holds-constant",
)
def logits():
    r"""What softmax is given is $q^\top k$ over the divisor. The logarithm of
    the ratio of two of its weights tells how far apart their logits are: for
    the vectors of this draw, by {= apart[0] :.2f } without a divisor and by
    {= apart[1] :.2f } with $\sqrt{64} = 8$.
    """
    q, key, other = np.random.default_rng(0).standard_normal((3, 64))
    scores = np.array([q @ key, q @ other])
    weights, divided = special.softmax(scores), special.softmax(scores / 8)
    before = np.log(weights[0] / weights[1])
    behind = np.log(divided[0] / divided[1])
    return finding(
        case(before, q=q, k=key - other),
        case(behind, beyond=True, q=q, k=key - other),
        apart=[abs(before), abs(behind)],
    )


@ledger.cited(
    "000-02",
    "Motivation",
    r"The usual factor is $1/\sqrt d$, and μP asks for $1/d$",
    kind="history",
    settled="training.md#what-mup-holds-constant",
)
def mup():
    r"""Two papers prescribe so: $1/\sqrt{d}$ is the first Transformer's scale
    [@vaswani2017], and $1/d$ stands in Definition 4.1 of Tensor Programs V
    [@yang2022]. The authors' code multiplies by $8/d$ [@mup2022], which equals
    $1/\sqrt{d}$ at $d = 64$.
    """


@ledger.claim(
    "000-03",
    "Motivation",
    r"For independent $q$ and $k$, $\sqrt d$ is “exactly the right guess”",
    says="sqrt(d)",
    needs="one of the two also has uncorrelated coordinates with mean 0 and "
    "variance 1, and the other a mean squared length of $d$",
    same_need="independence",
    settled="theorem.md#what-it-says",
)
def independent():
    r"""Independence of $q$ and $k$ alone does not suffice. Here, and in the
    rows below, the *size* of $q^\top k$ is its root mean square. At {= d }
    dimensions $\sqrt{d}$ is {= root :.2f }. If all coordinates of each
    vector are equal, the size is {= equal :.0f }; if they come in cancelling
    pairs, $q = (z, z, \dots)$ and $k = (w, -w, \dots)$, it is
    {= cancelling :.0f }.
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
        root=np.sqrt(d),
        equal=equal,
        cancelling=cancelling,
    )


@ledger.claim(
    "000-04",
    "Motivation",
    "A single product $q_ik_i$ has mean 0, and its variance is bounded",
    says="array([0, square_q * square_k])",
    needs="one of the two means is 0, and both variances are bounded",
    settled="variance.md#one-product",
)
def one_term():
    """The mean of a product of independent numbers is the product of their
    means, so one mean of 0 is enough. The variance is then the product of their
    mean squares. With two means of 1 the term has mean {= mean :.0f }.
    """

    def mean_and_variance(*factors):
        (x, p), (y, r) = factors
        values, chance = np.outer(x, y), np.outer(p, r)
        mean = np.sum(chance * values)
        return np.array([mean, np.sum(chance * values**2) - mean**2])

    coin = np.array([-1, 1]), np.array([0.5, 0.5])  # variance 1
    skewed = np.array([-1, 2]), np.array([2 / 3, 1 / 3])  # variance 2
    wide = np.array([-3, 0, 3]), np.array([1, 1, 1]) / 3  # variance 6
    shifted = coin[0] + 1, coin[1]  # mean square 2
    cases = []
    for q, k in ((coin, skewed), (skewed, wide), (shifted, wide)):
        squares = {"square_q": q[1] @ q[0] ** 2, "square_k": k[1] @ k[0] ** 2}
        cases.append(case(mean_and_variance(q, k), within=1e-12, **squares))
    off_centre = mean_and_variance(shifted, shifted)
    beyond = {"within": 1e-12, "beyond": True}
    return finding(
        *cases,
        case(off_centre, **beyond, square_q=2, square_k=2),
        mean=off_centre[0],
    )


@ledger.claim(
    "000-05",
    "Motivation",
    "So a central limit theorem holds for the sum, which varies “at scale "
    r"$\sqrt d$”",
    says="sqrt(d)",
    needs="the terms are independent of each other, or nearly so",
    same_need="independence",
    settled="theorem.md#what-it-says",
)
def sum_of_terms():
    r"""Mean 0 and bounded variance do not suffice. Let all $q_i$ be one random
    number $z$ and all $k_i$ another, $w$. The sum is $d\,zw$ and its standard
    deviation $d$: at {= d } dimensions {= spread :.0f }. Nor does its
    distribution approach a Gaussian, whose excess kurtosis is 0: for the
    numbers of the check it stays {= kurtosis :.0f } at every $d$. With
    independent terms it falls, to {= independent :.2f } at the same $d$.
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
    "Training makes queries and keys “pick up correlations”",
    says="abs(before) < 5 * error < after",
    reading="a few steps of training correlate the coordinates $q_i$ and $k_i$ "
    "of a query and the key that it looks for",
    settled="training.md#correlated-over-what",
)
def correlations():
    r"""In a small attention layer that learns to look tokens up, this
    correlation is {= start :.3f } at the start, on average,
    and {= after :.1f } after ten steps. Correlation over *tokens*, which the
    note's matrix $C = \mathbb{E}[qk^\top]$ holds, is another matter: over all
    pairs of tokens it can stay 0.
    """

    def correlation(steps, seed):
        pairs = zip(*learn(steps, seed), strict=True)
        return np.mean([np.corrcoef(q, k)[0, 1] for q, k in pairs])

    seeds = range(20)
    before, error = mean_and_error(
        np.array([correlation(0, seed) for seed in seeds])
    )
    after = np.mean([correlation(10, seed) for seed in seeds])
    return finding(
        case(before=before, error=error, after=after),
        start=(before, error),
        after=after,
    )


@ledger.claim(
    "000-07",
    "Motivation",
    "With these correlations the score follows a law of large numbers "
    "rather than a central limit theorem",
    says="2",
    needs=r"$\operatorname{tr} C = \mathbb{E}[q^\top k]$ grows in proportion "
    "to $d$",
    settled="theorem.md#what-it-says",
)
def large_numbers():
    r"""By the law of large numbers the size then grows like $d$. With a
    correlation of {= rho } between each $q_i$ and $k_i$, twice as many
    dimensions give {= aligned :.3f } times the size. If each $k_i$ follows
    the *next* coordinate of the query instead, just as closely, the factor is
    {= shifted :.3f }, the root of 2.
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
    "000-44",
    "Motivation",
    "This counts where widths are large, which is the case that μP is made for",
    says="2",
    settled="training.md#when-the-head-stays-the-same",
)
def wider_heads():
    r"""With a correlation of {= rho } in every coordinate, twice as large a
    $d$ makes the size of a score {= growth :.2f } times as large, and not
    {= root :.2f } times, as a divisor of $\sqrt{d}$ expects. What grows has to
    be $d$, the dimension of one head, as the note says. Where a wider model
    gets more heads of one size, as is usual, nothing changes.
    """
    rho, d = 0.3, 4096
    growth = size(rho, 2 * d) / size(rho, d)
    return finding(
        case(growth, within=0.01), rho=rho, growth=growth, root=np.sqrt(2)
    )


@ledger.claim(
    "000-08",
    "Motivation",
    r"As $d$ grows, the size of $q\cdot k$ should “stay $O(1)$”",
    says="1",
    reading=r"it is the divided score, $q^\top k/s$ with a divisor $s$, that "
    "should keep its size",
    settled="training.md#what-mup-holds-constant",
)
def stays_bounded():
    r"""From {= narrow } to {= wide } dimensions its size changes by a factor of
    {= independent :.2f } for independent vectors and $s = \sqrt{d}$, and of
    {= equal :.2f } for a key equal to its query and $s = d$. The product
    $q^\top k$ itself grows, by factors of {= bare[0] :.2f } and
    {= bare[1] :.2f }, and is not meant to do otherwise.
    """
    narrow, wide = 64, 256
    bare = [size(rho, wide) / size(rho, narrow) for rho in (0, 1)]
    independent = bare[0] / np.sqrt(wide / narrow)
    equal = bare[1] / (wide / narrow)
    return finding(
        case(independent, within=0.02),
        case(equal, within=0.02),  # it is √(1 + 2/d), a little more than 1
        narrow=narrow,
        wide=wide,
        bare=bare,
        independent=independent,
        equal=equal,
    )


@ledger.claim(
    "000-46",
    "Motivation",
    r"What has to be settled is whether the score is “a $\sqrt d$ object or "
    "a $d$ object”",
    says="0.5 < small < large < 1",
    reading=r"for $C = \rho I$ the power with which the size grows rises "
    "with $d$ from a half to 1",
    settled="theorem.md#what-it-says",
)
def between_the_two():
    r"""At the sizes that heads have it is neither. With $\rho = {= rho }$ the
    size grows around $d = 64$ like $d$ to the power {= small :.2f }, and around
    $d = 1024$ to the power {= large :.2f }.
    """
    rho = 0.1

    def power(d):
        return np.log2(size(rho, 2 * d) / size(rho, d / 2)) / 2

    small, large = power(64), power(1024)
    return finding(
        case(small=small, large=large), rho=rho, small=small, large=large
    )


@ledger.claim(
    "000-09",
    "Motivation",
    r"The size that it computes: $\|q\cdot k\|_2$, the root of "
    r"$\mathbb{E}(q\cdot k)^2$",
    says="sum(chance * score**2) ** (1 / 2)",
    settled="theorem.md#what-is-assumed",
)
def norm_of_score():
    """A definition: square the score, average over all draws, and take the
    root. So it counts how large scores are, whatever their sign. With the
    covariances of this draw it is {= found :.2f }, as the theorem in its mended
    form says for them.
    """
    Sigma = joint(2)
    q, k, chance = vectors(Sigma)
    found = rms_by_pairs(**blocks(Sigma))
    score = np.sum(q * k, axis=1)
    return finding(case(found, chance=chance, score=score), found=found)


@ledger.claim(
    "000-10",
    "Motivation",
    "The mean square has one part that independent vectors have too, and "
    r"two more parts that come with $C = \mathbb{E}[qk^\top]$",
    says="baseline + alignment",
    settled="theorem.md#terms",
)
def decomposition():
    r"""What $C$ adds to the mean square does not depend on
    $\Sigma_q = \mathbb{E}[qq^\top]$ and $\Sigma_k = \mathbb{E}[kk^\top]$. It
    is the squared mean, and a change of the variance. That change is
    $\operatorname{tr}(C^2)$, though, and can be negative; see
    [000-16](claims.md#000-16). For one $C$ of the check it is {= change :.2f }.
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
    bare, turned, wide = (
        rms(stacked(cov, cov, C)) ** 2
        for cov, C in ((one, zero), (one, TURN / 2), (3 * one, TURN / 2))
    )
    change = turned - bare
    return finding(
        *cases,
        case(wide, baseline=9 * bare, alignment=change),
        change=change,
    )


@ledger.claim(
    "000-11",
    "Motivation",
    r"The formula shows how $\sqrt d$ turns into $d$, and makes it "
    "“completely explicit”",
    says="[0.5, 1.0]",
    reading=r"for $C = \rho I$ the theorem gives the size at every $d$, and "
    "the power of $d$ that it grows like goes from a half to 1",
    settled="theorem.md#what-it-says",
)
def transition():
    r"""“Completely” is praise. For $C = \rho I$ the exponent
    rises from {= start :.3f } (for $\rho = 0.01$ at $d = 4$) to
    {= end :.3f } (for $\rho = 0.5$ at $d = 4096$). Half-way, for $\rho = 0.1$
    at $d = 101$, it is {= middle :.3f }. A general $C$ needs the theorem with
    $\operatorname{tr}(C^2)$; see [000-16](claims.md#000-16). With quarter turns
    beside $\rho I$, as far as variances of 1 allow, the transition is another:
    for $\rho = 0.01$ the exponent is {= turned :.3f } at $d = 4$ already.
    """

    def exponent(rho, d):
        return np.log2(size(rho, 1.01 * d) / size(rho, d)) / np.log2(1.01)

    start, middle, end = (
        exponent(0.01, 4),
        exponent(0.1, 101),
        exponent(0.5, 4096),
    )

    def turned_size(rho, d):
        C = np.kron(
            np.eye(d // 2), rho * np.eye(2) + TURN * (1 - rho**2) ** 0.5
        )
        return rms_by_pairs(np.eye(d), np.eye(d), C)

    def turned_exponent(rho, d):
        # Between neighbouring even dimensions, d - 2 and d + 2.
        ratio = turned_size(rho, d + 2) / turned_size(rho, d - 2)
        return np.log(ratio) / np.log((d + 2) / (d - 2))

    turned = turned_exponent(0.01, 4)
    return finding(
        case([start, end], within=0.01),
        start=start,
        middle=middle,
        end=end,
        turned=turned,
    )


@ledger.claim(
    "000-12",
    "Setup",
    "In a trained network queries and keys are “not literally Gaussian”",
    says="trained < gaussian",
    settled="theorem.md#with-fewer-assumptions",
)
def not_gaussian():
    r"""Nor in a pretrained one, in which the formula for Gaussian vectors
    misses by up to {= trained/formula.up_to :.1f } times where a token meets
    itself ([how that was measured](trained.md#where-the-formula-fails)); the
    check here takes small networks. If queries and keys were Gaussian, their covariances would tell how much a token's score with
    itself varies from token to token. After 100 steps of learning to look
    {= tokens } tokens up it varies far less, in each of {= networks } networks:
    its variance is at most {= trained :.3f } times that in this draw. Chance
    does not do it: in {= samples } samples of as many Gaussian vectors the
    factor is never below {= gaussian :.2f }.
    """

    def share(w):
        # Of the variance of q·k, over that of Gaussians: tr(Σq Σk) + tr(C²).
        q, k = np.hsplit(w - w.mean(axis=0), 2)
        cov_q, cov_k, C = blocks(np.cov(w.T, bias=True)).values()
        expected = np.sum(cov_q * cov_k) + np.sum(C * C.T)
        return np.var(np.sum(q * k, axis=1)) / expected

    rng, trained, gaussian = np.random.default_rng(0), [], []
    for seed in range(10):
        w = np.hstack(learn(100, seed))
        tokens = len(w)
        mix = rng.standard_normal((20, tokens, tokens)) / np.sqrt(tokens)
        trained.append(share(w))
        gaussian += [share(sample) for sample in mix @ (w - w.mean(axis=0))]
    return finding(
        case(trained=max(trained), gaussian=min(gaussian)),
        trained=max(trained),
        gaussian=min(gaussian),
        tokens=tokens,
        networks=len(trained),
        samples=len(gaussian),
    )


@ledger.claim(
    "000-13",
    "Setup, Assumption 1",
    "The matrix $C$ of the model holds the covariances of $q$'s coordinates "
    "with $k$'s",
    says="C",
    settled="theorem.md#what-is-assumed",
)
def cross_covariance():
    r"""A definition. In the covariance matrix of $q$ and $k$ together, whose
    diagonal blocks are $\Sigma_q = \mathbb{E}[qq^\top]$ and
    $\Sigma_k = \mathbb{E}[kk^\top]$, the block above the diagonal is $C$ and
    the one below $C^\top$. Not every $C$ is possible: with
    $\Sigma_q = \Sigma_k = I$ and $C = {= rho } I$ the smallest eigenvalue of
    the whole would be {= smallest :.1f }.
    """
    cases = []
    for Sigma in JOINTS:
        q, k, chance = vectors(Sigma)
        mean = np.einsum("n,ni,nj->ij", chance, q, k)
        C = blocks(Sigma)["C"]
        cases += [case(mean, C=C), case(mean.T, C=C.T)]
    rho, one = 1.2, np.eye(2)
    smallest = np.linalg.eigvalsh(stacked(one, one, rho * one)).min()
    return finding(*cases, rho=rho, smallest=smallest)


@ledger.claim(
    "000-14",
    "Setup",
    "The $L^p$ norm of a random number is the $p$-th root of "
    r"$\mathbb{E}|X|^p$",
    says="sum(chance * abs(x)**p) ** (1 / p)",
    settled="theorem.md#what-is-assumed",
)
def p_norm():
    r"""A definition, for every $p > 0$. The check finds the same from the
    chances that $|X|$ exceeds a number. A *norm* it is for $p \ge 1$ only, as
    the triangle inequality shows. For $p = \frac12$ let $X$ be 1 on heads and
    0 on tails, and $Y = 1 - X$: then $\|X + Y\|_p$ is {= together :.0f }, and
    $\|X\|_p + \|Y\|_p$ only {= apart :.1f }. The note uses $p = 2$.
    """
    x, chance = np.array([-3, -0.5, 0, 2]), np.array([0.1, 0.3, 0.2, 0.4])
    order = np.argsort(np.abs(x))
    exceeds = np.cumsum(chance[order][::-1])[::-1]

    def from_tails(p):  # E|X|^p is the integral of P(|X| > t) by t^p
        steps = np.diff(np.abs(x[order]) ** p, prepend=0)
        return (steps @ exceeds) ** (1 / p)

    heads, tails = np.array([1, 0]), np.array([0, 1])
    first, second, together = (
        np.mean(np.sqrt(values)) ** 2
        for values in (heads, tails, heads + tails)
    )
    return finding(
        *(case(from_tails(p), x=x, chance=chance, p=p) for p in (0.5, 1.5, 2)),
        together=together,
        apart=first + second,
    )


@ledger.cited(
    "000-43",
    "Setup",
    "For the notation it refers to chapter 1 of Vershynin's book",
    kind="history",
    settled="theorem.md#what-is-assumed",
)
def reference():
    r"""The book [@vershynin2018] introduces moments and the $L^p$ norm in its
    section 1.1. What the note takes from it is [000-14](claims.md#000-14).
    """


@ledger.claim(
    "000-15",
    "Setup, Definition 2",
    "This norm with $p = 2$ is the root mean square of the score",
    says="sqrt(variance + mean**2)",
    settled="theorem.md#what-is-assumed",
)
def root_mean_square():
    """It is not the standard deviation, since it counts the mean as well. For
    $k = q$ with independent Gaussian coordinates at {= d } dimensions it is
    {= found :.2f }; the standard deviation is {= spread :.2f }.
    """
    cases = []
    for Sigma in JOINTS:
        q, k, chance = vectors(Sigma)
        score = np.sum(q * k, axis=1)
        variance = np.cov(score, aweights=chance, bias=True)
        mean = np.average(score, weights=chance)
        cases.append(case(rms(Sigma), variance=variance, mean=mean))
    d = 64
    mean, variance = moments(1, d)
    found, spread = np.sqrt(stats.chi2(d).moment(2)), np.sqrt(variance)
    return finding(
        *cases,
        case(found, variance=variance, mean=mean),
        d=d,
        found=found,
        spread=spread,
    )


@ledger.claim(
    "000-16",
    "Main Result, Theorem 1",
    r"Theorem 1: $\mathbb{E}(q\cdot k)^2 = \|C\|_F^2 + (\operatorname{tr} "
    r"C)^2 + \operatorname{tr}(\Sigma_q\Sigma_k)$; the norm is its root",
    says="sqrt(trace(cov_q @ cov_k) + norm(C)**2 + trace(C)**2)",
    rather="sqrt(trace(cov_q @ cov_k) + trace(C @ C) + trace(C)**2)",
    same_error="a transpose",
    settled="theorem.md#the-slip-and-the-quarter-turn",
)
def theorem():
    r"""Only the middle term is different: it is $\operatorname{tr}(C^2)$, the
    same as $\|C\|_F^2$ if $C$ is symmetric, and smaller otherwise. Let
    $q = (z_1, z_2)$ and $k = (z_2, -z_1)$, with independent standard Gaussian
    $z_1$ and $z_2$. Then $q^\top k = z_1z_2 - z_2z_1 = 0$ always, and the
    formula as published gives {= published :.0f }.
    """
    one = np.eye(2)
    published = np.sqrt(
        np.trace(one @ one) + np.linalg.norm(TURN) ** 2 + np.trace(TURN) ** 2
    )
    return finding(
        *(case(rms(Sigma), **blocks(Sigma)) for Sigma in JOINTS),
        case(rms(QUARTER_TURN), within=1e-9, **blocks(QUARTER_TURN)),
        published=published,
    )


@ledger.claim(
    "000-17",
    "",
    r"For $\Sigma_q = \Sigma_k = I$, even $d$ and "
    r"$\operatorname{tr} C = \rho d \neq 0$ the published mean square exceeds "
    r"the true one by at most the share $2(1-\rho^2)/(\rho^2(d+2))$ of it",
    says="2 * (1 - rho**2) / (rho**2 * (d + 2))",
    settled="theorem.md#how-large-the-error-can-be",
)
def size_of_slip():
    r"""How much does the slip matter? The more dimensions, the less. With a
    correlation of $\rho = 0.3$ between each $q_i$ and $k_i$ the published mean
    square is at worst {= largest[2] :.0%} too large at $d = 2$ and
    {= largest[64] :.0%} at $d = 64$, and never too small. So it does not change
    the note's conclusion. The bound needs $\Sigma_q = \Sigma_k = I$:
    with coordinates that are equal in pairs the error can reach
    {= paired :.0%} at $d = 4$, where the bound is {= largest[4] :.0%}. The
    check tries all $C$ on a grid for $d = 2$, and random ones beside the worst
    for larger $d$.
    """

    def error(cov, C):
        slip = np.sum(C**2) - np.trace(C @ C)
        return slip / rms_by_pairs(cov, cov, C) ** 2

    def largest_in_the_plane(rho):
        # C = ((ρ+a, b-t), (b+t, ρ-a)) has the singular values
        # |(ρ, t)| ± |(a, b)|, and none of them may exceed 1.
        t, a = np.mgrid[0:1:401j, 0:1:401j] * np.sqrt(1 - rho**2)
        allowed = np.hypot(rho, t) + a <= 1 + 1e-12
        square = 2 + 2 * (rho**2 + a**2 - t**2) + 4 * rho**2
        return np.max(4 * t[allowed] ** 2 / square[allowed])

    def room(far, start, step):
        # A step may go as far as singular values up to 1 allow.
        return 1 - np.linalg.norm(start + far * step, 2)

    def largest_of_many(rho, d):
        one, turns = np.eye(d), np.kron(np.eye(d // 2), TURN)
        errors = [error(one, rho * one + np.sqrt(1 - rho**2) * turns)]
        rng = np.random.default_rng(d)
        for weight in np.linspace(-1, 1, 41):
            step = rng.standard_normal((d, d))
            step -= weight * step.T
            step -= np.trace(step) / d * one
            step /= np.linalg.norm(step, 2)
            far = optimize.brentq(room, 0, 2, args=(rho * one, step))
            errors.append(error(one, rho * one + far * step))
        return max(errors)

    cases = [
        case(largest_in_the_plane(rho), rho=rho, d=2) for rho in (0.3, 0.6)
    ]
    cases += [
        case(largest_of_many(rho, d), rho=rho, d=d)
        for rho, d in ((0.1, 4), (0.3, 8), (0.6, 16))
    ]
    # Two pairs of equal coordinates, and a quarter turn between the pairs.
    rho, pair = 0.3, np.ones((2, 2))
    cov = np.kron(np.eye(2), pair)
    C = rho * cov + np.sqrt(1 - rho**2) * np.kron(TURN, pair)
    return finding(
        *cases,
        largest={d: largest_of_many(rho, d) for d in (2, 4, 64)},
        paired=error(cov, C),
    )


@ledger.claim(
    "000-18",
    "Interpretation",
    r"For $C = 0$ the size is $\sqrt d$",
    says="sqrt(d)",
    needs=r"$\operatorname{tr}(\Sigma_q\Sigma_k) = d$",
    same_need="covariances",
    settled="theorem.md#what-it-says",
)
def no_correlation():
    r"""That is so if one covariance is $I$ and the other has trace $d$. With
    equal coordinates, $\Sigma_q$ and $\Sigma_k$ full of ones, the size at
    {= d } dimensions is {= equal :.0f }, not {= root :.2f }.
    """
    cases = []
    for d in (2, 3):
        nothing, other = np.zeros((d, d)), blocks(joint(d))["cov_k"]
        other = other * d / np.trace(other)
        cases += [
            case(rms(stacked(np.eye(d), np.eye(d), nothing)), d=d),
            case(rms(stacked(np.eye(d), other, nothing)), d=d),
        ]
    ones = np.ones((d, d))
    equal = rms(stacked(ones, ones, nothing))
    beyond = case(equal, beyond=True, d=d)
    return finding(*cases, beyond, d=d, equal=equal, root=np.sqrt(d))


@ledger.claim(
    "000-19",
    "Interpretation",
    r"For $C = \rho I$ its square is $\rho^2d^2 + (1 + \rho^2)d$",
    says="sqrt(d + rho**2 * d + rho**2 * d**2)",
    needs=r"$\operatorname{tr}(\Sigma_q\Sigma_k) = d$",
    same_need="covariances",
    settled="theorem.md#what-it-says",
)
def isotropic():
    r"""This $C$ is symmetric, so that the slip does no harm. At $d = 64$ and
    $\rho = 0.1$ the size is {= usual :.2f }. With correlations of one half
    within $q$ and within $k$ it is {= found :.2f } at {= d } dimensions and
    $\rho = 0.3$, instead of {= expected :.2f } by the formula.
    """
    cases = [
        case(rms(stacked(np.eye(d), np.eye(d), rho * np.eye(d))), rho=rho, d=d)
        for rho, d in ((0.1, 2), (-0.7, 2), (0.3, 3))
    ]
    rho, d = 0.3, 3
    cov = (np.eye(d) + np.ones((d, d))) / 2
    found = rms(stacked(cov, cov, rho * np.eye(d)))
    return finding(
        *cases,
        case(size(0.1, 64), rho=0.1, d=64),
        case(found, beyond=True, rho=rho, d=d),
        usual=size(0.1, 64),
        found=found,
        expected=size(rho, d),
        d=d,
    )


@ledger.claim(
    "000-20",
    "Interpretation",
    r"For $C = \rho I$, “any nonzero $\rho$” lets the term with $d^2$ "
    "outweigh the others",
    says="aligned > rest",
    needs=r"$d > 1 + 1/\rho^2$",
    settled="theorem.md#what-it-says",
)
def dominates():
    r"""The term with $d^2$ is the squared mean, the others are the variance.
    At $\rho = 0.1$ it takes more than {= crossover :.0f } dimensions: at 64 the
    squared mean is {= aligned :.1f } and the variance {= rest :.1f }.
    """

    def terms(rho, d):
        mean, variance = moments(rho, d)
        return {"aligned": mean**2, "rest": variance}

    return finding(
        *(
            case(**terms(rho, d))
            for rho, d in ((0.1, 102), (0.1, 1024), (0.01, 10_002), (1, 3))
        ),
        *(
            case(beyond=True, **terms(rho, d))
            for rho, d in ((0.1, 64), (0.1, 100), (0.01, 4096))
        ),
        **terms(0.1, 64),
        crossover=1 + 1 / 0.1**2,
    )


@ledger.claim(
    "000-21",
    "Interpretation",
    "For a key equal to its query the size is about $d$",
    says="d",
    needs="the coordinates of $q$ are uncorrelated, with variance 1",
    same_need="covariances",
    settled="theorem.md#what-it-says",
)
def copies():
    r"""The size is $\sqrt{d^2 + 2d}$, to which $d + 1$ is closer still: at
    $d = 64$ it is {= found :.3f }. With equal coordinates it is still of
    order $d$, but {= equal :.2f } times as large as $d$.
    """

    def length(d):
        return np.sqrt(stats.chi2(d).moment(2))

    one = np.ones((2, 2))
    equal = rms(stacked(one, one, one)) / 2
    return finding(
        *(case(length(d), within=1, d=d) for d in (16, 64, 512)),
        case(64 * equal, within=1, beyond=True, d=64),
        found=length(64),
        equal=equal,
    )


@ledger.claim(
    "000-22",
    "Interpretation",
    "“The whole story” is in $C$",
    says="sqrt(d + rise)",
    needs=r"$\operatorname{tr}(\Sigma_q\Sigma_k) = d$",
    same_need="covariances",
    settled="theorem.md#what-it-says",
)
def whole_story():
    r"""So it is in the note's three examples, if they take
    $\Sigma_q = \Sigma_k = I$: what is added to the mean square $d$ depends on
    $C$ alone. In general the covariances within $q$ and within $k$ matter too,
    as the theorem's first term shows. With $C = 0$ and
    variances of 1, {= d } dimensions give the size {= separate :.2f } for
    independent coordinates, {= equal :.0f } for equal ones and
    {= cancelling :.0f } for cancelling ones.
    """
    d = 3
    one, ones, nothing = np.eye(d), np.ones((d, d)), np.zeros((d, d))
    separate = rms(stacked(one, one, nothing))
    equal = rms(stacked(ones, ones, nothing))
    # Queries along (1, 1, 1), keys at right angles to it.
    across = (3 * one - ones) / 2
    cancelling = rms(stacked(ones, across, nothing))
    cases = []
    for seed in (0, 1):
        # A small C, so that it fits with either covariance of the keys.
        C = np.random.default_rng(seed).uniform(-0.2, 0.2, (d, d))
        rise = rms(stacked(one, one, C)) ** 2 - d
        uneven = np.diag([0.5, 1, 1.5])
        cases.append(case(rms(stacked(one, uneven, C)), d=d, rise=rise))
    return finding(
        *cases,
        case(equal, beyond=True, d=d, rise=0),
        case(cancelling, beyond=True, d=d, rise=0),
        d=d,
        separate=separate,
        equal=equal,
        cancelling=cancelling,
    )


@ledger.claim(
    "000-23",
    "Interpretation",
    r"Where $C$ is “negligible”, the size stays with $\sqrt d$",
    says="sqrt(d)",
    needs=r"$\operatorname{tr}(\Sigma_q\Sigma_k) = d$, and “negligible” is "
    r"said of $\operatorname{tr} C$ beside $\sqrt{d}$ and of "
    r"$\operatorname{tr}(C^2)$ beside $d$",
    same_need="covariances",
    settled="theorem.md#what-it-says",
)
def negligible():
    r"""That the entries of $C$ are small does not suffice. With a correlation
    of {= rho } in every coordinate the size at {= d } dimensions is
    {= everywhere :.1f }; with a correlation of 1 in a single coordinate it is
    {= single :.1f }, and $\sqrt{d}$ is {= root :.0f }. With coordinates that
    are equal within $q$ and within $k$ it is {= equal :.0f } with no
    correlation at all.
    """
    d, rho = 256, 0.1
    one, rng = np.eye(d), np.random.default_rng(0)
    aligned = np.outer(one[0], one[0])
    scattered = np.linalg.qr(rng.standard_normal((d, d)))[0] / 2
    turned = np.kron(np.eye(d // 2), TURN)  # tr C = 0, but tr C² = -d
    root = np.sqrt(d)
    single, everywhere = (
        rms_by_pairs(one, one, C) for C in (aligned, rho * one)
    )
    uneven = np.diag(rng.uniform(0, 2, d))
    uneven *= d / np.trace(uneven)
    equal = rms_by_pairs(np.ones((d, d)), np.ones((d, d)), 0 * one)
    return finding(
        case(rms_by_pairs(one, uneven, aligned / 2), within=root / 20, d=d),
        case(equal, within=root / 20, beyond=True, d=d),
        case(single, within=root / 20, d=d),
        case(rms_by_pairs(one, one, scattered), within=root / 20, d=d),
        case(everywhere, within=root / 20, beyond=True, d=d),
        case(rms_by_pairs(one, one, turned), within=1, beyond=True, d=d),
        d=d,
        rho=rho,
        single=single,
        everywhere=everywhere,
        root=root,
        equal=equal,
    )


@ledger.claim(
    "000-24",
    "Interpretation",
    "Where $C$ has “coherent structure”, the size begins to follow $d$",
    says="rho",
    reading=r"coherent structure means $\operatorname{tr} C = \rho d$, and "
    r"then $\|q^\top k\|_2/d$ tends to $\rho$",
    settled="theorem.md#terms",
)
def coherent():
    r"""For $\rho = 0.3$ it is {= near :.4f } at $d = 4096$. But structure that
    does not show in the trace may bring nothing: if $k$ is $q$ after a quarter
    turn in each of 32 planes, $C$ is as coherent as can be, and the size is
    {= turned :.0f }. Where the eigenvalues of $\Sigma_q$ or $\Sigma_k$ grow
    with $d$, order $d$ can come
    [without a trace](theorem.md#how-large-the-error-can-be).
    """
    one, d = np.eye(64), 4096
    turned = rms_by_pairs(one, one, np.kron(np.eye(32), TURN))
    return finding(
        *(
            case(size(rho, d) / d, within=1e-3, rho=rho)
            for rho in (0.3, 0.6, 0.9)
        ),
        near=size(0.3, d) / d,
        turned=turned,
    )


@ledger.cited(
    "000-25",
    "Proof of Theorem 1",
    "ChatGPT helped to find the proof",
    kind="history",
    settled="theorem.md#the-proof-by-steins-identity",
)
def help_with_proof():
    """The author's own account [@zhang]. The lines of the proof are
    claims of their own.
    """


@ledger.claim(
    "000-26",
    "Proof of Theorem 1",
    "By Isserlis's theorem the proof works too, but in coordinates it "
    "becomes “quite a mess”",
    says="means + inside + across",
    reading="Isserlis's theorem, coordinate by coordinate, gives the mean "
    "square",
    settled="theorem.md#the-proof-by-isserlis-in-one-line",
)
def in_coordinates():
    r"""Mess is a matter of taste. For each $i$ and $j$ the theorem
    [@isserlis1918] gives three products, $C_{ii}C_{jj}$,
    $(\Sigma_q)_{ij}(\Sigma_k)_{ij}$ and $C_{ij}C_{ji}$. In coordinates one
    sees at once that the last of them is not $C_{ij}^2$.
    """
    cases = []
    for Sigma in [*JOINTS, joint(4)]:
        cov_q, cov_k, C = blocks(Sigma).values()
        every = list(product(range(len(C)), repeat=2))
        cases.append(
            case(
                rms(Sigma) ** 2,
                means=sum(C[i, i] * C[j, j] for i, j in every),
                inside=sum(cov_q[i, j] * cov_k[i, j] for i, j in every),
                across=sum(C[i, j] * C[j, i] for i, j in every),
            )
        )
    return finding(*cases)


@ledger.claim(
    "000-27",
    "Proof of Theorem 1",
    "The score is a quadratic form in $q$ and $k$ put together",
    says="w @ A @ w",
    settled="theorem.md#the-block-product-and-the-slip",
)
def quadratic_form():
    r"""The symmetric matrix $A$ is half the table of second derivatives of
    $q^\top k$ by the coordinates of $w$. The check takes them by differences,
    which are exact here.
    """

    def score(w):
        q, k = np.split(w, 2)
        return q @ k

    cases = []
    for d in (1, 2, 5):
        steps = np.eye(2 * d)
        second = [
            [score(a + b) - score(a) - score(b) for b in steps] for a in steps
        ]
        w = np.random.default_rng(d).standard_normal(2 * d)
        cases.append(case(score(w), w=w, A=np.array(second) / 2))
    return finding(*cases)


def smooth_functions():
    """Give functions of two Gaussians with their derivatives, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    x, y = (grid.ravel() for grid in np.meshgrid(nodes, nodes))
    chance = np.outer(weights, weights).ravel() / (2 * np.pi)
    phase = x / 2 + 2 * y + 1
    wave, slope = np.cos(phase), -np.sin(phase)
    bend = np.multiply.outer([[1 / 4, 1], [1, 4]], -wave)
    yield chance, (x, y), wave, np.array([slope / 2, 2 * slope]), bend
    growth, cos, sin = np.exp(x / 2), np.cos(2 * y + 1), np.sin(2 * y + 1)
    gradient = growth * np.array([cos / 2, -2 * sin])
    bend = growth * np.array([[cos / 4, -sin], [-sin, -4 * cos]])
    yield chance, (x, y), growth * cos, gradient, bend


@ledger.claim(
    "000-28",
    "Proof of Theorem 1, Lemma 1",
    "Stein's lemma: multiplying by $z_i$ has the same mean as "
    "differentiating by $z_i$",
    says="slopes @ chance",
    settled="theorem.md#first-lemma",
)
def stein():
    r"""The stated condition, $\mathbb{E}|\nabla h(z)| < \infty$, is enough:
    that the left side exists follows from it. The lemma is Stein's
    [@stein1981]. The check integrates two functions of two variables, a wave
    and a growing one.
    """
    cases = []
    for chance, z, h, slopes, _ in smooth_functions():
        found = np.array(z) @ (chance * h)
        cases.append(case(found, slopes=slopes, chance=chance))
    return finding(*cases)


@ledger.claim(
    "000-29",
    "Proof of Theorem 1, Lemma 1",
    "From this lemma, “twice”, follows a form for matrices: "
    r"$\mathbb{E}[h\,zz^\top]$ is $\mathbb{E}[h]\,I$ plus the mean of the "
    "second derivatives",
    says="I * mean + bend",
    needs=r"$\mathbb{E}\|\nabla^2 h(z)\| < \infty$",
    settled="theorem.md#first-lemma",
)
def stein_twice():
    r"""This condition alone is enough, but that of the lemma,
    $\mathbb{E}|\nabla h(z)| < \infty$, is not. In one dimension let
    $h'(t) = \sin(e^{t^2})$, which lies between −1 and 1. Values of $|z|$ up to
    1, 2 and 3 contribute {= part[0] :.1f }, {= part[1] :.1f } and
    {= part[2] :.0f } to $\mathbb{E}|h''(z)|$, and this grows without end: the
    right side exists only as an improper integral, not as an absolutely
    convergent mean. The quadratic $h$ of the proof is safe.
    """
    cases = []
    for chance, z, h, _, bends in smooth_functions():
        squares = np.einsum("n,in,jn->ij", chance * h, z, z)
        cases.append(
            case(squares, I=np.eye(2), mean=chance @ h, bend=bends @ chance)
        )
    # In u = exp(t²) the mean of |h''| up to |z| = T is the integral of
    # 2 |cos u| / √(2πu) from 1 to exp(T²).
    part = []
    for end in np.exp([1, 4, 9]):
        u = np.linspace(1, end, 200_001)
        density = 2 * np.abs(np.cos(u)) / np.sqrt(2 * np.pi * u)
        part.append(np.trapezoid(density, u))
    bend = np.inf if part[2] > 2 * part[1] > 4 * part[0] else part[2]
    return finding(
        *cases,
        case(0.0, beyond=True, I=1, mean=0, bend=bend),  # this h is odd
        part=part,
    )


def symmetric(n, seed=0):
    """Draw a symmetric matrix."""
    draw = np.random.default_rng([seed, n]).standard_normal((n, n))
    return (draw + draw.T) / 2


@ledger.claim(
    "000-30",
    "Proof of Theorem 1, Lemma 2",
    r"The mean square of $w^\top Bw$ is $2\operatorname{tr}(B\Sigma "
    r"B\Sigma)$ plus the square of $\operatorname{tr}(B\Sigma)$",
    says="trace(B @ Sigma)**2 + 2 * trace(B @ Sigma @ B @ Sigma)",
    settled="theorem.md#second-lemma",
)
def lemma_two():
    r"""It holds whether $\Sigma$ is singular or not. The check adds up the
    mean, in 2, 4 and 6 dimensions, over a discrete distribution whose moments
    up to the fifth are the Gaussian's.
    """
    cases = []
    for Sigma in [*JOINTS, QUARTER_TURN]:
        q, k, chance = vectors(Sigma)
        w, B = np.hstack([q, k]), symmetric(len(Sigma))
        form = np.sum(w @ B * w, axis=1)
        cases.append(case(chance @ form**2, B=B, Sigma=Sigma))
    return finding(*cases)


@ledger.claim(
    "000-40",
    "Proof of Theorem 1, Lemma 2",
    r"The matrix $B$ between two roots of $\Sigma$, called $M$, is symmetric "
    "as well",
    says="M",
    settled="theorem.md#second-lemma",
)
def still_symmetric():
    r"""It equals its transpose, for random $\Sigma$ and symmetric $B$. With a
    $B$ that is not symmetric it differs from it, by up to {= differs :.2f } in
    this draw.
    """

    def sandwiched(B, Sigma):
        values, axes = np.linalg.eigh(Sigma)
        root = axes * np.sqrt(np.maximum(values, 0)) @ axes.T
        return root @ B @ root

    cases = []
    for Sigma in [*JOINTS, QUARTER_TURN]:
        M = sandwiched(symmetric(len(Sigma)), Sigma)
        cases.append(case(M.T, within=1e-12, M=M))
    lopsided = sandwiched(np.triu(symmetric(len(Sigma))), Sigma)
    differs = np.abs(lopsided - lopsided.T).max()
    return finding(*cases, differs=differs)


@ledger.claim(
    "000-41",
    "Proof of Theorem 1, Lemma 2",
    "In $z$ the form has the matrix $M$ where in $w$ it has $B$",
    says="w @ B @ w",
    settled="theorem.md#second-lemma",
)
def reduced():
    r"""Found at random points $z$, with $w$ as the root of $\Sigma$ times $z$,
    and the form as the sum of $M_{ij}z_iz_j$.
    """
    cases = []
    for Sigma in [*JOINTS, QUARTER_TURN]:
        values, axes = np.linalg.eigh(Sigma)
        root = axes * np.sqrt(np.maximum(values, 0)) @ axes.T
        B = symmetric(len(Sigma))
        z = np.random.default_rng(len(Sigma)).standard_normal(len(Sigma))
        found = np.sum(root @ B @ root * np.outer(z, z))
        cases.append(case(found, w=root @ z, B=B))
    return finding(*cases)


@ledger.claim(
    "000-31",
    "Proof of Theorem 1, Lemma 2",
    r"$M$ and $B\Sigma$ have one trace, and their squares too",
    says="array([trace(B @ Sigma), trace(B @ Sigma @ B @ Sigma)])",
    settled="theorem.md#second-lemma",
)
def traces():
    r"""$M$ is [symmetric](claims.md#000-40). The check adds up its
    eigenvalues, and their squares.
    """
    cases = []
    for Sigma in [*JOINTS, QUARTER_TURN]:
        B = symmetric(len(Sigma))
        values, axes = np.linalg.eigh(Sigma)
        root = axes * np.sqrt(np.maximum(values, 0)) @ axes.T
        own = np.linalg.eigvalsh(root @ B @ root)
        cases.append(case([own.sum(), (own**2).sum()], B=B, Sigma=Sigma))
    return finding(*cases)


@ledger.claim(
    "000-32",
    "Proof of Theorem 1, Lemma 2",
    r"The form has mean $\operatorname{tr} M$ and second derivatives $2M$",
    says="array([trace(M), u @ (2 * M) @ u])",
    settled="theorem.md#second-lemma",
)
def mean_and_bend():
    r"""Here $h(z) = z^\top Mz$. The check takes its mean, and its second
    difference at some $z$ in some direction $u$.
    """
    cases = []
    for n in (1, 2, 4):
        M, (points, chance) = symmetric(n), gaussian(n)
        mean = chance @ np.sum(points @ M * points, axis=1)
        z, u = np.random.default_rng(n).standard_normal((2, n))
        ahead, here, behind = (x @ M @ x for x in (z + u, z, z - u))
        cases.append(case([mean, ahead - 2 * here + behind], M=M, u=u))
    return finding(*cases)


@ledger.claim(
    "000-33",
    "Proof of Theorem 1, Lemma 2",
    r"Multiplied by the form, $zz^\top$ has the mean $2M + "
    r"\operatorname{tr}(M)\,I$",
    says="trace(M) * I + 2 * M",
    settled="theorem.md#second-lemma",
)
def fourth_moments():
    """The check finds every entry of this matrix, in 1, 2, 3 and 4 dimensions,
    for a random symmetric $M$.
    """
    cases = []
    for n in (1, 2, 3, 4):
        M, (points, chance) = symmetric(n), gaussian(n)
        form = np.sum(points @ M * points, axis=1)
        found = np.einsum("n,ni,nj->ij", chance * form, points, points)
        cases.append(case(found, M=M, I=np.eye(n)))
    return finding(*cases)


@ledger.claim(
    "000-34",
    "Proof of Theorem 1, Lemma 2",
    r"So the form's mean square is $2\operatorname{tr}(M^2) + "
    r"(\operatorname{tr} M)^2$",
    says="trace(M)**2 + 2 * trace(M @ M)",
    settled="theorem.md#second-lemma",
)
def square_of_form():
    r"""The identity before it, $z^\top Mz = \operatorname{tr}(Mzz^\top)$, holds
    at every point, and the mean is found with it and without.
    """
    cases = []
    for n in (1, 2, 4):
        M, (points, chance) = symmetric(n), gaussian(n)
        form = np.sum(points @ M * points, axis=1)
        outer = np.einsum("ni,nj->nij", points, points)
        by_trace = np.trace(M @ outer, axis1=1, axis2=2) * form
        cases += [case(chance @ form**2, M=M), case(chance @ by_trace, M=M)]
    return finding(*cases)


@ledger.claim(
    "000-42",
    "Proof of Theorem 1, Lemma 2",
    "In between, that matrix of means is put under a trace with $M$",
    says="trace(M @ (trace(M) * I + 2 * M))",
    settled="theorem.md#second-lemma",
)
def middle_step():
    """The left side is found by adding up the mean, and its trace with $M$."""
    cases = []
    for n in (1, 2, 4):
        M, (points, chance) = symmetric(n), gaussian(n)
        form = np.sum(points @ M * points, axis=1)
        mean = np.einsum("n,ni,nj->ij", chance * form, points, points)
        cases.append(case(np.sum(M * mean), M=M, I=np.eye(n)))
    return finding(*cases)


@ledger.claim(
    "000-35",
    "Proof of Theorem 1",
    r"The form's matrix for $q\cdot k$ has two unit matrices off its "
    "diagonal, halved",
    says="w @ (swap / 2) @ w",
    settled="theorem.md#the-block-product-and-the-slip",
)
def form_of_score():
    """The matrix swaps $q$ and $k$; each product $q_ik_i$ then comes twice, and
    the half makes it once.
    """
    cases = []
    for d in (1, 2, 5):
        q, k = np.random.default_rng(d).standard_normal((2, d))
        nothing, one = np.zeros((d, d)), np.eye(d)
        swap = np.block([[nothing, one], [one, nothing]])
        cases.append(case(q @ k, w=np.concatenate([q, k]), swap=swap))
    return finding(*cases)


def form_times_covariance(Sigma):
    """Give AΣ, as w ↦ A w swaps q and k and halves them."""
    q, k = np.split(Sigma, 2)
    return np.concatenate([k, q]) / 2


@ledger.claim(
    "000-36",
    "Proof of Theorem 1",
    r"Times $\Sigma$ it has $C^\top$ and $C$ on the diagonal and $\Sigma_k$, "
    r"$\Sigma_q$ beside them, halved",
    says="table / 2",
    settled="theorem.md#the-block-product-and-the-slip",
)
def block_product():
    r"""The blocks are in their places: $A$ exchanges the two rows of blocks of
    $\Sigma$, and halves them.
    """
    cases = []
    for Sigma in JOINTS:
        cov_q, cov_k, C = blocks(Sigma).values()
        nothing, one = np.zeros_like(C), np.eye(len(C))
        A = np.block([[nothing, one], [one, nothing]]) / 2
        table = np.block([[C.T, cov_k], [cov_q, C]])
        cases.append(case(A @ Sigma, table=table))
    return finding(*cases)


@ledger.claim(
    "000-37",
    "Proof of Theorem 1",
    "The trace of this is that of $C$",
    says="trace(C)",
    settled="theorem.md#the-block-product-and-the-slip",
)
def trace_of_product():
    r"""It is the mean of $q^\top k$, which the check takes as well."""
    cases = []
    for Sigma in JOINTS:
        C = blocks(Sigma)["C"]
        q, k, chance = vectors(Sigma)
        cases += [
            case(np.trace(form_times_covariance(Sigma)), C=C),
            case(chance @ np.sum(q * k, axis=1), C=C),
        ]
    return finding(*cases)


@ledger.claim(
    "000-38",
    "Proof of Theorem 1",
    r"The trace of its square is half of $\|C\|_F^2 + "
    r"\operatorname{tr}(\Sigma_q\Sigma_k)$",
    says="(trace(cov_q @ cov_k) + norm(C)**2) / 2",
    rather="(trace(cov_q @ cov_k) + trace(C @ C)) / 2",
    same_error="a transpose",
    settled="theorem.md#the-block-product-and-the-slip",
)
def slip():
    r"""Here is the one slip of the proof. On the diagonal of $(A\Sigma)^2$ a
    block meets itself, $CC$, and not its transpose, $CC^\top$, whose trace is
    $\|C\|_F^2$. For the quarter turn of [000-16](claims.md#000-16) the
    left side is {= left :.0f } and the right side {= right :.0f }.
    """

    def trace_of_square(Sigma):
        return np.sum(np.linalg.eigvals(form_times_covariance(Sigma)) ** 2).real

    one = np.eye(2)
    right = (np.trace(one @ one) + np.linalg.norm(TURN) ** 2) / 2
    left = trace_of_square(QUARTER_TURN)
    return finding(
        *(case(trace_of_square(Sigma), **blocks(Sigma)) for Sigma in JOINTS),
        case(left, within=1e-6, **blocks(QUARTER_TURN)),
        left=abs(left),
        right=right,
    )


@ledger.claim(
    "000-39",
    "Proof of Theorem 1",
    r"Put together, this gives the theorem, with $\|C\|_F^2$ in it",
    says="trace(C)**2 + trace(cov_q @ cov_k) + norm(C)**2",
    rather="trace(C)**2 + trace(cov_q @ cov_k) + trace(C @ C)",
    same_error="a transpose",
    settled="theorem.md#the-block-product-and-the-slip",
)
def conclusion():
    r"""The slip of [000-38](claims.md#000-38) is handed on, and nothing else is
    wrong. For a million pairs of four-dimensional vectors, with the random
    $\Sigma$ of this draw, the mean square of $q^\top k$ is {= mean :.3f } ±
    {= error :.3f }. With $\operatorname{tr}(C^2)$ the formula gives
    {= right :.3f }, with $\|C\|_F^2$ it gives {= published :.3f }.
    """
    Sigma = joint(4)
    parts = blocks(Sigma)
    draw = np.random.default_rng(0).standard_normal((1_000_000, 8))
    q, k = np.hsplit(draw @ np.linalg.cholesky(Sigma).T, 2)
    mean, error = mean_and_error(np.einsum("ni,ni->n", q, k) ** 2)
    right = rms_by_pairs(**parts) ** 2
    published = (
        right
        + np.linalg.norm(parts["C"]) ** 2
        - np.trace(parts["C"] @ parts["C"])
    )
    return finding(
        case(mean, within=5 * error, **parts),
        *(case(rms(Sigma) ** 2, **blocks(Sigma)) for Sigma in JOINTS),
        mean=mean,
        error=error,
        right=right,
        published=published,
    )


claims = ledger.judge()
