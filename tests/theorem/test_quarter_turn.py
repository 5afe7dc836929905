"""The quarter turn, and every other turn of the plane, by plane geometry."""

import math

from tests.tolerance import agrees, close


def test_quarter_turn(snippet):
    page = snippet("theorem/quarter_turn")
    assert close(page.quarter @ [1, 10], [10, -1])
    for degrees in page.exact:
        # q·k = |q|² cos, and E|q|⁴ = 8 in the plane.
        cosine = math.cos(math.radians(degrees))
        assert close(page.exact[degrees], 8 * cosine**2)
        assert close(page.printed[degrees], 4 + 4 * cosine**2)
    for degrees, second in page.simulated.items():
        error = page.standard_error[degrees] + 1e-12
        assert agrees(second, page.exact[degrees], error)
        if 30 < degrees < 150:
            assert not agrees(second, page.printed[degrees], error)
