"""The claims of the thread on the square root (002), each with its check."""

# %%
from functools import cache
from itertools import pairwise

import numpy as np
from ledger import Ledger, case, finding
from samples import draw, jacobian_norm, mean_and_error, vectors
from scipy import optimize, special, stats

source = "thread on the root"
ledger = Ledger(__file__)

# Laws of a coordinate with mean 0 and variance 1, all values equally likely.
# The last has the mean fourth power of a Gaussian, 3.
SIGNS = np.array([-1, 1])
THIRDS = np.sqrt(1.5) * np.array([-1, 0, 1])
SIXTHS = np.sqrt(3) * np.array([-1, 0, 0, 0, 0, 1])


def equal(coordinate, d):
    """List the vectors whose coordinates are all the same."""
    return np.outer(coordinate, np.ones(d))


def variance(queries, keys):
    """Give the variance of q·k, exactly, for all pairs equally likely."""
    return np.var(queries @ keys.T)


def lead_chance(keys, sd, lead):
    """Give the chance that the best Gaussian score leads by so much."""
    best = np.linspace(-9, 9, 3601)
    others = stats.norm.cdf(best - lead / sd) ** (keys - 1)
    return np.trapezoid(keys * stats.norm.pdf(best) * others, best)


def rows(keys, sd):
    """Draw rows of weights, more of them where there are few keys."""
    return draw(keys, sd, 14 if keys > 100 else 16)


# The standard deviation of divided scores at the start, for normalised tokens
# of width 12,288 and weights of standard deviation 0.02: that of q, times k's.
WIDE = 12_288 * 0.02**2


@cache
def gradients(keys, sd):
    """Give the norm of softmax's Jacobian in each row of Gaussian scores."""
    return jacobian_norm(rows(keys, sd))


def median_gradient(keys, sd):
    """Give the median of that norm."""
    return np.median(gradients(keys, sd))


@cache
def factors(sd):
    """Give E[e^ku exp(-e^u)], u = z + ln t, for k = 0, 1, 2 and many t."""
    step = 0.4 * min(1, sd)
    scores = np.arange(-9 * sd, 9 * sd, step)
    chance = step * stats.norm.pdf(scores, scale=sd)
    log_t = np.arange(-9 * sd - 10, 9 * sd + 5, step)
    u = scores + log_t[:, np.newaxis]
    return step, [np.exp(k * u - np.exp(u)) @ chance for k in range(3)]


def rms_gradient(keys, sd):
    """Give the root mean square of that norm, by quadrature.

    As in the chapter on saturation: Z⁻⁴ = ∫ t³ exp(-tZ) dt / 6, and exp(-tZ)
    has one factor for each key.
    """
    step, (none, one, two) = factors(sd)
    pairs = 2 * two**2 * none ** (keys - 2)
    triples = (keys - 2) * two * one**2 * none ** max(keys - 3, 0)
    return np.sqrt(keys * (keys - 1) / 6 * step * (pairs + triples).sum())


def query_gradient(keys, d, divisor):
    """Give the root mean square of the derivatives of o = Σ p_i v_i by q, and
    its standard error.

    For independent values of variance 1 it is that of JK, over the divisor, for
    each of their coordinates. The query has length √d.
    """
    k = np.random.default_rng(32).standard_normal((20_000, keys, d))
    p = special.softmax(np.sqrt(d) * k[:, :, 0] / divisor, axis=1)
    away = k - p[:, np.newaxis] @ k  # from the mean key
    lengths = np.einsum("nkd,nkd->nk", away, away)
    square = np.einsum("nk,nk->n", p**2, lengths) / divisor**2
    square, error = mean_and_error(square)
    return np.sqrt(square), error / (2 * np.sqrt(square))


@cache
def overtaking():
    """Give the number of keys from which on it is larger at d = 64, bare."""
    return next(
        n for n in range(2, 99) if rms_gradient(n, 8) > rms_gradient(n, 1)
    )


@ledger.claim(
    "002-40",
    "question",
    "A score is computed like this “typically” if queries and keys have one "
    "dimension",
    says="all(defined == alike)",
    theorem="by its definition, a dot product is of two vectors of one length",
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def one_dimension():
    """Always: of vectors with different lengths there is no dot product. What may
    differ is the width of the tokens they come from, as in cross-attention, and
    the dimension of the values.
    """
    sizes = [(a, b) for a in (1, 2, 64) for b in (1, 2, 64)]

    def has_product(a, b):
        try:
            np.ones((3, a)) @ np.ones((5, b)).T
        except ValueError:
            return False
        return True

    defined = np.array([has_product(*size) for size in sizes])
    alike = np.array([a == b for a, b in sizes])
    return finding(case(defined=defined, alike=alike))


@ledger.claim(
    "002-01",
    "question",
    r"The formula: $Q^\top K$ over $\sqrt d$",
    says="Q.T @ K / sqrt(d)",
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def product_of_columns():
    """For one query and one key, both columns, this is their dot product over
    the root. Side by side as columns of two matrices they work as well. The
    paper has them in rows, and so writes $QK^T$ [@vaswani2017].
    """
    Q, K = np.random.default_rng(0).standard_normal((2, 4, 3))
    scores = [[np.vdot(q, k) / 2 for k in K.T] for q in Q.T]
    one = case(scores[0][0], Q=Q[:, 0], K=K[:, 0], d=4)
    return finding(one, case(scores, Q=Q, K=K, d=4))


@ledger.claim(
    "002-02",
    "question",
    "In high dimensions the product “tends to blow up”",
    says="lower < higher",
    settled="questions-why.md#why-they-grow",
)
def size_grows():
    r"""The average of $|q\cdot k|$ grows without bound, but like the root: from
    {= size[4] :.1f } at 4 dimensions to {= size[64] :.1f } at 64 and
    {= size[512] :.0f } at 512, for independent Gaussian coordinates.
    """
    # Given q, the score is Gaussian with standard deviation ‖q‖, a chi.
    dimensions = [1, 4, 64, 512, 65536]
    mean = np.sqrt(2 / np.pi)
    size = {d: mean * stats.chi(d).mean() for d in dimensions}
    cases = [
        case(lower=size[a], higher=size[b]) for a, b in pairwise(dimensions)
    ]
    return finding(*cases, size=size)


@ledger.claim(
    "002-37",
    "question",
    "The root is there to “keep things reasonable”",
    says="exp(-1)",
    reading="of many keys the same share takes part at every dimension, one in "
    "$e$",
    settled="saturation.md#how-saturated-is-it-really",
)
def reasonable():
    r"""So it is, for Gaussian keys and a query of length $\sqrt d$:
    {= share :.0%} of them, however large $d$ is. The share is that of very many
    keys, $(\mathbb{E}e^z)^2/\mathbb{E}e^{2z}$ with the divided score $z$.
    Without the divisor it would be $e^{-d}$, {= bare :.0e} at 64 dimensions: of
    all keys that there are, one or two.
    """
    nodes, chance = np.polynomial.hermite_e.hermegauss(60)
    chance = chance / chance.sum()

    def mean_power(q):  # of e, to the score: coordinates are independent
        return np.prod(np.exp(np.outer(q, nodes)) @ chance)

    found = []
    for d in (4, 64, 256):
        q = np.arange(1, d + 1) / np.sqrt(d)  # uneven, and divided
        q = q / np.linalg.norm(q)
        found.append(mean_power(q) ** 2 / mean_power(2 * q))
    cases = [case(share, within=1e-9) for share in found]
    return finding(*cases, share=found[0], bare=np.exp(-64))


@ledger.claim(
    "002-03",
    "question",
    "The divisor makes the standard deviation 1",
    says="1",
    needs="queries and keys are independent, with means 0 and variances 1, and "
    "the coordinates of one of them are uncorrelated",
    same_need="independence",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def deviation_of_logits():
    r"""Then it does, in every dimension, which answers the question's doubt. If
    all coordinates of a query are equal, and of a key too, it remains
    {= equal :.1f } at 4 dimensions.
    """
    cases = [
        case(
            np.std(vectors(SIGNS, d) @ vectors(THIRDS, d).T / np.sqrt(d)),
            within=1e-9,
        )
        for d in (1, 4, 5)
    ]
    same = np.std(equal(SIGNS, 4) @ equal(THIRDS, 4).T / 2)
    return finding(*cases, case(same, within=1e-9, beyond=True), equal=same)


@ledger.cited(
    "002-35",
    "question",
    "ChatGPT says the contrary, and no source was found",
    kind="history",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def contradiction():
    """What it said is not quoted, so that there is nothing to check
    [@thread41861]. The statement holds under the conditions of
    [002-03](claims.md#002-03), and the paper has it in a footnote
    [@vaswani2017].
    """


@ledger.claim(
    "002-04",
    "question",
    r"Why the root of $d$, and not its logarithm, its fifth power or $e^{\pi "
    "d}$?",
    says="sqrt(d)",
    question=True,
    settled="scales.md#two-assumptions-two-answers",
)
def other_divisors():
    r"""For a standard deviation of 1 the divisor is $\sqrt d$. At $d = 64$ the
    other three would leave a standard deviation of {= spread[0] :.2f },
    {= spread[1] :.1e} or {= spread[2] :.1e}. The first grows from there with
    $d$, and the others leave nothing to tell keys apart by. From
    $d = {= overflow }$ on $e^{\pi d}$ is infinite in 32 bits.
    """
    cases = [
        case(np.std(vectors(THIRDS, d) @ vectors(SIGNS, d).T), d=d)
        for d in (2, 4, 5)
    ]
    overflow = int(np.log(float(np.finfo(np.float32).max)) / np.pi) + 1
    spread = 8 / np.array([np.log(64), 64.0**5, np.exp(np.pi * 64)])
    return finding(*cases, spread=spread, overflow=overflow)


@ledger.claim(
    "002-05",
    "question",
    "Or why not “simply $|Q||V|$ (a cosine similarity!)”",
    says="q @ k / (norm(q) * norm(v))",
    rather="q @ k / (norm(q) * norm(k))",
    settled="scales.md#cosine-bounded-and-therefore-blunt",
)
def cosine():
    """A slip of a letter, which changes what is computed: the cosine divides by
    the lengths of query and *key*.
    It is a fair rival if a temperature goes with it [@henry2020]. Without one,
    no weight among 512 keys can exceed {= highest :.4f }.
    """
    angles = np.array([0.3, 1.2, 2.5])
    q, v = np.array([3, 0]), np.array([2, 2])
    keys = 5 * np.column_stack([np.cos(angles), np.sin(angles)])
    cases = [
        case(np.cos(angle), q=q, k=k, v=v)
        for angle, k in zip(angles, keys, strict=True)
    ]
    highest = special.softmax([1, *511 * [-1]])[0]
    return finding(*cases, highest=highest)


@ledger.claim(
    "002-06",
    "question",
    "What one wants is to keep the scores “bounded”",
    says="1",
    reading="with the divisor $\\sqrt d$ the typical size of a score, the root "
    "mean square, is the same in every dimension",
    settled="scales.md#two-assumptions-two-answers",
)
def typical_score():
    r"""So it is. There is no bound on the *largest* divided score: for vectors
    of signs it is $\sqrt d$, which is {= largest[9] :.0f } at $d = 9$. A cosine
    or a soft cap does bound.
    """
    divided = {
        d: vectors(SIGNS, d) @ vectors(SIGNS, d).T / np.sqrt(d)
        for d in (1, 2, 8, 9)
    }
    size = {d: np.sqrt(np.mean(all_of**2)) for d, all_of in divided.items()}
    return finding(
        case(size[8] / size[2], within=1e-9),
        case(size[9] / size[1], within=1e-9),
        largest={d: all_of.max() for d, all_of in divided.items()},
    )


@ledger.cited(
    "002-07",
    "first answer",
    "The paper gives the reason in a footnote, number 4 on its page 4",
    kind="history",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def footnote():
    """It is there, and on that page. The footnote offers the variance “to
    illustrate” why dot products get large; the text above it says “we suspect”
    [@vaswani2017].
    """


@ledger.claim(
    "002-08",
    "first answer",
    "For keys and queries of mean 0 and deviation 1 a score has the "
    "variance $d_k$",
    says="d",
    needs="$q$ and $k$ are also independent, and the coordinates of one of "
    "them uncorrelated",
    same_need="independence",
    settled="variance.md#what-happens-when-an-assumption-fails",
)
def variance_of_score():
    """Then the variance of a score is $d_k$. The paper's footnote does say
    “independent” [@vaswani2017]; here the word is missing. Without it, equal
    coordinates give {= equal :.0f } at $d_k = 4$, and a key equal to its query
    {= own :.0f }, if the mean fourth power is a Gaussian's.
    """
    cases = [
        case(variance(vectors(THIRDS, d), vectors(SIGNS, d)), d=d)
        for d in (2, 3, 5)
    ]
    # Uncorrelated, but only one coordinate is not 0; the key's are all equal.
    axes = 2 * np.vstack([np.eye(4), -np.eye(4)])
    uncorrelated = case(variance(axes, equal(SIGNS, 4)), d=4)
    same = variance(equal(SIGNS, 4), equal(SIGNS, 4))
    own = np.var((vectors(SIXTHS, 4) ** 2).sum(1))
    beyond = [case(found, beyond=True, d=4) for found in (same, own)]
    return finding(*cases, uncorrelated, *beyond, equal=same, own=own)


@ledger.claim(
    "002-09",
    "first answer",
    "Variances of random variables add up to that of their sum",
    says="sum(variances)",
    needs="no two of the variables are correlated",
    same_need="independence",
    settled="variance.md#what-happens-when-an-assumption-fails",
)
def variance_of_sum():
    """Independent queries and keys provide that if the coordinates of one of
    them are uncorrelated. It is not necessary: for $k_i = q_iq_{i+1}$, with
    independent $q_i$, the products $q_ik_i$ are uncorrelated too, and three of
    them have a sum of variance {= signs :.0f } if the $q_i$ are random signs.
    Three *equal* signs have a sum of variance {= equal :.0f }.
    """
    sums = [vectors(THIRDS, 3)]
    for law in (SIGNS, SIXTHS):
        z = vectors(law, 4)
        q, k = z[:, :3], z[:, :3] * z[:, 1:]
        sums.append(q * k)
    found = [np.var(terms.sum(1)) for terms in sums]
    cases = [
        case(total, variances=terms.var(0))
        for total, terms in zip(found, sums, strict=True)
    ]
    terms = equal(SIGNS, 3)
    same = np.var(terms.sum(1))
    beyond = case(same, beyond=True, variances=terms.var(0))
    return finding(*cases, beyond, signs=found[1], equal=same)


@ledger.claim(
    "002-10",
    "first answer",
    "Each product of two coordinates has variance 1",
    says="1",
    needs="$q_{in}$ and $k_{jn}$ are independent",
    same_need="independence",
    settled="variance.md#one-product",
)
def variance_of_product():
    """With means 0 and variances 1 the product then has variance 1.
    Uncorrelated is not enough: let the key's coordinate be the query's with a
    random sign, and the product's variance is the mean fourth power, here
    {= signed :.0f }.
    """
    signed = np.var(np.outer(SIGNS, SIXTHS * SIXTHS))
    return finding(
        case(np.var(np.outer(THIRDS, SIXTHS)), within=1e-9),
        case(signed, within=1e-9, beyond=True),
        signed=signed,
    )


@ledger.claim(
    "002-11",
    "first answer",
    r"The standard deviation is then $\sqrt{d_k}$",
    says="sqrt(d)",
    needs="$q$ and $k$ are independent, and the coordinates of one of them "
    "uncorrelated",
    same_need="independence",
    settled="variance.md#the-same-in-one-line-with-less-assumed",
)
def deviation_of_score():
    r"""It is the root of the variance, $d_k$. If all coordinates of a query are
    equal, and of a key too, the standard deviation is $d_k$ itself.
    """
    cases = [
        case(np.std(vectors(SIGNS, d) @ vectors(THIRDS, d).T), d=d)
        for d in (2, 3, 5)
    ]
    same = np.std(equal(SIGNS, 4) @ equal(THIRDS, 4).T)
    return finding(*cases, case(same, beyond=True, d=4))


@ledger.claim(
    "002-38",
    "first answer",
    "Softmax “saturates very quickly”",
    says="exp(1)",
    reading="with every unit by which one score gains on the others, its odds "
    "are multiplied by one factor, so that its weight nears 1 exponentially",
    settled="saturation.md#the-exponential-in-numbers",
)
def saturates():
    """The factor is {= factor :.3f }, for any number of keys. A lead of
    {= lead[4] :.1f } is enough for nine tenths among 4 keys, and one of
    {= lead[512] :.1f } among 512. How quickly that comes depends on how far
    scores lie apart: undivided, at $d_k = 64$, two differ by {= apart :.0f }
    typically, and after division by {= near :.1f }.
    """

    def odds(lead, n):
        weights = special.softmax([lead, *(n - 1) * [0]])
        return weights[0] / weights[1:].sum()

    cases = [
        case(odds(lead + 1, n) / odds(lead, n), within=1e-9)
        for lead in (0, 3, 10)
        for n in (2, 4, 512)
    ]
    lead = {n: np.log(9 * (n - 1)) for n in (4, 512)}
    apart = np.sqrt(2) * np.array([8, 1])  # standard deviation of a difference
    return finding(
        *cases, factor=cases[0].found, lead=lead, apart=apart[0], near=apart[1]
    )


@ledger.claim(
    "002-12",
    "first answer",
    "A score that is “slightly bigger” than the rest takes “almost all of "
    "the weight”",
    says="weight > 0.9",
    reading="slightly bigger is a lead of 4 over each of three others, as in "
    "the answer's own example: half of the scores' standard deviation at "
    "$d_k = 64$",
    settled="saturation.md#the-exponential-in-numbers",
)
def slight_lead():
    """That lead gives one of four scores a weight of {= four[0] :.3f }, and
    {= factor :.1f } times as much as the others. It has to be
    {= needed :.1f } for a weight of 0.9. Beside softmax's own scale, which is
    1, it is not slight: a lead of 0.1 gives {= first :.3f }, and the others
    {= others :.3f } each. And the number of keys counts: over 511 others a lead
    of 4 gives {= many :.3f }.
    """
    needed = optimize.brentq(
        lambda lead: special.softmax([lead, 0, 0, 0])[0] - 0.9, 0, 9
    )
    four = special.softmax([5, 1, 1, 1])
    first, *others = special.softmax([0.1, 0, 0, 0])
    return finding(
        case(weight=four[0]),
        four=four,
        factor=four[0] / four[1],
        needed=needed,
        first=first,
        others=others[0],
        many=special.softmax([4, *511 * [0]])[0],
    )


@ledger.claim(
    "002-13",
    "first answer",
    "Softmax of 1, 1, 1, 5 is 0.0174 three times, and 0.9479",
    says="[0.0174, 0.0174, 0.0174, 0.9479]",
    settled="saturation.md#the-exponential-in-numbers",
)
def printed_softmax():
    """All four are rounded correctly, from {= small :.6f } and {= large :.6f }.
    So rounded they add up to {= total :.4f }.
    """
    weights = special.softmax([1, 1, 1, 5])
    return finding(
        weights,
        small=weights[0],
        large=weights[3],
        total=np.round(weights, 4).sum(),
    )


@ledger.claim(
    "002-14",
    "first answer",
    "“Almost certainly” one of the scores exceeds the others by much",
    says="chance > 0.95",
    needs="only two or three keys compete and $d_k$ is several thousand, or it "
    "is far larger still",
    same_need="few keys, or large heads",
    settled="saturation.md#how-saturated-is-it-really",
)
def one_stands_out():
    """Take “much” as a lead of 4, as in the answer's own example, and “almost
    certainly” as 19 rows out of 20. At $d_k = 64$ the best of two independent
    scores leads by that in {= chance[64, 2] :.0%} of rows, the best of 512 in
    {= chance[64, 512] :.0%}: the more scores, the closer the second. It takes
    $d_k$ near {= near[2] :,.0f } for two keys, {= near[3] :,.0f } for three and
    {= near[512] :,.0f } for 512. With $d_k = 4096$ and 512 keys it
    is {= chance[4096, 512] :.0%} of rows.
    """

    def chance_at(d, n):
        return lead_chance(n, np.sqrt(d), 4)

    near = {
        n: round(
            optimize.brentq(lambda d, n=n: chance_at(d, n) - 0.95, 64, 1e6),
            digits,
        )
        for n, digits in ((2, -2), (3, -2), (512, -3))
    }
    met = ((8192, 2), (8192, 3), (2**17, 512))
    short = ((64, 2), (64, 512), (256, 2), (256, 4096), (4096, 512))
    chance = {pair: chance_at(*pair) for pair in met + short}
    cases = [
        case(chance=value, beyond=pair in short)
        for pair, value in chance.items()
    ]
    return finding(*cases, chance=chance, near=near)


@ledger.claim(
    "002-15",
    "first answer",
    "Softmax gives that one a weight of 1, and zeros to the others",
    says="[1, 0]",
    needs="its score leads all others by 17 or more",
    settled="saturation.md#how-saturated-is-it-really",
)
def weight_of_one():
    """To the four decimals that the answer prints, and for up to 512 keys, that
    makes weights of 1 and 0. But at $d_k = 64$ so large a lead occurs in
    {= chance[3] :.0%} of rows of three keys and in {= chance[512] :.2%} of rows
    of 512, where the median of the largest weight is {= median[512] :.2f }.
    """
    lead = {n: special.softmax([17, *(n - 1) * [0]]) for n in (2, 4, 512)}
    cases = [case(weights[:2], within=5e-5) for weights in lead.values()]
    median = {n: np.median(rows(n, 8)[:, :2], axis=0) for n in (3, 512)}
    beyond = [
        case(weights, within=5e-5, beyond=True) for weights in median.values()
    ]
    chance = {n: lead_chance(n, 8, 17) for n in median}
    return finding(
        *cases,
        *beyond,
        chance=chance,
        median={n: weights[0] for n, weights in median.items()},
    )


@ledger.claim(
    "002-16",
    "first answer",
    "Undivided, there is “no gradient propagation”",
    says="0",
    needs="only two or three keys compete, or $d_k$ is in the thousands, and a "
    "typical row is meant",
    same_need="few keys, or large heads",
    settled="saturation.md#do-gradients-vanish",
)
def gradient():
    """At $d_k = 64$ the median norm of softmax's Jacobian is {= bare[2] :.3f }
    for two keys and {= bare[3] :.3f } for three, against {= scaled[2] :.2f }
    and {= scaled[3] :.2f } with the divisor, though near-ties keep the root
    mean square for three at {= rms :.2f }. For 512 keys the median is
    {= bare[512] :.2f }, *above* the {= scaled[512] :.2f } with the divisor; it
    falls to {= deeper[256] :.2f } at $d_k = 256$ and to {= deeper[1024] :.3f }
    at 1024. [What does collapse](saturation.md#what-does-collapse) is the share
    of a typical key.
    """
    bare, scaled = (
        {n: median_gradient(n, sd) for n in (2, 3, 16, 512)} for sd in (8, 1)
    )
    rms = rms_gradient(3, 8)
    deeper = {d: median_gradient(512, np.sqrt(d)) for d in (256, 1024)}
    return finding(
        case(bare[2], within=0.01),
        case(bare[3], within=0.01),
        case(deeper[1024], within=0.01),
        *[
            case(found, within=0.01, beyond=True)
            for found in (bare[16], bare[512], deeper[256], rms)
        ],
        bare=bare,
        scaled=scaled,
        rms=rms,
        deeper=deeper,
    )


@ledger.claim(
    "002-17",
    "first answer",
    "A stable gradient is what one normalises the scores for",
    says="0",
    needs="the scores of a row are then independent Gaussians of variance 1, "
    "which dividing them gives if $q$ and $k$ have variance 1",
    same_need="tails",
    settled="saturation.md#do-gradients-vanish",
)
def stable_gradient():
    """With standard deviation 1 at most {= most :.1%} of rows then have a
    Jacobian smaller than a tenth of that of even weights, for 2 to 512 keys.
    Undivided, at $d_k = 64$ and with three keys, {= bare :.0%} have. Mean 0 and
    deviation 1 alone do not ensure it: if 511 of 512 scores are equal, the last
    can lead by {= lead :.1f }, and the gradient is {= outlier :.0e}. Nor does
    the divisor, if queries and keys start too large: with a weight's standard
    deviation of 0.02 at a width of 12,288, {= wide :.0%} of rows of three keys
    have so small a Jacobian in spite of it.
    """

    def low_share(norms, n):
        return np.mean(norms < 0.1 * np.sqrt(n - 1) / n)

    shares = [low_share(gradients(n, 1), n) for n in (2, 3, 16, 512)]
    wide = low_share(gradients(3, WIDE), 3)
    # Mean 0 and variance 1, all but one equal.
    row = np.array([np.sqrt(511), *511 * [-1 / np.sqrt(511)]])
    outlier = jacobian_norm(special.softmax(row)[np.newaxis])
    return finding(
        *[case(share, within=0.02) for share in shares],
        case(low_share(outlier, 512), within=0.02, beyond=True),
        case(wide, within=0.02, beyond=True),
        wide=wide,
        most=max(shares),
        bare=low_share(gradients(3, 8), 3),
        lead=row[0] - row[1],
        outlier=outlier[0],
    )


@ledger.claim(
    "002-18",
    "first answer",
    r"One only has to scale the scores “with $\sqrt{d_k}$”",
    says="1",
    needs="queries and keys are independent, and the coordinates of one of "
    "them are uncorrelated",
    same_need="independence",
    settled="scales.md#two-assumptions-two-answers",
)
def scaled_by_the_root():
    """Divided by it, the scores then have the standard deviation 1 that is
    asked for. That queries and keys have it does not suffice: with all
    coordinates of a query equal, and of a key too, {= equal :.0f } is left at
    $d_k = 4$.
    """
    found = np.std(vectors(SIGNS, 4) @ vectors(THIRDS, 4).T / 2)
    same = np.std(equal(SIGNS, 4) @ equal(THIRDS, 4).T / 2)
    beyond = case(same, within=1e-9, beyond=True)
    return finding(case(found, within=1e-9), beyond, equal=same)


def query_variance(inputs, weight_variance):
    """Give the variance of a query's coordinate over random weights, exactly.

    The token is normalised as by LayerNorm; the weights are random signs times
    their standard deviation.
    """
    token = stats.zscore(np.arange(inputs) ** 2)
    weights = np.sqrt(weight_variance) * vectors(SIGNS, inputs)
    return np.var(weights @ token)


@ledger.claim(
    "002-19",
    "first answer",
    "That keys and queries have variance 1 is safe to assume, “well, yes!”, "
    "thanks to LayerNorm and Xavier's rule",
    says="1",
    needs="the matrix that is drawn has as many outputs as inputs, or its "
    "weights otherwise have a variance of one over the width",
    same_need="weights that keep the variance",
    settled="scales.md#is-it-safe-to-assume-unit-variance",
)
def unit_variance():
    """After LayerNorm the variance is the number of inputs times that of a
    weight, so it depends on how the weights are drawn. LeCun's rule gives
    {= found['LeCun'] :.0f }, and so does Xavier's for a square matrix; but
    Xavier's gives {= found['head'] :.2f } for one head of 64 out of 512 and
    {= found['fused'] :.2f } for $Q$, $K$ and $V$ in one matrix; PyTorch's
    linear layer {= found['linear'] :.2f }; GPT-2's weights
    {= scales/audit.var_q['GPT-2'] :.2f }.
    """
    inputs = 8  # shapes as 512 → 64 and so on, an eighth or less of the size
    rules = {
        "LeCun": 1 / inputs,
        "square": 2 / (inputs + inputs),
        "head": 2 / (inputs + 1),
        "fused": 2 / (inputs + 3 * inputs),
        "linear": 1 / (3 * inputs),
    }
    found = {rule: query_variance(inputs, v) for rule, v in rules.items()}
    met = {"LeCun", "square"}
    cases = [
        case(value, within=1e-9, beyond=rule not in met)
        for rule, value in found.items()
    ]
    return finding(*cases, found=found)


@ledger.cited(
    "002-20",
    "first answer",
    "The Transformer has LayerNorm “exactly for this reason”: to normalise "
    "what its attention gets",
    kind="history",
    settled="scales.md#what-layernorm-gives-and-what-it-does-not",
)
def purpose_of_layer_norm():
    """Two papers say otherwise. Its authors proposed it to make training faster
    [@ba2016]. And in the first Transformer it stands after attention, not
    before: later layers get normalised inputs from it, but the first attention
    sees embeddings that are not normalised [@vaswani2017]. Many later models
    put it before [@xiong2020].
    """


@ledger.claim(
    "002-21",
    "first answer",
    "By Xavier's rule queries, keys and values have deviation 1 “also”",
    says="1",
    needs="the matrix that is drawn has as many outputs as inputs",
    same_need="weights that keep the variance",
    settled="scales.md#is-it-safe-to-assume-unit-variance",
)
def xavier():
    """Xavier's weights have variance 2/(inputs + outputs) [@glorot2010]. After
    LayerNorm that gives a standard deviation of 1 for a square matrix,
    {= head :.2f } for a head of 64 out of 512, and {= fused :.2f } for queries,
    keys and values in one matrix.
    """
    inputs = 8
    square, head, fused = (
        np.sqrt(query_variance(inputs, 2 / (inputs + outputs)))
        for outputs in (inputs, 1, 3 * inputs)
    )
    return finding(
        case(square, within=1e-9),
        case(head, within=1e-9, beyond=True),
        case(fused, within=1e-9, beyond=True),
        head=head,
        fused=fused,
    )


@ledger.cited(
    "002-22",
    "first answer",
    "An opinion, as the author says: it works so well only with LayerNorm "
    "and with Xavier's rule",
    kind="opinion",
    settled="scales.md#is-it-safe-to-assume-unit-variance",
)
def best_combination():
    """It is marked as an opinion, and “so well” has no measure. Other
    normalisations and other initialisations are in wide use with the same
    divisor.
    """


@ledger.claim(
    "002-23",
    "second answer",
    "The variance of a score, “(the sum of the dot products)”, is $d$",
    says="d",
    needs="$q$ and $k$ are independent, the coordinates of one of them "
    "uncorrelated, and the sum is that of their *products*",
    same_need="independence",
    settled="variance.md#the-same-in-one-line-with-less-assumed",
)
def sum_of_products():
    """A score is one dot product, a sum of $d$ products, and has variance $d$.
    A sum of dot products would have more: with {= keys } independent keys in
    {= d } dimensions, {= several :.0f }.
    """
    d, keys = 2, 3
    cases = [
        case(variance(vectors(SIXTHS, d), vectors(THIRDS, d)), d=d)
        for d in (2, 3)
    ]
    sums = vectors(SIGNS, keys * d).reshape(-1, keys, d).sum(1)
    several = variance(vectors(THIRDS, d), sums)
    beyond = case(several, beyond=True, d=d)
    return finding(*cases, beyond, d=d, keys=keys, several=several)


@ledger.claim(
    "002-39",
    "second answer",
    "Scaling keeps gradients stable",
    says="scaled < bare",
    reading="from row to row, the size of softmax's Jacobian varies less, "
    "beside its mean",
    settled="saturation.md#do-gradients-vanish",
)
def steadier():
    """At $d_k = 64$ its standard deviation is {= varies[3, 8] :.1f } times its
    mean for three keys without the divisor and {= varies[3, 1] :.1f } times
    with it. For 512 keys it is {= varies[512, 8] :.1f } and about
    {= varies[512, 1] :.1f }.
    """
    varies = {}
    for n in (3, 16, 512):
        for sd in (8, 1):
            norms = gradients(n, sd)
            varies[n, sd] = norms.std() / norms.mean()
    cases = [case(bare=varies[n, 8], scaled=varies[n, 1]) for n in (3, 16, 512)]
    return finding(*cases, varies=varies)


@ledger.claim(
    "002-24",
    "second answer",
    "The scale keeps softmax from saturating",
    says="0",
    needs="the scores of a row are independent Gaussians of variance $d_k$ "
    "before they are divided, as if $q$ and $k$ have variance 1",
    same_need="tails",
    settled="saturation.md#why-there-a-phase-transition",
)
def saturation():
    """With standard deviation 1 the largest weight then exceeds 0.99 in
    {= most :.1%} of rows or less, for 2 to 512 keys. At $d_k = 64$ and 512 keys
    the mean entropy is {= entropy[1] :.2f } with the divisor and
    {= entropy[8] :.2f } without, out of {= limit :.2f }. If all coordinates
    of a query are equal, and of a key too, it exceeds 0.99 in {= equal :.0%} of
    rows of three keys at $d_k = 64$ in spite of the divisor; and in
    {= wide :.0%} if weights start with a standard deviation of 0.02 at a width
    of 12,288, where divided scores have variance {= variance :.0f }.
    """
    shares = [np.mean(rows(n, 1)[:, 0] > 0.99) for n in (2, 3, 16, 512)]
    entropy = {sd: special.entr(rows(512, sd)).sum(1).mean() for sd in (1, 8)}
    wide = np.mean(rows(3, WIDE)[:, 0] > 0.99)
    # q = z·1 and k = w·1: the divided scores of a query are 8zw.
    rng = np.random.default_rng(24)
    z, w = rng.standard_normal((50_000, 1)), rng.standard_normal((50_000, 3))
    equal = np.mean(special.softmax(8 * z * w, axis=1).max(axis=1) > 0.99)
    return finding(
        *[case(share, within=0.005) for share in shares],
        case(equal, within=0.005, beyond=True),
        case(wide, within=0.005, beyond=True),
        wide=wide,
        variance=WIDE**2,
        most=max(shares),
        equal=equal,
        entropy=entropy,
        limit=np.log(512),
    )


@ledger.claim(
    "002-25",
    "second answer",
    "Without it softmax no longer responds to “small changes”",
    says="bare < scaled",
    needs="few keys compete",
    same_need="few keys, or large heads",
    settled="saturation.md#do-gradients-vanish",
)
def response():
    """If a score changes a little, how much do the weights change? That is the
    size of softmax's matrix of derivatives, its Jacobian. For three keys at
    $d_k = 64$ its median norm is {= median[3, 8] :.3f } without the divisor and
    {= median[3, 1] :.2f } with it: unresponsive indeed. For 512 keys it is
    {= median[512, 8] :.2f } without and {= median[512, 1] :.2f } with it, the
    other way round. In the root mean square that begins at {= overtakes } keys.
    If it is the *query* that changes a little, a change that the divisor makes
    smaller too, the median is the larger one without it from
    {= saturation/reach.larger_from[64] } keys on.
    """
    median = {
        (n, sd): median_gradient(n, sd)
        for n in (2, 3, 4, 16, 512)
        for sd in (1, 8)
    }
    cases = [
        case(bare=median[n, 8], scaled=median[n, 1]) for n in (2, 3, 4, 16)
    ]
    many = case(beyond=True, bare=median[512, 8], scaled=median[512, 1])
    return finding(*cases, many, median=median, overtakes=overtaking())


@ledger.cited(
    "002-36",
    "second answer",
    "The scale is “a crucial part” of attention",
    kind="opinion",
    settled="questions-without.md#without-scaling",
)
def crucial():
    """How crucial is a judgement. Most models keep the divisor; T5 has none and
    starts from smaller weights instead [@raffel2020].
    """


@ledger.cited(
    "002-26",
    "third answer, quoting the paper",
    "The paper: its attention is dot-product attention with one more "
    r"factor, $1/\sqrt{d_k}$",
    kind="history",
    settled="scales.md#the-rivals-one-by-one",
)
def paper_on_the_factor():
    """The sentence stands in section 3.2.1 [@vaswani2017]."""


@ledger.cited(
    "002-34",
    "third answer, quoting the paper",
    "The paper: for small $d_k$ the unscaled product does as well as "
    "additive attention",
    kind="history",
    settled="scales.md#the-rivals-one-by-one",
)
def paper_on_small_dimensions():
    """The sentence stands in section 3.2.1 [@vaswani2017], and reports what
    others measured by training models [@britz2017]. “The two mechanisms” are
    additive attention and bare dot products.
    """


@ledger.cited(
    "002-27",
    "third answer, quoting the paper",
    "The paper: without scaling, additive attention does better",
    kind="history",
    settled="scales.md#the-rivals-one-by-one",
)
def paper_on_additive_attention():
    """The sentence stands in section 3.2.1 [@vaswani2017]. The dots leave out
    its condition, “for larger values of $d_k$”, and the experiments that it
    cites [@britz2017].
    """


@ledger.claim(
    "002-28",
    "third answer, quoting the paper",
    "The paper, here with two letters lost: for large $d_k$ softmax gets to "
    "where its gradients are “extremely small”, or so its authors “suspect”",
    says="0",
    needs="only two or three keys compete, or $d_k$ is in the thousands, and a "
    "typical row is meant",
    same_need="few keys, or large heads",
    settled="scales.md#the-rivals-one-by-one",
)
def paper_on_gradients():
    """The paper puts it as a suspicion, and prints “products” and “regions”
    [@vaswani2017]; the lost letters change nothing of what is said. The median norm of softmax's Jacobian at $d_k = 64$ is
    {= few :.3f } for two keys. For 512 it is {= many :.2f }, and falls to
    {= deep :.3f } only at $d_k = 4096$.
    """
    few, three = (median_gradient(n, 8) for n in (2, 3))
    many, deep = (median_gradient(512, sd) for sd in (8, 64))
    return finding(
        *(case(found, within=0.01) for found in (few, three, deep)),
        case(many, within=0.01, beyond=True),
        few=few,
        many=many,
        deep=deep,
    )


@ledger.cited(
    "002-29",
    "third answer",
    "So the scale is there against vanishing gradients",
    kind="history",
    settled="saturation.md#do-gradients-vanish",
)
def purpose_of_the_scale():
    """That is the reason that the paper gives, as a suspicion: “We suspect”
    [@vaswani2017]. How far it is right, [002-16](claims.md#002-16) tells.
    """


@ledger.claim(
    "002-30",
    "third answer",
    "One may call it “a sort of temperature”",
    says="sqrt(d)",
    settled="saturation.md#a-temperature",
)
def temperature():
    r"""It is a temperature as in physics, $\sqrt d$, if a score is taken as
    minus an energy: softmax is how a body in a bath of that temperature spreads
    over its states. There the temperature tells what one more unit of entropy
    costs in energy. The check changes the divisor a little and measures both.
    """

    def measured(d):
        scores = np.random.default_rng(d).standard_normal((16, d)).sum(1)
        near = [
            special.softmax(scores / np.sqrt(d * nudge))
            for nudge in (1 - 1e-4, 1 + 1e-4)
        ]
        energy = [-weights @ scores for weights in near]
        entropy = [special.entr(weights).sum() for weights in near]
        return np.diff(energy)[0] / np.diff(entropy)[0]

    return finding(*[case(measured(d), within=1e-4, d=d) for d in (4, 64, 100)])


@ledger.claim(
    "002-31",
    "third answer",
    "The temperature “smooths the logits”, and makes them more uniform",
    says="before < after",
    reading="it is their softmax, the weights, that becomes more uniform, and "
    "so has more entropy",
    theorem="divided by any number above 1, unequal logits give weights of "
    "more entropy",
    settled="saturation.md#a-temperature",
)
def more_uniform():
    """For the 16 scores of this draw it rises from {= entropy[0] :.2f } to
    {= entropy[1] :.2f }, out of {= limit :.2f }. The logits themselves are all
    divided by one number and keep their pattern: the range stays
    {= range :.2f } standard deviations.
    """
    rows = 8 * np.random.default_rng(0).standard_normal((3, 16))

    def entropy(logits):
        return special.entr(special.softmax(logits)).sum()

    cases = [
        case(before=entropy(row), after=entropy(row / divisor))
        for row in rows
        for divisor in (2, 8, 64)
    ]
    first = rows[0]
    return finding(
        *cases,
        range=np.ptp(first) / np.std(first),
        entropy=[entropy(first), entropy(first / 8)],
        limit=np.log(16),
    )


@ledger.claim(
    "002-32",
    "third answer",
    "Peaked weights make gradients unstable, and the scale makes gradients "
    "larger",
    says="bare < scaled",
    needs="the gradient is the root mean square of softmax's Jacobian, and "
    "fewer than {= overtakes } keys compete, at $d_k = 64$",
    same_need="few keys, or large heads",
    settled="saturation.md#do-gradients-vanish",
)
def gradient_magnitude():
    """The Jacobian is the matrix of derivatives of the weights with respect to
    the scores. For three keys the divisor raises it from
    {= rms[3, 8] :.2f } to {= rms[3, 1] :.2f }. For 512 it lowers it, from
    {= rms[512, 8] :.2f } to {= rms[512, 1] :.2f }: weights that are spread
    evenly over many keys hardly react either. That peaked weights make the
    gradient unstable is right: for 512 keys its standard deviation from row to
    row is {= varies[8] :.0%} of its mean without the divisor, and
    about {= varies[1] :.0%} with it. Another measure has another divide. In the
    median, the divisor still raises it at 40 keys, from {= median[8] :.2f } to
    {= median[1] :.2f }. The gradient of the output with respect to the *query*
    it lowers even for three keys, from {= query[1] :.2f } to
    {= query[8] :.2f }, as a root mean square for each coordinate of a value.
    """
    overtakes = overtaking()
    few, many = (2, 3, 4, overtakes - 1), (overtakes, 512)
    rms = {(n, sd): rms_gradient(n, sd) for n in few + many for sd in (1, 8)}
    cases = [
        case(bare=rms[n, 8], scaled=rms[n, 1], beyond=n in many)
        for n in few + many
    ]
    norms = {sd: gradients(512, sd) for sd in (8, 1)}
    varies = {sd: norm.std() / norm.mean() for sd, norm in norms.items()}
    varies[1] = round(varies[1], 1)
    query = {s: query_gradient(3, 64, s) for s in (1, 8)}
    bare, scaled = query[1][0], query[8][0]
    cases.append(case(bare=bare, scaled=scaled, beyond=True))
    return finding(
        *cases,
        query=query,
        median={sd: median_gradient(40, sd) for sd in (1, 8)},
        overtakes=overtakes,
        rms=rms,
        varies=varies,
    )


@ledger.cited(
    "002-33",
    "comment on the third answer",
    "Why this expression, and not $1/d$ or one over the product of the "
    "norms, is not explained well enough",
    kind="opinion",
    settled="scales.md#what-to-hold-constant",
)
def motivation():
    """A fair remark on the answers above it: they show that the root works, not
    why others would not. Each of the two keeps something else constant; the
    chapters on [the rivals](scales.md) and on [training](training.md) say what.
    """


claims = ledger.judge()
