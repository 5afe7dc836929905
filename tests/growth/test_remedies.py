"""The remedies side by side, from what is stored, read by other code."""

import numpy as np
from scipy.stats import ttest_1samp

from tests.growth.by_seed import GROWTH, by_seed
from tests.tolerance import close, mean_and_error


def test_sizes_over_steps_and_at_the_end(snippet):
    page = snippet("growth/remedies")
    for (optimizer, remedy), found in page.end.items():
        for what in GROWTH:
            sizes = by_seed(what, optimizer, 1000, remedy)
            assert len(sizes) == page.seeds == 3
            assert close(found[what], mean_and_error(sizes))
            every = [by_seed(what, optimizer, step, remedy).mean() for step in page.steps]
            assert close(page.over[optimizer, remedy][what], every)
        apart = by_seed("loss", optimizer, 1000, remedy) - by_seed("loss", optimizer, 1000)
        assert close(found["above"], mean_and_error(apart))
        if remedy in page.less:
            assert close(page.less[remedy][0], -page.end["Muon", remedy]["above"][0])
            assert close(page.less[remedy][1], page.end["Muon", remedy]["above"][1])
        if remedy != "none":
            other = by_seed("loss", optimizer, 1000, remedy) - np.roll(
                by_seed("loss", optimizer, 1000), 1
            )
            assert not close(found["above"][1], mean_and_error(other)[1], 1e-4), "unpaired"


def upper_end(remedy):
    """Give the end of the 95 per cent interval of what a remedy costs with Adam."""
    apart = by_seed("loss", "Adam", 1000, remedy) - by_seed("loss", "Adam", 1000)
    return ttest_1samp(apart, 0).confidence_interval(0.95).high


def test_what_the_text_says_of_the_set_up(snippet, measure, transformer):
    page = snippet("growth/remedies")
    said = (page.decay, page.window, page.width)
    assert said == (transformer.DECAY, transformer.LENGTH, page.d * transformer.HEADS)
    assert close(
        [page.begin, page.divisor], [transformer.divisor(x, page.d) for x in ("none", "1/d")]
    )
    apart = [
        by_seed("loss", "Adam", page.last_step, x).mean() - by_seed("loss", "Adam", 1000).mean()
        for x in ("QK-clip", "soft cap", "QK-norm")
    ]
    assert close(page.same, max(map(abs, apart)))
    assert close(page.unseen, max(map(upper_end, page.bounds)))
    assert not close(page.unseen, page.same, 1e-3), "a mean is no bound"
    assert transformer.CAP == transformer.CLIP == 20
