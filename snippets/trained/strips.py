"""Draw one mark for each head, on a line for each layer, in strips."""

import numpy as np


def strip(axes, values, layer, at, color):
    """Draw the heads' values around the height `at`, and their median, thick.

    The marks are one path, so that a page with hundreds of them stays light.
    """
    low = at + 0.34 - 0.115 * layer  # the first layer on top
    y = np.stack([low, low - 0.1, np.full(len(low), np.nan)], axis=1)
    axes.plot(np.repeat(values, 3), y.ravel(), color=color, linewidth=1.6)
    middle = np.median(values)
    axes.plot([middle] * 2, [at - 0.45, at + 0.45], color=color, linewidth=4)


def name(axes, rows):
    """Name the strips, the first one on top."""
    axes.set_yticks(-np.arange(len(rows)), rows)
    axes.set_ylim(0.55 - len(rows), 0.55)
    axes.grid(visible=False, axis="y")
