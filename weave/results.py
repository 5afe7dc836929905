"""The results of a snippet, as pages and tests ask for them."""

import json
from typing import Any

from weave.errors import did_you_mean
from weave.store import Store


class Results:
    """The results of a snippet, by their own names: `spread.std[64]`. Each is read when asked for.

    Args:
        snippet: the snippet's name.
        store: where its results are kept.
    """

    # Names of its own begin with an underscore, which no result's name does.
    def __init__(self, snippet: str, store: Store) -> None:
        self._snippet, self._store = snippet, store

    def __dir__(self) -> list[str]:
        """List the results."""
        parts = self._store.parts("run", self._snippet)
        return sorted(part.removeprefix("value ") for part in parts if part.startswith("value "))

    def __getattr__(self, name: str) -> Any:
        """Give a result by its name."""
        if name.startswith("_"):
            raise AttributeError(name)
        from weave.run.results import unpack  # NumPy is loaded only for pages that are made anew

        if (text := self._store.read("run", self._snippet, f"value {name}")) is not None:
            value = unpack(json.loads(text))
            setattr(self, name, value)  # not read again
            return value
        others = json.loads(self._store.read("run", self._snippet, "others") or "{}")
        if name in others:
            raise AttributeError(f"'{name}' of '{self._snippet}' {others[name]}")
        hint = did_you_mean(name, dir(self))
        raise AttributeError(f"'{self._snippet}' has no result '{name}'{hint}")
