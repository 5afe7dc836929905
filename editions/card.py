"""The pictures that stand beside links to the site elsewhere: `python -m editions.card` draws them.

One is the site's. Each chapter has its own: its title, and its drawing on the front page. They
are committed. A test compares the names and words in them with mkdocs.yml and the pages.
"""

import re
import runpy
import textwrap
import warnings
from io import BytesIO
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager
from matplotlib.figure import Figure
from mkdocs.config import load_config
from mkdocs.utils.meta import get_data
from scipy.special import softmax
from scipy.stats import norm

from weave.run.fonts import FONTS, shipped

ROOT = Path(__file__).parents[1]
CARD = ROOT / "docs/assets/card.png"
CARDS = CARD.with_name("cards")  # one for each chapter, by its name
STYLE = ROOT / "weave/run/figure.mplstyle"
PAPER, INK, SOFT, COLOURS = "#fffdf8", "#211e1a", "#57514a", ("#d1562b", "#2f7fc1")
DIMENSIONS, KEYS = 256, 24
# A chapter on the front page, and the snippet that draws beside its name.
CHAPTER = re.compile(r"^1\. \[[^]]*\]\(([\w-]+)\.md\)\s+::: picture ([\w-]+/\w+)$", re.MULTILINE)


def main() -> None:
    """Draw the card of the site, and those of the chapters."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    for font in FONTS:
        font_manager.fontManager.addfont(shipped(font))
    name, words = config.site_name, config.site_description or ""
    save(of_site(name, words), CARD, name, words)
    CARDS.mkdir(exist_ok=True)
    for chapter, snippet in chapters().items():
        said = meta(chapter)
        card = of_chapter(said["title"], name, drawing(ROOT / f"snippets/{snippet}.py"))
        save(card, CARDS / f"{chapter}.png", said["title"], said["description"])


def chapters() -> dict[str, str]:
    """Give the snippet that the front page draws for each chapter, by the chapter's name."""
    return dict(CHAPTER.findall((ROOT / "docs/index.md").read_text("utf-8")))


def meta(chapter: str) -> dict[str, str]:
    """Give what a page says of itself in its front matter."""
    return get_data((ROOT / f"docs/{chapter}.md").read_text("utf-8"))[1]


def save(card: Figure, path: Path, title: str, words: str) -> None:
    """Write a card, with what it says as its text."""
    said = {"Title": title, "Description": words}
    card.savefig(path, format="png", facecolor=PAPER, metadata={"Software": None, **said})
    plt.close(card)


def blank() -> Figure:
    """Begin a card of 1200 × 630 pixels."""
    plt.style.use("default")
    plt.rcParams["font.family"] = "Source Sans Pro"
    return plt.figure(figsize=(12, 6.3), dpi=100)


def of_site(name: str, words: str) -> Figure:
    """Draw the name, the words, and attention weights without and with the divisor."""
    figure = blank()
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
    return figure


def of_chapter(title: str, name: str, picture: np.ndarray) -> Figure:
    """Draw a chapter's title, the site's name, and the chapter's drawing."""
    figure = blank()
    head = figure.text(0.06, 0.83, title, size=52, family="Source Serif Pro", color=INK)
    head.set_size(52 * min(1, 1056 / head.get_window_extent().width))  # pixels between the margins
    figure.text(0.94, 0.1, name, size=40, ha="right", family="Source Serif Pro", color=SOFT)
    axes = figure.add_axes((0.05, 0.05, 0.66, 0.7), anchor="SW")
    axes.imshow(picture)
    axes.set_axis_off()
    return figure


def drawing(snippet: Path) -> np.ndarray:
    """Run a snippet, and give what it drew: pixels, of a height of 450.

    Args:
        snippet: a script that draws a figure of 1.8 inches in height, and shows it.
    """
    plt.style.use(STYLE)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        runpy.run_path(str(snippet))
    file = BytesIO()
    plt.savefig(file, dpi=250)
    plt.close()
    file.seek(0)
    return plt.imread(file)


if __name__ == "__main__":
    main()
