"""Losses over a batch: by drawing unit vectors, in torch, with roots and means that fail."""

import numpy as np
import pytest
from scipy import special, stats

from tests.tolerance import agrees, close, mean_and_error


@pytest.fixture
def result(snippet):
    return snippet("questions/contrastive")


def unit(rng, n, d):
    x = rng.standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def siglip(n, d, factor, bias, rng):
    logits = factor * unit(rng, n, d) @ unit(rng, n, d).T + bias
    signs = 2 * np.eye(n) - 1
    return -np.sum(special.log_expit(signs * logits)) / n


def cosines(d, points=40_000):
    """Give evenly likely cosines of random directions: quantiles of their distribution."""
    half = (d - 1) / 2
    return 2 * stats.beta(half, half).ppf((np.arange(points) + 0.5) / points) - 1


def test_exact_losses_and_spreads(result):
    def row(n, factor, bias, d=768):
        z = factor * cosines(d) + bias
        return np.mean(np.logaddexp(0, -z) + (n - 1) * np.logaddexp(0, z))

    assert close(row(1024, 10, -10), result.first["log 10"], 1e-5)
    assert close(row(1024, 1 / 0.07, -10), result.first["log 1/.07"], 1e-5)
    for n in (256, 1024, 32768):
        assert close(row(n, 10, -10), result.row["bias −10"][n], 1e-5)
        assert close(row(n, 10, 0), result.row["no bias"][n], 1e-5)
        assert not close(row(n, 10, -10, d=64), result.row["bias −10"][n], 1e-5)
    spread = {d: 2 * stats.beta((d - 1) / 2, (d - 1) / 2).std() for d in (512, 768)}
    assert close(10 * spread[768], result.spread["of 10"])
    assert close(spread[768] / 0.07, result.spread["of 1/.07"])
    assert close(spread[512] / 0.07, result.spread["÷ .07"])
    assert close(np.sqrt(stats.chi2(512).mean()) / 0.07, result.spread["raw ÷ .07"])
    for factor in (30, result.s):
        assert close(factor * spread[512], result.faces[factor])
    assert (result.s, result.small, result.coordinates) == (64, 256, 128)
    assert close(result.clip * 0.07, 1)
    assert close(stats.chi2(128).mean() / 0.07, result.itself)
    assert close(np.sqrt(stats.chi2(128).mean()) / 0.07, result.others)
    # The mean exponential of 64 cosines, and the margin at a right angle.
    start = np.log(85_742 * np.mean(np.exp(64 * cosines(512))))
    assert abs(start + 64 * np.sin(0.5) - result.with_margin) < 0.1


@pytest.mark.parametrize(("factor", "name"), [(10, "log 10"), (1 / 0.07, "log 1/.07")])
def test_the_two_starts_of_siglip(result, factor, name):
    rng = np.random.default_rng(1)
    losses = [siglip(1024, 768, factor, -10, rng) for _ in range(6)]
    mean, error = mean_and_error(losses)
    assert agrees(mean, result.first[name], error)
    assert error < 0.01
    other = siglip(1024, 768, factor, -9, rng)
    assert not agrees(other, result.first[name], error)
    drawn = factor * np.sum(unit(rng, 8000, 768) * unit(rng, 8000, 768), axis=1)
    assert abs(drawn.std() / result.spread["of " + name.replace("log ", "")] - 1) < 0.03


@pytest.mark.parametrize(("bias", "name"), [(-10, "bias −10"), (0, "no bias")])
def test_the_loss_of_256_pairs_and_of_means(result, bias, name):
    rng = np.random.default_rng(2)
    drawn = np.array([siglip(256, 768, 10, bias, rng) for _ in range(40)])
    mean, error = mean_and_error(drawn)
    assert agrees(mean, result.row[name][256], error)
    # big_vision's thread: a mean over n² pairs, divided by n again.
    assert abs(mean / 256**2 / result.twice[name] - 1) < 0.03
    assert abs(mean / 256 / result.twice[name] - 1) > 1, "divided once"
    assert close(256**2 * -special.log_expit(0) / 256, result.untrained)


def test_the_best_bias(result):
    for n, bias in result.suits.items():
        assert close(special.expit(bias), 1 / n)
    assert close(special.expit(-10.0), 1 / result.level)
    rng = np.random.default_rng(3)
    tried = [np.mean([siglip(256, 768, 10, b, rng) for _ in range(5)]) for b in (-10, -5.6, -4, -2)]
    assert np.argmin(tried) == 1
    assert abs(min(tried) - result.row["best"][256]) < 0.1


def test_cosines_and_raw_products_of_clip(result):
    rng = np.random.default_rng(4)
    x, y = rng.standard_normal((2, 8000, 512))
    raw = np.sum(x * y, axis=1)
    cosine = raw / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    for name, logits in (
        ("÷ .07", cosine / 0.07),
        ("and ÷ √512", cosine / 0.07 / np.sqrt(512)),
        ("raw ÷ .07", raw / 0.07),
    ):
        assert abs(logits.std() / result.spread[name] - 1) < 0.03
    S = np.eye(1024)
    for name, factor in (("÷ .07", 1 / 0.07), ("and ÷ √512", 1 / 0.07 / np.sqrt(512))):
        assert close(-special.log_softmax(factor * S, axis=1)[0, 0], result.floor[name], 1e-6)
    assert close(special.logsumexp(np.zeros(1024)), result.even)


def test_a_batch_asks_for_a_logarithm(result):
    for n, factor in result.half_of.items():
        assert close(special.softmax([factor, *np.zeros(n - 1)])[0], 0.5)
        assert not close(special.softmax([0.9 * factor, *np.zeros(n - 1)])[0], 0.5, 0.01)
    assert close(
        special.logsumexp(np.zeros(2048)) - special.logsumexp(np.zeros(256)), result.gathered
    )
    assert close(result.doubling, np.log(4096) - np.log(2048))


def test_faces(result):
    others = np.zeros(85_741)
    for p, factor in result.needed.items():
        assert close(special.softmax([factor, *others])[0], p)
    assert close(special.logsumexp([1, *others]) - 1, result.bare)
    assert close(result.adacos, 2**0.5 * np.log(85_741))
    rng = np.random.default_rng(5)
    x, classes = unit(rng, 200, 512), unit(rng, 5000, 512)
    logits = 64 * x @ classes.T
    assert abs(logits.std() / result.faces[64] - 1) < 0.03
    assert abs(30 * logits.std() / 64 / result.faces[30] - 1) < 0.03
    angle = np.arccos(logits[:, 0] / 64)
    right = 64 * np.cos(angle + 0.5)
    # Of 5000 drawn classes; the others of 85,742 only make the sum larger.
    sums = special.logsumexp(logits[:, 1:], axis=1) + np.log(85_741 / 4999)
    loss = np.mean(np.logaddexp(sums, right) - right)
    assert abs(loss - result.with_margin) < 0.9
    assert abs(loss - result.start) > 20, "without the margin"


def test_supcon_without_a_norm(result):
    torch = pytest.importorskip("torch")
    x = torch.randn(48, 128, generator=torch.Generator().manual_seed(6))

    def log_of_sum(x):
        logits = x @ x.T / 0.07
        logits = logits - logits.max(dim=1, keepdim=True).values
        return (logits.exp() * (1 - torch.eye(len(x)))).sum(dim=1).log()

    assert log_of_sum(x).isinf().all()
    assert log_of_sum(torch.nn.functional.normalize(x)).isfinite().all()
    products = (x @ x.T / 0.07).numpy()
    assert abs(np.diag(products).mean() / result.itself - 1) < 0.1
    assert abs(products[~np.eye(48, dtype=bool)].std() / result.others - 1) < 0.1
    assert np.float32(np.exp(-result.fp32_least + 0.01)) > 0
    assert np.float32(np.exp(-result.fp32_least - 0.01)) == 0
    assert close(2 / 0.07, result.apart_normed)


def test_a_router(result):
    rng = np.random.default_rng(11)
    tokens = rng.standard_normal((500, result.router_width))
    for drawn, spread in result.router.items():
        logits = tokens @ (drawn * rng.standard_normal((result.router_width, 64)))
        assert close(logits.std(), spread, 0.02)
        assert not close(logits.std(), spread / 8, 0.02)
    experts = rng.standard_normal((result.router_width, 64))
    cosines = tokens @ experts / np.linalg.norm(experts, axis=0)
    cosines /= np.linalg.norm(tokens, axis=1, keepdims=True)
    assert close(cosines.std(), result.router_cosine, 0.0005)
