r"""Tokens that resemble each other even out the row: its variance is 1 minus
their mean cosine.

Two stacked panels against the cosine between the tokens, from 0 to 1. Above,
the spread of the scaled scores within a row: a curve that starts at 1 and bends
down ever more steeply to 0. Below, the effective number of keys among 512: it
rises from about {= effective[0.0] :.0f } to 512, ever more steeply too, so that
similar tokens share the attention almost equally.
"""

# %%
import numpy as np
from gaussian_logits import mean_square_weights

n_keys = 512
cosine = np.round(np.arange(0, 1, 0.05), 2)
# With x·x = D, Cov(S_ij, S_ik)/d = cos(x_j, x_k): the shared part shifts the
# whole row, which softmax does not see.
spread = {float(c): np.sqrt(1 - c) for c in cosine}
effective = {c: 1 / mean_square_weights(n_keys, s) for c, s in spread.items()}

# %%
import matplotlib.pyplot as plt

fig, (above, below) = plt.subplots(2, 1, figsize=(6.4, 5.4), sharex=True)
fine = np.linspace(0, 1, 400)
above.plot(fine, np.sqrt(1 - fine))
above.set(ylabel="spread in a row", ylim=(0, 1.08), yticks=[0, 0.5, 1])
below.plot([*effective, 1], [*effective.values(), n_keys], color="C1")
below.set(ylabel="effective keys", ylim=(0, 550), yticks=[0, 256, 512])
below.set(xlabel="cosine between tokens")
plt.show()

# %% says
height = [*spread.values(), 0]
assert height[0] == 1, "a curve that starts at 1"
assert np.all(np.diff(height, 2) < 0), "bends down ever more steeply"
rising = [*effective.values(), n_keys]
assert np.all(np.diff(rising) > 0), (
    "Tokens that resemble each other even out the row: its variance"
)
assert np.all(np.diff(rising, 2) > 0), (
    "it rises from about … to 512, ever more steeply"
)

# Of the page.
assert effective[0.9] > 0.9 * n_keys, "attention starts almost uniform"
