r"""At the start only $\sqrt{d}$ holds the spread of a logit; under alignment
only $d$ holds its mean.

Two stacked panels against the dimension d from {= dims[0] } to {= dims[-1] },
all axes logarithmic. Above, the standard deviation of a logit at the start:
divided by 1 it rises steeply, by log d less so, by √d it is level at 1, by d
and as a cosine it falls, by d⁵ and e^{πd} it drops out of the picture at once.
Below, the mean of a logit when query and key are correlated by 0.3: each line
climbs more or falls less, √d now rises, and d, like the cosine, is level.
"""

# %%
import numpy as np
import rivals

n_keys, rho = 512, 0.3
dims = 2 ** np.arange(1, 13)
start = {
    name: dict(zip(dims.tolist(), values.tolist(), strict=True))
    for name, values in rivals.spreads(dims, n_keys).items()
}
aligned = {
    name: dict(zip(dims.tolist(), values.tolist(), strict=True))
    for name, values in rivals.aligned(dims, rho, n_keys).items()
}
# Of e^{πd} itself at d = 64.
exp_digits = int(np.pi * 64 / np.log(10)) + 1
# The rows of the table, each with its label.
rows = [
    ("1", "1"),
    (r"$\log d$", "log d"),
    (r"$\sqrt d$, T5", "√d"),
    ("$d/8$", "d/8"),
    ("$d$", "d"),
    ("cosine", "cosine"),
    ("10 cos", "10 cosine"),
    ("QK-norm", "QK-norm"),
    (r"$\sqrt d/\log n$", "log n"),
    ("soft cap of 50", "cap"),
]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 1, figsize=(6.4, 7.2), sharex=True)
shown = {
    "1": "÷ 1",
    "log d": "÷ log d",
    "√d": "÷ √d",
    "d": "÷ d, cosine",
    "d⁵": "÷ d⁵",
    "exp πd": "÷ $e^{πd}$",
}
for axes, values in zip(panels, [start, aligned], strict=True):
    hues = ["C1", "C3", "C0", "C2", "C4", "0.5"]
    for colour, (name, label) in zip(hues, shown.items(), strict=True):
        line = np.array([*values[name].values()])
        inside = line > 1e-12
        axes.loglog(dims[inside], line[inside], color=colour)
        if name not in ("d⁵", "exp πd"):
            axes.text(4800, line[-1], label, color=colour, va="center")
    axes.set(ylim=(1e-6, 1e4), yticks=[1e-6, 1e-4, 1e-2, 1, 1e2, 1e4])
    axes.text(12, 2e-5, "÷ d⁵", color="C4")
    axes.text(2.4, 1e-5, "÷ $e^{πd}$", ha="right")
panels[0].set_title("at the start: standard deviation")
panels[1].set_title("query and key correlated by 0.3: mean")
panels[1].set(
    xlabel="dimension d", xticks=[4, 16, 64, 512, 4096], xlim=(1, 5000)
)
panels[1].set_xticklabels([4, 16, 64, 512, 4096])
panels[1].minorticks_off()
plt.show()

# %% says
level = [
    [name for name in shown if np.ptp([*table[name].values()]) < 1e-9]
    for table in (start, aligned)
]
assert level[0] == ["√d"], r"At the start only $\sqrt{d}$ holds the spread"
assert level[1] == ["d"], "under alignment only $d$ holds its mean"
rise = {name: start[name][4096] / start[name][8] for name in start}
assert rise["1"] > rise["log d"] > 1, "by 1 it rises steeply, by log d less so"
assert abs(start["√d"][64] - 1) < 1e-9, "by √d it is level at 1"
for f in ("d", "cosine"):
    assert np.all(np.diff([*start[f].values()]) < 0), "as a cosine it falls"
for f in ("d⁵", "exp πd"):
    assert start[f][32] < 1e-6, "it drops out of the picture at once"
for f in shown:
    climb = aligned[f][64] / aligned[f][8]
    assert climb > start[f][64] / start[f][8], (
        "each line climbs more or falls less"
    )
root = [*aligned["√d"].values()]
assert np.all(np.diff(root) > 0), "√d now rises"
cosine = [aligned["cosine"][d] for d in (16, 64, 4096)]
assert np.ptp(cosine) < 0.01, "like the cosine, is level"

# Of the page.
for f in ("log d", "d⁵", "exp πd"):
    for table in (start, aligned):
        low, high = sorted([table[f][64], table[f][4096]])
        assert high > 3 * low, (
            r"$\log d$ and $d^5$ keep neither of the two level"
        )
assert start["exp πd"][4096] == aligned["exp πd"][4096] == 0, (
    "at 4096 both are 0 in fp64"
)
assert 10 ** (exp_digits - 1) <= np.exp(64 * np.pi) < 10**exp_digits, (
    r"At $d=64$, $e^{\pi d}$ has … digits"
)
for f in ("QK-norm", "cap"):
    off = abs(np.array([*start[f].values()]) - 1)
    assert off.max() < 0.01, r"fail only where $\sqrt d$ itself does"
assert abs(aligned["cosine"][4096] - rho) < 1e-3, (
    r"Aligned, it settles near $\rho$"
)
assert 0.999 < start["cap"][64] < 1, "It leaves the logits of the start alone"

# Of the questions.
assert level[0] == ["√d"], "only the square root … the same spread"
assert rivals.CAP == 50, "A soft cap of 50, as in Gemma 2"
