"""Templates are compiled once: MkDocs begins every build, while it serves as well, without any."""

from jinja2.bccache import Bucket, BytecodeCache


class Compiled(BytecodeCache):
    """What templates were compiled to, kept in this process."""

    def __init__(self) -> None:
        self.code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill in what is known; Jinja compares it with the template."""
        if known := self.code.get(bucket.key):
            bucket.bytecode_from_string(known)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what has been compiled."""
        self.code[bucket.key] = bucket.bytecode_to_string()
