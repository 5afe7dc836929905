"""What an author may embed in a page: a module for each kind, over what `embed` hands to them."""

import importlib
import pkgutil

from weave.embeds.embed import KINDS

for _file in pkgutil.iter_modules(__path__):
    _module = importlib.import_module(f"{__name__}.{_file.name}")
    for _embed in getattr(_module, "EMBEDS", []):
        KINDS[_embed.name] = _embed
