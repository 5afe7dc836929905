r"""Each rule of initialisation gives the query a variance of its own. With a
fixed standard deviation of 0.02 for the weights it grows with the width.

The variance of a coordinate of the query against the width D of the model, from
{= width[0] :.0f } to {= width[-1] :.0f }, both axes logarithmic. Four rules are
level or nearly so: nn.Linear's default at a third, a fused matrix at one half,
LeCun at {= var_q['LeCun'] :.0f }, Xavier for one head of {= head } between 1.3
and 2. A fixed standard deviation rises in proportion to the width: a dot marks
GPT-2, {= var_q['GPT-2'] :.2f } at {= schemes['GPT-2'][2] }, the line crosses 1
at {= gpt2_width :.0f }, and dots mark {= fixed[4096] :.1f },
{= fixed[8192] :.1f } and {= fixed[12288] :.1f } at {= wide[0] }, {= wide[1] }
and {= wide[2] }. The last lies above a dotted line at {= frozen :.1f }, where a
row of {= n_keys } keys freezes.
"""

# %%
import numpy as np
from gaussian_logits import mean_square_weights

D, head, n_keys = 512, 64, 512
# Var W for queries and for keys, the width, and the divisor.
schemes = {
    "LeCun": (1 / D, 1 / D, D, head**0.5),
    "Xavier, one head": (*[2 / (D + head)] * 2, D, head**0.5),
    "Xavier, fused": (*[2 / (D + 3 * D)] * 2, D, head**0.5),
    "nn.Linear": (1 / (3 * D), 1 / (3 * D), D, head**0.5),
    "GPT-2": (0.02**2, 0.02**2, 768, head**0.5),
    "T5": (1 / (D * head), 1 / D, D, 1),
    # The first Transformer's code, where K and V share a matrix and Q has one.
    "first cross": (2 / (D + D), 2 / (D + 2 * D), D, head**0.5),
}
# With x·x = D each coordinate of Wx has variance D Var W.
var_q = {name: width * q for name, (q, k, width, s) in schemes.items()}
var_k = {name: width * k for name, (q, k, width, s) in schemes.items()}
logit_sd = {
    name: np.sqrt(head * var_q[name] * var_k[name]) / scheme[3]
    for name, scheme in schemes.items()
}
logit_variance = {name: sd**2 for name, sd in logit_sd.items()}
effective = {n: 1 / mean_square_weights(n_keys, s) for n, s in logit_sd.items()}
width = 2.0 ** np.arange(7, 15)
gpt2_width = 1 / 0.02**2  # where 0.02 gives variance 1
wide = [4096, 8192, 12288]
fixed = {width: 0.02**2 * width for width in wide}
# With this variance for q and k it is also the spread of the logits.
fixed_effective = {
    width: 1 / mean_square_weights(n_keys, v) for width, v in fixed.items()
}
frozen = np.sqrt(2 * np.log(n_keys))
frozen_width = frozen / 0.02**2
frozen_near = int(round(frozen_width, -2))
# Before the first layer norm: embeddings of variance 1, and D/2 sines and
# cosines, whose squares add up to 1 in pairs. x·x is this many times D.
first_input = 1 + 1 / 2
linear_bias = 1 / (3 * D)  # what the bias of nn.Linear adds
wrong_root = np.sqrt(head / D)  # unit variances, divided by √D
wrong_linear = wrong_root * logit_sd["nn.Linear"]
cross_var_k = 768 * 2 / (768 + 512)  # keys of width 768, queries of 512
cross_sd = np.sqrt(cross_var_k)

# %%
import matplotlib.pyplot as plt

lines = {
    "Xavier, one head of 64": 2 * width / (width + 64),
    "LeCun": np.ones_like(width),
    "Xavier, fused": np.full_like(width, 1 / 2),
    "nn.Linear": np.full_like(width, 1 / 3),
    "N(0, 0.02²)": 0.02**2 * width,
}
fig, axes = plt.subplots(figsize=(6.4, 3.8))
for name, variance in lines.items():
    axes.loglog(width, variance)
    if "head" in name:
        axes.text(500, 2.1, name)
    elif "N(" not in name:
        below = name == "nn.Linear"
        y = variance[0] * (0.93 if below else 1.08)
        axes.text(16384, y, name, ha="right", va="top" if below else "bottom")
axes.text(350, 0.08, "N(0, 0.02²)")
axes.plot(768, var_q["GPT-2"], "o", color="C4", markersize=8)
axes.text(880, 0.27, "GPT-2", va="top")
axes.plot(fixed.keys(), fixed.values(), "o", color="C4", markersize=8)
axes.axhline(frozen, color="C5", linestyle=":")
axes.text(128, 1.1 * frozen, "512 keys freeze")
axes.set(xlabel="width D of the model")
axes.set_ylabel("variance of a coordinate of q,\nand spread of the logits")
for at, variance in fixed.items():
    axes.text(at * 1.12, variance, at, va="top", color="C4")
axes.set(xticks=[128, 768, 2500, 16384], xticklabels=[128, 768, 2500, 16384])
axes.set(yticks=[0.1, 1 / 3, 0.5, 1, 2, 6])
axes.set_yticklabels(["0.1", "1/3", "1/2", "1", "2", "6"])
axes.minorticks_off()
plt.show()

# %% says
per_width = np.array([*fixed.values()]) / [*fixed]
assert np.allclose(per_width, 0.02**2), (
    "a fixed standard deviation of 0.02 for the weights it grows with the width"
)
assert abs(var_q["nn.Linear"] - 1 / 3) < 1e-9, "nn.Linear's default at a third"
assert var_q["Xavier, fused"] == 1 / 2, "a fused matrix at one half"
xavier = lines["Xavier, one head of 64"]
assert 1.3 < xavier.min() < xavier.max() < 2, "one head of … between 1.3 and 2"
assert np.ptp(per_width) < 1e-9, "rises in proportion to the width"
assert fixed[8192] < frozen < fixed[12288], "The last lies above a dotted line"

# Of the page.
assert schemes["GPT-2"][2] == 768, "GPT-2, $D = 768$"
assert head < D, "One head alone has fewer outputs than inputs"
assert logit_sd["Xavier, one head"] > 1, "so its spread is above 1"
assert abs(logit_sd["Xavier, fused"] - 1 / 2) < 1e-9, "which gives a half"
assert logit_sd["Xavier, fused"] < 1, "own code does not give 1 either"
both = logit_sd["first cross"] ** 2
assert abs(both - 2 / 3) < 1e-9, r"which gives $\sqrt{2/3}$"
assert logit_sd["LeCun"] == 1, "separate and square, which gives 1"
assert abs(0.02**2 * gpt2_width - 1) < 1e-9, "It is right at one width"
# Their widths are 768, 1024, 1280 and 1600.
assert gpt2_width > 1600, "All sizes of GPT-2 are narrower"
assert effective["GPT-2"] > effective["LeCun"], "narrower, and start flatter"
assert min(fixed.values()) > 1, (
    "Wider models that kept this number would start sharper and sharper"
)
assert fixed[8192] < frozen < fixed[12288], (
    "From a width of about … on, a row of … keys is [frozen]"
)
assert fixed[12288] > frozen, (
    "The latter is beyond … where a row of … keys freezes"
)
assert first_input > 1, "the first layer's spread … times as large"
assert [D, D / 8, head] == [512, 64, 64], (
    r"Width 512 in 8 heads of 64 means $\sqrt{64}$"
)
assert abs(wrong_root**2 - 64 / 512) < 1e-9, (
    r"With $\sqrt{512}$ all logits are $\sqrt8$ times smaller, whatever they"
)

# Of the questions.
assert abs(0.02**2 * gpt2_width - 1) < 1e-9, (
    "A fixed standard deviation of 0.02 … gives unit variance at"
)
assert np.isclose(var_q["T5"], 1 / head), "variance 1/… for a head of 64"

# Of the front page.
