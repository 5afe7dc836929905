"""MiniLM's forward pass and tokens, as the transformers library has them."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.tolerance import close


def test_what_transformers_gave_is_met(minilm, stored, texts, ran):
    table = stored.read("trained/reference.csv")
    assert len(table["sentence"]) == 22
    for row, sentence in enumerate(table["sentence"].astype(int)):
        assert texts[sentence] == [int(number) for number in table["tokens"][row].split()]
        embedding = [table[f"e{i}"][row] for i in range(8)]
        # six digits, single precision
        assert close(minilm.embed(ran[sentence][0])[:8], embedding, 3e-6)
        assert not close(minilm.embed(ran[sentence - 1][0])[:8], embedding, 1e-3)


@pytest.mark.parametrize("scale", [0, 1 / 32, 32**-0.5, 1])
def test_all_layers_divide_alike(minilm, texts, weights, scale):
    """The weights from q and k: so these are the ones that meet in softmax."""
    _, q, k, p = minilm.forward(texts[0], weights, scale)
    scores = np.einsum("lhid,lhjd->lhij", q, k)
    assert close(p, softmax(scale * scores, axis=-1))
    assert not close(p, softmax(scale / 2 * scores + scores / 9, axis=-1), 1e-2)


@pytest.mark.long
def test_transformers_now(minilm, sentences, texts, ran):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(minilm.folder()))
    model = transformers.AutoModel.from_pretrained(
        str(minilm.folder()), attn_implementation="eager"
    ).eval()
    for text, numbers, (states, _, _, p) in zip(sentences, texts, ran, strict=True):
        assert tokenizer(text)["input_ids"] == numbers
        with torch.no_grad():
            out = model(torch.tensor([numbers]), output_attentions=True)
        theirs = out.last_hidden_state[0].numpy()
        assert close(minilm.embed(theirs), minilm.embed(states), 1e-5)
        assert close(torch.cat(out.attentions).numpy(), p, 1e-4)


def test_tokens(minilm):
    pieces = minilm.tokenize("Café, don't! xylophonistically \u4dff", minilm.vocabulary())
    expected = "[CLS] cafe , don ' t ! x ##yl ##op ##hon ##istic ##ally [UNK] [SEP]"
    assert pieces == expected.split()
