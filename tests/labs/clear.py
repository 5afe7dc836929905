"""Clear what Jupyter leaves in a lab, and no author has written: `make labs`."""

import json
import sys
from pathlib import Path

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def cleared(written: str) -> str:
    """Give a notebook's JSON without outputs, counts, and metadata other than METADATA."""
    notebook = json.loads(written)
    notebook["metadata"] = METADATA
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
    # As Jupyter writes it.
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        lab = Path(name)
        lab.write_text(cleared(lab.read_text("utf-8")), "utf-8")
