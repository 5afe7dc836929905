"""The further steps from the stored table by plain Python, and the first step's two bounds."""

import numpy as np

from tests.conftest import stored_rows
from tests.mistakes.tables import difference, losses
from tests.tolerance import close


def test_the_lines_by_other_code(snippet):
    healing = snippet("mistakes/healing")
    start = losses("healing.csv", code="right", step="0")
    for code in healing.codes:
        for at, step in enumerate(healing.steps):
            found = difference(losses("healing.csv", code=code, step=str(step)), start)
            assert close([healing.value[code][at], healing.error[code][at]], found, 1e-9)
    # Before the first step it is what is loaded: the matrix has the same.
    for code in healing.codes:
        there = losses("matrix.csv", trained="right", run=code, step="1600")
        assert close([*losses("healing.csv", code=code, step="0").values()], [*there.values()])


def test_the_first_step_lies_between_its_bounds(snippet):
    """On average; a seed may lie a little beside, where the two parts differ in size."""
    healing = snippet("mistakes/healing")

    def moved(start, size):
        rows = stored_rows("mistakes", "first_step.csv", start=start, size=size)
        return np.array([float(row["moved"]) for row in rows])

    for size in ("1", "0.001"):
        ratio = moved("in W_Q", size) / moved("right", size)
        assert healing.agree < ratio.mean() < healing.apart
        assert np.all((0.95 * healing.agree < ratio) & (ratio < 1.05 * healing.apart))
        shared = moved("in both", size) / moved("right", size)
        assert np.all(shared < healing.agree), "the two ways differ"
    ratio = moved("in W_Q", "0.001") / moved("right", "0.001")
    assert close(healing.times["in W_Q"][0], ratio.mean(), 1e-9)
    # The bounds themselves, by drawing: parts A and B of one size, the second over √d.
    A, B = np.random.default_rng(0).standard_normal((2, 10**6))
    root = healing.d**0.5
    assert close((root * (A + A / root)).std() / (2 * A).std(), healing.agree, 1e-9)
    apart = (root * (A + B / root)).std() / (A + B).std()
    assert abs(apart / healing.apart - 1) < 0.01
    assert abs(apart / healing.agree - 1) > 0.1
