"""What an author may embed in a page: a module for each kind, over what `embed` hands to them."""

import importlib
import pkgutil

from weave.embeds.embed import KINDS

for found in pkgutil.iter_modules(__path__):  # none is named anywhere
    module = importlib.import_module(f"{__name__}.{found.name}")
    KINDS.update({embed.name: embed for embed in getattr(module, "EMBEDS", ())})
