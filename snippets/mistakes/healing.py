r"""Right weights that train on in wrong code. What was scaled twice is nearly
back after 100 steps; what has no scale gets worse first.

Four lines over 0, 25 and 100 further steps, how much more is lost than by the
weights at the start in right code. Right code goes from 0 to
{= value['right'][-1] :.2f }, the root of the width from
{= value['width'][0] :.2f } to {= value['width'][-1] :.2f }, no scale from
{= value['missing'][0] :.2f } over {= value['missing'][1] :.2f } to
{= value['missing'][-1] :.2f }, and scaling twice from
{= value['twice'][0] :.2f } to {= value['twice'][-1] :.2f }.
"""

# %%
import numpy as np
from stored import by_seed, mean_and_error, read

table, first = read("mistakes/healing.csv"), read("mistakes/first_step.csv")
steps = [0, 25, 100]
codes = ["right", "width", "missing", "twice"]
start = by_seed(table, "loss", code="right", step=0)
value, error = {}, {}
for code in codes:
    by = [by_seed(table, "loss", code=code, step=s) - start for s in steps]
    value[code], error[code] = mean_and_error(np.transpose(by))
# How far Adam's first step moves logits if the root is in W_Q, or in W_Q and
# W_K, times as far as with the root in the formula.
d = 32
moved = {
    where: by_seed(first, "moved", start=where, size=0.001)
    for where in ("right", "in W_Q", "in both")
}
times = {
    where: tuple(map(float, mean_and_error(moved[where] / moved["right"])))
    for where in ("in W_Q", "in both")
}
agree, apart = float((d**0.5 + 1) / 2), float(((d + 1) / 2) ** 0.5)
both = float(d**0.25)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.6))
names = ["right", "√width", "no scale", "scaled twice"]
styles = zip(codes, names, "os^D", ["C0", "C2", "C1", "C3"], strict=True)
for code, name, mark, colour in styles:
    bars = {"capsize": 2, "color": colour, "label": name}
    axes.errorbar(
        range(3), value[code], 2 * error[code], fmt=mark + "-", **bars
    )
axes.set(xticks=range(3), xticklabels=steps, xlabel="further steps")
axes.set(ylabel="loss, less that at the start")
axes.legend(ncols=2)
plt.show()

# %% says
assert value["twice"][-1] < 0.25 * value["twice"][0], (
    "What was scaled twice is nearly back"
)
assert value["missing"][1] > value["missing"][0], "gets worse first"
assert agree < times["in W_Q"][0] < apart, "between … and … at $d = 32$"
