"""How far outputs move, one place and one key after the other; what trained decoders lose."""

import numpy as np

from tests.conftest import stored_rows
from tests.tolerance import close


def attended(x, code, W):
    """Give causal attention one query after the other, with a fault or without."""
    q, k, v = (x @ each for each in W)
    n, d = x.shape
    out = []
    for i in range(n):
        powers = []
        for j in range(n):
            if code == "softmax over queries":
                column = [np.exp(q[m] @ k[j] / d**0.5) for m in range(j, n)]
                powers.append(column[i - j] / sum(column) if j <= i else 0.0)
            else:
                late = np.exp(1e-9) if code == "a mask of 1e−9" else 0.0
                powers.append(np.exp(q[i] @ k[j] / d**0.5) if j <= i else late)
        total = 1.0 if code == "softmax over queries" else sum(powers)
        out.append(sum(p * each for p, each in zip(powers, v, strict=True)) / total)
    return np.array(out)


def test_the_movement_by_other_code(snippet):
    leaks = snippet("mistakes/leaks")
    n, d, changed = leaks.n, leaks.d, leaks.changed
    W = np.random.default_rng(0).standard_normal((3, d, d)) / np.sqrt(d)
    x = np.random.default_rng(1).standard_normal((n, d))
    other = x.copy()
    other[changed:] = np.random.default_rng(2).standard_normal((n - changed, d))
    found = {
        code: np.linalg.norm(attended(other, code, W) - attended(x, code, W), axis=1)
        for code in leaks.movement
    }
    for code, by in found.items():
        assert close(by, leaks.movement[code], 1e-9)
    assert not close(found["right"], leaks.movement["a mask of 1e−9"], 0.1)
    assert found["right"][:changed].max() < 1e-12 < found["softmax over queries"][:changed].min()


def test_only_the_two_faults_lose_more_where_the_text_ends(snippet):
    leaks = snippet("mistakes/leaks")
    rows = stored_rows("mistakes", "runs.csv", step="400")
    for code in ("right", "queries", "1e−9"):
        own = [row for row in rows if row["trained"] == code]
        for what, found in (("loss", leaks.lost), ("honest", leaks.honest)):
            assert close(found[code], np.mean([float(row[what]) for row in own]), 1e-6)
    for row in rows:
        differ = abs(float(row["shown"]) - float(row["honest"])) > 1e-3
        assert differ == (row["trained"] in ("queries", "1e−9")), row
