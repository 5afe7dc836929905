"""SmolLM2's forward pass and tokens, as the transformers library has them."""

from scipy import special

from tests.tolerance import close


def test_as_transformers_has_it(smollm, second, stored, sentences):
    weights, vocab = second
    table = stored.read("trained/smollm_reference.csv")
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


def test_tokens(smollm, second):
    numbers, ranks = second[1]
    found = smollm.tokenize("Café, don't! 2017  it", (numbers, ranks))
    expected = "C af Ã© , Ġdon 't ! Ġ 2 0 1 7 Ġ Ġit"
    assert found == [numbers[piece] for piece in expected.split(" ")]
