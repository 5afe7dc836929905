"""Single rows at any scale: the weights as shares of numbers that are powers of one."""

import numpy as np

from tests.tolerance import close


def test_row(snippet, stored):
    page, table = snippet("trained/row"), stored.read("trained/scores.csv")
    for head, scores in page.scores.items():
        layer, at = map(int, head.split("."))
        (row,) = np.flatnonzero(
            (table["sentence"] == 0)
            & (table["layer"] == layer)
            & (table["head"] == at)
            & (table["query"] == page.query)
        )
        kept = np.array([float(score) for score in table["scores"][row].split()])
        assert close(scores, kept)
        for by, divisor in (("1", 1), ("√d", 32**0.5), ("d", 32)):
            powers = 2 ** (kept / divisor * 1.4426950408889634)
            assert close(page.weights[head][by], powers / powers.sum())
            assert close(page.most[head][by], powers.max() / powers.sum())
            assert close(page.sharing[head][by], powers.sum() ** 2 / (powers**2).sum())
        assert not close(page.weights[head]["√d"], page.weights[head]["d"], 0.05)
    assert page.reach == max(map(max, page.scores.values()))


def test_what_a_reader_is_handed_is_what_is_stored(snippet, stored):
    """In the table's order: line by line, as whole hundredths."""
    page, table = snippet("trained/row"), stored.read("trained/scores.csv")
    handed = page.explore
    kept = [[round(100 * float(score)) for score in row.split()] for row in table["scores"]]
    assert [row.tolist() for each in handed["scores"] for of in each for row in of] == kept
    place = [
        (sentence, *map(int, head.split(".")), word)
        for sentence, words in enumerate(handed["words"])
        for head in handed["heads"]
        for word in words[1:-1]
    ]
    columns = (table[name] for name in ("sentence", "layer", "head", "query"))
    assert place == [*zip(*columns, strict=True)]
    assert handed["asked"] == stored.lines("trained/asked.txt")
    assert handed["heads"][:3] == [*page.scores]
    for words, at in zip(handed["words"], handed["asks"], strict=True):
        assert 0 < at < len(words) - 1 == 11
