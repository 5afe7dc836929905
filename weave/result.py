"""What a snippet leaves behind. Apart from `worker`, so that a page needs no matplotlib."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from weave.errors import did_you_mean


class Results:
    """The results of a snippet, by their own names: `spread.std[64]`.

    Args:
        snippet: the snippet's name.
        values: what the first cell left behind: numbers, text, arrays of up to 4 MiB, and lists,
            tuples, sets and dicts of them.
        others: the names that it left behind and that are none of these.
    """

    # Names of its own begin with an underscore, which no result's name does.
    def __init__(self, snippet: str, values: Mapping[str, Any], others: Set[str]) -> None:
        self._snippet, self._values, self._others = snippet, values, others

    def __dir__(self) -> list[str]:
        """List the results."""
        return sorted(self._values)

    def __getattr__(self, name: str) -> Any:
        """Give a result by its name."""
        if name.startswith("_"):  # asked by pickle, before there are any values
            raise AttributeError(name)
        if name in self._values:
            return self._values[name]
        if name in self._others:
            raise AttributeError(
                f"'{name}' of '{self._snippet}' is no result: results are numbers, text, arrays of "
                "up to 4 MiB, and lists, tuples, sets and dicts of them"
            )
        hint = did_you_mean(name, self._values)
        raise AttributeError(f"'{self._snippet}' has no result '{name}'{hint}")


@dataclass(frozen=True)
class Result:
    """What running a snippet gave: its results, and its figure as SVG, empty if it draws none."""

    results: Results
    svg: str
