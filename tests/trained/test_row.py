"""One row at any scale: the weights as shares of numbers that are powers of one."""

from tests.tolerance import close


def test_row(snippet, stored):
    page, table = snippet("trained/row"), stored.read("row.csv")
    assert page.reach == table["score"].max()
    for head, scores in zip(page.scores, table["score"].reshape(3, page.keys), strict=True):
        assert close(page.scores[head], scores)
        for by, divisor in (("1", 1), ("√d", 32**0.5), ("d", 32)):
            powers = 2 ** (scores / divisor * 1.4426950408889634)
            assert close(page.weights[head][by], powers / powers.sum())
            assert close(page.most[head][by], powers.max() / powers.sum())
            assert close(page.sharing[head][by], powers.sum() ** 2 / (powers**2).sum())
        assert not close(page.weights[head]["√d"], page.weights[head]["d"], 0.05)
    assert page.explore == {"d": 32, "words": page.words, "heads": [*page.scores.items()]}
