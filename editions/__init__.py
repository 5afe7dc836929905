"""The editions of the built site that are read elsewhere: `make editions` makes them from `site/`.

`offline` is the site to be opened from a disk, in one zip; `book` is all of it on paper. The third,
every page as Markdown, is part of the site itself (`weave/pages/plain.py`).
"""
