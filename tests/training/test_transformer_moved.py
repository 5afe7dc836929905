"""The exponents of the movement of q·k, and of its factors, in closed form."""

from tests.tolerance import close, mean_and_error
from tests.training.tables import DIMS, PARTS, PRINTED, slopes


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


def test_exponents_over_the_widths_of_all_steps(snippet, moved):
    page = snippet("training/transformer_moved")
    assert len(page.common) == len(page.change) == len(page.local) == 2 * 2 * 5
    for (scale, zero, step), found in page.common.items():
        at = (moved, "size", scale, zero)
        early = slopes(*at, step, "attended", dims=DIMS[1000])
        late = slopes(*at, 1000, "attended")
        change = page.change[scale, zero, step, 1000]
        assert close(found, mean_and_error(early))
        assert close(change, mean_and_error(late - early))
        all_widths = mean_and_error(slopes(*at, step, "attended"))
        assert close(found, all_widths, PRINTED) == (step >= 200)
        pairs = [DIMS[1000][i : i + 2] for i in range(3)]
        again = [slopes(*at, step, "attended", dims=pair).mean() for pair in pairs]
        assert close(page.local[scale, zero, step], again)
        assert not close(page.local[scale, zero, step], again[::-1], PRINTED)
    # The rows of both tables on the page.
    order = [("8/d", "0"), ("8/d", "random"), ("1/√d", "0"), ("1/√d", "random")]
    for step, row in page.lasting.items():
        early = int(str(step).split()[-1])
        table = page.common if step == early else page.change
        ends = () if step == early else (1000,)
        assert row == [table[*how, early, *ends] for how in order]
    for step, row in page.by_part.items():
        assert row == [page.fit[part]["8/d", "0", step] for part in [*PARTS, "size"]]
