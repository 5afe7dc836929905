"""The kinds of embeds, a module each: what its token looks like, and what the token becomes."""

import importlib
import pkgutil

from weave.embed import EMBEDS

# None is named anywhere else.
MODULES = [importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]
EMBEDS.update({embed.name: embed for module in MODULES for embed in getattr(module, "EMBEDS", ())})
