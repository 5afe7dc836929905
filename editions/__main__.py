"""`python -m editions`: the editions of `site/`, and their checksums, into `editions/out/`."""

import hashlib
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from editions.book import write_book
from editions.offline import write_zip
from tests.site.browser import FLAGS, find_browser

ROOT = Path(__file__).parents[1]
NAME = "why-sqrt-d"


def main() -> None:
    """Make all of them."""
    site, out = ROOT / "site", ROOT / "editions/out"
    if not (site / "index.html").is_file():
        sys.exit("There is no site/ yet: `make site` builds it.")
    out.mkdir(exist_ok=True)
    write_zip(site, out / f"{NAME}.zip")
    if (path := find_browser()) is None:
        sys.exit("A browser prints the book: install chromium, or set CHROMIUM to its path.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        write_book(browser, site, out / f"{NAME}.pdf")
    (built,) = site.glob("check_attention-*.whl")  # what it prints links to this site
    wheel = Path(shutil.copy(built, out))
    made = [out / f"{NAME}.pdf", out / f"{NAME}.zip", wheel]
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in made]
    (out / "SHA256SUMS").write_text("".join(sums), "utf-8")
    for file in made:
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
