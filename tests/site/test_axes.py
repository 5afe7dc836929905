"""An explorable takes its axes from the snippet: another grid in Python is another picture.

Each is given the data of its snippet on another grid, and shows what follows from that.
"""

import re
from copy import deepcopy

import numpy as np
import pytest
from scipy.special import softmax

from tests.site.browser import BASE
from tests.site.explorables import CALM, PAGE, altered, is_share, printed, show
from tests.site.explorables.calculator import MODEL


@pytest.fixture
def given(visit, snippet):
    """Open an explorable with the data of its snippet, changed by a function."""
    where = {name: f"{PAGE[name].rstrip('/') or 'index'}/{name}" for name in PAGE}
    where["attention"] = "index/attention"

    def put(name: str, change):
        page = visit(BASE + PAGE[name], **CALM).page
        data = deepcopy(snippet(where[name]).explore)
        change(data)
        altered(page, name, data)
        return page

    return put


def words(part: str) -> str:
    """Give a function that reads the words of some parts."""
    return f"shown => [...shown.querySelectorAll('{part}')].map(part => part.textContent)"


def test_the_plane(given, module):
    largest = module("saturation/gaussian_logits").largest
    keys, spreads = [4.0, 64.0, 1024.0], 2 ** np.arange(-2, 4.51, 0.25)

    def coarser(data):
        data |= {"keys": keys, "spreads": spreads, "dims": [2, 256]}
        data["map"] = [[largest(n, float(s)) for n in keys] for s in spreads]

    page = given("plane", coarser)
    assert show(page, "plane", words(".keys i")) == ["4 keys", "1024"]
    assert show(page, "plane", words(".dims i")) == ["2", "8", "32", "128"]
    for n, d, a in [(4, 2, 0), (64, 64, 0), (1024, 256, 0.3)]:
        percent, where, border = show(
            page,
            "plane",
            """shown => [shown.querySelector('.found b').textContent,
                ['left', 'bottom'].map(side => shown.querySelector('.point').style[side]),
                shown.querySelector('.map path').getAttribute('d')]""",
            **{"n": n, "d": d, "a": a},
        )
        assert is_share(percent.removesuffix("%"), largest(float(n), float(d ** (0.5 - a))))
        place = [np.log2(n / 4) / 8, np.log2(d / 2) / 7]
        assert np.allclose([float(x.removesuffix("%")) for x in where], np.multiply(100, place))
        x, y = np.array(re.findall(r"[ML](\d+) ([-\d.]+)", border), float).T
        limit = 2 * np.log(4 * 2 ** (8 * x / 1000))
        assert np.allclose((2 * 2 ** (7 * (1 - y / 1000))) ** (1 - 2 * a), limit, rtol=1e-3)
    show(page, "plane", "shown => 0", n=1e9, d=1e9)
    assert page.evaluate("() => document.querySelector('why-plane').values.n") == 1024


def test_products(given, snippet):
    def fewer(data):
        data |= {"q": data["q"][:40], "k": data["k"][:8, :40], "at": 20, "meant": 3}

    page = given("mechanism", fewer)
    scores = snippet("index/mechanism").start[:8]
    assert show(page, "mechanism", "shown => shown.values.d") == 20
    for d in (1, 20, 40):
        read = """shown => ({
            words: shown.querySelector('.row .found').innerText,
            bars: shown.querySelector('.bars path').getAttribute('d'),
            walks: shown.querySelector('.walk').getAttribute('d'),
            shown: shown.querySelector('.fan').style.getPropertyValue('--d'),
        })"""
        shown = show(page, "mechanism", read, d=d)
        weights = softmax(scores[:, d - 1])
        count = re.search(r"as if ([\d.]+) of 8 took part", shown["words"])[1]
        assert printed(count, 1 / np.sum(weights**2))
        assert shown["bars"].count("M") == shown["walks"].count("M") == 8
        assert shown["walks"].count("L") == 8 * 40
        assert float(shown["shown"]) == d / 40
    assert show(page, "mechanism", "shown => shown.values.d", d=128) == 40


def test_head_dimensions(given, snippet):
    layer = snippet("training/training")

    def fewer(data):
        data["dims"] = [16, 64, 512]
        data["start"] = layer.start[:, 0][:, [0, 2, 5]]
        data["added"] = layer.added[:, :, [0, 2, 5], :6]

    page = given("training", fewer)
    assert show(page, "training", words(".ends i")) == ["16", "64", "512"]
    line = "shown => shown.querySelector('.graph .C1').getAttribute('d')"
    places = np.array(re.findall(r"[ML]([\d.]+) ([\d.]+)", show(page, "training", line, steps=99)))
    x, y = places.astype(float).T
    assert np.allclose(x, [0, 400, 1000])
    assert np.allclose(10 ** (2 - y / 25), layer.added[1, 0, [0, 2, 5], 5], rtol=0.01)


def test_bins(given, module):
    def coarser(data):
        data |= {"times": 2, "below": module("variance/two_by_two").cdf(np.arange(1, 11) * 0.4)}

    page = given("puzzle", coarser)
    read = "shown => shown.querySelector('.bars path').getAttribute('d').split('M').length - 1"
    assert show(page, "puzzle", read, count=300) == 10
    assert show(page, "puzzle", words(".ends i")) == ["0", "1", "2", "3", "4"]


def test_steps(given, snippet):
    def fewer(data):
        data |= {"steps": [16, 256], "logits": [1, 1e4]}

    page = given("divisor", fewer)
    assert show(page, "divisor", words(".ends i")) == ["16", "64", "256"]
    assert show(page, "divisor", words(".sizes i")) == ["10⁴", "1000", "100", "10", "1"]
    line = "shown => shown.querySelector('.bare').getAttribute('d')"
    places = np.array(re.findall(r"[ML]([\d.]+) ([\d.]+)", show(page, "divisor", line, steps=9e9)))
    x, y = places.astype(float).T
    steps = np.round(2 ** (4 + np.arange(41) / 10)).astype(int)
    free = snippet("growth/divisor").divided["1"][steps - 1]
    assert np.allclose(x, 1000 * np.log(steps / 16) / np.log(16), atol=0.0501)
    assert np.allclose(y, 100 - 25 * np.log10(free), atol=0.00501)


def test_coins(given):
    page = given("coins", lambda data: data.update(range=[4, 64], at=16))
    assert show(page, "coins", words(".ends i")) == ["−24", "−16", "−8", "0", "+8", "+16", "+24"]
    assert show(page, "coins", words("button"))[3:] == ["4 coins", "16 coins", "64 coins"]
    read = "shown => [shown.values.d, shown.querySelector('.within').style.left]"
    assert show(page, "coins", read) == [16, "43.75%"]
    assert show(page, "coins", read, d=999) == [64, "37.5%"]


def test_dimensions_and_keys(given):
    def other(data):
        data |= {"range": [16, 256], "sizes": [[0.01, 1000], [0.1, 100]], "frozen": 10}
        data["row"] = data["row"][:12]

    page = given("constant", other)
    assert show(page, "constant", words(".ends i")) == ["16", "64", "256"]
    for match, sizes in enumerate(
        [["1000", "100", "10", "1", "0.1", "0.01"], ["100", "10", "1", "0.1"]]
    ):
        assert show(page, "constant", words(".sizes i"), match=match) == sizes
    read = """shown => [shown.querySelector('.cold').getAttribute('d'),
        shown.querySelector('.bars path').getAttribute('d').split('M').length - 1]"""
    assert show(page, "constant", read, match=0) == ["M0 0V40.00H1000V0", 12]


def test_keys_to_begin_with(given):
    page = given("attention", lambda data: data.update(g=data["g"][:8]))
    assert "keys 1 to 8" in show(page, "attention", words(".axis"))[0]


def test_numbers_to_begin_with(given):
    start = {
        "q": [1, 2],
        "k": [3, -4],
        "scores": [1, 0, 2, 5],
        "by": 2,
        "key": 4,
        "head": 16,
        "cap": 3,
    }
    page = given("yours", lambda data: data.update(start))
    values = show(page, "yours", "shown => shown.values")
    assert values == {
        **{"q": [1, 2], "k": [3, -4], "z": [1, 0, 2, 5]},
        **{"by": 2, "cap": 0, "m": [], "t": 4},
    }
    assert show(page, "yours", words("[aria-pressed=true]")) == ["no cap"]
    assert "÷ √16" in show(page, "yours", words("button"))
    page.locator("why-yours [name=by]").fill("* head_dim**-0.5")
    assert show(page, "yours", "shown => shown.values.by") == 4


def test_rules_in_another_order(given, module):
    """A rule is known by its name."""
    start = module("your-model/start")

    def turn(data):
        data |= {kind: data[kind][::-1] for kind in ("rules", "norms", "scales")}

    page = given("calculator", turn)
    for rule, norm, scale in [("nn.Linear", "none", "1/d"), ("T5", "LayerNorm", "√d")]:
        state = {
            "rule": [*start.RULES][::-1].index(rule),
            "norm": [*start.NORMS][::-1].index(norm),
            "by": [*start.SCALES][::-1].index(scale),
        }
        shown = show(page, "calculator", words(".found b"), **MODEL | state)
        assert printed(shown[0], start.spread(64, 12, 768, rule, scale, norm))
