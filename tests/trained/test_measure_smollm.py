"""What is stored of SmolLM2: one head measured again, and tables that agree."""

import numpy as np
import pytest
from scipy import special

from tests.tolerance import close
from tests.trained.lists import by_list, listed
from tests.trained.tables import PRINTED


def evenly(queries, keys):
    """Weigh evenly, for each query but the first, the keys before its place."""
    even = np.tril(np.ones((queries, keys)), -1)[1:]
    return even / even.sum(axis=1, keepdims=True)


@pytest.mark.long
def test_a_head_measured_again(smollm, second, stored, sentences, monkeypatch):
    weights, vocab = second
    table = stored.read("trained/smollm_heads.csv")
    layer, head = 1, 4
    row = (table["layer"] == layer) & (table["head"] == head)
    ran, first, spread = [], [], []
    monkeypatch.setattr(smollm, "LAYERS", layer + 1)
    for text in sentences[:110]:
        _, q, k, p = smollm.forward(smollm.tokenize(text, vocab), weights)
        q, k, p = q[layer, head], k[layer, head // 3], p[layer, head]
        assert close(p[-1], special.softmax(q[-1] @ k.T / 8), 1e-5)
        first.extend(p[1:, 0])
        ran.append((q[1:], k[1:], p[1:, 1:]))
        q, k, _ = ran[-1]
        spread.extend(np.var((q[i] @ k[: i + 1].T) / 8) for i in range(1, len(q)))
    pairs = {"distinct": [], "attended": [], "elsewhere": []}
    for at, (q, k, p) in enumerate(ran):
        pairs["distinct"].append(listed(q[1:], k, evenly(len(q), len(k))))
        pairs["attended"].append(listed(q, k, p / p.sum(axis=1, keepdims=True)))
        k = ran[(at + 2) % 110][1]
        pairs["elsewhere"].append(listed(q[1:], k, evenly(len(q), len(k))))
    for kind, parts in pairs.items():
        found = by_list(parts)
        for name in ("size", "C"):
            assert close(table[f"{kind}_{name}"][row], found[name], PRINTED)
            assert not close(table[f"{kind}_{name}"][~row][10], found[name], PRINTED)
    assert close(table["first"][row], np.mean(first), PRINTED)
    assert close(table["row_sd"][row], np.sqrt(np.mean(spread)), PRINTED)


def test_tables_agree_with_each_other(stored, medians):
    heads = stored.read("trained/smollm_heads.csv")
    median, error = medians("trained/smollm_medians.csv")
    for name in ("size", "C"):
        for kind, value in median[name].items():
            assert close(np.median(heads[f"{kind}_{name}"]), value, PRINTED)
    assert close(median["formula"]["re-paired"], 1, PRINTED)
    assert not close(median["formula"]["same"], 1, 10 * PRINTED)
    assert close(error["C"]["re-paired"], 0, 1e-6)
