"""Styles and scripts lose their comments, and none of what they say."""

import re
from typing import ClassVar

import pytest
from pygments.lexer import inherit
from pygments.lexers.javascript import JavascriptLexer
from pygments.token import Comment, Punctuation, String, Text
from tree_sitter import Node, Parser

from tests.site.browser import ROOT
from weave.pages.assets import JAVASCRIPT, LITERALS, minified_script, minified_sheet

pytestmark = pytest.mark.alone
SCRIPTS = sorted((ROOT / "docs/assets/javascripts").glob("*.js"))
SHEETS = sorted((ROOT / "docs/assets/stylesheets").glob("*.css"))
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
AROUND = ["{}", "@container (width < 9rem) {{ {} }}", "@layer a {{ {} }}"]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("selector", [":hover", ":is(b, i)", "::before"])
def test_a_selector_keeps_the_space_that_means_within(around, selector):
    rules = around.format(f".keys {selector} {{ color: red; }}")
    minified = minified_sheet(f"/* For a phone. */\n{rules}")
    assert ".keys *" + selector.replace(", ", ",") + "{" in minified
    assert "phone" not in minified
    assert ".keys:hover{" in minified_sheet(around.format(".keys:hover { color: red; }"))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.stem)
def test_all_rules_of_a_sheet_are_there(sheet):
    rules = sheet.read_text("utf-8")
    filled = re.compile(r"[;{]\s*(?=[^\s}])[^{}]*\}")  # rcssmin leaves out what is empty
    expected = len(filled.findall(COMMENT.sub("", rules)))
    assert len(filled.findall(minified_sheet(rules))) == expected > 0


class Script(JavascriptLexer):
    """Pygments' reading of a script, and in `${…}` braces may stand within braces."""

    tokens: ClassVar = {
        "interp-inside": [(r"\{", Punctuation, ("#push", "slashstartsregex")), inherit]
    }


def said(code: str) -> tuple[list[str], str]:
    """Give the texts of a script, and its code without a gap."""
    read = [(kind, text) for kind, text in Script().get_tokens(code) if kind not in Comment]
    texts = [text for kind, text in read if kind in String]
    return texts, "".join(text for kind, text in read if kind not in String and kind not in Text)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_says_what_its_source_says(script):
    code = script.read_text("utf-8")
    minified = minified_script(code)
    assert said(minified) == said(code)
    assert len(minified) < len(code)
    assert not [text for kind, text in Script().get_tokens(minified) if kind in Comment]


def parsed(code: str) -> list[tuple[str, bytes]]:
    """Give the parts of a script as a parser sees them, without comments: names, signs, nests."""
    parts = []

    def walk(node: Node) -> None:
        if node.type in LITERALS or not node.children:
            parts.append((node.type, node.text))
        elif node.type != "comment":
            parts.append((node.type, b""))
            for child in node.children:
                walk(child)

    walk(Parser(JAVASCRIPT).parse(code.encode()).root_node)
    return [part for part in parts if part[0] != "comment"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_does_what_its_source_does(script):
    code = script.read_text("utf-8")
    minified = minified_script(code)
    assert parsed(minified) == parsed(code)
    assert parsed(minified.replace("const ", "const", 1)) != parsed(code)


NESTED = "a=`${ok ? `as if ${n} of ${`${ { m }.m } keys`}  took part` : '// none  did' }`;"


def test_a_text_within_a_text_within_a_text_stays_as_it_is():
    assert minified_script(f"{NESTED}  // that") == NESTED
    for old, new in ((" keys", "keys"), ("  took", " took"), ("none  did", "none did")):
        assert said(NESTED.replace(old, new)) != said(NESTED)


@pytest.mark.parametrize(
    ("code", "minified"),
    {
        "a + +b - -c / /d/ [0]": "a+ +b- -c/ /d/[0]",
        "a < !--b": "a< !--b",
        "1 .x + 1. + b": "1 .x+1.+b",
        "return /* all */ `x`": "return`x`",
        "a; /* one\nor two */ b // and that\nc": "a;b\nc",
        "a\n  .b()\n  ? c\n  : d\n\n(e)": "a.b()?c:d\n(e)",
        "a\n.5\n++b": "a\n.5\n++b",
        "if (/a/ in b) c(/d/g instanceof e)": "if(/a/ in b)c(/d/g instanceof e)",
        "a = 1\n  .toFixed()": "a=1\n.toFixed()",
        "const a = /[/ '\"`]/; b = '// c  d';": "const a=/[/ '\"`]/;b='// c  d';",
        "class A {\n  b = 1\n  get\n  c() {\n  }\n}": "class A{b=1\nget\nc(){}}",
        "a = `left  alone": "a = `left  alone",  # it does not parse
    }.items(),
)
def test_a_gap_stays_where_it_means_something(code, minified):
    assert minified_script(code) == minified
