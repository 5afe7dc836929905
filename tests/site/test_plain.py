"""Every page as Markdown says what the page says: its numbers, formulas, figures and code."""

import re
from html import unescape
from textwrap import dedent
from urllib.parse import unquote

import pytest

from tests.site.browser import PAGES, SOURCES, address

PLAIN = [path for path in PAGES if path != "404.html"]
FENCED = re.compile(r"^( *)(`{3,})\w*\n.*?^\1\2$", re.MULTILINE | re.DOTALL)
# What is left of a page, of a token, of a mistake.
LEFT = re.compile(r"\{[=?] |^ *:::|\[@|weave-|\*\*docs/[^*]+:\d|(?<!\\)<[a-z/!]", re.MULTILINE)
COMPUTED = re.compile(r'<(a|data) class="computed"[^>]*>(.*?)</\1>')


def missing(parts, text):
    """Give the first part that does not stand in a text behind those before it."""
    at = 0
    for part in parts:
        at = text.find(part, at) + len(part)
        if at < len(part):
            return part
    return None


def bars(text):
    """Write bars in one of the ways in which formulas may: in a cell they have names."""
    return re.sub(r"\\vert |\|", "|", re.sub(r"\\Vert |\\\|", "‖", text))


def flaws(html, text):
    """List what a page's Markdown lacks, and what does not belong there."""
    article = html[html.index("<article") : html.index("</article>")]
    numbers = [
        unescape(number.replace("<sup>", "^").replace("</sup>", ""))
        for _, number in COMPUTED.findall(article)
    ]
    tex = [bars(unescape(tex)) for tex in re.findall('alttext="(.*?)"', article)]
    figures = [
        " ".join(unescape(words).split())
        for words in re.findall(r"<desc[^>]*>(.*?)</desc>", article, re.DOTALL)
    ]
    plain = re.sub(r"\\(?=[<$*])", "", text)
    found = {
        "number": missing(numbers, plain),
        "formula": missing(tex, bars(text)),
        "figure": missing(figures, plain),
        "left": LEFT.search(FENCED.sub("", text)),
    }
    return [f"{kind}: {what}" for kind, what in found.items() if what]


def both(site, path):
    """Give a built page and its Markdown."""
    html = site / path / "index.html"
    return html.read_text("utf-8"), (site / f"{path.strip('/') or 'index'}.md").read_text("utf-8")


@pytest.mark.parametrize("path", PLAIN)
def test_the_markdown_says_what_the_page_says(site, path):
    assert flaws(*both(site, path)) == []


def replaced(old, new):
    return lambda text: text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("kind", "spoil"),
    [
        ("number", replaced("6.36", "6.63")),
        ("formula", replaced(r"$\operatorname{tr}$", "tr")),
        ("figure", replaced("Two stacked panels", "Two panels")),
        ("left", replaced("\n\n", "\n\n::: variance/spread\n\n")),
        ("left", replaced("\n\n", "\n\n**docs/variance.md:12** `no snippet 'variance/spred'`")),
    ],
)
def test_what_is_wrong_is_found(site, kind, spoil):
    html, text = both(site, "variance/")
    assert spoil(text) != text
    assert [flaw.partition(":")[0] for flaw in flaws(html, spoil(text))] == [kind]


@pytest.mark.parametrize("source", [s for s in SOURCES if s.suffix == ".md"], ids=lambda s: s.stem)
def test_examples_and_folded_titles_are_kept(site, source):
    _, text = both(site, address(source))
    written = source.read_text("utf-8")
    for code in re.findall(r"^( *)```python\n(.*?)^\1```$", written, re.MULTILINE | re.DOTALL):
        assert f"```python\n{dedent(code[1])}```" in text
    for title in re.findall(r'^\?\?\? \w+ "([^"$*`\']+)"', written, re.MULTILINE):
        assert f"**{title}**" in text


def leads_nowhere(site):
    """List the links of Markdown, and of llms.txt, that lead to no file."""
    found = []
    for file in [*site.glob("*.md"), *site.glob("labs/*.md"), site / "llms.txt"]:
        text = FENCED.sub("", file.read_text("utf-8"))
        for link in re.findall(r"\]\(([^)\s#?]+)", re.sub(r"\$[^$\n]+\$", "", text)):
            if ":" not in link and not (file.parent / unquote(link)).is_file():
                found.append(f"{file.relative_to(site)}: {link}")
    return found


def test_its_links_lead_to_files(site, tmp_path):
    assert leads_nowhere(site) == []
    (tmp_path / "llms.txt").write_text("[page](variance/)\n[page](https://example.org/)", "utf-8")
    assert leads_nowhere(tmp_path) == ["llms.txt: variance/"]


def test_llms_txt_lists_it(site):
    listed = (site / "llms.txt").read_text("utf-8")
    assert listed.startswith("# Why √d?\n\n> ")
    for path in PLAIN:
        assert f"{path.strip('/') or 'index'}.md): " in listed
