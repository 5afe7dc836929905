"""One step of SGD and of Adam: the mean squares of what is added, exactly."""

import numpy as np
from scipy import integrate, stats

from tests.tolerance import agrees, mean_and_error


def test_first_step(snippet):
    page = snippet("training/first_step")
    exact = {
        # E S², S = Σ of independent terms: d·variance + (d·mean)², of one term.
        "q·k": lambda d, c: d,
        "SGD": lambda d, c: d * (2 * c**2 * 2 + c**4) + (2 * c * d) ** 2,
        "random step": lambda d, c: d * (2 * c**2 + c**4),
    }
    for name, law in exact.items():
        squares = page.size[name] ** 2
        assert len(squares) == page.groups
        mean, error = mean_and_error(squares)
        expected = np.array([law(d, page.step) for d in page.dims])
        assert agrees(mean, expected, error, 6)  # Student's t, eight groups
        assert not agrees(mean, expected * np.array(page.dims) / 16, error, 6), "another power"
    # Signs add a step times |k|, and one times |q|; what is left has variance like d.
    size = integrate.quad(lambda x: 2 * x * stats.norm.pdf(x), 0, np.inf)[0]
    c, d = page.step, np.array(page.dims)
    expected = (2 * c * size * d) ** 2 + d * (2 * c**2 * (1 - size**2) + c**4)
    mean, error = mean_and_error(page.size["Adam"] ** 2)
    assert agrees(mean, expected, error, 6)
    assert not agrees(mean, expected * np.pi / 2, error, 6), "as if along the key"
