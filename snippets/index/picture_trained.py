r"""Softmax picks large scores, so attended pairs look matched even where
queries and keys have nothing to do with each other.

Two curves over the score: of all pairs, a bell around 0; of the pairs that
softmax picks, the same bell further to the right.
"""

# %%
import numpy as np

score = np.linspace(-4, 5, 60)
every = np.exp(-(score**2) / 2) / np.sqrt(2 * np.pi)
picked = every * np.exp(score)
picked /= np.trapezoid(picked, score)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(3.2, 1.8))
axes.fill_between(score, every, color="C0", alpha=0.35)
axes.fill_between(score, picked, color="C2", alpha=0.35)
axes.plot(score, every, "C0", linewidth=2)
axes.plot(score, picked, "C2", linewidth=2)
axes.text(-4, 0.34, "all pairs", color="C0")
axes.text(2.2, 0.34, "attended", color="C2")
axes.set(xlim=(-4, 5), ylim=(0, 0.45), xticks=[0], yticks=[], xlabel="score")
axes.spines["left"].set_visible(False)
plt.show()

# %% says
assert picked.argmax() > every.argmax(), "the same bell further to the right"
