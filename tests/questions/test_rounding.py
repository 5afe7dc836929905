"""bf16 and the small constant of a norm, by torch's own, with the wrong ones beside them."""

import numpy as np
import pytest

from tests.questions.draws import scores, vectors
from tests.tolerance import agrees, close, mean_and_error

torch = pytest.importorskip("torch")


@pytest.fixture
def result(snippet):
    return snippet("questions/rounding")


def bf16(x):
    return torch.as_tensor(x).to(torch.bfloat16).double().numpy()


def test_the_factor_in_bf16(result):
    for d, off in result.off.items():
        assert close(bf16(float(d) ** -0.5) * float(d) ** 0.5 - 1, off)
        scale = 1.4426950408889634 * float(d) ** -0.5
        assert close(bf16(scale) / scale - 1, result.off_of_2[d])
    for d, off in ((72, result.off_72), (128, result.off_128)):
        assert close(abs(bf16(float(d) ** -0.5) * float(d) ** 0.5 - 1), off)
    assert close(bf16(0.125 / np.log(2)) * 8 * np.log(2) - 1, result.off_64_of_2)
    assert not close(bf16(0.125) * 8 - 1, result.off_64_of_2), "without log₂e"


@pytest.mark.parametrize("d", [64, 128, 256])
def test_a_scaled_query_that_is_rounded_again(result, d):
    q, k = vectors(d, 40_000)
    q, k = bf16(q), bf16(k)
    exact, factor = scores(q, k) * d**-0.5, d**-0.5
    error = scores(bf16(q * factor), k) - exact
    square, standard = mean_and_error(error**2)
    assert agrees(square, result.rounded[d] ** 2, standard + 1e-18)
    other = {64: 128, 128: 64, 256: 128}[d]
    assert not agrees(square, result.rounded[other] ** 2, standard + 1e-18)


def test_three_roundings_and_two(result):
    q, k = vectors(128, 120_000)
    exact = scores(q, k) * 128**-0.5
    two = scores(bf16(q), bf16(k)) * 128**-0.5 - exact
    three = scores(bf16(bf16(q) * 128**-0.5), bf16(k)) - exact
    # The ratio of two standard deviations of 120,000 errors is known to about 0.3%.
    assert abs(three.std() / two.std() / result.three_roundings - 1) < 0.006
    assert abs(two.std() / (result.once * np.sqrt(2)) - 1) < 0.03
    assert three.std() / two.std() > 1.1, "not the same"


def test_rms_norm_and_an_l2_norm(result):
    d, functional = 128, torch.nn.functional
    signs = torch.sign(torch.randn(d, dtype=torch.float64))
    for a in (0.1, 0.001):
        x = a * signs
        rms = functional.rms_norm(x, (d,), eps=1e-6)
        l2 = x / torch.sqrt((x**2).sum() + 1e-6) * d**0.5
        assert close(rms.abs().mean(), result.rms[a])
        assert close(l2.abs().mean(), result.l2[a])
        assert torch.allclose(functional.rms_norm(x, (d,), eps=result.same), l2)
        assert close(functional.normalize(x, dim=0).norm(), 1), "adds nothing"
    assert not torch.allclose(rms, l2)
    assert close(rms @ rms / d, result.logit_rms)
    assert close(l2 @ l2 / d, result.logit_l2)


def delta_rule(q, k, v):
    """Write each value for its key and read with the query, token by token."""
    state, read = np.zeros((k.shape[1], v.shape[1])), []
    for q_t, k_t, v_t in zip(q, k, v, strict=True):
        state += np.outer(k_t, v_t - k_t @ state)
        read.append(q_t @ state)
    return np.array(read)


def test_the_delta_rule_passes_a_factor_on_q_and_not_one_on_k(result):
    q, k = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in vectors(128, 60))
    v = np.random.default_rng(4).standard_normal((60, 32))
    plain, scaled = delta_rule(q, k, v), delta_rule(q * 128**-0.5, k, v)
    assert close(plain, scaled * result.forgotten)
    assert not close(delta_rule(q, k * 128**-0.5, v), scaled, 1e-3)
    rms_norm = torch.nn.functional.rms_norm
    for size, (bare, after) in {
        1.0: result.usual_bare_and_scaled,
        0.01: (result.small_bare, result.small_scaled),
    }.items():
        x = torch.full((32,), size, dtype=torch.float64)
        assert close(rms_norm(x, (32,), eps=1e-6).mean(), bare)
        assert close(rms_norm(x * 128**-0.5, (32,), eps=1e-6).mean(), after)


def test_cosines_of_random_directions(result):
    q, k = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in vectors(128))
    square, error = mean_and_error(scores(q, k) ** 2)
    assert agrees(square, result.cosine**2, error)
    assert not agrees(square, result.cosine_scaled**2, error)
    assert close(result.cosine_scaled, result.cosine * 128**-0.5)


def test_where_a_norm_leaves_a_half(result):
    signs = torch.sign(torch.randn(128, dtype=torch.float64))
    rms_norm = torch.nn.functional.rms_norm
    for size, eps in ((result.half_rms, 1e-6), (result.half_l2, 1e-6 / 128)):
        assert close(rms_norm(size * signs, (128,), eps=eps).abs().mean(), 0.5)
    assert not close(rms_norm(result.half_l2 * signs, (128,), eps=1e-6).abs().mean(), 0.5, 0.01)
