"""Our row with each line of the table, run in PyTorch; the row that is right fails."""

import numpy as np
import pytest

from tests.tolerance import close

torch = pytest.importorskip("torch", reason="no PyTorch: `make torch` installs it")


def run(line, q, k):
    """Give what softmax makes of a line of the page, whose q is one query and whose k are keys."""
    names = {"q": torch.from_numpy(q)[None], "k": torch.from_numpy(k), "d": q.size}
    names |= {"scale": q.size**-0.5, "LOG2E": 1 / np.log(2), "v": torch.eye(len(k)).double()}
    names["sdpa"] = torch.nn.functional.scaled_dot_product_attention
    found = eval(line, names)
    whole = "sdpa" in line or "softmax" in line
    return (found if whole else found.softmax(-1))[0].numpy()


def test_the_rows_by_the_lines_themselves(snippet, module):
    roots, row = snippet("mistakes/roots"), module("common/our_row")
    q, k = row.query[: row.d], row.keys[:, : row.d]
    right = run("q @ k.mT * scale", q, k)
    assert close(roots.right, right)
    assert roots.wrong.keys() == roots.lines.keys()
    for name, line in roots.lines.items():
        assert close(roots.wrong[name], run(line, q, k))
        assert not close(roots.wrong[name], right, 1e-2)
        assert close(roots.largest[name], max(run(line, q, k)))
    assert (roots.best, roots.most) == (right.argmax() + 1, pytest.approx(right.max()))
    assert close(roots.flattest, min(run(roots.lines["twice"], q, k)))
