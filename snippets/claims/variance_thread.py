"""The claims of the thread on the variance (001), each with its check."""

# %%
from functools import cache
from itertools import permutations, product

import numpy as np
import samples
from ledger import Ledger, case, finding
from scipy import optimize, stats

source = "thread on the variance"
ledger = Ledger(__file__)
ROUNDING = 1e-9  # of a sum over all cases
# The question introduces these words with “The reason why is stated”.
QUOTED = "question, in the words of TensorFlow’s tutorial [@tensorflow2019]"

# A lopsided coordinate: −½ four times as often as 2. Mean 0, variance 1.
VALUES, CHANCES = np.array([-0.5, 2]), np.array([0.8, 0.2])

# Two random numbers X and Y, each with three values: all nine pairs.
X, Y = np.repeat([-1.0, 0, 3], 3), np.tile([1.0, 2, 5], 3)
INDEPENDENT = np.outer([0.2, 0.5, 0.3], [0.6, 0.1, 0.3]).ravel()
DEPENDENT = INDEPENDENT + 0.02 * np.outer([1, -1, 0], [1, 0, -1]).ravel()
# (3, −4, 1) is at right angles to 1 and to X: no correlation, yet dependent.
UNCORRELATED = INDEPENDENT + 0.005 * np.outer([3, -4, 1], [1, -1, 0]).ravel()


def all_arrays(n, d, m):
    """Give all n×d arrays Q, d×m arrays K of lopsided entries, and chances."""
    pick = np.array(list(product((0, 1), repeat=n * d + d * m)))
    Q, K = np.split(VALUES[pick], [n * d], axis=1)
    return Q.reshape(-1, n, d), K.reshape(-1, d, m), CHANCES[pick].prod(1)


def law_of_score(d):
    """Give a score's values and chances, for d lopsided coordinates.

    One product is a whole number of quarters, from −4 to 16.
    """
    quarters = np.rint(4 * np.outer(VALUES, VALUES)).astype(int)
    term, law = np.zeros(21), np.ones(1)
    np.add.at(term, quarters + 4, np.outer(CHANCES, CHANCES))
    for _ in range(d):
        law = np.convolve(law, term)
    return np.arange(-4 * d, 16 * d + 1) / 4, law


def moments(values, chances):
    """Give the mean and the variance of a distribution."""
    mean = np.einsum("i,i...->...", chances, values)
    return mean, np.einsum("i,i...->...", chances, (values - mean) ** 2)


def deviation_and_error(sample):
    """Give a sample's standard deviation, and that one's standard error."""
    square = (sample - sample.mean()) ** 2
    sd = np.sqrt(square.mean())
    return sd, square.std() / np.sqrt(len(sample)) / (2 * sd)


def uniform(rng, square, shape):
    """Draw from the interval whose ends have this square."""
    return np.sqrt(square) * rng.uniform(-1, 1, shape)


def law_of_np_var(entries):
    """Give the distribution of np.var of so many independent Gaussians."""
    return stats.chi2(entries - 1, scale=1 / entries)


@cache
def large_products(draws=400, n=1111, d=111, m=1111):
    """Draw np.var of the product of two Gaussian arrays, n×d and d×m.

    The sum of all squared entries is tr(QᵀQ KKᵀ). QᵀQ = LLᵀ with triangular L:
    Gaussian below the diagonal, roots of χ² on it (Bartlett). So only d×d
    arrays are drawn. The square of the entries' mean is left out: about one
    part in nm.
    """
    rng = np.random.default_rng(32)
    Q, K = np.tril(rng.standard_normal((2, draws, d, d)), -1)
    for L, rows in ((Q, n), (K, m)):
        L[:, range(d), range(d)] = np.sqrt(
            rng.chisquare(rows - np.arange(d), (draws, d))
        )
    return np.sum((Q.mT @ K) ** 2, axis=(1, 2)) / (n * m)


@ledger.claim(
    "001-41",
    "question",
    "The question: why does the product of $Q$ and $K$ have the variance "
    "$d_k$?",
    says="d",
    question=True,
    settled="variance.md#the-square-term-by-term",
)
def why_the_variance_is_d():
    """Because each product of two coordinates has variance 1, and the variances
    of uncorrelated terms add up. For {= d } lopsided coordinates, {= values }
    scores with their chances, the variance comes out as {= variance :.0f }."""
    cases = []
    for d in (1, 2, 8, 64):
        values, chances = law_of_score(d)
        _, variance = moments(values, chances)
        cases.append(case(variance, within=1e-9 * d, d=d))
    return finding(*cases, d=d, values=len(values), variance=variance)


@ledger.claim(
    "001-01",
    "question",
    "One divides by the root of “the dimensionality of the matrix”",
    says="sqrt(shared)",
    reading="the dimension that a query and a key share",
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def which_dimension():
    """A matrix has two dimensions. The number of terms in a dot product is the
    one that both matrices share; its root is the standard deviation of a score,
    whatever the others are."""
    cases = []
    for n, d, m in ((1, 2, 3), (2, 3, 1), (1, 4, 1)):
        Q, K, chances = all_arrays(n, d, m)
        sd = np.sqrt(moments(Q @ K, chances)[1])
        cases.append(case(sd, queries=n, shared=d, keys=m))
    return finding(*cases)


@ledger.claim(
    "001-02",
    "question",
    "This gives the outputs' weights a standard deviation of 1",
    says="1",
    reading="the outputs are the scaled scores, of independent queries and "
    "keys of mean 0 and variance 1",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def spread_of_outputs():
    r"""If softmax's *weights* were meant, it would be another number: they lie
    between 0 and 1 and add up to 1 for each query. With $n = {= keys }$ keys
    their standard deviation is {= spread :.5f }, close to $\sqrt{e-1}/n$."""
    cases = []
    for d in (2, 16, 64):
        values, chances = law_of_score(d)
        scaled = np.sqrt(moments(values / np.sqrt(d), chances)[1])
        cases.append(case(scaled, within=ROUNDING))
    keys = 512
    square = np.mean(samples.draw(keys, 1) ** 2)
    return finding(*cases, keys=keys, spread=np.sqrt(square - 1 / keys**2))


@ledger.claim(
    "001-03",
    QUOTED,
    "If both have mean 0 and variance 1, their product has mean 0 and "
    "variance $d_k$",
    says="array([0, d])",
    needs="queries and keys are independent, and the coordinates of one of "
    "them are uncorrelated",
    same_need="independence",
    settled="variance.md#what-happens-when-an-assumption-fails",
)
def mean_and_variance():
    r"""“Mean 0 and variance 1” is not enough. If the coordinates of each
    vector are equal, the variance is $d_k^2$; if the key equals the query, the
    mean is $d_k$."""
    cases = [
        case(np.array(moments(*law_of_score(d))), within=ROUNDING, d=d)
        for d in (2, 3, 64)
    ]
    z, w = np.repeat(VALUES, 2), np.tile(VALUES, 2)
    equal = moments(3 * z * w, np.outer(CHANCES, CHANCES).ravel())
    same = 3 * np.array(moments(VALUES**2, CHANCES))  # k = q
    beyond = [
        case(np.array(law), within=ROUNDING, beyond=True, d=3)
        for law in (equal, same)
    ]
    return finding(*cases, *beyond)


@ledger.claim(
    "001-04",
    QUOTED,
    "Hence the root of $d_k$, “and not any other number”",
    says="sqrt(d)",
    needs="queries and keys are independent, and the coordinates of one of "
    "them are uncorrelated",
    same_need="independence",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def only_divisor():
    r"""No other positive number gives 1 then; at $d_k = 64$ it is
    {= divisor :.0f }. Another aim has another divisor: to hold the score of a
    key that equals its query, divide by $d_k$, as μP does [@yang2022]."""

    def divisor(d):
        values, chances = law_of_score(d)

        def excess(c):
            return moments(values / c, chances)[1] - 1

        return optimize.brentq(excess, 0.1, 100, xtol=1e-12)

    cases = [case(divisor(d), d=d) for d in (2, 16, 64)]
    length = 64 * (CHANCES @ VALUES**2)  # the mean of q·q
    return finding(*cases, case(length, beyond=True, d=64), divisor=divisor(64))


@ledger.claim(
    "001-05",
    QUOTED,
    "The result is “a gentler softmax”",
    says="all(scaled < bare)",
    theorem="divided by any number above 1, the largest of several unequal "
    "weights is smaller",
    settled="saturation.md#how-saturated-is-it-really",
)
def gentler():
    """In every draw the largest weight is smaller after the division. With 512
    keys at $d_k = 64$ it falls from {= bare :.2f } to {= scaled :.3f } on
    average. The number of keys that take part, one over the mean sum of squared
    weights, rises from {= alone :.1f } to {= shared :.0f }."""
    cases = []
    for keys in (2, 16, 512):  # one seed, so the same scores, divided or not
        bare, scaled = (samples.draw(keys, sd) for sd in (8, 1))
        cases.append(case(scaled=scaled[:, 0], bare=bare[:, 0]))
    return finding(
        *cases,
        bare=bare[:, 0].mean(),
        scaled=scaled[:, 0].mean(),
        shared=1 / np.mean(np.sum(scaled**2, axis=1)),
        alone=1 / np.mean(np.sum(bare**2, axis=1)),
    )


@ledger.claim(
    "001-06",
    "question",
    "Two 2×2 arrays gave a variance of 1.6",
    says="lower < 1.6 < upper",
    settled="variance.md#puzzle",
)
def an_ordinary_draw():
    r"""The code was a screenshot and is lost, but 1.6 is a result like any
    other. It lies in the middle half of them, for Gaussian arrays
    ({= variance/puzzle.percentile_of_1_6 :.0f }% give less) as for arrays
    standardised to mean 0 and variance 1
    ({= variance/puzzle.standardised_percentile :.0f }%). If the product was
    divided by $\sqrt2$ first, {= variance/puzzle.scaled_percentile :.1f }% of
    Gaussian ones give less."""
    cases = []
    Q, K = np.random.default_rng(6).standard_normal((2, 50_000, 2, 2))
    for standardised in (False, True):
        if standardised:
            Q, K = (
                (A - A.mean((1, 2), keepdims=True))
                / A.std((1, 2), keepdims=True)
                for A in (Q, K)
            )
        lower, upper = np.quantile(np.var(Q @ K, axis=(1, 2)), [0.25, 0.75])
        cases.append(case(lower=lower, upper=upper))
    return finding(*cases)


@ledger.claim(
    "001-07",
    "first answer",
    "The mean of a sum is the sum of the means",
    says="mean_x + mean_y",
    settled="variance.md#variance-from-the-beginning",
)
def means_add():
    """Means add whether or not $X$ and $Y$ are independent."""
    return finding(
        *(
            case(law @ (X + Y), within=ROUNDING, mean_x=law @ X, mean_y=law @ Y)
            for law in (INDEPENDENT, UNCORRELATED, DEPENDENT)
        )
    )


@ledger.claim(
    "001-08",
    "first answer",
    "The variance of a sum of independent variables is the sum of the "
    "variances",
    says="var_x + var_y",
    settled="variance.md#variance-from-the-beginning",
)
def variances_add():
    """It is enough that $X$ and $Y$ are uncorrelated."""
    cases = []
    for law in (INDEPENDENT, UNCORRELATED):
        var_x, var_y, both = (moments(v, law)[1] for v in (X, Y, X + Y))
        cases.append(case(both, within=ROUNDING, var_x=var_x, var_y=var_y))
    return finding(*cases)


@ledger.claim(
    "001-09",
    "first answer",
    "The mean of a product of independent variables is the product of the "
    "means",
    says="mean_x * mean_y",
    settled="variance.md#variance-from-the-beginning",
)
def means_multiply():
    """It is enough that $X$ and $Y$ are uncorrelated; that is what the word
    means."""
    return finding(
        *(
            case(law @ (X * Y), within=ROUNDING, mean_x=law @ X, mean_y=law @ Y)
            for law in (INDEPENDENT, UNCORRELATED)
        )
    )


@ledger.claim(
    "001-10",
    "first answer",
    "The variance of the product is the product of the mean squares, less "
    "the product of the squared means",
    says="(var_x + mean_x**2) * (var_y + mean_y**2) - mean_x**2 * mean_y**2",
    settled="variance.md#one-product",
)
def variance_of_product():
    """Found over all pairs of values of two such variables. Here
    “uncorrelated” would not do: for a pair that is only uncorrelated the
    formula gives {= formula :.2f }, and the variance is {= truth :.2f }."""
    (mean_x, var_x), (mean_y, var_y) = (
        moments(values, INDEPENDENT) for values in (X, Y)
    )
    names = {"mean_x": mean_x, "mean_y": mean_y, "var_x": var_x, "var_y": var_y}
    # UNCORRELATED has the same means and variances, so the same formula.
    independent, uncorrelated = (
        moments(X * Y, law)[1] for law in (INDEPENDENT, UNCORRELATED)
    )
    return finding(
        case(independent, within=ROUNDING, **names),
        formula=independent,
        truth=uncorrelated,
    )


@ledger.claim(
    "001-11",
    "first answer",
    "It takes two square arrays of $d_k$ rows, whose entries are independent",
    says="d",
    settled="variance.md#the-square-term-by-term",
)
def setting():
    """These assumptions are enough: every entry of the product has variance
    $d_k$, even if the entries of the factors differ in distribution. The arrays
    need not be square."""
    cases = []
    for n, d, m in ((1, 1, 1), (2, 2, 2), (2, 3, 1), (1, 4, 1)):
        Q, K, chances = all_arrays(n, d, m)
        mirror = 1 - 2 * (np.arange(n * d).reshape(n, d) % 2)  # 1, −1, 1, …
        cases.append(case(moments(Q * mirror @ K, chances)[1], d=d))
    return finding(*cases)


@ledger.claim(
    "001-12",
    "first answer",
    "It is enough to look at the first entry of the product",
    says="top_left",
    settled="variance.md#puzzle",
)
def one_entry_for_all():
    """All entries of the product have one distribution. But the variance of an
    entry is not `np.var` of the array, which is {= spread :.1f } on average for
    2×2 arrays instead of {= variance :.0f }."""
    Q, K, chances = all_arrays(2, 2, 2)
    S = Q @ K
    levels = np.unique(S)
    top_left, *others = (
        np.array([chances @ (S[:, i, j] == level) for level in levels])
        for i, j in product(range(2), repeat=2)
    )
    return finding(
        *(case(law, within=ROUNDING, top_left=top_left) for law in others),
        spread=chances @ np.var(S, axis=(1, 2)),
        variance=moments(levels, top_left)[1],
    )


@ledger.claim(
    "001-13",
    "first answer",
    r"This entry is $\sum Q_{1,i}K_{i,1}$ over $i$ from 0 to $d_k$",
    says="d + 1",
    rather="d",
    same_error="the sum from 0",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def terms_of_the_sum():
    """From 0 to $d_k$ there is one term too many, which changes the variance.
    The sum runs from 1: for arrays of ones every term is 1, and the product
    counts them."""
    return finding(
        *(case((np.ones((3, d)) @ np.ones((d, 3)))[0, 0], d=d) for d in (2, 64))
    )


@ledger.claim(
    "001-14",
    "first answer",
    "The product whose entries it takes is $QK$, without a transpose",
    says="transposed",
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def product_without_transpose():
    r"""Attention takes $QK^\top$. Here the missing transpose changes nothing of
    what is claimed: for square arrays whose entries are
    independent and of one distribution, both products have the same
    distribution. The check compares the chances of all {= outcomes } products
    of two 2×2 arrays."""
    Q, K, chances = all_arrays(2, 2, 2)
    laws = []
    for S in (Q @ K, Q @ K.mT):
        outcomes, which = np.unique(
            S.reshape(-1, 4), axis=0, return_inverse=True
        )
        weight = np.bincount(which.ravel(), chances)
        laws.append(np.column_stack([outcomes, weight]))
    return finding(
        case(laws[0], within=ROUNDING, transposed=laws[1]),
        outcomes=len(laws[0]),
    )


@ledger.claim(
    "001-15",
    "first answer",
    "Each term of the sum has mean 0 and variance 1",
    says="[0, 1]",
    settled="variance.md#one-product",
)
def one_term():
    """Found over all pairs of values, for coordinates with two values and with
    three, of mean 0 and variance 1."""
    cases = []
    three = np.sqrt(3) * np.array([-1, 0, 1]), np.array([1, 4, 1]) / 6
    for values, chances in ((VALUES, CHANCES), three):
        pairs = np.outer(VALUES, values).ravel()
        law = np.outer(CHANCES, chances).ravel()
        cases.append(case(np.array(moments(pairs, law)), within=ROUNDING))
    return finding(*cases)


@ledger.claim(
    "001-38",
    "first answer",
    "So the whole sum, from 0 to $d_k$, has mean 0",
    says="0",
    settled="variance.md#the-square-term-by-term",
)
def mean_of_the_sum():
    """Means add, and each is 0. So here it does no harm that the sum, as
    printed, has one term too many."""
    return finding(
        *(
            case(moments(*law_of_score(terms))[0], within=ROUNDING)
            for terms in (2, 3, 64, 65)
        )
    )


@ledger.claim(
    "001-16",
    "first answer",
    "The sum's variance is $d_k$",
    says="d",
    rather="d + 1",
    same_error="the sum from 0",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def variance_of_the_sum():
    """The sum as printed, which begins with 0, has the variance $d_k + 1$: at
    $d_k = 64$ it is {= printed :.0f }. It is the slip of
    [001-13](claims.md#001-13) once more, and no more than a slip: the words
    before it speak of “summing up $d_k$ of them”, and that sum has the variance
    $d_k$, {= meant :.0f }."""
    meant, printed = (moments(*law_of_score(terms))[1] for terms in (64, 65))
    return finding(
        case(moments(*law_of_score(3))[1], within=ROUNDING, d=2),
        case(printed, within=ROUNDING, d=64),
        meant=meant,
        printed=printed,
    )


@ledger.claim(
    "001-17",
    "first answer",
    "The code takes a dot product of two arrays, and should multiply them "
    "as matrices",
    says="norm(dot - multiplied) > 0",
    withdrawn=True,
    settled="variance.md#puzzle",
)
def dot_or_multiplication():
    """`np.dot` of two-dimensional arrays is their matrix product, entry for
    entry. The answer's last line takes this back."""
    rng = np.random.default_rng(17)
    cases = []
    for n, d, m in ((2, 2, 2), (5, 3, 4)):
        a, b = rng.integers(-9, 10, (n, d)), rng.integers(-9, 10, (d, m))
        cases.append(case(dot=np.dot(a, b), multiplied=a @ b))
    return finding(*cases)


@ledger.claim(
    "001-18",
    "first answer",
    "The multiplication “doesn't actually do dot product”",
    says="queries * keys",
    reading="the product is not one dot product but many, one for each query "
    "and each key",
    withdrawn=True,
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def many_dot_products():
    r"""Every entry of $QK^\top$ is one: of a row of $Q$ and a row of $K$. The
    check counts the entries that are. The answer's last line takes back the
    whole paragraph, and this with it."""
    rng, cases = np.random.default_rng(18), []
    for queries, keys in ((3, 5), (7, 2)):
        Q = rng.integers(-9, 10, (queries, 4))
        K = rng.integers(-9, 10, (keys, 4))
        S = Q @ K.T
        found = sum(
            S[i, j] == sum(a * b for a, b in zip(q, k, strict=True))
            for i, q in enumerate(Q)
            for j, k in enumerate(K)
        )
        cases.append(case(found, queries=queries, keys=keys))
    return finding(*cases)


@ledger.claim(
    "001-19",
    "first answer",
    "The corrected code should give “unit variance”",
    says="1",
    rather="d * (1 - 1 / (n * m)) / divisor**2",
    withdrawn=True,
    settled="variance.md#puzzle",
)
def mean_of_np_var():
    r"""For 2×2 arrays `np.var` of the product is {= bare :.2f } on average, and
    {= divided :.2f } after division by $\sqrt2$: it measures the spread about
    the entries' own mean, which moves with them. (The answer's last line
    takes this back too.)"""
    cases = []
    for n, d, m in ((2, 3, 1), (1, 2, 3), (2, 2, 2)):
        Q, K, chances = all_arrays(n, d, m)
        bare = chances @ np.var(Q @ K, axis=(1, 2))
        divided = chances @ np.var(Q @ K / np.sqrt(d), axis=(1, 2))
        shape = {"n": n, "d": d, "m": m}
        cases += [
            case(bare, within=ROUNDING, **shape, divisor=1),
            case(divided, within=ROUNDING, **shape, divisor=np.sqrt(d)),
        ]
    return finding(*cases, bare=bare, divided=divided)


@ledger.claim(
    "001-39",
    "first answer, last line",
    "The last paragraph is taken back",
    says="norm(dot - multiplied) < abs(average - 1)",
    settled="variance.md#puzzle",
)
def correction():
    """It is, in both points: the two products differ by {= differ :.0f }, and
    the average variance of 2×2 arrays after division is {= average :.2f }, not
    1. So we do not count the paragraph as wrong."""
    Q, K, chances = all_arrays(2, 2, 2)
    average = chances @ np.var(Q @ K / np.sqrt(2), axis=(1, 2))
    dot, multiplied = np.dot(Q[9], K[5]), Q[9] @ K[5]
    names = {"dot": dot, "multiplied": multiplied, "average": average}
    differ = np.linalg.norm(dot - multiplied)
    return finding(case(**names), differ=differ, average=average)


@ledger.claim(
    "001-20",
    "first answer, last line",
    "For these arrays the two operations are one",
    says="dot",
    settled="variance.md#puzzle",
)
def dot_is_multiplication():
    """For two-dimensional arrays NumPy's `dot` and `matmul` agree, and agree
    with the sum written out. The asker had pointed it out, in
    [001-40](claims.md#001-40). For two stacks of {= stack } arrays they do not:
    `matmul` gives {= stack } products, `dot` {= pairs }."""
    rng = np.random.default_rng(20)
    cases = []
    for n, d, m in ((2, 2, 2), (5, 3, 4)):
        a, b = rng.integers(-9, 10, (n, d)), rng.integers(-9, 10, (d, m))
        for route in (np.matmul(a, b), np.einsum("id,dj->ij", a, b)):
            cases.append(case(route, dot=np.dot(a, b)))
    many = np.ones((3, 2, 2))
    pairs = np.dot(many, many).size // many[0].size
    return finding(*cases, stack=len(many), pairs=pairs)


@ledger.claim(
    "001-40",
    "comment on the first answer",
    "By its documentation `np.dot` does in two dimensions what `np.matmul` "
    "does",
    says="dot",
    settled="variance.md#puzzle",
)
def dot_and_matmul():
    """For arrays of two dimensions it is, and for arrays of one. The asker read
    so in NumPy's manual, and the answer was corrected."""
    rng, cases = np.random.default_rng(40), []
    for shapes in (((2, 2), (2, 2)), ((5, 3), (3, 4)), ((4,), (4,))):
        a, b = (rng.integers(-9, 10, shape) for shape in shapes)
        cases.append(case(np.matmul(a, b), dot=np.dot(a, b)))
    return finding(*cases)


@ledger.claim(
    "001-43",
    "comment on the first answer",
    "“Maybe dimension=2 is too small?”",
    says="deviation > abs(1.6 - average)",
    question=True,
    settled="variance.md#puzzle",
)
def too_small():
    r"""Yes: this is why 1.6 needs no explanation. Over {= draws :,} pairs of
    2×2 Gaussian arrays, in this draw, `np.var` of the product averages
    {= average :.2f }, and its standard deviation is {= deviation :.1f }. So 1.6 lies well
    within the scatter, as does 3."""
    draws = 50_000
    Q, K = np.random.default_rng(43).standard_normal((2, draws, 2, 2))
    variances = np.var(Q @ K, axis=(1, 2))
    average, deviation = variances.mean(), variances.std()
    return finding(
        case(average=average, deviation=deviation),
        draws=draws,
        average=average,
        deviation=deviation,
    )


@ledger.claim(
    "001-21",
    "comment on the first answer",
    "A sample variance scatters less in larger dimensions",
    says="larger < smaller",
    needs="only the numbers of queries and of keys grow, or the scores are "
    "divided by $\\sqrt{d_k}$",
    settled="variance.md#larger-arrays",
)
def scatter_of_np_var():
    r"""With $d_k = 2$ kept, and undivided, the variance of `np.var` falls from
    {= kept[2] :.1f } for 2 queries and keys to {= kept[16] :.2f } for 16. If
    $d_k$ grows along, it falls only after division: for $n\times n$ arrays the
    standard deviation is then about $\sqrt6/n$,
    {= variance/bias.relative_sd[2] :.0%} at 2 and
    {= variance/bias.relative_sd[16] :.0%} at 16. Undivided, the variance grows,
    from {= variance/bias.variance[2] :.2f } at 2 to
    {= variance/bias.variance[128] :.2f } at 128."""
    rng = np.random.default_rng(21)
    share, varies, kept = {}, {}, {}
    for n, draws in ((2, 200_000), (4, 50_000), (8, 10_000), (16, 4000)):
        Q, K = rng.standard_normal((2, draws, n, n))
        share[n] = np.std(np.var(Q @ K, axis=(1, 2))) / n
        few = np.var(Q[:, :, :2] @ K[:, :2], axis=(1, 2))  # d = 2
        square = (few - few.mean()) ** 2
        kept[n] = samples.mean_and_error(square)
        varies[n] = kept[n][0]
    falls = [
        case(larger=of[2 * n], smaller=of[n])
        for of in (share, varies)
        for n in (2, 4, 8)
    ]
    bare = case(beyond=True, larger=4 * share[4], smaller=2 * share[2])
    return finding(*falls, bare, kept=kept)


@ledger.claim(
    "001-22",
    "second answer",
    "A score's variance is $d_k$, and its standard deviation the root",
    says="array([d, sqrt(d)])",
    needs="queries and keys are independent, and the coordinates of one of "
    "them are uncorrelated",
    same_need="independence",
    settled="variance.md#what-happens-when-an-assumption-fails",
)
def variance_and_root():
    """The answer assumes zero mean and unit deviation only. Pairs of
    coordinates that cancel, $q = (z, z)$ and $k = (w, -w)$, satisfy this, and
    the score is always 0."""
    cases = []
    for d in (2, 16, 64):
        variance = moments(*law_of_score(d))[1]
        found = np.array([variance, np.sqrt(variance)])
        cases.append(case(found, within=ROUNDING, d=d))
    z, w = np.repeat(VALUES, 2), np.tile(VALUES, 2)
    cancelling = np.std(z * w - z * w)
    return finding(*cases, case(np.zeros(2) + cancelling, beyond=True, d=2))


@ledger.claim(
    "001-23",
    "second answer",
    "That queries and keys have variance 1 is “safe to assume”: the layer's "
    "weights should start so that variance is kept",
    says="1",
    settled="scales.md#is-it-safe-to-assume-unit-variance",
)
def initialisations():
    """If the weights preserve the variance, as the answer asks, it is. That
    takes a variance of one over the width (LeCun's rule). Many libraries draw
    them otherwise, and then the variance of a query's coordinate is
    {= scales/audit.var_q['Xavier, one head'] :.2f } (Xavier, one head),
    {= scales/audit.var_q['Xavier, fused'] :.2f } (PyTorch's attention),
    {= scales/audit.var_q['nn.Linear'] :.2f } (its linear layer) or
    {= scales/audit.var_q['GPT-2'] :.2f } (GPT-2)."""
    rng, heads, cases = np.random.default_rng(23), 4000, []
    for width, weights in (
        (512, rng.normal(0, 512**-0.5, (heads, 512))),
        (768, uniform(rng, 3 / 768, (heads, 768))),
    ):
        token = rng.standard_normal(width)
        token = (token - token.mean()) / token.std()
        square = (weights @ token) ** 2
        error = square.std() / np.sqrt(heads)
        cases.append(case(square.mean(), within=4 * error))
    return finding(*cases)


@ledger.claim(
    "001-24",
    "second answer",
    "A normalising layer, such as LayerNorm, gives the input variance 1",
    says="1",
    needs="the variance is that over the coordinates of one token",
    settled="scales.md#what-layernorm-gives-and-what-it-does-not",
)
def layer_normalisation():
    """LayerNorm [@ba2016], without its gain and its ε, makes that exactly 1.
    The variance of one coordinate over tokens can be anything: of the four in
    our example two never vary."""
    tokens = np.array([[3.0, 1, 5, 4], [3, 1, 4, 5], [3, 1, 5, 4]])
    tokens -= tokens.mean(axis=1, keepdims=True)
    tokens /= np.sqrt(np.mean(tokens**2, axis=1, keepdims=True))
    per_token, over_tokens = tokens.var(axis=1), tokens.var(axis=0)
    return finding(
        case(per_token, within=ROUNDING),
        case(over_tokens, within=ROUNDING, beyond=True),
    )


@ledger.cited(
    "001-25",
    "second answer",
    "The weights $W_Q$ and $W_K$ should start so that they keep the variance",
    kind="opinion",
    settled="scales.md#is-it-safe-to-assume-unit-variance",
)
def preserved_variance():
    """Advice, and sound. Weights of mean 0 and a variance of one over the width
    do it. Which libraries follow it, [001-23](claims.md#001-23) tells."""


@ledger.claim(
    "001-42",
    "second answer",
    "“But why do we want unit variance at all?”",
    says="n * exp(-1)",
    question=True,
    settled="saturation.md#how-saturated-is-it-really",
)
def why_unit_variance():
    r"""Not for its own sake: any fixed variance would keep softmax the same in
    heads of every size. At 1, of many keys one in $e$ takes part; of {= n }
    keys that is {= unit :.0f } in this draw. At a variance of 4 it would be
    {= four :.0f }."""
    n = 512

    def taking_part(sd):  # 1/E Σ p², and its error
        square = np.sum(samples.draw(n, sd) ** 2, axis=1)
        mean, error = samples.mean_and_error(square)
        return 1 / mean, error / mean**2

    (unit, error), (four, _) = taking_part(1), taking_part(2)
    # For so many keys e is right to within a hundredth or so.
    return finding(
        case(unit, within=5 * error + 0.02 * n / np.e, n=n),
        n=n,
        unit=unit,
        four=four,
    )


@ledger.claim(
    "001-26",
    "second answer",
    "Undivided, softmax would give “all of the weight” to one element that "
    "chance picks, and none to the others",
    says="[1, 0]",
    needs="only two or three keys compete, or $d_k$ is in the thousands, and a "
    "typical row is meant",
    same_need="few keys, or large heads",
    settled="saturation.md#how-saturated-is-it-really",
)
def all_of_the_weight():
    """At $d_k = 64$ the largest of three weights exceeds {= typical[3] :.3f }
    in half of all rows, the largest of 512 only
    {= typical[512] :.2f }. It is above 0.99 with probability
    {= saturation/certainty.at_64[3] :.2f } for three keys and
    {= saturation/certainty.at_64[512] :.2f } for 512."""
    cases, typical = [], {}
    for keys, d in ((2, 64), (3, 64), (512, 1024), (512, 64)):
        weights = samples.draw(keys, np.sqrt(d), 14 if keys > 100 else 16)
        median = np.median(weights[:, :2], axis=0)  # of the largest, the next
        beyond = (keys, d) == (512, 64)
        cases.append(case(median, within=0.01, beyond=beyond))
        typical[keys] = median[0]
    return finding(*cases, typical=typical)


@ledger.claim(
    "001-27",
    "second answer",
    r"A standard deviation of 1 is why one divides by $\sqrt{d_k}$",
    says="sqrt(d)",
    needs="queries and keys are independent, and the coordinates of one of "
    "them are uncorrelated",
    same_need="independence",
    settled="variance.md#from-the-variance-to-the-divisor",
)
def unit_deviation():
    r"""Drawn for Gaussian coordinates. If the key equals the query, the
    standard deviation is $\sqrt{2d_k}$: {= same :.1f } at $d_k = 64$."""
    rng, cases = np.random.default_rng(27), []
    for d in (16, 64):
        q, k = rng.standard_normal((2, 20_000, d))
        sd, error = deviation_and_error(np.sum(q * k, axis=1))
        cases.append(case(sd, within=5 * error, d=d))
    same = stats.chi2(d).std()  # the distribution of q·q
    cases.append(case(same, beyond=True, d=d))
    return finding(*cases, same=same)


@ledger.claim(
    "001-28",
    "comment on the second answer",
    "Xavier's rule makes the variance of the weight matrix about 1",
    says="1",
    needs="the matrix has about as many outputs as inputs",
    reading="it is what comes out of the weight matrix that has unit variance",
    settled="scales.md#is-it-safe-to-assume-unit-variance",
)
def variance_of_outputs():
    """Xavier's weights have variance 2/(inputs + outputs) [@glorot2010], far
    below 1, and what comes out has the number of inputs times that: for 512
    inputs {= out[512] :.2f } with as many outputs, {= out[64] :.2f } with 64,
    and {= out[1536] :.2f } with 1536."""
    rng, cases, out = np.random.default_rng(28), [], {}
    token = rng.standard_normal(512)
    token = (token - token.mean()) / token.std()
    for outputs in (512, 64, 1536):
        bound = np.sqrt(6) / np.sqrt(512 + outputs)
        out[outputs] = bound**2 / 3 * np.sum(token**2)  # of each: bound²/3
        square = (rng.uniform(-bound, bound, (8000, 512)) @ token) ** 2
        found, error = samples.mean_and_error(square)
        cases.append(case(found, within=4 * error, beyond=outputs != 512))
    return finding(*cases, out=out)


@ledger.claim(
    "001-29",
    "third answer",
    "An experiment of one's own, on larger arrays, is to explain the 1.6",
    says="d",
    reading="what the experiment is to show is the rule that the thread is "
    "about: the variance is the shared dimension, here 111",
    settled="variance.md#experiment",
)
def one_large_experiment():
    """Its result, 110.56, is within the scatter of such experiments, whose
    standard deviation is {= scatter :.1f }. Why 2×2 arrays gave 1.6 it cannot
    show: what lowers `np.var` for these by {= small :.0%} on average lowers it
    here by one part in {= entries :,d }."""
    Q, K, chances = all_arrays(2, 2, 2)
    small = 1 - chances @ np.var(Q @ K, axis=(1, 2)) / 2
    scatter = large_products().std()
    return finding(
        case(110.5603610976103, within=4 * scatter, d=111),
        small=small,
        entries=1111 * 1111,
        scatter=scatter,
    )


@ledger.claim(
    "001-30",
    "third answer, output",
    "Variance of the first array: 0.9998308190814476",
    says="0.9998308190814476",
    settled="variance.md#experiment",
)
def variance_of_a():
    """Without its seed the run cannot be repeated, but this is an ordinary
    result for independent Gaussian entries: {= below :.2f } standard deviations
    below the mean of all results."""
    law = law_of_np_var(1111 * 111)
    return finding(
        case(law.mean(), within=4 * law.std()),
        below=(law.mean() - 0.9998308190814476) / law.std(),
    )


@ledger.claim(
    "001-31",
    "third answer, output",
    "Variance of the second: 0.9957289239999045",
    says="0.9957289239999045",
    settled="variance.md#experiment",
)
def variance_of_b():
    """An ordinary result for independent Gaussian entries too:
    {= below :.2f } standard deviations below the mean of all results."""
    law = law_of_np_var(111 * 1111)
    return finding(
        case(law.mean(), within=4 * law.std()),
        below=(law.mean() - 0.9957289239999045) / law.std(),
    )


@ledger.claim(
    "001-32",
    "third answer, output",
    "Variance of their product: 110.5603610976103",
    says="110.5603610976103",
    settled="variance.md#experiment",
)
def variance_of_product_array():
    """Expected is {= variance/experiment.expected :.4f } with standard
    deviation {= variance/experiment.sd :.2f } ({= sd :.1f } in {= draws }
    repetitions). The result is consistent with that: it lies
    {= variance/experiment.low :.1f } standard deviations below. If all
    entries were independent it would be
    {= variance/experiment.iid_low :.1f }, which is far; but those of a row
    share a vector."""
    products = large_products()
    found = case(products.mean(), within=4 * products.std())
    return finding(found, sd=products.std(), draws=len(products))


@ledger.claim(
    "001-33",
    "third answer, output",
    r"Variance of the product divided by $\sqrt{111}$: 0.9960392891676604",
    says="0.9960392891676604",
    settled="variance.md#experiment",
)
def variance_of_scaled_array():
    r"""It is the number before, divided by 111, to the last digit: dividing all
    entries by $\sqrt{111}$ does nothing else to their variance."""
    rounding = 1e-16  # of the printed digits
    return finding(case(110.5603610976103 / 111, within=rounding))


@ledger.claim(
    "001-34",
    "third answer",
    "After the division the variance comes “(close to) 1”",
    says="1",
    settled="variance.md#experiment",
)
def close_to_one():
    """In the {= draws } repetitions of this draw it lies between
    {= lowest :.3f } and {= highest :.3f }. Its standard deviation is
    {= variance/experiment.relative_sd :.4f }."""
    scaled = large_products() / 111
    return finding(
        case(scaled, within=5 * scaled.std()),
        draws=len(scaled),
        lowest=scaled.min(),
        highest=scaled.max(),
    )


@ledger.cited(
    "001-36",
    "fourth answer",
    "One might try it on two small arrays that have mean 0 and variance 1",
    kind="opinion",
    settled="variance.md#puzzle",
)
def small_arrays():
    """Advice. What it brought is in [001-37](claims.md#001-37)."""


@ledger.claim(
    "001-35",
    "fourth answer",
    "The dimension of $K$ scales $Q$, and the variance with it",
    says="times",
    reading="the variance of a score grows by the same factor as the dimension "
    "that queries and keys share",
    settled="variance.md#what-is-divided-and-by-which-dimension",
)
def dimension_scales_variance():
    """It is the number of terms that are added up. How many queries or keys
    there are changes nothing, and no number scales $Q$."""

    def variance(n, d, m):
        Q, K, chances = all_arrays(n, d, m)
        return np.ravel(moments(Q @ K, chances)[1])

    one = variance(1, 1, 1)[0]
    return finding(
        *(
            case(variance(n, times, m) / one, queries=n, keys=m, times=times)
            for n, times, m in ((3, 2, 1), (1, 3, 2), (1, 4, 1))
        )
    )


@ledger.claim(
    "001-37",
    "reply to the fourth answer",
    "Tried so, “it does not come out as expected”",
    says="average < expected",
    reading="for two 2×2 arrays `np.var` of the product does not come out as "
    "$d_k = 2$, not even on average",
    settled="variance.md#puzzle",
)
def not_as_expected():
    """The observation is right: on average it is {= average :.1f }. `np.var`
    measures the spread about the mean of the four entries, which moves with
    them. In single runs it scatters widely besides. Nor does it help to bring
    the four numbers of each array to mean 0 and variance 1: over all orders of
    the entries the average is then {= exact :.3f }, or 16/9, whatever numbers
    they are."""
    Q, K, chances = all_arrays(2, 2, 2)
    average = chances @ np.var(Q @ K, axis=(1, 2))
    numbers = np.array([0, 1, 3, 7.5])
    numbers = (numbers - numbers.mean()) / numbers.std()
    arrays = numbers[list(permutations(range(4)))].reshape(-1, 2, 2)
    exact = np.var(arrays[:, None] @ arrays, axis=(2, 3)).mean()
    cases = (case(average=found, expected=2) for found in (average, exact))
    return finding(*cases, average=average, exact=exact)


claims = ledger.judge()
