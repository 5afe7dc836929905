"""Every stored table says where it comes from."""

import hashlib

from tests.trained.tables import FOLDER

TABLES = [
    *("heads.csv", "terms.csv", "medians.csv", "scale.csv", "rows.csv", "scores.csv"),
    *("beside.csv", "winners.csv"),
    *("smollm_heads.csv", "smollm_medians.csv", "smollm_scale.csv"),
]


def test_tables_say_where_they_come_from(stored):
    package = (FOLDER / "requirements.txt").read_text("utf-8")
    for name in TABLES:
        source = stored.source(f"trained/{name}")
        text = "asked.txt" if name == "scores.csv" else "sentences.txt"
        digest = hashlib.sha256((FOLDER / text).read_bytes()).hexdigest()
        assert source["text"] == f"{text} {digest}"
        assert f"{source['package']}=={source['version']} " in package
        assert {"seed", "draws", "command", "python", "machine"} <= source.keys()
