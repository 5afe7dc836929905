"""The remedies at three widths, from what is stored, read by other code."""

import numpy as np

from tests.conftest import stored_rows
from tests.growth.by_seed import by_seed
from tests.tolerance import close, mean_and_error


def test_logits_and_losses_at_the_end(snippet):
    page = snippet("growth/widths")
    assert page.last == 1000
    for optimizer, remedy, d in page.loss:
        same = "none" if (remedy, d) == ("1/d", 64) else remedy
        sizes, losses = (by_seed(what, optimizer, 1000, same, d) for what in ("largest", "loss"))
        assert len(losses) == page.seeds == 3
        assert close(page.largest[optimizer, remedy, d], mean_and_error(sizes))
        assert close(page.loss[optimizer, remedy, d], mean_and_error(losses))
        if d == 64:
            narrow = by_seed("loss", optimizer, 1000, remedy, 32)
            assert close(page.wider[optimizer, remedy], mean_and_error(narrow - losses))


def test_losses_at_the_best_rate(snippet):
    page = snippet("growth/widths")
    for optimizer, d in page.gain:
        found = {}
        for remedy in ("none", "QK-norm"):
            run = {"optimizer": optimizer, "remedy": remedy, "d": str(d), "step": "1000"}
            rates = {row["rate"] for row in stored_rows("growth", "growth.csv", **run)}
            losses = [by_seed("loss", optimizer, 1000, remedy, d, rate) for rate in rates]
            found[remedy] = min(losses, key=sum)
            if d == 64:
                column = 1 + page.two.index((optimizer, remedy))
                shown = {row[0]: row[column] for row in page.table if row[column]}
                said = [
                    "{:.3f} ± {:.3f}".format(*mean_and_error(x))
                    for _, x in sorted(
                        zip(map(float, rates), losses, strict=True), key=lambda x: x[0]
                    )
                ]
                assert [*shown.values()] == said
        assert close(page.gain[optimizer, d], mean_and_error(found["none"] - found["QK-norm"]))
        at_one = by_seed("loss", optimizer, 1000, d=d) - by_seed(
            "loss", optimizer, 1000, "QK-norm", d
        )
        assert d == 16 or not close(page.gain[optimizer, d][0], np.mean(at_one), 1e-3)
