"""What is stored of MiniLM: a sample measured again by other code, and tables that agree."""

import numpy as np
import pytest

from tests.tolerance import close
from tests.trained.lists import KINDS, by_list, content, listed
from tests.trained.tables import PRINTED

SAMPLE = [(0, 2), (3, 8), (5, 1)]


def test_tables_agree_with_each_other(stored, medians):
    heads, terms = stored.read("trained/heads.csv"), stored.read("trained/terms.csv")
    median, error = medians()
    for kind in np.unique(terms["pairs"]):
        rows = terms["pairs"] == kind
        assert rows.sum() == 72
        for name in ("size", "baseline", "means", "C", "formula"):
            assert close(np.median(terms[name][rows]), median[name][kind], PRINTED)
        parts = terms["baseline"] + terms["means"] + terms["C"]
        assert close(parts[rows], terms["formula"][rows], PRINTED)
        whole = ["tr_C_squared", "tr_of_C_squared", "C_and_means"]
        assert close(sum(terms[name] for name in whole)[rows], terms["C"][rows], PRINTED)
        exact = kind == "re-paired"
        assert close(terms["formula"][rows], 1, PRINTED) == exact
        assert close(error["C"][kind], 0, 1e-6) == exact
    size = terms["size"][terms["pairs"] == "distinct"]
    without_pairing = heads["lengths"] * heads["alignment"]
    assert close(without_pairing * heads["pairing"] / size, 1, PRINTED)
    assert not close(without_pairing / size, 1, 10 * PRINTED)
    for name in ("lengths", "alignment", "pairing"):
        assert close(heads[f"start_{name}"] * heads[f"{name}_growth"] / heads[name], 1, PRINTED)


def of_head(table, layer, head, kind=None):
    """Tell which rows of a table are of a head, and of a kind of pairs."""
    rows = (table["layer"] == layer) & (table["head"] == head)
    return rows & (table["pairs"] == kind) if kind else rows


@pytest.mark.parametrize(("layer", "head"), SAMPLE)
@pytest.mark.parametrize("kind", KINDS)
def test_terms_of_a_head_measured_again(stored, ran, layer, head, kind):
    table = stored.read("trained/terms.csv")
    parts = [listed(q, k, KINDS[kind](p)) for q, k, p in content(ran, layer, head)]
    found, wrong = by_list(parts), by_list(parts, frobenius=True)

    def fits(values, layer, head):
        row = of_head(table, layer, head, kind)
        return all(close(table[name][row], value, PRINTED) for name, value in values.items())

    assert fits(found, layer, head)
    assert not fits(wrong, layer, head), "‖C‖² for tr C²"
    assert not fits(found, layer, (head + 1) % 12), "the row of another head"


def test_start_measured_again(stored, minilm, texts):
    table, heads = stored.read("trained/terms.csv"), stored.read("trained/heads.csv")
    drawn = minilm.at_random(minilm.load(), 0)
    # Queries of independent weights: E|q|² = 32 · 384 · 0.02², as LayerNorm gives |x|² = 384.
    assert abs(np.mean(heads["start_lengths"] ** 2) / (32 * (384 * 0.02**2) ** 2) - 1) < 0.02
    assert abs(np.mean(heads["lengths"] ** 2) / (32 * (384 * 0.02**2) ** 2) - 1) > 1
    layer, head = SAMPLE[0]
    begun = [minilm.forward(text, drawn) for text in texts]
    parts = [listed(q, k, KINDS["distinct"](p)) for q, k, p in content(begun, layer, head)]
    for name, value in by_list(parts).items():
        assert close(table[name][of_head(table, layer, head, "start")], value, PRINTED)


@pytest.mark.parametrize(("layer", "head"), SAMPLE)
def test_logits_of_a_head_measured_again(stored, ran, layer, head):
    table = stored.read("trained/heads.csv")
    logits, picks, even, special_, before, frozen = [], [], [], [], [], []
    for _, *parts in ran:
        q, k, p = (part[layer, head] for part in parts)
        for i in range(1, len(q) - 1):
            z = [q[i] @ key / np.sqrt(32) for key in k]
            logits.append(z)
            picks.append(sum(x * x for x in p[i]))
            even.append(len(z) * picks[-1])
            special_.append(p[i, 0] + p[i, -1])
            frozen.append(np.std(z) > np.sqrt(2 * np.log(len(z))))
            if i > 1:
                before.append(p[i, i - 1])
    found = {
        "row_sd": np.sqrt(np.mean([np.var(z) for z in logits])),
        "row_sd_content": np.sqrt(np.mean([np.var(z[1:-1]) for z in logits])),
        "taking_part": 1 / np.mean(picks),
        "share_taking_part": 1 / np.mean(even),
        "special": np.mean(special_),
        "previous": np.mean(before),
        "frozen": np.mean(frozen),
    }

    def fits(row):
        return all(close(table[name][row], value, PRINTED) for name, value in found.items())

    assert fits(of_head(table, layer, head))
    assert not fits(of_head(table, layer, head - 1))


@pytest.mark.parametrize(
    "name", ["1", *(pytest.param(name, marks=pytest.mark.long) for name in ("0", "1/d"))]
)
def test_another_scale_measured_again(snippet, minilm, texts, weights, ran, name):
    page = snippet("trained/scale")
    shown = [of[name] for of in (page.cosine, page.neighbour, page.paraphrase)]
    plain = np.array([minilm.embed(states) for states, *_ in ran])
    scale = {"0": 0, "1/d": 1 / 32, "1": 1}[name]
    E = np.array([minilm.embed(minilm.forward(text, weights, scale)[0]) for text in texts])

    def nearest(E):
        distance = np.sum((E[:, None] - E) ** 2, axis=2)  # of length 1: like the cosine
        np.fill_diagonal(distance, np.inf)
        return distance.argmin(axis=1)

    cosine = np.mean(np.einsum("nd,nd->n", E, plain))
    kept = nearest(E) == nearest(plain)
    partner = [i + 1 if i % 2 == 0 else i - 1 for i in range(len(E))]
    right = np.mean(nearest(E) == partner)
    assert close([value for value, _ in shown], [cosine, kept.mean(), right], PRINTED)
    error = np.std(kept.reshape(-1, 2).mean(axis=1), ddof=1) / np.sqrt(110)
    assert close(shown[1][1], error, PRINTED)
    others = [value for other, (value, _) in page.cosine.items() if other != name]
    assert not np.any(np.isclose(cosine, others, PRINTED))


def test_rows_of_asked_sentences_measured_again(stored, minilm, weights):
    """The scores from the attention weights: their logarithms, up to a constant for the row."""
    table, vocab = stored.read("trained/scores.csv"), minilm.vocabulary()
    texts = stored.lines("trained/asked.txt")
    assert set(table["sentence"]) == {*range(len(texts))}
    for at, text in enumerate(texts):
        pieces = minilm.tokenize(text, vocab)
        _, *parts = minilm.forward([vocab[piece] for piece in pieces], weights)
        ours = table["sentence"] == at
        heads = sorted({*zip(table["layer"][ours], table["head"][ours], strict=True)})
        assert len(heads) == 12
        for layer, head in heads:
            rows = ours & of_head(table, layer, head)
            assert table["query"][rows].tolist() == pieces[1:-1]
            scores = np.array([row.split() for row in table["scores"][rows]], float)
            q, k, p = (part[int(layer), int(head)] for part in parts)
            logits = np.sqrt(32) * np.log(p[1:-1])
            shift = scores - logits
            # Rounded to hundredths; the model in single precision when they were measured.
            assert np.ptp(shift, axis=1).max() < 0.0102
            assert abs(scores - q[1:-1] @ k.T).max() < 0.0051
            for wrong in (k[1:-1] @ q.T, q[:-2] @ k.T, q[1:-1] @ k.T / np.sqrt(32)):
                assert abs(scores - wrong).max() > 1


@pytest.fixture(scope="module")
def our_length(minilm, sentences):
    """Give the pieces of the one sentence that is as long as our row."""
    vocab = minilm.vocabulary()
    (pieces,) = [p for text in sentences if len(p := minilm.tokenize(text, vocab)) == 32]
    return pieces


def oftenest(q, k):
    """Give for how many words the same key wins, by counting."""
    won = [max(range(32), key=lambda j, one=one: one @ k[j]) for one in q[1:-1]]
    return max(map(won.count, won))


def test_the_sentence_as_long_as_our_row_measured_again(stored, minilm, our_length, weights):
    table, vocab = stored.read("trained/beside.csv"), minilm.vocabulary()
    _, q, k, _ = minilm.forward([vocab[piece] for piece in our_length], weights)
    for layer, head in [(5, 9), (1, 10), (0, 2)]:
        rows = of_head(table, layer, head)
        assert table["query"][rows].tolist() == our_length[1:-1]
        scores = np.array([row.split() for row in table["scores"][rows]], float)
        right = np.einsum("id,jd->ij", q[layer, head], k[layer, head])
        assert abs(scores - right[1:-1]).max() < 0.0051
        assert abs(scores - right.T[1:-1]).max() > 1, "keys that ask"
    kept = stored.read("trained/winners.csv")["trained"].tolist()
    assert kept == [oftenest(q[at], k[at]) for at in np.ndindex(6, 12)]
    assert kept != [oftenest(k[at], q[at]) for at in np.ndindex(6, 12)], "keys that ask"


@pytest.mark.long
def test_winners_at_the_start_measured_again(stored, minilm, our_length):
    vocab, drawn = minilm.vocabulary(), minilm.load()
    found = []
    for seed in range(20):
        start = minilm.at_random(drawn, seed)
        _, q, k, _ = minilm.forward([vocab[piece] for piece in our_length], start)
        found.append([oftenest(q[0, 0], k[0, 0]), oftenest(k[0, 0], q[0, 0])])
    right, wrong = np.mean(found, axis=0)
    shown = stored.read("trained/winners.csv")["start"][0]
    assert close(shown, right, PRINTED)
    assert not close(shown, wrong, PRINTED), "keys that ask"


@pytest.mark.parametrize(("layer", "head"), SAMPLE[:1])
def test_rows_with_keys_of_other_sentences_measured_again(stored, ran, layer, head):
    table = stored.read("trained/rows.csv")

    def spread(is_there):
        every = []
        for at, (_, q, *_) in enumerate(ran):
            keys = [k for other, (_, _, k, _) in enumerate(ran) if is_there(at, other)]
            for query in q[layer, head][1:-1]:
                rows = [np.var(k[layer, head] @ query / np.sqrt(32)) for k in keys]
                every.append(np.mean(rows))
        return np.sqrt(np.mean(every))

    (shown,) = table["elsewhere"][of_head(table, layer, head)]
    assert close(spread(lambda at, other: other not in (at, at ^ 1)), shown, PRINTED)
    assert not close(spread(lambda at, other: other == at), shown, PRINTED), "its own keys"
