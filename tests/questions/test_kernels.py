"""What a kernel returns: by drawing rows, by torch's own kernels, with readings that fail."""

import numpy as np
import pytest
from scipy import special

from tests.tolerance import agrees, close, mean_and_error

ROWS = 4000


@pytest.fixture
def result(snippet):
    return snippet("questions/kernels")


@pytest.mark.parametrize("spread", [1, 6, 20])
def test_the_largest_logit_lies_below_the_log_sum_exp(result, spread):
    i = list(result.spreads).index(spread)
    z = spread * np.random.default_rng(spread).standard_normal((ROWS, 4096))
    lse, top = special.logsumexp(z, axis=1), z.max(axis=1)
    assert np.all(top <= lse)
    assert np.all(lse - np.log(4096) <= top)
    for drawn, exact in ((lse, result.lse[i]), (top, result.top[i])):
        mean, error = mean_and_error(drawn)
        assert agrees(mean, exact, error)
        assert not agrees(mean, exact + 0.1 * spread, error)
    assert close(result.gap[i], result.lse[i] - result.top[i])
    assert close(result.least[i], result.lse[i] - np.log(4096))


def test_a_lower_bound_needs_the_number_of_keys(result):
    """Without ln n it is none: the lse itself lies above each of many logits."""
    assert np.all(result.least <= result.top)
    assert not np.all(result.lse <= result.top)


def test_one_key_and_a_query_of_zeros_tell_the_convention(result):
    rng = np.random.default_rng(1)
    q, k = rng.standard_normal((2, 64))
    assert close(special.logsumexp([q @ k / 8]) / (q @ k), result.probe["e"])
    assert close(np.log2(np.exp(q @ k / 8)) / (q @ k), result.probe["2"])
    logits = rng.standard_normal((4096, 64)) @ np.zeros(64)
    assert close(special.logsumexp(logits), result.zeros["e"])
    assert close(np.logaddexp2.reduce(logits), result.zeros["2"])


def test_torch_returns_a_natural_lse_with_the_scale(result):
    torch = pytest.importorskip("torch")
    q, k, v = torch.randn(3, 1, 1, 1, 64, generator=torch.Generator().manual_seed(2)).unbind()
    product = float((q * k).sum())
    q.requires_grad_()
    out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v)
    assert close(float(lse) / product, result.probe["e"], 1e-5)
    assert not close(float(lse) / product, result.probe["2"], 1e-5)
    assert out.requires_grad
    assert not lse.requires_grad, "it is marked as not differentiable"


@pytest.mark.filterwarnings("ignore")
def test_flex_attention_scales_first_and_returns_a_natural_lse(result):
    torch = pytest.importorskip("torch")
    flex = pytest.importorskip("torch.nn.attention.flex_attention")
    q, k, v = torch.randn(3, 1, 1, 1, 64, generator=torch.Generator().manual_seed(3)).unbind()

    def lse(score_mod=None):
        aux = flex.AuxRequest(lse=True)
        return float(flex.flex_attention(q, k, v, score_mod=score_mod, return_aux=aux)[1].lse)

    assert close(lse() / float((q * k).sum()), result.probe["e"], 1e-5)
    more = lse(lambda score, *_: score + 8) - lse()
    assert close(more, result.grows["after"], 1e-5)
    assert not close(more, result.grows["before"], 0.1)


def attention(z, v):
    return special.softmax(z) @ v, special.logsumexp(z)


def test_blocks_are_merged_by_natural_logarithms(result):
    rng = np.random.default_rng(4)
    z, v = 2 * rng.standard_normal(300), rng.standard_normal((300, 8))
    blocks = [attention(z[part], v[part]) for part in (slice(250), slice(250, None))]

    def merged(base):
        sums = np.array([lse for _, lse in blocks]) * base
        return sum(w * out for w, (out, _) in zip(special.softmax(sums), blocks, strict=True))

    assert close(merged(1), attention(z, v)[0])
    assert not close(merged(1 / np.log(2)), attention(z, v)[0], 1e-3)
    even = np.zeros(4160)
    assert close(special.softmax(even)[-64:].sum(), result.share)
    long, short = np.log2(4096), np.log2(64)
    assert close(np.exp(short) / (np.exp(short) + np.exp(long)), result.share_base)


def test_a_sink_is_a_share_of_the_output(result):
    rng = np.random.default_rng(5)
    z, v = rng.standard_normal(128), rng.standard_normal((128, 8))
    out, lse = attention(z, v)
    for b in (0, 8):
        with_sink = special.softmax([*z, b])[:-1] @ v
        assert close(out * special.expit(lse - b), with_sink)
        assert close(out * np.exp(lse - np.logaddexp(lse, b)), with_sink), "the other form"
    appended = attention(np.append(z, 8), np.vstack([v, np.zeros(8)]))[0]
    assert close(appended, with_sink), "a key whose value is 0"
    assert close(attention(z + 8, v)[0], out), "a score_mod that adds it to all scores"
    assert not close(out, with_sink, 1e-3)
    rows = rng.standard_normal((20_000, 128))
    for b, taken in ((8, result.taken[8]), (1, result.taken[1])):
        drawn = special.expit(b - special.logsumexp(rows, axis=1))
        assert abs(drawn.mean() - taken) < 4e-4, "window is ln n + 1/2, up to 1/n"
        if b in result.kept:
            assert close(1 - taken, result.kept[b])
    assert abs(special.expit(special.logsumexp(rows, axis=1)).mean() - result.kept[0]) < 4e-4
    assert close(result.stored / np.sqrt(64), 8)
    assert result.taken_raw > 1 - 1e-15


def test_a_cap_that_is_folded_into_the_scale(result):
    for product, name in ((8, "right"), (8000, "far")):
        kernel = result.out / result.log2_e * np.tanh(product * result.folded)
        assert close(kernel, result.capped[name])
        assert close(kernel, 50 * np.tanh(product / 8 / 50))
    assert (result.d, result.cap) == (64, 50)
    assert close(50 * np.tanh(8000 / 50) / 8, result.capped["undivided"])
    assert close(np.tanh(8 / 8) * 50, result.capped["no division"])
    assert not close(result.capped["no division"], result.capped["right"], 1)


def test_gradients_of_the_log_sum_exp(result):
    rng = np.random.default_rng(6)
    q, keys = rng.standard_normal(64), rng.standard_normal((200_000, 64))
    mean_key = special.softmax(keys @ q / 8) @ keys / 8
    assert abs(mean_key @ q / (q @ q) - result.along) < 0.05 * result.along
    k = keys[0] * 8 / np.linalg.norm(keys[0])
    h = 1e-6 * k
    # With one key: from a difference along it.
    assert close((h @ k / 8) / np.linalg.norm(h), result.of_one_key)


def test_what_a_norm_leaves_of_fp16(result):
    top = float(np.finfo(np.float16).max)
    assert top == result.fp16_top
    rng = np.random.default_rng(7)
    q, k = rng.standard_normal((2, 20_000, 512))
    q, k = (x * np.sqrt(512) / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, k))
    assert abs(np.std(np.sum(q * k, axis=1)) * result.in_spreads / top - 1) < 0.03
    assert close(result.in_spreads**2 * 512, top**2)
    with np.errstate(over="ignore"):
        for gain, fits in ((0.999, True), (1.001, False)):
            largest = np.float16(gain * result.product_of_gains * np.sum(q[0] * q[0]))
            assert np.isfinite(largest) == fits
