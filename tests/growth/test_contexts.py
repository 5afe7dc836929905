"""Factors for longer contexts, by softmax itself; the scales of other heads."""

import math

import numpy as np
from scipy import special
from scipy.optimize import brentq

from tests.tolerance import close


def best_of(n, lead):
    z = np.zeros(n)
    z[0] = lead
    return special.softmax(z)[0]


def test_contexts(snippet):
    page = snippet("growth/contexts")
    n = 131072
    assert close(page.at["Llama 4"], 1 + 0.1 * math.log(1 + n // 8192))
    assert (page.longer, page.many) == (16, n)
    assert close(page.at["YaRN"], (0.4 * math.log(2) + 1) ** 2)
    assert close(page.at["ln n, to keep a half"], 17 / 13)
    # The lead with which a key has half of the weight among 8192, with Llama 4's factor there.
    factors = {"stays": 1 + 0.1 * math.log(2), "grows": 1 + 0.1 * math.log(17)}
    lead = brentq(lambda x: best_of(8192, factors["stays"] * x) - 0.5, 1, 20)
    for name, factor in factors.items():
        assert close(page.left_of_half[name], best_of(n, factor * lead))
        assert not close(page.left_of_half[name], best_of(n, factor * math.log(8191)), 0.01)
    assert close(page.slope, 1 / (13 * math.log(2)))
    for keys in (8192, n, 2**20):
        assert close(page.best[keys], best_of(keys, math.sqrt(128)))
    gained = page.ceiling * (1 + page.more_gain) ** 2
    assert close(best_of(n, gained), page.best[8192])
    assert not close(best_of(n, gained * 17 / 13), page.best[8192], 0.01)
    # Beyond 1/s one key wins as keys are added, below it none does.
    for lead, grows in ((page.stands_out + 0.04, True), (page.stands_out - 0.04, False)):
        few, many = (best_of(m, page.s * math.log(m) * lead) for m in (10**3, 10**6))
        assert (many > few) == grows


def test_heads(snippet):
    page = snippet("growth/contexts")
    assert close(page.mla * page.mla_divisor, 1)
    assert close(page.mla, math.exp(2 * math.log1p(0.1 * math.log(40))) * 192**-0.5)
    assert close(page.group**2, page.gamma)
    for layer, left in page.left.items():
        first, second = special.softmax(np.random.default_rng(0).standard_normal((2, 9)), axis=1)
        factor = 0.8 - 0.6 * math.exp(-0.3 * layer)
        assert close((first - factor * second).sum(), left)
