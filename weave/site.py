"""Where a site is built: beside the last one, whose place it takes once it is whole and right."""

from pathlib import Path
from tempfile import TemporaryDirectory

from weave import folded, plain, policy, styles, tables
from weave.store import Store


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

        Its stylesheets keep what is in use, and its pages state the policy.
        """
        pages = {
            page: tables.boxed(page.read_text("utf-8")) for page in sorted(self.new.rglob("*.html"))
        }
        for page, html in policy.state(styles.unite(plain.link(pages), self.new), self.new).items():
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
