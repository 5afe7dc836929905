"""What a snippet's first cell leaves behind: which values are results, and how they are kept."""

import io
import json
from base64 import b64decode, b64encode
from typing import Any

import numpy as np

LARGEST = 2**18  # letters of one result as it is kept; an array takes four for three bytes
RESULTS = "results are numbers, text, arrays, and lists, tuples, sets and dicts of them"


def keep(left: dict[str, Any]) -> dict[str, str]:
    """Write the names that a cell left behind as parts of an entry.

    Returns:
        By `value NAME` each result; and `others`, why the other names are none.
    """
    parts, others = {}, {}
    for name, value in left.items():
        try:
            text = json.dumps(pack(value))
        except TypeError:
            others[name] = f"is no result: {RESULTS}"
            continue
        if len(text) <= LARGEST:
            parts[f"value {name}"] = text
        else:
            others[name] = f"is too large: it takes {len(text) // 1024} of {LARGEST // 1024} KiB"
    return parts | {"others": json.dumps(others)}


def pack(value: Any) -> Any:
    """Write a value as what JSON knows; anything else becomes `{type: content}`.

    Raises:
        TypeError: it is, or it holds, something that is no data.
    """
    kind = type(value)  # only these very types: one that a snippet defines is no data
    if kind in {bool, int, float, str}:
        return value
    if kind is dict:
        return {"dict": [[pack(key), pack(item)] for key, item in value.items()]}
    if kind in {list, tuple, set}:
        return {kind.__name__: [pack(item) for item in value]}
    if kind is complex:
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return {"number": [value.dtype.str, pack(value.item())]}
    if kind is np.ndarray and not value.dtype.hasobject:
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        return {"array": b64encode(file.getvalue()).decode()}
    raise TypeError(kind.__name__)


def unpack(data: Any) -> Any:
    """Read what `pack` wrote."""
    if not isinstance(data, dict):
        return data
    [(kind, content)] = data.items()
    match kind:
        case "dict":
            return {unpack(key): unpack(item) for key, item in content}
        case "complex":
            return complex(*content)
        case "number":
            return np.dtype(content[0]).type(unpack(content[1]))
        case "array":
            return np.load(io.BytesIO(b64decode(content)), allow_pickle=False)
    return {"list": list, "tuple": tuple, "set": set}[kind](map(unpack, content))
