r"""If queries and keys are independent, $\sqrt{d}$ keeps the logits alike; if
they are aligned, $d$ does.

Six small plots in two rows, each with a dot for 16, 64 and 256 dimensions; a
row has one logarithmic axis. Upper row, independent: undivided the spread of
the logits doubles from dot to dot, {= spread['undivided'][0] :.0f },
{= spread['undivided'][1] :.0f }, {= spread['undivided'][2] :.0f }; divided by
√d it is 1 each time; divided by d it halves. Lower row, correlated by 0.3:
undivided the mean of the logits grows fourfold from dot to dot, divided by √d
it doubles, and divided by d it stays at 0.3. The two level lines are thick.
"""

# %%
import numpy as np
from our_row import meant, scores

rho = 0.3
dims = [16, 64, 256]
divisors = {"undivided": np.ones_like, "÷ √d": np.sqrt, "÷ d": np.copy}
d = np.array(dims, dtype=float)
# A sum of d terms: its noise grows like √d, its mean like d.
spread = {name: np.sqrt(d) / f(d) for name, f in divisors.items()}
mean = {name: rho * d / f(d) for name, f in divisors.items()}
# For the reader to follow: from and to which d, and which spread and mean; our
# row, of spread 1; and from which spread on a row of so many keys is frozen.
row = scores(64) / 8
explore = {
    "range": [4, 1024],
    "sizes": [[0.01, 100], [0.1, 1000]],
    "rho": rho,
    "row": row,
    "meant": meant,
    "frozen": np.sqrt(2 * np.log(len(row))),
}

# %%
import matplotlib.pyplot as plt

fig, rows = plt.subplots(2, 3, figsize=(6.4, 4.4), sharex=True, sharey="row")
for panels, values in zip(rows, [spread, mean], strict=True):
    for axes, colour, heights in zip(
        panels, ["C1", "C0", "C2"], values.values(), strict=True
    ):
        level = np.ptp(heights) < 1e-9
        axes.loglog(d, heights, f"{colour}o-", linewidth=4 if level else 2)
        for x, y in zip(d, heights, strict=True):
            above = {"xytext": (0, 6), "textcoords": "offset points"}
            label = f"1/{1 / y:.0f}" if y <= 1 / 4 else f"{y:.3g}"
            axes.annotate(label, (x, y), ha="center", **above)
        axes.set(xlim=(6, 900), xticks=dims, xticklabels=dims)
        axes.minorticks_off()
for axes, name in zip(rows[0], divisors, strict=True):
    axes.set_title(name)
ticks = [0.1, 1, 10, 100]
rows[0, 0].set(ylabel="independent:\nspread", ylim=(0.03, 80))
rows[1, 0].set(ylabel="aligned:\nmean", ylim=(0.1, 500))
for axes in rows[:, 0]:
    axes.set(yticks=ticks, yticklabels=ticks)
rows[1, 1].set_xlabel("dimension d")
plt.show()

# %% says
noise, signal = spread["undivided"], mean["undivided"]
assert np.all(noise == np.sqrt(d)), r"noise grows like $\sqrt d$"
assert np.ptp(spread["÷ √d"]) < 1e-9, r"dividing by $\sqrt d$ keeps it level"
assert np.ptp(signal / d) < 1e-9, "a key that fits the query grows like $d$"
level = [name for name in mean if np.ptp(mean[name]) < 1e-9]
assert level == ["÷ d"], "so dividing by $d$ would keep that level"

# Of the figure.
assert np.all(noise[1:] == 2 * noise[:-1]), "doubles from dot to dot"
assert np.all(spread["÷ √d"] == 1), "divided by √d it is 1 each time"
halved = spread["÷ d"]
assert np.all(halved[1:] == halved[:-1] / 2), "divided by d it halves"
assert np.allclose(signal[1:], 4 * signal[:-1]), (
    "grows fourfold from dot to dot"
)
doubled = mean["÷ √d"]
assert np.allclose(doubled[1:], 2 * doubled[:-1]), "divided by √d it doubles"
assert np.allclose(mean["÷ d"], rho), "divided by d it stays at 0.3"
