"""The picture that stands beside a link to the site elsewhere: `python -m editions.card` draws it.

It is committed. A test compares the name and the words in it with those of mkdocs.yml.
"""

import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager
from mkdocs.config import load_config
from scipy.special import softmax
from scipy.stats import norm

from weave.run.fonts import FONTS, shipped

CARD = Path(__file__).parents[1] / "docs/assets/card.png"
PAPER, INK, SOFT, COLOURS = "#fffdf8", "#211e1a", "#57514a", ("#d1562b", "#2f7fc1")
DIMENSIONS, KEYS = 256, 24


def main() -> None:
    """Draw the name, the words, and attention weights without and with the divisor."""
    config = load_config(str(CARD.parents[2] / "mkdocs.yml"))
    name, words = config.site_name, config.site_description or ""
    for font in FONTS:
        font_manager.fontManager.addfont(shipped(font))
    plt.rcParams["font.family"] = "Source Sans Pro"
    figure = plt.figure(figsize=(12, 6.3), dpi=100, facecolor=PAPER)
    figure.text(0.07, 0.72, name, size=84, family="Source Serif Pro", color=INK)
    figure.text(
        0.072, 0.63, textwrap.fill(words, 40), size=27, va="top", linespacing=1.45, color=SOFT
    )
    # Scores at the quantiles of their distribution: no draw is luckier than another.
    scores = norm.isf((np.arange(KEYS) + 0.5) / KEYS) * np.sqrt(DIMENSIONS)
    for row, divisor in enumerate((1, np.sqrt(DIMENSIONS))):
        axes = figure.add_axes((0.64, 0.52 - 0.42 * row, 0.3, 0.36))
        weights = softmax(scores / divisor)
        axes.bar(range(KEYS), weights / weights.max(), color=COLOURS[row], width=0.86)
        axes.text(
            KEYS - 0.5, 0.86, ("q·k", "q·k / √d")[row], size=30, ha="right", color=COLOURS[row]
        )
        axes.spines[["left", "top", "right"]].set_visible(False)
        axes.set(xticks=[], yticks=[], facecolor=PAPER)
    said = {"Title": name, "Description": words}
    figure.savefig(CARD, format="png", metadata={"Software": None, **said})


if __name__ == "__main__":
    main()
