"""What a snippet leaves behind. Apart from `worker`, so that a page needs no matplotlib."""

from dataclasses import dataclass
from typing import Any

from weave.errors import did_you_mean


@dataclass(frozen=True)
class Result:
    """What a snippet left behind.

    Attributes:
        name: the snippet's name.
        values: the results of the first cell by name: numbers, text, arrays of up to 4 MiB, and
            lists, tuples, sets and dicts of them.
        others: the names that the first cell left behind and that are none of these.
        svg: the figure.
    """

    name: str
    values: dict[str, Any]
    others: frozenset[str]
    svg: str

    def __getattr__(self, name: str) -> Any:
        """Give a result by its name, so that a page and a test say `spread.std[64]`."""
        if name.startswith("__"):  # asked by pickle, before there are any values
            raise AttributeError(name)
        if name in self.others:
            raise AttributeError(
                f"'{name}' of '{self.name}' is no result: results are numbers, text, arrays of up "
                "to 4 MiB, and lists, tuples, sets and dicts of them"
            )
        if name not in self.values:
            hint = did_you_mean(name, self.values)
            raise AttributeError(f"'{self.name}' has no result '{name}'{hint}")
        return self.values[name]
