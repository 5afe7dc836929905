r"""What the gradient of $W_Q$ and $W_K$ is without the divisor, in lengths with
√d, once the factor √d is undone. One batch gives as long a gradient in every
head. The part that all batches share shrinks as heads grow, much as one row of
random scores has it (line).

Dots over the head size, from {= dims[0] } to {= dims[3] } dimensions, on
logarithmic axes. Those of one batch stay near 1. Those of what batches share
fall from {= shared[16][0] :.2f } to {= shared[1024][0] :.2f }, below a line
that falls like 1/√d.
"""

# %%
import numpy as np
from scipy import stats
from stored import mean_and_error, read

dims, n, few, many = [16, 64, 256, 1024], 17, 8, 32
tokens = 2 * many + 1
table, n_seeds = read("training/signal.csv"), 8


def of(what, divisor, d, layer, pairs):
    """Return a column of the table, seed by seed."""
    here = table[(table["d"] == d) & (table["layer"] == layer)]
    here = here[(here["pairs"] == pairs) & (here["divisor"] == divisor)]
    return here[what][np.argsort(here["seed"])]


def ratios(d, layer="both", pairs=few):
    """Return undivided over divided, with √d undone, of each seed.

    Of the length of a batch's gradient, of the square of what batches share,
    which may come out below 0 where it is small, and of a median sequence's.
    """
    bare, divided, typical, other = (
        of(what, by, d, layer, pairs) / np.sqrt(d if by == "none" else 1)
        for what in ("length", "typical")
        for by in ("none", "√d")
    )
    agree, as_divided = (
        of("common", by, d, layer, pairs) for by in ("none", "√d")
    )
    one = bare / divided
    square = one**2 * agree / as_divided
    return {"batch": one, "square": square, "typical": typical / other}


def root(mean, error):
    """Return the root of a mean over seeds, and its error."""
    return np.sqrt(mean), error / np.sqrt(mean) / 2


of_seeds = {
    (layer, d): ratios(d, layer) for layer in ("both", "1", "2") for d in dims
}
found = {
    at: {name: mean_and_error(x) for name, x in each.items()}
    for at, each in of_seeds.items()
}
one_batch, squares, typical = (
    {d: found["both", d][name] for d in dims}
    for name in ("batch", "square", "typical")
)
shared = {d: root(*squares[d]) for d in dims}
layers = {
    layer: {d: root(*found[layer, d]["square"]) for d in dims} for layer in "12"
}
# In rows of up to 65 tokens.
longer = {name: mean_and_error(x) for name, x in ratios(64, pairs=many).items()}
longer_shared = root(*longer["square"])
# What batches of 64 share of the gradient's squared length.
agree = {
    by: {d: mean_and_error(of("common", by, d, "both", few)) for d in dims}
    for by in ("none", "√d")
}
in_common = np.array([shared[d][0] for d in dims])
power = np.polyfit(np.log(dims), np.log(in_common), 1)[0]


def row(sigma, n):
    """Return E tr J and E|J|² of n Gaussian scores of spread sigma.

    By the integrals of the chapter on softmax, whose M_r are `m` here.
    """
    tau = np.arange(-9 * sigma - 45, 9 * sigma + 5, 0.2)[:, np.newaxis]
    u = np.arange(-40, 5, 0.1)
    g, bump = (u + tau) / sigma, np.exp(u - np.exp(u)) * 0.1
    density = stats.norm.pdf(g) / sigma
    m0 = stats.norm.cdf(g) @ bump
    m1, m2 = density @ bump, density @ (np.exp(u) * bump)
    trace = n * (n - 1) * np.sum(m1**2 * m0 ** (n - 2)) * 0.2
    parts = 2 * m2**2 * m0 ** (n - 2) + (n - 2) * m2 * m1**2 * m0 ** (n - 3)
    return trace, n * (n - 1) / 6 * np.sum(parts) * 0.2


line = 2.0 ** np.arange(4, 10.5, 0.5)
trace, norm = np.array([row(np.sqrt(d), n) for d in line]).T
divided = row(1, n)
in_a_row = trace / divided[0]
one_row = np.sqrt(norm / divided[1])
# In heads of 64, for rows of both lengths.
in_rows = {keys: row(8, keys)[0] / row(1, keys)[0] for keys in (n, tokens)}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
for d in dims:
    each = of_seeds["both", d]
    axes.loglog([d] * n_seeds, each["batch"], "o", color="C1", alpha=0.5)
    told = np.sqrt(each["square"][each["square"] > 0])
    axes.loglog([d] * len(told), told, "o", color="C0", alpha=0.5)
axes.loglog(line, in_a_row, color="C0")
axes.axhline(1, color="C4", linewidth=1)
axes.text(120, 1.15, "one batch", color="C1", ha="center")
axes.text(120, 0.3, "what batches share", color="C0")
axes.set(xlabel="dimensions of a head, d", ylabel="undivided, over ÷ √d")
axes.set(xticks=dims, xticklabels=dims, ylim=(0.02, 2))
axes.set(yticks=[0.03, 0.1, 0.3, 1], yticklabels=[0.03, 0.1, 0.3, 1])
axes.minorticks_off()
plt.show()

# %% says
one, median = (
    np.array([each[d][0] for d in dims]) for each in (one_batch, typical)
)
assert np.all(np.abs(one - 1) < 0.15), "One batch gives as long a gradient"
assert np.all(np.abs(one - 1) < 0.15), "Those of one batch stay near 1"
assert np.all(np.abs(one - 1) < 0.15), "The upper dots stay where they are"
assert np.all(np.diff(in_common) < 0), "share shrinks as heads grow"
assert np.all(np.diff(in_common) < 0), "Those of what batches share fall from"
assert np.all(np.diff(in_common) < 0), (
    "What all batches share is much shorter, and the more so the larger"
)
assert np.all(in_common < in_a_row[np.isin(line, dims)]), (
    "below a line that falls like 1/√d"
)
assert abs(power + 1 / 2) < 0.05, "The lower ones fall, about like"
assert np.all(np.diff(median) < 0), "That of a median sequence does fall"
assert np.all(median[1:] < one[1:] / 2), (
    "so without the divisor a few sequences make more of the gradient"
)
for of_all, keys in ((shared[64], n), (longer_shared, tokens)):
    assert 0.7 < of_all[0] / in_rows[keys] < 1 - of_all[1] / in_rows[keys], (
        "it was somewhat less than that"
    )
