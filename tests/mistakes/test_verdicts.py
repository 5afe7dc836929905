"""Each kind of the page as a small model, with the mended one: the page's own lines are run.

The lines of the page's tables are evaluated in a module with queries, keys and values of its own.
The script has to name the fault as the page says, and to be silent about the line that is right.
"""

import math
import re
from dataclasses import dataclass

import pytest

from tests.conftest import PROJECT

torch = pytest.importorskip("torch", reason="no PyTorch: `make torch` installs it")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from tests.check_attention.script import ours  # noqa: E402

PAGE = (PROJECT.root / "docs/mistakes.md").read_text("utf-8")
ROW = re.compile(
    r"^\| `([^`]+)`[^|]*\| (?:`([^`]+)`|the same)[^|]*\|.*\| ([^|]+) \|$", re.MULTILINE
)


@dataclass
class Kind:
    """A row of the page: its wrong line, its right one, and what the page says of the verdict."""

    wrong: str
    right: str
    says: str
    verdict: str  # the script's own short name for it
    gives: str = "logits"  # what the line gives: logits, weights, or the output
    shape: tuple = (4, 16)  # heads, and their size
    stated: dict | None = None  # what the module says of itself


RIGHT = "q @ k.mT / q.size(-1)**0.5"  # what “the same” stands for
KINDS = {
    "width": Kind("q @ k.mT / x.size(-1)**0.5", RIGHT, "Wrong root", "width"),
    "heads": Kind(
        "q @ k.mT / heads**0.5", "", "Root of the number of heads", "number", shape=(3, 16)
    ),
    "typed": Kind(
        "q @ k.mT * 0.125", "", "A scale for heads of another size", "other head", shape=(4, 32)
    ),
    "none": Kind("q @ k.mT", "q @ k.mT / d**0.5", "Scale forgotten", "forgotten"),
    "twice": Kind(
        "F.scaled_dot_product_attention(q / d**0.5, k, v)",
        "F.scaled_dot_product_attention(q, k, v)",
        "Scaled twice",
        "twice",
        "output",
    ),
    "reversed": Kind("q @ k.mT / scale", "q @ k.mT * scale", "Scale reversed", "reversed"),
    "fourth root": Kind(
        "(q * d**-0.25) @ k.mT",
        "(q * d**-0.25) @ (k * d**-0.25).mT",
        "One fourth root only",
        "fourth root",
    ),
    "after": Kind(
        "(q @ k.mT).softmax(-1) / d**0.5",
        "(q @ k.mT / d**0.5).softmax(-1)",
        "Scaled after softmax",
        "after",
        "weights",
    ),
    "bias": Kind(
        "(q @ k.mT + bias) / d**0.5",
        "q @ k.mT / d**0.5 + bias",
        "Bias divided too",
        "bias divided",
        shape=(8, 16),
    ),
    "cap": Kind(
        "scores.softmax(-1)",
        "(cap * (scores / cap).tanh()).softmax(-1)",
        "Cap left out",
        "no cap",
        "weights",
        stated={"attn_logit_softcapping": 50.0},
    ),
    "queries": Kind(
        "scores.softmax(-2)", "scores.softmax(-1)", "Softmax over queries", "queries", "weights"
    ),
    "mask": Kind(
        "scores.masked_fill(later, 1e-9)",
        "scores.masked_fill(later, -math.inf)",
        "Mask without effect",
        "fails",
    ),
}


class Attention(nn.Module):
    """Self-attention whose one line comes from the page."""

    def __init__(self, kind, line):
        super().__init__()
        heads, d = kind.shape
        self.num_heads, self.gives, self.line = heads, kind.gives, compile(line, "page", "eval")
        for name, value in (kind.stated or {}).items():
            setattr(self, name, value)
        self.layers = nn.ModuleList(nn.Linear(heads * d, heads * d) for _ in range(3))

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for f in self.layers)
        heads, d, n = self.num_heads, q.size(-1), x.size(1)
        away = torch.arange(n)[:, None] - torch.arange(n)
        slopes = 2.0 ** -torch.arange(1, heads + 1)[:, None, None]
        names = {
            **{"q": q, "k": k, "v": v, "x": x, "heads": heads, "d": d, "scale": d**-0.5},
            **{"math": math, "F": functional, "cap": 50.0, "later": away < 0},
            **{"bias": -slopes * away.abs(), "scores": q @ k.mT / d**0.5},
        }
        found = eval(self.line, names)
        if self.gives == "logits":
            found = found.softmax(-1)
        return found if self.gives == "output" else found @ v


def report(kind, line):
    torch.manual_seed(0)
    heads, d = kind.shape
    batches = [torch.randn(4, 40, heads * d) for _ in range(2)]
    return ours.check(Attention(kind, line).eval(), batches, show=False)


def test_the_page_has_these_lines():
    rows = {wrong: (right, says) for wrong, right, says in ROW.findall(PAGE)}
    for kind in KINDS.values():
        assert rows[kind.wrong] == (kind.right, kind.says)
    assert len(rows) > len(KINDS)


@pytest.mark.parametrize("name", KINDS)
def test_the_script_names_the_wrong_line_and_is_silent_about_the_right_one(name):
    kind = KINDS[name]
    wrong, right = report(kind, kind.wrong), report(kind, kind.right or RIGHT)
    named = any(kind.verdict in row.verdicts for row in wrong.rows)
    assert named or kind.says.lower() in str(wrong).lower(), wrong.rows[0].verdicts
    assert not wrong.ok
    assert right.ok, str(right)


@pytest.mark.parametrize("name", ["width", "heads", "none", "reversed", "fourth root"])
def test_mended_weights_in_right_code_give_what_wrong_code_gave(name):
    kind = KINDS[name]
    heads, d = kind.shape
    torch.manual_seed(1)
    x = torch.randn(2, 12, heads * d)
    wrong, right = Attention(kind, kind.wrong), Attention(kind, kind.right or RIGHT)
    right.load_state_dict(wrong.state_dict())
    old = {
        "width": (heads * d) ** -0.5,
        "heads": heads**-0.5,
        "none": 1.0,
        "reversed": d**0.5,
        "fourth root": d**-0.25,
    }[name]
    with torch.no_grad():
        assert not torch.allclose(wrong(x), right(x), atol=1e-3)
        right.layers[0].weight.mul_(old / d**-0.5)
        assert not torch.allclose(wrong(x), right(x), atol=1e-5), "the bias is part of it"
        right.layers[0].bias.mul_(old / d**-0.5)
        assert torch.allclose(wrong(x), right(x), atol=1e-5)


def test_the_order_matters_in_half_precision_alone():
    before, after = "(q / d**0.5) @ k.mT", "(q @ k.mT) / d**0.5"
    assert f"| `{after}` in fp16 | `{before}` |" in PAGE
    q = torch.full((1, 64), 40.0)
    for kind, infinite in ((torch.float16, True), (torch.float32, False)):
        names = {"q": q.to(kind), "k": q.to(kind), "d": 64}
        assert eval(after, names).isinf().item() == infinite
        assert not eval(before, names).isinf().item()


def test_log2e_belongs_to_exp2():
    assert "`(q @ k.mT * scale * LOG2E).softmax(-1)`" in PAGE
    z = torch.randn(3, 7, dtype=torch.float64)
    powers = torch.exp2(z * math.log2(math.e))
    assert torch.allclose(powers / powers.sum(-1, keepdim=True), z.softmax(-1))
    assert not torch.allclose((z * math.log2(math.e)).softmax(-1), z.softmax(-1), atol=1e-2)


@pytest.mark.parametrize(
    ("line", "stated", "says"),
    [
        ("q @ k.mT * scale * math.log2(math.e)", {}, "log₂e too much"),
        ("q @ k.mT * scale * 2.2", {}, "2.2 times 1/√d"),
        ("q @ k.mT * scale", {"scaling": 1.0}, "Not the scale that is stated"),
    ],
)
def test_what_the_page_says_of_other_rows(line, stated, says):
    kind = Kind(line, "q @ k.mT * scale", "", "", stated=stated)
    wrong = report(kind, line)
    assert not wrong.ok
    assert says in " ".join(wrong.faults("scale"))
    right = report(Kind("", "", "", ""), "q @ k.mT * scale")
    assert right.ok


def test_a_scale_of_0_is_found():
    kind = Kind("", "", "", "", "output")
    line = "F.scaled_dot_product_attention(q, k, v, scale={})"
    assert "Scale 0:" in " ".join(report(kind, line.format(0.0)).faults("scale"))
    assert report(kind, line.format("None")).ok


def test_falcon_adds_its_bias_twice_in_eager_code():
    transformers = pytest.importorskip("transformers")
    if transformers.__version__ not in re.search(r"In transformers ([\d., and]+),", PAGE)[1]:
        pytest.skip("another version of transformers than the page speaks of")
    found = {}
    for code in ("eager", "sdpa"):
        torch.manual_seed(0)
        sizes = {"vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 1}
        config = transformers.FalconConfig(
            **sizes,
            num_attention_heads=4,
            alibi=True,
            multi_query=False,
            attn_implementation=code,
        )
        model = transformers.FalconForCausalLM(config).eval()
        with torch.no_grad():
            found[code] = model(torch.arange(24)[None]).logits
    assert (found["eager"] - found["sdpa"]).abs().max() > 1e-3
