"""Other tools are measured with what the site uses."""

from pathlib import Path

from bench import growth

ROOT = Path(__file__).parents[2]


def test_tools_are_compared_in_the_versions_that_the_site_uses():
    site = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    shared = growth.REQUIREMENTS.read_text("utf-8").partition("\n\n")[0].splitlines()
    assert {line for line in shared if not line.startswith("#")} <= set(site)
