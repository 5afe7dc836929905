r"""Once the task is learned, the exponent over all pairs depends on the scale.
Bands show two standard errors.

The exponent of the size of q·k in d against the number of Adam steps from 1 to
200, on a logarithmic axis, with bands. Both lines start at one half and rise
together, and part at about step 5. With 8/d the line climbs to about
{= end['8/d'][0] :.2f } and stays there. With 1/√d it climbs to about
{= highest :.1f } near step {= highest_at } and falls back below one half.
"""

# %%
import numpy as np
from recall import exponent, loss, rms, scores, train

dims, seeds, steps = [16, 32, 64, 128], range(3), 200
shown = np.unique(np.geomspace(1, steps, 30).astype(int))
scales = {"1/√d": np.sqrt, "8/d": lambda d: d / 8}
fit, error, final_loss, right = {}, {}, {}, {}
over_all, at_right = {}, {}
for name, divisor in scales.items():
    over_all[name] = size = np.empty((len(shown), len(seeds), len(dims)))
    final_loss[name] = np.empty(size.shape[1:])
    at_right[name] = np.empty(size.shape[1:])
    for row, column in np.ndindex(size.shape[1:]):
        d = dims[column]
        s = divisor(d)
        run = train(d, seeds[row], s, steps)
        done = [(X, W) for t, (X, W) in enumerate(run) if t in shown]
        size[:, row, column] = [rms(scores(X, W)) for X, W in done]
        final_loss[name][row, column] = loss(*done[-1], s)
        at_right[name][row, column] = rms(np.diag(scores(*done[-1])))
    right[name] = exponent(dims, at_right[name])
    fit[name], error[name] = np.transpose([exponent(dims, a) for a in size])
end = {name: (fit[name][-1], error[name][-1]) for name in scales}
highest, highest_at = fit["1/√d"].max(), shown[fit["1/√d"].argmax()]
worst_loss = max(np.max(values) for values in final_loss.values())
bound = np.ceil(100 * worst_loss) / 100

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.4))
for colour, name in [("C2", "8/d"), ("C0", "1/√d")]:
    value, band = fit[name], 2 * error[name]
    axes.plot(shown, value, color=colour)
    axes.fill_between(
        shown, value - band, value + band, color=colour, alpha=0.3
    )
    axes.text(40, value[16] + 0.05, name, color=colour)
for guide in (0.5, 1):
    axes.axhline(guide, linestyle=":", color="C4")
axes.set(xscale="log", xlabel="step", ylabel="exponent of q·k in d")
axes.set(ylim=(0.38, 1.05), yticks=[0.5, 0.75, 1])
axes.set(xticks=[1, 10, 100], xticklabels=[1, 10, 100])
plt.show()

# %% says
plain, mup = fit["1/√d"], fit["8/d"]
gap, peak = mup - plain, plain.argmax()
assert gap[-1] > 0.3, "over all pairs depends on the scale"
assert abs(plain[0] - 1 / 2) < 0.03, "Both lines start at one half"
assert np.all(gap[shown < 5] < 0.03), (
    "and rise together, and part at about step"
)
assert np.all(abs(mup[shown > highest_at] - mup[-1]) < 0.03), (
    "climbs to about … and stays there"
)
assert plain[0] < highest > plain[-1], "it climbs to about … and falls back"
assert plain[-1] < 1 / 2, "falls back below one half"

assert (len(dims), len(seeds)) == (4, 3), (
    "at four head sizes from … with three seeds"
)
assert all(end[name][0] < right[name][0] for name in scales), (
    "Over all pairs it is lower"
)
assert np.all(np.diff(plain[peak:]) < 0), "and the latter still falls"
assert worst_loss < bound, "answer almost perfectly; no loss exceeds"
assert abs(right["8/d"][0] - 1) < 0.1, "nearly like $d$ if you divide by $d$"
assert abs(right["1/√d"][0] - 1 / 2) < 0.1, (
    r"and nearly like $\sqrt d$ if you divide by"
)
assert np.all(np.diff([plain[:peak], mup[:peak]]) > 0), "near ½ and rise; from"
assert np.all(gap[shown > 5] > 0.03), "from about step … they part"
