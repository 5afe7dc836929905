"""The exponents of the movement of q·k, and of its factors, in closed form."""

from tests.tolerance import close, mean_and_error
from tests.training.tables import DIMS, PARTS, mean, slopes


def test_exponents_of_the_movement(snippet, moved):
    page = snippet("training/transformer_moved")
    assert [*page.fit] == [*PARTS, "size"]
    assert {step: tuple(dims) for step, dims in page.dims.items()} | {0: DIMS[0]} == DIMS
    for at, found in page.all_pairs.items():
        assert close(found, mean_and_error(slopes(moved, "size", *at, "all")))
        assert not close(found, mean_and_error(slopes(moved, "size", *at, "attended")), 1e-4)
    for part, fit in page.fit.items():
        assert len(fit) == len({*fit.values()}) == 2 * 2 * 5
        for (scale, zero, step), found in fit.items():
            other = "0" if zero == "random" else "random"
            dims = (32, 16, *DIMS[step][2:])
            assert close(found, mean_and_error(slopes(moved, part, scale, zero, step, "attended")))
            for wrong in (
                slopes(moved, part, scale, zero, 200 if step == 50 else 50, "attended"),
                slopes(moved, part, scale, other, step, "attended"),
                slopes(moved, part, scale, zero, step, "attended", dims=dims),
            ):
                assert not close(found, mean_and_error(wrong), 1e-4)


def test_how_much_is_a_shift_of_all_keys(snippet, moved):
    page = snippet("training/transformer_moved")
    found = [mean(moved, "shared", "8/d", "0", 10, d, "attended") for d in DIMS[10]]
    assert close(page.shift, found)
    assert not close(
        page.shift, [mean(moved, "pairing", "8/d", "0", 10, d, "attended") for d in DIMS[10]]
    )
