"""A line of code, and below it our row, as it should be and as the line has it.

What should be is blue and filled, what the line makes of it an orange outline.
"""

import matplotlib.pyplot as plt
import numpy as np
from our_row import draw_weights, n_keys

# Bars that are longer leave the panel, and their share is written.
HIGHEST = 0.45


def draw_beside(rows, height=1.15):
    """Draw a panel for each line of code, with (right, wrong) weights.

    `rows` has the two by the code.
    """
    fig, panels = plt.subplots(
        len(rows), figsize=(6.4, height * len(rows) + 0.5), sharex=True
    )
    for axis, (code, (right, wrong)) in zip(panels, rows.items(), strict=True):
        draw_weights(axis, right, "C0")
        axis.stairs(wrong, np.arange(n_keys + 1) + 0.5, color="C1", lw=2)
        top = int(np.argmax(wrong))
        if wrong[top] > HIGHEST:
            side = "left" if top < n_keys / 2 else "right"
            at = top + (2 if side == "left" else 0)
            share = ">99% ↑" if wrong[top] > 0.99 else f"{wrong[top]:.0%} ↑"
            axis.text(at, 0.75 * HIGHEST, share, color="C1", ha=side)
        axis.set(ylim=(0, HIGHEST), yticks=[0, 0.4], yticklabels=["0", "40%"])
        axis.set_title(code)
    panels[-1].set_xlabel("key")
    fig.supylabel("weight")
    return panels
