"""How far the largest logit is ahead of the spread, from what is stored."""

from statistics import geometric_mean

from tests.growth.by_seed import by_seed
from tests.tolerance import close, mean_and_error


def test_the_ratio_and_its_factors(snippet):
    page = snippet("growth/runs_ahead")
    for optimizer, found in page.ratio.items():
        parts = {name: [by_seed(name, optimizer, step) for step in found] for name in page.parts}
        for i, (step, ratio) in enumerate(found.items()):
            head, long, direct = (parts[name][i] for name in ("head", "long", "direct"))
            assert close(ratio, mean_and_error(head * long * direct))
            assert not close(ratio[0], (head * long).mean(), 0.1)
            # The largest logit, as it is, is near: the mean of its row is small against it.
            largest = by_seed("largest", optimizer, step) / by_seed("spread", optimizer, step)
            assert 0.6 < largest.mean() / ratio[0] < 1.5
        for i, step in enumerate(found):
            for name, sizes in parts.items():
                times = geometric_mean(sizes[i] / sizes[0])
                assert close(page.over[optimizer][name][i], times), (step, name)
