"""What every process would begin with, done once: the fork server imports this, and nobody else."""

import matplotlib.pyplot as plt

import weave.run.worker  # noqa: F401 (all that a run needs, and the style of figures)
from weave.run.svg import to_svg

# Loads fonts, and the parser of formulas.
figure, axes = plt.subplots()
axes.loglog([1, 10], [1, 10], label=r"$\sqrt{d_k}$")
axes.legend()
to_svg(figure, "warm")
plt.close(figure)
