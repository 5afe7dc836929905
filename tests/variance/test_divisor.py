"""The divisors, applied to scores that are drawn."""

from tests.tolerance import agrees, close, variance_and_error
from tests.variance.draws import dots


def test_divisor(snippet):
    page = snippet("variance/divisor")
    for place, d in enumerate(page.dims[:9]):
        variance, error = variance_and_error(dots(int(d), d, 8000))
        for name, c in {"1": 1, "2": 2, "10": 10, "√d": d**0.5, "d": d}.items():
            assert agrees(variance / c**2, page.spread[name][place] ** 2, error / c**2)
            flat = agrees(variance / c**2, 1, error / c**2)
            assert flat == (name == "√d" or c == d**0.5)


def test_divisor_crossings(snippet):
    assert snippet("variance/divisor").at_64 == {"1": 8, "2": 4, "10": 0.8, "√d": 1, "d": 1 / 8}
    for c, d in snippet("variance/divisor").crossing.items():
        assert close(d, c**2)
        variance, error = variance_and_error(dots(c, round(d)))
        assert agrees(variance / c**2, 1, error / c**2)
        assert c == 1 or not agrees(variance / c, 1, error / c), "Var(S/c) is not Var(S)/c"
