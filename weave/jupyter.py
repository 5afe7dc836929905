"""mkdocs-jupyter without what makes it slow: the site needs no more than notebooks as pages."""

import importlib
import logging
import sys
from types import ModuleType


def load_cheaply() -> None:
    """Load it without all of nbconvert and jupytext: half a second of every start."""
    slow = {"jupytext", "mkdocs_jupyter.convert"} - sys.modules.keys()
    sys.modules.update({name: ModuleType(name) for name in slow})
    importlib.import_module("mkdocs_jupyter.plugin")
    for name in slow:
        del sys.modules[name]
    # It says of each notebook that it was copied, below the mistakes, which scroll away.
    logging.getLogger("mkdocs.plugins.mkdocs_jupyter").setLevel(logging.WARNING)
