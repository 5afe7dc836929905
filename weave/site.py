"""Where a site is built: beside the last one, whose place it takes once it is whole and right."""

from pathlib import Path
from tempfile import TemporaryDirectory

from weave import folded, plain, policy, tables
from weave.store import Store
from weave.styles import Stylesheet


class Site:
    """A folder that does not change before the new site is put up, all at once."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.parent.mkdir(parents=True, exist_ok=True)
        self.beside = TemporaryDirectory(
            prefix=".site-", dir=place.parent, ignore_cleanup_errors=True
        )
        self.new = Path(self.beside.name, "site")

    def put_up(self, store: Store) -> Path:
        """Finish the new site, and give it the place of the last: one build after the other.

        Its stylesheet keeps what is in use, and its pages state the policy. They are read one by
        one, twice: all of them tell what is in use.
        """
        pages, styles = sorted(self.new.rglob("*.html")), Stylesheet(self.new)
        scripts: dict[str, None] = {}
        for page in pages:
            html = styles.note(tables.boxed(plain.linked(page.read_text("utf-8"), page)))
            scripts |= dict.fromkeys(policy.digests(html))
            page.write_text(html, "utf-8")
        styles.write()
        policy.write(scripts, self.new)
        for page in pages:
            html = policy.stated(styles.linked(page.read_text("utf-8")))
            page.write_text(folded.kept_back(html), "utf-8")
        with store.alone():
            if self.place.exists():
                self.place.rename(Path(self.beside.name, "last"))
            self.new.rename(self.place)
        self.drop()
        return self.place

    def drop(self) -> None:
        """Remove what is left: the last site, or the new one."""
        self.beside.cleanup()
