"""What each measure leaves of the harm, from what is stored, by other code."""

import numpy as np

from tests.growth.test_path_or_size import above, column
from tests.tolerance import close


def test_what_is_left(snippet):
    page = snippet("growth/left")
    for optimizer, found in page.part.items():
        whole = above("plain", optimizer).mean()
        for arm, part, error in zip(page.shown, found, page.error[optimizer], strict=True):
            mine = above(arm, optimizer)
            assert close(part, mine.mean() / whole, 1e-9), arm
            assert close(error, np.std(mine, ddof=1) / 2 / whole, 1e-9), arm
        late = column("loss", "cap 9", optimizer, 300).mean() / whole
        assert not close(found[7], late, 1e-2), "the wrong step"
    assert close(
        page.part["Muon"],
        list(map(snippet("growth/path_or_size").left.get, [("Muon", arm) for arm in page.shown])),
        1e-9,
    )
