"""What another scale does, from the stored table by other code."""

import numpy as np

from tests.tolerance import close
from tests.trained.tables import rows, stated

MEASURES = {"cosine": "cosine", "neighbour": "same_neighbour", "paraphrase": "same_meaning"}
TIMES = {"0": 0, "1/d": 32**-0.5, "1/(2√d)": 1 / 2, "1/√d": 1, "2/√d": 2, "1": 32**0.5}


def test_scale(snippet, sentences):
    page = snippet("trained/scale")
    for name, times in TIMES.items():
        (row,) = [
            row for row in rows("scale.csv") if abs(float(row["times_sqrt_d"]) - times) < 1e-3
        ]
        for shown, what in MEASURES.items():
            assert getattr(page, shown)[name] == (float(row[what]), float(row[f"{what}_error"]))
    assert (page.sentences, page.pairs) == (len(sentences), len(sentences) / 2)
    assert page.tokens == int(stated("scale.csv", "tokens"))
    assert page.draws == int(stated("scale.csv", "draws"))
    assert page.version == stated("scale.csv", "version")
    assert stated("scale.csv", "weights").startswith(page.digest.removesuffix("…"))
    # Of q and k alike, so that their product is √d times as large.
    assert close(np.prod([page.as_long] * 2), np.sqrt(32))
