"""Where a site is built: beside the last one, whose place it takes once it is whole and right."""

import time
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from weave.basics.store import Store
from weave.pages import folds, plain, policy, tables

HOUR = 3600  # seconds; no build takes as long


class Site:
    """A folder that does not change before the new site is put up, all at once."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.parent.mkdir(parents=True, exist_ok=True)
        for left in place.parent.glob(".site-*"):  # by a build that was killed
            if time.time() - left.stat().st_mtime > HOUR:
                rmtree(left, ignore_errors=True)
        self.beside = TemporaryDirectory(
            prefix=".site-", dir=place.parent, ignore_cleanup_errors=True
        )
        self.new = Path(self.beside.name, "site")

    def put_up(self, store: Store) -> Path:
        """Finish the new site, and give it the place of the last: one build after the other."""
        for page in self.new.rglob("*.html"):
            html = tables.boxed(plain.linked(page.read_text("utf-8"), page))
            page.write_text(folds.kept_back(policy.stated(html)), "utf-8")
        for sheet in self.new.rglob("*.css"):
            sheet.write_text(tables.styled(sheet.read_text("utf-8")), "utf-8")
        with store.alone():
            if self.place.exists():
                self.place.rename(Path(self.beside.name, "last"))
            self.new.rename(self.place)
        self.drop()
        return self.place

    def drop(self) -> None:
        """Remove what is left: the last site, or the new one."""
        self.beside.cleanup()
