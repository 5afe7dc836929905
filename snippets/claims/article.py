"""The claims of the article on the divisor (003), each with its check."""

# %%
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial
from statistics import mean, pvariance, variance

import numpy as np
from ledger import Ledger, case, finding
from samples import draw, jacobian_norm, stored, vectors
from scipy import optimize, special, stats

source = "article"
ledger = Ledger(__file__)
weights = cache(draw)

# The headings of the article.
FORMULA = "The Attention Formula"
WITHOUT = "What Happens Without Scaling?"
GROW = "Why Do Dot Products Grow with dₖ?"
VARIANCE = "Understanding Variance of the Dot Product"
PROOF = "Proving It Step by Step"
LARGE = "What Large Dot Products Do to Softmax"
RIGHT = "Why √dₖ is the Right Scaling Factor"
NUMBERS = "Seeing It with Real Numbers"
TOGETHER = "Putting It All Together"

# Two distributions of a coordinate, as equally likely values: mean 0 and
# variance 1.
SIGN = np.array([-1.0, 1.0])
SKEWED = np.array([2.0, -0.5, -0.5, -0.5, -0.5])


def scores(d):
    """Give all scores of a query of signs and a key of skewed coordinates."""
    return vectors(SIGN, d) @ vectors(SKEWED, d).T


def power(x):
    """Give e to the x with 28 digits."""
    return Decimal(x).exp()


def shares(*exponents):
    """Give the softmax of some scores, from exact exponentials."""
    terms = [power(x) for x in exponents]
    return np.array([float(term / sum(terms)) for term in terms])


def taking_part(p):
    """Give the number of keys that take part, 1/E Σ p²."""
    return 1 / np.mean(np.sum(p**2, axis=-1))


def normal(sd, step=0.4):
    """Give scores at equal steps, with the chances of a normal distribution."""
    scores = np.arange(-9 * sd, 9 * sd, step * min(1, sd))
    density = stats.norm.pdf(scores, scale=sd)
    return scores, density / density.sum()


def sharing(scores, chances, n=512, step=0.4):
    """Give that number for n keys exactly, from the law of a score.

    The scores are independent. With t = e^-τ, 1/Z² = ∫ t e^-tZ dt, and e^-tZ
    has one factor for each key.
    """
    tau = np.arange(scores.min() - 5, scores.max() + np.log(n) + 8, step)
    u = np.minimum(scores - tau[:, np.newaxis], 7)
    none, two = (np.exp(k * u - np.exp(u)) @ chances for k in (0, 2))
    return 1 / (n * step * np.sum(two * none ** (n - 1)))


def mean_size(d):
    """Give E|q·k| for Gaussian coordinates: given q, it is N(0, ‖q‖²)."""
    return np.sqrt(2 / np.pi) * stats.chi(d).mean()


@ledger.claim(
    "003-62",
    "Introduction",
    r"Why $\sqrt{d_k}$, and not 2, 10 or some other number?",
    says="sqrt(d) / c",
    question=True,
    settled="variance.md#from-the-variance-to-the-divisor",
)
def any_other_number():
    r"""Divided by a constant $c$ a score has the standard deviation
    $\sqrt{d_k}/c$. So 2 makes it 1 at {= fits[2] } dimensions only, and 10 at
    {= fits[10] }. That is the article's own answer.
    """
    cases = [
        case((scores(d) / c).std(), d=d, c=c)
        for d in (1, 2, 4)
        for c in (2, 10)
    ]
    return finding(*cases, fits={c: c**2 for c in (2, 10)})


@ledger.claim(
    "003-01",
    FORMULA,
    r"Attention is softmax of $QK^\top/\sqrt{d_k}$, times $V$",
    says="softmax(Q @ K.T / sqrt(d)) @ V",
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def attention():
    """For each query it is the average of the values, weighted by
    exponentials of the divided scores. This is the formula of the paper
    [@vaswani2017].
    """
    rng = np.random.default_rng(0)
    cases = []
    for d in (4, 64):
        Q, K, V = (rng.standard_normal((n, d)) for n in (2, 5, 5))
        names = {"Q": Q, "K": K, "V": V, "d": d}
        names["softmax"] = lambda x: special.softmax(x, axis=1)
        by_hand = [
            np.average(V, axis=0, weights=[np.exp(q @ k / d**0.5) for k in K])
            for q in Q
        ]
        cases.append(case(by_hand, within=1e-12, **names))
    return finding(*cases)


@ledger.claim(
    "003-02",
    FORMULA,
    "Here $d_k$ is the dimension of a key",
    says="d",
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def dimension():
    """It is the number of terms in a score, and so the dimension of the query
    too; not the number of queries or of keys.
    """
    count = {d: np.unique(np.ones((3, d)) @ np.ones((5, d)).T) for d in (4, 64)}
    return finding(*(case(terms, d=d) for d, terms in count.items()))


@ledger.cited(
    "003-03",
    WITHOUT,
    "Real models have a $d_k$ of 64, 128 or more",
    kind="history",
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def real_sizes():
    """No calculation settles what people built. Both models of the first
    paper have 64 dimensions in a head [@vaswani2017], the largest T5 has 128
    [@raffel2020], and Gemma 2 up to 256 [@gemma2024].
    """


@ledger.claim(
    "003-04",
    WITHOUT,
    "Scores “can become very large numbers”",
    says="sqrt(2 * d / pi)",
    reading="their average size grows without a bound as $d_k$ grows",
    settled="questions-why.md#why-they-grow",
)
def large_scores():
    r"""If the coordinates are independent Gaussians of variance 1, the average
    size of a score is {= size[64] :.1f } at $d_k = 64$, {= size[128] :.1f } at
    128 and {= size[4096] :.0f } at 4096. It grows like $\sqrt{d_k}$, not like
    $d_k$.
    """
    size = {d: mean_size(d) for d in (64, 128, 512, 4096)}
    cases = [case(found, within=found / 100, d=d) for d, found in size.items()]
    return finding(*cases, size=size)


@ledger.claim(
    "003-05",
    WITHOUT,
    "Undivided, one word then has nearly all of the attention, “(close to "
    "1.0)”",
    says="1.0",
    needs="a typical query is meant, and there are only a few keys or $d_k$ is "
    "in the thousands",
    same_need="few keys, or large heads",
    settled="saturation.md#how-saturated-is-it-really",
)
def almost_all():
    r"""Half of all queries give one of three keys more than {= few :.3f } at
    $d_k = 64$; the average, {= mean :.2f }, is lower, since now and then two
    scores nearly tie. Of 512 keys the largest weight exceeds {= many :.2f } in
    half of all cases. On average it is
    {= saturation/saturation.largest_weight['d = 64'][512] :.2f }, and for
    65,536 keys {= saturation/saturation.largest_weight['d = 64'][65536] :.2f }.
    """
    three = weights(3, 8, 16)[:, 0]
    few, mean = np.median(three), three.mean()
    many, huge = (np.median(weights(512, sd, 14)[:, 0]) for sd in (8, 64))
    beyond = (case(found, beyond=True) for found in (mean, many))
    return finding(few, huge, *beyond, few=few, mean=mean, many=many)


@ledger.claim(
    "003-69",
    WITHOUT,
    "The model is then “too confident” of that one word",
    says="entropy[1024] < entropy[256] < entropy[64] < entropy[16]",
    reading="confidence is a low entropy of the weights; of some number of "
    "keys, it falls as $d_k$ grows",
    settled="saturation.md#how-saturated-is-it-really",
)
def confident():
    r"""Without the divisor, and for 512 keys, the mean entropy is
    {= entropy[16] :.2f } at $d_k = 16$, {= entropy[64] :.2f } at 64 and
    {= entropy[1024] :.2f } at 1024, out of {= limit :.2f }. At the start of
    training any confidence is too much, since chance picks the word. Which
    words are relevant, random queries and keys do not know.
    """
    entropy = {
        d: special.entr(weights(512, np.sqrt(d))).sum(axis=1).mean()
        for d in (16, 64, 256, 1024)
    }
    return finding(case(entropy=entropy), entropy=entropy, limit=np.log(512))


@ledger.claim(
    "003-06",
    WITHOUT,
    "Such a model cannot learn from several words “at once”",
    says="bare < 3 < scaled",
    reading="for one query at $d_k = 64$, fewer than three of 512 keys take "
    "part, whether counted by $1/\\mathbb{E}\\sum_i p_i^2$, with the weights "
    "$p_i$, or by the entropy $H$, as $e^{\\mathbb{E}H}$",
    settled="saturation.md#what-does-collapse",
)
def one_at_once():
    r"""By the first count it is {= bare :.1f } without the divisor and
    {= scaled :.0f } with it; by the entropy {= by_entropy[8] :.1f } and
    {= by_entropy[1] :.0f }. From a key without weight this query learns
    nothing; but other queries choose other keys.
    """
    bare, scaled = (taking_part(weights(512, sd)) for sd in (8, 1))
    by_entropy = {
        sd: np.exp(special.entr(weights(512, sd)).sum(axis=1).mean())
        for sd in (8, 1)
    }
    return finding(
        case(bare=bare, scaled=scaled),
        case(bare=by_entropy[8], scaled=by_entropy[1]),
        bare=bare,
        scaled=scaled,
        by_entropy=by_entropy,
    )


@ledger.claim(
    "003-07",
    f"{WITHOUT} (and “the gradients vanish, and learning stops” further on)",
    "Gradients become “extremely small, almost zero”",
    says="0.0",
    needs="a typical query is meant, and there are only a handful of keys or "
    "$d_k$ is in the thousands",
    same_need="few keys, or large heads",
    settled="saturation.md#do-gradients-vanish",
)
def vanishing_gradients():
    r"""Take the norm $\|J\|_F$ of softmax's Jacobian, its matrix of
    derivatives. For three keys, as in the article's examples, its median at
    $d_k = 64$ is {= median[3] :.3f } without the divisor; the mean is
    {= mean[3] :.2f }, since now and then two scores nearly tie. For 512 keys
    the median is {= median[512] :.2f } and the mean {= mean[512] :.2f }, more
    than the {= scaled :.2f } with the divisor. At $d_k = 4096$ the median
    vanishes there too, and the mean is {= slow :.3f }.
    """
    bare = {3: weights(3, 8, 16), 512: weights(512, 8, 14)}
    size = {n: jacobian_norm(p) for n, p in bare.items()}
    median = {n: np.median(sizes) for n, sizes in size.items()}
    mean = {n: sizes.mean() for n, sizes in size.items()}
    huge, scaled = (jacobian_norm(weights(512, sd)) for sd in (64, 1))
    values = {"scaled": np.median(scaled), "slow": huge.mean()}
    beyond = (median[512], mean[3], mean[512])
    cases = (case(found, beyond=True) for found in beyond)
    found = median[3], np.median(huge)
    return finding(*found, *cases, median=median, mean=mean, **values)


@ledger.cited(
    "003-70",
    WITHOUT,
    "This has a name, the vanishing gradient problem",
    kind="history",
    settled="saturation.md#do-gradients-vanish",
)
def name_of_the_problem():
    """The name is older, and usually means something else: a gradient that
    shrinks from layer to layer, or from one moment to the one before, since
    many factors below 1 are multiplied [@bengio1994]. Here there is one factor,
    softmax's own derivative. How far it vanishes, [003-07](claims.md#003-07)
    says.
    """


@ledger.claim(
    "003-71",
    f"{WITHOUT} (and “learning stops”, “the model stops learning” further on)",
    "With gradients so small a model no longer learns effectively",
    says="bare > all_alike",
    needs="queries and keys start with variance 1, heads are not small, "
    "batches are not large, and there are hundreds of steps and not thousands",
    settled="training.md#learning",
)
def stops_learning():
    """We trained small transformers to look things up, for 500 steps. Without
    the divisor the loss stays above {= bare :.1f } nats at 64 and at 256
    dimensions, at every learning rate that we tried: worse than if all keys had
    the same weight ({= all_alike :.1f }). With the divisor it falls to
    {= divided :.3f }. But so it does without, if the weights start smaller
    ({= small :.3f }), and it begins to in batches sixteen times as large
    ({= large :.2f }). And which gradient is small? At the start, what one batch
    gives to the weights that make queries and keys is {= longer :.1f } times as
    long without the divisor as with it, which is its own factor of 8 or so.
    With that undone, what all batches share is {= shared :.0%} of what it is
    with it.
    """
    loss = {}
    for row in stored("training/learning.csv"):
        at = row["setting"], row["divisor"], row["d"]
        steps = "5000" if row["setting"] == "5000 steps" else "500"
        if row["step"] == steps:
            by_rate = loss.setdefault(at, {}).setdefault(row["rate"], [])
            by_rate.append(float(row["loss"]))
    best = {at: min(map(mean, found.values())) for at, found in loss.items()}
    lowest = [
        min(min(loss["plain", "none", d].values())) for d in ("64", "256")
    ]
    all_alike, small = (
        best["plain", "∞", "64"],
        best["small start", "none", "64"],
    )
    late = best["5000 steps", "none", "16"]
    large = best["batches of 1024", "none", "64"]
    where = {"d": "64", "pairs": "8", "layer": "both"}
    length, square = {"none": [], "√d": []}, {"none": [], "√d": []}
    for row in stored("training/signal.csv", **where):
        one = float(row["length"])
        length[row["divisor"]].append(one)
        square[row["divisor"]].append(one**2 * float(row["common"]))
    shared = (mean(square["none"]) / mean(square["√d"]) / 64) ** 0.5
    return finding(
        *(case(bare=found, all_alike=all_alike) for found in lowest),
        case(bare=small, all_alike=all_alike, beyond=True),
        case(bare=late, all_alike=all_alike, beyond=True),
        case(bare=large, all_alike=all_alike, beyond=True),
        bare=min(lowest),
        all_alike=all_alike,
        divided=best["plain", "√d", "64"],
        small=small,
        large=large,
        longer=mean(length["none"]) / mean(length["√d"]),
        shared=shared,
    )


@ledger.claim(
    "003-08",
    GROW,
    "A dot product is a sum of $d_k$ terms $q_ik_i$",
    says="sum(q * k)",
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def terms():
    r"""The products of matching coordinates add up to the entry of $QK^\top$.
    Vectors of ones count them: {= terms :.0f } for {= d } dimensions.
    """
    rng, d = np.random.default_rng(0), 64
    pairs = [*(rng.standard_normal((2, n)) for n in (4, d)), np.ones((2, d))]
    cases = [case(q @ k, within=1e-12, q=q, k=k) for q, k in pairs]
    return finding(*cases, terms=cases[-1].found, d=d)


@ledger.claim(
    "003-09",
    GROW,
    "With more terms the total “tends to grow”",
    says="fewer < more",
    settled="questions-why.md#why-they-grow",
)
def tends_to_grow():
    """For Gaussian coordinates any given size is exceeded the more often, the
    more dimensions there are: a size of 5 in {= beyond[4] :.1%} of draws at 4
    dimensions, and in {= beyond[64] :.0%} at 64.
    """

    def exceeds(size, d):
        length = stats.chi(d).ppf((np.arange(1000) + 0.5) / 1000)
        return np.mean(2 * stats.norm.sf(size / length))

    cases = [
        case(fewer=exceeds(size, d), more=exceeds(size, 2 * d))
        for size in (0.5, 5, 50)
        for d in (4, 32, 256)
    ]
    return finding(*cases, beyond={d: exceeds(5, d) for d in (4, 64)})


@ledger.claim(
    "003-10",
    GROW,
    "With 4 terms it stays small, and with 512 it is “much larger in "
    "magnitude”",
    says="at_4 < at_512",
    settled="questions-why.md#why-they-grow",
)
def four_and_512():
    """For Gaussian coordinates the average size is {= at_4 :.1f } and
    {= at_512 :.1f }: {= ratio :.0f } times as large for {= terms :.0f } times
    as many terms. In {= turned :.0%} of draws the score of 512 terms is the
    smaller one.
    """
    rng = np.random.default_rng(0)
    size = {
        d: stats.chi(d).rvs(400_000, random_state=rng)
        * np.abs(rng.standard_normal(400_000))
        for d in (4, 512)
    }
    found = {f"at_{d}": mean_size(d) for d in size}
    return finding(
        case(**found),
        **found,
        ratio=found["at_512"] / found["at_4"],
        terms=512 / 4,
        turned=np.mean(size[512] < size[4]),
    )


@ledger.claim(
    "003-11",
    GROW,
    "The dot product “grows with $d_k$”",
    says="sqrt(d)",
    reading="its typical size, the root mean square, grows with $d_k$",
    settled="questions-why.md#why-they-grow",
)
def grows():
    r"""It is $\sqrt{d_k}$, counted over all sums of random signs. The variance
    grows like $d_k$ itself, and the mean stays 0.
    """
    cases = []
    for d in (4, 64, 512):
        heads = np.arange(d + 1)
        share = stats.binom(d, 0.5).pmf(heads)
        cases.append(case(np.sqrt(share @ (2 * heads - d) ** 2), d=d))
    return finding(*cases)


@ledger.claim(
    "003-63",
    GROW,
    "The more it grows, “the worse the softmax behaves”",
    says="part[1024] < part[256] < part[64] < part[16] < part[4]",
    reading="worse means that of some number of keys, fewer take part",
    settled="saturation.md#how-saturated-is-it-really",
)
def behaves_worse():
    r"""With bare scores, of 512 keys {= part[4] :.0f } take part at 4
    dimensions, {= part[64] :.1f } at 64 and {= part[1024] :.1f } at 1024,
    counted by $1/\mathbb{E}\sum_i p_i^2$ with the weights $p_i$. By another
    measure, such as the size of the gradient, it depends on the number of keys.
    """
    part = {
        d: taking_part(weights(512, np.sqrt(d))) for d in (4, 16, 64, 256, 1024)
    }
    return finding(case(part=part), part=part)


@ledger.claim(
    "003-64",
    VARIANCE,
    "Values of a high variance are far from their average",
    says="small < large",
    needs="the distributions that are compared have the same shape",
    settled="variance.md#variance-from-the-beginning",
)
def high_variance():
    """For one shape, made wider, every share of the values lies farther off.
    Between shapes it need not be so: let 998 of 1000 values be the average
    itself, and two lie {= off } off. The variance is then {= crowd :.2f }, more
    than the {= even :.2f } of values spread evenly over an interval of length
    1, and yet half of all values are no distance away, against
    {= half :.2f }.
    """

    def median_distance(x):
        return np.median(np.abs(x - np.mean(x)))

    rng, cases, off = np.random.default_rng(0), [], 10
    for x in (np.linspace(0, 1, 1001), SKEWED, rng.exponential(size=999)):
        far, near = median_distance(3 * x), median_distance(x)
        cases.append(case(small=near, large=far))
    crowd = np.array([-off, off] + 998 * [0])
    even = np.linspace(0, 1, 1001)
    names = {"small": median_distance(even), "large": median_distance(crowd)}
    return finding(
        *cases,
        case(beyond=True, **names),
        off=off,
        crowd=crowd.var(),
        even=even.var(),
        half=median_distance(even),
    )


@ledger.claim(
    "003-12",
    VARIANCE,
    "Values of a low variance are close to it",
    says="far <= variance / distance**2",
    theorem="Chebyshev's inequality",
    settled="variance.md#variance-from-the-beginning",
)
def low_variance():
    r"""At most $\operatorname{Var}/t^2$ of all values lie $t$ or further from
    the average (Chebyshev's inequality). So it is for every set that we try.
    """
    rng = np.random.default_rng(0)
    cases = []
    for values in (np.linspace(3, 7, 41), SKEWED, rng.exponential(size=999)):
        for distance in (1, 1.5, 3):
            far = np.mean(np.abs(values - values.mean()) >= distance)
            names = {"far": far, "variance": values.var(), "distance": distance}
            cases.append(case(**names))
    return finding(*cases)


@ledger.claim(
    "003-73",
    VARIANCE,
    "For pupils between 5.0 and 5.5 feet the variance of the heights is low",
    says="variance <= (5.5 - 5.0) ** 2 / 4",
    theorem="Popoviciu's inequality",
    settled="variance.md#variance-from-the-beginning",
)
def low_heights():
    """However they are spread, it is at most {= bound :.4f }, the square of
    half the range (Popoviciu's inequality). If half of the students measure 5.0
    feet and half 5.5, it is just that.
    """
    rng = np.random.default_rng(0)
    for_all = np.linspace(5, 5.5, 11), rng.uniform(5, 5.5, 99), [5, 5.5, 5, 5.5]
    cases = [case(variance=np.var(heights)) for heights in for_all]
    return finding(*cases, bound=(5.5 - 5) ** 2 / 4)


@ledger.claim(
    "003-13",
    VARIANCE,
    "For pupils from 3.0 to 7.0 feet it is high",
    says="low < high",
    needs="the heights fill both ranges alike",
    settled="variance.md#variance-from-the-beginning",
)
def heights():
    """Spread evenly, it is {= even[1] :.2f }, against {= even[0] :.3f } for the
    range before. A range bounds the variance only from above, here by
    {= bound :.0f }. If one of 1000 students measures 3 feet, one 7 and all
    others 5, it is {= crowd :.3f }.
    """
    even = [np.linspace(5, 5.5, 11).var(), np.linspace(3, 7, 41).var()]
    crowd = np.var([3, 7] + 998 * [5])
    filled = case(low=even[0], high=even[1])
    crowded = case(low=even[0], high=crowd, beyond=True)
    bound = (4 / 2) ** 2  # half of the range, squared
    return finding(filled, crowded, even=even, bound=bound, crowd=crowd)


@ledger.cited(
    "003-72",
    VARIANCE,
    "Coordinates of mean 0 and variance 1 are “a standard assumption”",
    kind="history",
    settled="scales.md#is-it-safe-to-assume-unit-variance",
)
def standard_assumption():
    """The paper's footnote makes it too, and adds “independent” [@vaswani2017].
    It is an assumption: with the weights that PyTorch's linear layer starts
    from, the variance is {= scales/audit.var_q['nn.Linear'] :.2f }, and with
    GPT-2's {= scales/audit.var_q['GPT-2'] :.2f }.
    """


@ledger.cited(
    "003-14",
    VARIANCE,
    "Inputs are “typically normalized” to mean 0 and variance 1",
    kind="history",
    settled="scales.md#what-layernorm-gives-and-what-it-does-not",
)
def normalised():
    """A statement about inputs and about custom, and a fair one: LayerNorm
    gives each token mean 0 and variance 1 over its coordinates [@ba2016].
    RMSNorm, in many newer models, leaves the mean as it is [@zhang2019].
    Queries and keys are made from the inputs by weights, and their variance
    depends on these.
    """


@ledger.claim(
    "003-15",
    VARIANCE,
    "A product of two independent numbers, with means 0 and variances 1, "
    "has mean 0 and variance 1",
    says="array([0, var_x * var_y])",
    settled="variance.md#one-product",
)
def one_product():
    """Counted over all pairs of values, for variances 1 and for others. Where
    the means are not 0 the variance is larger.
    """
    cases = []
    for x, y in ((SIGN, SKEWED), (2 * SIGN, 3 * SKEWED)):
        xy = np.outer(x, y)
        found = [xy.mean(), xy.var()]
        cases.append(case(found, within=1e-12, var_x=x.var(), var_y=y.var()))
    return finding(*cases)


@ledger.claim(
    "003-16",
    VARIANCE,
    "A sum of $d_k$ independent terms of variance 1 has the variance $d_k$",
    says="d",
    settled="variance.md#the-square-term-by-term",
)
def independent_terms():
    """The exact distribution of the sum, built up term by term, has this
    variance. That the terms are independent is said here; the article's list of
    assumptions names only mean and variance.
    """
    # One term, a sign times a skewed number, in steps of a half.
    term = np.array([1, 0, 0, 4, 0, 4, 0, 0, 1]) / 10
    cases, law = [], np.ones(1)
    for d in range(1, 65):
        law = np.convolve(law, term)
        value = np.arange(-4 * d, 4 * d + 1) / 2
        cases.append(case(law @ value**2, d=d))
    return finding(*cases)


@ledger.claim(
    "003-17",
    PROOF,
    "A dot product has mean 0 because each coordinate has",
    says="0",
    settled="variance.md#the-square-term-by-term",
)
def mean_zero():
    """For *independent* numbers, of which the article has just spoken. Zero
    means alone do not suffice: for $k = q$ the mean is $d_k$. Counted over all
    vectors of four dimensions it is {= same :.0f }.
    """
    q = vectors(SKEWED, 4)
    same = np.mean(np.sum(q * q, axis=1))
    return finding(case(scores(4).mean(), within=1e-12), same=same)


@ledger.claim(
    "003-18",
    PROOF,
    "Variance is the average squared distance from the mean",
    says="sum((x - mean)**2) / n",
    settled="variance.md#variance-from-the-beginning",
)
def definition():
    """This is the definition. It agrees with half of the average squared
    distance between two of the values, which needs no mean.
    """
    cases = []
    for values in ([2, 4, 6], [14, 10, 12, 1], 2 * SKEWED):
        x = np.array(values)
        apart = np.mean(np.subtract.outer(x, x) ** 2) / 2
        cases.append(case(apart, x=x, mean=x.mean(), n=len(x)))
    return finding(*cases)


@ledger.claim(
    "003-65",
    PROOF,
    "With a mean of 0 it is the average of the squares",
    says="sum(x**2) / n",
    settled="variance.md#variance-from-the-beginning",
)
def variance_at_mean_zero():
    """Found as half of the average squared distance between two of the
    values, for sets of mean 0. In general the square of the mean comes off.
    """
    cases = []
    for values in ([-2, 0, 2], [-1, -1, 5, -3], 2 * SKEWED):
        x = np.array(values)
        apart = np.mean(np.subtract.outer(x, x) ** 2) / 2
        cases.append(case(apart, x=x, n=len(x)))
    return finding(*cases)


@ledger.claim(
    "003-19",
    PROOF,
    "The square of $a + b + c$ has nine terms",
    says="a*a + a*b + a*c + b*a + b*b + b*c + c*a + c*b + c*c",
    settled="variance.md#the-square-term-by-term",
)
def square():
    """Each of the three terms meets each: {= terms } products."""
    cases = [
        case((a + b + c) ** 2, a=a, b=b, c=c)
        for a, b, c in ((2, 3, 5), (-1, 4, 7))
    ]
    return finding(*cases, terms=len(vectors("abc", 2)))


@ledger.claim(
    "003-20",
    PROOF,
    "Three of the nine terms are squares",
    says="3",
    settled="variance.md#the-square-term-by-term",
)
def group_1():
    """Counted among the {= number } products."""
    pairs = list(product("abc", repeat=2))
    return finding(sum(i == j for i, j in pairs), number=len(pairs))


@ledger.claim(
    "003-21",
    PROOF,
    "The average of $q_1^2$ is 1",
    says="1.0",
    settled="variance.md#variance-from-the-beginning",
)
def mean_square():
    """So it is for every distribution with mean 0 and variance 1. We integrate
    a Gaussian, a uniform and a two-sided exponential one.
    """
    x = np.linspace(-20, 20, 40_001)
    laws = (
        stats.norm(),
        stats.uniform(-np.sqrt(3), np.sqrt(12)),
        stats.laplace(scale=np.sqrt(0.5)),
    )
    return finding(*(np.trapezoid(x**2 * law.pdf(x), x) for law in laws))


@ledger.claim(
    "003-22",
    PROOF,
    "The average of $q_1^2$ times $k_1^2$ is 1",
    says="1.0",
    settled="variance.md#the-square-term-by-term",
)
def mean_of_squares():
    """Counted over all values of two independent numbers. Uncorrelated is not
    enough: if $k_1$ is $q_1$ with a random sign, it is {= signed :.2f } for
    the skewed distribution of the check.
    """
    found = np.mean(np.outer(SIGN, SKEWED) ** 2)
    skew = np.mean(np.outer(SKEWED, SKEWED) ** 2)
    return finding(found, skew, signed=np.mean(SKEWED**4))


@ledger.claim(
    "003-23",
    PROOF,
    "Six of the nine are mixed",
    says="6",
    settled="variance.md#the-square-term-by-term",
)
def group_2():
    """Three are listed, $ab$, $ac$, $bc$. Each stands twice in the square."""
    return finding(sum(i != j for i, j in product("abc", repeat=2)))


@ledger.claim(
    "003-24",
    PROOF,
    "The average of a mixed term is a product of four means of 0, so it is 0",
    says="0.0",
    settled="variance.md#the-square-term-by-term",
)
def mixed_term():
    r"""Counted over all values of four independent numbers. Less would do: $q$
    independent of $k$, and the two coordinates of one of them uncorrelated. If
    $q_1 = q_2$ and $k_1 = k_2$, the average is {= equal :.0f }.
    """
    four = vectors(SKEWED, 4)
    equal = np.mean(np.outer(SKEWED, SKEWED) ** 2)
    return finding(np.mean(np.prod(four, axis=1)), equal=equal)


@ledger.claim(
    "003-25",
    PROOF,
    "So the variance is 3 times 1, plus 6 times 0",
    says="3",
    settled="variance.md#the-square-term-by-term",
)
def variance_of_three():
    """The variance over all {= count :, } scores of three dimensions, one for
    each choice of values of the six coordinates.
    """
    every = scores(3)
    return finding(case(every.var(), within=1e-12), count=every.size)


@ledger.claim(
    "003-26",
    PROOF,
    "For 64 there are 4096 terms, 64 of the first kind and 4032 of the second",
    says="[4096, 64, 4032]",
    settled="variance.md#the-square-term-by-term",
)
def count_of_64():
    """Counted in a grid of 64 by 64."""
    same = np.equal.outer(range(64), range(64))
    return finding([same.size, same.sum(), (~same).sum()])


@ledger.claim(
    "003-27",
    PROOF,
    "The variance is “always exactly” $d_k$",
    says="d",
    settled="variance.md#what-happens-when-an-assumption-fails",
)
def always_exactly():
    r"""“Always” means at every $d_k$, and under the assumptions of the proof,
    which speaks of independent numbers. Then it is exact, for any distribution
    of the coordinates with mean 0 and variance 1. Without independence it is
    not: if all coordinates of a vector are equal, the variance is $d_k^2$, here
    {= equal :.0f } at $d_k = 4$, and if $k = q$, with independent Gaussian
    coordinates, it is $2d_k$.
    """
    cases = [case(scores(d).var(), d=d) for d in (1, 2, 4)]
    # One coordinate is ±2, the others 0: uncorrelated, not independent.
    single = np.vstack([2 * np.eye(4), -2 * np.eye(4)])
    cases.append(case((single @ vectors(SKEWED, 4).T).var(), d=4))
    equal = (np.outer(SIGN, np.ones(4)) @ np.outer(SKEWED, np.ones(4)).T).var()
    return finding(*cases, equal=equal)


@ledger.claim(
    "003-28",
    LARGE,
    "Softmax divides each exponential by the sum of all",
    says="exp(x) / sum(exp(x))",
    settled="saturation.md#the-exponential-in-numbers",
)
def softmax_formula():
    """It agrees with the library's function, which subtracts the largest score
    first so that nothing overflows.
    """
    lists = [5, 1, 0.5], [14, 10, 12], [50, 10, 5]
    return finding(*(case(special.softmax(x), x=np.array(x)) for x in lists))


@ledger.claim(
    "003-29",
    LARGE,
    "The constant $e$ is about 2.718",
    says="2.718",
    settled="saturation.md#the-exponential-in-numbers",
)
def constant():
    """The sum of $1/k!$, of which {= terms } terms suffice here, is
    {= e :.6f }.
    """
    terms = 20
    e = float(sum(Fraction(1, factorial(k)) for k in range(terms)))
    return finding(e, e=e, terms=terms)


@ledger.claim(
    "003-30",
    LARGE,
    "$e^{1}$ is 2.718",
    says="2.718",
    settled="saturation.md#the-exponential-in-numbers",
)
def exponential_of_1():
    """Rounded from {= exact :.6f }."""
    exact = float(power(1))
    return finding(exact, exact=exact)


@ledger.claim(
    "003-31",
    LARGE,
    "$e^{5}$ is 148.4",
    says="148.4",
    settled="saturation.md#the-exponential-in-numbers",
)
def exponential_of_5():
    """Rounded from {= exact :.4f }."""
    exact = float(power(5))
    return finding(exact, exact=exact)


@ledger.claim(
    "003-32",
    LARGE,
    "$e^{10}$ is 22,026",
    says="22_026",
    settled="saturation.md#the-exponential-in-numbers",
)
def exponential_of_10():
    """Rounded from {= exact :,.4f }."""
    exact = float(power(10))
    return finding(exact, exact=exact)


@ledger.claim(
    "003-33",
    LARGE,
    "$e^{20}$ is 485,165,195",
    says="485_165_195",
    settled="saturation.md#the-exponential-in-numbers",
)
def exponential_of_20():
    """Rounded from {= exact :,.4f }."""
    exact = float(power(20))
    return finding(exact, exact=exact)


@ledger.claim(
    "003-34",
    LARGE,
    "$e^{50}$ is “5,184,705,528,587,072,045”",
    says="5_184_705_528_587_072_045",
    rather="5_184_705_528_587_072_464_087",
    settled="saturation.md#the-exponential-in-numbers",
)
def exponential_of_50():
    """Rounded it is {= exact :,}. As a 64-bit float it prints as
    {= double :,.0f }, and without the last group of digits that is the
    article's number, too small by a factor of {= factor :,.0f }. The
    article's conclusions do not depend on it.
    """
    exact, double = round(power(50)), float(power(50))
    factor = double / (int(double) // 1000)
    return finding(exact, exact=exact, double=double, factor=factor)


@ledger.claim(
    "003-35",
    LARGE,
    "From $e^{10}$ to $e^{50}$ the difference is “astronomically large”",
    says="small < 1e-17 * large",
    settled="saturation.md#the-exponential-in-numbers",
)
def astronomical():
    """The second is {= ratio :.1e} times the first."""
    small, large = float(power(10)), float(power(50))
    return finding(case(small=small, large=large), ratio=large / small)


@ledger.claim(
    "003-36",
    LARGE,
    "$e^{5}$ is 148, where it is needed again",
    says="148",
    settled="saturation.md#the-exponential-in-numbers",
)
def exponential_of_5_again():
    """Rounded, to fewer digits than in the article's list before."""
    return finding(float(power(5)))


@ledger.claim(
    "003-37",
    LARGE,
    "Softmax of 50, 10 and 5 is about 1, 0 and 0",
    says="[1.0, 0.0, 0.0]",
    settled="saturation.md#the-exponential-in-numbers",
)
def softmax_of_50():
    """The first weight falls short of 1 by {= rest :.1e }, so little that a
    64-bit float stores 1.
    """
    found = shares(50, 10, 5)
    return finding(found, rest=found[1:].sum())


@ledger.claim(
    "003-38",
    LARGE,
    "$e^{0.5}$ is 1.649",
    says="1.649",
    settled="saturation.md#the-exponential-in-numbers",
)
def exponential_of_half():
    """Rounded from {= exact :.6f }."""
    exact = float(power("0.5"))
    return finding(exact, exact=exact)


@ledger.claim(
    "003-39",
    LARGE,
    "The exponentials of 5, 1 and 0.5 add up to 152.780",
    says="152.780",
    settled="saturation.md#the-exponential-in-numbers",
)
def sum_of_exponentials():
    """The exact terms add up to {= total :.5f }; the three rounded ones that
    are printed, to {= printed :.3f }.
    """
    total = float(power(5) + power(1) + power("0.5"))
    return finding(total, total=total, printed=148.4 + 2.718 + 1.649)


@ledger.claim(
    "003-40",
    LARGE,
    "Softmax of 5, 1 and 0.5 is 0.971, 0.018 and 0.011",
    says="[0.971, 0.018, 0.011]",
    settled="saturation.md#the-exponential-in-numbers",
)
def softmax_of_5():
    """Rounded from {= found[0] :.5f }, {= found[1] :.5f } and
    {= found[2] :.5f }.
    """
    found = shares(5, 1, "0.5")
    return finding(found, found=found)


@ledger.claim(
    "003-41",
    LARGE,
    "With these smaller scores the others are “not completely zero”, and a "
    "model can still learn from all",
    says="0 < third < second < first",
    reading="no weight is 0, so every position gets a gradient",
    settled="saturation.md#the-exponential-in-numbers",
)
def not_zero():
    r"""How large a gradient “can still learn” asks for is open. The norm
    $\|J\|_F$ of softmax's matrix of derivatives is {= small :.3f } here, a
    tenth of the {= even :.2f } for even weights. For the scores 50, 10 and 5 it
    is {= large :.0e}, and there no weight is exactly 0 either.
    """
    first, second, third = shares(5, 1, "0.5")
    small, large, even = (
        jacobian_norm(shares(*x)[None])[0]
        for x in ((5, 1, 0.5), (50, 10, 5), (0, 0, 0))
    )
    named = case(first=first, second=second, third=third)
    return finding(named, small=small, large=large, even=even)


@ledger.claim(
    "003-42",
    LARGE,
    "For large $d_k$ softmax without a scale is “almost one-hot”",
    says="1.0",
    needs=r"$\sqrt{d_k}$ is far above $\sqrt{2\ln n}$, for $n$ keys",
    same_need="few keys, or large heads",
    settled="saturation.md#how-sharp-is-the-border",
)
def one_hot():
    r"""Among 512 keys the largest weight is {= huge :.2f } on average at
    $d_k = 4096$, but {= usual :.2f } at $d_k = 64$. There the best score leads
    the next by too little.
    """
    few, huge, usual = (
        weights(n, sd)[:, 0].mean() for n, sd in ((3, 64), (512, 64), (512, 8))
    )
    return finding(few, huge, case(usual, beyond=True), huge=huge, usual=usual)


@ledger.claim(
    "003-43",
    RIGHT,
    "Divided by $c$, a variance is divided by $c^2$",
    says="d / c**2",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def divided():
    """Counted over all scores of two and of four dimensions."""
    return finding(
        *(
            case((scores(d) / c).var(), d=d, c=c)
            for d in (2, 4)
            for c in (2, 10)
        )
    )


@ledger.claim(
    "003-44",
    RIGHT,
    "2, 4, 6 have mean 4 and variance 2.67; halved, they have mean 2 and "
    "variance 0.67",
    says="[4, 2.67, 2, 0.67]",
    settled="variance.md#variance-from-the-beginning",
)
def halved():
    """Rounded from eight thirds and two thirds. With $n-1$ for $n$ in the
    denominator they would be {= sample[0] } and {= sample[1] }, with the same
    ratio.
    """
    whole = [Fraction(2), Fraction(4), Fraction(6)]
    half = [x / 2 for x in whole]
    found = [f(values) for values in (whole, half) for f in (mean, pvariance)]
    return finding(
        [float(value) for value in found],
        sample=[int(variance(whole)), int(variance(half))],
    )


@ledger.claim(
    "003-66",
    RIGHT,
    "The distances from the mean, before and after, and their squares",
    says="[-2, 0, 2, 4, 0, 4, -1, 0, 1, 1, 0, 1]",
    settled="variance.md#variance-from-the-beginning",
)
def differences():
    """All twelve numbers are right."""
    found = []
    for values in ([2, 4, 6], [1, 2, 3]):
        off = np.array(values) - mean(values)
        found += [*off, *off**2]
    return finding(found)


@ledger.claim(
    "003-67",
    RIGHT,
    "A quarter of 2.67 is 0.67",
    says="0.67",
    settled="variance.md#variance-from-the-beginning",
)
def quarter():
    """Of the rounded number a quarter is {= rounded }, and of the exact one,
    8/3, it is 2/3: both round to 0.67.
    """
    return finding(2.67 / 4, float(Fraction(8, 3) / 4), rounded=2.67 / 4)


@ledger.claim(
    "003-45",
    RIGHT,
    r"So $c$ has to be $\sqrt{d_k}$",
    says="sqrt(d)",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def divisor():
    """The one positive number by which all scores, divided, get variance 1.
    The check searches for it among the scores themselves.
    """

    def excess(c, d):
        return (scores(d) / c).var() - 1

    return finding(
        *(
            case(optimize.brentq(excess, 0.5, 9, args=(d,), xtol=1e-12), d=d)
            for d in (2, 3, 4)
        )
    )


@ledger.claim(
    "003-46",
    RIGHT,
    "This is “mathematically the correct scaling factor”",
    says="sqrt(d)",
    settled="scales.md#two-assumptions-two-answers",
)
def correct_factor():
    """For the aim that the article states, a variance of 1, and under its
    assumptions, no other positive number does it. If the coordinates have
    variance one third, as PyTorch's linear layer makes them, the factor for
    four dimensions is {= third :.2f }; if those of each vector are all equal,
    {= equal :.0f }. Other aims lead to [other
    divisors](scales.md#what-to-hold-constant).
    """
    cases = [case(scores(d).std(), d=d) for d in (2, 4)]
    third = (scores(4) / 3).std()
    equal = np.outer(4 * SIGN, SKEWED).std()
    return finding(*cases, third=third, equal=equal)


@ledger.claim(
    "003-47",
    RIGHT,
    "With it weights are “well-distributed” for any $d_k$",
    says="taking_part > n / 8",
    needs="for a given $q$, the divided scores $z$ are independent and no "
    "heavier in the tails than a standard Gaussian: "
    r"$\mathbb{E}e^{tz}\le e^{t^2/2}$ for all $t$",
    same_need="tails",
    settled="saturation.md#keys-that-are-not-gaussian",
)
def well_distributed():
    r"""Take “well-distributed” to mean that over an eighth of the keys take
    part, counted by $1/\mathbb{E}\sum_i p_i^2$ with the weights $p_i$. The
    condition holds for a query of length $\sqrt{d_k}$ and keys of independent
    coordinates, Gaussian or $\pm1$. Of 512 keys {= gaussian :.0f } then take
    part if they are Gaussian; for $\pm1$ it is {= signs[4] :.0f } at 4
    dimensions, and as with Gaussian ones at many. Variance 1 is not enough. If
    the coordinates of each vector are all equal, {= equal :.1f } do at 64. If
    one key in a hundred is a Gaussian one ten times too long, and the others
    are 0, about {= rare :.0f } do in every dimension.
    """
    gaussian = sharing(*normal(1))
    # Of a query of ones: the sum of d signs, over √d.
    signs = {}
    for d in (4, 64, 256):
        up = np.arange(d + 1)
        law = stats.binom.pmf(up, d, 0.5)
        signs[d] = sharing((2 * up - d) / np.sqrt(d), law)
    # Equal coordinates: Gaussian scores of standard deviation 8 |q_1|, at 32
    # quantiles of it.
    quantiles = stats.chi(1).ppf((np.arange(32) + 0.5) / 32)
    equal = 1 / mean([1 / sharing(*normal(8 * x)) for x in quantiles])
    # Given q of length √d, divided scores are 10 g or 0, whatever d is.
    scores, chances = normal(10)
    rare = sharing(np.append(scores, 0), np.append(0.01 * chances, 0.99))
    # Independent coordinates, 0 or, one in a hundred, ±10, in 64 dimensions:
    # as many of them count as are not 0 in the query, either, so 4 at most.
    few = 0
    for m in range(5):
        up, down = np.mgrid[: m + 1, : m + 1].reshape(2, -1)
        law = stats.multinomial.pmf(
            np.transpose([up, down, m - up - down]), m, [0.005, 0.005, 0.99]
        )
        few += stats.binom.pmf(m, 64, 0.01) / sharing(
            100 * (up - down) / 8, law
        )
    inside = [gaussian, *signs.values()]
    outside = [equal, rare, 1 / few]
    return finding(
        *[case(taking_part=found, n=512) for found in inside],
        *[case(taking_part=found, n=512, beyond=True) for found in outside],
        gaussian=gaussian,
        signs=signs,
        equal=equal,
        rare=rare,
    )


@ledger.cited(
    "003-48",
    RIGHT,
    "The paper's authors chose it “for exactly this reason”",
    kind="history",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def chosen_for_this_reason():
    """What moved the authors no code can find. They write “We suspect” of the
    effect on softmax, and give the variance in a footnote, “to illustrate”
    [@vaswani2017].
    """


@ledger.claim(
    "003-49",
    NUMBERS,
    "An example at $d_k = 4$: the product is 1, the root 2, the scaled "
    "score 0.5",
    says="[1, 2, 0.5]",
    settled="variance.md#two-scores-by-hand",
)
def four_dimensions():
    """The arithmetic is right. Coordinates that are 0 or 1 do not have the mean
    0 that the article assumes; here they average {= means[0] } and
    {= means[1] }.
    """
    q, k = np.array([1, 0, 1, 0]), np.array([0, 1, 1, 1])
    found = case([q @ k, len(k) ** 0.5, (q / 2) @ k], within=1e-12)
    return finding(found, means=[q.mean(), k.mean()])


@ledger.claim(
    "003-74",
    NUMBERS,
    "At 1 and at 0.5 softmax “will behave well”",
    says="both < 0.9",
    reading="beside a second key of score 0, neither 1 nor 0.5 gives the key "
    "nearly all of the weight",
    settled="variance.md#two-scores-by-hand",
)
def behaves_well():
    """It gets {= bare :.2f } of it with the score 1, and {= scaled :.2f } with
    0.5. The example has one score only, and a softmax of one score is always 1:
    how it behaves depends on how far the scores of a row lie apart.
    """
    bare, scaled = (special.softmax([score, 0])[0] for score in (1, 0.5))
    return finding(
        *(case(both=weight) for weight in (bare, scaled)),
        bare=bare,
        scaled=scaled,
    )


@ledger.claim(
    "003-50",
    NUMBERS,
    "For small $d_k$ scaling “does not matter much”",
    says="bare > scaled / 2",
    reading="at $d_k = 4$ and for three keys, as in the article's other "
    "examples, at least half as many take part as with the divisor",
    settled="variance.md#two-scores-by-hand",
)
def small_dimension():
    r"""Without it {= bare :.1f } take part, counted by
    $1/\mathbb{E}\sum_i p_i^2$ with the weights $p_i$, and with it
    {= scaled :.1f }. But the more keys, the more the divisor matters: of 512 it
    is {= many[0] :.0f } and {= many[1] :.0f }. The article's single score has
    nothing to compete with.
    """
    bare, scaled = (taking_part(weights(3, sd, 16)) for sd in (2, 1))
    many = [taking_part(weights(512, sd)) for sd in (2, 1)]
    names = {"bare": bare, "scaled": scaled}
    return finding(case(**names), **names, many=many)


@ledger.claim(
    "003-54",
    NUMBERS,
    "An example at $d_k = 64$: three words with the scores 14, 10 and 12",
    says="shown < usual",
    question=True,
    settled="saturation.md#three-scores-at-64-dimensions",
)
def typical_example():
    r"""An example asserts nothing; is it a typical one? It is milder than most.
    Three independent Gaussian scores of standard deviation 8 span
    {= wide :.2f } on average, and only {= close :.1%} of triples span at most
    {= width }, as these do. The largest weight has the median {= usual :.3f };
    in the example it is {= shown :.3f }. So the article's point is stronger
    than its example shows.
    """

    # The range of three exceeds w unless all lie within w above the lowest.
    def within(width):
        x = np.linspace(-9, 9, 181)
        highest = x + np.expand_dims(width, -1) / 8
        inside = stats.norm.cdf(highest) - stats.norm.cdf(x)
        return np.trapezoid(3 * stats.norm.pdf(x) * inside**2, x)

    widths = np.linspace(0, 80, 801)
    wide = np.trapezoid(1 - within(widths), widths)
    example = 14, 10, 12
    shown, width = shares(*example).max(), max(example) - min(example)
    usual = np.median(weights(3, 8, 16)[:, 0])
    return finding(
        case(shown=shown, usual=usual),
        case(shown=width, usual=wide),
        shown=shown,
        usual=usual,
        wide=wide,
        width=width,
        close=within(width),
    )


@ledger.claim(
    "003-51",
    NUMBERS,
    "$e^{14}$ is 1,202,604, $e^{12}$ is 162,755, and with $e^{10}$ they add "
    "up to 1,387,386",
    says="[1_202_604, 162_755, 1_387_386]",
    settled="saturation.md#three-scores-at-64-dimensions",
)
def example_without():
    """Rounded from {= found[0] :,.3f }, {= found[1] :,.3f } and
    {= found[2] :,.3f }. The three terms as printed add up to
    {= printed :,}.
    """
    terms = [power(x) for x in (14, 12, 10)]
    found = [float(value) for value in (terms[0], terms[1], sum(terms))]
    return finding(found, found=found, printed=1_202_604 + 22_026 + 162_755)


@ledger.claim(
    "003-52",
    NUMBERS,
    "Undivided, the weights are 0.867, 0.016 and 0.117, as percentages 86.7 "
    "for the first and 1.6 for the second",
    says="[0.867, 0.016, 0.117]",
    settled="saturation.md#three-scores-at-64-dimensions",
)
def weights_without():
    """Rounded from {= found[0] :.5f }, {= found[1] :.5f } and
    {= found[2] :.5f }.
    """
    found = shares(14, 10, 12)
    return finding(found, found=found)


@ledger.claim(
    "003-53",
    NUMBERS,
    "These weights are “quite extreme”, and the scores “not that far apart”",
    says="span < usual",
    reading="they lie closer together than three scores at $d_k = 64$ do on "
    "average",
    settled="saturation.md#three-scores-at-64-dimensions",
)
def not_far_apart():
    """They span {= span }; three independent Gaussian scores of standard
    deviation 8 span {= usual :.1f } on average. How extreme is “quite extreme”
    stays open: the weights are those of [003-52](claims.md#003-52).
    """
    x = np.linspace(-9, 9, 1801)
    middle = 3 * x * stats.norm.pdf(x) * stats.norm.cdf(x) ** 2
    usual = 8 * 2 * np.trapezoid(middle, x)  # twice the mean of the largest
    span = max(14, 10, 12) - min(14, 10, 12)
    return finding(case(span=span, usual=usual), span=span, usual=usual)


@ledger.claim(
    "003-55",
    NUMBERS,
    "Divided by the root, 8, the scores are 1.75, 1.25 and 1.5",
    says="[8, 1.75, 1.25, 1.5]",
    settled="saturation.md#three-scores-at-64-dimensions",
)
def example_divided():
    """The arithmetic is right."""
    return finding([64**0.5, *(np.array([14, 10, 12]) / 64**0.5)])


@ledger.claim(
    "003-56",
    NUMBERS,
    "Their exponentials are 5.755, 3.490 and 4.482",
    says="[5.755, 3.490, 4.482]",
    settled="saturation.md#three-scores-at-64-dimensions",
)
def exponentials_with():
    """Rounded from {= found[0] :.5f }, {= found[1] :.5f } and
    {= found[2] :.5f }.
    """
    found = [float(power(x)) for x in ("1.75", "1.25", "1.5")]
    return finding(found, found=found)


@ledger.claim(
    "003-57",
    NUMBERS,
    "The three exponentials add up to 13.727",
    says="13.727",
    settled="saturation.md#three-scores-at-64-dimensions",
)
def sum_with():
    """Rounded from {= found :.6f }."""
    found = float(power("1.75") + power("1.25") + power("1.5"))
    return finding(found, found=found)


@ledger.claim(
    "003-58",
    NUMBERS,
    "The weights are then 0.419, 0.254 and 0.326, given as percentages too",
    says="[0.419, 0.254, 0.326]",
    settled="saturation.md#three-scores-at-64-dimensions",
)
def weights_with():
    """Rounded from the exact terms. The last fraction as printed, 4.482/13.727,
    is {= printed :.6f } and would round to {= rounded :.3f }; the exact one is
    {= exact :.6f }.
    """
    found = shares("1.75", "1.25", "1.5")
    printed = 4.482 / 13.727
    return finding(found, printed=printed, rounded=printed, exact=found[2])


@ledger.claim(
    "003-59",
    NUMBERS,
    "All three words now teach the model something, where before it was "
    "mainly one",
    says="bare < 2 < scaled",
    reading="two keys or more take part, instead of fewer",
    settled="saturation.md#three-scores-at-64-dimensions",
)
def learn_from_three():
    r"""Of the three, {= bare :.2f } take part without the divisor and
    {= scaled :.2f } with it, counted by $1/\sum_i p_i^2$ with the weights
    $p_i$. The norm $\|J\|_F$ of softmax's matrix of derivatives rises from
    {= slope[0] :.2f } to {= slope[1] :.2f }.
    """
    both = np.array([shares(14, 10, 12), shares("1.75", "1.25", "1.5")])
    bare, scaled = (taking_part(p) for p in both)
    slope = jacobian_norm(both)
    names = {"bare": bare, "scaled": scaled}
    return finding(case(**names), **names, slope=slope)


@ledger.claim(
    "003-60",
    TOGETHER,
    "The summary: the product grows, and its variance is $d_k$",
    says="d",
    settled="variance.md#the-same-in-one-line-with-less-assumed",
)
def summary():
    r"""Under the assumptions that the article states. Less would do: of one of
    the two vectors the coordinates may depend on each other. If each $q_i$ has
    the correlation {= rho } with its $k_i$, as training can bring about, the
    variance for Gaussian vectors at $d_k = 64$ is {= found :.2f }, and the mean
    {= mean :.1f } instead of 0.
    """

    def variance_of(key, cross):
        d = len(key)
        half, none = np.eye(d) / 2, np.zeros((d, d))
        form = np.block([[none, half], [half, none]])  # q·k = wᵀ form w
        both = np.block([[np.eye(d), cross], [cross.T, key]])
        return 2 * np.trace(form @ both @ form @ both)

    rho, cases = 0.3, []
    for d in (4, 64):
        key = np.full((d, d), 0.5) + np.eye(d) / 2
        cases.append(case(variance_of(key, np.zeros((d, d))), d=d))
    found = variance_of(np.eye(64), rho * np.eye(64))
    return finding(*cases, rho=rho, found=found, mean=64 * rho)


@ledger.cited(
    "003-61",
    TOGETHER,
    "A Transformer without it “would struggle to learn effectively”",
    kind="opinion",
    settled="scales.md#t5-which-has-no-divisor",
)
def would_struggle():
    """A guess about whole models, which no small calculation settles; what
    small ones say is at [003-71](claims.md#003-71). It depends on how they
    start: T5 has no divisor and learns [@raffel2020], with query weights that
    start smaller by the same factor. Normalised queries and keys with a learned
    factor do without the divisor as well [@henry2020].
    """


@ledger.cited(
    "003-68",
    TOGETHER,
    "It is small and “makes the entire attention mechanism work”",
    kind="opinion",
    settled="questions-without.md#without-scaling",
)
def makes_it_work():
    """Praise, in good faith. Taken literally it is not so: T5 has no divisor,
    and its attention works [@raffel2020], with smaller weights at the start.
    """


claims = ledger.judge()
