"""Every stored table says where it comes from."""

import hashlib

from tests.trained.tables import FOLDER

TABLES = [
    *("heads.csv", "terms.csv", "medians.csv", "scale.csv", "row.csv", "rows.csv"),
    *("smollm_heads.csv", "smollm_medians.csv", "smollm_scale.csv"),
]


def test_tables_say_where_they_come_from(stored):
    digest = hashlib.sha256((FOLDER / "sentences.txt").read_bytes()).hexdigest()
    package = (FOLDER / "requirements.txt").read_text("utf-8")
    for name in TABLES:
        source = stored.source(name)
        assert source["text"] == f"sentences.txt {digest}"
        assert f"{source['package']}=={source['version']} " in package
        assert {"seed", "draws", "command", "python", "machine"} <= source.keys()
