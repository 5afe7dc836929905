"""The results of a snippet: what its first cell left, kept as JSON, and asked for by name."""

import io
import json
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any

from weave.basics.errors import WeaveError, did_you_mean
from weave.basics.store import Entry

LARGEST = 2**18  # characters of one result as it is kept; an array takes four for three bytes
NO_RESULT = "is no result: numbers, text, arrays, and lists, tuples and dicts of them are"
TOO_LARGE = f"is too large: written out, a result takes at most {LARGEST // 1024} KiB"
COLLECTIONS = {"list": list, "tuple": tuple, "dict": dict}


class NoResultError(WeaveError, AttributeError):
    """What is asked for is no result."""


class Results:
    """The results of a run, by their own names: `spread.std[64]`. Each is read when asked for.

    Names of its own begin with an underscore, which no result's name does.
    """

    def __init__(self, run: Entry) -> None:
        self._snippet, self._run = run.name, run

    def __contains__(self, name: str) -> bool:
        """Tell whether the snippet left something under a name, a result or not."""
        return name in (self._run.read("names") or {})

    def __getattr__(self, name: str) -> Any:
        """Give a result by its name.

        Raises:
            NoResultError: the snippet left no such name, or what it left under it is no data.
        """
        if name.startswith("_"):
            raise NoResultError(f"'{name}' is no result: no result's name begins with _")
        packed = self._run.read(f"value {name}")
        if packed is not None:
            value = unpack(packed)
            setattr(self, name, value)  # not read again
            return value
        flaws = self._run.read("names") or {}
        if flaw := flaws.get(name):
            raise NoResultError(f"'{name}' of '{self._snippet}' {flaw}")
        hint = did_you_mean(name, [known for known in flaws if not flaws[known]])
        raise NoResultError(f"'{self._snippet}' has no result '{name}'{hint}")


def pack_results(left: dict[str, Any]) -> dict[str, Any]:
    """Write what a cell left, by name, as parts of a run.

    Returns:
        The parts `value NAME`; the part `names`, which has for each name "", or why what was left
        under it is no result; and the part `digests`, which tells each result from what it was.
    """
    parts: dict[str, Any] = {}
    flaws: dict[str, str] = {}
    digests: dict[str, str] = {}
    for name, value in left.items():
        flaws[name] = ""
        try:
            packed = pack(value)
            written = json.dumps(packed)
            if len(written) > LARGEST:
                raise TypeError(TOO_LARGE)
            parts[f"value {name}"] = packed
            digests[name] = sha256(written.encode()).hexdigest()
        except (TypeError, ValueError, RecursionError) as flaw:
            flaws[name] = str(flaw)
    return {**parts, "names": flaws, "digests": digests}


def pack(value: Any) -> Any:
    """Write a result as what JSON knows, or `{type: content}`; TypeError says why it is none."""
    import numpy as np  # to read what was kept, only arrays need it

    kind = type(value)  # only these very types: one that a snippet defines is no data
    if kind in {bool, int, float, str}:
        return value
    if kind in COLLECTIONS.values():
        items = value.items() if kind is dict else value
        return {kind.__name__: [pack(item) for item in items]}
    if (isinstance(value, np.generic) or kind is np.ndarray) and not value.dtype.hasobject:
        if value.nbytes > LARGEST:
            raise TypeError(TOO_LARGE)
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        return {"array": b64encode(file.getvalue()).decode()}
    raise TypeError(NO_RESULT)


def unpack(data: Any) -> Any:
    """Read what `pack` wrote."""
    if not isinstance(data, dict):
        return data
    [(kind, content)] = data.items()
    if kind == "array":
        import numpy as np

        return np.load(io.BytesIO(b64decode(content)), allow_pickle=False)[()]  # or one number
    return COLLECTIONS[kind](map(unpack, content))
