"""The three terms of a turn, with queries and their turned keys drawn."""

import numpy as np

from tests.tolerance import agrees, close, mean_and_error


def test_three_terms_of_a_turn(snippet):
    shown = snippet("theorem/terms")
    rng = np.random.default_rng(41)
    for angle, terms in shown.terms.items():
        c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        q = rng.standard_normal((20_000, shown.d // 2, 2))
        k = q @ np.array([[c, s], [-s, c]])
        mean, error = mean_and_error(np.sum(q * k, axis=(1, 2)) ** 2)
        assert close(sum(terms), shown.total[angle])
        assert agrees(shown.total[angle], mean, error + 1e-12)
        assert agrees(shown.printed[angle], mean, error) == (angle == 0)
