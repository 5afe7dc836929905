"""Where authors are told what is wrong with their pages, and what goes on."""

import logging

# MkDocs counts the warnings of loggers under its own name: `mkdocs build --strict` fails on them.
log = logging.getLogger("mkdocs.weave")
