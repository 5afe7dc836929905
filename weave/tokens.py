"""Find the tokens of all kinds of embeds in a text, and put in what they stand for.

The kinds are the modules in `weave/embeds/`: none is named here.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator

from weave import embeds
from weave.embed import Context, Embed
from weave.errors import WeaveError

MODULES = [
    importlib.import_module(f"weave.embeds.{module.name}")
    for module in pkgutil.iter_modules(embeds.__path__)
]
EMBEDS: dict[str, Embed] = {
    embed.name: embed for module in MODULES for embed in getattr(module, "EMBEDS", [])
}
MISSPELT = {f"not_{embed.name}": embed for embed in EMBEDS.values() if embed.misspelt}
FLAGS = re.VERBOSE | re.MULTILINE | re.DOTALL

TOKEN = re.compile(
    "|".join(
        [f"(?P<{embed.name}>{embed.pattern})" for embed in EMBEDS.values()]
        + [f"(?P<{name}>{e.misspelt[0]})" for name, e in MISSPELT.items() if e.misspelt]
    ),
    FLAGS,
)
IN_FORMULA = re.compile(
    "|".join(f"(?P<{e.name}>{e.pattern})" for e in EMBEDS.values() if e.in_formula), FLAGS
)


def tokens(text: str) -> Iterator[tuple[Embed, re.Match[str]]]:
    """Yield every token of a text that is spelt as it should be."""
    for match in TOKEN.finditer(text):
        if embed := EMBEDS.get(match.lastgroup or ""):
            yield embed, match


def weave(text: str, context: Context, in_formula: bool = False) -> str:
    """Put in what the tokens of a text stand for. A mistake is shown in its token's place.

    Args:
        text: Markdown, or a formula's TeX.
        context: the page that it stands on.
        in_formula: whether it is TeX, where a mistake is the formula's.
    """
    if in_formula:
        return IN_FORMULA.sub(lambda match: tex_of(match, context), text)

    def replace(match: re.Match[str]) -> str:
        context.line = text.count("\n", 0, match.start()) + 1
        name = match.lastgroup or ""
        embed = EMBEDS.get(name) or MISSPELT[name]
        try:
            if name in MISSPELT and embed.misspelt:
                raise WeaveError(embed.misspelt[1])
            return embed.weave(match, context)
        except WeaveError as error:
            return context.report(error)

    return TOKEN.sub(replace, text)


def tex_of(match: re.Match[str], context: Context) -> str:
    """Give what a token becomes inside a formula."""
    embed = EMBEDS[match.lastgroup or ""]
    return embed.in_formula(match, context) if embed.in_formula else match[0]
