"""The map to drag over, by drawing rows."""

import math

import numpy as np
from scipy.special import softmax

from tests.saturation.draws import close
from tests.tolerance import agrees, mean_and_error


def test_the_map_to_drag_over(snippet, module):
    """Each place averages what simulated rows do; a map shifted by half an octave does not."""
    shown = snippet("saturation/plane")
    rng = np.random.default_rng(31)

    def fits(shift):
        found = []
        for i, j in [(0, 2), (12, 0), (12, 6), (20, 3), (24, 8), (28, 5), (32, 9)]:
            n, sigma = 2 ** shown.octaves[j], 2.0 ** (shown.halvings[i] + shift)
            rows = softmax(sigma * rng.standard_normal((1500, n)), axis=1).max(axis=1)
            mean, error = mean_and_error(rows)
            found.append(agrees(shown.weight[i, j], mean, error))
        return all(found)

    assert fits(0)
    assert not fits(0.5)
    assert np.allclose(shown.explore["map"], shown.weight, rtol=1e-4)
    assert np.array_equal(shown.explore["keys"], 2**shown.octaves)
    assert close(np.log2(shown.explore["spreads"]), shown.halvings)
    assert close(shown.freezes_512, 18 * math.log(2))
    audit = snippet("scales/audit")
    assert close(shown.models["GPT-2"][2], audit.var_q["GPT-2"] ** 2)
    start = module("your-model/start")
    for name, heads, width in [("GPT-2 XL", 25, 1600), ("Llama 3", 32, 4096)]:
        _, d, product = shown.models[name]
        spread = start.spread(d, heads, width, "deviation", "1", s=0.02)
        assert close(spread, math.sqrt(d * product))
    assert close(shown.models["T5"][2], audit.var_q["T5"] * audit.var_k["T5"])


def test_the_caption_at_the_ends_and_at_each_state(snippet):
    """A larger a moves the curve up for variance 1, for any number of keys; not for each variance.

    "A larger $a$ moves it up" alone fails where two keys meet Llama 3's variance.
    """
    shown = snippet("saturation/plane")
    powers = np.arange(0, 0.5, 0.05)
    rises = {}
    for name, _, _, v in shown.explore["models"]:
        for n in shown.explore["keys"]:
            # Undivided variance V = v d at which v d^(1 - 2a) is 2 ln n.
            curve = v * (2 * np.log(n) / v) ** (1 / (1 - 2 * powers))
            rises[name, n] = bool(np.all(np.diff(curve) > 0))
    assert all(rises["variance 1", n] for n in shown.explore["keys"])
    assert not rises["Llama 3", 2]
    # At a = ½ every height has the variance v: nothing freezes if v is below 2 ln n for all n.
    assert min(2 * np.log(shown.explore["keys"])) > 1
