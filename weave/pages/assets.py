"""The site's own scripts and styles, without comments and indentation."""

import re
from collections.abc import Iterator
from functools import cache

import tree_sitter_javascript
from rcssmin import cssmin
from tree_sitter import Language, Node, Parser

# A space before a colon stands in selectors alone, as biome writes styles.
DESCENDANT = re.compile(r" (?=::?[a-z-])")

JAVASCRIPT = Language(tree_sitter_javascript.language())
LITERALS = {"string", "template_string", "regex"}
LITERAL = "\0"  # stands in the place of each while the gaps are closed
# A line's end that ends no statement, as what is before it or after it cannot.
GOES_ON = re.compile(r"(?<=[\[{(,;=?:&|>])\n|\n(?=[\]}),;=?:&|<>])|(?<!\d)\n(?=\.(?!\d))")
# A space without which two words would be one, or two signs: 1 .x, + +x, < !--x, / /x/, /x/ in.
APART = (
    rf"(?<=[\w$]) (?=[\w$])|(?<=\d) (?=\.)|(?<=[-+]) (?=[-+])|(?<=<) (?=!)"
    rf"|(?<=/) (?={LITERAL})|(?<={LITERAL}) (?=[\w$])"
)


@cache
def minified_script(code: str) -> str:
    """Give a script without what only its authors need.

    Its literals stay as they are, templates with all that is in them. What does not parse stays
    altogether as it is.
    """
    source = code.encode()
    tree = Parser(JAVASCRIPT).parse(source)
    if tree.root_node.has_error:
        return code
    bare, literals, at = "", [], 0
    for node in literals_and_comments(tree.root_node):
        bare += source[at : node.start_byte].decode()
        at = node.end_byte
        text = source[node.start_byte : at].decode()
        if node.type == "comment":
            bare += "\n" if "\n" in text else " "
        else:
            bare += LITERAL
            literals.append(text)
    bare += source[at:].decode()
    bare = re.sub(r"[ \t]*\n\s*", "\n", bare)
    bare = re.sub(r"[ \t]+", " ", bare)
    bare = re.sub(rf"({APART})| ", r"\1", GOES_ON.sub("", bare))
    given = iter(literals)
    return re.sub(LITERAL, lambda _: next(given), bare.strip())


def literals_and_comments(node: Node) -> Iterator[Node]:
    """Find in a script what is not code, from its beginning to its end."""
    if node.type == "comment" or node.type in LITERALS:
        yield node
    else:
        for child in node.children:
            yield from literals_and_comments(child)


def minified_sheet(rules: str) -> str:
    """Give a style sheet without what only its authors need.

    Within `@container` and `@layer`, rcssmin takes `.keys :hover` for a declaration and makes
    `.keys:hover` of it. `.keys *:hover` means what was written, and stays so.
    """
    return str(cssmin(DESCENDANT.sub(" *", rules)))
