"""What the script said of a library's architectures, and what it costs.

Both tables are measured: `make sweep` and `make measure`.
"""

import csv
from pathlib import Path

HERE = Path(__file__).parent


def table(name):
    """Return the rows of a table, and what stands above them."""
    lines = (HERE / name).read_text("utf-8").splitlines()
    rows = [line for line in lines if not line.startswith("#")]
    about = " ".join(line[2:] for line in lines if line.startswith("# "))
    return list(csv.DictReader(rows)), about


def shortened(words):
    """Return what is said of a model without its layers, to its first stop."""
    kind, _, rest = words.partition(": ")
    said = rest.partition(". ")[2] if ". " in rest else rest
    return f"{kind}: {said.partition('. ')[0].removesuffix('.')}"


def architectures():
    """Return counts, what differs with SDPA, and what was reported."""
    rows, about = table("architectures.csv")
    ran = [row for row in rows if row["class"]]
    compared = [row for row in ran if row["output"]]
    differing = [
        (
            row["class"].removesuffix("Model"),
            row["words"]
            .replace("in the first", "in eager attention")
            .replace("in the second", "with SDPA"),
        )
        for row in compared
        if row["kind"]
    ]
    reported = [
        (row["class"].removesuffix("Model"), shortened(row["faults"]))
        for row in ran
        if row["faults"]
    ]
    counts = {"ran": len(ran), "compared": len(compared)}
    counts |= {"silent": len(ran) - len(reported)}
    for library in ("transformers", "torch"):
        counts[library] = about.partition(f"{library} ")[2].split(",")[0]
    return counts, differing, reported


def cost():
    """Return the least and the largest cost of a watched forward."""
    ratios = [float(row["ratio"]) for row in table("cost.csv")[0]]
    return min(ratios), max(ratios)
