"""What the tests of explorables share: where each stands, how it is set to a state and read.

A module for each has READ, which reads what it shows; the STATES that it is set to; `differences`,
which yields those in which it shows something else than the snippet has; and WRONG, what its script
has and what would be wrong in its place.
"""

import json
import re

import numpy as np
from playwright.sync_api import Page

from tests.site.browser import ROOT

CALM = {"reduced_motion": "reduce"}
EXPLORE = re.compile(r"^[ \t]*::: explore [\w-]+/([\w-]+)[ \t]*$", re.MULTILINE)
# The page on which each stands, as the pages themselves say.
PAGE = {
    name: "" if path.stem == "index" else f"{path.stem}/"
    for path in sorted((ROOT / "docs").glob("*.md"))
    for name in EXPLORE.findall(path.read_text("utf-8"))
}

DRAWN = 5e-4  # how far a drawing may be off, as a share of its height


def uniform(seed: int, count: int) -> np.ndarray:
    """Give the generator's numbers from 0 to 1 by a route of our own: whole numbers modulo 2³²."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    t = (seed + 0x6D2B79F5 * steps) % 2**32
    t = (t ^ t >> 15) * (1 | t) % 2**32
    t = (t + ((t ^ t >> 7) * (61 | t) % 2**32)) % 2**32 ^ t
    return (t ^ t >> 14) / 2**32


def numbers(seed: int, count: int) -> list[float]:
    """Give the generator's Gaussian numbers."""
    first, second = np.reshape(uniform(seed, 2 * count), (count, 2)).T
    return list(np.sqrt(-2 * np.log1p(-first)) * np.cos(2 * np.pi * second))


def show(page: Page, name: str, read: str, **state: float) -> dict:
    """Set an explorable to a state, and read what it shows then by a JavaScript function."""
    return page.evaluate(
        f"""async state => {{
            const shown = document.querySelector('why-{name}')
            if (!customElements.get('why-{name}')) shown.scrollIntoView()
            await customElements.whenDefined('why-{name}')
            shown.values = state
            shown.show()
            return ({read})(shown)
        }}""",
        state,
    )


def typed(page: Page, name: str, field: str, texts: list[str], read: str, **first: str) -> list:
    """Type each of some texts into a field of an explorable's form; give what is shown then.

    In one go, since to ask a browser once takes as long as to read a hundred texts. A line end
    becomes a space, as where one pastes.

    Args:
        first: what is typed into fields before each of the texts, by their names.

    Returns:
        For each text what a JavaScript function reads before it is typed, and after.
    """
    return page.evaluate(
        f"""([field, texts, first]) => {{
            const shown = document.querySelector('why-{name}'), read = {read}
            const type = (name, text) => {{
                const input = shown.querySelector(`.form [name=${{name}}]`)
                input.value = text.replaceAll('\\n', ' ')
                input.dispatchEvent(new InputEvent('input', {{ bubbles: true }}))
                shown.show()
            }}
            return texts.map(text => {{
                for (const [name, words] of Object.entries(first)) type(name, words)
                const before = read(shown)
                type(field, text)
                return [before, read(shown)]
            }})
        }}""",
        [field, texts, first],
    )


def printed(text: str, value: float) -> bool:
    """Tell whether a text is a value, up to the last digit that it prints."""
    digits = len(text.partition(".")[2])
    return abs(float(text) - value) < 0.502 * 10**-digits


PERCENT = r"([<>]?[\d.]+)%"


def is_share(text: str, share: float) -> bool:
    """Tell whether a text is a share in percent, to two digits; neither 0 nor 100 if it is not."""
    size = 100 * share
    if text.startswith("<"):
        return 0 < size < float(text[1:])
    if text.startswith(">"):
        return float(text[1:]) - 0.05 - 1e-9 < size
    digits = len(text.lstrip("0.").replace(".", ""))
    return printed(text, size) and float(text) not in (0, 100) and (digits > 1 or size < 0.01)


def altered(page: Page, name: str, data: dict) -> None:
    """Put in an explorable's place the same one with other data."""
    page.evaluate(
        """([name, data]) => {
            const old = document.querySelector(`why-${name}`)
            const fresh = old.cloneNode(true)
            fresh.querySelector('.panel').remove()
            fresh.dataset.explore = data
            old.replaceWith(fresh)
        }""",
        [name, json.dumps(data, default=lambda array: array.tolist())],
    )
