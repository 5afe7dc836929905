"""The logits of the small transformer over widths, from what is stored."""

from inspect import signature

import numpy as np

from tests.tolerance import close, mean_and_error
from tests.training.tables import DIMS, PRINTED, mean, slopes


def test_the_logits_over_widths(snippet, runs):
    page = snippet("training/transformer_check")
    assert {step: tuple(dims) for step, dims in page.dims.items()} == DIMS
    for how, fit in page.fit.items():
        for step, dims in DIMS.items():
            sizes = [mean(runs, "spread", *how, step, d) for d in dims]
            if (how[1], step) == ("0", 0):
                assert not any(sizes)
                assert 0 not in page.mean[how]
                continue
            assert close(page.mean[how][step], sizes)
            assert close(fit[step], mean_and_error(slopes(runs, "spread", *how, step)))
            wrong = slopes(runs, "spread", *how, 200 if step == 50 else 50)
            assert not close(fit[step], mean_and_error(wrong), PRINTED)
    for step, found in page.loss.items():
        losses = [mean(runs, "loss", *how, step, d) for how in page.fit for d in DIMS[step]]
        assert close(found, np.mean(losses))
        assert not close(found, np.mean(losses[1:]), 1e-5), "without one width"


def test_the_exponents_at_each_learning_rate(snippet, runs):
    page = snippet("training/transformer_check")
    for what, found in page.by_rate.items():
        for how, fitted in found.items():
            for rate, slope in zip(page.rates, fitted, strict=True):
                at = (runs, what, *how, 50)
                assert close(slope, slopes(*at, rate=f"{rate:g}").mean())
                wrong = slopes(*at, rate=f"{rate:g}", dims=(32, 16, *DIMS[50][2:])).mean()
                assert not close(slope, wrong, 1e-4)
    moved, spread = page.by_rate["moved"], page.by_rate["spread"]
    for scale, last in (("8/d", 5), ("1/√d", 4)):
        both = sorted(moved[scale, "0"] + moved[scale, "random"])
        assert close(page.moved[scale], [both[0], both[-1]])
        assert not close(page.moved[scale], sorted(moved[scale, "0"])[::4], 1e-3), "one start"
        every = sorted(spread[scale, "0"][:last] + spread[scale, "random"][:last])
        assert close(page.logits[scale], [every[0], every[-1]])
    assert page.at_last["0"] == spread["1/√d", "0"][4] < page.logits["1/√d"][0]


def test_how_much_is_read(snippet, transformer, measure):
    page = snippet("training/transformer_check")
    assert page.window == transformer.LENGTH
    assert close(np.exp(page.freezes**2 / 2), page.window)
    sequences = signature(transformer.train).parameters["sequences"].default
    trained_on, _ = measure.split(bytes(page.text_bytes))
    read = page.steps[-1] * sequences * transformer.LENGTH
    assert close(page.read_share, read / len(trained_on), 1e-5)
    assert not close(page.read_share, read / page.text_bytes, 1e-5), "with what is held out"
