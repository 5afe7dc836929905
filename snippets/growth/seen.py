r"""Neither the largest logits that were published nor the caps that were set
follow the size of the model.

Points on two logarithmic axes: parameters from {= held['Gemma 2, 2.6B'][0] }
billion to a million million, and the largest logit. Three that ran away lie
highest and are lower limits: {= away['ViT'][1] :,} at {= away['ViT'][0] }
billion, {= away['Wortsman et al.'][1] :,} at {= away['Wortsman et al.'][0] }
and {= away['MoE, Muon'][1] } at {= away['MoE, Muon'][0] }. Two that were only
watched, at {= watched['Transformer'][0] } and {= watched['Moonlight'][0] }
billion, lie at {= watched['Transformer'][1] :.0f } and
{= watched['Moonlight'][1] }. Five hollow points are caps and the threshold of a
clip. They lie at {= held['Grok-1'][1] } to {= held['Kimi K2'][1] }, at all
sizes.
"""

# %%
# Parameters in billions, largest logit. What exactly was measured,
# and by whom, is in the table of docs/growth.md.
away = {
    "ViT": (8, 50_000),
    "Wortsman et al.": (4.8, 10_000),
    "MoE, Muon": (53, 1000),
}
watched = {"Transformer": (3, 318.0), "Moonlight": (16, 120)}
held = {
    **{f"Gemma 2, {size}B": (size, 50) for size in (2.6, 9, 27)},
    "Grok-1": (314, 30),
    "Kimi K2": (1040, 100),
}
largest = {name: a for name, (_, a) in (away | watched | held).items()}
differential, median = 38.8, 5.4  # of the Transformer of 3 billion
tail = largest["Transformer"] / median
tokens = 0.4  # millions, over which these were taken
step, rate = 2000, 0.01  # Wortsman et al.
first, last, of = 7000, 70_000, 220_000  # steps at which Kimi K2 was clipped

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.4))
groups = {"ran away": away, "only watched": watched, "held": held}
looks = [("^", "C1"), ("o", "C0"), ("s", "C2")]
below = {"Wortsman et al.", "Gemma 2, 9B", "Grok-1"}
for (label, group), (mark, colour) in zip(groups.items(), looks, strict=True):
    where = zip(*group.values(), strict=True)
    fill = "none" if group is held else "full"
    look = {"color": colour, "markersize": 8, "fillstyle": fill}
    axes.plot(*where, mark, label=label, **look)
    for name, (size, a) in group.items():
        if not name.startswith("Gemma") or name in below:
            at = (0, -18) if name in below else (0, 9)
            look = {"textcoords": "offset points", "ha": "center"}
            axes.annotate(name.split(",")[0], (size, a), at, **look)
axes.set(xscale="log", yscale="log", xlim=(0.6, 4000), ylim=(4, 200_000))
axes.set(xlabel="parameters, in billions", ylabel="largest logit")
fig.legend(ncols=3, loc="outside upper center")
plt.show()

# %% says
sizes = [size for size, _ in (away | watched | held).values()]
assert min(sizes) == held["Gemma 2, 2.6B"][0] < max(sizes) == 1040, (
    "parameters from … billion to a million million"
)
assert (len(away), len(watched)) == (3, 2), "None of the five had a bound"
lowest = min(a for _, a in away.values())
assert lowest > max(a for _, a in (watched | held).values()), (
    "Three that ran away lie highest"
)
by_size = sorted(away.values())
assert by_size[0][1] < by_size[1][1] > by_size[2][1], (
    "Neither the largest logits that were published nor the caps"
)
ends = {a for _, a in held.values()}
grok, kimi = held["Grok-1"][1], held["Kimi K2"][1]
assert min(ends) == grok < kimi == max(ends), "They lie at … at all sizes"
