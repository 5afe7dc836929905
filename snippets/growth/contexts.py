r"""For longer contexts Llama 4 multiplies logits by nearly what a key with half
of the weight needs to keep it, and YaRN by more.

Factors on the logits, against the number of keys from 8192 to a million, on a
logarithmic axis. All start from 1, Llama 4 from {= factor['Llama 4'][0] :.2f },
and rise steadily. At a million keys: YaRN {= factor['YaRN'][-1] :.1f }, to keep
a half {= factor['ln n, to keep a half'][-1] :.2f }, Llama 4
{= factor['Llama 4'][-1] :.2f }, noise {= factor['√ln n, noise'][-1] :.2f }.
"""

# %%
import numpy as np

n0 = 8192  # the number in Llama 4's formula, and where all curves start
n = n0 * 2 ** np.arange(8)
times = n / n0
factor = {
    "YaRN": (0.1 * np.log(times) + 1) ** 2,
    "ln n, to keep a half": np.log(n) / np.log(n0),
    "Llama 4": 1 + 0.1 * np.log(1 + np.floor(times)),
    "√ln n, noise": np.sqrt(np.log(n) / np.log(n0)),
}
many = 131_072  # keys
longer = many // n0
at = {name: f[n == many].item() for name, f in factor.items()}
slope = 1 / np.log(n0)  # of ln n / ln n0 against ln n; Llama 4 has 0.1
# A key with half of the weight among n0 keys, the others alike: its logit
# already has Llama 4's factor there. What it has later, with that and without.
half = np.log(n0 - 1) / factor["Llama 4"][0]
ends = {"grows": at["Llama 4"], "stays": factor["Llama 4"][0]}
left_of_half = {
    name: 1 / (1 + (many - 1) * np.exp(-f * half)) for name, f in ends.items()
}

s = 0.43  # the constant of Scalable-Softmax's first figure
stands_out = 1 / s  # the lead beyond which one key wins, for any n
head = 128
ceiling = np.sqrt(head)  # of QK-norm without gains
best = {int(m): 1 / (1 + (m - 1) * np.exp(-ceiling)) for m in n}
# What q and k each have to gain for the best weight to stay.
more_gain = np.sqrt(1 + np.log(131071 / 8191) / ceiling) - 1

# Heads of other kinds.
stretch = 40
mla = (0.1 * np.log(stretch) + 1) ** 2 / np.sqrt(192)  # DeepSeek-V3's scale
mla_divisor = 1 / mla
rotary = 64 / 192  # of the variance, if all coordinates are alike
gamma = 0.5
group = np.sqrt(gamma)  # the half of it that falls on a shared W_K
difference = {layer: 0.8 - 0.6 * np.exp(-0.3 * layer) for layer in (0, 27)}
left = {layer: 1 - weight for layer, weight in difference.items()}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
for colour, (name, f) in zip(
    ("C1", "C0", "C2", "C3"), factor.items(), strict=True
):
    axes.plot(n, f, "o-", color=colour, label=name)
axes.set(xscale="log", xlim=(7000, 1.3e6), ylim=(0.95, 2.3))
axes.set(xlabel="keys", ylabel="factor on the logits")
axes.legend(loc="upper left")
plt.show()

# %% says
last = {name: f[-1] for name, f in factor.items()}
assert all(np.all(np.diff(f) > 0) for f in factor.values()), "and rise steadily"
assert sorted(last.values()) == [*last.values()][::-1], (
    "YaRN …, to keep a half …, Llama 4 …, noise"
)
assert last["YaRN"] > last["ln n, to keep a half"], (
    "of the weight needs to keep it, and YaRN by more"
)
assert abs(last["Llama 4"] / last["ln n, to keep a half"] - 1) < 0.05, (
    "by nearly what a key with half"
)
assert left_of_half["stays"] < 0.1 < left_of_half["grows"] < 0.5, (
    "falls short: what had half of the weight"
)
assert at["YaRN"] > at["ln n, to keep a half"], "more than a half needs"
