"""The figures of docs/questions.md: each by another route, each with a wrong variant that fails."""

import re
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from tests.tolerance import agrees, close, mean_and_error, variance_and_error

PAGE = Path(__file__).parents[1] / "docs/questions.md"
SAMPLES = 20_000


# The form of an answer


def lacks(entry):
    """Name what an answer should have and has not. An entry is what follows `### `."""
    own = re.split(r"\n## |\n::: settles", entry)[0]
    parts = re.split(r"\n\n+", own.strip())
    answer, more = parts[1], parts[-1]
    sentences = re.sub(r"\$[^$]*\$|\{[=?][^}]*\}|`[^`]*`", "x", answer)
    has = {
        "an anchor": re.search(r"\{#[\w-]+\}$", parts[0]),
        "two to five sentences": 2 <= len(re.findall(r"[.?](?=\s|$)", sentences)) <= 5,
        "a computed number": "{=" in answer,
        "a link to the argument": re.search(r"\]\(\w+\.md#", more),
        "a source": re.search(r"\[@|https://", more) or "\n::: settles" in entry,
    }
    return [name for name, found in has.items() if not found]


def test_every_answer_is_short_computed_linked_and_cited():
    _, *entries = PAGE.read_text("utf-8").split("\n### ")
    assert len(entries) > 30
    assert {entry.splitlines()[0]: lacks(entry) for entry in entries if lacks(entry)} == {}


def test_an_answer_that_lacks_something_is_found():
    whole = "Why? {#why}\n\nYes: {= a/b.c :.2f } of it. So.\n\n[There](a.md#b) [@c].\n{ .more }\n"
    assert lacks(whole) == []
    assert lacks(whole.replace(" {#why}", "")) == ["an anchor"]
    assert lacks(whole.replace(" So.", "")) == ["two to five sentences"]
    assert lacks(whole.replace("So.", "So. " * 5)) == ["two to five sentences"]
    assert lacks(whole.replace("{= a/b.c :.2f }", "half")) == ["a computed number"]
    assert lacks(whole.replace("a.md#b", "#b")) == ["a link to the argument"]
    assert lacks(whole.replace(" [@c]", "")) == ["a source"]


def vectors(d, samples=SAMPLES, seed=0):
    """Draw Gaussian queries and keys with independent coordinates of variance 1."""
    return np.random.default_rng(seed).standard_normal((2, samples, d))


def has_spread(logits, spread):
    """Tell whether logits have this standard deviation, up to the error of their variance."""
    variance, error = variance_and_error(logits)
    return agrees(variance, spread**2, error)


def scores(q, k):
    return np.sum(q * k, axis=-1)


# What changes the spread


def xavier(width, rng, outputs=512, d=64, samples=400):
    """Draw tokens of length √width, and what Xavier's rule makes of them for one head."""
    x = rng.standard_normal((samples, width))
    x *= np.sqrt(width) / np.linalg.norm(x, axis=1, keepdims=True)
    sd = np.sqrt(2 / (width + outputs))
    # Each token with weights of its own: averages run over the weights.
    return np.stack([rng.normal(0, sd, (d, width)) @ token for token in x])


def settings():
    """Draw logits in each of the settings, by what is done to the vectors."""
    q, k = vectors(64)
    rng = np.random.default_rng(1)
    kept_q, kept_k = rng.random((2, SAMPLES, 64)) > 0.1
    rms = [v * np.sqrt(64) / np.linalg.norm(v, axis=1, keepdims=True) for v in (q, k)]
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (q, k)]
    return {
        "plain": scores(q, k) / 8,
        "normed": scores(*rms) / 8,
        "dropout": scores(q * kept_q / 0.9, k * kept_k / 0.9) / 8,
        "cross": scores(xavier(512, rng), xavier(768, rng)) / 8,
        "heads": scores(q[:, :32], k[:, :32]) / 8,
        "by_width": scores(q, k) / np.sqrt(512),
        "unit": scores(*unit) / 8,
    }


@pytest.fixture(scope="module")
def drawn():
    return settings()


@pytest.mark.parametrize(
    "setting", ["plain", "normed", "dropout", "cross", "heads", "by_width", "unit"]
)
def test_each_setting_has_the_spread_that_is_drawn(snippet, drawn, setting):
    spread = getattr(snippet("questions/changes"), setting)
    assert has_spread(drawn[setting], spread)
    assert not has_spread(drawn[setting], spread * np.sqrt(2)), "a wrong spread passes"


def test_spreads_by_closed_forms(snippet):
    """The squares are fractions."""
    changes = {"dropout": 100 / 81, "cross": 6 / 5, "heads": 1 / 2, "by_width": 1 / 8}
    models = {"one": 3, "padded": 5 / 8, "gemma2": 8 / 9, "gemma2_first": 8 / 7, "gemma3": 16 / 21}
    models |= {"merged": 1 / 3, "width": 24 / 5, "long": (17 / 12) ** 2, "layer": 1 / 24**2}
    for page, squares in [("changes", changes), ("models", models)]:
        for name, square in squares.items():
            assert close(getattr(snippet(f"questions/{page}"), name) ** 2, square), name


def test_dropout_of_one_side_would_not_do(snippet, drawn):
    assert not has_spread(drawn["dropout"], np.sqrt(snippet("questions/changes").dropout))


def test_layernorm_leaves_one_direction_less():
    q, k = vectors(4)
    normed = [v - v.mean(axis=1, keepdims=True) for v in (q, k)]
    normed = [v / v.std(axis=1, keepdims=True) for v in normed]
    assert has_spread(scores(*normed) / 2, np.sqrt(4 / 3))
    assert not has_spread(scores(*normed) / 2, 1)


def test_shared_keys_and_masks_do_not_touch_a_score():
    """Eight query heads with one key head: each score has spread 1, masked or not."""
    rng = np.random.default_rng(2)
    q, k = rng.standard_normal((4000, 8, 64)), rng.standard_normal((4000, 1, 64))
    logits = scores(q, k) / 8
    assert all(has_spread(logits[:, head], 1) for head in range(8))
    assert not has_spread(logits.sum(axis=1), 1)
    # A bias moves the mean of a score, and the variance not at all.
    assert has_spread(logits[:, 0] - 3.0, 1)
    assert not has_spread(logits[:, 0] * -3.0, 1)


def test_dropout_of_weights_keeps_their_mean():
    rng = np.random.default_rng(3)
    weights = special.softmax(rng.standard_normal(16))
    kept = rng.random((SAMPLES, 16)) > 0.1
    mean, error = mean_and_error(weights * kept / 0.9)
    assert agrees(mean, weights, error)
    mean, error = mean_and_error(weights * kept)
    assert not agrees(mean, weights, error), "without rescaling"


# The causal mask


@pytest.mark.parametrize("n", [2, 8, 64, 512])
def test_the_keys_that_take_part_fit_a_simulation_of_vectors(snippet, n):
    """Logits of Gaussian keys and a query of length √d, not Gaussian numbers."""
    result = snippet("questions/causal")
    rng = np.random.default_rng(n)
    q = rng.standard_normal((1000, 1, 64))
    q *= 8 / np.linalg.norm(q, axis=-1, keepdims=True)
    bare = np.concatenate(
        [scores(part, rng.standard_normal((len(part), n, 64))) for part in np.split(q, 10)]
    )
    for logits, exact in ((bare / 8, result.divided[n]), (bare, result.bare[n])):
        mean, error = mean_and_error(np.sum(special.softmax(logits, axis=1) ** 2, axis=1))
        assert agrees(mean, 1 / exact, error)
    mean, error = mean_and_error(np.sum(special.softmax(bare / 4, axis=1) ** 2, axis=1))
    assert not agrees(mean, 1 / result.divided[n], error), "another divisor"


def test_the_mask_agrees_with_the_other_chapters(snippet, module):
    result, other = snippet("questions/causal"), module("scales/gaussian_logits")
    for n in (2, 64, 4096):
        assert close(result.divided[n], 1 / other.mean_square_weights(n, 1.0), 1e-6)
        assert not close(result.divided[n], 1 / other.mean_square_weights(n, 1.01), 1e-6)
    for n in (8, 4096):
        assert close(result.bare[n], 1 / other.mean_square_weights(n, 8.0), 1e-6)
        assert not close(result.bare[n], 1 / other.mean_square_weights(n, 8.1), 1e-6)
    for n in (8, 128):
        share = 1 / (n / np.e * other.mean_square_weights(n, 1.0))
        assert close([result.divided[n], result.above[n]], [share * n / np.e, share - 1], 1e-6)
    assert close(result.divided[1], 1)
    assert close(result.bare[1], 1)


def test_n_over_e_is_for_many_keys(snippet):
    """The share by which it exceeds n/e falls like 1/n, and is large for few keys."""
    result = snippet("questions/causal")
    far = [n for n in result.above if abs(result.divided[n] * np.e / n - 1) > 0.05]
    assert max(far) == 128
    assert result.above[16] > 0.25
    for n in (512, 1024, 2048):
        assert close(result.above[2 * n] / result.above[n], 0.5, 0.02)
        assert not close(result.above[2 * n] / result.above[n], 1, 0.02)


# What else the answers say


def share_below(n, sigma, norm, draws=20_000):
    """Count rows of Gaussian logits where diag(p) − ppᵀ has a smaller norm; give the error too."""
    logits = sigma * np.random.default_rng([n, int(sigma)]).standard_normal((draws, n))
    p = special.softmax(logits, axis=1)
    two, three = np.sum(p**2, axis=1), np.sum(p**3, axis=1)
    below = np.sqrt(np.maximum(two - 2 * three + two**2, 0)) < norm
    return below.mean(), 0.5 / np.sqrt(draws)


def test_at_256_dimensions_the_median_of_200_keys_falls_by_half():
    # A median lies below a value if more than half of the rows do.
    share, error = share_below(200, 1, 0.106)
    assert share < 0.5 - 4.5 * error, "divided, it is above 0.106"
    share, error = share_below(200, 16, 0.053)
    assert share > 0.5 + 4.5 * error, "bare at 256 dimensions, below half of that"
    share, error = share_below(200, 8, 0.106)
    assert share < 0.5 - 4.5 * error, "bare at 64 dimensions, it does not fall"


def test_merged_matrices_keep_the_divisor():
    """A key W c of 12 coordinates, or q W against the latent c of 48: one score, divisor √12."""
    rng = np.random.default_rng(5)
    q, c = rng.standard_normal((4000, 12)), rng.standard_normal((4000, 48))
    W = rng.standard_normal((4000, 12, 48)) / np.sqrt(48)
    plain = np.einsum("ni,nij,nj->n", q, W, c)
    merged = np.sum(np.einsum("ni,nij->nj", q, W) * c, axis=1)
    assert close(plain, merged)
    assert has_spread(merged / np.sqrt(12), 1)
    assert not has_spread(merged / np.sqrt(48), 1)


def test_three_terms_that_depend_on_q_or_k():
    """Content with content, content with position, position with content: 3d."""
    rng = np.random.default_rng(6)
    q, k, position_q, position_k = rng.standard_normal((4, SAMPLES, 64))
    logits = scores(q, k) + scores(q, position_k) + scores(position_q, k)
    assert has_spread(logits / np.sqrt(3 * 64), 1)
    assert not has_spread(logits / 8, 1)


def test_a_mask_makes_the_rows_that_the_figure_counts():
    """Row t of a masked softmax is the softmax of its first t scores."""
    logits = np.random.default_rng(4).standard_normal((6, 6))
    masked = np.where(np.tri(6, dtype=bool), logits, -np.inf)
    weights = special.softmax(masked, axis=1)
    for t in range(6):
        assert close(weights[t, : t + 1], special.softmax(logits[t, : t + 1]))
        assert np.all(weights[t, t + 1 :] == 0)
    assert not close(weights[2, :3], special.softmax(logits[2])[:3])


# Half precision


@pytest.mark.parametrize("d", [16, 64, 1024])
def test_the_limit_is_where_half_precision_overflows(snippet, d):
    result = snippet("questions/quarter")

    def overflows(a, q_divisor, k_divisor):
        q = np.full(d, a, np.float16)
        with np.errstate(over="ignore"):
            return np.isinf((q / np.float16(q_divisor)) @ (q / np.float16(k_divisor)))

    for limit, divisors in (
        (result.after[d], (1, 1)),
        (result.each_side[d], (d**0.25, d**0.25)),
        (result.each_side[d], (d**0.5, 1)),
    ):
        # fp16 has 11 significant bits: 1% is several of its roundings.
        assert not overflows(0.99 * limit, *divisors)
        assert overflows(1.01 * limit, *divisors)
    assert overflows(0.99 * result.each_side[d], 1, 1)
    assert close(result.gain[d], d**0.25)
    with np.errstate(over="ignore"):
        ends = [np.exp(np.float16(result.log_top + by)) for by in (-0.01, 0.01)]
    assert list(np.isinf(ends)) == [False, True]


def test_no_score_is_larger_than_that_of_equal_vectors():
    q, k = vectors(64, 2000)
    rms = [v / np.sqrt(np.mean(v**2, axis=1, keepdims=True)) for v in (q, k)]
    assert np.all(np.abs(scores(*rms)) < 64)
    assert close(scores(rms[0], rms[0]), 64)


def test_the_example_overflows_only_when_divided_after(snippet):
    result = snippet("questions/quarter")
    assert np.isinf(result.scores["after"])
    assert abs(result.scores["each side"] / result.exact - 1) < 2**-8
    assert result.scores["query"] == result.exact


# Rotary positions


def turned(vector, m, theta):
    """Turn pairs of coordinates, as rotary embeddings do, by matrices instead of formulas."""
    cos, sin = np.cos(m * theta), np.sin(m * theta)
    first, second = vector[:, ::2], vector[:, 1::2]
    return np.stack([cos * first - sin * second, sin * first + cos * second], -1)


@pytest.mark.parametrize("m", [0, 1, 7, 60])
@pytest.mark.parametrize("uneven", [0, 0.5, 1])
def test_the_variance_of_a_turned_score(snippet, m, uneven):
    result = snippet("questions/rotation")
    scale = np.sqrt(1 + uneven * np.tile([1, -1], 32))
    q, k = vectors(64) * scale
    drawn = np.sum(turned(q, 5, result.theta) * turned(k, 5 + m, result.theta), axis=(1, 2))
    exact = result.curves[uneven][10 * m]
    assert has_spread(drawn / 8, np.sqrt(exact))
    assert not has_spread(drawn / 8, np.sqrt(1.15 * exact))


def test_the_ends_of_the_curves(snippet):
    """Turned by a right angle, as many pairs as can be, it is lowest."""
    result = snippet("questions/rotation")
    # E q₁²k₁² and so on, over turns of k: cos², sin² and variances, for each pair.
    big, small = 1.5, 0.5
    cos = np.cos(np.outer(np.arange(4097), result.theta)) ** 2
    curve = np.mean((big**2 + small**2) * cos + 2 * big * small * (1 - cos), axis=1) / 2
    assert close(curve[0], result.near[0.5])
    for last, nearer in ((60, 6), (4096, 60)):
        assert close(curve[: last + 1].min(), result.lowest[last])
        assert not close(curve[: nearer + 1].min(), result.lowest[last], 1e-3)


def test_one_even_side_is_enough(snippet):
    result = snippet("questions/rotation")
    q, k = vectors(64)
    k = k * np.sqrt(1 + np.tile([1, -1], 32))
    for m in (0, 7, 60):
        drawn = np.sum(turned(q, 0, result.theta) * turned(k, m, result.theta), axis=(1, 2))
        assert has_spread(drawn / 8, 1)
    assert not close(result.curves[1], 1)


# The divisors of known models


def zeros(*arrays, width):
    """Pad arrays with zeros to so many coordinates, as fused kernels do."""
    return [np.pad(a, ((0, 0), (0, width - a.shape[1]))) for a in arrays]


def test_padding_adds_nothing_to_a_score(snippet):
    q, k = zeros(*vectors(80), width=128)
    assert has_spread(scores(q, k) / np.sqrt(128), snippet("questions/models").padded)
    assert has_spread(scores(q, k) / np.sqrt(80), 1)
    assert not has_spread(scores(q, k) / np.sqrt(128), 1)


@pytest.mark.parametrize(
    ("name", "d", "under_the_root"),
    [("gemma2", 128, 144), ("gemma2_first", 256, 224), ("gemma3", 128, 168), ("width", 192, 40)],
)
def test_a_number_of_its_own_under_the_root(snippet, name, d, under_the_root):
    """The numbers are those that the threads name; the spread is drawn."""
    spread = getattr(snippet("questions/models"), name)
    assert has_spread(scores(*vectors(d)) / np.sqrt(under_the_root), spread)
    assert not has_spread(scores(*vectors(d)) / np.sqrt(d), spread)


def test_three_terms_without_the_three(snippet):
    rng = np.random.default_rng(7)
    q, k, position_q, position_k = rng.standard_normal((4, SAMPLES, 64))
    logits = (scores(q, k) + scores(q, position_k) + scores(position_q, k)) / 8
    result = snippet("questions/models")
    assert has_spread(logits, result.one)
    assert has_spread(logits / np.sqrt(3), result.three)
    assert not has_spread(logits, result.three)


def test_mla_forms_the_same_score_from_more_terms(snippet):
    """128 coordinates merged into 512, and 64 turned ones beside them."""
    rng = np.random.default_rng(8)
    q, latent = rng.standard_normal((2000, 128)), rng.standard_normal((2000, 512))
    W = rng.standard_normal((128, 512)) / np.sqrt(512)
    q_turned, k_turned = rng.standard_normal((2, 2000, 64))
    merged = scores(np.hstack([q @ W, q_turned]), np.hstack([latent, k_turned]))
    plain = scores(np.hstack([q, q_turned]), np.hstack([latent @ W.T, k_turned]))
    assert close(merged, plain)
    # One W for all: its own chance moves the variance by a few per cent.
    assert abs(np.std(merged / np.sqrt(192)) - 1) < 0.1
    assert abs(np.std(merged / np.sqrt(576)) - snippet("questions/models").merged) < 0.06


def test_a_factor_on_each_side_counts_twice(snippet):
    result = snippet("questions/models")
    # ln 32 is 5/12 of ln 4096, both being powers of 2.
    assert close(result.attention_factor, (1 + 5 / 12) ** 0.5)
    q, k = vectors(64) * result.attention_factor
    assert has_spread(scores(q, k) / 8, result.long)
    assert not has_spread(scores(q, k) / 8, result.attention_factor)


def test_the_layer_does_not_change_a_score(snippet):
    """Layer after layer LayerNorm gives back the length, and so the variance."""
    rng = np.random.default_rng(9)
    x = rng.standard_normal((400, 64)) * 30  # what a deep layer may have added up to
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    W = rng.standard_normal((2, 400, 64, 64)) / 8
    logits = scores(np.einsum("ni,nij->nj", x, W[0]), np.einsum("ni,nij->nj", x[::-1], W[1])) / 8
    assert has_spread(logits, 1)
    assert has_spread(logits / 24, snippet("questions/models").layer)


# Keys that are queries


@pytest.mark.parametrize(("d", "n"), [(16, 32), (64, 512), (64, 64)])
def test_a_token_attends_to_itself(snippet, d, n):
    result = snippet("questions/shared")
    rng = np.random.default_rng([d, n])
    draws = 2000
    q = rng.standard_normal((draws, d))
    others = np.concatenate(
        [
            np.einsum("ad,and->an", part, rng.standard_normal((len(part), n - 1, d)))
            for part in np.array_split(q, 40)
        ]
    )
    logits = np.column_stack([scores(q, q), others]) / np.sqrt(d)
    mean, error = mean_and_error(special.softmax(logits, axis=1)[:, 0])
    assert agrees(mean, result.itself[d][n], error)
    own, own_error = mean_and_error(logits[:, 0])
    assert agrees(own, result.own_logit[d], own_error)
    # A token with another one is not preferred.
    mean, error = mean_and_error(special.softmax(logits, axis=1)[:, 1])
    assert not agrees(mean, result.itself[d][n], error)


def test_how_much_a_token_attends_to_itself_to_a_hundredth(snippet):
    """Given the length, the scores of the others are Gaussian."""
    own, rng = [], np.random.default_rng(12)
    for r in np.split(rng.chisquare(64, 20_000) / 64, 20):
        others = np.sqrt(r)[:, np.newaxis] * rng.standard_normal((len(r), 511))
        own.append(special.expit(8 * r - special.logsumexp(others, axis=1)))
    mean, error = mean_and_error(np.concatenate(own))
    itself = snippet("questions/shared").itself[64][512]
    assert agrees(mean, itself, error)
    for wrong in (-0.01, 0.01):
        assert not agrees(mean, itself + wrong, error)


def test_a_key_of_length_1_does_the_work_of_the_root():
    """Reformer's q·q/|q| has the spread of q·k/√d between two tokens."""
    q, other = vectors(64)
    assert has_spread(scores(q, other / np.linalg.norm(other, axis=1, keepdims=True)), 1)
    assert not has_spread(scores(q, other), 1)


# Without softmax


@pytest.mark.parametrize("d", [1, 64, 1024])
def test_the_slope_of_a_sigmoid(snippet, d):
    result = snippet("questions/sigmoid")
    q, k = vectors(d)
    # Of length √d: then the scores of Gaussian keys are Gaussian.
    z = scores(q * np.sqrt(d) / np.linalg.norm(q, axis=1, keepdims=True), k)
    for logits, exact in ((z, result.bare[d]), (z / np.sqrt(d), result.divided)):
        mean, error = mean_and_error(special.expit(logits) * special.expit(-logits))
        assert agrees(mean, exact, error)
    assert d == 1 or not agrees(mean, result.bare[d], error)


def test_the_slope_is_a_density_at_0(snippet):
    """Far up the sigmoid is a step, and its mean slope 1/√(2πd)."""
    bare = snippet("questions/sigmoid").bare
    assert close(bare[1024] * np.sqrt(2 * np.pi * 1024), 1, 0.002)
    assert not close(bare[64] * np.sqrt(2 * np.pi * 64), 1, 0.002)


def test_the_sum_of_sigmoid_weights(snippet):
    result = snippet("questions/sigmoid")
    z = np.random.default_rng(10).standard_normal((4000, 512))
    for name, logits in (
        ("divided", z - np.log(512)),
        ("bare", 8 * z - np.log(512)),
        ("no bias", z),
    ):
        mean, error = mean_and_error(special.expit(logits).sum(axis=1))
        assert agrees(mean, result.sum_of_weights[name], error)
    assert not agrees(mean, result.sum_of_weights["bare"], error)


def test_linear_attention_is_even(snippet):
    result = snippet("questions/sigmoid")
    rng = np.random.default_rng(11)
    phi_q, phi_k = (
        np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
        for x in (rng.standard_normal((500, 1, 64)), rng.standard_normal((500, 512, 64)))
    )
    weights = np.sum(phi_q * phi_k, axis=2)
    weights /= weights.sum(axis=1, keepdims=True)
    # A factor cancels; the exact value is for a great many keys, up to 1/n.
    assert close(3 * weights / np.sum(3 * weights, axis=1, keepdims=True), weights)
    assert abs(1 / np.mean(np.sum(weights**2, axis=1)) - result.linear) < 0.3
    assert result.linear < 511


# The list on top


def listed(page):
    """Give the anchors in the list on top, groups and questions, in order."""
    return re.findall(r"\]\(#([\w-]+)\)", page.split("\n## ")[0])


def anchors(page):
    """Give the anchors of the headings below it, in order."""
    headings = re.findall(r"^##+ (.+?)(?: \{#([\w-]+)\})?$", page, re.MULTILINE)
    return [anchor or re.sub(r"\W+", "-", title.lower()) for title, anchor in headings]


def misplaced(page):
    """Name what the list on top lacks, has too much, or else the first that is out of order."""
    on_top, below = listed(page), anchors(page)
    found = [f"the list on top lacks (#{each})" for each in below if each not in on_top]
    found += [f"no heading has (#{each})" for each in on_top if each not in below]
    pairs = zip(on_top, below, strict=False)
    swapped = (f"(#{one}) is listed where (#{other}) comes" for one, other in pairs if one != other)
    return found or [*islice(swapped, 1)]


def test_the_list_on_top_leads_to_every_question():
    page = PAGE.read_text("utf-8")
    assert misplaced(page) == []
    assert len(set(anchors(page))) == len(listed(page)) == len(anchors(page)) > 50


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    [
        ("\n## In code", "\n### New? {#new}\n\n## In code", "the list on top lacks (#new)"),
        ("[MLA](#mla)", "[MLA](#gemma)", "the list on top lacks (#mla)"),
        ("[MLA](#mla)", "[MLA](#mla) [a](#more)", "no heading has (#more)"),
        (
            "(#models)**: [DeBERTa](#deberta)",
            "(#deberta)**: [a](#models)",
            "(#deberta) is listed where (#models) comes",
        ),
    ],
)
def test_what_the_list_on_top_lacks_or_misplaces_is_named(old, new, flaw):
    page = PAGE.read_text("utf-8")
    assert page.count(old) == 1
    assert misplaced(page.replace(old, new)) == [flaw]
