"""What the spread of the logits is made of, from what is stored."""

import numpy as np

from tests.growth.by_seed import PRINTED, by_seed
from tests.tolerance import close, mean_and_error


def test_the_factors_make_the_spread(snippet):
    page = snippet("growth/what_grows")
    for optimizer, found in page.over.items():
        for i, step in enumerate(page.steps):
            now, first = by_seed("spread", optimizer, step), by_seed("spread", optimizer, 0)
            assert close(found["spread"][i], np.mean(now / first))
            names = ("lengths", "frobenius", "alignment")
            lengths, weights, alignment = (by_seed(name, optimizer, step) for name in names)
            assert close(lengths * alignment / now, 1, PRINTED)
            assert close(lengths / weights * weights * alignment / now, 1, PRINTED)
            share = by_seed("largest", optimizer, step) / by_seed("bound", optimizer, step)
            assert close(page.used[optimizer][i], share.mean())
            assert share.max() < 1
            assert len(share) == page.seeds


def test_how_much_each_has_grown(snippet):
    page = snippet("growth/what_grows")
    for optimizer, found in page.grown.items():
        for name in ("alignment", "spectral_q", "spectral_k", "product"):
            times = by_seed(name, optimizer, 1000) / by_seed(name, optimizer, 0)
            assert close(found[name], mean_and_error(times))
        times = [
            by_seed("lengths", optimizer, at) / by_seed("frobenius", optimizer, at)
            for at in (0, 1000)
        ]
        assert close(found["tokens"], mean_and_error(times[1] / times[0]))
        assert not close(found["tokens"][0], (times[0] / times[1]).mean(), 0.1)


def test_the_share_of_the_weights(snippet):
    page = snippet("growth/what_grows")
    for (optimizer, rate), share in page.share.items():
        weights, spread = (
            np.log(by_seed(name, optimizer, 1000, rate=rate) / by_seed(name, optimizer, 0))
            for name in ("frobenius", "spread")
        )
        assert close(share, (weights / spread).mean(), PRINTED)
        lengths = np.log(
            by_seed("lengths", optimizer, 1000, rate=rate) / by_seed("lengths", optimizer, 0)
        )
        assert close(page.longer[optimizer, rate], (lengths / spread).mean(), PRINTED)
