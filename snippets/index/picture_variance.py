r"""The scores of more dimensions spread further; divided by $\sqrt{d}$ they
do not.

Bell curves of three widths, for 4, 16 and 64 dimensions, and over them the same
three divided by the root of the dimension: these lie on each other.
"""

# %%
import numpy as np
from scipy.special import gammaln, kve

dims = [4, 16, 64]
x = np.linspace(-20, 20, 40)


def density(x, d):
    """Return the exact density of q·k for standard Gaussian vectors."""
    order, size = (d - 1) / 2, np.abs(x) + 1e-9
    log = order * np.log(size / 2) - size - gammaln(d / 2)
    return np.exp(log) * kve(order, size) / np.sqrt(np.pi)


bare = {d: density(x, d) for d in dims}
divided = {d: np.sqrt(d) * density(x * np.sqrt(d), d) for d in dims}

# %%
import matplotlib.pyplot as plt

fig, (axes, below) = plt.subplots(2, 1, figsize=(3.2, 1.8))
for d in dims:
    axes.fill_between(x, bare[d] * np.sqrt(d), color="C1", alpha=0.35)
    below.fill_between(x, divided[d], color="C0", alpha=0.35)
for panel, name in ((axes, "q·k"), (below, "q·k/√d")):
    panel.set(xlim=(-20, 20), ylim=(0, None), xticks=[], yticks=[])
    panel.spines["left"].set_visible(False)
    colour = "C1" if panel is axes else "C0"
    panel.text(-20, panel.get_ylim()[1] * 0.55, name, color=colour)
plt.show()

# %% says
peaks = [bare[d].max() for d in dims]
assert np.all(np.diff(peaks) < 0), "of more dimensions spread further"
level = [divided[d].max() for d in dims]
assert max(level) / min(level) < 1.2, "these lie on each other"
