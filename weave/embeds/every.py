"""All kinds of embeds: each module of this room may hold a list of them, EMBEDS."""

import importlib
import pkgutil

from weave import embeds
from weave.embeds.embed import KINDS

for found in pkgutil.iter_modules(embeds.__path__):  # none is named anywhere
    if found.name != "every":
        module = importlib.import_module(f"{embeds.__name__}.{found.name}")
        KINDS.update({embed.name: embed for embed in getattr(module, "EMBEDS", ())})
